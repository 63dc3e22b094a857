#ifndef BRICKCCL_SIMD_PACKROW_H
#define BRICKCCL_SIMD_PACKROW_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** Bit i of `bits[w]`: whether value 64 w + i lies in [low, high], or outside of it if `outside`; NaN never counts.
 * Whole words alone. Only where HasVectors() (ExpandRow.h) says that this build has vector code; for all types of
 * pixels. */
template <typename T>
void PackWords(const T * values, std::int64_t words, T low, T high, bool outside, Word * bits);

} // namespace brickccl::simd

#endif
