#ifndef BRICKCCL_SIMD_PARTNUMBERS_H
#define BRICKCCL_SIMD_PARTNUMBERS_H

#include <cstdint>

namespace brickccl::simd
{

/** What the numbers that a part of a volume has given stand for among those of all parts (Runs/NumberRoots.h): up to
 *  `own` they are its own, behind the `before` numbers of parts before it; from 2^32 - 1 down they tell where in
 *  `hanging` the final number stands, at 0 first. */
struct PartNumbers
{
  std::uint32_t         own;
  std::uint32_t         before;
  const std::uint32_t * hanging;
};

/** Makes some numbers of a part final. There are fewer than 2^31 that hang. Only where HasVectors() (ExpandRow.h). */
void FinishNumbers(const PartNumbers & part, std::int64_t count, std::uint32_t * numbers);

} // namespace brickccl::simd

#endif
