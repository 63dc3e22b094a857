// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/RowLinks.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace brickccl
{

/** The links of a voxel graph: an image of uint8 or uint32 with one bit for each step (VoxelGraphBit). Every voxel is
 *  foreground except where the mask is 0. Bits of steps that lead out of the image only matter along periodic axes. */
class GraphLinks : public RowLinks
{
public:
  /** \throws InvalidArgument if a voxel of the rows [begin, end) has the bit towards a neighbor that lacks the
   *  opposite one, or the other way round. Links must have passed this. */
  virtual void CheckSymmetry(std::int64_t begin, std::int64_t end) const = 0;

protected:
  using RowLinks::RowLinks;
};

/** \throws InvalidArgument for another type or number of channels, a mask of another extent, more than 3 dimensions, a
 *  connectivity whose bits the type does not hold, or a periodic axis of one or two voxels. */
std::unique_ptr<GraphLinks> MakeGraphLinks(const ImageView &                graph,
                                           const std::optional<ImageView> & mask,
                                           const Connectivity &             connectivity,
                                           const PeriodicAxes &             periodic);

/** The connectivity of all bits of a graph of this type and dimension. \throws InvalidArgument as MakeGraphLinks. */
Connectivity FullConnectivityOfGraph(const ImageView & graph);

/** The row that a step from a row leads to, through the ends of periodic axes too; -1 if that is outside. */
std::int64_t NeighborRow(const RowPosition &    position,
                         const NeighborOffset & step,
                         const Extent &         extent,
                         const PeriodicAxes &   periodic);

} // namespace brickccl
