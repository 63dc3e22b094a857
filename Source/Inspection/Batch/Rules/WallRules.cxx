// SPDX-License-Identifier: Apache-2.0
// The rule on the walls of the part, whatever its defects are.

#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Splitting/Split.h"

namespace brickccl::batch
{

static void
JudgeWallThickness(RuleJudge & judge)
{
  const ComponentTable & table = judge.findings.table;
  DistanceOptions        options;
  options.geometry = table.geometry;
  options.threads = judge.findings.context.threads;
  std::vector<float> thicknesses(static_cast<std::size_t>(table.extent.VoxelCount()));
  const ThinnestWall wall = WallThickness(*judge.findings.part, thicknesses.data(), options);
  // The thickness is rounded; one that equals the limit passes. A part without a wall does not.
  judge.result.passes = wall.thickness >= judge.rule.limit * (1 - 1e-6);
  if (wall.place >= 0)
  {
    judge.result.value = wall.thickness;
    judge.result.slice = wall.place / (table.extent.size[0] * table.extent.size[1]) + table.geometry.startIndex[2];
  }
}

static std::string
ExplainWallThickness(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  return language("every wall of the part is at least {1} mm thick", { language.Decimal(Shortest(rule.limit)) });
}

std::vector<Rule>
WallRules()
{
  return { { "wall-thickness", "at_least_mm", "", JudgeWallThickness, ExplainWallThickness, nullptr, true } };
}

} // namespace brickccl::batch
