#ifndef BRICKCCL_LABELS_LABELLISTS_H
#define BRICKCCL_LABELS_LABELLISTS_H

#include <cstdint>
#include <vector>

namespace brickccl
{

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
