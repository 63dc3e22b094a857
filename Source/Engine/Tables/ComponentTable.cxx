// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include "BrickCCL/Tables/ColumnGroup.h"

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

} // namespace brickccl
