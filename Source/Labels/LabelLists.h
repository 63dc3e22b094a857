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

} // namespace brickccl

#endif
