// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/LabelEquivalence/LabelEquivalence.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

namespace brickccl::cuda
{

namespace
{

/** Writes the smallest label around a voxel to the cell to which the voxel's label refers. References only become
 *  smaller. A plain store may overwrite a smaller reference; the link that is lost so is found again by the next scan.
 *  \return whether the smallest label is smaller than the voxel's */
template <typename TIndex>
__device__ bool
ScanVoxel(const VoxelLinks & links, std::int64_t voxel, unsigned wanted, bool useAtomics, TIndex * labels)
{
  unsigned rest = links[voxel] & wanted;
  if (rest == 0)
  {
    return false;
  }
  const TIndex label = GlobalAccess::Load(labels + voxel);
  TIndex       smallest = label;
  for (; rest != 0; rest &= rest - 1)
  {
    const TIndex other = GlobalAccess::Load(labels + voxel + links.offset[__ffs(static_cast<int>(rest)) - 1]);
    smallest = other < smallest ? other : smallest;
  }
  if (smallest == label)
  {
    return false;
  }
  if (useAtomics)
  {
    atomicMin(labels + label, smallest);
  }
  else if (smallest < GlobalAccess::Load(labels + label))
  {
    GlobalAccess::Store(labels + label, smallest);
  }
  return true;
}

/** The first scan, which an analysis always follows, and the scans whose threads raise one flag for all. */
template <typename TIndex>
__global__ void
ScanKernel(const __grid_constant__ VoxelLinks links,
           unsigned                           wanted,
           bool                               useAtomics,
           TIndex *                           labels,
           unsigned *                         changed)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    if (ScanVoxel(links, voxel, wanted, useAtomics, labels) && changed != nullptr)
    {
      GlobalAccess::Store(changed, 1u);
    }
  }
}

template <typename TIndex>
__global__ void
ScanWithBlockFlagKernel(const __grid_constant__ VoxelLinks links, bool useAtomics, TIndex * labels, unsigned * changed)
{
  __shared__ unsigned shared;
  BlockFlag           flag(shared);
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    if (ScanVoxel(links, voxel, ~0u, useAtomics, labels))
    {
      flag.Raise();
    }
  }
  flag.PassOn(changed);
}

} // namespace

/** The label equivalence of Kalentev, Rai, Kemnitz and Schneider (Connected component labeling on a 2D grid using CUDA,
 *  2011) for up to 3 dimensions, every connectivity and criterion. Labels are references. *Scan* writes the smallest
 *  label of a voxel and its neighbors to the cell to which its label refers. *Analysis* follows references to their
 *  end. Both repeat until a scan finds nothing. Options: LabelEquivalenceOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByLabelEquivalence(const Problem &       problem,
                        VoxelMemory<TIndex> & memory,
                        const OptionValues &  options,
                        cudaStream_t          stream)
{
  const Extent &   extent = problem.image.extent;
  const VoxelLinks links = LinkVoxels(problem, memory, stream);
  const bool       useAtomics = options[LabelEquivalenceAtomics] != 0;
  MakeTrees(extent, memory, stream);
  memory.properties.Resize(extent, links.voxels, static_cast<Properties>(options[LabelEquivalenceProperties]));
  SetVoxelProperties(extent, memory, stream);
  memory.clock.Finish("prelabel", stream);
  const auto        threads = static_cast<unsigned>(options[LabelEquivalenceThreads]);
  const LaunchShape shape = ShapeFor(links.voxels, threads);
  for (memory.iterations = 0;; ++memory.iterations)
  {
    if (memory.iterations == 0)
    {
      const unsigned wanted = options[LabelEquivalenceFirstScan] != 0 ? links.Earlier() : ~0u;
      BRICKCCL_LAUNCH(ScanKernel<TIndex>, shape, stream, links, wanted, useAtomics, memory.parent.Data(), nullptr);
    }
    else
    {
      memory.ClearChanged(stream);
      unsigned * changed = memory.changed.Data();
      if (options[LabelEquivalenceFlag] != 0)
      {
        BRICKCCL_LAUNCH_BLOCKS(ScanWithBlockFlagKernel<TIndex>,
                               shape,
                               stream,
                               links,
                               useAtomics,
                               memory.parent.Data(),
                               changed);
      }
      else
      {
        BRICKCCL_LAUNCH(ScanKernel<TIndex>, shape, stream, links, ~0u, useAtomics, memory.parent.Data(), changed);
      }
    }
    memory.clock.Finish("scan", stream);
    if (memory.iterations > 0 && !memory.HasChanged(stream))
    {
      return;
    }
    FlattenVoxels(extent, memory, stream, threads);
    memory.clock.Finish("analysis", stream);
  }
}

std::unique_ptr<CudaAlgorithm>
MakeLabelEquivalence(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByLabelEquivalence<unsigned>, UniteByLabelEquivalence<unsigned long long>, isWide);
}

} // namespace brickccl::cuda
