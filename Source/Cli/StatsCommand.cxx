#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/Totals.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Pictures/HistogramChart.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace brickccl::cli
{

namespace
{

struct StatsArguments
{
  std::string    labels;
  FileArguments  files;
  TableArguments table;
  std::string    histogram;
  std::string    plot;
  int            bins = 50;
  int            threads = 0;
  bool           json = false;
  bool           quiet = false;
};

/** \throws InvalidArgument or Error if the plot cannot be made. */
void
CheckPlot(const StatsArguments & arguments)
{
  if (arguments.histogram.empty())
  {
    throw InvalidArgument("--plot needs --histogram COLUMN, which it draws");
  }
  CheckChartName(arguments.plot);
  CheckWritable(arguments.plot);
}

void
PrintHistogram(const Histogram & histogram)
{
  std::cout << histogram.column << (histogram.unit.empty() ? "" : " [" + histogram.unit + "]") << ", components\n";
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
  {
    std::cout << histogram.edges[i] << " .. " << histogram.edges[i + 1] << ": " << histogram.counts[i] << '\n';
  }
  if (histogram.notFinite > 0)
  {
    std::cout << "not finite: " << histogram.notFinite << '\n';
  }
  std::cout.flush();
}

/** The groups of the column that is counted; none if it is no column, about which the histogram has its own message. */
ColumnGroups
GroupsOfHistogram(const StatsArguments & arguments)
{
  for (const ComponentColumn & column : AllColumns(3))
  {
    if (column.name == arguments.histogram)
    {
      return ParseColumns(arguments.histogram, !arguments.table.intensity.empty());
    }
  }
  return {};
}

void
RunStats(const StatsArguments & arguments, const FrontEnd & frontEnd)
{
  const auto     reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &     reporter = *reporterOwner;
  Stopwatch      total;
  Stopwatch      watch;
  nlohmann::json seconds;
  ColumnGroups   groups = CheckTableArguments(arguments.table, "--output");
  if (!arguments.table.IsWanted() && arguments.histogram.empty())
  {
    throw InvalidArgument("nothing is asked for: give --output FILE, --print or --histogram COLUMN");
  }
  if (!arguments.histogram.empty())
  {
    const ColumnGroups counted = GroupsOfHistogram(arguments);
    for (const ColumnGroup * const group : counted.List())
    {
      groups.Add(*group);
    }
  }

  if (!arguments.plot.empty())
  {
    CheckPlot(arguments);
  }

  NamedFiles outputs = TableFiles(arguments.table, "--output");
  outputs.push_back({ "--plot", arguments.plot });
  const NamedFiles inputs = { { "LABELS", arguments.labels },
                              { "--intensity", arguments.table.intensity },
                              { "--part", arguments.table.part } };
  CheckSeries(arguments.files, inputs);
  CheckOutputs(inputs, outputs);

  reporter.Step("reading " + arguments.labels);
  ImageReader reader(arguments.files, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage labels = reader.Read(arguments.labels, true);
  const TableImages images = ReadTableImages(arguments.table, labels, arguments.threads, reader);
  seconds["read"] = watch.Lap();

  reporter.Step("measuring");
  const ProgressHooks  hooks = reporter.Hooks();
  const ComponentTable table =
    MeasureLabelImage(labels.View(), labels.geometry, images.Options(groups), arguments.threads, hooks);
  NoteOutsideOfPart(table, reader);
  std::optional<Histogram> histogram;
  if (!arguments.histogram.empty())
  {
    histogram = HistogramOf(table, arguments.histogram, arguments.bins);
  }
  seconds["measure"] = watch.Lap();
  if (arguments.table.IsWanted())
  {
    WriteTables(arguments.table, table);
  }
  if (!arguments.plot.empty())
  {
    reporter.Step("drawing " + arguments.plot);
    WriteHistogramChart(arguments.plot, *histogram);
  }
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  if (arguments.json)
  {
    nlohmann::ordered_json summary;
    summary["components"] = table.components.size();
    summary["totals"] = ToJson(TotalsOf(table));
    if (histogram)
    {
      summary["histogram"] = { { "column", histogram->column },
                               { "unit", histogram->unit },
                               { "edges", histogram->edges },
                               { "counts", histogram->counts },
                               { "not_finite", histogram->notFinite } };
    }
    summary["extent"] = std::vector<std::int64_t>(labels.extent.size, labels.extent.size + labels.extent.dimension);
    summary["notes"] = reader.Notes();
    summary["seconds"] = seconds;
    summary["peak_memory_bytes"] = PeakMemoryBytes();
    frontEnd.takeSummary(summary);
  }
  else if (!arguments.quiet)
  {
    reporter.Note("");
    const Totals totals = TotalsOf(table);
    std::cout << table.components.size() << " labels measured"
              << (arguments.table.table.empty() ? "" : ": " + arguments.table.table) << '\n'
              << "together " << totals.voxels << " voxels, " << 100 * totals.fraction << " % of the "
              << (table.hasPart ? "part" : "image") << std::endl;
    if (histogram)
    {
      PrintHistogram(*histogram);
    }
  }
}

} // namespace

void
AddStatsCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       arguments = std::make_shared<StatsArguments>();
  CLI::App * command = app.add_subcommand("stats", "Measure the components of an existing label map");
  command
    ->add_option("LABELS",
                 arguments->labels,
                 "label map: " + ReadableFormats() + "; every value but 0 is one component")
    ->required();
  command->add_option("-o,--output", arguments->table.table, "component table: .csv, .tsv, .json or .xlsx")
    ->type_name("FILE");
  AddFileOptions(*command, arguments->files);
  AddTableOptions(*command, arguments->table, "--output");
  command->add_option("--histogram", arguments->histogram, "count the components by this column")->type_name("COLUMN");
  command->add_option("--plot", arguments->plot, "draw the histogram: .svg or .png")->type_name("FILE");
  command->add_option("--bins", arguments->bins, "number of the histogram's bins")
    ->transform(Count(1, 1000000))
    ->capture_default_str();
  const auto list = [command](const std::string & flag, bool asMarkdown, const std::string & description) {
    command
      ->add_flag_callback(
        flag,
        [asMarkdown] {
          PrintColumns(asMarkdown);
          throw CLI::Success();
        },
        description)
      ->trigger_on_parse();
  };
  list("--list-columns", false, "list all columns with their units, meanings and rules of merging, and stop");
  list("--list-columns-markdown", true, "the same as a table of Markdown");
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MostThreads))
    ->capture_default_str();
  command->add_flag("--json", arguments->json, "print the summary as one JSON object")
    ->excludes(command->get_option("--print"));
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments, frontEnd] { RunStats(*arguments, frontEnd); });
}

} // namespace brickccl::cli
