#include "BrickCCL/Cli/CriterionOptions.h"

#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/CountNotANumber.h"

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
                   ->type_name("LO HI");
  auto * threshold =
    command
      .add_option("--threshold",
                  arguments.threshold,
                  "voxels at or above a threshold are foreground: a number, or found in the histogram by "
                  "otsu, multi-otsu:N (the highest between N classes; multi-otsu:N:K the K-th), valley "
                  "(between the peaks) or iso50 (between air and material); see `brickccl info SCAN`")
      ->type_name("METHOD")
      ->excludes(range);
  command.add_flag("--below", arguments.below, "voxels below the threshold are foreground instead")->needs(threshold);
  command
    .add_option("--smooth",
                arguments.smooth,
                "first smooth the image: median:R (over 2 R + 1 voxels along each axis) or gaussian:MM (its standard "
                "deviation)")
    ->type_name("FILTER");
  auto * equal = command.add_flag("--equal-value", arguments.equalValue, "join neighbours of equal value");
  command.add_option("--tolerance", arguments.tolerance, "join neighbours whose values differ by at most T")
    ->check(AnyNumber())
    ->type_name("T")
    ->excludes(equal);
  command.add_option("--background", arguments.background, "value of the background, or none: every voxel takes part")
    ->type_name("V")
    ->capture_default_str()
    ->excludes(range)
    ->excludes(threshold);
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

Segmented
ApplyCriterion(const CriterionArguments &         arguments,
               const LoadedImage &                image,
               const std::optional<LoadedImage> & mask,
               int                                threads,
               ImageReader &                      reader,
               Reporter &                         reporter)
{
  Segmented segmented;
  segmented.criterion = CriterionOf(arguments);
  segmented.notNumbers = CountNotANumber(image, threads);
  if (segmented.notNumbers > 0)
  {
    reader.Note(std::to_string(segmented.notNumbers) + " values are not a number (NaN) and count as background");
  }
  const ProgressHooks hooks = reporter.Hooks();
  if (!arguments.smooth.empty())
  {
    reporter.Step("smoothing");
    segmented.smoothed = SmoothImage(image, SmoothingMethod::FromText(arguments.smooth), { threads, Progress(hooks) });
  }
  if (!arguments.threshold.empty())
  {
    const LoadedImage &      labeled = segmented.smoothed ? *segmented.smoothed : image;
    std::optional<ImageView> inside;
    if (mask)
    {
      inside = mask->View();
    }
    const ThresholdMethod method = ThresholdMethod::FromText(arguments.threshold);
    if (method.kind == ThresholdMethod::Kind::Value)
    {
      segmented.threshold = FindThreshold({}, method);
    }
    else
    {
      reporter.Step("finding the threshold");
      segmented.threshold =
        FindThreshold(HistogramOfValues(labeled.View(), inside, { threads, Progress(hooks) }), method);
    }
    segmented.criterion.range =
      arguments.below ? segmented.threshold->Below().range : segmented.threshold->AtOrAbove().range;
    segmented.criterion.Validate();
  }
  return segmented;
}

std::string
DescribeThreshold(const CriterionArguments & arguments, const Segmented & segmented)
{
  if (!segmented.threshold)
  {
    return {};
  }
  std::ostringstream text;
  text << "threshold " << segmented.threshold->ToString();
  if (segmented.threshold->all.size() > 1)
  {
    text << " of";
    for (const double value : segmented.threshold->all)
    {
      text << ' ' << value;
    }
  }
  if (!segmented.threshold->peaks.empty())
  {
    text << " between the peaks " << segmented.threshold->peaks[0] << " and " << segmented.threshold->peaks[1];
  }
  text << ": voxels " << (arguments.below ? "below" : "at or above") << " it are foreground\n";
  return text.str();
}

nlohmann::ordered_json
ThresholdAsJson(const CriterionArguments & arguments, const Segmented & segmented)
{
  if (!segmented.threshold)
  {
    return nullptr;
  }
  const Threshold &      threshold = *segmented.threshold;
  nlohmann::ordered_json json = { { "method", threshold.method.ToString() },
                                  { "value", static_cast<double>(threshold.value) },
                                  { "foreground", arguments.below ? "below" : "at or above" },
                                  { "all", threshold.all } };
  if (!threshold.peaks.empty())
  {
    json["peaks"] = threshold.peaks;
  }
  return json;
}

} // namespace brickccl::cli
