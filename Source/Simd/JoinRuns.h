#ifndef BRICKCCL_SIMD_JOINRUNS_H
#define BRICKCCL_SIMD_JOINRUNS_H

#include "BrickCCL/Simd/RunBounds.h"

#include <cstdint>

namespace brickccl::simd
{

/** Runs of a row side by side that have one label, as one; numbers are counted modulo those that `TWord` has. */
template <typename TWord>
struct JoinedRuns
{
  /** Vector code writes 16 at a time. */
  static constexpr int Room = RunBounds::Most + 16;

  int count = 0;
  /** The last run of each. */
  std::int32_t last[Room];
  /** How many voxels come before each, and the sum of their x. */
  TWord voxels[Room + 1] = {};
  TWord sums[Room + 1] = {};
};

/** Whether JoinRuns is there. */
bool JoinsRuns();

/** Joins up to RunBounds::Most runs; 16 labels and bounds behind the last ones can be read. Only where JoinsRuns(). */
void JoinRuns(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns<std::uint32_t> & joined);

} // namespace brickccl::simd

#endif
