// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_TOUCHINGLISTS_H
#define BRICKCCL_MEASURING_TOUCHINGLISTS_H

#include <cstdint>

namespace brickccl::simd
{

/** The number of elements behind the last run that must be readable, whatever they hold. */
inline constexpr int RunListPadding = 16;
/** The largest number of rows that one row is compared with at once. */
inline constexpr int TouchingRows = 4;

/** The runs of a row, or of a few consecutive rows, in order: voxels begins[i] <= x < ends[i] have the label
 *  labels[i]. */
struct RunList
{
  const std::int32_t *  begins;
  const std::int32_t *  ends;
  const std::uint32_t * labels;
  std::int64_t          count;
  bool                  isOneRow;
};

/** Whether any run of `own`, which is one row, touches a run of another row that has a different label; corners count.
 *  Short rows are best compared together. */
bool TouchAndDiffer(const RunList & own, const RunList * others, int otherCount);

} // namespace brickccl::simd

#endif
