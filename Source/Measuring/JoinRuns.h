#ifndef BRICKCCL_MEASURING_JOINRUNS_H
#define BRICKCCL_MEASURING_JOINRUNS_H

#include "BrickCCL/Runs/RunBounds.h"

#include <cstddef>
#include <cstdint>

namespace brickccl::simd
{

/** Runs of a row side by side that have one label, as one. */
struct JoinedRuns
{
  /** Twice the sum of a row's x must be below 2^32. */
  static constexpr std::int64_t LongestRow = 1 << 16;
  /** Vector code writes 16 at a time. */
  static constexpr int Room = RunBounds::Maximum + 16;

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

/** Whether JoinRuns and what adds runs is there. */
bool JoinsRuns();

/** Joins up to RunBounds::Maximum runs of rows up to JoinedRuns::LongestRow; 16 labels and bounds behind the last ones can
 * be read. Only where JoinsRuns(). */
void JoinRuns(const RunPlaces & runs, const std::uint32_t * labels, JoinedRuns & joined);

/** Sums over the voxels of a component, in the 64 bytes of a line of the cache. Rows are to come in raster order. */
struct alignas(64) SumLine
{
  /** Voxels, and the sums of their indices. */
  std::uint64_t sums[4] = {};
  /** The lowest indices along x and y, then the complements (-1 - index) of the highest ones. */
  std::int32_t  lowest[4] = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
  std::uint64_t firstVoxel = 0;
  std::int64_t  lastSlice = 0;
};

/** Lines of components side by side. */
inline constexpr std::size_t SumLinesPerBlock = 64;

/** Where rows of a slice lie that are counted from one on: the y and z of this one, the place of its first voxel in the
 *  volume, and how long rows are. */
struct RowsOfSlice
{
  std::int64_t y;
  std::int64_t z;
  std::int64_t place;
  std::int64_t length;
};

/** Adds what is joined, from the first-th on, to the lines of their components: those of label l > 0 to line l - 1, in
 *  blocks of SumLinesPerBlock. \return the number of the first one whose block is null, or else `joined.count`. Indices
 *  must be below 2^31. Only where JoinsRuns(). */
int AddJoinedRuns(const JoinedRuns & joined, int first, const RowsOfSlice & rows, SumLine * const * blocks);

/** The same of runs as they are, of rows of fewer than 2^31 voxels; 8 bounds behind the last ones can be read. */
int AddRuns(const RunPlaces &     runs,
            const std::uint32_t * labels,
            int                   first,
            const RowsOfSlice &   rows,
            SumLine * const *     blocks);

/** Whether so many of the runs that lie side by side have one label that they had better be joined before they are
 *  added; 16 labels behind the last one can be read. Only where JoinsRuns(). */
bool AreWorthJoining(const std::uint32_t * labels, int count);

} // namespace brickccl::simd

#endif
