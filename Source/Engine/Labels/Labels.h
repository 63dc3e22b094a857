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
  /** An axis across which slices are labeled each on its own: so many of the largest stay in each slice. If it is not
   *  given, so many stay in the whole volume. */
  std::optional<int> largestAcross;

  /** Whether labels in raster order stay as they are. */
  bool
  KeepEverything() const
  {
    return order == LabelOrder::Raster && minimumSize <= 1 && largest == 0 &&
           maximumSize == std::numeric_limits<std::uint64_t>::max();
  }
};

/** What became of the components that were found. */
struct RelabelReport
{
  std::uint64_t found = 0;
  /** Those that the limits on sizes dropped, the least and the most, and those beyond the `largest`. */
  std::uint64_t tooSmall = 0;
  std::uint64_t tooLarge = 0;
  std::uint64_t beyondLargest = 0;
  /** The voxels of those that are left; nothing where all were left and nobody counted. */
  std::optional<std::uint64_t> keptVoxels;
};

/** The voxels of every component, grouped. Those of component `label` (1..N) are voxels[offsets[label - 1]] up to, not
 *  including, voxels[offsets[label]]. They are linear indices (x fastest) in raster order. These are the label lists of
 *  Ziegler and Rasmusson, Efficient Volume Segmentation on the GPU, GTC 2010. */
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

/** Voxels of one row, side by side, that have the same label. */
struct LabelRun
{
  /** The first voxel, as its place in the image (x fastest). */
  std::int64_t place = 0;
  /** The number of voxels. */
  std::int64_t length = 0;
  /** 1..N; 0 for foreground that a size filter dropped. */
  std::uint64_t label = 0;
};

} // namespace brickccl

#endif
