// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Histogram.h"
#include "BrickCCL/Tables/LengthUnits.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Pictures/Chart.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <algorithm>
#include <sstream>

namespace brickccl::cli
{

namespace
{

struct StatsArguments : job::Job
{
  std::vector<std::string> inputs;
  bool                     masks = false;
  bool                     resample = false;
  std::string              histogram;
  std::string              plot;
  int                      bins = 0;
  bool                     logarithmic = false;
  std::string              weights;
};

std::string
DescribeBins(const Histogram & histogram)
{
  const bool         isWeighted = !histogram.weightColumn.empty();
  std::ostringstream text;
  text << histogram.column << ", components" << (isWeighted ? ", " + histogram.weightColumn : "");
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
  {
    text << '\n' << histogram.edges[i] << " .. " << histogram.edges[i + 1] << ": " << histogram.counts[i];
    if (isWeighted)
    {
      text << ", " << histogram.weights[i];
    }
  }
  if (histogram.notFinite > 0)
  {
    text << "\nnot finite: " << histogram.notFinite;
  }
  if (histogram.notPositive > 0)
  {
    text << "\nnot above 0: " << histogram.notPositive;
  }
  return text.str();
}

nlohmann::ordered_json
HistogramAsJson(const Histogram & histogram)
{
  nlohmann::ordered_json json = { { "column", histogram.column },
                                  { "unit", histogram.unit },
                                  { "logarithmic", histogram.isLogarithmic },
                                  { "edges", histogram.edges },
                                  { "counts", histogram.counts },
                                  { "not_finite", histogram.notFinite },
                                  { "not_above_0", histogram.notPositive } };
  if (!histogram.weightColumn.empty())
  {
    json["weight_column"] = histogram.weightColumn;
    json["weight_unit"] = histogram.weightUnit;
    json["weights"] = histogram.weights;
  }
  return json;
}

HistogramOptions
HistogramOptionsOf(const StatsArguments & arguments)
{
  HistogramOptions options;
  options.column = arguments.histogram;
  options.isLogarithmic = arguments.logarithmic;
  options.weights = arguments.weights;
  options.lengthUnit = arguments.units;
  options.bins = arguments.bins > 0 ? arguments.bins : options.bins;
  return options;
}

/** Adds the groups of a column that an option names. \throws InvalidArgument if there is no such column. */
void
AddGroupsOf(const std::string & inAnyUnit, const char * option, const StatsArguments & arguments, ColumnGroups & groups)
{
  if (inAnyUnit.empty())
  {
    return;
  }
  CheckColumnIsThere(inAnyUnit, arguments, option);
  const ColumnGroups named = ParseColumns(ColumnInMillimeters(inAnyUnit), !arguments.intensity.empty());
  for (const ColumnGroup * const group : named.List())
  {
    groups.Add(*group);
  }
}

void
CheckColumns(const StatsArguments & arguments, const MeasureOptions & measured, const LoadedImage & labels)
{
  LabelOptions labeled;
  labeled.geometry = labels.geometry;
  CheckTableColumns(arguments, measured, labels.extent, labeled);
  if (!arguments.histogram.empty())
  {
    HistogramOf(TableOfNothing(measured, labels.extent, labeled), HistogramOptionsOf(arguments));
  }
}

/** Finds before the long work starts what is certain to fail. \return the groups that are measured. */
ColumnGroups
CheckStatsArguments(const StatsArguments & arguments)
{
  ColumnGroups groups = CheckTableArguments(arguments, "--output");
  ThrowIf<InvalidArgument>(!arguments.IsWanted() && arguments.histogram.empty() && arguments.picture.empty() &&
                             arguments.zones.empty(),
                           "nothing to do: give --output, --print, --histogram COLUMN, --picture or --zones FILE");
  CheckUnits(arguments, !arguments.histogram.empty(), "--output, --print or --histogram");
  const auto isOfIntensity = [](const std::string & column) {
    return column.rfind("intensity_", 0) == 0 || column.rfind("weighted_", 0) == 0;
  };
  CheckIntensity(arguments,
                 !arguments.picture.empty() || isOfIntensity(arguments.histogram) || isOfIntensity(arguments.weights),
                 "--output, --print, --picture, or --histogram of a column of intensities");
  AddGroupsOf(arguments.histogram, "--histogram", arguments, groups);
  AddGroupsOf(arguments.weights, "--weights", arguments, groups);
  CheckChartName(arguments.plot);
  return groups;
}

void
NoteEmptyBins(const Histogram & histogram, bool isLogarithmic, std::size_t components, ImageReader & reader)
{
  const std::size_t bins = histogram.counts.size();
  const auto        empty =
    static_cast<std::size_t>(std::count(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{ 0 }));
  reader.NoteIf(empty == bins,
                "no component has a value for the histogram of " + histogram.column + ", so it is empty");
  reader.NoteIf(empty < bins && !isLogarithmic && components > bins && 4 * empty > 3 * bins,
                std::to_string(empty) + " of " + std::to_string(bins) + " bins are empty; try --log");
}

/** The images that are read with the first label map, and the runs of the last one. */
struct Measured
{
  std::optional<LoadedImage> region;
  TableImages                images;
  RunVolume                  volume;
  Stopwatch                  watch;
  double                     secondsToRead = 0;
  double                     secondsToMeasure = 0;
};

/** Reads the intensities, sampled at the labels' voxels if asked. \throws InvalidArgument if they are elsewhere */
std::optional<LoadedImage>
ReadIntensity(const StatsArguments & arguments, const LoadedImage & labels, ImageReader & reader)
{
  if (arguments.intensity.empty())
  {
    return {};
  }
  LoadedImage intensity = reader.Read(arguments.intensity, false);
  try
  {
    CheckSameGrid(labels, intensity, arguments.intensity);
    return intensity;
  }
  catch (const InvalidArgument & error)
  {
    ThrowIf<InvalidArgument>(!arguments.resample,
                             error.what() + std::string("; --resample samples it at the labels' voxels"));
  }
  ThrowIf<InvalidArgument>(intensity.channels != 1 || labels.extent.dimension != 3 || intensity.extent.dimension != 3 ||
                             labels.spacingSource == "none" || intensity.spacingSource == "none",
                           "--resample needs labels and " + Quoted(arguments.intensity) +
                             " of 3 dimensions with voxel sizes");
  return files::WithContext("--resample " + Quoted(arguments.intensity) + ": ",
                            [&] { return ResampleImage(intensity, labels, { arguments.threads }); });
}

/** Measures a label map within the region. \param isFirst  whether the other images are to be read */
ComponentTable
MeasureOne(const StatsArguments & arguments,
           const ColumnGroups &   groups,
           bool                   isFirst,
           LoadedImage &          labels,
           Measured &             with,
           ImageReader &          reader,
           Reporter &             reporter)
{
  if (isFirst)
  {
    with.region = ReadRegion(arguments, labels, arguments.threads, reader);
    if (!arguments.picture.empty())
    {
      CheckPicture(labels.extent);
    }
    job::Table others = arguments;
    others.intensity.clear();
    with.images = ReadTableImages(others, labels, arguments.threads, reader);
    with.images.intensity = ReadIntensity(arguments, labels, reader);
    CheckColumns(arguments, with.images.Options(groups), labels);
  }
  if (with.region)
  {
    job::SetOutsideToZero(labels, with.region->View(), arguments.threads);
  }
  with.secondsToRead += with.watch.Lap();
  reporter.Step("measuring");
  const ProgressHooks hooks = reporter.Hooks();
  const HostContext   context{ arguments.threads, Progress(hooks) };
  const auto          release = [&] {
    if (arguments.picture.empty())
    {
      labels.voxels.Release();
    }
  };
  ComponentTable table =
    MeasureLabelImage(labels.View(), labels.geometry, with.images.Options(groups), context, with.volume, release);
  with.secondsToMeasure += with.watch.Lap();
  return table;
}

void
RunStats(const StatsArguments & arguments, const FrontEnd & frontEnd)
{
  const auto     reporterOwner = frontEnd.makeReporter(arguments.quiet || arguments.json);
  Reporter &     reporter = *reporterOwner;
  Stopwatch      total;
  nlohmann::json seconds;
  const auto     groups = CheckStatsArguments(arguments);

  NamedFiles outputs = TableFiles(arguments, "--output");
  outputs.push_back({ "--plot", arguments.plot });
  outputs.push_back({ "--picture", arguments.picture });
  const MaskFiles masks = FindMasks(arguments.inputs, arguments.masks);
  NamedFiles      inputs = { { "--names", arguments.names },
                             { "--mask", arguments.mask },
                             { "--intensity", arguments.intensity },
                             { "--part", arguments.part },
                             { "--zones", arguments.zones } };
  for (std::size_t i = masks.files.size(); i-- > 0;)
  {
    inputs.insert(inputs.begin(), { "LABELS", masks.files[i] });
  }
  CheckFiles(arguments, inputs, outputs);

  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  Measured    with;
  LoadedImage labels;
  const auto  measure = [&](LoadedImage & mask, bool isFirst) {
    ThrowIf<InvalidArgument>((masks.areSeveral || !isFirst) &&
                               !(arguments.picture.empty() && arguments.contacts.empty() && arguments.zones.empty()),
                             "--picture, --contacts and --zones are for one label map, not for several");
    return MeasureOne(arguments, groups, isFirst, mask, with, reader, reporter);
  };
  ComponentTable table = MeasureMasks(masks, measure, labels, reader);
  const auto &   region = with.region;
  if (region)
  {
    table.regionVoxels = job::CountIn(region, arguments.threads);
    table.partTotals.voxels = job::CountIn(with.images.part, arguments.threads, region).value_or(0);
  }
  NoteOutsideOfPart(table, reader);
  NoteMeasures(table, reader, arguments.resample ? ", or voxels are outside of " + Quoted(arguments.intensity) : "");
  std::optional<Histogram> histogram;
  if (!arguments.histogram.empty())
  {
    histogram = HistogramOf(table, HistogramOptionsOf(arguments));
    NoteEmptyBins(*histogram, arguments.logarithmic, table.components.size(), reader);
  }
  seconds["read"] = with.secondsToRead;
  seconds["measure"] = with.secondsToMeasure + with.watch.Lap();
  ReplacedTogether together;
  WriteTables(arguments, table, arguments.threads, reporter);
  if (!arguments.plot.empty())
  {
    reporter.Step("drawing " + arguments.plot);
    WriteHistogramChart(arguments.plot, *histogram);
  }
  if (!arguments.picture.empty())
  {
    std::vector<std::uint64_t> numbers = InputLabels(table);
    numbers.insert(numbers.begin(), 0);
    Renumber(with.volume, numbers, { arguments.threads });
    DrawLabels(arguments, labels, false, with.images, with.volume, table, reporter);
  }
  together.Move();
  seconds["write"] = with.watch.Lap();
  seconds["total"] = total.Lap();

  job::Findings     findings;
  const Totals      totals = TotalsOf(table);
  const std::string file = arguments.statistics.empty() ? "" : ": " + Printable(arguments.statistics);
  findings.push_back({ "components", table.components.size(), 1, "# measured" + file, "label" });
  AddTotals(findings, totals, labels, 2);
  findings.push_back({ "",
                       100 * totals.fraction,
                       2,
                       table.hasPart ? "# of the part"
                       : region      ? "# of the region"
                                     : "# of the image",
                       "%" });
  if (with.images.zones)
  {
    const ImageView zones = with.images.zones->View();
    const auto      mask = region ? std::optional(region->View()) : std::nullopt;
    AddNumbers(findings, "zone", CountNumbers(zones, zones, mask, arguments.threads), table, labels, false, 3);
  }
  if (histogram)
  {
    findings.push_back({ "histogram", HistogramAsJson(*histogram) });
    findings.push_back({ "", DescribeBins(*histogram), 5 });
  }
  AddExtent(findings, labels, 4);
  AddRegion(findings, arguments, job::CountIn(region, arguments.threads), labels, 4);
  findings.push_back({ "coordinates", arguments.ras ? "RAS" : "LPS" });
  AddRun(findings, reader.Notes(), seconds, "", arguments.IsWanted());
  PrintFindings(findings, arguments, reporter, frontEnd);
}

} // namespace

void
AddStatsCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       arguments = std::make_shared<StatsArguments>();
  CLI::App * command = app.add_subcommand("stats", "Measure the components of an existing label map");
  command
    ->add_option("LABELS",
                 arguments->inputs,
                 "label map; every nonzero value is one component\nSeveral label maps or masks of one scan, which may "
                 "overlap, make one table: name them, or their folder. A folder of slices is one label map.")
    ->required();
  command->add_flag("--masks", arguments->masks, "measure each file of a folder by itself, slices as well");
  command->add_option("-o,--output", arguments->statistics, "write the table: .csv, .tsv, .json or .xlsx")
    ->type_name("FILE");
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "names " + RegionOptions + TableOptions + RunningOptions + "picture zones");
  command->add_flag("--resample", arguments->resample, "sample --intensity linearly at the labels' voxel centers")
    ->needs("--intensity")
    ->excludes("--nan")
    ->excludes("--spacing");
  auto * const histogram =
    command->add_option("--histogram", arguments->histogram, "count components by a column, in the unit of --units")
      ->type_name("COLUMN");
  command->add_option("--plot", arguments->plot, "draw the histogram: .svg or .png")
    ->type_name("FILE")
    ->needs(histogram);
  command
    ->add_option("--bins",
                 arguments->bins,
                 "number of equal bins, up to 1000000 (default: about 50 between round numbers)")
    ->type_name("N")
    ->transform(Count(1, 1000000))
    ->needs(histogram);
  command->add_flag("--log", arguments->logarithmic, "use bins of equal ratios, on a logarithmic axis")
    ->needs(histogram);
  command
    ->add_option("--weights", arguments->weights, "sum this column in each bin, as volume_mm3, instead of counting")
    ->type_name("COLUMN")
    ->needs(histogram);
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
  list("--list-columns", false, "list all columns with units and meanings");
  list("--list-columns-markdown", true, "the same as a Markdown table");
  command->callback([arguments, frontEnd] { RunStats(*arguments, frontEnd); });
}

} // namespace brickccl::cli
