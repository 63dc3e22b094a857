#ifndef BRICKCCL_MEASURING_COUNTPAIRS_H
#define BRICKCCL_MEASURING_COUNTPAIRS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Measuring/RowMarks.h"

#include <cstddef>
#include <cstdint>

namespace brickccl::simd
{

/** So many rows are looked at beside a run's own. */
inline constexpr int PairRows = 4;

/** Counts of pairs, by kind: of voxels with a neighbour at x - 1, x and x + 1 of each of the rows, and with one before
 *  them in their own. */
struct PairKinds
{
  static constexpr std::size_t Own = 3 * PairRows;
  static constexpr std::size_t Count = Own + 1;

  /** \param step  from -1 to 1 */
  static constexpr std::size_t
  Of(int row, int step)
  {
    return static_cast<std::size_t>((1 + step) * PairRows + row);
  }
};
static_assert(PairKinds::Count <= MarkKinds);

/** Adds the pairs of each run's voxels with set bits of `others`, and of its own row, to its counts. Rows have `length`
 *  bits; a word before them and one behind them can be read, whatever these hold. */
void CountPairs(const Word *         own,
                const Word * const * others,
                std::int64_t         length,
                const CountedRun *   runs,
                std::size_t          runCount);

} // namespace brickccl::simd

#endif
