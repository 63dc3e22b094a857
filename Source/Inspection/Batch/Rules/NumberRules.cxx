// SPDX-License-Identifier: Apache-2.0
// Rules on the number of defects.

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"

namespace brickccl::batch
{

/** Counts the defects for which `holds` is true, and names the largest one. */
static void
TakeNumber(RuleJudge & judge, const RuleJudge::Predicate & holds)
{
  double count = 0;
  judge.ForDefects([&](const ComponentMeasures & component) { count += holds(component) ? 1 : 0; });
  judge.Take(count);
  judge.DecideByLargest(holds);
}

static std::string
ExplainNumber(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  return rule.limit == 0 ? language("there is no defect")
                         : language.Plural(rule.limit, "there is at most {1} defect|there are at most {1} defects");
}

static void
JudgeNearSurface(RuleJudge & judge)
{
  const auto   distance = ValuesOf(judge.findings.table, "surface_distance_mm");
  const double limit = Condition::SurelyBelow(judge.rule.within);
  TakeNumber(judge, [&](const ComponentMeasures & component) { return distance(component) < limit; });
}

static std::string
ExplainNearSurface(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  const std::string within = language.Decimal(Shortest(rule.within));
  return rule.limit == 0 ? language("no defect is nearer than {1} mm to the part's surface", { within })
                         : language.Plural(rule.limit,
                                           "at most {1} defect is nearer than {2} mm to the part's surface|"
                                           "at most {1} defects are nearer than {2} mm to the part's surface",
                                           { within });
}

/** A component has voxels in every slice between its first and its last one, since it is connected. */
static void
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

static std::string
ExplainNumberOfSlices(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  return language.Plural(rule.limit,
                         "every slice across z cuts at most {1} defect|every slice across z cuts at most {1} defects");
}

std::vector<Rule>
NumberRules()
{
  const auto judgeNumber = [](RuleJudge & judge) { TakeNumber(judge, [](const ComponentMeasures &) { return true; }); };
  return { { "number", "at_most_count [zone]", "", judgeNumber, ExplainNumber, "{1} defect|{1} defects" },
           { "number-per-slice",
             "at_most_count",
             "",
             JudgeNumberOfSlices,
             ExplainNumberOfSlices,
             "{1} defect in slice {3}|{1} defects in slice {3}" },
           { "near-surface",
             "within_mm at_most_count [zone]",
             "surface_distance_mm",
             JudgeNearSurface,
             ExplainNearSurface,
             "{1} defect is nearer than {2} mm to the surface|{1} defects are nearer than {2} mm to the surface" } };
}

} // namespace brickccl::batch
