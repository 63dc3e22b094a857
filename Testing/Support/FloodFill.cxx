#include "FloodFill.h"

#include <cmath>
#include <cstdlib>
#include <queue>

namespace brickccl::testing
{

namespace
{

bool
IsForeground(const FloodFillProblem & problem, std::size_t voxel)
{
  if (problem.mask && (*problem.mask)[voxel] == 0)
  {
    return false;
  }
  bool everyChannelInRange = true;
  bool everyChannelBackground = true;
  for (int c = 0; c < problem.channels; ++c)
  {
    const long double value =
      problem.values[voxel * static_cast<std::size_t>(problem.channels) + static_cast<std::size_t>(c)];
    if (std::isnan(value))
    {
      return false;
    }
    if (problem.criterion.range && (value < problem.criterion.range->low || value > problem.criterion.range->high))
    {
      everyChannelInRange = false;
    }
    if (!problem.criterion.background || value != *problem.criterion.background)
    {
      everyChannelBackground = false;
    }
  }
  return problem.criterion.range ? everyChannelInRange : !everyChannelBackground;
}

bool
AreJoined(const FloodFillProblem & problem, std::size_t a, std::size_t b)
{
  const auto  channels = static_cast<std::size_t>(problem.channels);
  long double difference = 0;
  for (std::size_t c = 0; c < channels; ++c)
  {
    const long double left = problem.values[a * channels + c];
    const long double right = problem.values[b * channels + c];
    difference += left == right ? 0 : std::fabs(left - right);
  }
  switch (problem.criterion.joining)
  {
  case Criterion::Joining::Foreground:
    return true;
  case Criterion::Joining::EqualValue:
    return difference == 0;
  case Criterion::Joining::Tolerance:
    return difference <= problem.criterion.tolerance;
  }
  std::abort();
}

} // namespace

std::vector<std::uint64_t>
FloodFill(const FloodFillProblem & problem)
{
  const Extent &             extent = problem.extent;
  const auto                 voxels = static_cast<std::size_t>(extent.VoxelCount());
  std::vector<std::uint64_t> labels(voxels, 0);
  std::uint64_t              components = 0;
  for (std::size_t seed = 0; seed < voxels; ++seed)
  {
    if (labels[seed] != 0 || !IsForeground(problem, seed))
    {
      continue;
    }
    labels[seed] = ++components;
    std::queue<std::size_t> open;
    open.push(seed);
    while (!open.empty())
    {
      const std::size_t voxel = open.front();
      open.pop();
      std::int64_t at[4];
      std::int64_t rest = static_cast<std::int64_t>(voxel);
      for (int axis = 0; axis < 4; ++axis)
      {
        at[axis] = rest % extent.size[axis];
        rest /= extent.size[axis];
      }
      for (int code = 0; code < 81; ++code)
      {
        const int    step[4] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
        int          differing = 0;
        bool         inside = true;
        std::int64_t neighbour = 0;
        for (int axis = 3; axis >= 0; --axis)
        {
          const std::int64_t size = extent.size[axis];
          const bool         wraps = problem.periodic[static_cast<std::size_t>(axis)];
          const std::int64_t to = wraps ? (at[axis] + step[axis] + size) % size : at[axis] + step[axis];
          inside = inside && to >= 0 && to < size;
          inside = inside && !(step[axis] != 0 && axis == problem.sliceAxis && !problem.offsets);
          differing += step[axis] != 0 ? 1 : 0;
          neighbour = neighbour * size + to;
        }
        const bool areNeighbours = problem.offsets ? problem.offsets->count({ step[0], step[1], step[2], step[3] }) != 0
                                                   : differing != 0 && differing <= problem.rank;
        if (!inside || !areNeighbours)
        {
          continue;
        }
        const auto next = static_cast<std::size_t>(neighbour);
        if (labels[next] == 0 && IsForeground(problem, next) && AreJoined(problem, voxel, next))
        {
          labels[next] = components;
          open.push(next);
        }
      }
    }
  }
  return labels;
}

} // namespace brickccl::testing
