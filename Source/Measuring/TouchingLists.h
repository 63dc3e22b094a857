#ifndef BRICKCCL_MEASURING_TOUCHINGLISTS_H
#define BRICKCCL_MEASURING_TOUCHINGLISTS_H

#include <cstdint>

namespace brickccl::simd
{

/** So many elements past the last run can be read, whatever they hold. */
inline constexpr int RunListPadding = 16;
/** The most rows that one is compared with at once. */
inline constexpr int TouchingRows = 4;

/** The runs of a row, in order, or of a few rows that follow each other: voxels begins[i] <= x < ends[i] have the label
 *  labels[i]. */
struct RunList
{
  const std::int32_t *  begins;
  const std::int32_t *  ends;
  const std::uint32_t * labels;
  std::int64_t          count;
  bool                  isOneRow;
};

/** Whether any run of a row and one of other rows touch, if only in a corner, and have different labels; `own` is one
 *  row. Rows that are short go together best. */
bool TouchAndDiffer(const RunList & own, const RunList * others, int otherCount);

} // namespace brickccl::simd

#endif
