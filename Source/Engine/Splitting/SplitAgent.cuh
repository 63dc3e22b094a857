// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SPLITTING_SPLITAGENT_CUH
#define BRICKCCL_SPLITTING_SPLITAGENT_CUH

#include "BrickCCL/Cuda/Launch.cuh"

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

/** The steps of a split, each at one voxel or basin. */
template <typename T>
struct SplitAgent
{
  const T * labels;
  unsigned  sizes[3];
  /** The squares of the distances to other labels. */
  const unsigned * from;
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
