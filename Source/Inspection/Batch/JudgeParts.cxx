// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace brickccl::batch
{

using nlohmann::ordered_json;
using Mask = std::vector<std::uint8_t>;

static ordered_json
DescribePart(std::size_t part, const ComponentTable & table, const JudgedItem & judged)
{
  const Totals totals = TotalsOf(table);
  return { { "part", part },
           { "verdict", judged.verdict },
           { "defects", totals.components },
           { "defect_voxels", totals.voxels },
           { "defect_" + totals.sizeName, totals.size },
           { "region_voxels", table.partTotals.voxels },
           { "region_" + totals.sizeName, totals.regionSize },
           { "porosity_percent", 100 * totals.fraction },
           { "rules", judged.members.at("rules") } };
}

/** Takes the result of a part for the item: the failing one farthest from the limit, else the one nearest to it. */
static void
TakeResult(const RuleResult & own, std::uint64_t part, double limit, RuleResult & ofItem)
{
  const auto distance = [limit](const RuleResult & result) {
    return result.value ? std::abs(*result.value - limit) : std::numeric_limits<double>::infinity();
  };
  std::vector<std::uint64_t> failing = ofItem.passes ? std::vector<std::uint64_t>{} : ofItem.parts;
  if (!own.passes)
  {
    failing.push_back(part);
  }
  if (ofItem.parts.empty() || (ofItem.passes ? !own.passes || distance(own) < distance(ofItem)
                                             : !own.passes && distance(own) > distance(ofItem)))
  {
    ofItem = own;
    ofItem.parts = { part };
  }
  ofItem.parts = failing.empty() ? ofItem.parts : failing;
}

JudgedItem
DescribeResults(const Recipe & recipe, const std::vector<RuleResult> & results)
{
  JudgedItem judged{ results.empty() ? "none" : "pass", {}, {} };
  auto       rules = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i)
  {
    rules.push_back(DescribeRule(recipe.acceptance[i], results[i]));
    judged.verdict = results[i].passes ? judged.verdict : "fail";
    if (const std::string note = NoteOnRule(recipe.acceptance[i], results[i]); !note.empty())
    {
      judged.notes.push_back(note);
    }
  }
  judged.members["rules"] = rules;
  return judged;
}

void
DescribeZones(const Findings & item, JudgedItem & judged)
{
  const double      voxel = item.table.geometry.VoxelVolume(item.table.extent.dimension);
  const std::string size = SizeName(item.table.extent.dimension);
  VoxelsOfNumbers   defects;
  VoxelsOfNumbers   voxels;
  for (const ZoneNumber & zone : item.table.measures.Of<ZoneNumber>())
  {
    ++defects[zone.number];
  }
  for (const auto & zone : item.table.measures.Of<NumberVoxels<ZoneNumber>>())
  {
    voxels[zone.number] = zone.voxels;
  }
  for (const auto & [number, region] : item.voxelsOfZones)
  {
    std::string verdict = "none";
    auto        rules = ordered_json::array();
    for (const ordered_json & rule : judged.members.at("rules"))
    {
      if (rule.value("zone", std::uint64_t{ 0 }) == number)
      {
        verdict = rule.at("passes") && verdict != "fail" ? "pass" : "fail";
        rules.push_back(rule);
      }
    }
    judged.members["zones"].push_back({ { "zone", number },
                                        { "verdict", verdict },
                                        { "defects", defects[number] },
                                        { "defect_voxels", voxels[number] },
                                        { "defect_" + size, static_cast<double>(voxels[number]) * voxel },
                                        { "region_voxels", region },
                                        { "region_" + size, static_cast<double>(region) * voxel },
                                        { "porosity_percent", PercentOf(voxels[number], region) },
                                        { "rules", rules } });
  }
}

JudgedItem
JudgeParts(const Recipe & recipe, const Findings & item, const NumberedParts & parts)
{
  const auto              voxels = static_cast<std::size_t>(parts.numbers.extent.VoxelCount());
  const auto * const      numbers = static_cast<const std::uint8_t *>(parts.numbers.data);
  const auto * const      counted = static_cast<const std::uint8_t *>(item.part->data);
  const auto              numberOf = item.table.measures.Of<PartNumber>();
  std::vector<RuleResult> ofItem(recipe.acceptance.size());
  auto                    described = ordered_json::array();
  Mask                    part(voxels);
  Mask                    within(voxels);
  MeasureOptions          measures = parts.measures;
  // The identity, which copies labels.
  std::vector<std::uint64_t> same(numberOf.size() + 1);
  std::iota(same.begin(), same.end(), std::uint64_t{ 0 });
  for (std::size_t number = 1; number <= parts.count; ++number)
  {
    std::uint64_t countedVoxels = 0;
    for (std::size_t i = 0; i < voxels; ++i)
    {
      part[i] = numbers[i] == number ? 1 : 0;
      within[i] = counted[i] != 0 ? part[i] : std::uint8_t{ 0 };
      countedVoxels += within[i];
    }
    if (countedVoxels == 0)
    {
      continue;
    }
    std::vector<std::uint64_t> labels;
    std::vector<std::uint64_t> own(same.size());
    for (std::size_t place = 0; place < numberOf.size(); ++place)
    {
      if (numberOf[place].number == number)
      {
        labels.push_back(item.table.components.Label(place));
        own[place + 1] = labels.size();
      }
    }
    RunLabels before = RenumberedLabels(parts.runs, same, item.context);
    parts.runs.SetLabels(RenumberedLabels(parts.runs, own, item.context));
    measures.part = ImageView(part.data(), parts.numbers.extent);
    ComponentTable table =
      MeasureComponents(parts.runs, labels.size(), item.table.geometry, measures, item.table.sliceAxis, item.context);
    table.partTotals.voxels = countedVoxels;
    SetLabels(table, labels);
    const std::vector<RuleResult> results =
      Judge(recipe.acceptance, { table, parts.runs, ImageView(within.data(), parts.numbers.extent), item.context });
    parts.runs.SetLabels(std::move(before));
    for (std::size_t i = 0; i < results.size(); ++i)
    {
      TakeResult(results[i], number, recipe.acceptance[i].limit, ofItem[i]);
    }
    described.push_back(DescribePart(number, table, DescribeResults(recipe, results)));
  }
  ThrowIf<InvalidArgument>(described.empty(),
                           "no part has a voxel that counts; make [region] larger, or part.erode_mm smaller");
  JudgedItem judged = DescribeResults(recipe, ofItem);
  judged.members["parts"] = described;
  return judged;
}

} // namespace brickccl::batch
