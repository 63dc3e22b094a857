// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Files/Formats.h"

#include <iomanip>

namespace brickccl::cli
{

static std::vector<std::string>
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

static void
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
  std::cout << JsonText(info) << std::endl;
}

static void
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
    std::cout << "  " << algorithm.name << " (" << Joined(DevicesOf(algorithm), ", ") << "): " << algorithm.summary
              << '\n';
    for (const AlgorithmInfo::Option & option : algorithm.options)
    {
      std::cout << "    :" << option.syntax << " (default " << option.preset << "): " << option.summary << '\n';
    }
  }
  std::cout << std::flush;
}

static void
PrintFormats(const job::Job & arguments)
{
  ThrowIf<InvalidArgument>(!arguments.input.empty(),
                           "--formats lists the formats and takes no scan; leave out " + Quoted(arguments.input) +
                             ", or --formats");
  const auto row = [](const char * name, const char * suffixes, const char * read, const std::string & written) {
    std::cout << std::left << std::setw(11) << name << std::setw(40) << suffixes << std::setw(10) << read << written
              << '\n';
  };
  row("format", "suffixes", "read", "written");
  for (const files::Format & format : files::AllFormats())
  {
    const std::string dimensions = "up to " + std::to_string(format.maximumDimension) + "-D";
    row(format.name, format.extensions, format.isReadInParts ? "in parts" : "yes", format.write ? dimensions : "no");
    if (format.remark != nullptr)
    {
      std::cout << std::setw(11) << "" << format.remark << '\n';
    }
  }
  std::cout << "\n"
               "Files that are read in parts may be larger than memory (--memory).\n"
               "A folder with a DICOM series or slice images is read as one volume, and so are\n"
               "slice images by a pattern in quotes: \"s_*.tif\", \"s_%03d.tif\".\n"
               "Tables: .csv .tsv .json .xlsx; meshes: .stl .obj .ply .glb .vtp; pictures: .png.\n"
            << std::flush;
}

void
AddInfoCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<job::Job>();
  CLI::App * command = app.add_subcommand("info", "Describe a scan, propose thresholds; list formats and devices");
  command->add_option("SCAN",
                      arguments->input,
                      std::string("image") + FilesRead +
                        " The size, spacing, type, orientation and histogram of a scan are printed, and thresholds for "
                        "`brickccl label --threshold`.");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "downsample " + RegionOptions + "memory threads");
  command->add_flag("--json", arguments->json, "print one JSON object");
  auto * const formats = command->add_flag("--formats", "list the formats of image files");
  command->callback([arguments, command, formats] {
    if (formats->count() > 0)
    {
      PrintFormats(*arguments);
      return;
    }
    for (const CLI::Option * option : command->get_options())
    {
      const std::string name = option->get_name();
      ThrowIf<InvalidArgument>(arguments->input.empty() && option->count() > 0 && name != "--json" &&
                                 name != "--threads",
                               name + " needs a SCAN");
    }
    if (!arguments->input.empty())
    {
      PrintScanInfo(*arguments);
    }
    else if (arguments->json)
    {
      PrintAsJson();
    }
    else
    {
      PrintAsText();
    }
  });
}

} // namespace brickccl::cli
