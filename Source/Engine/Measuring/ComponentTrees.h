// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_COMPONENTTREES_H
#define BRICKCCL_MEASURING_COMPONENTTREES_H

#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>

namespace brickccl
{

/** The voxels begin <= x < end of a row. */
VoxelBox BoxOfRun(const RowPosition & position, std::int64_t begin, std::int64_t end);

/** Makes a tree of the runs of each component, in the order of the table's rows. */
BoundingBoxTrees
MakeComponentTrees(const RunVolume & volume, const HostContext & context, const ComponentTable & table);

/** Rows of an image that come after each other, such as a slab. */
struct RowsOfImage
{
  const Extent & image;
  std::int64_t   first = 0;
  const double * spacing;
};

/** The same of such rows, where labels are 1 to `components`. */
BoundingBoxTrees MakeComponentTrees(const RunVolume &   volume,
                                    std::uint64_t       components,
                                    const RowsOfImage & rows,
                                    const HostContext & context);

} // namespace brickccl

#endif
