#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_NUMBERCOMPONENTS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_NUMBERCOMPONENTS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Numbers of components in raster order: a bitmap of their first voxels, counted by groups of words. */
namespace brickccl::cuda
{

inline constexpr unsigned MarkWordsPerGroup = 8;

/** Points every component at its root, which learns the first of their first voxels. */
__global__ void
FlattenComponentsKernel(const __grid_constant__ BrickArrays bricks)
{
  WaitForEarlierKernels();
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned count = bricks.Components();
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const auto     node = static_cast<unsigned>(i);
    const unsigned voxel = bricks.firstVoxel[node];
    const unsigned root = PeekRoot<GlobalAccess>(bricks.parent, node);
    if (root != node)
    {
      GlobalAccess::Store(bricks.parent + node, root);
      if (GlobalAccess::Load(bricks.firstVoxel + root) > voxel)
      {
        atomicMin(bricks.firstVoxel + root, voxel);
      }
    }
  }
}

/** Marks the roots' first voxels. */
__global__ void
MarkFirstsKernel(const __grid_constant__ BrickArrays bricks, DeviceWord * marks, unsigned * markCounts)
{
  WaitForEarlierKernels();
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned count = bricks.Components();
  for (std::int64_t node = ThreadIndex(); node < count; node += ThreadCount())
  {
    const unsigned voxel = bricks.firstVoxel[node];
    if (bricks.parent[node] == static_cast<unsigned>(node))
    {
      const unsigned word = voxel / BitsPerDeviceWord;
      atomicOr(marks + word, 1u << (voxel % BitsPerDeviceWord));
      atomicAdd(markCounts + word / MarkWordsPerGroup, 1u);
    }
  }
}

/** Replaces each component's root by the number of the root's first voxel among all first voxels. `marksBefore` counts
 *  marks before each group; its last element is the number of components. */
__global__ void
NumberComponentsKernel(const __grid_constant__ BrickArrays bricks,
                       const DeviceWord *                  marks,
                       const unsigned *                    marksBefore,
                       std::int64_t                        groups,
                       BundleReport *                      report)
{
  WaitForEarlierKernels();
  if (ThreadIndex() == 0)
  {
    *report = { *bricks.found, marksBefore[groups] };
  }
  if (!bricks.Fit())
  {
    return;
  }
  const unsigned count = bricks.Components();
  for (std::int64_t node = ThreadIndex(); node < count; node += ThreadCount())
  {
    const unsigned voxel = bricks.firstVoxel[bricks.parent[node]];
    const unsigned word = voxel / BitsPerDeviceWord;
    const unsigned group = word / MarkWordsPerGroup;
    unsigned       label = marksBefore[group];
#pragma unroll
    for (unsigned i = 0; i < MarkWordsPerGroup; ++i)
    {
      const DeviceWord before = i < word % MarkWordsPerGroup ? 0xFFFFFFFFu
                              : i == word % MarkWordsPerGroup
                                ? BitsUpToLane(static_cast<int>(voxel % BitsPerDeviceWord))
                                : 0u;
      label += static_cast<unsigned>(__popc(marks[group * MarkWordsPerGroup + i] & before));
    }
    bricks.parent[node] = label;
  }
}

} // namespace brickccl::cuda

#endif
