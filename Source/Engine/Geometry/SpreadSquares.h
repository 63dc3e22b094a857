// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace brickccl::simd
{

/** The number of lines side by side in a bundle: 128 bytes. */
template <typename T>
inline constexpr std::size_t LinesOfBundle = 128 / sizeof(T);

/** The places of a line whose smallest values are known together, so that far ones are passed over. */
inline constexpr std::int64_t SpreadBlock = 32;

/** Squared distances along a bundle of lines. `from`, `to` and `blocks` have LinesOfBundle values for each place. */
template <typename T>
struct LineBundle
{
  const T *    from;
  T *          to;
  std::int64_t length;
  /** The squares of 0, 1, ... length - 1 steps, ascending. */
  const T * costs;
  /** Room for one place for each SpreadBlock ones, rounded up. */
  T * blocks;
};

/** Spreads squared distances: to[i] becomes the smallest of to[i] and from[j] + costs[|i - j|] of all places j. */
void SpreadSquares(const LineBundle<std::uint16_t> & bundle);
void SpreadSquares(const LineBundle<std::uint32_t> & bundle);
void SpreadSquares(const LineBundle<double> & bundle);

} // namespace brickccl::simd
