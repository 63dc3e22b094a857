#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** From bits, runs and labels of components to what the caller wants. */
namespace brickccl::cuda
{

/** One layer of a brick in shared memory, and the labels of its runs. */
template <typename TLayout>
struct LayerMemory
{
  RowWords<TLayout::rowCount> rows[WordsPerLayer];
  DeviceWord                  starts[WordsPerLayer];
  unsigned short              runsBefore[WordsPerLayer];
  unsigned                    labels[WordsPerLayer * TLayout::runsPerWord];

  /** The label of the run that covers bit x of a word. */
  __device__ unsigned
  LabelAt(int at, int x) const
  {
    return labels[RunAt(runsBefore[at], starts[at], x)];
  }
};

/** The label map, one warp per layer of a brick. All rows of a bundle take their labels from the same runs. */
template <typename TLayout, typename TLabel>
__global__ void
__launch_bounds__(WordsPerBrick) WriteBricksKernel(const __grid_constant__ BundleGrid  grid,
                                                   const __grid_constant__ BrickArrays bricks,
                                                   TLabel * __restrict__ labels)
{
  constexpr int rowCount = TLayout::rowCount;
  constexpr int voxelsPerLane = VoxelsPerBrickRow / 32;
  __shared__ LayerMemory<TLayout> layers[LayersPerBrick];

  const int        self = static_cast<int>(threadIdx.x);
  const int        lane = self % WordsPerLayer;
  const int        layer = self / WordsPerLayer;
  auto &           memory = layers[layer];
  const BrickPlace place(grid, blockIdx.x);
  if (!bricks.Fit())
  {
    return;
  }
  const std::size_t        index = std::size_t{ blockIdx.x } * WordsPerBrick + static_cast<unsigned>(self);
  const auto               kept = bricks.Kept<TLayout>(index);
  const RowWords<rowCount> own = TLayout::Rows(kept);
  const DeviceWord         united = own.United();
  const DeviceWord         before = __shfl_up_sync(AllLanes, united, 1);
  const bool               isEmpty = !__any_sync(AllLanes, united != 0);
  if (!isEmpty)
  {
    const DeviceWord starts = TLayout::Starts(kept, lane % WordsPerBrickRow > 0 ? before : 0u);
    const unsigned   runsBefore = bricks.runsBefore[index];
    const BrickBase  base = bricks.bases[blockIdx.x];
    const unsigned   firstRun = __shfl_sync(AllLanes, runsBefore, 0);
    const unsigned   runs =
      __shfl_sync(AllLanes, runsBefore + static_cast<unsigned>(__popc(starts)), WordsPerLayer - 1) - firstRun;
    memory.rows[lane] = own;
    memory.starts[lane] = starts;
    memory.runsBefore[lane] = static_cast<unsigned short>(runsBefore - firstRun);
    for (unsigned run = static_cast<unsigned>(lane); run < runs; run += 32)
    {
      memory.labels[run] =
        __ldg(bricks.parent + base.component + __ldg(bricks.componentOfRun + base.run + firstRun + run));
    }
    __syncwarp();
  }

  const std::int64_t rowLength = grid.extent.RowLength();
  const std::int64_t brickX = std::int64_t{ place.x } * VoxelsPerBrickRow;
  const bool         asVectors =
    sizeof(TLabel) == 4 && rowLength % voxelsPerLane == 0 && reinterpret_cast<std::uintptr_t>(labels) % 16 == 0;
#pragma unroll 2
  for (int b = 0; b < BundlesPerLayer; ++b)
  {
    const int bundle = layer * BundlesPerLayer + b;
    const int bundleY = (place.y << grid.bundlesShiftY) + (bundle & grid.MaskY());
    const int bundleZ = (place.z << grid.bundlesShiftZ) + (bundle >> grid.bundlesShiftY);
    if (bundleY >= grid.bundlesY || bundleZ >= grid.bundlesZ)
    {
      continue;
    }
    // Lane's voxels: four side by side, or every 32nd where rows do not begin at multiples of 16 bytes.
    RowWords<rowCount> bits[voxelsPerLane];
    unsigned           label[voxelsPerLane] = {};
    if (asVectors)
    {
      const int          at = b * WordsPerBrickRow + lane / (BitsPerDeviceWord / voxelsPerLane);
      const int          x = lane % (BitsPerDeviceWord / voxelsPerLane) * voxelsPerLane;
      RowWords<rowCount> quads = {};
      if (!isEmpty)
      {
        quads = memory.rows[at];
      }
      const DeviceWord some = (quads.United() >> x) & 0xFu;
      if (some != 0)
      {
        const DeviceWord starts = memory.starts[at];
        const unsigned   runsBefore = memory.runsBefore[at];
        const int        low = x + LowestBit(some);
        const unsigned   run = RunAt(runsBefore, starts, low);
        const unsigned   first = memory.labels[run];
        // Most often all four lie in one run: none starts after the first of them.
        const DeviceWord later = starts & BitsUpToLane(x + voxelsPerLane - 1) & ~BitsUpToLane(low);
#pragma unroll
        for (int i = 0; i < voxelsPerLane; ++i)
        {
          label[i] = first;
        }
        if (later != 0)
        {
#pragma unroll
          for (int i = 0; i < voxelsPerLane; ++i)
          {
            if ((some >> i & 1u) != 0)
            {
              label[i] = memory.labels[RunAt(runsBefore, starts, x + i)];
            }
          }
        }
      }
#pragma unroll
      for (int i = 0; i < voxelsPerLane; ++i)
      {
#pragma unroll
        for (int r = 0; r < rowCount; ++r)
        {
          bits[i].rows[r] = quads.rows[r] >> (x + i);
        }
      }
    }
    else
    {
#pragma unroll
      for (int i = 0; i < voxelsPerLane; ++i)
      {
        const int at = b * WordsPerBrickRow + i;
        bits[i] = {};
        if (!isEmpty && (memory.rows[at].United() >> lane & 1u) != 0)
        {
          label[i] = memory.LabelAt(at, lane);
#pragma unroll
          for (int r = 0; r < rowCount; ++r)
          {
            bits[i].rows[r] = memory.rows[at].rows[r] >> lane;
          }
        }
      }
    }
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      const std::int64_t row = grid.RowOf(bundleY, bundleZ, r);
      if (row < 0)
      {
        continue;
      }
      TLabel * const line = labels + row * rowLength + brickX;
      TLabel         values[voxelsPerLane];
#pragma unroll
      for (int i = 0; i < voxelsPerLane; ++i)
      {
        values[i] = static_cast<TLabel>((bits[i].rows[r] & 1u) != 0 ? label[i] : 0u);
      }
      if (asVectors)
      {
        if (brickX + lane * voxelsPerLane < rowLength)
        {
          __stcs(reinterpret_cast<uint4 *>(line) + lane,
                 make_uint4(static_cast<unsigned>(values[0]),
                            static_cast<unsigned>(values[1]),
                            static_cast<unsigned>(values[2]),
                            static_cast<unsigned>(values[3])));
        }
      }
      else
      {
#pragma unroll
        for (int i = 0; i < voxelsPerLane; ++i)
        {
          const int x = i * 32 + lane;
          if (brickX + x < rowLength)
          {
            line[x] = values[i];
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
