#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_COUNTBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_COUNTBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Measuring/SumComponents.cuh"

/** The sizes of components, from what is kept of bricks. */
namespace brickccl::cuda
{

/** The voxels of a brick's components in shared memory, found by their labels. */
struct BrickCounts
{
  static constexpr unsigned capacity = WordsPerBrick;
  static constexpr unsigned probes = TuningOf<Tuned::CountProbes>;

  /** 0 means that the slot is free. */
  unsigned labels[capacity];
  unsigned counts[capacity];

  /** Components without a slot are counted in global memory at once. */
  __device__ void
  Add(unsigned label, unsigned count, unsigned long long * sizes)
  {
    unsigned slot = label * 2654435761u >> 24;
    for (unsigned i = 0; i < probes; ++i, slot = (slot + 1) % capacity)
    {
      const unsigned found = atomicCAS(&labels[slot], 0u, label);
      if (found == 0 || found == label)
      {
        atomicAdd(&counts[slot], count);
        return;
      }
    }
    atomicAdd(sizes + (label - 1), static_cast<unsigned long long>(count));
  }
  /** Adds what the lanes of a warp have, those of a label at once as long as there are few labels. All lanes must call.
   */
  __device__ __forceinline__ void
  AddByLabel(unsigned label, unsigned count, unsigned long long * sizes)
  {
    constexpr int mostRounds = TuningOf<Tuned::CountRounds>;
    for (int round = 0; round < mostRounds; ++round)
    {
      const unsigned waiting = __ballot_sync(AllLanes, label != 0);
      if (waiting == 0)
      {
        break;
      }
      const unsigned common = __shfl_sync(AllLanes, label, LowestBit(waiting));
      const bool     belongs = label == common;
      const unsigned together = SumOfWarp(belongs ? count : 0u);
      if (threadIdx.x % 32 == 0)
      {
        Add(common, together, sizes);
      }
      label = belongs ? 0 : label;
    }
    if (label != 0)
    {
      Add(label, count, sizes);
    }
  }
};

/** A word of a brick and its runs, as each lane of a warp reads them after labeling. */
template <typename TLayout>
struct LabeledWord
{
  RowWords<TLayout::rowCount> rows;
  DeviceWord                  united;
  DeviceWord                  starts;
  unsigned                    runsBefore;

  /** Reads the word of this thread in its block's brick. All lanes must call. */
  __device__ explicit LabeledWord(const BrickArrays & bricks)
  {
    const std::size_t index = std::size_t{ blockIdx.x } * WordsPerBrick + threadIdx.x;
    const auto        kept = bricks.Kept<TLayout>(index);
    rows = TLayout::Rows(kept);
    united = rows.United();
    const DeviceWord before = __shfl_up_sync(AllLanes, united, 1);
    starts = TLayout::Starts(kept, threadIdx.x % WordsPerBrickRow > 0 ? before : 0u);
    runsBefore = united != 0 ? bricks.runsBefore[index] : 0u;
  }
  /** Calls `take` with each run's label and bits. What a filter dropped has label 0. */
  template <typename TTake>
  __device__ __forceinline__ void
  ForRuns(const BrickArrays & bricks, const BrickBase & base, const TTake & take) const
  {
    for (DeviceWord rest = united; rest != 0;)
    {
      const int        low = LowestBit(rest);
      const DeviceWord run = RunFrom(united, starts, low);
      const unsigned   component = __ldg(bricks.componentOfRun + base.run + RunAt(runsBefore, starts, low));
      take(__ldg(bricks.parent + base.component + component), run);
      rest &= ~run;
    }
  }
};

/** Adds the voxels of one brick per block to the sizes, one word per thread. They are counted in a lane, then in a
 * warp, then in the brick before they go to global memory. \param sizes  by label - 1 */
template <typename TLayout>
__global__ void
__launch_bounds__(WordsPerBrick)
  CountBricksKernel(const __grid_constant__ BrickArrays bricks, unsigned long long * __restrict__ sizes)
{
  __shared__ BrickCounts     memory;
  const auto                 self = static_cast<unsigned>(threadIdx.x);
  const LabeledWord<TLayout> word(bricks);
  memory.labels[self] = 0;
  memory.counts[self] = 0;
  if (__syncthreads_or(word.united != 0) == 0)
  {
    return;
  }
  // Runs side by side mostly belong to one component.
  unsigned label = 0;
  unsigned count = 0;
  word.ForRuns(bricks, bricks.bases[blockIdx.x], [&](unsigned next, DeviceWord run) {
    if (next != label)
    {
      if (label != 0)
      {
        memory.Add(label, count, sizes);
      }
      label = next;
      count = 0;
    }
#pragma unroll
    for (int r = 0; r < TLayout::rowCount; ++r)
    {
      count += static_cast<unsigned>(__popc(word.rows.rows[r] & run));
    }
  });
  memory.AddByLabel(label, count, sizes);
  __syncthreads();
  if (const unsigned found = memory.labels[self]; found != 0)
  {
    atomicAdd(sizes + (found - 1), static_cast<unsigned long long>(memory.counts[self]));
  }
}

} // namespace brickccl::cuda

#endif
