// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once. */
inline constexpr int BoundWords = 64;

/** The limits of words and runs of several rows per step, because each new start costs time. */
inline constexpr int SparseWords = 512;
inline constexpr int SparseRuns = 1024;

/** Rows of bits, each right behind the one before. `starts` has the bits at which runs begin; it is null if runs follow
 *  the foreground. Up to 8 words before and behind all rows must be readable. */
struct RowsOfBits
{
  const Word * foreground;
  const Word * starts;
  std::int64_t wordsPerRow;
  int          count;
};

/** Where runs of rows begin and end. Voxel x of row r is the place (r << shift) + x. */
struct RunPlaces
{
  int                  count = 0;
  int                  shift = 0;
  int                  step = 1;
  const std::int32_t * begins = nullptr;
  const std::int32_t * ends = nullptr;

  /** The place of a run's first voxel (Begin) and the place behind its last one (End). */
  std::int32_t
  Begin(int i) const
  {
    return begins[i * step];
  }
  std::int32_t
  End(int i) const
  {
    return ends[i * step];
  }
  /** The largest x that a place of a row can have. */
  std::int32_t
  LastInRow() const
  {
    return static_cast<std::int32_t>((std::int64_t{ 1 } << shift) - 1);
  }
};

/** The results of FindRunBounds. */
struct RunBounds
{
  /** The largest number of runs. */
  static constexpr int Maximum = BoundWords * BitsPerWord + 1;
  static constexpr int Room = Maximum + BitsPerWord;
  /** Vector code writes up to this many words after the last one. */
  static constexpr int WordRoom = 2 * SparseWords + 8;

  RunPlaces runs;
  /** The start of a run that continues after the words; negative if there is none. */
  std::int32_t open = -1;
  /** The words that hold bounds, and the bounds. */
  Word         words[WordRoom];
  Word         places[WordRoom];
  std::int32_t bounds[2 * Room];
};

/** Finds the runs that end in the words [first, first + BoundWords) of one row. They follow the runs of the words
 *  before, if any. It may also take several whole rows of at most BoundWords together, or of at most SparseWords and
 *  SparseRuns. 2^shift must be above the number of bits of a row, and places must be below 2^31. */
void FindRunBounds(const RowsOfBits & rows, int shift, std::int64_t first, RunBounds & bounds);

} // namespace brickccl::simd
