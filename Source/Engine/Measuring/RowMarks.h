// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

#include <cstddef>
#include <cstdint>

/** Marks on voxels of a row that depend on the row and the rows around it, and the numbers of marks under runs. */
namespace brickccl::simd
{

/** The number of words per step. A row must be readable, with any values, from one word before to this many after. */
inline constexpr std::int64_t MarkWords = 8;
/** The largest number of kinds of marks, and of anything else that is counted at runs. */
inline constexpr int MarkKinds = 13;

/** Marks of several kinds. Word w of a kind is words[kind * stride + w]; the stride is at least the number of words of
 *  a row, rounded up to MarkWords. */
struct RowMarks
{
  Word *       words;
  std::int64_t stride;
};

/** A row and the rows around it, by their steps along y and z, both from -1 to 1. */
struct RowSurroundings
{
  /** The row at step (y, z) is at[1 + y][1 + z]; the row itself is in the middle. */
  const Word * at[3][3];
};

/** The kinds of marks of MarkIntervals: the begins of intervals ... */
struct IntervalKinds
{
  enum Kind
  {
    /** ... of this row, */
    Own,
    /** ... of the union of the four rows around a line of voxel corners, for the four such lines along this row, */
    OfFour,
    /** ... of the union of this row and the one before or behind it along y, or along z, */
    OfTwo = OfFour + 4,
    /** ... of what this row and the one before it along y, or along z, have in common, and of what these three and the
     *  one before along both have in common. */
    SharedByTwo = OfTwo + 4,
    SharedByFour = SharedByTwo + 2,
    Count
  };
};

/** Marks where intervals of a row and of its surroundings begin. Where several rows hold the voxel, the last of these
 *  rows has the mark, so that each interval is marked once. */
void MarkIntervals(const RowSurroundings & rows, std::int64_t words, RowMarks marks);

/** The number of rows that MarkPairs reads in addition to a row. */
inline constexpr int PairRows = 4;

/** The kinds of MarkPairs: a neighbor at x - 1, x or x + 1 of another row, or before the voxel in its own row. */
struct PairKinds
{
  static constexpr std::size_t Own = 3 * PairRows;
  static constexpr std::size_t Count = Own + 1;

  /** The kind of a pair with a voxel of another row. \param step  the way along x, from -1 to 1. */
  static constexpr std::size_t
  Of(int row, int step)
  {
    return static_cast<std::size_t>((1 + step) * PairRows + row);
  }
};
static_assert(PairKinds::Count <= MarkKinds);

/** Marks the voxels that have neighbors. Bits behind the ends of rows are 0. */
void MarkPairs(const Word * own, const Word * const * others, std::int64_t words, RowMarks marks);

/** The voxels begin <= x < end of a row, and the counts for each kind. */
struct CountedRun
{
  std::int64_t    begin;
  std::int64_t    end;
  std::uint64_t * counts;
};

/** Adds the numbers of marks under each run to the run's counts. */
void CountMarks(const CountedRun * runs, std::size_t runCount, RowMarks marks, int kinds);

} // namespace brickccl::simd
