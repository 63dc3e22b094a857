#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/Device.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace brickccl::cli
{

void
AddInfoCommand(CLI::App & app)
{
  auto       json = std::make_shared<bool>(false);
  CLI::App * command = app.add_subcommand("info", "Show version, build options, devices and algorithms");
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([json] {
    if (*json)
    {
      nlohmann::ordered_json info;
      info["version"] = Version;
      info["build"] = BRICKCCL_BUILD_OPTIONS;
      info["devices"] = DescribeDevices();
      for (const Algorithm & algorithm : Algorithms())
      {
        info["algorithms"].push_back({ { "name", algorithm.name }, { "summary", algorithm.summary } });
      }
      std::cout << info.dump(2) << std::endl;
      return;
    }
    std::cout << "BrickCCL " << Version << "\nbuild: " << BRICKCCL_BUILD_OPTIONS << "\ndevices:\n";
    for (const std::string & device : DescribeDevices())
    {
      std::cout << "  " << device << '\n';
    }
    std::cout << "algorithms:\n";
    for (const Algorithm & algorithm : Algorithms())
    {
      std::cout << "  " << algorithm.name << " ("
                << (algorithm.label ? algorithm.offersOnCuda ? "cpu, cuda" : "cpu" : "cuda")
                << "): " << algorithm.summary << '\n';
    }
    std::cout << std::flush;
  });
}

} // namespace brickccl::cli
