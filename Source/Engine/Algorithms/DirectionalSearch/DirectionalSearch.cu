// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/DirectionalSearch/DirectionalSearch.h"

#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

namespace brickccl::cuda
{

/** The steps that alternate. */
enum class DirectionalVariant
{
  /** M8DLS alone: searches along all directions. */
  SearchAll,
  /** Hybrid1: M8DLS and Hawick's multi-pass kernel C. */
  SearchAllAndSweep,
  /** Hybrid2: M8DLS and label backtracking. */
  SearchAllAndBacktrack,
  /** Hybrid3: backtracking and S4DLS, which searches the later directions only where the earlier ones have no
   *  neighbor. */
  SearchEarlierAndBacktrack
};

namespace
{

/** Which voxels a search leaves out, and in which directions it goes. */
enum class Search
{
  /** Takes every voxel and every direction. It decides whether anything is left to do. */
  Complete,
  /** Leaves out the voxels whose label's own voxel still has that label (M8DLS). */
  SkipSettled,
  /** Takes the later directions only where the earlier ones have no neighbor (S4DLS). */
  EarlierFirst
};

/** The smallest of `smallest` and of the labels on the lines of linked voxels in the given directions. */
template <typename TIndex>
__device__ TIndex
SmallestAlongLines(const VoxelLinks & links,
                   std::int64_t       voxel,
                   unsigned           directions,
                   const TIndex *     labels,
                   TIndex             smallest)
{
  for (unsigned rest = directions; rest != 0; rest &= rest - 1)
  {
    const int          direction = __ffs(static_cast<int>(rest)) - 1;
    const std::int64_t offset = links.offset[direction];
    std::int64_t       place = voxel;
    do
    {
      place += offset;
      const TIndex label = GlobalAccess::Load(labels + place);
      smallest = label < smallest ? label : smallest;
    } while ((links[place] >> direction & 1u) != 0);
  }
  return smallest;
}

template <typename TIndex>
__global__ void
SearchKernel(const __grid_constant__ VoxelLinks links, Search search, TIndex * labels, unsigned * changed)
{
  const unsigned earlier = links.Earlier();
  for (std::int64_t voxel = ThreadIndex(); voxel < links.voxels; voxel += ThreadCount())
  {
    unsigned directions = links[voxel];
    if (directions == 0)
    {
      continue;
    }
    const TIndex label = GlobalAccess::Load(labels + voxel);
    const bool   isItsOwn = label == static_cast<TIndex>(voxel);
    if (search == Search::SkipSettled && !isItsOwn && GlobalAccess::Load(labels + label) == label)
    {
      continue;
    }
    if (search == Search::EarlierFirst && (directions & earlier) != 0)
    {
      directions &= earlier;
    }
    const TIndex smallest = SmallestAlongLines(links, voxel, directions, labels, label);
    if (smallest != label)
    {
      GlobalAccess::Store(labels + voxel, smallest);
      GlobalAccess::Store(changed, 1u);
    }
  }
}

/** Hawick's kernel C: one thread per line carries the smallest label along it, there and back. */
template <typename TIndex>
__global__ void
SweepLinesKernel(const __grid_constant__ VoxelLinks links,
                 unsigned                           before,
                 AxisLines                          lines,
                 TIndex *                           labels,
                 unsigned *                         changed)
{
  for (std::int64_t line = ThreadIndex(); line < lines.count; line += ThreadCount())
  {
    const std::int64_t start = lines.StartOf(line);
    bool               isChanged = false;
    const auto         pass = [&](std::int64_t place, bool isLinked, TIndex carried) {
      const TIndex label = labels[place];
      if (isLinked && carried < label)
      {
        labels[place] = carried;
        isChanged = true;
        return carried;
      }
      return label;
    };
    TIndex carried = labels[start];
    for (std::int64_t i = 1; i < lines.length; ++i)
    {
      const std::int64_t place = start + i * lines.stride;
      carried = pass(place, (links[place] & before) != 0, carried);
    }
    for (std::int64_t i = lines.length - 1; i > 0; --i)
    {
      const std::int64_t place = start + i * lines.stride;
      carried = pass(place - lines.stride, (links[place] & before) != 0, carried);
    }
    if (isChanged)
    {
      GlobalAccess::Store(changed, 1u);
    }
  }
}

template <typename TIndex>
void
SweepLines(const VoxelLinks & links, const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    if (links.Before(axis) != 0)
    {
      const AxisLines lines(extent, axis);
      BRICKCCL_LAUNCH(SweepLinesKernel<TIndex>,
                      ShapeFor(lines.count),
                      stream,
                      links,
                      links.Before(axis),
                      lines,
                      memory.parent.Data(),
                      memory.changed.Data());
    }
  }
}

} // namespace

/** Directional label search and its hybrids (Soh et al., HYBRID3, 2015) for up to 3 dimensions, every connectivity and
 *  criterion. Every voxel takes the smallest label on the straight lines of linked voxels that lead away from it. That
 *  alternates with another step until nothing changes.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex, DirectionalVariant VVariant>
void
UniteByDirectionalSearch(const Problem &       problem,
                         VoxelMemory<TIndex> & memory,
                         const OptionValues &,
                         cudaStream_t stream)
{
  const Extent &   extent = problem.image.extent;
  const VoxelLinks links = LinkVoxels(problem, memory, stream);
  MakeTrees(extent, memory, stream);
  memory.clock.Finish("prelabel", stream);
  constexpr bool sweeps = VVariant == DirectionalVariant::SearchAllAndSweep;
  constexpr bool backtracks =
    VVariant == DirectionalVariant::SearchAllAndBacktrack || VVariant == DirectionalVariant::SearchEarlierAndBacktrack;
  constexpr Search usual =
    VVariant == DirectionalVariant::SearchEarlierAndBacktrack ? Search::EarlierFirst : Search::SkipSettled;
  // At first every voxel has its own label, so that none is settled.
  Search search = usual == Search::SkipSettled ? Search::Complete : usual;
  for (memory.iterations = 0;;)
  {
    memory.ClearChanged(stream);
    BRICKCCL_LAUNCH(SearchKernel<TIndex>,
                    ShapeFor(links.voxels),
                    stream,
                    links,
                    search,
                    memory.parent.Data(),
                    memory.changed.Data());
    memory.clock.Finish("search", stream);
    if (!memory.HasChanged(stream))
    {
      if (search == Search::Complete)
      {
        return;
      }
      search = Search::Complete;
      continue;
    }
    ++memory.iterations;
    search = usual;
    if constexpr (sweeps)
    {
      SweepLines(links, extent, memory, stream);
      memory.clock.Finish("sweep", stream);
    }
    if constexpr (backtracks)
    {
      FlattenVoxels(extent, memory, stream);
      memory.clock.Finish("backtrack", stream);
    }
  }
}

namespace
{

template <DirectionalVariant VVariant>
std::unique_ptr<CudaAlgorithm>
Make(bool isWide)
{
  return MakeVoxelAlgorithm(UniteByDirectionalSearch<unsigned, VVariant>,
                            UniteByDirectionalSearch<unsigned long long, VVariant>,
                            isWide);
}

} // namespace

std::unique_ptr<CudaAlgorithm>
MakeDirectionalSearch(bool isWide)
{
  return Make<DirectionalVariant::SearchAll>(isWide);
}

std::unique_ptr<CudaAlgorithm>
MakeHybrid1(bool isWide)
{
  return Make<DirectionalVariant::SearchAllAndSweep>(isWide);
}

std::unique_ptr<CudaAlgorithm>
MakeHybrid2(bool isWide)
{
  return Make<DirectionalVariant::SearchAllAndBacktrack>(isWide);
}

std::unique_ptr<CudaAlgorithm>
MakeHybrid3(bool isWide)
{
  return Make<DirectionalVariant::SearchEarlierAndBacktrack>(isWide);
}

} // namespace brickccl::cuda
