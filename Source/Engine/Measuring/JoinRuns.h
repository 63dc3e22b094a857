// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_JOINRUNS_H
#define BRICKCCL_MEASURING_JOINRUNS_H

#include "BrickCCL/Runs/RunBounds.h"
#include "BrickCCL/Tables/SumLine.h"

#include <cstdint>

namespace brickccl::simd
{

/** Neighboring runs of a row that have one label, joined to one. */
struct JoinedRuns
{
  /** Rows of this length keep twice the sum of a row's x below 2^32. */
  static constexpr std::int64_t LongestRow = 1 << 16;
  /** Vector code writes 16 elements at a time. */
  static constexpr int Room = RunBounds::Maximum + 16;

  int count = 0;
  /** For each: its row, the x of its first voxel, the x behind its last voxel, and its label. */
  std::int32_t  rows[Room];
  std::int32_t  begins[Room];
  std::int32_t  ends[Room];
  std::uint32_t labels[Room];
  /** The number of voxels of each, and the sum of their x. */
  std::uint32_t voxels[Room + 1];
  std::uint32_t sums[Room + 1];
};

/** Whether this machine has JoinRuns and the functions that add runs. */
bool JoinsRuns();

/** Joins up to RunBounds::Maximum runs of rows up to JoinedRuns::LongestRow. 16 labels and bounds behind the last ones
 *  must be readable. Only where JoinsRuns(). */
void JoinRuns(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns & joined);

/** The position of the first of some rows of a slice: its y and z, the place of its first voxel in the volume, and the
 *  length of rows. Rows of runs count from this one on. */
struct RowsOfSlice
{
  std::int64_t y;
  std::int64_t z;
  std::int64_t place;
  std::int64_t length;
};

/** Adds joined runs, from the first-th on, to the lines of their components. Label l > 0 has line l - 1, in blocks of
 *  SumLinesPerBlock. Indices must be below 2^31. Only where JoinsRuns().
 *  \return the number of the first run whose block is null, or else `joined.count`. */
int AddJoinedRuns(const JoinedRuns & joined, int first, const RowsOfSlice & rows, SumLine * const * blocks);

/** The same for runs as they are, in rows of fewer than 2^31 voxels. 8 bounds behind the last ones must be readable. */
int AddRuns(const RunPlaces &     runs,
            const std::uint32_t * labels,
            int                   first,
            const RowsOfSlice &   rows,
            SumLine * const *     blocks);

/** Whether enough neighboring runs have one label to make joining them first faster. 16 labels after the last one
 *  must be readable. Only where JoinsRuns(). */
bool AreWorthJoining(const std::uint32_t * labels, int count);

} // namespace brickccl::simd

#endif
