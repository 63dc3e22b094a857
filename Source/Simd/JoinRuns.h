#ifndef BRICKCCL_SIMD_JOINRUNS_H
#define BRICKCCL_SIMD_JOINRUNS_H

#include "BrickCCL/Simd/RunBounds.h"

#include <cstdint>

namespace brickccl::simd
{

/** Runs of a row side by side that have one label, as one. */
struct JoinedRuns
{
  /** Twice the sum of a row's x must be below 2^32. */
  static constexpr std::int64_t LongestRow = 1 << 16;
  /** Vector code writes 16 at a time. */
  static constexpr int Room = RunBounds::Most + 16;

  int count = 0;
  /** Each one's row, the x of its first voxel and that behind its last one, and its label. */
  std::int32_t  rows[Room];
  std::int32_t  begins[Room];
  std::int32_t  ends[Room];
  std::uint32_t labels[Room];
  /** How many voxels each has, and the sum of their x. */
  std::uint32_t voxels[Room + 1];
  std::uint32_t sums[Room + 1];
};

/** Whether JoinRuns is there. */
bool JoinsRuns();

/** Joins up to RunBounds::Most runs of rows up to JoinedRuns::LongestRow; 16 labels and bounds behind the last ones can
 * be read. Only where JoinsRuns(). */
void JoinRuns(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns & joined);

} // namespace brickccl::simd

#endif
