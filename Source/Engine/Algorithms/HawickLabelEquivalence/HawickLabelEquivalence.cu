// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/HawickLabelEquivalence/HawickLabelEquivalence.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

namespace brickccl::cuda
{

namespace
{

/** It only reads labels and only writes references, so the number of rounds depends only on the image. */
template <typename TIndex>
__global__ void
ScanKernel(const __grid_constant__ VoxelLinks links, const TIndex * labels, TIndex * references, unsigned * changed)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    const TIndex label = labels[voxel];
    TIndex       smallest = label;
    for (unsigned rest = links[voxel]; rest != 0; rest &= rest - 1)
    {
      const TIndex other = labels[voxel + links.offset[__ffs(static_cast<int>(rest)) - 1]];
      smallest = other < smallest ? other : smallest;
    }
    if (smallest != label)
    {
      atomicMin(references + label, smallest);
      GlobalAccess::Store(changed, 1u);
    }
  }
}

/** Follows the references of the voxels that have their own label. References of other voxels are not used. */
template <typename TIndex>
__global__ void
AnalysisKernel(std::int64_t voxels, const TIndex * labels, TIndex * references)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    if (labels[voxel] == static_cast<TIndex>(voxel))
    {
      GlobalAccess::Store(references + voxel, PeekRoot<GlobalAccess>(references, static_cast<TIndex>(voxel)));
    }
  }
}

template <typename TIndex>
__global__ void
LabelingKernel(std::int64_t voxels, const TIndex * references, TIndex * labels)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    labels[voxel] = references[labels[voxel]];
  }
}

} // namespace

/** The label equivalence of Hawick, Leist and Playne (Parallel graph component labeling with GPUs and CUDA, Parallel
 *  Computing 36, 2010) for up to 3 dimensions, every connectivity and criterion. It has labels and an array of
 * references. Scan, analysis and labeling repeat until a scan finds nothing.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByHawickLabelEquivalence(const Problem &       problem,
                              VoxelMemory<TIndex> & memory,
                              const OptionValues &,
                              cudaStream_t stream)
{
  const Extent &   extent = problem.image.extent;
  const VoxelLinks links = LinkVoxels(problem, memory, stream);
  const auto       bytes = static_cast<std::size_t>(links.voxels) * sizeof(TIndex);
  MakeTrees(extent, memory, stream);
  memory.own.Resize(bytes);
  auto * references = reinterpret_cast<TIndex *>(memory.own.Data());
  BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(references, memory.parent.Data(), bytes, cudaMemcpyDeviceToDevice, stream));
  memory.clock.Finish("prelabel", stream);
  const LaunchShape shape = ShapeFor(links.voxels);
  for (memory.iterations = 0;; ++memory.iterations)
  {
    memory.ClearChanged(stream);
    BRICKCCL_LAUNCH(ScanKernel<TIndex>, shape, stream, links, memory.parent.Data(), references, memory.changed.Data());
    memory.clock.Finish("scan", stream);
    if (!memory.HasChanged(stream))
    {
      return;
    }
    BRICKCCL_LAUNCH(AnalysisKernel<TIndex>, shape, stream, links.voxels, memory.parent.Data(), references);
    memory.clock.Finish("analysis", stream);
    BRICKCCL_LAUNCH(LabelingKernel<TIndex>, shape, stream, links.voxels, references, memory.parent.Data());
    memory.clock.Finish("labeling", stream);
  }
}

std::unique_ptr<CudaAlgorithm>
MakeHawickLabelEquivalence(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByHawickLabelEquivalence<unsigned>,
                            UniteByHawickLabelEquivalence<unsigned long long>,
                            isWide);
}

} // namespace brickccl::cuda
