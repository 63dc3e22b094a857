// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/** The part, the zone or the parent that a component is in, from an image of their numbers. */
namespace brickccl
{

using namespace columns;

void
ZoneCounter::Add(const RunVolume & components, const ImageView & zones, const HostContext & context)
{
  std::vector<LabeledRun> runs;
  StopPoint               stop(context);
  VisitScalarType(zones.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::int64_t row = 0; row < zones.extent.RowCount(); ++row)
    {
      stop.AskAt(static_cast<std::uint64_t>(row));
      CollectLabeledRuns(components, row, runs);
      const auto * const values = static_cast<const T *>(zones.data) + row * zones.extent.RowLength();
      for (const LabeledRun & run : runs)
      {
        for (std::int64_t x = run.begin, end = x; x < run.end; x = end)
        {
          for (end = x + 1; end < run.end && values[end] == values[x];)
          {
            ++end;
          }
          m_Voxels[{ run.label, static_cast<std::uint64_t>(values[x]) }] += static_cast<std::uint64_t>(end - x);
        }
      }
    }
  });
}

/** Finds the number that most of a component's voxels have, the smallest of several; 0 for a component with none. */
template <typename TNumber>
void
ZoneCounter::SetNumbers(ComponentTable & table) const
{
  std::vector<TNumber>                   found(table.components.size());
  std::vector<std::uint64_t>             most(found.size());
  std::map<std::uint64_t, std::uint64_t> sums;
  for (const auto & [key, voxels] : m_Voxels)
  {
    const auto place = static_cast<std::size_t>(key.first - 1);
    if (key.second != 0 && voxels > most[place])
    {
      most[place] = voxels;
      found[place].number = key.second;
    }
    sums[key.second] += voxels;
  }
  sums.erase(0);
  std::vector<NumberVoxels<TNumber>> all;
  std::transform(sums.begin(), sums.end(), std::back_inserter(all), [](const auto & sum) {
    return NumberVoxels<TNumber>{ sum.first, sum.second };
  });
  table.measures.Set(std::move(found));
  table.measures.Set(std::move(all));
}

template void ZoneCounter::SetNumbers<PartNumber>(ComponentTable & table) const;
template void ZoneCounter::SetNumbers<ZoneNumber>(ComponentTable & table) const;

template <typename TNumber, std::optional<ImageView> MeasureOptions::*Image>
static void
MeasureNumbers(const GroupInput & input, ComponentTable & table)
{
  ZoneCounter counter;
  counter.Add(input.volume, *(input.options.*Image), input.context);
  counter.SetNumbers<TNumber>(table);
}

static void
MeasureParents(const GroupInput & input, ComponentTable & table)
{
  std::vector<ParentLabel> found(table.components.size());
  VisitScalarType(input.options.parents->type, [&](auto tag) {
    const auto * const labels = static_cast<const typename decltype(tag)::Type *>(input.options.parents->data);
    ForComponents(found.size(), input.context, [&](std::size_t c) {
      found[c].label = static_cast<std::uint64_t>(+labels[table.components[c].firstVoxel]);
    });
  });
  table.measures.Set(std::move(found));
}

constexpr ColumnGroup groups::Parents = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithParents;
  group.allowsPeriodic = true;
  group.addColumns = [](ColumnList & columns) {
    columns.Add("parent",
                "label of the component that the object was split from (`split`, `label --split`)",
                MergeRule::SecondLook,
                &ParentLabel::label);
  };
  group.measure = MeasureParents;
  return group;
}();

constexpr ColumnGroup groups::Parts = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithParts;
  group.addColumns = [](ColumnList & columns) {
    columns.Add("part",
                "number of the part that holds the component (`label --parts`), 1 for the largest part",
                MergeRule::SecondLook,
                &PartNumber::number);
  };
  group.measure = MeasureNumbers<PartNumber, &MeasureOptions::parts>;
  return group;
}();

constexpr ColumnGroup groups::Zones = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithZones;
  group.allowsPeriodic = true;
  group.addColumns = [](ColumnList & columns) {
    columns.Add("zone",
                "of the zones, number of the one with most of the component's voxels, on a tie the smallest "
                "(`--zones`); 0 outside all zones",
                MergeRule::SecondLook,
                &ZoneNumber::number);
  };
  group.measure = MeasureNumbers<ZoneNumber, &MeasureOptions::zones>;
  return group;
}();
} // namespace brickccl
