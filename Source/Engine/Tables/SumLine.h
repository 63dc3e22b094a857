// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TABLES_SUMLINE_H
#define BRICKCCL_TABLES_SUMLINE_H

#include <cstddef>
#include <cstdint>

namespace brickccl::simd
{

/** Sums over the voxels of a component, in the 64 bytes of a cache line. Rows must come in raster order. */
struct alignas(64) SumLine
{
  /** Vector code adds to these lines, see SlabAccumulators. */
  using Line = SumLine;

  /** The number of voxels, and the sums of their indices. */
  std::uint64_t sums[4] = {};
  /** The lowest indices along x and y, then the complements (-1 - index) of the highest ones. */
  std::int32_t  lowest[4] = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
  std::uint64_t firstVoxel = 0;
  std::int64_t  lastSlice = 0;
};

/** The number of components whose lines lie side by side in one block. */
inline constexpr std::size_t SumLinesPerBlock = 64;

} // namespace brickccl::simd

#endif
