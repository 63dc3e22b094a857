// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Pictures/Chart.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>

namespace brickccl::cli
{

namespace
{

struct SweepArguments : job::Job
{
  std::string from;
  std::string to;
  int         steps = 64;
  std::string plot;
};

struct Curve
{
  std::vector<SweepStep> steps;
  /** "volume_mm3", "area_mm2" ... and the size of a voxel. */
  std::string  sizeName;
  double       voxelSize = 1;
  std::int64_t voxels = 1;

  double
  Fraction(const SweepStep & step) const
  {
    return static_cast<double>(step.voxels) / static_cast<double>(voxels);
  }
};

nlohmann::ordered_json
AsJson(const Curve & curve)
{
  return Mapped(curve.steps, [&](const SweepStep & step) {
    return nlohmann::ordered_json{ { "threshold", step.threshold },
                                   { "components", step.components },
                                   { "largest_voxel_count", step.largest },
                                   { "largest_" + curve.sizeName, static_cast<double>(step.largest) * curve.voxelSize },
                                   { "voxel_count", step.voxels },
                                   { curve.sizeName, static_cast<double>(step.voxels) * curve.voxelSize },
                                   { "fraction", curve.Fraction(step) } };
  });
}

/** The number of components, and in % of the voxels the foreground and the largest component. */
void
WritePlot(const std::string & path, const Curve & curve, bool below)
{
  ChartSeries components{ "components", {} };
  ChartSeries foreground{ "foreground (%)", {}, true };
  ChartSeries largest{ "largest (%)", {}, true };
  for (const SweepStep & step : curve.steps)
  {
    components.points.emplace_back(step.threshold, static_cast<double>(step.components));
    foreground.points.emplace_back(step.threshold, 100 * curve.Fraction(step));
    largest.points.emplace_back(step.threshold,
                                100 * static_cast<double>(step.largest) / static_cast<double>(curve.voxels));
  }
  WriteLineChart(path,
                 { "Foreground at each threshold",
                   below ? "threshold: foreground is below" : "threshold: foreground is at or above",
                   "number of components",
                   false,
                   { components, foreground, largest },
                   "share of the image in %" });
}

/** \throws InvalidArgument for a number that a double cannot hold: thresholds between the ends would be wrong. */
double
DoubleOf(const std::string & text, const std::string & option)
{
  const Number     number = ParseNumber(text, option);
  const auto       value = static_cast<double>(number);
  constexpr double largestExactWhole = 9007199254740992.0;
  ThrowIf<InvalidArgument>((number > largestExactWhole || number < -largestExactWhole) && number != value,
                           option + ": thresholds are 64-bit floating-point numbers, exact up to 9007199254740992; " +
                             text + " is not exact");
  return value;
}

void
RunSweep(const SweepArguments & arguments)
{
  Reporter       reporter(arguments.quiet || arguments.json);
  Stopwatch      total;
  Stopwatch      watch;
  nlohmann::json seconds;
  SweepOptions   options;
  options.from = DoubleOf(arguments.from, "--range-from");
  options.to = DoubleOf(arguments.to, "--range-to");
  options.steps = arguments.steps;
  options.below = arguments.below;
  options.asVoxelValues = true;
  options.threads = arguments.threads;
  options.device = { Device::Kind::Cpu, 0 };
  options.Thresholds();
  const NamedFiles outputs = { { "--output", arguments.output }, { "--plot", arguments.plot } };
  const NamedFiles inputs = { { "IMAGE", arguments.input },
                              { "--mask", arguments.mask },
                              { "--neighborhood", NeighborhoodFile(arguments) } };
  CheckTableName(arguments.output);
  CheckChartName(arguments.plot);
  CheckFiles(arguments, inputs, outputs);

  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage image = reader.Read(arguments.input, false);
  options.connectivity = ConnectivityFor(arguments, image.extent, reader);
  options.periodic = PeriodicFor(arguments, *options.connectivity);
  const auto region = ReadRegion(arguments, image, arguments.threads, reader);
  const auto regionVoxels = job::CountIn(region, arguments.threads);
  options.mask = region ? std::optional(region->View()) : std::nullopt;
  seconds["read"] = watch.Lap();

  reporter.Step("sweeping");
  options.progress = reporter.Hooks();
  const int   dimension = image.extent.dimension;
  const Curve curve{ Sweep(image.View(), options),
                     SizeName(dimension),
                     image.geometry.VoxelVolume(dimension),
                     static_cast<std::int64_t>(
                       regionVoxels.value_or(static_cast<std::uint64_t>(image.extent.VoxelCount()))) };
  seconds["sweep"] = watch.Lap();

  reporter.Step("writing " + arguments.output);
  ReplacedTogether together;
  WriteRows(arguments.output, AsJson(curve));
  if (!arguments.plot.empty())
  {
    WritePlot(arguments.plot, curve, arguments.below);
  }
  together.Move();
  seconds["write"] = watch.Lap();
  seconds["total"] = total.Lap();

  const auto peak = std::max_element(curve.steps.begin(), curve.steps.end(), [](const auto & a, const auto & b) {
    return a.components < b.components;
  });
  const std::uint64_t most = peak->components;
  job::Findings       findings;
  findings.push_back(
    { "",
      Counted(curve.steps.size(), "threshold") + " from " + Shortest(options.from) + " to " + Shortest(options.to),
      1 });
  findings.push_back({ "steps", AsJson(curve) });
  AddNeighbors(findings, arguments, *options.connectivity, options.periodic, 1);
  findings.push_back(
    { "", most, 2, most == 0 ? "no components" : "most components (#) at " + job::Readable(peak->threshold) });
  findings.push_back({ "below", arguments.below });
  AddSpacing(findings, image, 3);
  AddRegion(findings, arguments, regionVoxels, image, 3);
  findings.push_back({ "", Printable(arguments.output), 4, "#: one row per threshold" });
  AddRun(findings, reader.Notes(), seconds, "", false);
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddSweepCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<SweepArguments>();
  CLI::App * command = app.add_subcommand("sweep", "Count and measure components at many thresholds, to choose one");
  command->add_option("IMAGE", arguments->input, std::string("image of one channel") + FilesRead)->required();
  command->add_option("--range-from", arguments->from, "the lowest threshold")
    ->check(AnyNumber())
    ->type_name("A")
    ->required();
  command->add_option("--range-to", arguments->to, "the highest threshold")
    ->check(AnyNumber())
    ->type_name("B")
    ->required();
  command->add_option("--steps", arguments->steps, "number of thresholds from A to B (2 to 65536)")
    ->transform(Count(2, SweepOptions::MaximumSteps))
    ->type_name("N")
    ->capture_default_str();
  command->add_flag("--below", arguments->below, "foreground is below a threshold (pores)");
  command
    ->add_option("-o,--output",
                 arguments->output,
                 "write the curve: .csv, .tsv or .json\nEach row has the threshold, the number of components, the size "
                 "of the largest one, the foreground and its share of all voxels (with --below: the porosity).")
    ->type_name("FILE")
    ->required();
  command->add_option("--plot", arguments->plot, "draw the curve: .png or .svg")->type_name("FILE");
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "downsample " + RegionOptions + NeighborOptions + RunningOptions);
  command->get_option("--json")->description("print the curve and a summary as one JSON object");
  command->callback([arguments] { RunSweep(*arguments); });
}

} // namespace brickccl::cli
