// SPDX-License-Identifier: Apache-2.0
#include "FloodFill.h"

#include <algorithm>
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

using Index = std::array<std::int64_t, 4>;

Index
IndexOf(const Extent & extent, std::size_t voxel)
{
  Index at;
  auto  rest = static_cast<std::int64_t>(voxel);
  for (std::size_t axis = 0; axis < at.size(); ++axis)
  {
    at[axis] = rest % extent.size[axis];
    rest /= extent.size[axis];
  }
  return at;
}

/** Calls `visit(next, step)` for the voxels that are joined to a voxel of the foreground. */
template <typename TVisit>
void
ForJoined(const FloodFillProblem & problem, std::size_t voxel, TVisit visit)
{
  const Index at = IndexOf(problem.extent, voxel);
  for (int code = 0; code < 81; ++code)
  {
    const std::array<int, 4> step = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
    int                      differing = 0;
    bool                     inside = true;
    std::int64_t             neighbor = 0;
    for (std::size_t axis = 4; axis-- > 0;)
    {
      const std::int64_t size = problem.extent.size[axis];
      const std::int64_t beside = at[axis] + step[axis];
      const std::int64_t to = problem.periodic[axis] ? (beside + size) % size : beside;
      inside = inside && to >= 0 && to < size;
      inside = inside && !(step[axis] != 0 && static_cast<int>(axis) == problem.sliceAxis && !problem.offsets);
      differing += step[axis] != 0 ? 1 : 0;
      neighbor = neighbor * size + to;
    }
    const bool areNeighbors =
      problem.offsets ? problem.offsets->count(step) != 0 : differing != 0 && differing <= problem.rank;
    const auto next = static_cast<std::size_t>(neighbor);
    if (inside && areNeighbors && IsForeground(problem, next) && AreJoined(problem, voxel, next))
    {
      visit(next, step);
    }
  }
}

/** Puts together the component of a voxel. `places` has the indices of voxels that were reached. */
UnwrappedComponent
UnwrapFrom(const FloodFillProblem & problem, std::size_t seed, std::vector<std::optional<Index>> & places)
{
  UnwrappedComponent       component;
  std::vector<std::size_t> reached{ seed };
  places[seed] = IndexOf(problem.extent, seed);
  for (std::size_t i = 0; i < reached.size(); ++i)
  {
    const Index at = *places[reached[i]];
    ForJoined(problem, reached[i], [&](std::size_t next, const std::array<int, 4> & step) {
      Index place = at;
      for (std::size_t axis = 0; axis < place.size(); ++axis)
      {
        place[axis] += step[axis];
      }
      if (!places[next])
      {
        places[next] = place;
        reached.push_back(next);
        return;
      }
      for (std::size_t axis = 0; axis < place.size(); ++axis)
      {
        component.wraps[axis] = component.wraps[axis] || place[axis] != (*places[next])[axis];
      }
    });
  }
  component.voxels = reached.size();
  component.minimum = component.maximum = *places[seed];
  for (const std::size_t voxel : reached)
  {
    for (std::size_t axis = 0; axis < 4; ++axis)
    {
      component.minimum[axis] = std::min(component.minimum[axis], (*places[voxel])[axis]);
      component.maximum[axis] = std::max(component.maximum[axis], (*places[voxel])[axis]);
    }
  }
  Index moved;
  for (std::size_t axis = 0; axis < 4; ++axis)
  {
    const std::int64_t size = problem.extent.size[axis];
    moved[axis] = (component.minimum[axis] % size + size) % size - component.minimum[axis];
    component.minimum[axis] += moved[axis];
    component.maximum[axis] += moved[axis];
  }
  for (const std::size_t voxel : reached)
  {
    for (std::size_t i = 0; i < 4; ++i)
    {
      component.sum[i] += (*places[voxel])[i] + moved[i];
      for (std::size_t j = 0; j < 4; ++j)
      {
        component.products[i][j] += ((*places[voxel])[i] + moved[i]) * ((*places[voxel])[j] + moved[j]);
      }
    }
  }
  return component;
}

} // namespace

std::vector<std::uint64_t>
FloodFill(const FloodFillProblem & problem)
{
  const auto                 voxels = static_cast<std::size_t>(problem.extent.VoxelCount());
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
      ForJoined(problem, voxel, [&](std::size_t next, const std::array<int, 4> &) {
        if (labels[next] == 0)
        {
          labels[next] = components;
          open.push(next);
        }
      });
    }
  }
  return labels;
}

std::vector<UnwrappedComponent>
UnwrapComponents(const FloodFillProblem & problem)
{
  std::vector<UnwrappedComponent>   components;
  std::vector<std::optional<Index>> places(static_cast<std::size_t>(problem.extent.VoxelCount()));
  for (std::size_t seed = 0; seed < places.size(); ++seed)
  {
    if (!places[seed] && IsForeground(problem, seed))
    {
      components.push_back(UnwrapFrom(problem, seed, places));
    }
  }
  return components;
}

} // namespace brickccl::testing
