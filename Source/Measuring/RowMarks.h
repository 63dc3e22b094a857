#ifndef BRICKCCL_MEASURING_ROWMARKS_H
#define BRICKCCL_MEASURING_ROWMARKS_H

#include "BrickCCL/Core/BitRow.h"

#include <cstddef>
#include <cstdint>

/** Voxels of a row that are marked for what they and the rows around theirs hold, and how many marks lie under runs. */
namespace brickccl::simd
{

/** So many words are taken at once: a row that is looked at can be read from one word before it to so many after it,
 *  whatever these hold. */
inline constexpr std::int64_t MarkWords = 8;
/** The most kinds of marks, and of what else is counted at runs. */
inline constexpr int MarkKinds = 13;

/** Marks of several kinds: word w of a kind's row is words[kind * stride + w], with the stride at least the row's words
 *  rounded up to MarkWords. */
struct RowMarks
{
  Word *       words;
  std::int64_t stride;
};

/** The rows around one, by their steps along y and z, both from -1 to 1. */
struct RowSurroundings
{
  /** at[1 + y][1 + z]; the row itself in the middle. */
  const Word * at[3][3];
};

/** Marks of MarkIntervals, by kind. */
struct IntervalKinds
{
  enum Kind
  {
    /** Where an interval begins of what this row has ... */
    Own,
    /** ... of what one of the four rows around a line of voxel corners has, for the four lines along this row, */
    OfFour,
    /** of what this row or the one before or behind it along y, or along z has. */
    OfTwo = OfFour + 4,
    /** The same for what two rows have in common, this one and that before it along y, or along z, and for what this,
     *  those and the one before along both have. */
    SharedByTwo = OfTwo + 4,
    SharedByFour = SharedByTwo + 2,
    Count
  };
};

/** Marks where intervals of a row and of its surroundings begin; those of several rows are marked in the last of these
 *  that holds the voxel, so that each interval is marked once. */
void MarkIntervals(const RowSurroundings & rows, std::int64_t words, RowMarks marks);

/** Voxels begin <= x < end of a row, and where what they have is counted, for each kind. */
struct CountedRun
{
  std::int64_t    begin;
  std::int64_t    end;
  std::uint64_t * counts;
};

/** Adds the numbers of marks under each run to its counts. */
void CountMarks(const CountedRun * runs, std::size_t runCount, RowMarks marks, int kinds);

} // namespace brickccl::simd

#endif
