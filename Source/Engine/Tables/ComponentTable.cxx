// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>

namespace brickccl
{

bool
ComponentTable::HasGroup(const std::string & name) const
{
  return std::any_of(groups.begin(), groups.end(), [&](const ColumnGroup * group) { return name == group->name; });
}

unsigned
ComponentTable::SidesTouched(const ComponentMeasures & component) const
{
  const int acrossSlices = sliceAxis.value_or(-1);
  unsigned  sides = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const std::int64_t first = geometry.startIndex[axis];
    const std::int64_t last = first + extent.size[axis] - 1;
    if (first != last && axis != acrossSlices && !periodic.Has(axis))
    {
      const unsigned lower = 1u << (2 * axis);
      sides |= component.boxMinimum[axis] == first ? lower : 0u;
      sides |= component.boxMaximum[axis] == last ? lower << 1 : 0u;
    }
  }
  return sides;
}

bool
ComponentTable::TouchesBorder(const ComponentMeasures & component) const
{
  bool hasSide = periodic.HasAny();
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    hasSide = hasSide || (extent.size[axis] > 1 && axis != sliceAxis.value_or(-1));
  }
  return !hasSide || SidesTouched(component) != 0;
}

void
SetLabels(ComponentTable & table, const std::vector<std::uint64_t> & labels)
{
  table.components.SetLabels(labels);
  for (const ColumnGroup * const group : table.groups)
  {
    if (group->setLabels != nullptr)
    {
      group->setLabels(labels, table);
    }
  }
}

const MeasureSet::Entry *
MeasureSet::Find(const std::type_index & type) const
{
  // Mostly the name is the same one in memory. Then no letters are compared.
  for (const Entry & entry : m_Entries)
  {
    if (entry.type.name() == type.name())
    {
      return &entry;
    }
  }
  const auto found =
    std::find_if(m_Entries.begin(), m_Entries.end(), [&](const Entry & entry) { return entry.type == type; });
  return found == m_Entries.end() ? nullptr : &*found;
}

const MeasureSet::Entry &
MeasureSet::Get(const std::type_index & type) const
{
  const Entry * const found = Find(type);
  if (found == nullptr)
  {
    throw InvalidArgument(std::string("the table lacks measures of type ") + type.name() +
                          "; request their group of columns when measuring");
  }
  return *found;
}

void
MeasureSet::Insert(Entry entry)
{
  const auto isSame = [&](const Entry & known) { return known.type == entry.type; };
  const auto found = std::find_if(m_Entries.begin(), m_Entries.end(), isSame);
  (found == m_Entries.end() ? m_Entries.emplace_back(entry) : *found) = std::move(entry);
}

std::vector<MeasureSet::RawList>
MeasureSet::RawLists() const
{
  return Mapped(m_Entries, [](const Entry & entry) {
    return RawList{ entry.type.name(), entry.data, entry.size, entry.elementSize };
  });
}

void
MeasureSet::SetRaw(const RawList & list)
{
  for (Entry & entry : m_Entries)
  {
    if (entry.type.name() == list.type && entry.elementSize == list.elementSize && list.elementSize > 0)
    {
      const auto * const          bytes = static_cast<const unsigned char *>(list.data);
      std::vector<unsigned char>  copy(bytes, bytes + list.size * list.elementSize);
      auto                        owner = std::make_shared<std::vector<unsigned char>>(std::move(copy));
      const unsigned char * const data = owner->data();
      entry = { entry.type, std::move(owner), data, list.size, list.elementSize };
      return;
    }
  }
  throw InvalidArgument("the table has no such list of measures");
}

ComponentTable
JoinTables(std::vector<ComponentTable> parts)
{
  ComponentTable joined = parts.front();
  joined.measures = {};
  joined.contacts.clear();
  joined.texts.clear();
  joined.partTotals.componentVoxels = 0;
  UninitializedVector<ShapeSums> sums;
  std::vector<IntensityMeasures> intensities;
  for (const ComponentTable & part : parts)
  {
    joined.partTotals.componentVoxels += part.partTotals.componentVoxels;
    for (std::size_t place = 0; place < part.components.size(); ++place)
    {
      sums.emplace_back().voxels = part.components.VoxelCount(place);
      if (part.hasIntensity)
      {
        intensities.push_back(part.components.Intensity(place));
      }
    }
  }
  joined.components = MakeRows(joined.extent, joined.geometry, std::move(sums));
  joined.components.SetIntensities(std::move(intensities));
  for (std::size_t i = 0; i < parts.front().texts.size(); ++i)
  {
    std::vector<std::string> texts;
    for (const ComponentTable & part : parts)
    {
      texts.insert(texts.end(), part.texts[i].texts->begin(), part.texts[i].texts->end());
    }
    joined.texts.push_back(parts.front().texts[i]);
    joined.texts.back().texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
  }
  joined.parts = std::move(parts);
  return joined;
}

Totals
TotalsOf(const ComponentTable & table)
{
  Totals       totals;
  const double voxel = table.geometry.VoxelVolume(table.extent.dimension);
  totals.sizeName = SizeName(table.extent.dimension);
  totals.components = table.components.size();
  for (const ComponentMeasures & component : table.components)
  {
    totals.voxels += component.voxelCount;
  }
  const std::uint64_t region = table.hasPart
                               ? table.partTotals.voxels
                               : table.regionVoxels.value_or(static_cast<std::uint64_t>(table.extent.VoxelCount()));
  const std::uint64_t within = table.hasPart ? table.partTotals.componentVoxels : totals.voxels;
  totals.size = static_cast<double>(totals.voxels) * voxel;
  totals.regionSize = static_cast<double>(region) * voxel;
  totals.fraction = region > 0 ? static_cast<double>(within) / static_cast<double>(region) : 0;
  return totals;
}

} // namespace brickccl
