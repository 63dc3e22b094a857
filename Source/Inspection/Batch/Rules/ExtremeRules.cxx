// SPDX-License-Identifier: Apache-2.0
// Rules on the defect with the highest or the lowest value of a column.

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"

#include <cmath>

namespace brickccl::batch
{

/** A defect whose value is not a number cannot keep a limit. */
static void
CheckIsDecided(RuleJudge & judge)
{
  if (judge.rule.column == "nearest_distance_mm")
  {
    return; // It has no neighbor.
  }
  const auto value = ValuesOf(judge.findings.table, judge.rule.column);
  judge.ForDefects([&](const ComponentMeasures & component) {
    if (std::isnan(value(component)) && judge.result.undecided++ == 0 && judge.result.passes)
    {
      judge.result.passes = false;
      judge.result.value.reset();
      judge.Decide(component);
    }
  });
}

template <int Sign>
static void
JudgeColumn(RuleJudge & judge)
{
  judge.TakeExtreme(judge.rule.column, Sign);
  CheckIsDecided(judge);
}

static std::string
ExplainColumn(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  const std::string unit = job::WordsAndUnit(rule.column).second;
  const std::string limit = language.Decimal(Shortest(rule.limit)) + (unit.empty() ? "" : ' ' + unit);
  return language(rule.rule == "largest" ? "the {1} of every defect is at most {2}"
                                         : "the {1} of every defect is at least {2}",
                  { language.Name(rule.column), limit });
}

static std::string
ExplainSpacing(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  return language("the gap from a defect to its nearest neighbor is at least {1} mm",
                  { language.Decimal(Shortest(rule.limit)) });
}

std::vector<Rule>
ExtremeRules()
{
  return { { "largest", "column at_most [zone]", "", JudgeColumn<1>, ExplainColumn },
           { "smallest", "column at_least [zone]", "", JudgeColumn<-1>, ExplainColumn },
           { "spacing",
             "at_least_mm",
             "nearest_distance_mm",
             [](RuleJudge & judge) { judge.TakeExtreme("nearest_distance_mm", -1); },
             ExplainSpacing } };
}

} // namespace brickccl::batch
