// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunLabel.h"

#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Settle.h"

namespace brickccl::cli
{

namespace
{

/** The lines of the text. */
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

/** Adds what was found, dropped by which option, and kept. */
void
AddKept(job::Findings & findings, const job::Job & job, const LabelFindings & found)
{
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
  AddSizes(findings, "kept_", found.keptVoxels, found.image, found.segmented.pores ? 0 : TextLine::Size, "together #");
  if (!found.segmented.pores && !job.Region::IsGiven())
  {
    const auto all = static_cast<double>(found.image.extent.VoxelCount());
    findings.push_back(
      { "", 100 * static_cast<double>(found.keptVoxels) / all, TextLine::Size, "# of the image", "%" });
  }
  else if (!found.segmented.pores && found.isMeasured && !found.table.hasPart)
  {
    findings.push_back({ "",
                         100 * TotalsOf(found.table).fraction,
                         TextLine::Size,
                         job.mask.empty() ? "# of the region" : "# of the mask",
                         "%" });
  }
}

} // namespace

job::Findings
ListFindings(const job::Job & job, const LabelFindings & found)
{
  const auto ifKnown = [](const std::string & name) {
    return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
  };
  job::Findings findings;
  findings.push_back(
    { "components", found.components, TextLine::Count, "#", found.segmented.pores ? "pore" : "component" });
  findings.push_back({ "foreground_voxels", found.foregroundVoxels });
  AddKept(findings, job, found);
  findings.push_back({ "nan_values", found.notNumbers });
  if (found.isMeasured)
  {
    AddTotals(findings, TotalsOf(found.table), found.image, 0);
  }
  AddExtent(findings, found.image, TextLine::Grid);
  AddRegion(findings, job, found.regionVoxels, found.image, TextLine::Grid);
  findings.push_back({ "coordinates", job.ras ? "RAS" : "LPS" });
  findings.push_back({ "channels", found.image.channels });
  AddNeighbors(findings, job, found.connectivity, found.periodic, TextLine::Count);
  findings.push_back({ "criterion", found.segmented.CriterionText(job) });
  findings.push_back({ "", DescribeCriterion(job, found.segmented), TextLine::Count });
  AddSegmented(findings, job, found.segmented, found.table, found.image, TextLine::Size);
  if (!job.zones.empty())
  {
    const bool isPores = found.segmented.pores.has_value();
    AddNumbers(findings, "zone", found.zones, found.table, found.image, isPores, TextLine::Zones);
  }
  findings.push_back({ "output", ifKnown(found.output) });
  AddFilter(findings, found.filter, found.filtered, TextLine::Filtered);
  findings.push_back({ "label_type", NameOf(found.type) });
  if (!found.output.empty())
  {
    findings.push_back({ "", Printable(found.output) + ": labels of type " + NameOf(found.type), TextLine::Written });
  }
  findings.push_back({ "algorithm", ifKnown(found.algorithm) });
  findings.push_back({ "device", ifKnown(found.device) });
  return findings;
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
  AddRun(findings, notes, seconds, found.components > 0 ? found.output : "", job.IsWanted());
}

} // namespace brickccl::cli
