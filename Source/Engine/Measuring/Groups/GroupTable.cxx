// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"

#include <algorithm>

namespace brickccl
{

const std::vector<const ColumnGroup *> &
GroupTable()
{
  static const std::vector<const ColumnGroup *> table = {
    &groups::Classes,     &groups::Parents,   &groups::Parts,     &groups::Zones,     &groups::Part,
    &groups::Intensities, &groups::Place,     &groups::Shape,     &groups::Feret,     &groups::Surface,
    &groups::Topology,    &groups::Inscribed, &groups::Thickness, &groups::Neighbors, &groups::Distribution
  };
  return table;
}

void
InsertGroup(const ColumnGroup & group, std::vector<const ColumnGroup *> & groups)
{
  const auto & table = GroupTable();
  const auto   rank = [&](const ColumnGroup * one) { return std::find(table.begin(), table.end(), one); };
  const auto   isBefore = [&](const ColumnGroup * a, const ColumnGroup * b) { return rank(a) < rank(b); };
  groups.insert(std::upper_bound(groups.begin(), groups.end(), &group, isBefore), &group);
}

} // namespace brickccl
