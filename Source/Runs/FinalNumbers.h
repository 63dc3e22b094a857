#ifndef BRICKCCL_RUNS_FINALNUMBERS_H
#define BRICKCCL_RUNS_FINALNUMBERS_H

#include <cstdint>
#include <limits>

namespace brickccl::simd
{

/** From the numbers that a part of a volume has given (Runs/NumberRoots.h) to those among all parts. */
template <typename TIndex>
struct FinalNumbers
{
  /** Numbers that hang on other parts go down from here, and say where in `hanging` the final one stands, at 0 first. A
   *  part has fewer nodes than there are numbers, so that they never meet its own. */
  static constexpr TIndex last = std::numeric_limits<TIndex>::max();

  /** The part's own numbers go up to here. */
  TIndex own;
  /** So many come before them. */
  TIndex before;
  /** There is one in any case. */
  const TIndex * hanging;

  TIndex
  operator()(TIndex number) const
  {
    // Without branches, since one number says nothing of the next.
    const TIndex hangs = TIndex{ 0 } - static_cast<TIndex>(number > own);
    return (hanging[(last - number) & hangs] & hangs) | ((before + number) & ~hangs);
  }
};

/** Makes some numbers of a part final, of which fewer than 2^31 hang. */
void FinishNumbers(const FinalNumbers<std::uint32_t> & final, std::int64_t count, std::uint32_t * numbers);

} // namespace brickccl::simd

#endif
