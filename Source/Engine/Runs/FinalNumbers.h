// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace brickccl::simd
{

/** Turns the numbers that a part gave to its nodes (Runs/NumberRoots.h) into numbers among all parts of a volume. */
template <typename TIndex>
struct FinalNumbers
{
  /** Foreign numbers, for nodes whose root is in an earlier part, go down from here: `last - i` means the number
   *  foreign[i]. A part has fewer nodes than TIndex has values, so that they never meet the part's own numbers. */
  static constexpr TIndex last = std::numeric_limits<TIndex>::max();

  /** The part's own numbers are 1..own. */
  TIndex own;
  /** So many numbers come before them. */
  TIndex before;
  /** It holds at least one number. */
  const TIndex * foreign;

  TIndex
  operator()(TIndex number) const
  {
    // There are no branches, since one number does not help to predict the next.
    const TIndex foreignMask = TIndex{ 0 } - static_cast<TIndex>(number > own);
    return (foreign[(last - number) & foreignMask] & foreignMask) | ((before + number) & ~foreignMask);
  }
};

/** Makes numbers of a part final. Fewer than 2^31 foreign numbers are allowed. */
void FinishNumbers(const FinalNumbers<std::uint32_t> & final, std::int64_t count, std::uint32_t * numbers);

} // namespace brickccl::simd
