// SPDX-License-Identifier: Apache-2.0
#pragma once

/** The numbers that decide how fast BundleMerging is on CUDA, and nothing else: results are the same for all legal
 *  values. Every row says what was measured, on devices of compute capability 9.0 (H100, H200); other devices take the
 *  same numbers, which were not measured there. Testing/Benchmarks/DECISIONS.md has what was tried. */
namespace brickccl::cuda
{

enum class Tuned
{
  SolveBlocksOfFaces,
  SolveBlocks,
  SolveRowBlocks,
  SolveRowBlocksInMemory,
  BorderBlocksOfFaces,
  BorderBlocks,
  RowBorderBlocksOfFaces,
  RowBorderBlocksOfEqualBytes,
  RowBorderBlocks,
  RowBorderSharedOfFaces,
  RowBorderSharedOfEqual,
  RowBorderShared,
  SumBlocksOfRows,
  SumBlocks,
  WriteBlocksOfSquares,
  WriteBlocks,
  WriteUnrollOfPairs,
  WriteUnroll,
  BlocksOfUnknownCount,
  RowsLoadedTogether,
  WideRowsLoadedTogether,
  PathSteps,
  LinksBesideList,
  ListedLinks,
  ListedBorderLinks,
  FewLinks,
  FewRuns,
  FewOpenAtBorder,
  StraightUnroll,
  DiagonalUnroll,
  CodeUnroll,
  TileFewOfEqualBytes,
  TileFewOfBytes,
  TileFew,
  TileFewAcrossOfBytes,
  TileFewAcross,
  WordFewOfEqual,
  WordFew,
  WordFewAcrossOfEqual,
  WordFewAcross,
  LayerFew,
  LayerFewAcross,
  MarkWordsPerGroup,
  MarkGroupsPerThread,
  MarkPartStep,
  SumProbes,
  CountProbes,
  CountRounds,
  WordsPerComponent,
  RunsPerWord,
  Count
};

/** Values from `least` to `most`: by `step`, or powers of two if `step` is 0. */
struct LegalValues
{
  int least;
  int most;
  int step;

  constexpr int
  Count() const
  {
    if (step > 0)
    {
      return (most - least) / step + 1;
    }
    int count = 1;
    for (int value = least; value * 2 <= most; value *= 2)
    {
      ++count;
    }
    return count;
  }
  constexpr int
  At(int i) const
  {
    return step > 0 ? least + i * step : least << i;
  }
  constexpr bool
  Have(int value) const
  {
    for (int i = 0; i < Count(); ++i)
    {
      if (At(i) == value)
      {
        return true;
      }
    }
    return false;
  }
};

struct TuningRow
{
  Tuned       number;
  int         value;
  LegalValues legal;
};

inline constexpr TuningRow TuningTable[] = {
  // Blocks on a multiprocessor, for __launch_bounds__.

  // Blocks that solve bricks of masks, neighbors along the axes. Not measured by itself.
  { Tuned::SolveBlocksOfFaces, 8, { 1, 8, 1 } },
  // The same, diagonal neighbors. 6: noise 0.77 -> 0.72 ms; 8: Berea 66 -> 80 and 50 -> 74 microseconds.
  { Tuned::SolveBlocks, 6, { 1, 8, 1 } },
  // Blocks that solve bricks of values, voxels of up to 4 bytes. 4 -> 5: neurons 0.882 -> 0.848 ms (26).
  { Tuned::SolveRowBlocks, 5, { 1, 8, 1 } },
  // The same, voxels that stay in global memory. 5 spills registers: 0.95 to 1.4 times the time.
  { Tuned::SolveRowBlocksInMemory, 4, { 1, 8, 1 } },
  // Blocks at borders of masks, neighbors along the axes. 17: Berea 51 -> 43 microseconds.
  { Tuned::BorderBlocksOfFaces, 17, { 1, 20, 1 } },
  // The same, diagonal neighbors. 12 and 13: 3 % faster to 1 % slower, white noise with 18 neighbors 5 % slower.
  { Tuned::BorderBlocks, 10, { 1, 20, 1 } },
  // Blocks at borders of values, neighbors along the axes. 10 -> 16: neurons 0.614 -> 0.589 ms.
  { Tuned::RowBorderBlocksOfFaces, 16, { 1, 20, 1 } },
  // The same, equal bytes, diagonal neighbors. 10 -> 12: uint8 Voronoi cells 0.571 -> 0.548 ms; 13, 14: no gain.
  { Tuned::RowBorderBlocksOfEqualBytes, 12, { 1, 20, 1 } },
  // The same, all others. 8: 1 to 3 % slower; 12 and 13: 2 to 12 % slower.
  { Tuned::RowBorderBlocks, 10, { 1, 20, 1 } },

  // The share of a multiprocessor's memory that is asked for as shared memory, in percent.

  // Shared memory at borders of values, along the axes. Not measured by itself.
  { Tuned::RowBorderSharedOfFaces, 72, { 0, 100, 1 } },
  // The same, equal values. With smaller words and the ends of rows kept: uint8 Voronoi cells 0.516 -> 0.484 ms.
  { Tuned::RowBorderSharedOfEqual, 44, { 0, 100, 1 } },
  // The same, all others. As much as is needed: neurons 0.94 -> 0.92 of the time with 26 neighbors.
  { Tuned::RowBorderShared, 62, { 0, 100, 1 } },
  // Blocks that sum bricks of single rows. Not measured.
  { Tuned::SumBlocksOfRows, 6, { 1, 8, 1 } },
  // The same, bundles of rows. 6: only a table 1 to 2 % slower; 8, which spills: 4 to 8 % slower.
  { Tuned::SumBlocks, 5, { 1, 8, 1 } },
  // Blocks that write bundles of 4 rows. Not measured.
  { Tuned::WriteBlocksOfSquares, 6, { 1, 8, 1 } },
  // The same, fewer rows. 6 -> 8 for values, with labels of half as many runs: 0.528 -> 0.525 ms, no gain.
  { Tuned::WriteBlocks, 8, { 1, 8, 1 } },
  // Bundles of 2 rows written at once. 2 takes more registers than there are.
  { Tuned::WriteUnrollOfPairs, 1, { 1, 4, 1 } },
  // The same, other bundles. Not measured.
  { Tuned::WriteUnroll, 2, { 1, 4, 1 } },
  // Blocks of kernels over components. Not measured.
  { Tuned::BlocksOfUnknownCount, 1024, { 1, 2048, 1 } },

  // How a brick is read.

  // Rows of bytes that a lane loads before it packs them. 1 -> 2: noise 0.48 -> 0.46 ms; 4: too many registers.
  { Tuned::RowsLoadedTogether, 2, { 1, 4, 0 } },
  // Rows of 4-byte voxels that a warp loads together, an even number. Not measured.
  { Tuned::WideRowsLoadedTogether, 4, { 2, 8, 0 } },

  // How runs are united.

  // Steps by which runs are pointed up before unions. 2, 4, 6: Berea with 6 neighbors 0.97, 0.96, 0.93 of the time.
  { Tuned::PathSteps, 6, { 1, 8, 1 } },
  // Links of a word that are united without a list. 0 -> 2: Berea 0.98 -> 0.97 (6), 0.99 -> 0.97 (18) of the time.
  { Tuned::LinksBesideList, 2, { 0, 4, 1 } },
  // Links that a warp lists in a brick. 128: 4 % slower to 3 % faster, mostly slower.
  { Tuned::ListedLinks, 64, { 32, 128, 32 } },
  // Links that a warp lists at a border. 64 and 128 in one word each: masks and values within 3 %.
  { Tuned::ListedBorderLinks, 64, { 32, 128, 32 } },
  // Links of a word up to which paths are shortened by steps. Not measured by itself.
  { Tuned::FewLinks, 4, { 0, 40, 1 } },
  // Runs of a layer up to which undecided links are listed. That there is such a number: Voronoi 0.548 -> 0.545 ms.
  { Tuned::FewRuns, 128, { 0, 1024, 1 } },
  // Undecided links of a border that are compared when they are united. Not measured.
  { Tuned::FewOpenAtBorder, 64, { 0, 256, 1 } },

  // How much code there is: what does not stay in the instruction cache is waited for.

  // Rows along y and z in code of their own. Not measured.
  { Tuned::StraightUnroll, 2, { 1, 2, 1 } },
  // Backward rows in code of their own. 1: 1 % faster to 3 % slower.
  { Tuned::DiagonalUnroll, 4, { 1, 4, 1 } },
  // Both, where each takes much code (16-bit tolerance). 4 -> 1: noise under tolerance 60 5.17 -> 3.99 ms.
  { Tuned::CodeUnroll, 1, { 1, 4, 1 } },

  // So many voxels of a word are looked at one by one; of more, all are compared at once.

  // Within bricks, equal bytes. Not measured.
  { Tuned::TileFewOfEqualBytes, 0, { 0, 32, 1 } },
  // The same, bytes under a tolerance. 5: the same to 1 % slower.
  { Tuned::TileFewOfBytes, 3, { 0, 32, 1 } },
  // The same, larger voxels. 4: 32-bit cubes of 4 6 % slower; 16: white noise up to 4 % slower.
  { Tuned::TileFew, 8, { 0, 32, 1 } },
  // At x - 1 and x + 1 within bricks, bytes. 6: the same to 1 % slower.
  { Tuned::TileFewAcrossOfBytes, 3, { 0, 32, 1 } },
  // The same, larger voxels. 18: the same to 1 % slower.
  { Tuned::TileFewAcross, 10, { 0, 32, 1 } },
  // At borders, equal voxels of 1 and 2 bytes. 3 and 8 -> 8: uint8 Voronoi cells 0.694 -> 0.680 ms; 12: the same.
  { Tuned::WordFewOfEqual, 8, { 0, 32, 1 } },
  // The same under a tolerance. 3 and 8 -> 16: tolerance 130 1.081 -> 1.021 ms; 24: noise 1 to 4 % slower.
  { Tuned::WordFew, 16, { 0, 32, 1 } },
  // At x - 1 and x + 1 at borders, equal voxels of 1 and 2 bytes. With WordFewOfEqual; 15: the same.
  { Tuned::WordFewAcrossOfEqual, 10, { 0, 32, 1 } },
  // The same under a tolerance. With WordFew; 28: noise 1 to 4 % slower; 40: the same to 1 % slower.
  { Tuned::WordFewAcross, 20, { 0, 32, 1 } },
  // Voxels of 4 and 8 bytes where they lie. 16 at borders: neurons 1 % faster, cubes of 4 1.323 -> 1.633 ms.
  { Tuned::LayerFew, 8, { 0, 32, 1 } },
  // The same at x - 1 and x + 1. With LayerFew (20).
  { Tuned::LayerFewAcross, 10, { 0, 32, 1 } },

  // Numbers of components.

  // Words of marks that are counted as one group. Not measured.
  { Tuned::MarkWordsPerGroup, 8, { 4, 16, 0 } },
  // Groups that a thread sums. Not measured.
  { Tuned::MarkGroupsPerThread, 16, { 4, 16, 0 } },
  // Words between the counts of two parts of marks. 1 -> 32: 250000 components 19 -> 9 microseconds.
  { Tuned::MarkPartStep, 32, { 1, 64, 1 } },

  // Sums and sizes of components.

  // Slots of a brick's hash that are tried for a component's sums. Not measured.
  { Tuned::SumProbes, 8, { 1, 16, 1 } },
  // The same for its size. Not measured.
  { Tuned::CountProbes, 8, { 1, 16, 1 } },
  // Labels whose voxels a warp counts together. Not measured.
  { Tuned::CountRounds, 2, { 0, 4, 1 } },

  // Room for what is found. If there is too little, all is done again.

  // Words of a brick for which there is room for a component. Enough for all but noise; not timed.
  { Tuned::WordsPerComponent, 2, { 1, 256, 1 } },
  // Runs for which there is room for each word. Enough for all but noise; not timed.
  { Tuned::RunsPerWord, 2, { 1, 4, 1 } },
};

/** Whether the rows stand in the order of their numbers, and have legal values. */
constexpr bool
TuningIsLegal()
{
  int at = 0;
  for (const TuningRow & row : TuningTable)
  {
    if (static_cast<int>(row.number) != at++ || !row.legal.Have(row.value))
    {
      return false;
    }
  }
  return at == static_cast<int>(Tuned::Count);
}
static_assert(TuningIsLegal());

/** Any legal value of a row. */
constexpr int
RandomTuning(const TuningRow & row, unsigned seed)
{
  const unsigned mixed = (seed * 0x9E3779B1u) ^ ((static_cast<unsigned>(row.number) + 1) * 0x85EBCA6Bu);
  const unsigned hash = (mixed ^ mixed >> 15) * 0x2C1B3C6Du;
  return row.legal.At(static_cast<int>((hash ^ hash >> 13) % static_cast<unsigned>(row.legal.Count())));
}

/** The value of a number. Tests compile with BRICKCCL_TUNING_SEED, which makes it any legal one. */
constexpr int
ValueOf(Tuned number)
{
  const TuningRow & row = TuningTable[static_cast<int>(number)];
#ifdef BRICKCCL_TUNING_SEED
  return RandomTuning(row, BRICKCCL_TUNING_SEED);
#else
  return row.value;
#endif
}

/** As a constant, for kernels. */
template <Tuned VNumber>
inline constexpr int TuningOf = ValueOf(VNumber);

} // namespace brickccl::cuda
