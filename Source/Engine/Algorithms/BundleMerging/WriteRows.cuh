// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** From bits, runs and labels of components to the labels of some rows, and of runs of rows. */
namespace brickccl::cuda
{

/** The position of a voxel in bricks: the word, the row of its bundle, and the bit. */
struct VoxelPlace
{
  BrickWord place;
  int       row;
  int       bit;

  VoxelPlace() = default;
  /** \param row  of the volume */
  __device__
  VoxelPlace(const BundleGrid & grid, std::int64_t row, unsigned x)
  {
    if (grid.axes == GridAxes::YThenZThenX)
    {
      const unsigned z = static_cast<unsigned>(row) / grid.rowLength;
      const unsigned y = static_cast<unsigned>(row) - z * grid.rowLength;
      place = BrickWord(grid,
                        static_cast<int>(y / BitsPerDeviceWord),
                        static_cast<int>(z >> grid.rowsShiftY),
                        static_cast<int>(x));
      this->row = static_cast<int>(z & ((1u << grid.rowsShiftY) - 1));
      bit = static_cast<int>(y % BitsPerDeviceWord);
      return;
    }
    *this = OfWord(grid, row, x / BitsPerDeviceWord);
    bit = static_cast<int>(x % BitsPerDeviceWord);
  }
  /** The first voxel of a word of a row of the volume, where the grid has the volume's rows. */
  __device__ static VoxelPlace
  OfWord(const BundleGrid & grid, std::int64_t row, std::int64_t wordOfRow)
  {
    const bool     isTurned = grid.axes == GridAxes::YAndZExchanged;
    const unsigned inner = isTurned ? grid.sizeZ : grid.sizeY;
    const unsigned outerPlace = static_cast<unsigned>(row) / inner;
    const unsigned innerPlace = static_cast<unsigned>(row) - outerPlace * inner;
    const unsigned y = isTurned ? outerPlace : innerPlace;
    const unsigned z = isTurned ? innerPlace : outerPlace;
    VoxelPlace     at;
    at.place = BrickWord(grid,
                         static_cast<int>(wordOfRow),
                         static_cast<int>(y >> grid.rowsShiftY),
                         static_cast<int>(z >> grid.rowsShiftZ));
    at.row = static_cast<int>((y & ((1u << grid.rowsShiftY) - 1)) | (z & ((1u << grid.rowsShiftZ) - 1)) << 1);
    at.bit = 0;
    return at;
  }
};

/** Turns the bits of bricks into bits of rows. */
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
    const VoxelPlace at = VoxelPlace::OfWord(grid, row, wordOfRow);
    foreground[word] = bricks.Rows<TLayout>(at.place.Index()).rows[at.row];
  }
}

/** Writes the labels of rows, a voxel per thread. */
template <typename TLayout>
__global__ void
WriteRowsKernel(const __grid_constant__ BundleGrid  grid,
                const __grid_constant__ BrickArrays bricks,
                unsigned                            rowLength,
                std::int64_t                        firstRow,
                std::int64_t                        voxels,
                unsigned * __restrict__ labels)
{
  if (!bricks.Fit())
  {
    return;
  }
  for (std::int64_t i = ThreadIndex(); i < voxels; i += ThreadCount())
  {
    const std::int64_t rows = i / rowLength;
    const VoxelPlace   at(grid, firstRow + rows, static_cast<unsigned>(i - rows * rowLength));
    const bool         has = (bricks.Rows<TLayout>(at.place.Index()).rows[at.row] >> at.bit & 1u) != 0;
    labels[i] = has ? bricks.parent[ComponentAt<TLayout>(bricks, at.place, at.bit)] : 0u;
  }
}

/** Writes the labels of rows at the first voxel of each run of linked voxels, and at the first one of a word, a part of
 *  a word per thread. \param places  where labels are written: a bit for each voxel; each row begins with a word */
template <typename TLayout>
__global__ void
WriteRowStartsKernel(const __grid_constant__ BundleGrid  grid,
                     const __grid_constant__ BrickArrays bricks,
                     unsigned                            rowLength,
                     unsigned                            wordsPerRow,
                     std::int64_t                        firstRow,
                     std::int64_t                        words,
                     unsigned * __restrict__ labels,
                     DeviceWord * __restrict__ places)
{
  const bool fit = bricks.Fit();
  for (std::int64_t i = ThreadIndex(); i < words * PartOfWord::perWord; i += ThreadCount())
  {
    const PartOfWord   part(i);
    const std::int64_t row = part.word / wordsPerRow;
    const auto         x = static_cast<unsigned>(part.word - row * wordsPerRow) * BitsPerDeviceWord;
    const VoxelPlace   at(grid, firstRow + row, x);
    const auto         kept = bricks.Kept<TLayout>(at.place.Index());
    const DeviceWord   bits = fit ? TLayout::Rows(kept).rows[at.row] : 0u;
    const DeviceWord   starts = TLayout::keepsStarts ? TLayout::Starts(kept, 0u) : ~(bits << 1);
    const DeviceWord   all = bits & (starts | 1u);
    if (part.IsFirst())
    {
      places[part.word] = all;
    }
    for (DeviceWord rest = all & part.bits; rest != 0; rest &= rest - 1)
    {
      const int bit = LowestBit(rest);
      labels[row * rowLength + x + static_cast<unsigned>(bit)] =
        bricks.parent[ComponentAt<TLayout>(bricks, at.place, bit)];
    }
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
    // If the grid has the volume's rows, all bits are in one word.
    const auto first = static_cast<unsigned>(wordOfRow * BitsPerDeviceWord);
    VoxelPlace at(grid, row, first);
    unsigned   run = runsBefore[word];
    for (; rest != 0; rest &= rest - 1)
    {
      const int bit = LowestBit(rest);
      if (grid.axes == GridAxes::YThenZThenX)
      {
        at = VoxelPlace(grid, row, first + static_cast<unsigned>(bit));
      }
      else
      {
        at.bit = bit;
      }
      labelOfRun[run++] = bricks.parent[ComponentAt<TLayout>(bricks, at.place, at.bit)];
    }
  }
}

} // namespace brickccl::cuda

#endif
