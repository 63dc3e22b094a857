// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SPLITTING_SPLITAGENT_CUH
#define BRICKCCL_SPLITTING_SPLITAGENT_CUH

#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <cmath>
#include <cstdint>

namespace brickccl::cuda
{

using PassKey = unsigned long long;
using Count = unsigned long long;

/** Each voxel has an entry in the result: first the voxel that it points at, then its basin with this bit, then the
 *  number of its object. */
inline constexpr unsigned BasinBit = 0x80000000u;
inline constexpr unsigned NoBasin = 0xFFFFFFFFu;

// The steps of a split, with a kernel for each.
struct BeginSquare
{};
struct SpreadSquare
{};
struct WriteDistance
{};
struct PointUphill
{};
struct NumberPeak
{};
struct Climb
{};
struct FindPasses
{};
struct NumberVoxel
{};

/** What each step does at a voxel or basin. */
template <typename T>
struct SplitAgent
{
  static constexpr unsigned Unknown = UnknownSquare<std::uint32_t>;

  const T * labels;
  unsigned  sizes[3];
  /** Squares so far, and those along one more axis; the distance of voxels along it, their number, a step's square. */
  const unsigned * from;
  unsigned *       squares;
  unsigned         stride, length, weight;
  float *          distances;
  double           unit;
  unsigned *       entries;
  /** The neighbors of a voxel and the voxel itself, in raster order: their number, steps and distances. */
  int         stepCount;
  signed char steps[27][3];
  int         stepsAway[27];
  /** The number of peaks or of passes that were found; as many as there is room for are listed. */
  Count * found;
  Count   room;
  /** The basins in raster order of their peaks, the heights of these, their first voxels and their objects. */
  unsigned *peaks, *heights, *firsts, *numbers;
  /** Pairs of basins and the heights of their passes, inverted, so that sorting puts the highest first. */
  PassKey *  pairs;
  unsigned * lows;

  /** The square of the way along x to the nearest voxel of another label. */
  __device__ void
  Do(BeginSquare, unsigned voxel) const
  {
    squares[voxel] = labels[voxel] == 0 ? 0 : SmallestSum(voxel, Unknown, [](unsigned) { return Unknown; });
  }

  __device__ void
  Do(SpreadSquare, unsigned voxel) const
  {
    squares[voxel] = SmallestSum(voxel, from[voxel], [this](unsigned other) { return from[other]; });
  }

  /** The smallest sum of a square on the line and the square of the way there. A voxel of another label ends the way on
   *  its side; a way that is too long by itself ends it on both. */
  template <typename TSquareAt>
  __device__ unsigned
  SmallestSum(unsigned voxel, unsigned best, const TSquareAt & squareAt) const
  {
    const T    label = labels[voxel];
    unsigned   before = voxel / stride % length;
    unsigned   behind = length - 1 - before;
    unsigned   cost = weight;
    const auto endsAt = [&](unsigned other) {
      const bool     isOther = labels[other] != label;
      const unsigned sum = isOther ? cost : cost + squareAt(other);
      best = sum < best ? sum : best;
      return isOther;
    };
    for (unsigned step = 1; cost < best && (step <= before || step <= behind); ++step)
    {
      before = step <= before && endsAt(voxel - step * stride) ? 0 : before;
      behind = step <= behind && endsAt(voxel + step * stride) ? 0 : behind;
      cost += (2 * step + 1) * weight;
    }
    return best;
  }

  __device__ void
  Do(WriteDistance, unsigned voxel) const
  {
    const double root = from[voxel] == Unknown ? INFINITY : sqrt(static_cast<double>(from[voxel]));
    distances[voxel] = static_cast<float>(root * unit);
  }

  /** Calls `visit(neighbor)` for the first `count` neighbors of a voxel that are in the image. */
  template <typename TVisit>
  __device__ void
  ForNeighbors(unsigned voxel, int count, const TVisit & visit) const
  {
    const unsigned x = voxel % sizes[0];
    const unsigned y = voxel / sizes[0] % sizes[1];
    const unsigned z = voxel / sizes[0] / sizes[1];
    const bool     isInside = x - 1 < sizes[0] - 2 && y - 1 < sizes[1] - 2 && z - 1 < sizes[2] - 2;
    for (int k = 0; k < count; ++k)
    {
      if (isInside || (x + steps[k][0] < sizes[0] && y + steps[k][1] < sizes[1] && z + steps[k][2] < sizes[2]))
      {
        visit(voxel + stepsAway[k]);
      }
    }
  }

  /** Points a voxel at the highest of its neighbors of its label and itself, the first of equal ones. */
  __device__ void
  Do(PointUphill, unsigned voxel) const
  {
    unsigned to = NoBasin;
    unsigned most = 0;
    ForNeighbors(voxel, from[voxel] == 0 ? 0 : stepCount, [&](unsigned other) {
      if (from[other] > most && labels[other] == labels[voxel])
      {
        to = other;
        most = from[other];
      }
    });
    entries[voxel] = to;
    const Count place = to == voxel ? atomicAdd(found, Count{ 1 }) : room;
    if (place < room)
    {
      peaks[place] = voxel;
      heights[place] = most;
    }
  }

  __device__ void
  Do(NumberPeak, unsigned basin) const
  {
    firsts[basin] = peaks[basin];
    entries[peaks[basin]] = BasinBit | basin;
  }

  /** Follows a voxel's steps to its basin. Other threads may put basins in the place of steps at the same time; both
   *  lead to the same peak. */
  __device__ void
  Do(Climb, unsigned voxel) const
  {
    volatile unsigned * const all = entries;
    unsigned                  entry = all[voxel];
    while (entry < BasinBit)
    {
      entry = all[entry];
    }
    all[voxel] = entry;
  }

  __device__ void
  Do(FindPasses, unsigned voxel) const
  {
    const unsigned entry = entries[voxel];
    if (entry == NoBasin)
    {
      return;
    }
    if (voxel < *static_cast<volatile unsigned *>(firsts + (entry - BasinBit)))
    {
      atomicMin(firsts + (entry - BasinBit), voxel);
    }
    // Most voxels at a pass have several neighbors in one other basin.
    unsigned second = NoBasin;
    unsigned height = 0;
    ForNeighbors(voxel, stepCount / 2, [&](unsigned other) {
      const unsigned theirs = entries[other];
      if (theirs != entry && theirs != NoBasin && labels[other] == labels[voxel])
      {
        if (theirs != second)
        {
          AddPass(entry, second, height);
          second = theirs;
          height = 0;
        }
        const unsigned pass = from[other] < from[voxel] ? from[other] : from[voxel];
        height = pass > height ? pass : height;
      }
    });
    AddPass(entry, second, height);
  }

  /** Adds the pass between the basins of two entries, if there is a second. */
  __device__ void
  AddPass(unsigned one, unsigned other, unsigned height) const
  {
    const Count place = other != NoBasin ? atomicAdd(found, Count{ 1 }) : room;
    if (place < room)
    {
      const unsigned first = (one < other ? one : other) - BasinBit;
      pairs[place] = PassKey{ first } << 32 | ((one < other ? other : one) - BasinBit);
      lows[place] = ~height;
    }
  }

  __device__ void
  Do(NumberVoxel, unsigned voxel) const
  {
    entries[voxel] = entries[voxel] == NoBasin ? 0 : numbers[entries[voxel] - BasinBit];
  }
};

template <typename TStep, typename TAgent>
__global__ void
StepKernel(const __grid_constant__ TAgent agent, std::int64_t count)
{
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    agent.Do(TStep{}, static_cast<unsigned>(i));
  }
}

} // namespace brickccl::cuda

#endif
