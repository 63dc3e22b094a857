// SPDX-License-Identifier: Apache-2.0
// Rules on the number of defects.

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"

namespace brickccl::batch
{

namespace
{

/** Counts the defects for which `holds` is true, and names the largest one. */
void
TakeNumber(RuleJudge & judge, const RuleJudge::Predicate & holds)
{
  double count = 0;
  judge.ForDefects([&](const ComponentMeasures & component) { count += holds(component) ? 1 : 0; });
  judge.Take(count);
  judge.DecideByLargest(holds);
}

void
JudgeNumber(RuleJudge & judge)
{
  TakeNumber(judge, [](const ComponentMeasures &) { return true; });
}

std::string
ExplainNumber(const AcceptanceRule & rule, const std::string &)
{
  return rule.limit == 0 ? "there is no defect"
                         : (rule.limit == 1 ? "there is at most " : "there are at most ") + CountedDefects(rule.limit);
}

void
JudgeNearSurface(RuleJudge & judge)
{
  const auto   distance = ValuesOf(judge.findings.table, "surface_distance_mm");
  const double limit = Condition::SurelyBelow(judge.rule.within);
  TakeNumber(judge, [&](const ComponentMeasures & component) { return distance(component) < limit; });
}

std::string
ExplainNearSurface(const AcceptanceRule & rule, const std::string &)
{
  return (rule.limit == 0 ? "no defect is"
                          : "at most " + CountedDefects(rule.limit) + (rule.limit == 1 ? " is" : " are")) +
         " nearer than " + Shortest(rule.within) + " mm to the part's surface";
}

/** A component has voxels in every slice between its first and its last one, since it is connected. */
void
JudgeNumberOfSlices(RuleJudge & judge)
{
  std::vector<double> numbers(static_cast<std::size_t>(judge.SliceCount()) + 1, 0);
  const std::int64_t  start = judge.findings.table.geometry.startIndex[2];
  judge.ForDefects([&](const ComponentMeasures & component) {
    numbers[static_cast<std::size_t>(component.boxMinimum[2] - start)] += 1;
    numbers[static_cast<std::size_t>(component.boxMaximum[2] - start) + 1] -= 1;
  });
  for (std::size_t slice = 1; slice < numbers.size(); ++slice)
  {
    numbers[slice] += numbers[slice - 1];
  }
  numbers.pop_back();
  judge.TakeSlice(numbers);
}

std::string
ExplainNumberOfSlices(const AcceptanceRule & rule, const std::string &)
{
  return "every slice across z cuts at most " + CountedDefects(rule.limit);
}

} // namespace

std::vector<Rule>
NumberRules()
{
  return { { "number", "at_most_count", "", JudgeNumber, ExplainNumber },
           { "number-per-slice", "at_most_count", "", JudgeNumberOfSlices, ExplainNumberOfSlices },
           { "near-surface", "within_mm at_most_count", "surface_distance_mm", JudgeNearSurface, ExplainNearSurface } };
}

} // namespace brickccl::batch
