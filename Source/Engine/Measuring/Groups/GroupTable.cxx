// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"

#include <algorithm>

namespace brickccl
{

<<<<<<< HEAD
/** Each file of this folder defines one of them, Numbers.cxx and Thickness.cxx two. */
namespace groups
{
extern const ColumnGroup Classes;
extern const ColumnGroup Parts;
extern const ColumnGroup Zones;
extern const ColumnGroup Part;
extern const ColumnGroup Intensities;
extern const ColumnGroup Place;
extern const ColumnGroup Shape;
extern const ColumnGroup Feret;
extern const ColumnGroup Surface;
extern const ColumnGroup Topology;
extern const ColumnGroup Inscribed;
extern const ColumnGroup Thickness;
extern const ColumnGroup Neighbors;
extern const ColumnGroup Distribution;
} // namespace groups

=======
>>>>>>> h-engine
const std::vector<const ColumnGroup *> &
GroupTable()
{
  static const std::vector<const ColumnGroup *> table = { &groups::Classes,   &groups::Parts,       &groups::Zones,
                                                          &groups::Part,      &groups::Intensities, &groups::Place,
                                                          &groups::Shape,     &groups::Feret,       &groups::Surface,
                                                          &groups::Topology,  &groups::Inscribed,   &groups::Thickness,
                                                          &groups::Neighbors, &groups::Distribution };
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
