// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Tables/Condition.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** One rule at work: what it looks at, and what it has found so far. */
class RuleJudge
{
public:
  RuleJudge(const AcceptanceRule & theRule, const Findings & theFindings);

  const AcceptanceRule & rule;
  const Findings &       findings;
  /** For each place in the table, whether its defect counts. */
  std::vector<bool> counts;
  RuleResult        result;

  void CountOnlyZone();

  using Predicate = std::function<bool(const ComponentMeasures &)>;

  template <typename TFunction>
  void
  ForDefects(TFunction function) const
  {
    for (std::size_t place = 0; place < counts.size(); ++place)
    {
      if (counts[place])
      {
        function(findings.table.components[place]);
      }
    }
  }

  /** Takes a value, which passes if it is at most the limit. */
  void
  Take(double value)
  {
    result.value = value;
    result.passes = Condition::IsAtMost(value, rule.limit);
  }

  void TakeExtreme(const std::string & column, double sign);

  /** Takes the slice with the highest value. */
  void TakeSlice(const std::vector<double> & values);

  void Decide(const ComponentMeasures & component);

  void DecideByLargest(const Predicate & holds);

  /** Names the largest one of these, and all of them. */
  void DecideByLargestOf(const std::vector<std::uint64_t> & labels);

  std::int64_t
  SliceCount() const
  {
    return findings.table.extent.size[2];
  }
};

} // namespace brickccl::batch
