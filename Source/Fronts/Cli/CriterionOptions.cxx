// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/CriterionOptions.h"

#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <sstream>

namespace brickccl::cli
{

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

ImageView
Segmented::View(const LoadedImage & image) const
{
  return pores ? pores->PoreView() : smoothed ? smoothed->View() : image.View();
}

std::string
Segmented::CriterionText(const job::Segmenting & arguments) const
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
ApplyCriterion(const job::Segmenting &            arguments,
               const LoadedImage &                image,
               const std::optional<LoadedImage> & mask,
               const Device &                     device,
               int                                threads,
               ImageReader &                      reader,
               Reporter &                         reporter)
{
  Segmented segmented;
  // Voxels of files that are mapped are read only here.
  const ProgressHooks reading = reporter.Hooks();
  segmented.notNumbers = CountNotANumber(image.View(), { threads, Progress(reading) });
  NoteNotANumber(segmented.notNumbers, reader);
  if (!arguments.smooth.empty())
  {
    reporter.Step("smoothing");
    const ProgressHooks hooks = reporter.Hooks();
    segmented.smoothed = SmoothImage(image, job::SmoothingOf(arguments.smooth), { threads, Progress(hooks) });
  }
  const bool findsPart = arguments.pores && !arguments.range;
  const auto inside = mask ? std::optional(mask->View()) : std::nullopt;
  if (!arguments.threshold.empty() || findsPart)
  {
    const std::string wanted = arguments.threshold.empty() ? "otsu" : arguments.threshold;
    if (ThresholdMethod::FromText(wanted).kind != ThresholdMethod::Kind::Value)
    {
      reporter.Step("finding the threshold");
    }
    const ProgressHooks hooks = reporter.Hooks();
    segmented.threshold = job::ThresholdOf(segmented.View(image), inside, wanted, { threads, Progress(hooks) });
    if (segmented.threshold->padding)
    {
      std::ostringstream text;
      text << "the value " << *segmented.threshold->padding
           << " is taken for padding, what the scanner did not see, and left out of the threshold; if it is a "
              "measurement, give the threshold as a number";
      reader.Note(text.str());
    }
  }
  segmented.asked = job::CriterionOf(arguments, segmented.View(image).type, segmented.threshold);
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
DescribeThreshold(std::ostream & text, const job::Segmenting & arguments, const Segmented & segmented)
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
DescribeThresholdAsJson(const job::Segmenting & arguments, const Segmented & segmented)
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
DescribeSegmented(const job::Segmenting & arguments, const Segmented & segmented, const ComponentTable & table)
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
AddSegmented(nlohmann::ordered_json & summary,
             const job::Segmenting &  arguments,
             const Segmented &        segmented,
             const ComponentTable &   table)
{
  summary["threshold"] = segmented.threshold ? DescribeThresholdAsJson(arguments, segmented) : nlohmann::ordered_json();
  summary["pores"] = segmented.pores ? PoresAsJson(*segmented.pores, table) : nlohmann::ordered_json();
}

} // namespace brickccl::cli
