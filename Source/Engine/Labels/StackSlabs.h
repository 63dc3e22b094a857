// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** A volume that is cut into slabs across its last axis of more than one slice. The voxels of a slab follow each other
 *  in memory. */
struct SlabCut
{
  Extent volume;
  /** The axis along which slabs follow each other; 0 if the volume is one row, which is not cut. */
  int axis = 0;
  /** The first slice of each slab. */
  std::vector<std::int64_t> begins = { 0 };

  std::size_t
  Count() const
  {
    return begins.size();
  }
  std::int64_t
  End(std::size_t slab) const
  {
    return slab + 1 < begins.size() ? begins[slab + 1] : volume.size[axis];
  }
  Extent ExtentOf(std::size_t slab) const;
  /** The voxels of the volume before a slab. */
  std::int64_t VoxelsBefore(std::size_t slab) const;
  std::int64_t VoxelsPerSlice() const;
};

/** Cuts a volume into slabs of nearly equal height.
 *  \param minimumCount  the lowest number of slabs, if there are enough slices
 *  \param maximumVoxels  no slab has more voxels, unless one slice has */
SlabCut CutIntoSlabs(const Extent & volume, std::int64_t minimumCount, std::int64_t maximumVoxels);

/** Makes one labeled volume of separately labeled slabs. \param links  of the volume \param connectivity  of the slabs
 *  \param slabs  labeled volumes with the labels 1..components[slab] in raster order; none is filtered out
 *  \param result  gets labels in raster order, the same as if the volume had been labeled at once
 *  \return the number of components */
std::uint64_t StackSlabs(const SlabCut &                    cut,
                         const RowLinks &                   links,
                         const Connectivity &               connectivity,
                         const std::vector<RunVolume> &     slabs,
                         const std::vector<std::uint64_t> & components,
                         const HostContext &                context,
                         RunVolume &                        result);

} // namespace brickccl
