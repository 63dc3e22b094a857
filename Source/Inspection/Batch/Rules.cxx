// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Core/TextLists.h"

#include "BrickCCL/Batch/Rules/RuleJudge.h"

#include <algorithm>
#include <cmath>

namespace brickccl::batch
{

const std::vector<Rule> &
Rules()
{
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = ExtremeRules();
    for (const auto & more : { PorosityRules(), NumberRules(), WindowRules(), ClusterRules(), WallRules() })
    {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return rules;
}

const Rule *
FindRule(const std::string & name)
{
  const auto found = std::find_if(Rules().begin(), Rules().end(), [&](const Rule & rule) { return rule.name == name; });
  return found == Rules().end() ? nullptr : &*found;
}

const std::vector<RuleKey> &
RuleKeys()
{
  using job::Form;
  using job::Kind;
  using R = AcceptanceRule;
  static const std::vector<RuleKey> keys = [] {
    const Form text = { Kind::Text };
    const Form number = { Kind::Number, -job::Finite, job::Finite, UnitOfColumn };
    const Form percent = { Kind::Number, 0, 100 };
    const Form length = { Kind::Number, 0, job::Finite, "mm" };
    const Form reach = { Kind::Above, -job::Finite, job::Finite, "mm" };
    Form       names = { Kind::Choice };
    names.choices = NameList(Rules());
    // clang-format off
    return std::vector<RuleKey>{
      { "rule", &R::rule, names, "what is checked" },
      { "name", &R::name, text, "what the report calls the rule" },
      { "zone", &R::zone, { Kind::Whole, 1 }, "only this zone of zones.file counts; default: all of the part" },
      { "where", &R::where, text, "only defects for which this condition holds count; default: all" },
      { "column", &R::column, text, "column of the table" },
      { "at_most", &R::limit, number, "highest value that passes" },
      { "at_least", &R::limit, number, "lowest value that passes" },
      { "at_most_percent", &R::limit, percent,
        "highest share that passes; of the part (of the image without one), or of the reference area or volume" },
      { "at_most_count", &R::limit, { Kind::Whole, 0 }, "highest number that passes; of defects, or of clusters" },
      { "at_most_mm3", &R::limit, { Kind::Number, 0, job::Finite, "mm3" },
        "largest volume of a cluster that passes (in slices: area in mm2)" },
      { "at_most_mm", &R::limit, length, "largest distance between two voxels of a cluster that passes" },
      { "within_mm", &R::within, reach,
        "distance to the surface below which defects count; gap below which they are one cluster" },
      { "within_diameters", &R::withinDiameters, { Kind::Above },
        "the same gap as a multiple of the equivalent diameter of the larger one of two defects" },
      { "at_least_mm", &R::limit, reach, "smallest gap between neighbors, or thickness of the thinnest wall, that passes" },
      { "reference_mm", &R::reference, reach, "length of a side; of the reference area, a square, or of the reference volume, a cube" },
      { "across", &R::across, job::OneOf({ "x", "y", "z" }), "axis that the reference area is across; default: z" },
      { "least_part_percent", &R::leastPart, percent,
        "porosity is the share of the part in the reference area or volume, of which at least this much must be in the "
        "part; default: 0: the share of all of it, wherever it is" },
    };
    // clang-format on
  }();
  return keys;
}

std::int64_t
SliceOf(const ComponentMeasures & component)
{
  return std::clamp(static_cast<std::int64_t>(std::llround(component.centroid[2])),
                    component.boxMinimum[2],
                    component.boxMaximum[2]);
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
