// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_PARTSURFACE_H
#define BRICKCCL_MEASURING_PARTSURFACE_H

#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <vector>

/** Distances to the surface of a part, for an image that comes in parts as well. */
namespace brickccl
{

/** A tree of the voxels outside the part that can be nearest to its voxels: those adjacent to the part, and all in the
 *  first and last rows of a part of the image that has more. */
BoundingBoxTrees MakeTreeBesidePart(const RunVolume & outside, const RowsOfImage & rows, const HostContext & context);

/** Lowers squared distances of components to those to the voxels of a tree. */
void LowerDistances(const BoundingBoxTrees & components,
                    const BoundingBoxTree &  beside,
                    const HostContext &      context,
                    std::vector<double> &    squares);

/** Gives a table that was measured without the part its distances, which are infinite if there are none. All its
 *  components are in the part. */
void SetPartDistances(const std::vector<double> & squares, std::uint64_t partVoxels, ComponentTable & table);

} // namespace brickccl

#endif
