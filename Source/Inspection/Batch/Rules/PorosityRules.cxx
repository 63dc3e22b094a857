// SPDX-License-Identifier: Apache-2.0
// Rules on the share of the part, or of the image, that defects fill.

#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <algorithm>

namespace brickccl::batch
{

static std::uint64_t
VoxelsInZone(const RuleJudge & judge)
{
  std::uint64_t voxels = 0;
  VisitScalarType(judge.findings.zones->type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const Extent &  extent = judge.findings.table.extent;
    const T * const zones = static_cast<const T *>(judge.findings.zones->data);
    ForEachLabeledRun(judge.findings.runs, 0, extent.RowCount(), [&](std::int64_t row, const LabeledRun & run) {
      const T * const own = zones + row * extent.RowLength();
      voxels +=
        judge.counts[static_cast<std::size_t>(run.label - 1)]
          ? static_cast<std::uint64_t>(std::count(own + run.begin, own + run.end, static_cast<T>(judge.rule.zone)))
          : 0;
    });
  });
  return voxels;
}

static void
JudgePorosity(RuleJudge & judge)
{
  const Findings & findings = judge.findings;
  std::uint64_t    voxels = 0;
  auto             region = static_cast<std::uint64_t>(findings.table.extent.VoxelCount());
  if (judge.rule.zone > 0)
  {
    voxels = VoxelsInZone(judge);
    region = findings.voxelsOfZones.at(judge.rule.zone);
    judge.CountOnlyZone();
  }
  else
  {
    judge.ForDefects([&](const ComponentMeasures & component) { voxels += component.voxelCount; });
    region = findings.part ? findings.table.partTotals.voxels : region;
  }
  judge.Take(PercentOf(voxels, region));
  judge.DecideByLargest([](const ComponentMeasures &) { return true; });
}

static void
JudgePorosityOfSlices(RuleJudge & judge)
{
  const Extent &      extent = judge.findings.table.extent;
  const std::int64_t  rows = extent.size[1];
  const std::int64_t  size = extent.size[0] * rows;
  std::vector<double> shares;
  for (std::int64_t slice = 0; slice < judge.SliceCount(); ++slice)
  {
    std::int64_t voxels = 0;
    ForEachLabeledRun(judge.findings.runs, slice * rows, (slice + 1) * rows, [&](auto, const LabeledRun & run) {
      voxels += judge.counts[static_cast<std::size_t>(run.label - 1)] ? run.end - run.begin : 0;
    });
    std::int64_t region = size;
    if (judge.findings.part)
    {
      // The mask has bytes.
      const auto * const mask = static_cast<const std::uint8_t *>(judge.findings.part->data) + slice * size;
      region -= std::count(mask, mask + size, std::uint8_t{ 0 });
    }
    shares.push_back(PercentOf(static_cast<std::uint64_t>(voxels), static_cast<std::uint64_t>(region)));
  }
  judge.TakeSlice(shares);
}

static std::string
ExplainShareOfPart(const AcceptanceRule & rule, const std::string & region, const job::Language & language)
{
  return language(rule.rule == "porosity" ? "defects fill at most {1} % {2}"
                                          : "defects fill at most {1} % {2} in every slice across z",
                  { language.Decimal(Shortest(rule.limit)), language("of the " + region) });
}

std::vector<Rule>
PorosityRules()
{
  return { { "porosity", "at_most_percent [zone]", "", JudgePorosity, ExplainShareOfPart },
           { "porosity-per-slice", "at_most_percent", "", JudgePorosityOfSlices, ExplainShareOfPart } };
}

} // namespace brickccl::batch
