// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Voxels/VoxelForest.cuh"

#include <algorithm>

namespace brickccl::cuda
{

namespace
{

template <typename T, typename TMask>
__global__ void
LinkVoxelsKernel(const __grid_constant__ VoxelVolume<T> volume,
                 const __grid_constant__ NeighborSteps  steps,
                 TMask *                                links)
{
  const std::int64_t voxels = volume.extent.VoxelCount();
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    std::int64_t at[3];
    LocateVoxel(volume.extent, voxel, at);
    unsigned mask = 0;
    if (volume.isForeground(at))
    {
      for (int s = 0; s < steps.count; ++s)
      {
        const auto &       step = steps.steps[s].step;
        const std::int64_t to[3] = { at[0] + step[0], at[1] + step[1], at[2] + step[2] };
        if (volume.IsInside(to) && volume.isForeground(to) && volume.AreJoined(voxel, volume.IndexOf(to)))
        {
          mask |= 1u << s;
        }
      }
    }
    links[voxel] = static_cast<TMask>(mask);
  }
}

template <typename TIndex>
__global__ void
FlattenVoxelsKernel(std::int64_t voxels, const __grid_constant__ PropertyArrays<TIndex> properties, TIndex * parent)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    const TIndex root = PeekRoot<GlobalAccess>(parent, static_cast<TIndex>(voxel));
    if (root != static_cast<TIndex>(voxel))
    {
      GlobalAccess::Store(parent + voxel, root);
      if (properties.counts != nullptr)
      {
        properties.Move(voxel, static_cast<std::int64_t>(root));
      }
    }
  }
}

template <typename TIndex>
__global__ void
SetPropertiesKernel(Extent                  extent,
                    ForegroundBits          isForeground,
                    const __grid_constant__ PropertyArrays<TIndex> properties)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < properties.places; voxel += ThreadCount())
  {
    std::int64_t at[3];
    LocateVoxel(extent, voxel, at);
    if (isForeground(at))
    {
      properties.Set(voxel, at);
    }
    else
    {
      properties.counts[voxel] = 0;
    }
  }
}

/** Late computation: every voxel adds itself to its component. */
template <typename TIndex>
__global__ void
SumVoxelsKernel(Extent extent, const TIndex * labels, const __grid_constant__ PropertyArrays<TIndex> properties)
{
  const std::int64_t voxels = extent.VoxelCount();
  for (std::int64_t voxel = ThreadIndex(); voxel < voxels; voxel += ThreadCount())
  {
    const TIndex label = labels[voxel];
    if (label != 0)
    {
      std::int64_t at[3];
      LocateVoxel(extent, voxel, at);
      properties.AddVoxel(static_cast<std::int64_t>(label) - 1, at);
    }
  }
}

/** Early computation: moves what first voxels have to their components. Other voxels have nothing. */
template <typename TIndex>
__global__ void
CompactPropertiesKernel(const TIndex *          labels,
                        const __grid_constant__ PropertyArrays<TIndex> early,
                        const __grid_constant__ PropertyArrays<TIndex> result)
{
  for (std::int64_t voxel = ThreadIndex(); voxel < early.places; voxel += ThreadCount())
  {
    const TIndex count = early.counts[voxel];
    if (count == 0)
    {
      continue;
    }
    const auto component = static_cast<std::int64_t>(labels[voxel]) - 1;
    result.counts[component] = count;
    for (int term = 0; term < early.Terms(early.axes); ++term)
    {
      result.Sum(term, component) = early.Sum(term, voxel);
    }
  }
}

/** Finds the roots in a word of a row, as bits. */
template <typename TIndex>
struct RootsOfWord
{
  WordGrid           grid;
  const DeviceWord * foreground;
  const TIndex *     parent;

  __device__ DeviceWord
  operator()(std::int64_t word) const
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    DeviceWord         roots = 0;
    for (DeviceWord rest = foreground[word]; rest != 0; rest &= rest - 1)
    {
      const std::int64_t place = voxel + __ffs(static_cast<int>(rest)) - 1;
      if (parent[place] == static_cast<TIndex>(place))
      {
        roots |= rest & (0u - rest);
      }
    }
    return roots;
  }
};

template <typename TIndex>
struct CountBits
{
  __device__ TIndex
  operator()(DeviceWord bits) const
  {
    return static_cast<TIndex>(__popc(bits));
  }
};

/** Finds the number of a voxel's root, which is the first voxel of its component, among all roots. */
template <typename TIndex>
struct NumberOfRoot
{
  WordGrid           grid;
  const DeviceWord * foreground;
  const DeviceWord * roots;
  const TIndex *     rootsUpTo;
  const TIndex *     parent;

  __device__ TIndex
  operator()(std::int64_t voxel) const
  {
    const std::int64_t length = grid.extent.RowLength();
    const std::int64_t row = voxel / length;
    const std::int64_t x = voxel - row * length;
    const DeviceWord   bits = foreground[row * grid.wordsPerRow + x / BitsPerDeviceWord];
    if ((bits >> (x % BitsPerDeviceWord) & 1u) == 0)
    {
      return 0;
    }
    const auto         root = static_cast<std::int64_t>(parent[voxel]);
    const std::int64_t rootRow = root / length;
    const std::int64_t rootX = root - rootRow * length;
    const std::int64_t word = rootRow * grid.wordsPerRow + rootX / BitsPerDeviceWord;
    const DeviceWord   behind = roots[word] & ~BitsUpToLane(static_cast<int>(rootX % BitsPerDeviceWord));
    return rootsUpTo[word] - static_cast<TIndex>(__popc(behind));
  }
};

/** Gives every run the label of its first voxel. */
template <typename TIndex>
__global__ void
LabelRunsKernel(WordGrid           grid,
                const DeviceWord * foreground,
                const DeviceWord * starts,
                const TIndex *     runsBefore,
                const TIndex *     labels,
                TIndex *           labelOfRun)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    TIndex             run = runsBefore[word];
    for (DeviceWord rest = StartsOf(foreground, starts, word, wordOfRow); rest != 0; rest &= rest - 1)
    {
      labelOfRun[run++] = labels[voxel + __ffs(static_cast<int>(rest)) - 1];
    }
  }
}

} // namespace

template <typename TIndex>
VoxelLinks
LinkVoxels(const Problem & problem, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  const Extent &      extent = problem.image.extent;
  const NeighborSteps steps = problem.connectivity.Neighbors();
  PackForeground(problem, memory.table, stream);
  VoxelLinks links = {};
  links.voxels = extent.VoxelCount();
  links.count = steps.count;
  for (int s = 0; s < steps.count; ++s)
  {
    const auto & step = steps.steps[s].step;
    std::copy(step, step + 3, links.step[s]);
    links.offset[s] = (step[2] * extent.size[1] + step[1]) * extent.size[0] + step[0];
  }
  const bool isNarrow = steps.count <= 8;
  memory.links.Resize(static_cast<std::size_t>(links.voxels) * (isNarrow ? 1 : sizeof(unsigned)));
  auto * wide = reinterpret_cast<unsigned *>(memory.links.Data());
  links.narrow = isNarrow ? memory.links.Data() : nullptr;
  links.wide = isNarrow ? nullptr : wide;
  VisitVolume(problem, memory.table, [&](const auto & volume) {
    using T = typename std::decay_t<decltype(volume)>::Pixel;
    if (isNarrow)
    {
      BRICKCCL_LAUNCH((LinkVoxelsKernel<T, unsigned char>),
                      ShapeFor(links.voxels),
                      stream,
                      volume,
                      steps,
                      memory.links.Data());
    }
    else
    {
      BRICKCCL_LAUNCH((LinkVoxelsKernel<T, unsigned>), ShapeFor(links.voxels), stream, volume, steps, wide);
    }
  });
  memory.clock.Finish("links", stream);
  return links;
}

template <typename TIndex>
void
MakeTrees(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  memory.parent.Resize(static_cast<std::size_t>(extent.VoxelCount()));
  CallThrust(memory.table.workspace, stream, [&](const auto & policy) {
    thrust::sequence(policy, memory.parent.Data(), memory.parent.Data() + extent.VoxelCount());
  });
}

template <typename TIndex>
void
FlattenVoxels(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream, unsigned threads)
{
  BRICKCCL_LAUNCH(FlattenVoxelsKernel<TIndex>,
                  ShapeFor(extent.VoxelCount(), threads),
                  stream,
                  extent.VoxelCount(),
                  memory.properties.arrays,
                  memory.parent.Data());
}

template <typename TIndex>
void
SetVoxelProperties(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  const PropertyArrays<TIndex> & arrays = memory.properties.arrays;
  if (arrays.counts != nullptr)
  {
    BRICKCCL_LAUNCH(SetPropertiesKernel<TIndex>,
                    ShapeFor(arrays.places),
                    stream,
                    extent,
                    ForegroundBits(extent, memory.table.foreground.Data()),
                    arrays);
  }
}

template <typename TIndex>
void
CollectProperties(const Extent &           extent,
                  VoxelMemory<TIndex> &    memory,
                  std::uint64_t            components,
                  PropertyBuffer<TIndex> & result,
                  cudaStream_t             stream)
{
  const PropertyArrays<TIndex> & early = memory.properties.arrays;
  const bool                     isSizeOnly = early.counts != nullptr && early.axes == 0;
  result.Resize(extent, static_cast<std::int64_t>(components), isSizeOnly ? Properties::Size : Properties::Moments);
  if (early.counts != nullptr)
  {
    BRICKCCL_LAUNCH(CompactPropertiesKernel<TIndex>,
                    ShapeFor(early.places),
                    stream,
                    memory.parent.Data(),
                    early,
                    result.arrays);
    return;
  }
  result.Clear(stream);
  BRICKCCL_LAUNCH(SumVoxelsKernel<TIndex>,
                  ShapeFor(extent.VoxelCount()),
                  stream,
                  extent,
                  memory.parent.Data(),
                  result.arrays);
}

template <typename TIndex>
std::uint64_t
NumberVoxels(const Extent & extent, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  RunTable<TIndex> & table = memory.table;
  const WordGrid     grid(extent);
  memory.rootsUpTo.Resize(static_cast<std::size_t>(grid.words));
  // The table's starts hold the roots until the runs are wanted.
  table.starts.Resize(static_cast<std::size_t>(grid.words));
  const DeviceWord * const foreground = table.foreground.Data();
  DeviceWord * const       roots = table.starts.Data();
  TIndex * const           upTo = memory.rootsUpTo.Data();
  TIndex * const           parent = memory.parent.Data();
  // Sequential relabeling: the sum of the roots up to a root is its number (CUCCL, appendix C).
  CallThrust(table.workspace, stream, [&](const auto & policy) {
    thrust::transform(policy,
                      CountFrom(0),
                      CountFrom(grid.words),
                      roots,
                      RootsOfWord<TIndex>{ grid, foreground, parent });
    thrust::transform_inclusive_scan(policy,
                                     roots,
                                     roots + grid.words,
                                     upTo,
                                     CountBits<TIndex>(),
                                     thrust::plus<TIndex>());
    thrust::transform(policy,
                      CountFrom(0),
                      CountFrom(extent.VoxelCount()),
                      parent,
                      NumberOfRoot<TIndex>{ grid, foreground, roots, upTo, parent });
  });
  memory.clock.Finish("labels", stream);
  return table.fetched.Fetch(upTo + grid.words - 1, stream);
}

template <typename TIndex>
void
WriteVoxelLabels(const Extent &        extent,
                 VoxelMemory<TIndex> & memory,
                 void *                labels,
                 LabelType             type,
                 cudaStream_t          stream)
{
  const TIndex * const from = memory.parent.Data();
  VisitLabelType(type, [&](auto tag) {
    using TLabel = typename decltype(tag)::Type;
    CallThrust(memory.table.workspace, stream, [&](const auto & policy) {
      thrust::copy(policy, from, from + extent.VoxelCount(), static_cast<TLabel *>(labels));
    });
  });
}

template <typename TIndex>
void
LabelVoxelRuns(const Problem & problem, VoxelMemory<TIndex> & memory, cudaStream_t stream)
{
  RunTable<TIndex> & table = memory.table;
  FindRuns(problem, table, stream);
  const WordGrid grid(problem.image.extent);
  BRICKCCL_LAUNCH(LabelRunsKernel<TIndex>,
                  ShapeFor(grid.words),
                  stream,
                  grid,
                  table.foreground.Data(),
                  table.Starts(),
                  table.runsBefore.Data(),
                  memory.parent.Data(),
                  table.labelOfRun.Data());
}

#define BRICKCCL_INSTANTIATE(TIndex)                                                                                   \
  template VoxelLinks    LinkVoxels<TIndex>(const Problem &, VoxelMemory<TIndex> &, cudaStream_t);                     \
  template void          MakeTrees<TIndex>(const Extent &, VoxelMemory<TIndex> &, cudaStream_t);                       \
  template void          FlattenVoxels<TIndex>(const Extent &, VoxelMemory<TIndex> &, cudaStream_t, unsigned);         \
  template void          SetVoxelProperties<TIndex>(const Extent &, VoxelMemory<TIndex> &, cudaStream_t);              \
  template void          CollectProperties<TIndex>(const Extent &,                                                     \
                                          VoxelMemory<TIndex> &,                                              \
                                          std::uint64_t,                                                      \
                                          PropertyBuffer<TIndex> &,                                           \
                                          cudaStream_t);                                                      \
  template std::uint64_t NumberVoxels<TIndex>(const Extent &, VoxelMemory<TIndex> &, cudaStream_t);                    \
  template void WriteVoxelLabels<TIndex>(const Extent &, VoxelMemory<TIndex> &, void *, LabelType, cudaStream_t);      \
  template void LabelVoxelRuns<TIndex>(const Problem &, VoxelMemory<TIndex> &, cudaStream_t)
BRICKCCL_INSTANTIATE(unsigned);
BRICKCCL_INSTANTIATE(unsigned long long);
#undef BRICKCCL_INSTANTIATE

} // namespace brickccl::cuda
