// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_TABLEBYTES_H
#define BRICKCCL_BRICKS_TABLEBYTES_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"

namespace brickccl
{

/** Columns that take a second look at the merged components, with the layer of voxels before each brick. */
struct SecondLook
{
  bool surface = false;
  bool topology = false;

  bool
  IsAny() const
  {
    return surface || topology;
  }
};

/** The second look that the columns need; and the groups that the first one measures. */
SecondLook   SecondLookOf(const ColumnGroups & groups);
ColumnGroups FirstLookOf(const ColumnGroups & groups);

/** Adds the groups of the second look to a merged table's groups, in their order. */
void AddGroups(const SecondLook & look, ComponentTable & table);

/** Writes what merging needs of a brick's table. */
void WriteTable(const ComponentTable & table, ByteWriter & writer);

/** Reads it. \param box  the brick that was measured. */
ComponentTable ReadTable(ByteReader & reader, const BrickBox & box);

} // namespace brickccl

#endif
