#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** From bits, runs and labels of components to what the caller wants. */
namespace brickccl::cuda
{

/** What is kept of a word, loaded from shared memory at once. */
template <typename TLayout>
struct alignas(16) LayerWord
{
  RowWords<TLayout::rowCount> rows;
  DeviceWord                  starts;
  /** Runs of the layer that start before the word. */
  unsigned runsBefore;
};

/** One layer of a brick in shared memory, and the labels of its runs. */
template <typename TLayout>
struct LayerMemory
{
  LayerWord<TLayout> words[WordsPerLayer];
  /** Of the layer's run i at i + 1. */
  unsigned labels[WordsPerLayer * TLayout::runsPerWord + 1];

  /** The label of the last run that starts within `upTo`, the bits of the word up to some bit: of the run that covers
   *  this bit, if one does. */
  __device__ unsigned
  LabelAt(const LayerWord<TLayout> & word, DeviceWord upTo) const
  {
    return labels[word.runsBefore + static_cast<unsigned>(__popc(word.starts & upTo))];
  }
};

/** Voxels of a row that one lane writes. */
inline constexpr int VoxelsPerLane = VoxelsPerBrickRow / 32;

template <typename TLabel>
using LaneLabels = TLabel[VoxelsPerLane];

/** What pointers to labels must be multiples of for StoreTogether. */
template <typename TLabel>
inline constexpr unsigned LabelAlignment = sizeof(LaneLabels<TLabel>) < 16 ? sizeof(LaneLabels<TLabel>) : 16;

/** Writes a lane's labels, which lie side by side. */
template <typename TLabel>
__device__ inline void
StoreTogether(TLabel * place, const LaneLabels<TLabel> & values)
{
  if constexpr (sizeof(TLabel) == 1)
  {
    __stcs(reinterpret_cast<unsigned *>(place),
           static_cast<unsigned>(values[0] | values[1] << 8 | values[2] << 16) | static_cast<unsigned>(values[3])
                                                                                   << 24);
  }
  else if constexpr (sizeof(TLabel) == 2)
  {
    __stcs(reinterpret_cast<uint2 *>(place),
           make_uint2(values[0] | static_cast<unsigned>(values[1]) << 16,
                      values[2] | static_cast<unsigned>(values[3]) << 16));
  }
  else if constexpr (sizeof(TLabel) == 4)
  {
    __stcs(reinterpret_cast<uint4 *>(place), make_uint4(values[0], values[1], values[2], values[3]));
  }
  else
  {
    const auto low = [&](int i) { return static_cast<unsigned>(values[i]); };
    const auto high = [&](int i) { return static_cast<unsigned>(values[i] >> 32); };
    __stcs(reinterpret_cast<uint4 *>(place), make_uint4(low(0), high(0), low(1), high(1)));
    __stcs(reinterpret_cast<uint4 *>(place) + 1, make_uint4(low(2), high(2), low(3), high(3)));
  }
}

/** The label map, one warp per layer of a brick. All rows of a bundle take their labels from the same runs. */
template <typename TLayout, typename TLabel>
__global__ void
__launch_bounds__(WordsPerBrick, TLayout::rowCount < 4 ? 8 : 6)
  WriteBricksKernel(const __grid_constant__ BundleGrid  grid,
                    const __grid_constant__ BrickArrays bricks,
                    TLabel * __restrict__ labels)
{
  constexpr int rowCount = TLayout::rowCount;
  __shared__ LayerMemory<TLayout> layers[LayersPerBrick];

  const int        self = static_cast<int>(threadIdx.x);
  const int        lane = self % WordsPerLayer;
  const int        layer = self / WordsPerLayer;
  auto &           memory = layers[layer];
  const BrickPlace place(grid, blockIdx.x);
  WaitForEarlierKernels();
  const std::size_t index = std::size_t{ blockIdx.x } * WordsPerBrick + static_cast<unsigned>(self);
  const auto        kept = bricks.Kept<TLayout>(index);
  const unsigned    runsBefore = bricks.runsBefore[index];
  const BrickBase   base = bricks.bases[blockIdx.x];
  if (!bricks.Fit())
  {
    return;
  }
  const RowWords<rowCount> own = TLayout::Rows(kept);
  const DeviceWord         united = own.United();
  const DeviceWord         before = __shfl_up_sync(AllLanes, united, 1);
  // Of every bundle WordsPerBrickRow bits.
  const unsigned nonEmpty = __ballot_sync(AllLanes, united != 0);
  if (nonEmpty != 0)
  {
    const DeviceWord starts = TLayout::Starts(kept, lane % WordsPerBrickRow > 0 ? before : 0u);
    const unsigned   firstRun = __shfl_sync(AllLanes, runsBefore, 0);
    const unsigned   runs =
      __shfl_sync(AllLanes, runsBefore + static_cast<unsigned>(__popc(starts)), WordsPerLayer - 1) - firstRun;
    memory.words[lane] = { own, starts, runsBefore - firstRun };
    for (unsigned run = static_cast<unsigned>(lane); run < runs; run += 32)
    {
      memory.labels[run + 1] =
        __ldg(bricks.parent + base.component + __ldg(bricks.componentOfRun + base.run + firstRun + run));
    }
    if (lane == 0)
    {
      memory.labels[0] = 0;
    }
    __syncwarp();
  }

  const std::int64_t rowLength = grid.extent.RowLength();
  const std::int64_t plane = rowLength * grid.extent.size[1];
  const int          brickX = place.x * VoxelsPerBrickRow;
  const int          firstBundle = layer * BundlesPerLayer;
  const int          bundleY = (place.y << grid.bundlesShiftY) + (firstBundle & grid.MaskY());
  const int          bundleZ = (place.z << grid.bundlesShiftZ) + (firstBundle >> grid.bundlesShiftY);
  const std::int64_t row = grid.RowOf(bundleY, bundleZ, 0);
  if (row < 0)
  {
    return;
  }
  const int  rowsLeftY = static_cast<int>(grid.extent.size[1] - (std::int64_t{ bundleY } << grid.rowsShiftY));
  const bool hasNextZ = (std::int64_t{ bundleZ } << grid.rowsShiftZ) + 1 < grid.extent.size[2];
  // Lane's voxels: four side by side, or every 32nd where rows do not begin at multiples of four labels.
  const bool together =
    rowLength % VoxelsPerLane == 0 && reinterpret_cast<std::uintptr_t>(labels) % LabelAlignment<TLabel> == 0;
  const int        lanesPerWord = BitsPerDeviceWord / VoxelsPerLane;
  const int        x = together ? lane % lanesPerWord * VoxelsPerLane : lane;
  const int        inBrick = together ? lane * VoxelsPerLane : lane;
  const DeviceWord upToFirst = BitsUpToLane(x);
  const DeviceWord upToLast = BitsUpToLane(x + VoxelsPerLane - 1 < 31 ? x + VoxelsPerLane - 1 : 31);
  TLabel *         line = labels + row * rowLength + brickX + inBrick;
#pragma unroll 2
  for (int b = 0; b < BundlesPerLayer; ++b, line += rowLength << grid.rowsShiftY)
  {
    const int rowsLeft = rowsLeftY - (b << grid.rowsShiftY);
    if (rowsLeft <= 0)
    {
      break;
    }
    const bool isEmpty = (nonEmpty >> b * WordsPerBrickRow & 0xFu) == 0;
    if (together)
    {
      RowWords<rowCount> rows = {};
      unsigned           label[VoxelsPerLane] = {};
      if (!isEmpty)
      {
        const LayerWord<TLayout> word = memory.words[b * WordsPerBrickRow + lane / lanesPerWord];
        rows = word.rows;
        const unsigned last = memory.LabelAt(word, upToLast);
#pragma unroll
        for (int i = 0; i < VoxelsPerLane; ++i)
        {
          label[i] = last;
        }
        // Most often all four lie in one run: none starts after the first of them.
        const DeviceWord some = rows.United() & upToLast & ~(upToFirst >> 1);
        if ((word.starts & some & (some - 1)) != 0)
        {
#pragma unroll
          for (int i = 0; i < VoxelsPerLane - 1; ++i)
          {
            label[i] = memory.LabelAt(word, upToLast >> (VoxelsPerLane - 1 - i));
          }
        }
      }
#pragma unroll
      for (int r = 0; r < rowCount; ++r)
      {
        const DeviceWord   bits = rows.rows[r] >> x;
        LaneLabels<TLabel> values;
#pragma unroll
        for (int i = 0; i < VoxelsPerLane; ++i)
        {
          values[i] = static_cast<TLabel>((bits >> i & 1u) != 0 ? label[i] : 0u);
        }
        if ((r & 1) < rowsLeft && ((r >> 1) == 0 || hasNextZ) && brickX + inBrick < rowLength)
        {
          StoreTogether(line + (r & 1) * rowLength + (r >> 1) * plane, values);
        }
      }
    }
    else
    {
#pragma unroll
      for (int i = 0; i < VoxelsPerLane; ++i)
      {
        RowWords<rowCount> rows = {};
        unsigned           label = 0;
        if (!isEmpty)
        {
          const LayerWord<TLayout> word = memory.words[b * WordsPerBrickRow + i];
          rows = word.rows;
          label = memory.LabelAt(word, upToFirst);
        }
#pragma unroll
        for (int r = 0; r < rowCount; ++r)
        {
          if ((r & 1) < rowsLeft && ((r >> 1) == 0 || hasNextZ) && brickX + inBrick + i * 32 < rowLength)
          {
            line[(r & 1) * rowLength + (r >> 1) * plane + i * 32] =
              static_cast<TLabel>((rows.rows[r] >> x & 1u) != 0 ? label : 0u);
          }
        }
      }
    }
  }
}

/** Where a word of a row of the volume lies in bricks. */
struct RowPlace
{
  WordPlace place;
  int       row;

  __device__
  RowPlace(const BundleGrid & grid, std::int64_t row, std::int64_t wordOfRow)
  {
    const auto z = static_cast<unsigned>(row) / static_cast<unsigned>(grid.extent.size[1]);
    const auto y = static_cast<unsigned>(row) - z * static_cast<unsigned>(grid.extent.size[1]);
    place.Set(grid,
              static_cast<int>(wordOfRow),
              static_cast<int>(y >> grid.rowsShiftY),
              static_cast<int>(z >> grid.rowsShiftZ));
    this->row = static_cast<int>((y & ((1u << grid.rowsShiftY) - 1)) | (z & ((1u << grid.rowsShiftZ) - 1)) << 1);
  }
};

/** Bits of bricks as bits of rows. */
template <typename TLayout>
__global__ void
UnpackBricksKernel(const __grid_constant__ BundleGrid  grid,
                   const __grid_constant__ BrickArrays bricks,
                   WordGrid                            words,
                   DeviceWord *                        foreground)
{
  for (std::int64_t word = ThreadIndex(); word < words.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    words.Locate(word, row, wordOfRow);
    const RowPlace at(grid, row, wordOfRow);
    foreground[word] = bricks.Rows<TLayout>(at.place.Index()).rows[at.row];
  }
}

/** Gives every run of a row the label of its first voxel. */
template <typename TLayout>
__global__ void
LabelBrickRunsKernel(const __grid_constant__ BundleGrid  grid,
                     const __grid_constant__ BrickArrays bricks,
                     WordGrid                            words,
                     const DeviceWord *                  foreground,
                     const DeviceWord *                  starts,
                     const unsigned *                    runsBefore,
                     unsigned *                          labelOfRun)
{
  for (std::int64_t word = ThreadIndex(); word < words.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    words.Locate(word, row, wordOfRow);
    DeviceWord rest = StartsOf(foreground, starts, word, wordOfRow);
    if (rest == 0)
    {
      continue;
    }
    const RowPlace at(grid, row, wordOfRow);
    unsigned       run = runsBefore[word];
    for (; rest != 0; rest &= rest - 1)
    {
      labelOfRun[run++] = bricks.parent[ComponentAt<TLayout>(bricks, at.place, LowestBit(rest))];
    }
  }
}

} // namespace brickccl::cuda

#endif
