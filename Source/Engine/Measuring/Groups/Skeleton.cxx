// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/** Measures by steps from voxel to voxel within a component: its longest path, and its skeleton. */
namespace brickccl
{

namespace
{

using namespace columns;

/** A set of steps to the 26 neighbors of a voxel. Step x + 3 y + 9 z has x, y and z of 0 (back), 1 or 2 (forward), so
 *  26 - step leads back. Step 13 leads nowhere and is in no set. */
using StepSet = std::uint32_t;

constexpr std::size_t StepCount = 27;

constexpr StepSet
SetOf(std::size_t step)
{
  return step == StepCount / 2 ? 0 : StepSet{ 1 } << step;
}

/** -1, 0 or 1. */
constexpr int
Along(std::size_t step, int axis)
{
  return static_cast<int>((axis == 0 ? step : axis == 1 ? step / 3 : step / 9) % 3) - 1;
}

template <typename TFunction>
void
ForEachStep(StepSet steps, TFunction function)
{
  for (; steps != 0; steps &= steps - 1)
  {
    function(static_cast<std::size_t>(LowestBit(steps)));
  }
}

/** The voxels of all components, numbered by component and then in raster order. */
struct NumberedVoxels
{
  Extent                              extent;
  LabelLists                          lists;
  std::vector<std::uint32_t>          numbers;
  std::array<std::int64_t, StepCount> offsets{};
  std::array<double, StepCount>       lengths{};
  /** At most as long as the shortest step, if no step is much longer. */
  double bucketWidth = std::numeric_limits<double>::infinity();

  NumberedVoxels(const GroupInput & input, const ComponentTable & table)
    : extent(table.extent)
    , lists(ListVoxels(input.volume, table.components.size(), input.context.Quiet()))
    , numbers(static_cast<std::size_t>(extent.VoxelCount()), std::numeric_limits<std::uint32_t>::max())
  {
    ThrowIf<Unsupported>(lists.voxels.size() >= std::numeric_limits<std::uint32_t>::max(),
                         "the columns 'geodesic' and 'skeleton' support up to 4294967294 voxels of components, not " +
                           std::to_string(lists.voxels.size()));
    for (std::size_t number = 0; number < lists.voxels.size(); ++number)
    {
      numbers[static_cast<std::size_t>(lists.voxels[number])] = static_cast<std::uint32_t>(number);
    }
    for (std::size_t step = 0; step < StepCount; ++step)
    {
      for (int axis = extent.dimension - 1; axis >= 0; --axis)
      {
        offsets[step] = offsets[step] * extent.size[axis] + Along(step, axis);
        const double part = Along(step, axis) * table.geometry.spacing[axis];
        lengths[step] = std::sqrt(lengths[step] * lengths[step] + part * part);
        bucketWidth = std::min(bucketWidth, table.geometry.spacing[axis]);
      }
    }
    bucketWidth = std::max(bucketWidth, lengths[0] / 60);
  }
};

/** One component as a graph. Its voxels are numbered from 0, in raster order. */
struct Graph
{
  const NumberedVoxels & all;
  StopPoint &            stop;
  std::size_t            first;
  /** The steps that lead from each voxel to others of the component. */
  std::vector<StepSet> steps;

  Graph(const NumberedVoxels & voxels, std::size_t component, StopPoint & stopPoint)
    : all(voxels)
    , stop(stopPoint)
    , first(static_cast<std::size_t>(all.lists.offsets[component]))
    , steps(static_cast<std::size_t>(all.lists.offsets[component + 1]) - first)
  {
    for (std::size_t voxel = 0; voxel < steps.size(); ++voxel)
    {
      stop.AskAt(voxel);
      for (std::size_t step = 0; step < StepCount; ++step)
      {
        bool         isInside = true;
        std::int64_t place = all.lists.voxels[first + voxel];
        for (int axis = 0; axis < 3; ++axis)
        {
          const std::int64_t to = place % all.extent.size[axis] + Along(step, axis);
          isInside = isInside && to >= 0 && to < all.extent.size[axis];
          place /= all.extent.size[axis];
        }
        steps[voxel] |= isInside && Neighbor(voxel, step) < steps.size() ? SetOf(step) : 0;
      }
    }
  }

  std::size_t
  Neighbor(std::size_t voxel, std::size_t step) const
  {
    return all.numbers[static_cast<std::size_t>(all.lists.voxels[first + voxel] + all.offsets[step])] - first;
  }
};

/** Finds the longest shortest path exactly, but not from every voxel: the distances from one voxel bound the longest
 *  distance from each other one (Takes and Kosters, Determining the diameter of small world networks, 2011). */
struct GeodesicMeasurer : Graph
{
  using Graph::Graph;

  GeodesicMeasures
  Measure()
  {
    using Bounds = std::pair<double, double>;
    std::vector<Bounds> bounds(steps.size(), { 0, infinity });
    const auto          isLower = [](const Bounds & a, const Bounds & b) { return a.second < b.second; };
    const auto          isNearer = [](const Bounds & a, const Bounds & b) {
      return a.first < a.second && (b.first == b.second || a.first < b.first);
    };
    double longest = 0;
    bool   isOuter = true;
    for (auto source = bounds.begin(); source != bounds.end(); isOuter = !isOuter)
    {
      const double farthest = FindPaths(static_cast<std::size_t>(source - bounds.begin()));
      longest = std::max(longest, farthest);
      for (std::size_t voxel = 0; voxel < bounds.size(); ++voxel)
      {
        if (distances[voxel] < infinity)
        {
          auto & [low, high] = bounds[voxel];
          low = std::max({ low, distances[voxel], farthest - distances[voxel] });
          high = std::min(high, farthest + distances[voxel]);
        }
      }
      *source = { farthest, farthest };
      // Next is the voxel where a longer path may begin, or in turn the one that seems nearest to the center. Sums of
      // the same steps differ by their order.
      source = std::max_element(bounds.begin(), bounds.end(), isLower);
      const bool isDone = source->second <= longest * (1 + 1e-12);
      source = isDone ? bounds.end() : isOuter ? source : std::min_element(bounds.begin(), bounds.end(), isNearer);
    }
    return { longest };
  }

  /** Finds distances from a voxel by Dijkstra's algorithm, with a ring of buckets by distance. \return the largest */
  double
  FindPaths(std::size_t source)
  {
    std::size_t waiting = 0;
    const auto  add = [&](std::size_t voxel, double distance) {
      distances[voxel] = distance;
      ring[static_cast<std::uint64_t>(distance / all.bucketWidth) % ring.size()].emplace_back(distance, voxel);
      ++waiting;
    };
    distances.assign(steps.size(), infinity);
    add(source, 0);
    for (std::size_t number = 0; waiting > 0; ++number)
    {
      auto & bucket = ring[number % ring.size()];
      for (std::size_t i = 0; i < bucket.size(); ++i)
      {
        stop.AskAt(i);
        const double      distance = bucket[i].first;
        const std::size_t voxel = bucket[i].second;
        ForEachStep(distance > distances[voxel] ? 0 : steps[voxel], [&](std::size_t step) {
          const std::size_t next = Neighbor(voxel, step);
          if (distance + all.lengths[step] < distances[next])
          {
            add(next, distance + all.lengths[step]);
          }
        });
      }
      waiting -= bucket.size();
      bucket.clear();
    }
    return std::accumulate(distances.begin(), distances.end(), 0.0, [](double farthest, double distance) {
      return distance < infinity ? std::max(farthest, distance) : farthest;
    });
  }

  static constexpr double                                     infinity = std::numeric_limits<double>::infinity();
  std::vector<double>                                         distances;
  std::array<std::vector<std::pair<double, std::size_t>>, 64> ring;
};

/** For each step, the set of others where `isIn` holds for both directions along all axes. */
template <typename TIsIn>
constexpr std::array<StepSet, StepCount>
StepsWhere(TIsIn isIn)
{
  std::array<StepSet, StepCount> sets{};
  for (std::size_t pair = 0; pair < StepCount * StepCount; ++pair)
  {
    const std::size_t step = pair / StepCount;
    const std::size_t other = pair % StepCount;
    bool              isInAll = true;
    for (int axis = 0; axis < 3; ++axis)
    {
      isInAll = isInAll && isIn(Along(step, axis), Along(other, axis));
    }
    sets[step] |= isInAll ? SetOf(other) : 0;
  }
  return sets;
}

/** The steps to all voxels around the corner, edge or face that a step goes through. */
constexpr auto StepsAround = StepsWhere([](int own, int other) { return other == 0 || other == own; });
/** The steps to the neighbors of the voxel that a step leads to. */
constexpr auto StepsBeside = StepsWhere([](int own, int other) { return other - own < 2 && own - other < 2; });

/** Whether a voxel has neighbors, and these are connected without it. */
bool
AreConnected(StepSet neighbors)
{
  StepSet reached = neighbors & (~neighbors + 1);
  for (StepSet fresh = reached; fresh != 0;)
  {
    const StepSet more = StepsBeside[static_cast<std::size_t>(LowestBit(fresh))] & neighbors & ~reached;
    reached |= more;
    fresh = (fresh & (fresh - 1)) | more;
  }
  return reached == neighbors && reached != 0;
}

/** Whether a voxel is not an end, and removing it changes neither the Euler number nor the pieces of its surroundings.
 *  The corners, edges and faces that no neighbor shares are removed with it. */
bool
IsRemovable(StepSet neighbors)
{
  int change = 0;
  for (std::size_t step = 0; step < StepCount; ++step)
  {
    const int axes = std::abs(Along(step, 0)) + std::abs(Along(step, 1)) + std::abs(Along(step, 2));
    change += (StepsAround[step] & neighbors) != 0 ? 0 : axes % 2 != 0 ? 1 : -1;
  }
  return change == 0 && CountBits(neighbors) > 1 && AreConnected(neighbors);
}

struct SkeletonMeasurer : Graph
{
  using Graph::Graph;

  SkeletonMeasures
  Measure()
  {
    parents.resize(steps.size());
    std::iota(parents.begin(), parents.end(), std::size_t{ 0 });
    left = parents;
    // The order of the sides is the order in scikit-image 0.26.
    constexpr std::size_t sides[] = { 10, 16, 14, 12, 22, 4 };
    for (std::size_t before = left.size() + 1; left.size() < before;)
    {
      before = left.size();
      for (std::size_t i = 0; i < (all.extent.size[2] > 1 ? 6 : 4); ++i)
      {
        Thin(SetOf(sides[i]));
      }
    }
    SkeletonMeasures                                          skeleton;
    std::vector<std::tuple<double, std::size_t, std::size_t>> ties;
    const auto neighbors = [&](std::size_t voxel) { return CountBits(steps[voxel]); };
    skeleton.voxels = left.size();
    for (const std::size_t voxel : left)
    {
      skeleton.ends += neighbors(voxel) == 1 ? 1 : 0;
      skeleton.branches += neighbors(voxel) == 1 || neighbors(voxel) == 2 ? 1 : 0;
      ForEachStep(steps[voxel] >> 14 << 14, [&](std::size_t step) {
        const std::size_t next = Neighbor(voxel, step);
        const double      length = all.lengths[step];
        if (std::min(neighbors(voxel), neighbors(next)) > 2)
        {
          ties.emplace_back(length, voxel, next);
          return;
        }
        skeleton.length += length;
        skeleton.branches -= std::max(neighbors(voxel), neighbors(next)) < 3 && Join(voxel, next) ? 1 : 0;
      });
    }
    std::sort(ties.begin(), ties.end());
    for (const auto & [length, voxel, next] : ties)
    {
      skeleton.length += Join(voxel, next) ? length : 0;
    }
    return skeleton;
  }

  /** Removes voxels without a neighbor at a side. All are chosen first; each must still keep neighbors connected. */
  void
  Thin(StepSet side)
  {
    std::vector<std::size_t> chosen, removed, kept;
    std::copy_if(left.begin(), left.end(), std::back_inserter(chosen), [&](std::size_t voxel) {
      stop.AskAt(voxel);
      return (steps[voxel] & side) == 0 && IsRemovable(steps[voxel]);
    });
    std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(removed), [&](std::size_t voxel) {
      const bool goes = AreConnected(steps[voxel]);
      ForEachStep(goes ? steps[voxel] : 0,
                  [&](std::size_t step) { steps[Neighbor(voxel, step)] &= ~SetOf(StepCount - 1 - step); });
      return goes;
    });
    std::set_difference(left.begin(), left.end(), removed.begin(), removed.end(), std::back_inserter(kept));
    left.swap(kept);
  }

  /** Joins two sets of voxels. \return whether they were apart */
  bool
  Join(std::size_t a, std::size_t b)
  {
    for (std::size_t * const voxel : { &a, &b })
    {
      while (parents[*voxel] != *voxel)
      {
        *voxel = parents[*voxel] = parents[parents[*voxel]];
      }
    }
    parents[a] = b;
    return a != b;
  }

  std::vector<std::size_t> parents;
  /** The voxels that are not removed, in raster order. */
  std::vector<std::size_t> left;
};

template <typename TMeasures, typename TMeasurer>
void
MeasureGraphs(const GroupInput & input, ComponentTable & table)
{
  const NumberedVoxels   voxels(input, table);
  std::vector<TMeasures> measures(table.components.size());
  const Chunks           parts(static_cast<std::int64_t>(measures.size()), 1, 4096);
  StopPoint              stop(input.context);
  ParallelFor(parts.count, input.context, [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      measures[c] = TMeasurer(voxels, c, stop).Measure();
    }
  });
  table.measures.Set(std::move(measures));
}

void
AddSkeletonColumns(ColumnList & columns)
{
  columns.Add("skeleton_voxels",
              "voxels of the skeleton: what the thinning of Lee, Kashyap and Chu (1994) leaves",
              MergeRule::SecondLook,
              &SkeletonMeasures::voxels,
              "voxels");
  columns.Add(
    "skeleton_length_mm",
    "length of the steps between these; where voxels with three or more neighbors meet, of a shortest tree, as in skan",
    MergeRule::SecondLook,
    &SkeletonMeasures::length);
  columns.Add("skeleton_branches",
              "connected pieces of its voxels with one or two neighbors",
              MergeRule::SecondLook,
              &SkeletonMeasures::branches);
  columns.Add("skeleton_ends", "its voxels with one neighbor", MergeRule::SecondLook, &SkeletonMeasures::ends);
}

} // namespace

constexpr ColumnGroup groups::Geodesic = GroupOnRequest(
  "geodesic",
  [](ColumnList & columns) {
    columns.Add("geodesic_diameter_mm",
                "longest of the shortest paths within the component, from center to center in steps to all neighbors",
                MergeRule::SecondLook,
                &GeodesicMeasures::diameter);
  },
  MeasureGraphs<GeodesicMeasures, GeodesicMeasurer>);
constexpr ColumnGroup groups::Skeleton =
  GroupOnRequest("skeleton", AddSkeletonColumns, MeasureGraphs<SkeletonMeasures, SkeletonMeasurer>);

} // namespace brickccl
