// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace brickccl::cli
{

namespace
{

struct TextLine
{
  static constexpr int Count = 1;
  /** Pores take the next one as well, and parts the one behind. */
  static constexpr int Size = 2;
  static constexpr int Zones = 5;
  static constexpr int Kept = 6;
  static constexpr int Filtered = 7;
  static constexpr int Grid = 8;
  static constexpr int Written = 9;
  static constexpr int Seconds = 11;
};

void
AddKept(job::Findings & findings, const job::Job & job, const LabelFindings & found)
{
  const job::JobRun &   run = found.run;
  const bool            arePores = run.segmented.arePores;
  const RelabelReport & report = found.relabeled;
  const bool            areDropped = report.tooSmall + report.tooLarge + report.beyondLargest > 0;
  const auto            lineIf = [](std::uint64_t count) { return count > 0 ? TextLine::Kept : 0; };
  const std::string     size = job.minimumSize > 0 ? " --minimum-size " + std::to_string(job.minimumSize) : "";
  const double          smallest = job.minimumVolume.value;
  const int             power = job.minimumVolume.power;
  const std::string     unit = power > 0 ? " mm" + std::to_string(power) : "";
  const std::string     volume = smallest > 0 ? " --minimum-volume " + Shortest(smallest) + unit : "";
  const std::string     limit = size + (size.empty() || volume.empty() ? "" : " and") + volume;
  findings.insert(findings.end(),
                  { { "components_found", report.found, lineIf(areDropped), "# found" },
                    { "", found.components, lineIf(areDropped), "# kept" },
                    { "dropped/too_small", report.tooSmall, lineIf(report.tooSmall), "# dropped by" + limit },
                    { "dropped/too_large",
                      report.tooLarge,
                      lineIf(report.tooLarge),
                      "# dropped by --maximum-size " + std::to_string(job.maximumSize) },
                    { "dropped/beyond_largest",
                      report.beyondLargest,
                      lineIf(report.beyondLargest),
                      "# dropped by --largest " + std::to_string(job.largest) } });
  AddSizes(findings, "kept_", found.keptVoxels, run.image, arePores ? 0 : TextLine::Size, "together #");
  if (!arePores && !job.Region::IsGiven())
  {
    const auto all = static_cast<double>(run.image.extent.VoxelCount());
    findings.push_back(
      { "", 100 * static_cast<double>(found.keptVoxels) / all, TextLine::Size, "# of the image", "%" });
  }
  else if (!arePores && found.isMeasured && !run.table.hasPart)
  {
    findings.push_back({ "",
                         100 * TotalsOf(run.table).fraction,
                         TextLine::Size,
                         job.mask.empty() ? "# of the region" : "# of the mask",
                         "%" });
  }
}

std::string
CriterionText(const job::Segmenting & arguments, const job::Segmented & segmented)
{
  std::string  text = segmented.Asked().ToString();
  const auto & threshold = segmented.FoundThreshold();
  if (!threshold || !(arguments.below || threshold->IsLocal()))
  {
    return text;
  }
  // The range ends just below the threshold; what it prints as would be the threshold.
  const std::size_t  range = text.find(" within [");
  std::ostringstream below;
  below << (arguments.below ? " below " : " at or above ");
  threshold->IsLocal() ? below << threshold->method.ToString() : below << static_cast<double>(threshold->value);
  return range == std::string::npos ? text : text.replace(range, text.find(']', range) + 1 - range, below.str());
}

void
AddPores(job::Findings &        findings,
         const PoresOfPart &    pores,
         const ComponentTable & table,
         const LoadedImage &    image,
         int                    line)
{
  const std::uint64_t kept = TotalsOf(table).voxels;
  std::uint64_t       largest = 0;
  for (const ComponentMeasures & pore : table.components)
  {
    largest = std::max(largest, pore.voxelCount);
  }
  const int ifDropped = kept == pores.poreVoxels ? 0 : line + 1;
  AddSizes(findings, "pores/part_", pores.partVoxels, image, line, "part #");
  AddSizes(findings, "pores/pore_", kept, image, line, "pores #");
  findings.push_back({ "pores/porosity_percent", pores.PorosityPercent(kept), line, "porosity #", "%" });
  AddSizes(findings, "pores/largest_", largest, image, line, "largest pore #", table.sliceAxis);
  findings.push_back({ "pores/pore_voxels_before_filters", pores.poreVoxels });
  findings.push_back({ "pores/porosity_percent_before_filters",
                       pores.PorosityPercent(pores.poreVoxels),
                       ifDropped,
                       "with the dropped pores: porosity #",
                       "%" });
  findings.push_back({ "pores/other_material_voxels", pores.otherMaterialVoxels });
  findings.push_back({ "pores/bores", pores.bores });
  findings.push_back({ "pores/bore_voxels", pores.boreVoxels });
  if (!pores.voxelsOfParts.empty())
  {
    AddNumbers(findings, "part", pores.voxelsOfParts, table, image, true, line + 2);
  }
}

/** " (otsu)", " (multi-otsu:3 of 300, 450)", " (iso50, peaks at 10 and 200)"; nothing for a given number. */
std::string
DescribeMethod(const Threshold & threshold)
{
  if (threshold.method.kind == ThresholdMethod::Kind::Value)
  {
    return {};
  }
  std::string text = " (" + threshold.method.ToString();
  for (const Number & one : threshold.all)
  {
    text += threshold.all.size() == 1 ? "" : (&one == threshold.all.data() ? " of " : ", ") + job::Readable(one);
  }
  if (!threshold.peaks.empty())
  {
    text +=
      ", peaks at " + job::Readable(Number(threshold.peaks[0])) + " and " + job::Readable(Number(threshold.peaks[1]));
  }
  return text + ")";
}

std::string
DescribeRange(const Criterion::Range & range)
{
  const bool hasLow = range.low > -std::numeric_limits<double>::infinity();
  const bool hasHigh = range.high < std::numeric_limits<double>::infinity();
  return range.low == range.high ? " of value " + job::Readable(range.low)
       : hasLow && hasHigh       ? " from " + job::Readable(range.low) + " to " + job::Readable(range.high)
       : hasLow                  ? " from " + job::Readable(range.low) + " up"
       : hasHigh                 ? " up to " + job::Readable(range.high)
                                 : " of any value";
}

nlohmann::ordered_json
DescribeThresholdAsJson(const job::Segmenting & arguments, const job::Segmented & segmented)
{
  const Threshold &      threshold = *segmented.FoundThreshold();
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

/** "material from 452 up (otsu)", "foreground from 1 to 5, equal values joined" */
std::string
DescribeCriterion(const job::Segmenting & arguments, const job::Segmented & segmented)
{
  const Criterion & asked = segmented.Asked();
  std::string       text = segmented.arePores ? "material" : "foreground";
  if (segmented.FoundThreshold())
  {
    const Threshold & found = *segmented.FoundThreshold();
    const std::string value = job::Readable(found.value);
    text += found.IsLocal() ? std::string(arguments.below ? " below" : " at or above") + " the local threshold"
          : arguments.below ? " below " + value
                            : " from " + value + " up";
    text += DescribeMethod(found);
  }
  else
  {
    text += asked.range      ? DescribeRange(*asked.range)
          : asked.background ? ": values other than " + job::Readable(*asked.background)
                             : ": every voxel";
  }
  return text + job::JoiningOf(asked);
}

} // namespace

job::Findings
ListFindings(const job::Job & job, const LabelFindings & found)
{
  const auto ifKnown = [](const std::string & name) {
    return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
  };
  const job::JobRun &    run = found.run;
  const job::Segmented & segmented = run.segmented;
  job::Findings          findings;
  findings.push_back(
    { "components", found.components, TextLine::Count, "#", segmented.arePores ? "pore" : "component" });
  findings.push_back({ "foreground_voxels", found.foregroundVoxels });
  AddKept(findings, job, found);
  findings.push_back({ "nan_values", segmented.notNumbers });
  if (found.isMeasured)
  {
    AddTotals(findings, TotalsOf(run.table), run.image, 0);
  }
  AddExtent(findings, run.image, TextLine::Grid);
  AddRegion(findings, job, found.regionVoxels, run.image, TextLine::Grid);
  findings.push_back({ "coordinates", job.ras ? "RAS" : "LPS" });
  findings.push_back({ "channels", run.image.channels });
  AddNeighbors(findings, job, *run.options.connectivity, run.options.periodic, TextLine::Count);
  findings.push_back({ "criterion", CriterionText(job, segmented) });
  findings.push_back({ "", DescribeCriterion(job, segmented), TextLine::Count });
  findings.push_back(
    { "threshold", segmented.FoundThreshold() ? DescribeThresholdAsJson(job, segmented) : nlohmann::ordered_json() });
  if (segmented.arePores)
  {
    AddPores(findings, *segmented.part, run.table, run.image, TextLine::Size);
  }
  else
  {
    findings.push_back({ "pores", nullptr });
  }
  if (!job.zones.empty())
  {
    AddNumbers(findings, "zone", found.zones, run.table, run.image, segmented.arePores, TextLine::Zones);
  }
  findings.push_back({ "output", ifKnown(job.output) });
  AddFilter(findings, run.filter, run.filtered, TextLine::Filtered);
  findings.push_back({ "label_type", NameOf(found.type) });
  if (!job.output.empty())
  {
    findings.push_back({ "", Printable(job.output) + ": labels of type " + NameOf(found.type), TextLine::Written });
  }
  findings.push_back({ "algorithm", ifKnown(found.algorithm) });
  findings.push_back({ "device", ifKnown(found.device) });
  return findings;
}

void
AddSlabs(job::Findings & findings, const SlabResult & result)
{
  constexpr int line = 10;
  findings.insert(findings.end(),
                  { { "slabs/count", result.plan.slabs.size(), line, "#", "slab" },
                    { "slabs/memory_bytes", result.plan.memory },
                    { "slabs/state_bytes", result.stateBytes },
                    { "slabs/merge_bytes", result.mergeBytes },
                    { "", BytesAsText(result.stateBytes), line, "# on disk" },
                    { "", BytesAsText(PeakMemoryBytes()), line, "peak memory #" } });
}

void
AddEnd(job::Findings &                  findings,
       const job::Job &                 job,
       const LabelFindings &            found,
       const std::vector<std::string> & notes,
       const nlohmann::ordered_json &   seconds)
{
  double total = 0;
  for (const auto & step : seconds.items())
  {
    total += step.key() == "total" ? 0 : step.value().get<double>();
  }
  findings.push_back({ "", total, TextLine::Seconds, "#", "s" });
  findings.push_back(
    { "", found.algorithm + " on " + found.device, found.algorithm.empty() ? 0 : TextLine::Seconds, "(#)" });
  AddRun(findings, notes, seconds, found.components > 0 ? job.output : "", job.IsWanted());
}

} // namespace brickccl::cli
