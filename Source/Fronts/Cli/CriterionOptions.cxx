#include "BrickCCL/Cli/CriterionOptions.h"

#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <sstream>

namespace brickccl::cli
{

void
AddCriterionOptions(CLI::App & command, CriterionArguments & arguments)
{
  auto * range = command
                   .add_option("--range", arguments.range, "voxels with LO <= value <= HI are foreground (inf, -inf)")
                   // One option of two texts; the second one may also begin with a minus sign ("-inf").
                   ->type_size(2)
                   ->expected(1)
                   ->allow_extra_args(false)
                   ->type_name("LO HI");
  auto * threshold =
    command
      .add_option("--threshold",
                  arguments.threshold,
                  "voxels at or above a threshold are foreground: a number, or found in the histogram by "
                  "otsu, multi-otsu:N (the highest between N classes, 2 to 8; multi-otsu:N:K the K-th), valley "
                  "(between the peaks) or iso50 (between air and material); see `brickccl info SCAN`")
      ->type_name("METHOD")
      ->excludes(range);
  command.add_flag("--below", arguments.below, "voxels below the threshold are foreground (material) instead");
  command
    .add_option(
      "--smooth",
      arguments.smooth,
      "first smooth the image: median:R (over 2 R + 1 voxels along each axis, R 1 to 50) or gaussian:MM (its standard "
      "deviation)")
    ->type_name("FILTER");
  auto * equal = command.add_flag("--equal-value", arguments.equalValue, "join neighbours of equal value");
  auto * tolerance =
    command.add_option("--tolerance", arguments.tolerance, "join neighbours whose values differ by at most T")
      ->check(AnyNumber())
      ->type_name("T")
      ->excludes(equal);
  auto * background =
    command
      .add_option("--background", arguments.background, "value of the background, or none: every voxel takes part")
      ->type_name("V")
      ->capture_default_str()
      ->excludes(range)
      ->excludes(threshold);
  auto * pores =
    command
      .add_flag("--pores",
                arguments.pores,
                "label the pores of a part: --threshold (default otsu) or --range says what is material; the "
                "part is its largest piece with the holes filled, pores are what is not material in it")
      ->excludes(equal)
      ->excludes(tolerance)
      ->excludes(background);
  command
    .add_option(
      "--close",
      arguments.close,
      "with --pores: count cracks and cavities that are open to the outside through gaps of up to MM as pores")
    ->check(NumberFromZero())
    ->type_name("MM")
    ->needs(pores);
}

nlohmann::ordered_json
ThresholdsAsJson(const std::vector<Number> & thresholds)
{
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Number threshold : thresholds)
  {
    all.push_back(ThresholdAsJson(threshold));
  }
  return all;
}

Criterion
CriterionOf(const CriterionArguments & arguments)
{
  Criterion criterion = arguments.equalValue ? Criterion::EqualValue() : Criterion::Foreground();
  if (!arguments.tolerance.empty())
  {
    criterion = Criterion::Tolerance(ParseNumber(arguments.tolerance, "--tolerance"));
  }
  criterion.background.reset();
  if (arguments.background != "none")
  {
    criterion.background = ParseNumber(arguments.background, "--background");
  }
  if (!arguments.range.empty())
  {
    criterion.range =
      Criterion::Range{ ParseNumber(arguments.range[0], "--range"), ParseNumber(arguments.range[1], "--range") };
  }
  if (arguments.below && (arguments.threshold.empty() && !(arguments.pores && arguments.range.empty())))
  {
    throw InvalidArgument("--below needs a threshold: --threshold METHOD, or --pores without --range");
  }
  if (!arguments.threshold.empty())
  {
    ThresholdMethod::FromText(arguments.threshold);
  }
  if (!arguments.smooth.empty())
  {
    SmoothingMethod::FromText(arguments.smooth);
  }
  criterion.Validate();
  return criterion;
}

Criterion
ForVoxels(Criterion criterion, ScalarType type)
{
  if (criterion.background)
  {
    criterion.background = AsVoxelValue(*criterion.background, type);
  }
  if (criterion.range)
  {
    criterion.range->low = AsVoxelValue(criterion.range->low, type);
    criterion.range->high = AsVoxelValue(criterion.range->high, type);
  }
  criterion.tolerance = AsVoxelValue(criterion.tolerance, type);
  return criterion;
}

ImageView
Segmented::View(const LoadedImage & image) const
{
  return pores ? pores->PoreView() : smoothed ? smoothed->View() : image.View();
}

std::string
Segmented::CriterionText(const CriterionArguments & arguments) const
{
  std::string text = asked.ToString();
  if (!threshold || !arguments.below)
  {
    return text;
  }
  // The range ends just below the threshold; what it prints as would be the threshold.
  const std::size_t  range = text.find(" within [");
  std::ostringstream below;
  below << " below " << static_cast<double>(threshold->value);
  return range == std::string::npos ? text : text.replace(range, text.find(']', range) + 1 - range, below.str());
}

Criterion
Segmented::ForView() const
{
  return pores ? Criterion::Foreground() : asked;
}

void
NoteNotANumber(std::uint64_t count, ImageReader & reader)
{
  if (count > 0)
  {
    reader.Note(TellNotANumber(count));
  }
}

Segmented
ApplyCriterion(const CriterionArguments &         arguments,
               const LoadedImage &                image,
               const std::optional<LoadedImage> & mask,
               const Device &                     device,
               int                                threads,
               ImageReader &                      reader,
               Reporter &                         reporter)
{
  Segmented segmented;
  segmented.asked = CriterionOf(arguments);
  // Voxels of files that are mapped are read only here.
  const ProgressHooks reading = reporter.Hooks();
  segmented.notNumbers = CountNotANumber(image.View(), { threads, Progress(reading) });
  NoteNotANumber(segmented.notNumbers, reader);
  if (!arguments.smooth.empty())
  {
    reporter.Step("smoothing");
    const ProgressHooks hooks = reporter.Hooks();
    segmented.smoothed = SmoothImage(image, SmoothingMethod::FromText(arguments.smooth), { threads, Progress(hooks) });
  }
  segmented.asked = ForVoxels(segmented.asked, segmented.View(image).type);
  const bool findsPart = arguments.pores && arguments.range.empty();
  const auto inside = mask ? std::optional(mask->View()) : std::nullopt;
  if (!arguments.threshold.empty() || findsPart)
  {
    ThresholdMethod method = ThresholdMethod::FromText(arguments.threshold.empty() ? "otsu" : arguments.threshold);
    method.value = AsVoxelValue(method.value, segmented.View(image).type);
    ValueHistogram histogram;
    if (method.kind != ThresholdMethod::Kind::Value)
    {
      reporter.Step("finding the threshold");
      const ProgressHooks hooks = reporter.Hooks();
      histogram = HistogramOfValues(segmented.View(image), inside, { threads, Progress(hooks) });
    }
    segmented.threshold = FindThreshold(histogram, method);
    if (segmented.threshold->padding)
    {
      std::ostringstream text;
      text << "the value " << *segmented.threshold->padding
           << " is taken for padding, what the scanner did not see, and left out of the threshold; if it is a "
              "measurement, give the threshold as a number";
      reader.Note(text.str());
    }
    segmented.asked.range =
      arguments.below ? segmented.threshold->Below().range : segmented.threshold->AtOrAbove().range;
    segmented.asked.Validate();
  }
  if (arguments.pores)
  {
    reporter.Step("finding the part");
    PoreOptions options;
    options.material = segmented.asked;
    options.closeWidth = arguments.close;
    options.geometry = image.geometry;
    options.region = inside;
    options.device = device;
    options.threads = threads;
    options.progress = reporter.Hooks();
    segmented.pores = FindPores(segmented.View(image), options);
    for (const std::string & note : NotesOn(*segmented.pores, "--close"))
    {
      reader.Note(note);
    }
  }
  return segmented;
}

std::optional<std::uint64_t>
CountPartInRegion(const Segmented &                  segmented,
                  const std::optional<LoadedImage> & part,
                  const std::optional<LoadedImage> & mask,
                  int                                threads)
{
  if (segmented.pores)
  {
    return segmented.pores->partVoxels;
  }
  if (!part || !mask)
  {
    return {};
  }
  LabelOptions options;
  options.mask = mask->View();
  options.threads = threads;
  return Label(part->View(), options).ForegroundVoxelCount();
}

namespace
{

/** What the summary says about pores. */
struct PoreTotals
{
  Totals        kept;
  std::uint64_t largestVoxels = 0;
  double        voxelSize = 0;
  /** "mm^3" or the like. */
  std::string unit;

  PoreTotals(const PoresOfPart & pores, const ComponentTable & table)
    : kept(TotalsOf(table))
    , voxelSize(pores.geometry.VoxelVolume(pores.extent.dimension))
    , unit(pores.extent.dimension == 1 ? "mm" : "mm^" + std::to_string(pores.extent.dimension))
  {
    for (const ComponentMeasures & pore : table.components)
    {
      largestVoxels = std::max(largestVoxels, pore.voxelCount);
    }
  }

  double
  SizeOf(std::uint64_t voxels) const
  {
    return static_cast<double>(voxels) * voxelSize;
  }
  std::string
  TextOf(std::uint64_t voxels) const
  {
    std::ostringstream text;
    text.precision(6);
    text << voxels << " voxels, " << SizeOf(voxels) << ' ' << unit;
    return text.str();
  }
};

void
DescribePores(std::ostream & text, const PoresOfPart & pores, const ComponentTable & table)
{
  const PoreTotals totals(pores, table);
  text << "part of " << totals.TextOf(pores.partVoxels) << "; pores of " << totals.TextOf(totals.kept.voxels)
       << ": porosity " << pores.PorosityPercent(totals.kept.voxels) << " %, largest pore "
       << totals.TextOf(totals.largestVoxels) << '\n';
  if (totals.kept.voxels != pores.poreVoxels)
  {
    text << "with the pores that were dropped: " << totals.TextOf(pores.poreVoxels) << ", porosity "
         << pores.PorosityPercent(pores.poreVoxels) << " %\n";
  }
}

nlohmann::ordered_json
PoresAsJson(const PoresOfPart & pores, const ComponentTable & table)
{
  const PoreTotals  totals(pores, table);
  const std::string size = totals.kept.sizeName;
  return { { "part_voxels", pores.partVoxels },
           { "part_" + size, totals.SizeOf(pores.partVoxels) },
           { "pore_voxels", totals.kept.voxels },
           { "pore_" + size, totals.kept.size },
           { "porosity_percent", pores.PorosityPercent(totals.kept.voxels) },
           { "largest_voxels", totals.largestVoxels },
           { "largest_" + size, totals.SizeOf(totals.largestVoxels) },
           { "pore_voxels_before_filters", pores.poreVoxels },
           { "porosity_percent_before_filters", pores.PorosityPercent(pores.poreVoxels) },
           { "other_material_voxels", pores.otherMaterialVoxels },
           { "bores", pores.bores },
           { "bore_voxels", pores.boreVoxels } };
}

void
DescribeThreshold(std::ostream & text, const CriterionArguments & arguments, const Segmented & segmented)
{
  text << "threshold " << segmented.threshold->ToString();
  if (segmented.threshold->all.size() > 1)
  {
    text << " of";
    for (const Number value : segmented.threshold->all)
    {
      text << ' ';
      Threshold::IsBeyondDoubles(value) ? text << value.ToString() : text << static_cast<double>(value);
    }
  }
  if (!segmented.threshold->peaks.empty())
  {
    text << " between the peaks " << segmented.threshold->peaks[0] << " and " << segmented.threshold->peaks[1];
  }
  text << ": voxels " << (arguments.below ? "below" : "at or above") << " it are "
       << (segmented.pores ? "material" : "foreground") << '\n';
}

nlohmann::ordered_json
DescribeThresholdAsJson(const CriterionArguments & arguments, const Segmented & segmented)
{
  const Threshold &      threshold = *segmented.threshold;
  nlohmann::ordered_json json = { { "method", threshold.method.ToString() },
                                  { "value", ThresholdAsJson(threshold.value) },
                                  { "foreground", arguments.below ? "below" : "at or above" },
                                  { "all", ThresholdsAsJson(threshold.all) } };
  if (!threshold.peaks.empty())
  {
    json["peaks"] = threshold.peaks;
  }
  return json;
}

} // namespace

std::string
DescribeSegmented(const CriterionArguments & arguments, const Segmented & segmented, const ComponentTable & table)
{
  std::ostringstream text;
  if (segmented.threshold)
  {
    DescribeThreshold(text, arguments, segmented);
  }
  if (segmented.pores)
  {
    DescribePores(text, *segmented.pores, table);
  }
  return text.str();
}

void
AddSegmented(nlohmann::ordered_json &   summary,
             const CriterionArguments & arguments,
             const Segmented &          segmented,
             const ComponentTable &     table)
{
  summary["threshold"] = segmented.threshold ? DescribeThresholdAsJson(arguments, segmented) : nlohmann::ordered_json();
  summary["pores"] = segmented.pores ? PoresAsJson(*segmented.pores, table) : nlohmann::ordered_json();
}

} // namespace brickccl::cli
