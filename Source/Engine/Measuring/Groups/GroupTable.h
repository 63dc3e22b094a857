// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_GROUPS_GROUPTABLE_H
#define BRICKCCL_MEASURING_GROUPS_GROUPTABLE_H

#include "BrickCCL/Tables/ColumnGroup.h"

#include <vector>

namespace brickccl
{

/** Each file of this folder defines one of them, Numbers.cxx three and Thickness.cxx two. */
namespace groups
{
extern const ColumnGroup Classes;
extern const ColumnGroup Parents;
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

/** All groups of columns, in the order of their columns. */
const std::vector<const ColumnGroup *> & GroupTable();

/** Inserts a group in the order of the table, behind all of it if it is not there. */
void InsertGroup(const ColumnGroup & group, std::vector<const ColumnGroup *> & groups);

} // namespace brickccl

#endif
