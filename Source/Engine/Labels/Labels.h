// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_LABELS_H
#define BRICKCCL_LABELS_LABELS_H

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace brickccl
{

/** The order in which components are numbered. */
enum class LabelOrder
{
  /** By each component's first voxel, x fastest, as in scipy.ndimage.label. */
  Raster,
  /** By size, the largest first; equal sizes in raster order. */
  Size
};

/** The components to keep, and their order. */
struct RelabelOptions
{
  LabelOrder order = LabelOrder::Raster;
  /** Components with fewer voxels become background. */
  std::uint64_t minimumSize = 0;
  /** Components with more voxels become background. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  /** Keep only this many of the largest remaining components; 0: all. Equal sizes are in raster order. */
  std::uint64_t largest = 0;
  /** An axis across which slices are labeled separately, to keep this many of the largest in each slice. Otherwise in
   *  the whole volume. */
  std::optional<int> largestAcross;

  /** Whether labels in raster order do not change. */
  bool
  KeepEverything() const
  {
    return order == LabelOrder::Raster && minimumSize <= 1 && largest == 0 &&
           maximumSize == std::numeric_limits<std::uint64_t>::max();
  }
};

/** The numbers of kept and dropped components. */
struct RelabelReport
{
  std::uint64_t found = 0;
  /** The components dropped by the lower and the upper limit on sizes, and beyond the `largest`. */
  std::uint64_t tooSmall = 0;
  std::uint64_t tooLarge = 0;
  std::uint64_t beyondLargest = 0;
  /** The voxels of the kept components; nothing if all were kept without counting. */
  std::optional<std::uint64_t> keptVoxels;
};

/** The voxels of every component, grouped. Component `label` (1..N) has voxels[offsets[label - 1]] up to, not
 *  including, voxels[offsets[label]]. They are linear indices (x fastest) in raster order. These are the label lists
 *  of Ziegler and Rasmusson, Efficient Volume Segmentation on the GPU, GTC 2010. */
struct LabelLists
{
  std::vector<std::uint64_t> offsets;
  std::vector<std::int64_t>  voxels;

  std::uint64_t
  ComponentCount() const
  {
    return offsets.size() - 1;
  }
};

/** Adjacent voxels of one row with the same label. */
struct LabelRun
{
  /** The first voxel, as an index in the image (x fastest). */
  std::int64_t place = 0;
  /** The number of voxels. */
  std::int64_t length = 0;
  /** 1..N; 0 for foreground that a size filter dropped. */
  std::uint64_t label = 0;
};

} // namespace brickccl

#endif
