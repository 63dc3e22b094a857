#ifndef BRICKCCL_COMPONENTS_RELABEL_H
#define BRICKCCL_COMPONENTS_RELABEL_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <limits>

namespace brickccl
{

/** The order in which components are numbered. */
enum class LabelOrder
{
  /** By each component's first voxel, x fastest (as scipy.ndimage.label). */
  Raster,
  /** By size, the largest first; equal sizes in raster order. */
  Size
};

/** Which components stay, and how they are numbered. */
struct RelabelOptions
{
  LabelOrder order = LabelOrder::Raster;
  /** Components of fewer voxels become background. */
  std::uint64_t minimumSize = 0;
  /** Components of more voxels become background. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  /** Of those that are left, only so many of the largest stay; 0: all. Of equal ones, the first in raster order. */
  std::uint64_t largest = 0;

  /** Whether labels in raster order stay as they are. */
  bool
  KeepEverything() const
  {
    return order == LabelOrder::Raster && minimumSize <= 1 && largest == 0 &&
           maximumSize == std::numeric_limits<std::uint64_t>::max();
  }
};

/** Renumbers a volume whose labels are 1..components in raster order. Labels stay consecutive.
 *  \return the number of components that are left. */
std::uint64_t
Relabel(RunVolume & volume, std::uint64_t components, const RelabelOptions & options, const HostContext & context);

} // namespace brickccl

#endif
