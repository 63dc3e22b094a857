// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/LinkPropagation/LinkPropagation.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

namespace brickccl::cuda
{

namespace
{

/** The number of linked voxels that follow in a direction. Each direction has an array. */
using GatherLength = unsigned short;

__global__ void
FirstLengthsKernel(const __grid_constant__ VoxelLinks links, GatherLength * lengths)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    const unsigned mask = links[voxel];
    for (int s = 0; s < links.count; ++s)
    {
      lengths[s * links.voxels + voxel] = static_cast<GatherLength>(mask >> s & 1u);
    }
  }
}

/** Adds to each length the length of the voxel where it ends. If that voxel's length has grown already, this one grows
 *  faster: a length always leads along linked voxels. */
__global__ void
DoubleLengthsKernel(const __grid_constant__ VoxelLinks links, int longest, GatherLength * lengths)
{
  const std::int64_t cells = links.voxels * links.count;
  for (std::int64_t cell = ThreadIndex(); cell < cells; cell += ThreadCount())
  {
    const int length = *static_cast<volatile GatherLength *>(lengths + cell);
    if (length == 0 || length >= longest)
    {
      continue;
    }
    const auto direction = static_cast<int>(cell / links.voxels);
    const int  more = *static_cast<volatile GatherLength *>(lengths + cell + length * links.offset[direction]);
    if (more != 0)
    {
      *static_cast<volatile GatherLength *>(lengths + cell) =
        static_cast<GatherLength>(length + more < longest ? length + more : longest);
    }
  }
}

/** Every voxel gathers and writes only its own label, which only becomes smaller. So no atomics are needed. */
template <typename TIndex>
__global__ void
GatherKernel(const __grid_constant__ VoxelLinks links,
             const GatherLength *               lengths,
             bool                               fromNeighbors,
             bool                               fromMaster,
             TIndex *                           labels,
             unsigned *                         changed)
{
  __shared__ unsigned shared;
  BlockFlag           flag(shared);
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    const unsigned mask = links[voxel];
    if (mask == 0)
    {
      continue;
    }
    const TIndex label = GlobalAccess::Load(labels + voxel);
    TIndex       smallest = label;
    const auto   gather = [&](std::int64_t place) {
      const TIndex other = GlobalAccess::Load(labels + place);
      smallest = other < smallest ? other : smallest;
    };
    for (unsigned rest = mask; rest != 0; rest &= rest - 1)
    {
      const int          direction = __ffs(static_cast<int>(rest)) - 1;
      const std::int64_t offset = links.offset[direction];
      if (fromNeighbors)
      {
        gather(voxel + offset);
      }
      if (lengths != nullptr)
      {
        gather(voxel + lengths[direction * links.voxels + voxel] * offset);
      }
    }
    if (fromMaster && smallest != static_cast<TIndex>(voxel))
    {
      gather(static_cast<std::int64_t>(smallest));
    }
    if (smallest != label)
    {
      GlobalAccess::Store(labels + voxel, smallest);
      flag.Raise();
    }
  }
  flag.PassOn(changed);
}

/** Finds the farthest linked voxels; null if they are not wanted. */
template <typename TIndex>
const GatherLength *
FindLengths(const VoxelLinks & links, const OptionValues & options, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  if (options[LinkPropagationMaxGather] == 0)
  {
    return nullptr;
  }
  const std::int64_t cells = links.voxels * links.count;
  const auto         longest = static_cast<int>(options[LinkPropagationGather]);
  memory.own.Resize(static_cast<std::size_t>(cells) * sizeof(GatherLength));
  auto * lengths = reinterpret_cast<GatherLength *>(memory.own.Data());
  BRICKCCL_LAUNCH(FirstLengthsKernel, ShapeFor(links.voxels), stream, links, lengths);
  for (int reached = 1; reached < longest; reached *= 2)
  {
    BRICKCCL_LAUNCH(DoubleLengthsKernel, ShapeFor(cells), stream, links, longest, lengths);
  }
  memory.clock.Finish("lengths", stream);
  return lengths;
}

} // namespace

/** Label propagation over precomputed links (Ziegler and Rasmusson, Efficient volume segmentation on the GPU, 2010) for
 *  up to 3 dimensions, every connectivity and criterion. For each voxel and direction it finds the number of linked
 *  voxels that follow, in doubling steps. Then every voxel gathers the smallest label of its neighbors, of the
 *  farthest linked voxel in each direction and of the voxel that its label came from, until nothing changes. Options:
 *  LinkPropagationOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void
UniteByLinkPropagation(const Problem &       problem,
                       VoxelMemory<TIndex> & memory,
                       const OptionValues &  options,
                       cudaStream_t          stream)
{
  const VoxelLinks     links = LinkVoxels(problem, memory, stream);
  const GatherLength * lengths = FindLengths(links, options, memory, stream);
  MakeTrees(problem.image.extent, memory, stream);
  memory.clock.Finish("prelabel", stream);
  // The farthest voxels do not reach every voxel. So the neighbors decide whether anything is left to do.
  const bool always = options[LinkPropagationOneGather] != 0 || lengths == nullptr;
  bool       fromNeighbors = always;
  for (memory.iterations = 0;;)
  {
    memory.ClearChanged(stream);
    BRICKCCL_LAUNCH_BLOCKS(GatherKernel<TIndex>,
                           ShapeFor(links.voxels),
                           stream,
                           links,
                           lengths,
                           fromNeighbors,
                           options[LinkPropagationMaster] != 0,
                           memory.parent.Data(),
                           memory.changed.Data());
    memory.clock.Finish("gather", stream);
    const bool hasChanged = memory.HasChanged(stream);
    memory.iterations += hasChanged ? 1 : 0;
    if (!hasChanged && fromNeighbors)
    {
      return;
    }
    fromNeighbors = always || !hasChanged;
  }
}

std::unique_ptr<CudaAlgorithm>
MakeLinkPropagation(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByLinkPropagation<unsigned>, UniteByLinkPropagation<unsigned long long>, isWide);
}

} // namespace brickccl::cuda
