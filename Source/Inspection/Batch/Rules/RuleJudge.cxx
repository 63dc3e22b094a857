// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Rules/RuleJudge.h"

#include "BrickCCL/Batch/ColumnValues.h"

#include <algorithm>
#include <cmath>

namespace brickccl::batch
{

RuleJudge::RuleJudge(const AcceptanceRule & theRule, const Findings & theFindings)
  : rule(theRule)
  , findings(theFindings)
  , counts(theFindings.table.components.size(), true)
{
  if (!rule.where.empty())
  {
    counts = Condition(rule.where).Evaluate(findings.table);
  }
  // Porosity counts the voxels in a zone, whichever zone holds most of a defect.
  if (rule.zone > 0 && rule.rule != "porosity")
  {
    CountOnlyZone();
  }
}

void
RuleJudge::CountOnlyZone()
{
  const auto & zones = findings.table.measures.Of<ZoneNumber>();
  for (std::size_t place = 0; place < counts.size(); ++place)
  {
    counts[place] = counts[place] && zones[place].number == rule.zone;
  }
}

void
RuleJudge::TakeExtreme(const std::string & column, double sign)
{
  const auto value = ValuesOf(findings.table, column);
  ForDefects([&](const ComponentMeasures & component) {
    const double own = value(component);
    if (!std::isnan(own) && (!result.value || sign * own > sign * *result.value))
    {
      result.value = own;
      Decide(component);
    }
  });
  result.passes = !result.value || Condition::IsAtMost(sign * *result.value, sign * rule.limit);
}

void
RuleJudge::TakeSlice(const std::vector<double> & values)
{
  const auto highest = std::max_element(values.begin(), values.end());
  const auto slice = std::distance(values.begin(), highest) + findings.table.geometry.startIndex[2];
  Take(*highest);
  DecideByLargest([&](const ComponentMeasures & component) {
    return component.boxMinimum[2] <= slice && slice <= component.boxMaximum[2];
  });
  result.slice = slice;
}

void
RuleJudge::Decide(const ComponentMeasures & component)
{
  result.label = component.label;
  result.slice = SliceOf(component);
}

void
RuleJudge::DecideByLargest(const Predicate & holds)
{
  std::uint64_t largest = 0;
  ForDefects([&](const ComponentMeasures & component) {
    if (holds(component) && component.voxelCount > largest)
    {
      largest = component.voxelCount;
      Decide(component);
    }
  });
}

void
RuleJudge::DecideByLargestOf(const std::vector<std::uint64_t> & labels)
{
  result.labels = labels;
  DecideByLargest([&](const ComponentMeasures & component) {
    return std::binary_search(labels.begin(), labels.end(), component.label);
  });
}

} // namespace brickccl::batch
