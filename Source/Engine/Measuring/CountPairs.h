// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_COUNTPAIRS_H
#define BRICKCCL_MEASURING_COUNTPAIRS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Measuring/RowMarks.h"

#include <cstddef>
#include <cstdint>

namespace brickccl::simd
{

/** The number of rows read in addition to the run's own. */
inline constexpr int PairRows = 4;

/** The kinds of pairs: voxels with a neighbor at x - 1, x and x + 1 of each of the other rows, and voxels with a
 *  neighbor before them in their own row. */
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

/** Adds to the counts of each run the pairs that its voxels form with set bits of `others` and with bits of their own
 *  row. Rows have `length` bits. A word before each row and one behind it can be read, whatever they hold. */
void CountPairs(const Word *         own,
                const Word * const * others,
                std::int64_t         length,
                const CountedRun *   runs,
                std::size_t          runCount);

} // namespace brickccl::simd

#endif
