// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWBRICK_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWBRICK_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowTile.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** A brick of rows in shared memory, where values decide. */
namespace brickccl::cuda
{

/** A word of a brick, and the number of the brick's runs that start before it. With VKeepsBeside it has its adjacent
 * bits, too. */
template <bool VKeepsBeside>
struct alignas(VKeepsBeside ? 8 : 16) BrickRowWord
{
  std::conditional_t<VKeepsBeside, RunWindow, RowWord> row;
  unsigned                                             runsBefore;
};

/** A brick of rows in shared memory. */
template <typename TProblem>
struct RowBrickMemory
{
  static constexpr int  RunsPerBrick = WordsPerBrick * RowLayout::runsPerWord;
  static constexpr bool isTiled = TProblem::isTiled;
  using Voxels = std::conditional_t<isTiled, TileVoxels<TProblem>, MemoryVoxels<TProblem>>;
  using UnionAccess = BlockAccess;
  /** With equal values few links need the bits adjacent to a word. */
  static constexpr bool keepsBeside = !TProblem::isTransitive;
  /** Whether all voxels of rows along y and z are compared, even those whose links may be implied. */
  static constexpr bool comparesBoth = isTiled && TProblem::isTransitive && sizeof(typename TProblem::Pixel) == 1;

  /** After the last word is an empty one for words outside the brick. */
  BrickRowWord<keepsBeside> words[WordsPerBrick + 1];
  union
  {
    /** Used until links are found. */
    typename Voxels::Storage voxels;
    /** Used then. Parents are in the lower half. At the end the upper half of a root is RootBit and its component. */
    unsigned forest[RunsPerBrick];
  };
  unsigned runsOfLayer[LayersPerBrick];
  /** The number of pairs of runs that each layer has listed while it looked for links. */
  unsigned listed[LayersPerBrick];
  unsigned pairs[LayersPerBrick][TuningOf<Tuned::ListedLinks>];
  /** As in BrickMemory. */
  DeviceWord joinedY[WordsPerBrick];
  DeviceWord joinedZ[WordsPerBrick];
  /** Whether a layer's rows are like those before them along y and z, and joined to them all along. */
  bool      isPlainLayer[LayersPerBrick];
  unsigned  components;
  BrickBase base;

  __device__ const RowWord &
  RowAt(int at) const
  {
    return words[at].row;
  }
  /** A word with its adjacent bits in the brick. */
  __device__ RunWindow
  WindowAt(int at) const
  {
    if constexpr (keepsBeside)
    {
      return words[at].row;
    }
    else
    {
      const RowWord row = words[at].row;
      const int     inRow = at % WordsPerBrickRow;
      const RowWord before = inRow > 0 ? words[at - 1].row : RowWord{};
      const RowWord after = inRow < WordsPerBrickRow - 1 && at < WordsPerBrick ? words[at + 1].row : RowWord{};
      return { row,
               row.foreground << 1 | before.foreground >> 31,
               row.foreground >> 1 | after.foreground << 31,
               row.starts >> 1 | after.starts << 31 };
    }
  }
  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(words[at].runsBefore, words[at].row.starts, x);
  }
  __device__ unsigned
  RunWith(int at, DeviceWord bit) const
  {
    return cuda::RunWith(words[at].runsBefore, words[at].row.starts, bit);
  }
};

} // namespace brickccl::cuda

#endif
