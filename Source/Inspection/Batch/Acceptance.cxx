#include "BrickCCL/Batch/Acceptance.h"

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>

namespace brickccl::batch
{

std::int64_t
SliceOf(const ComponentMeasures & component)
{
  return std::clamp(static_cast<std::int64_t>(std::llround(component.centroid[2])),
                    component.boxMinimum[2],
                    component.boxMaximum[2]);
}

void
CheckSurfaceDistances(const ComponentTable & table)
{
  const auto distance = ValuesOf(table, "surface_distance_mm");
  const auto isUnknown = [&](const ComponentMeasures & component) { return std::isnan(distance(component)); };
  if (std::any_of(table.components.begin(), table.components.end(), isUnknown))
  {
    throw InvalidArgument("the distance to the surface is not known, since the part reaches everywhere; [part] of the "
                          "recipe says which values it has");
  }
}

std::vector<RuleResult>
Judge(const std::vector<AcceptanceRule> & rules, const Findings & findings)
{
  std::vector<RuleResult> results;
  for (const AcceptanceRule & rule : rules)
  {
    RuleJudge judge(rule, findings);
    FindRule(rule.rule)->judge(judge);
    results.push_back(judge.result);
  }
  return results;
}

} // namespace brickccl::batch
