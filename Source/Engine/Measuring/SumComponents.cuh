// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_SUMCOMPONENTS_CUH
#define BRICKCCL_MEASURING_SUMCOMPONENTS_CUH

#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Runs/RunTable.cuh"

/** The sums of the default columns, collected on the device: one CompactShapeSums for each component. */
namespace brickccl::cuda
{

/** The sum of the places of the bits that are set. */
__device__ inline unsigned
SumOfPlaces(DeviceWord bits)
{
  const auto count = [](DeviceWord some) { return static_cast<unsigned>(__popc(some)); };
  return count(bits & 0xAAAAAAAAu) + 2 * count(bits & 0xCCCCCCCCu) + 4 * count(bits & 0xF0F0F0F0u) +
         8 * count(bits & 0xFF00FF00u) + 16 * count(bits & 0xFFFF0000u);
}

/** The bits of the run that begins at bit `low` of a word: up to the next gap or the next start. */
__device__ inline DeviceWord
RunFrom(DeviceWord bits, DeviceWord starts, int low)
{
  const DeviceWord ends = (~bits | starts) & ~BitsUpToLane(low);
  const int        end = __ffs(static_cast<int>(ends));
  return bits & ~(BitsUpToLane(low) >> 1) & (end == 0 ? 0xFFFFFFFFu : BitsUpToLane(end - 1) >> 1);
}

/** Voxels of one component within a small box: counts and sums of indices that count from the box. */
struct PieceSums
{
  unsigned sums[4] = { 0, 0, 0, 0 };
  /** As CompactShapeSums has them, from the box; then its first voxel in raster order, as FirstVoxelKey packs it. */
  int lowest[5] = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
  int lastSlice = 0;

  __device__ unsigned
  Sum(int i) const
  {
    return sums[i];
  }
  __device__ int
  Lowest(int i) const
  {
    return lowest[i];
  }
  __device__ int
  LastSlice() const
  {
    return lastSlice;
  }

  __device__ void
  Add(const PieceSums & other)
  {
#pragma unroll
    for (int i = 0; i < 4; ++i)
    {
      sums[i] += other.sums[i];
    }
#pragma unroll
    for (int i = 0; i < 5; ++i)
    {
      lowest[i] = other.lowest[i] < lowest[i] ? other.lowest[i] : lowest[i];
    }
    lastSlice = other.lastSlice > lastSlice ? other.lastSlice : lastSlice;
  }
};

/** The total of all lanes. */
__device__ inline PieceSums
JoinInWarp(const PieceSums & own)
{
  PieceSums piece = own;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#  pragma unroll
  for (int i = 0; i < 4; ++i)
  {
    piece.sums[i] = __reduce_add_sync(AllLanes, own.sums[i]);
  }
#  pragma unroll
  for (int i = 0; i < 5; ++i)
  {
    piece.lowest[i] = __reduce_min_sync(AllLanes, own.lowest[i]);
  }
  piece.lastSlice = __reduce_max_sync(AllLanes, own.lastSlice);
#else
  for (unsigned distance = 16; distance > 0; distance /= 2)
  {
    // Lanes past the end get their own again, which only lanes past the end use.
    PieceSums other;
    for (int i = 0; i < 4; ++i)
    {
      other.sums[i] = __shfl_down_sync(AllLanes, piece.sums[i], distance);
    }
    for (int i = 0; i < 5; ++i)
    {
      other.lowest[i] = __shfl_down_sync(AllLanes, piece.lowest[i], distance);
    }
    other.lastSlice = __shfl_down_sync(AllLanes, piece.lastSlice, distance);
    piece.Add(other);
  }
#endif
  return piece;
}

/** Adds what the lanes of a warp have, each of the component `label` (0: nothing): for the first few labels together.
 *  All lanes of the warp come here. */
template <typename TLabel, typename TAdd>
__device__ void
AddByLabel(TLabel label, const PieceSums & own, TAdd add)
{
  constexpr int mostRounds = 4;
  unsigned      waiting = __ballot_sync(AllLanes, label != 0);
  for (int round = 0; waiting != 0 && round < mostRounds; ++round)
  {
    const auto      leader = static_cast<unsigned>(__ffs(static_cast<int>(waiting)) - 1);
    const TLabel    common = __shfl_sync(AllLanes, label, leader);
    const bool      belongs = label == common;
    const PieceSums joined = JoinInWarp(belongs ? own : PieceSums());
    if (threadIdx.x % 32 == 0)
    {
      add(common, joined);
    }
    label = belongs ? 0 : label;
    waiting = __ballot_sync(AllLanes, label != 0);
  }
  if (label != 0)
  {
    add(label, own);
  }
}

/** A voxel of a box of at most 2^10 voxels a side as a number that is ordered as raster order is. */
__device__ inline int
FirstVoxelKey(int x, int y, int z)
{
  // Where there is no voxel, z may be a larger number, whose upper bits are lost.
  return static_cast<int>(static_cast<unsigned>(z) << 20 | static_cast<unsigned>(y) << 10 | static_cast<unsigned>(x));
}

/** The contribution of a box to a component is added in four parts: the i-th of the sums, the i-th of the bounds, and
 * of the first two parts the first voxel and the last slice. Lanes side by side that add the parts of one component
 * write side by side, too. */
inline constexpr int PiecePartCount = 4;

/** Adds a part. \param piece  gives its sums, lowest values and last slice, from registers or shared memory
 *  \param at     the box's first voxel */
template <typename TPiece>
__device__ void
AddPart(CompactShapeSums & sums, int part, const TPiece & piece, const std::int64_t (&at)[3], const Extent & extent)
{
  // An index that is not known beforehand would put the array into memory.
  const std::int64_t step = part == 0 ? 0 : part == 1 ? at[0] : part == 2 ? at[1] : at[2];
  const int          from = static_cast<int>(part % 2 == 0 ? at[0] : at[1]);
  atomicAdd(reinterpret_cast<unsigned long long *>(sums.sums + part),
            piece.Sum(part) + piece.Sum(0) * static_cast<unsigned long long>(step));
  atomicMin(sums.lowest + part, piece.Lowest(part) + (part < 2 ? from : -from));
  if (part == 0)
  {
    const int          key = piece.Lowest(4);
    const std::int64_t row = (at[2] + (key >> 20)) * extent.size[1] + at[1] + (key >> 10 & 1023);
    atomicMin(reinterpret_cast<unsigned long long *>(&sums.firstVoxel),
              static_cast<unsigned long long>(row * extent.RowLength() + at[0] + (key & 1023)));
  }
  if (part == 1)
  {
    atomicMax(reinterpret_cast<long long *>(&sums.lastSlice), static_cast<long long>(at[2] + piece.LastSlice()));
  }
}

/** Adds all parts. */
__device__ inline void
AddPiece(CompactShapeSums & sums, const PieceSums & piece, const std::int64_t (&at)[3], const Extent & extent)
{
#pragma unroll
  for (int part = 0; part < PiecePartCount; ++part)
  {
    AddPart(sums, part, piece, at, extent);
  }
}

template <typename TSums>
__global__ void
ClearSumsKernel(TSums * sums, std::int64_t count)
{
  WaitForEarlierKernels();
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    TSums cleared;
    cleared.firstVoxel = ~0ull;
    sums[i] = cleared;
  }
}

inline constexpr int WordsPerWarp = 32;

/** From labeled runs, for algorithms that keep nothing else: one warp for 32 words of a row. */
template <typename TIndex>
__global__ void
SumRunsKernel(const __grid_constant__ WordGrid grid,
              const DeviceWord *               foreground,
              const DeviceWord *               storedStarts,
              const TIndex *                   runsBefore,
              const TIndex *                   labelOfRun,
              CompactShapeSums *               sums)
{
  const int          lane = static_cast<int>(threadIdx.x % WordsPerWarp);
  const std::int64_t warpsPerRow = (grid.wordsPerRow - 1) / WordsPerWarp + 1;
  const std::int64_t warps = warpsPerRow * grid.extent.RowCount();
  for (std::int64_t warp = ThreadIndex() / WordsPerWarp; warp < warps; warp += ThreadCount() / WordsPerWarp)
  {
    const std::int64_t row = warp / warpsPerRow;
    const std::int64_t first = warp % warpsPerRow * WordsPerWarp;
    const std::int64_t at[3] = { first * BitsPerDeviceWord, row % grid.extent.size[1], row / grid.extent.size[1] };
    const std::int64_t word = row * grid.wordsPerRow + first + lane;
    const DeviceWord   bits = first + lane < grid.wordsPerRow ? foreground[word] : 0u;
    const DeviceWord   starts = bits != 0 ? StartsOf(foreground, storedStarts, word, first + lane) : 0u;
    const auto add = [&](TIndex label, const PieceSums & piece) { AddPiece(sums[label - 1], piece, at, grid.extent); };
    PieceSums  own;
    TIndex     ownLabel = 0;
    for (DeviceWord rest = bits; rest != 0;)
    {
      const int        low = __ffs(static_cast<int>(rest)) - 1;
      const DeviceWord run = RunFrom(bits, starts, low);
      const TIndex label = labelOfRun[runsBefore[word] + static_cast<TIndex>(__popc(starts & BitsUpToLane(low))) - 1];
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
      const int x = lane * BitsPerDeviceWord;
      PieceSums piece;
      piece.sums[0] = static_cast<unsigned>(__popc(run));
      piece.sums[1] = SumOfPlaces(run) + piece.sums[0] * static_cast<unsigned>(x);
      piece.lowest[0] = x + low;
      piece.lowest[1] = 0;
      piece.lowest[2] = __clz(static_cast<int>(run)) - BitsPerDeviceWord - x;
      piece.lowest[3] = -1;
      piece.lowest[4] = FirstVoxelKey(x + low, 0, 0);
      own.Add(piece);
      rest &= ~run;
    }
    AddByLabel(ownLabel, own, add);
  }
}

} // namespace brickccl::cuda

#endif
