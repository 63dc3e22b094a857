// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SUMBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SUMBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Measuring/SumComponents.cuh"

/** The sizes of components and the sums of the default columns, from what is kept of bricks. */
namespace brickccl::cuda
{

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
  /** Calls `take` with each run's label and bits. Filtered components have label 0. */
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

/** Finds the slot of a label in a brick's slots of components, or takes a free one (label 0); calls `take` with it.
 * \return false if none of VProbes slots is the label's or free */
template <int VProbes, typename TTake>
__device__ inline bool
TakeSlot(unsigned (&labels)[WordsPerBrick], unsigned label, const TTake & take)
{
  unsigned slot = label * 2654435761u >> 24;
  for (int i = 0; i < VProbes; ++i, slot = (slot + 1) % WordsPerBrick)
  {
    const unsigned found = atomicCAS(&labels[slot], 0u, label);
    if (found == 0 || found == label)
    {
      take(slot);
      return true;
    }
  }
  return false;
}

/** The voxels of a brick's components in shared memory. */
struct BrickCounts
{
  unsigned labels[WordsPerBrick];
  unsigned counts[WordsPerBrick];

  /** Components without a slot are counted in global memory at once. */
  __device__ void
  Add(unsigned label, unsigned count, unsigned long long * sizes)
  {
    if (TakeSlot<TuningOf<Tuned::CountProbes>>(labels, label, [&](unsigned slot) { atomicAdd(&counts[slot], count); }))
    {
      return;
    }
    atomicAdd(sizes + (label - 1), static_cast<unsigned long long>(count));
  }
  /** Adds the lanes of a warp, all of a label at once while there are few labels. All lanes must call.
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

/** Converts a brick's sums from the axes of the grid to the axes of the volume. It is in one slice, whose z
 * in the brick is 0; `lowest` at 0, 1, 2 and 3 are the bounds along x and y, the upper ones negative. */
template <typename TSums, typename TLowest>
__device__ inline void
Turn(GridAxes axes, const TSums & sum, const TLowest & lowest, int & lastSlice)
{
  const int key = lowest(4);
  const int endY = lowest(3);
  lastSlice = -1 - endY;
  if (axes == GridAxes::YAndZExchanged)
  {
    sum(3) = sum(2);
    sum(2) = 0;
    lowest(1) = 0;
    lowest(3) = -1;
    lowest(4) = FirstVoxelKey(key & 1023, 0, key >> 10);
  }
  else
  {
    sum(3) = sum(2);
    sum(2) = sum(1);
    sum(1) = 0;
    lowest(1) = lowest(0);
    lowest(3) = lowest(2);
    lowest(0) = 0;
    lowest(2) = -1;
    lowest(4) = FirstVoxelKey(0, key & 1023, key >> 10);
  }
}

/** The sums of a brick's components in shared memory. */
struct BrickSums
{
  unsigned labels[WordsPerBrick];
  unsigned sums[4][WordsPerBrick];
  int      lowest[5][WordsPerBrick];
  int      lastSlice[WordsPerBrick];
  /** The slots that are taken. Those of each warp stand at the front of its share. */
  unsigned short taken[WordsPerBrick];

  __device__ void
  Clear(unsigned slot)
  {
    labels[slot] = 0;
    for (int i = 0; i < 4; ++i)
    {
      sums[i][slot] = 0;
    }
    for (int i = 0; i < 5; ++i)
    {
      lowest[i][slot] = 0x7fffffff;
    }
    lastSlice[slot] = 0;
  }

  /** \return false if there is no slot for the label */
  __device__ bool
  Add(unsigned label, const PieceSums & piece)
  {
    return TakeSlot<TuningOf<Tuned::SumProbes>>(labels, label, [&](unsigned slot) {
      for (int k = 0; k < 4; ++k)
      {
        atomicAdd(&sums[k][slot], piece.sums[k]);
      }
      for (int k = 0; k < 5; ++k)
      {
        atomicMin(&lowest[k][slot], piece.lowest[k]);
      }
      atomicMax(&lastSlice[slot], piece.lastSlice);
    });
  }

  __device__ void
  TurnSlot(GridAxes axes, unsigned slot)
  {
    Turn(
      axes,
      [&](int i) -> unsigned & { return sums[i][slot]; },
      [&](int i) -> int & { return lowest[i][slot]; },
      lastSlice[slot]);
  }

  /** The sums of a slot. */
  struct Slot
  {
    const BrickSums & memory;
    unsigned          slot;

    __device__ unsigned
    Sum(int i) const
    {
      return memory.sums[i][slot];
    }
    __device__ int
    Lowest(int i) const
    {
      return memory.lowest[i][slot];
    }
    __device__ int
    LastSlice() const
    {
      return memory.lastSlice[slot];
    }
  };

  /** Adds all sums to global memory. All threads of the block must call. */
  __device__ void
  Store(CompactShapeSums * to, const std::int64_t (&at)[3], GridAxes axes, const Extent & volume)
  {
    const auto     slot = static_cast<unsigned>(threadIdx.x);
    const unsigned lane = slot % 32;
    if (axes != GridAxes::AsInVolume)
    {
      TurnSlot(axes, slot);
    }
    const unsigned found = __ballot_sync(AllLanes, labels[slot] != 0);
    if (labels[slot] != 0)
    {
      taken[slot - lane + static_cast<unsigned>(__popc(found & ((1u << lane) - 1)))] =
        static_cast<unsigned short>(slot);
    }
    __syncwarp();
    const auto count = static_cast<unsigned>(__popc(found));
    for (unsigned i = lane / PiecePartCount; i < count; i += 32 / PiecePartCount)
    {
      const unsigned next = taken[slot - lane + i];
      AddPart(to[labels[next] - 1], static_cast<int>(lane % PiecePartCount), Slot{ *this, next }, at, volume);
    }
  }
};

/** The sum of the places of the bits of a bundle's rows. The bits of four rows are added place by place first, so that
 *  fewer words are left to count. */
__device__ inline unsigned
SumOfPlaces(const DeviceWord (&bits)[4])
{
  const DeviceWord odd = bits[0] ^ bits[1] ^ bits[2];
  const DeviceWord pairs = (bits[0] & bits[1]) | (bits[2] & (bits[0] | bits[1]));
  const DeviceWord morePairs = odd & bits[3];
  return SumOfPlaces(odd ^ bits[3]) + 2 * SumOfPlaces(pairs ^ morePairs) + 4 * SumOfPlaces(pairs & morePairs);
}

/** The sums of one run of a word: of the bits of the bundle's rows that it covers. `y` and `z` belong to the bundle's
 * first row in the grid, relative to its brick. */
template <typename TLayout>
__device__ PieceSums
PieceOfRun(const RowWords<TLayout::rowCount> & rows, DeviceWord run, int word, int y, int z)
{
  // Row r is at y + r % 2, z + r / 2.
  DeviceWord bits[4] = {};
  unsigned   counts[4] = {};
#pragma unroll
  for (int r = 0; r < TLayout::rowCount; ++r)
  {
    bits[r] = rows.rows[r] & run;
    counts[r] = static_cast<unsigned>(__popc(bits[r]));
  }
  const int      x = word * BitsPerDeviceWord;
  const unsigned all = counts[0] + counts[1] + counts[2] + counts[3];
  PieceSums      piece;
  piece.sums[0] = all;
  piece.sums[1] = SumOfPlaces(bits) + all * static_cast<unsigned>(x);
  piece.sums[2] = all * static_cast<unsigned>(y) + counts[1] + counts[3];
  piece.sums[3] = all * static_cast<unsigned>(z) + counts[2] + counts[3];
  piece.lowest[0] = x + LowestBit(run);
  piece.lowest[1] = (bits[0] | bits[2]) != 0 ? y : y + 1;
  piece.lowest[2] = __clz(static_cast<int>(run)) - BitsPerDeviceWord - x;
  piece.lowest[3] = (bits[1] | bits[3]) != 0 ? -2 - y : -1 - y;
  piece.lastSlice = (bits[2] | bits[3]) != 0 ? z + 1 : z;
  // Rows come in raster order.
  const bool       isInFirstSlice = (bits[0] | bits[1]) != 0;
  const DeviceWord row = isInFirstSlice ? bits[0] : bits[2];
  const DeviceWord rowBehind = isInFirstSlice ? bits[1] : bits[3];
  piece.lowest[4] =
    FirstVoxelKey(x + LowestBit(row != 0 ? row : rowBehind), row != 0 ? y : y + 1, isInFirstSlice ? z : z + 1);
  return piece;
}

/** The first voxel of a brick in the volume. */
__device__ inline void
BeginOfBrick(const BundleGrid & grid, unsigned brick, std::int64_t (&at)[3])
{
  const BrickPlace   place(grid, brick);
  const std::int64_t atX = std::int64_t{ place.x } * VoxelsPerBrickRow;
  const std::int64_t atY = std::int64_t{ place.y } << (grid.bundlesShiftY + grid.rowsShiftY);
  const std::int64_t atZ = std::int64_t{ place.z } << (grid.bundlesShiftZ + grid.rowsShiftZ);
  const bool         isAlongY = grid.axes == GridAxes::YThenZThenX;
  at[0] = isAlongY ? atZ : atX;
  at[1] = isAlongY ? atX : grid.axes == GridAxes::YAndZExchanged ? atZ : atY;
  at[2] = grid.axes == GridAxes::AsInVolume ? atZ : atY;
}

/** Sums one brick per block, one word per thread. The sums of a component are joined in a lane, then in a warp, then in
 *  the brick before they go to global memory. So a component that fills the volume costs each brick no more than a
 *  small one. */
template <typename TLayout>
__global__ void
__launch_bounds__(WordsPerBrick, TLayout::rowCount == 1 ? TuningOf<Tuned::SumBlocksOfRows> : TuningOf<Tuned::SumBlocks>)
  SumBricksKernel(const __grid_constant__ BundleGrid  grid,
                  const __grid_constant__ Extent      volume,
                  const __grid_constant__ BrickArrays bricks,
                  CompactShapeSums * __restrict__ sums)
{
  __shared__ BrickSums memory;
  const auto           self = static_cast<unsigned>(threadIdx.x);
  const auto           lane = static_cast<int>(self % 32);
  memory.Clear(self);
  WaitForEarlierKernels();

  std::int64_t at[3];
  BeginOfBrick(grid, blockIdx.x, at);
  const LabeledWord<TLayout> runs(bricks);
  const BrickBase            base = bricks.bases[blockIdx.x];
  const int                  word = lane % WordsPerBrickRow;
  const int                  bundle = static_cast<int>(self) / WordsPerBrickRow;
  const int                  y = (bundle & grid.MaskY()) << grid.rowsShiftY;
  const int                  z = (bundle >> grid.bundlesShiftY) << grid.rowsShiftZ;
  const auto                 add = [&](unsigned label, const PieceSums & piece) {
    if (!memory.Add(label, piece))
    {
      PieceSums inVolume = piece;
      if (grid.axes != GridAxes::AsInVolume)
      {
        Turn(
          grid.axes,
          [&](int i) -> unsigned & { return inVolume.sums[i]; },
          [&](int i) -> int & { return inVolume.lowest[i]; },
          inVolume.lastSlice);
      }
      AddPiece(sums[label - 1], inVolume, at, volume);
    }
  };
  if (__syncthreads_or(runs.united != 0) == 0)
  {
    return;
  }

  // Runs side by side mostly belong to one component.
  PieceSums own;
  unsigned  ownLabel = 0;
  runs.ForRuns(bricks, base, [&](unsigned label, DeviceWord run) {
    if (label != ownLabel)
    {
      // Filtered components have no label.
      if (ownLabel != 0)
      {
        add(ownLabel, own);
      }
      own = PieceSums();
    }
    ownLabel = label;
    own.Add(PieceOfRun<TLayout>(runs.rows, run, word, y, z));
  });
  AddByLabel(ownLabel, own, add);
  __syncthreads();
  memory.Store(sums, at, grid.axes, volume);
}

} // namespace brickccl::cuda

#endif
