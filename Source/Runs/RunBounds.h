#ifndef BRICKCCL_RUNS_RUNBOUNDS_H
#define BRICKCCL_RUNS_RUNBOUNDS_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once. */
inline constexpr int BoundWords = 64;

/** So many of rows that have no more than so many runs together, since it costs something to begin anew. */
inline constexpr int SparseWords = 512;
inline constexpr int SparseRuns = 1024;

/** Rows of bits, each right behind the one before. `starts` has the bits at which runs begin, or is null if they follow
 *  from the foreground. Up to 8 words can be read before and behind all of them. */
struct RowsOfBits
{
  const Word * foreground;
  const Word * starts;
  std::int64_t wordsPerRow;
  int          count;
};

/** Where runs of rows begin and end; voxel x of row r is the place (r << shift) + x. */
struct RunPlaces
{
  int                  count = 0;
  int                  shift = 0;
  int                  step = 1;
  const std::int32_t * begins = nullptr;
  const std::int32_t * ends = nullptr;

  /** The place of a run's first voxel, and that behind its last one. */
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
  /** The largest x that a row's places could have. */
  std::int32_t
  LastInRow() const
  {
    return static_cast<std::int32_t>((std::int64_t{ 1 } << shift) - 1);
  }
};

/** What FindRunBounds finds. */
struct RunBounds
{
  /** So many runs at most. */
  static constexpr int Maximum = BoundWords * BitsPerWord + 1;
  static constexpr int Room = Maximum + BitsPerWord;
  /** Vector code writes so many words behind the last one. */
  static constexpr int WordRoom = 2 * SparseWords + 8;

  RunPlaces runs;
  /** Where the run begins that goes on behind what was looked at; none if negative. */
  std::int32_t open = -1;
  /** The words that hold bounds, and the bounds. */
  Word         words[WordRoom];
  Word         places[WordRoom];
  std::int32_t bounds[2 * Room];
};

/** The runs that end in the words [first, first + BoundWords) of one row, after those before them if there are any; or
 *  in several whole rows of no more than BoundWords together, or no more than SparseWords and SparseRuns. 2^shift must
 * be above a row's bits. For places below 2^31. */
void FindRunBounds(const RowsOfBits & rows, int shift, std::int64_t first, RunBounds & bounds);

} // namespace brickccl::simd

#endif
