// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/ListOnDevice.cuh"

#include "BrickCCL/Cuda/Thrust.cuh"

#include <limits>

namespace brickccl::cuda
{

namespace
{

/** How many threads write the voxels of a run: most runs are short. */
constexpr int ThreadsPerRun = 8;

/** The length of the run that begins at a bit of a word. */
__device__ inline std::int64_t
LengthFrom(const WordGrid &   grid,
           const DeviceWord * foreground,
           const DeviceWord * starts,
           std::int64_t       word,
           std::int64_t       wordOfRow,
           int                bit)
{
  const auto endsOf = [&](std::int64_t w) { return ~foreground[w] | (starts != nullptr ? starts[w] : 0u); };
  // The run's own start is not an end.
  DeviceWord   ends = endsOf(word) & ~BitsUpToLane(bit);
  std::int64_t before = -bit;
  while (ends == 0)
  {
    before += BitsPerDeviceWord;
    if (++wordOfRow == grid.wordsPerRow)
    {
      return before;
    }
    ends = endsOf(++word);
  }
  return before + __ffs(static_cast<int>(ends)) - 1;
}

/** Calls `take(run, place, length)` for each run that starts in a thread's words. */
template <typename TIndex, typename TTake>
__device__ inline void
ForRuns(const WordGrid &   grid,
        const DeviceWord * foreground,
        const DeviceWord * starts,
        const TIndex *     runsBefore,
        const TTake &      take)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    DeviceWord rest = StartsOf(foreground, starts, word, wordOfRow);
    if (rest == 0)
    {
      continue;
    }
    TIndex run = runsBefore[word];
    for (; rest != 0; rest &= rest - 1, ++run)
    {
      const int bit = __ffs(static_cast<int>(rest)) - 1;
      take(run,
           row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord + bit,
           LengthFrom(grid, foreground, starts, word, wordOfRow, bit));
    }
  }
}

template <typename TIndex>
__global__ void
CountVoxelsKernel(const __grid_constant__ WordGrid grid,
                  const DeviceWord *               foreground,
                  const DeviceWord *               starts,
                  const TIndex *                   runsBefore,
                  const TIndex *                   labelOfRun,
                  unsigned long long *             sizes)
{
  // Runs side by side mostly belong to one component.
  TIndex             own = 0;
  unsigned long long count = 0;
  const auto         flush = [&] {
    if (own != 0)
    {
      atomicAdd(sizes + (own - 1), count);
    }
  };
  ForRuns(grid, foreground, starts, runsBefore, [&](TIndex run, std::int64_t, std::int64_t length) {
    const TIndex label = labelOfRun[run];
    if (label != own)
    {
      flush();
      own = label;
      count = 0;
    }
    count += static_cast<unsigned long long>(length);
  });
  flush();
}

template <typename TIndex>
__global__ void
RenumberLabelsKernel(TIndex * labels, std::int64_t count, const unsigned long long * numbers)
{
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    if (const TIndex label = labels[i]; label != 0)
    {
      labels[i] = static_cast<TIndex>(numbers[label - 1]);
    }
  }
}

template <typename TIndex, typename TKey>
__global__ void
FindRunPlacesKernel(const __grid_constant__ WordGrid grid,
                    const DeviceWord *               foreground,
                    const DeviceWord *               starts,
                    const TIndex *                   runsBefore,
                    const TIndex *                   labelOfRun,
                    long long *                      places,
                    TIndex *                         lengths,
                    TKey *                           keys,
                    TIndex *                         order)
{
  ForRuns(grid, foreground, starts, runsBefore, [&](TIndex run, std::int64_t place, std::int64_t length) {
    places[run] = place;
    lengths[run] = static_cast<TIndex>(length);
    keys[run] = static_cast<TKey>(labelOfRun[run]);
    order[run] = run;
  });
}

/** The voxels of a run in the order by label; without dropped components. */
template <typename TIndex, typename TKey>
struct LengthInOrder
{
  const TKey *   labels;
  const TIndex * order;
  const TIndex * lengths;

  __device__ TIndex
  operator()(std::int64_t place) const
  {
    return labels[place] != 0 ? lengths[order[place]] : TIndex{ 0 };
  }
};

template <typename TIndex, typename TKey>
__global__ void
ListVoxelsKernel(std::int64_t      runs,
                 const TKey *      labels,
                 const TIndex *    order,
                 const TIndex *    voxelsBefore,
                 const TIndex *    lengths,
                 const long long * places,
                 long long *       voxels)
{
  const int lane = static_cast<int>(threadIdx.x % ThreadsPerRun);
  for (std::int64_t i = ThreadIndex() / ThreadsPerRun; i < runs; i += ThreadCount() / ThreadsPerRun)
  {
    if (labels[i] == 0)
    {
      continue;
    }
    const TIndex    run = order[i];
    const long long place = places[run];
    const TIndex    length = lengths[run];
    long long *     to = voxels + voxelsBefore[i];
    for (auto k = static_cast<TIndex>(lane); k < length; k += ThreadsPerRun)
    {
      to[k] = place + static_cast<long long>(k);
    }
  }
}

} // namespace

template <typename TIndex>
void
CountVoxels(const Extent &           extent,
            const RunTable<TIndex> & table,
            std::uint64_t            components,
            unsigned long long *     sizes,
            cudaStream_t             stream)
{
  const WordGrid grid(extent);
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(sizes, 0, components * sizeof(*sizes), stream));
  BRICKCCL_LAUNCH(CountVoxelsKernel<TIndex>,
                  ShapeFor(grid.words),
                  stream,
                  grid,
                  table.foreground.Data(),
                  table.Starts(),
                  table.runsBefore.Data(),
                  table.labelOfRun.Data(),
                  sizes);
}

template <typename TIndex>
void
RenumberLabels(TIndex * labels, std::int64_t count, const unsigned long long * numbers, cudaStream_t stream)
{
  BRICKCCL_LAUNCH(RenumberLabelsKernel<TIndex>, ShapeFor(count), stream, labels, count, numbers);
}

template <typename TIndex>
void
ListVoxels(const Extent &           extent,
           const RunTable<TIndex> & table,
           std::uint64_t            components,
           long long *              voxels,
           ListMemory &             memory,
           cudaStream_t             stream)
{
  if (components == 0)
  {
    return;
  }
  if (components > std::numeric_limits<unsigned>::max())
  {
    throw Unsupported("a device cannot list the voxels of more than 4294967295 components");
  }
  RunListMemory<TIndex> & own = memory.Of<TIndex>();
  const WordGrid          grid(extent);
  own.Resize(static_cast<std::size_t>(table.runs));
  TIndex * const    order = own.order.Data();
  TIndex * const    lengths = own.lengths.Data();
  TIndex * const    voxelsBefore = own.voxelsBefore.Data();
  long long * const places = own.places.Data();
  const auto        listByKeys = [&](auto * keys) {
    using TKey = std::decay_t<decltype(*keys)>;
    BRICKCCL_LAUNCH((FindRunPlacesKernel<TIndex, TKey>),
                    ShapeFor(grid.words),
                    stream,
                    grid,
                    table.foreground.Data(),
                    table.Starts(),
                    table.runsBefore.Data(),
                    table.labelOfRun.Data(),
                    places,
                    lengths,
                    keys,
                    order);
    CallThrust(own.workspace, stream, [&](const auto & policy) {
      thrust::stable_sort_by_key(policy, keys, keys + table.runs, order);
      thrust::transform_exclusive_scan(policy,
                                       CountFrom(0),
                                       CountFrom(table.runs),
                                       voxelsBefore,
                                       LengthInOrder<TIndex, TKey>{ keys, order, lengths },
                                       TIndex{ 0 },
                                       thrust::plus<TIndex>());
    });
    BRICKCCL_LAUNCH((ListVoxelsKernel<TIndex, TKey>),
                    ShapeFor(table.runs * ThreadsPerRun),
                    stream,
                    table.runs,
                    keys,
                    order,
                    voxelsBefore,
                    lengths,
                    places,
                    voxels);
  };
  if (components <= std::numeric_limits<std::uint16_t>::max())
  {
    listByKeys(reinterpret_cast<std::uint16_t *>(own.keys.Data()));
  }
  else
  {
    listByKeys(own.keys.Data());
  }
}

#define BRICKCCL_INSTANTIATE(TIndex)                                                                                   \
  template void CountVoxels<TIndex>(const Extent &,                                                                    \
                                    const RunTable<TIndex> &,                                                          \
                                    std::uint64_t,                                                                     \
                                    unsigned long long *,                                                              \
                                    cudaStream_t);                                                                     \
  template void RenumberLabels<TIndex>(TIndex *, std::int64_t, const unsigned long long *, cudaStream_t);              \
  template void ListVoxels<TIndex>(const Extent &,                                                                     \
                                   const RunTable<TIndex> &,                                                           \
                                   std::uint64_t,                                                                      \
                                   long long *,                                                                        \
                                   ListMemory &,                                                                       \
                                   cudaStream_t)
BRICKCCL_INSTANTIATE(unsigned);
BRICKCCL_INSTANTIATE(unsigned long long);
#undef BRICKCCL_INSTANTIATE

} // namespace brickccl::cuda
