// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/RunTable.cuh"

#include "BrickCCL/Cuda/Thrust.cuh"

namespace brickccl::cuda
{

namespace
{

/** Finds the starts of runs where they do not follow the foreground. */
template <typename T>
__global__ void
StartsKernel(const T *          voxels,
             VoxelRule<T>       rule,
             WordGrid           grid,
             bool               joinAlongX,
             const DeviceWord * foreground,
             DeviceWord *       starts)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const DeviceWord   bits = foreground[word];
    const DeviceWord   before = wordOfRow > 0 ? foreground[word - 1] >> 31 : 0u;
    const DeviceWord   candidates = joinAlongX ? bits & ((bits << 1) | before) : 0u;
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    starts[word] = bits & ~LinksToLeft(voxels, rule, grid.extent, voxel, candidates);
  }
}

/** How many runs start in a word. */
template <typename TIndex>
struct CountStarts
{
  WordGrid           grid;
  const DeviceWord * foreground;
  const DeviceWord * starts;

  __device__ TIndex
  operator()(std::int64_t word) const
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    return word < grid.words ? static_cast<TIndex>(__popc(StartsOf(foreground, starts, word, wordOfRow))) : TIndex{ 0 };
  }
};

} // namespace

template <typename TIndex>
void
FindRuns(const Problem & problem, RunTable<TIndex> & table, cudaStream_t stream)
{
  const WordGrid grid(problem.image.extent);
  const bool     joinAlongX = problem.connectivity.Uses(0);
  table.hasStarts = !problem.criterion.FollowsForeground() || !joinAlongX;
  if (table.hasStarts)
  {
    table.starts.Resize(static_cast<std::size_t>(grid.words));
    VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
      using T = typename std::decay_t<decltype(rule)>::Pixel;
      BRICKCCL_LAUNCH(StartsKernel<T>,
                      ShapeFor(grid.words),
                      stream,
                      pixels,
                      rule,
                      grid,
                      joinAlongX,
                      table.foreground.Data(),
                      table.starts.Data());
    });
  }
  table.runsBefore.Resize(static_cast<std::size_t>(grid.words) + 1);
  CallThrust(table.workspace, stream, [&](const auto & policy) {
    thrust::transform_exclusive_scan(policy,
                                     CountFrom(0),
                                     CountFrom(grid.words + 1),
                                     table.runsBefore.Data(),
                                     CountStarts<TIndex>{ grid, table.foreground.Data(), table.Starts() },
                                     TIndex{ 0 },
                                     thrust::plus<TIndex>());
  });
  table.runs = static_cast<std::int64_t>(table.fetched.Fetch(table.runsBefore.Data() + grid.words, stream));
  table.labelOfRun.Resize(static_cast<std::size_t>(table.runs) + 1);
}

template void FindRuns(const Problem &, RunTable<unsigned> &, cudaStream_t);
template void FindRuns(const Problem &, RunTable<unsigned long long> &, cudaStream_t);

} // namespace brickccl::cuda
