// SPDX-License-Identifier: Apache-2.0
#include "SplitOracle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

namespace brickccl::testing
{

namespace
{

using Place = std::array<std::int64_t, 4>;

Place
PlaceOf(const Extent & extent, std::size_t voxel)
{
  Place place = {};
  auto  rest = static_cast<std::int64_t>(voxel);
  for (std::size_t axis = 0; axis < 4; ++axis)
  {
    place[axis] = rest % extent.size[axis];
    rest /= extent.size[axis];
  }
  return place;
}

/** The neighbors of a voxel with its label, in raster order. */
std::vector<std::size_t>
NeighborsOf(const SplitProblem & problem, std::size_t voxel)
{
  std::vector<std::size_t> neighbors;
  const Place              place = PlaceOf(problem.extent, voxel);
  for (const std::array<int, 4> & offset : problem.offsets)
  {
    std::int64_t other = 0;
    bool         isInside = true;
    for (std::size_t axis = 4; axis-- > 0;)
    {
      const std::int64_t size = problem.extent.size[axis];
      const std::int64_t steps = place[axis] + offset[axis];
      const std::int64_t at = problem.periodic.count(static_cast<int>(axis)) > 0 ? (steps + size) % size : steps;
      isInside = isInside && at >= 0 && at < problem.extent.size[axis];
      other = other * problem.extent.size[axis] + at;
    }
    if (isInside && problem.labels[static_cast<std::size_t>(other)] == problem.labels[voxel])
    {
      neighbors.push_back(static_cast<std::size_t>(other));
    }
  }
  std::sort(neighbors.begin(), neighbors.end());
  return neighbors;
}

bool
IsSeed(const SplitProblem & problem, std::size_t voxel)
{
  return problem.seeds && (*problem.seeds)[voxel] != 0;
}

/** The voxel that names the basin of a peak: the peak, or the first labeled voxel of its seed. */
std::size_t
NameOf(const SplitProblem & problem, std::size_t peak)
{
  std::size_t first = 0;
  while (IsSeed(problem, peak) && ((*problem.seeds)[first] != (*problem.seeds)[peak] || problem.labels[first] == 0))
  {
    ++first;
  }
  return IsSeed(problem, peak) ? first : peak;
}

/** The peak that steps uphill from a voxel end at. */
std::size_t
PeakAbove(const SplitProblem & problem, const std::vector<double> & heights, std::size_t voxel)
{
  for (;;)
  {
    std::vector<std::size_t> candidates = NeighborsOf(problem, voxel);
    candidates.push_back(voxel);
    std::sort(candidates.begin(), candidates.end());
    const std::size_t next =
      *std::max_element(candidates.begin(), candidates.end(), [&](auto a, auto b) { return heights[a] < heights[b]; });
    if (next == voxel || IsSeed(problem, voxel))
    {
      return voxel;
    }
    voxel = next;
  }
}

} // namespace

std::vector<double>
SquaresByPairs(const SplitProblem & problem)
{
  const std::size_t   count = problem.labels.size();
  std::vector<double> squares(count, 0);
  for (std::size_t i = 0; i < count; ++i)
  {
    if (problem.labels[i] == 0)
    {
      continue;
    }
    const Place here = PlaceOf(problem.extent, i);
    squares[i] = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j)
    {
      const Place there = PlaceOf(problem.extent, j);
      double      square = 0;
      bool        isInSlice = true;
      for (std::size_t axis = 0; axis < 4; ++axis)
      {
        const std::int64_t apart = std::abs(there[axis] - here[axis]);
        const bool         isRing = problem.periodic.count(static_cast<int>(axis)) > 0;
        const auto steps = static_cast<double>(isRing ? std::min(apart, problem.extent.size[axis] - apart) : apart);
        isInSlice = isInSlice && (steps == 0 || problem.weights[axis] != 0);
        square = square + steps * steps * problem.weights[axis];
      }
      if (isInSlice && problem.labels[j] != problem.labels[i])
      {
        squares[i] = std::min(squares[i], square);
      }
    }
  }
  return squares;
}

SplitByDefinition
SplitLabels(const SplitProblem & problem)
{
  const std::size_t         count = problem.labels.size();
  const std::vector<double> heights = problem.values ? *problem.values : SquaresByPairs(problem);
  std::vector<std::size_t>  peakOf(count);
  std::set<std::size_t>     peaks;
  for (std::size_t i = 0; i < count; ++i)
  {
    peakOf[i] = problem.labels[i] == 0 ? i : NameOf(problem, PeakAbove(problem, heights, i));
    if (problem.labels[i] != 0)
    {
      peaks.insert(peakOf[i]);
    }
  }
  std::map<std::pair<std::size_t, std::size_t>, double> highest;
  for (std::size_t i = 0; i < count; ++i)
  {
    for (const std::size_t j : problem.labels[i] == 0 ? std::vector<std::size_t>() : NeighborsOf(problem, i))
    {
      if (peakOf[i] < peakOf[j])
      {
        const double pass = std::min(heights[i], heights[j]);
        double &     known = highest.emplace(std::make_pair(peakOf[i], peakOf[j]), pass).first->second;
        known = std::max(known, pass);
      }
    }
  }
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, double>> passes(highest.begin(), highest.end());
  std::stable_sort(passes.begin(), passes.end(), [](const auto & a, const auto & b) { return a.second > b.second; });
  const auto numberOf = [&](double height) { return problem.values ? height : std::sqrt(height); };
  // The peak of the object that each peak belongs to by now.
  std::map<std::size_t, std::size_t> owner;
  for (const std::size_t peak : peaks)
  {
    owner[peak] = peak;
  }
  for (const auto & [pair, pass] : passes)
  {
    std::size_t a = owner[pair.first];
    std::size_t b = owner[pair.second];
    if (heights[a] < heights[b] || (heights[a] == heights[b] && a > b))
    {
      std::swap(a, b);
    }
    if (IsSeed(problem, b))
    {
      std::swap(a, b);
    }
    const long double kept = 1e2L - problem.percent;
    const bool        isNear = problem.percent == 0 ? numberOf(heights[b]) - numberOf(pass) < problem.depth
                                                    : 1e4L * pass > kept * kept * heights[b];
    const bool        isLow = problem.seeds ? !IsSeed(problem, b) : heights[b] == pass || isNear;
    if (a != b && isLow)
    {
      for (auto & entry : owner)
      {
        entry.second = entry.second == b ? a : entry.second;
      }
    }
  }
  SplitByDefinition                    result{ std::vector<std::uint32_t>(count, 0), {}, peaks.size() };
  std::map<std::size_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < count; ++i)
  {
    if (problem.labels[i] != 0)
    {
      const std::size_t   name = owner[peakOf[i]];
      const std::uint32_t number =
        problem.seeds ? (*problem.seeds)[name] : static_cast<std::uint32_t>(numbers.size() + 1);
      const auto [entry, isNew] = numbers.emplace(name, number);
      if (isNew && number != 0)
      {
        result.peaks.push_back(entry->first);
      }
      result.objects[i] = entry->second;
    }
  }
  return result;
}

std::vector<std::uint32_t>
FloodFromSeeds(const SplitProblem & problem)
{
  const std::vector<double> & heights = *problem.values;
  std::vector<std::size_t>    order;
  std::vector<std::size_t>    basin(heights.size());
  for (std::size_t i = 0; i < heights.size(); ++i)
  {
    if (problem.labels[i] != 0)
    {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return heights[a] > heights[b]; });
  std::map<std::size_t, std::uint32_t> seedOf;
  std::map<std::size_t, std::size_t>   flood;
  for (const std::size_t voxel : order)
  {
    std::vector<std::size_t> higher = NeighborsOf(problem, voxel);
    higher.erase(std::remove_if(higher.begin(), higher.end(), [&](auto i) { return heights[i] < heights[voxel]; }),
                 higher.end());
    std::sort(higher.begin(), higher.end(), [&](auto a, auto b) { return heights[a] > heights[b]; });
    basin[voxel] = IsSeed(problem, voxel) || higher.empty() ? NameOf(problem, voxel) : basin[higher.front()];
    if (flood.emplace(basin[voxel], basin[voxel]).second)
    {
      seedOf[basin[voxel]] = (*problem.seeds)[voxel];
    }
    std::set<std::pair<std::size_t, std::size_t>> meetings;
    for (const std::size_t i : higher)
    {
      meetings.emplace(std::min(basin[i], basin[voxel]), std::max(basin[i], basin[voxel]));
    }
    for (const auto & [one, other] : meetings)
    {
      const std::size_t a = flood[one];
      const std::size_t b = flood[other];
      if (a != b && (seedOf[a] == 0 || seedOf[b] == 0))
      {
        seedOf[a] = std::max(seedOf[a], seedOf[b]);
        for (auto & entry : flood)
        {
          entry.second = entry.second == b ? a : entry.second;
        }
      }
    }
  }
  std::vector<std::uint32_t> objects(heights.size());
  for (const std::size_t voxel : order)
  {
    objects[voxel] = seedOf[flood[basin[voxel]]];
  }
  return objects;
}

} // namespace brickccl::testing
