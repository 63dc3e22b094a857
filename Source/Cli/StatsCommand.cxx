#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Components/ComponentTable.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Itk/ImageFile.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace brickccl::cli
{

namespace
{

struct StatsArguments
{
  std::string labels;
  std::string intensity;
  std::string output;
  std::string columns;
  int         threads = 0;
  bool        json = false;
  bool        quiet = false;
};

void
RunStats(const StatsArguments & arguments)
{
  Reporter           reporter(arguments.quiet || arguments.json);
  Stopwatch          total;
  Stopwatch          watch;
  nlohmann::json     seconds;
  const ColumnGroups groups = ParseColumns(arguments.columns, !arguments.intensity.empty());
  CheckTableName(arguments.output);
  CheckWritable(arguments.output);

  reporter.Step("reading " + arguments.labels);
  const LoadedImage          labels = ReadImageFile(arguments.labels);
  std::optional<LoadedImage> intensity;
  if (!arguments.intensity.empty())
  {
    intensity = ReadImageFile(arguments.intensity);
    CheckSameGrid(labels, *intensity, arguments.intensity);
  }
  seconds["read"] = watch.Lap();

  reporter.Step("measuring");
  const ProgressHooks  hooks = reporter.Hooks();
  const ComponentTable table =
    MeasureLabelImage(labels.View(),
                      labels.geometry,
                      { intensity ? std::optional<ImageView>(intensity->View()) : std::nullopt, groups },
                      { arguments.threads, Progress(hooks) });
  seconds["measure"] = watch.Lap();
  WriteTable(arguments.output, table);
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  if (arguments.json)
  {
    nlohmann::ordered_json summary;
    summary["components"] = table.components.size();
    summary["extent"] = std::vector<std::int64_t>(labels.extent.size, labels.extent.size + labels.extent.dimension);
    summary["seconds"] = seconds;
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    std::cout << summary.dump(2) << std::endl;
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    std::cout << table.components.size() << " labels measured: " << arguments.output << std::endl;
  }
}

} // namespace

void
AddStatsCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<StatsArguments>();
  CLI::App * command = app.add_subcommand("stats", "Measure the components of an existing label map");
  command->add_option("LABELS", arguments->labels, "label map; every value but 0 is one component")->required();
  command->add_option("-o,--output", arguments->output, "component table: .csv, .tsv or .json")
    ->required()
    ->type_name("FILE");
  command->add_option("--intensity", arguments->intensity, "measure the values of this image under each component")
    ->type_name("FILE");
  command
    ->add_option("--columns",
                 arguments->columns,
                 "further groups of columns, with commas between: " + ColumnGroups::Names())
    ->type_name("GROUPS");
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")->capture_default_str();
  command->add_flag("--json", arguments->json, "print the summary as one JSON object");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments] { RunStats(*arguments); });
}

} // namespace brickccl::cli
