// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/ScanInfo.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/Label.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace brickccl::cli
{

namespace
{

std::vector<std::string>
DevicesOf(const AlgorithmInfo & algorithm)
{
  std::vector<std::string> devices;
  if (algorithm.runsOnCpu)
  {
    devices.emplace_back("cpu");
  }
  if (algorithm.runsOnCuda)
  {
    devices.emplace_back("cuda");
  }
  return devices;
}

void
PrintAsJson()
{
  nlohmann::ordered_json info;
  info["version"] = Version;
  info["build"] = BRICKCCL_BUILD_OPTIONS;
  info["devices"] = DescribeDevices();
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    nlohmann::ordered_json row = { { "name", algorithm.name },
                                   { "summary", algorithm.summary },
                                   { "runs_on", DevicesOf(algorithm) },
                                   { "options", nlohmann::ordered_json::array() } };
    for (const AlgorithmInfo::Option & option : algorithm.options)
    {
      row["options"].push_back({ { "name", option.name },
                                 { "syntax", option.syntax },
                                 { "default", option.preset },
                                 { "summary", option.summary } });
    }
    info["algorithms"].push_back(row);
  }
  std::cout << ToText(info) << std::endl;
}

void
PrintAsText()
{
  std::cout << "BrickCCL " << Version << "\nbuild: " << BRICKCCL_BUILD_OPTIONS << "\ndevices:\n";
  for (const std::string & device : DescribeDevices())
  {
    std::cout << "  " << device << '\n';
  }
  std::cout << "algorithms:\n";
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    std::cout << "  " << algorithm.name << " (";
    for (const std::string & device : DevicesOf(algorithm))
    {
      std::cout << (device == DevicesOf(algorithm).front() ? "" : ", ") << device;
    }
    std::cout << "): " << algorithm.summary << '\n';
    for (const AlgorithmInfo::Option & option : algorithm.options)
    {
      std::cout << "    :" << option.syntax << " (default " << option.preset << "): " << option.summary << '\n';
    }
  }
  std::cout << std::flush;
}

void
RunInfo(const job::Job & arguments)
{
  if (!arguments.input.empty())
  {
    PrintScanInfo(arguments.input, arguments, arguments.threads, arguments.json);
  }
  else if (arguments.json)
  {
    PrintAsJson();
  }
  else
  {
    PrintAsText();
  }
}

/** \throws Error if there is no scan, but an option that says how to read it. */
void
CheckHasScan(const CLI::App & command, const job::Job & arguments)
{
  for (const CLI::Option * option : command.get_options())
  {
    const std::string name = option->get_name();
    if (arguments.input.empty() && option->count() > 0 && name != "--json" && name != "--threads")
    {
      throw InvalidArgument(name + " needs a SCAN");
    }
  }
}

} // namespace

void
AddInfoCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<job::Job>();
  CLI::App * command =
    app.add_subcommand("info",
                       "Describe a scan and propose thresholds; without a scan: version, devices and algorithms");
  command->add_option("SCAN",
                      arguments->input,
                      "image, or folder or pattern of images: show size, spacing, type, orientation and histogram, and "
                      "propose thresholds for `brickccl label --threshold`");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "threads");
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->callback([arguments, command] {
    CheckHasScan(*command, *arguments);
    RunInfo(*arguments);
  });
}

} // namespace brickccl::cli
