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
        lengths[step] = std::hypot(lengths[step], Along(step, axis) * table.geometry.spacing[axis]);
        bucketWidth = std::min(bucketWidth, table.geometry.spacing[axis]);
      }
    }
    bucketWidth = std::max(bucketWidth, lengths[0] / 60);
  }
};

/** One component as a graph. Its voxels are numbered from 0, in raster order. */
class Graph
{
public:
  Graph(const NumberedVoxels & all, std::size_t component, StopPoint & stop)
    : m_All(all)
    , m_First(static_cast<std::size_t>(all.lists.offsets[component]))
    , m_Steps(static_cast<std::size_t>(all.lists.offsets[component + 1]) - m_First)
  {
    const std::int64_t * const size = all.extent.size;
    for (std::size_t voxel = 0; voxel < m_Steps.size(); ++voxel)
    {
      stop.AskAt(voxel);
      const std::int64_t place = all.lists.voxels[m_First + voxel];
      const std::int64_t at[] = { place % size[0], place / size[0] % size[1], place / size[0] / size[1] };
      for (std::size_t step = 0; step < StepCount; ++step)
      {
        bool isInside = true;
        for (int axis = 0; axis < 3; ++axis)
        {
          const std::int64_t to = at[axis] + Along(step, axis);
          isInside = isInside && to >= 0 && to < size[axis];
        }
        m_Steps[voxel] |= isInside && Neighbor(voxel, step) < m_Steps.size() ? SetOf(step) : 0;
      }
    }
  }

  std::size_t
  VoxelCount() const
  {
    return m_Steps.size();
  }

  /** The steps that lead from a voxel to others of the component. */
  StepSet &
  From(std::size_t voxel)
  {
    return m_Steps[voxel];
  }

  std::size_t
  Neighbor(std::size_t voxel, std::size_t step) const
  {
    return m_All.numbers[static_cast<std::size_t>(m_All.lists.voxels[m_First + voxel] + m_All.offsets[step])] - m_First;
  }

  const NumberedVoxels & m_All;

private:
  std::size_t          m_First;
  std::vector<StepSet> m_Steps;
};

/** Finds the longest shortest path exactly, but not from every voxel: the distances from one voxel bound the longest
 *  distance from each other one (Takes and Kosters, Determining the diameter of small world networks, 2011). */
class GeodesicMeasurer
{
public:
  GeodesicMeasurer(Graph & graph, StopPoint & stop)
    : m_Graph(graph)
    , m_Stop(stop)
    , m_Bounds(graph.VoxelCount(), { 0, infinity })
  {}

  GeodesicMeasures
  Measure()
  {
    double longest = 0;
    bool   isOuter = true;
    for (auto source = m_Bounds.begin(); source != m_Bounds.end(); isOuter = !isOuter)
    {
      const double farthest = FindPaths(static_cast<std::size_t>(source - m_Bounds.begin()));
      longest = std::max(longest, farthest);
      for (std::size_t voxel = 0; voxel < m_Bounds.size(); ++voxel)
      {
        if (m_Distances[voxel] < infinity)
        {
          auto & [low, high] = m_Bounds[voxel];
          low = std::max({ low, m_Distances[voxel], farthest - m_Distances[voxel] });
          high = std::min(high, farthest + m_Distances[voxel]);
        }
      }
      *source = { farthest, farthest };
      source = NextSource(longest, isOuter);
    }
    return { longest };
  }

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /** Of the longest distance from a voxel. */
  using Bounds = std::pair<double, double>;

  /** The voxel where a longer path may begin, or in turn the one that seems nearest to the center; the end if no path
   *  can be longer. */
  std::vector<Bounds>::iterator
  NextSource(double longest, bool isOuter)
  {
    const auto isLower = [](const Bounds & a, const Bounds & b) { return a.second < b.second; };
    const auto isNearer = [](const Bounds & a, const Bounds & b) {
      return a.first < a.second && (b.first == b.second || a.first < b.first);
    };
    const auto outermost = std::max_element(m_Bounds.begin(), m_Bounds.end(), isLower);
    // Sums of the same steps differ by their order.
    const bool isDone = outermost->second <= longest * (1 + 1e-12);
    return isDone ? m_Bounds.end() : isOuter ? outermost : std::min_element(m_Bounds.begin(), m_Bounds.end(), isNearer);
  }

  /** Finds the distances from a voxel by Dijkstra's algorithm; voxels wait in a ring of buckets by their distance.
   *  \return the largest of them */
  double
  FindPaths(std::size_t source)
  {
    const NumberedVoxels & all = m_Graph.m_All;
    double                 farthest = 0;
    std::size_t            waiting = 0;
    const auto             add = [&](std::size_t voxel, double distance) {
      m_Distances[voxel] = distance;
      m_Ring[static_cast<std::uint64_t>(distance / all.bucketWidth) % m_Ring.size()].emplace_back(distance, voxel);
      ++waiting;
    };
    m_Distances.assign(m_Graph.VoxelCount(), infinity);
    add(source, 0);
    for (std::size_t number = 0; waiting > 0; ++number)
    {
      auto & bucket = m_Ring[number % m_Ring.size()];
      for (std::size_t i = 0; i < bucket.size(); ++i)
      {
        m_Stop.AskAt(i);
        const double      distance = bucket[i].first;
        const std::size_t voxel = bucket[i].second;
        farthest = std::max(farthest, m_Distances[voxel]);
        ForEachStep(distance > m_Distances[voxel] ? 0 : m_Graph.From(voxel), [&](std::size_t step) {
          const std::size_t next = m_Graph.Neighbor(voxel, step);
          if (distance + all.lengths[step] < m_Distances[next])
          {
            add(next, distance + all.lengths[step]);
          }
        });
      }
      waiting -= bucket.size();
      bucket.clear();
    }
    return farthest;
  }

  Graph &             m_Graph;
  StopPoint &         m_Stop;
  std::vector<Bounds> m_Bounds;
  std::vector<double> m_Distances;

  std::array<std::vector<std::pair<double, std::size_t>>, 64> m_Ring;
};

/** What steps from one voxel have in common. */
struct StepTables
{
  /** The steps to all voxels around the corner, edge or face that a step goes through. */
  std::array<StepSet, StepCount> around{};
  /** The steps to the neighbors of the voxel that a step leads to. */
  std::array<StepSet, StepCount> beside{};

  constexpr StepTables()
  {
    for (std::size_t pair = 0; pair < StepCount * StepCount; ++pair)
    {
      const std::size_t step = pair / StepCount;
      const std::size_t other = pair % StepCount;
      bool              isAround = true;
      bool              isBeside = true;
      for (int axis = 0; axis < 3; ++axis)
      {
        const int apart = Along(other, axis) - Along(step, axis);
        isAround = isAround && (Along(other, axis) == 0 || apart == 0);
        isBeside = isBeside && apart >= -1 && apart <= 1;
      }
      around[step] |= isAround ? SetOf(other) : 0;
      beside[step] |= isBeside ? SetOf(other) : 0;
    }
  }
};

constexpr StepTables StepsOf;

/** Whether a voxel has neighbors, and these are connected without it. */
bool
AreConnected(StepSet neighbors)
{
  StepSet reached = neighbors & (~neighbors + 1);
  for (StepSet fresh = reached; fresh != 0;)
  {
    const StepSet more = StepsOf.beside[static_cast<std::size_t>(LowestBit(fresh))] & neighbors & ~reached;
    reached |= more;
    fresh = (fresh & (fresh - 1)) | more;
  }
  return reached == neighbors && reached != 0;
}

/** Whether a voxel is not an end, and removing it changes neither the Euler number nor the pieces of its surroundings.
 *  The corners, edges and faces that no neighbor shares go with it. */
bool
IsRemovable(StepSet neighbors)
{
  int change = 0;
  for (std::size_t step = 0; step < StepCount; ++step)
  {
    const int axes = std::abs(Along(step, 0)) + std::abs(Along(step, 1)) + std::abs(Along(step, 2));
    change += (StepsOf.around[step] & neighbors) != 0 ? 0 : axes % 2 != 0 ? 1 : -1;
  }
  return change == 0 && CountBits(neighbors) > 1 && AreConnected(neighbors);
}

class SkeletonMeasurer
{
public:
  SkeletonMeasurer(Graph & graph, StopPoint & stop)
    : m_Graph(graph)
    , m_Stop(stop)
    , m_IsRemoved(graph.VoxelCount())
    , m_Parents(graph.VoxelCount())
  {
    std::iota(m_Parents.begin(), m_Parents.end(), std::size_t{ 0 });
    std::copy_if(m_Parents.begin(), m_Parents.end(), std::back_inserter(m_Surface), [&](std::size_t voxel) {
      return IsAtSurface(graph.From(voxel));
    });
  }

  SkeletonMeasures
  Measure()
  {
    Thin();
    SkeletonMeasures                                          skeleton;
    std::vector<std::tuple<double, std::size_t, std::size_t>> ties;
    const auto neighbors = [&](std::size_t voxel) { return CountBits(m_Graph.From(voxel)); };
    for (std::size_t voxel = 0; voxel < m_Parents.size(); ++voxel)
    {
      const bool isKept = m_IsRemoved[voxel] == 0;
      skeleton.voxels += isKept ? 1 : 0;
      skeleton.ends += isKept && neighbors(voxel) == 1 ? 1 : 0;
      skeleton.branches += isKept && (neighbors(voxel) == 1 || neighbors(voxel) == 2) ? 1 : 0;
      ForEachStep(isKept ? m_Graph.From(voxel) >> 14 << 14 : 0, [&](std::size_t step) {
        const std::size_t next = m_Graph.Neighbor(voxel, step);
        const double      length = m_Graph.m_All.lengths[step];
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

private:
  static bool
  IsAtSurface(StepSet neighbors)
  {
    constexpr StepSet faces = SetOf(4) | SetOf(10) | SetOf(12) | SetOf(14) | SetOf(16) | SetOf(22);
    return (neighbors & faces) != faces;
  }

  /** The order of the sides, and what is looked at again, are those of scikit-image 0.26. */
  void
  Thin()
  {
    constexpr std::size_t sides[] = { 10, 16, 14, 12, 22, 4 };
    for (bool hasChanged = true; hasChanged;)
    {
      hasChanged = false;
      for (std::size_t i = 0; i < (m_Graph.m_All.extent.size[2] > 1 ? 6 : 4); ++i)
      {
        hasChanged = ThinAt(SetOf(sides[i])) || hasChanged;
      }
    }
  }

  /** Removes voxels without a neighbor at one side. All are chosen first; each must still keep its neighbors connected
   *  when it goes. */
  bool
  ThinAt(StepSet side)
  {
    std::vector<std::size_t> chosen;
    std::copy_if(m_Surface.begin(), m_Surface.end(), std::back_inserter(chosen), [&](std::size_t voxel) {
      m_Stop.AskAt(voxel);
      return (m_Graph.From(voxel) & side) == 0 && IsRemovable(m_Graph.From(voxel));
    });
    const auto old = static_cast<std::ptrdiff_t>(m_Surface.size());
    bool       hasChanged = false;
    for (const std::size_t voxel : chosen)
    {
      m_IsRemoved[voxel] = AreConnected(m_Graph.From(voxel)) ? 1 : 0;
      hasChanged = hasChanged || m_IsRemoved[voxel] != 0;
      ForEachStep(m_IsRemoved[voxel] != 0 ? m_Graph.From(voxel) : 0, [&](std::size_t step) {
        const std::size_t next = m_Graph.Neighbor(voxel, step);
        const bool        wasInside = !IsAtSurface(m_Graph.From(next));
        m_Graph.From(next) &= ~SetOf(StepCount - 1 - step);
        if (wasInside && IsAtSurface(m_Graph.From(next)))
        {
          m_Surface.push_back(next);
        }
      });
    }
    std::sort(m_Surface.begin() + old, m_Surface.end());
    std::inplace_merge(m_Surface.begin(), m_Surface.begin() + old, m_Surface.end());
    const auto isRemoved = [&](std::size_t voxel) { return m_IsRemoved[voxel] != 0; };
    m_Surface.erase(std::remove_if(m_Surface.begin(), m_Surface.end(), isRemoved), m_Surface.end());
    return hasChanged;
  }

  /** Joins two sets of voxels. \return whether they were apart */
  bool
  Join(std::size_t a, std::size_t b)
  {
    for (std::size_t * const voxel : { &a, &b })
    {
      while (m_Parents[*voxel] != *voxel)
      {
        *voxel = m_Parents[*voxel] = m_Parents[m_Parents[*voxel]];
      }
    }
    m_Parents[a] = b;
    return a != b;
  }

  Graph &                  m_Graph;
  StopPoint &              m_Stop;
  std::vector<char>        m_IsRemoved;
  std::vector<std::size_t> m_Parents;
  /** In raster order. */
  std::vector<std::size_t> m_Surface;
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
      Graph graph(voxels, c, stop);
      measures[c] = TMeasurer(graph, stop).Measure();
    }
  });
  table.measures.Set(std::move(measures));
}

void
AddGeodesicColumns(ColumnList & columns)
{
  columns.Add("geodesic_diameter_mm",
              "longest of the shortest paths within the component, from center to center in steps to all neighbors",
              MergeRule::SecondLook,
              &GeodesicMeasures::diameter);
}

void
AddSkeletonColumns(ColumnList & columns)
{
  const MergeRule merge = MergeRule::SecondLook;
  columns.Add("skeleton_voxels",
              "voxels of the skeleton: what the thinning of Lee, Kashyap and Chu (1994) leaves",
              merge,
              &SkeletonMeasures::voxels,
              "voxels");
  columns.Add(
    "skeleton_length_mm",
    "length of the steps between these; where voxels with three or more neighbors meet, of a shortest tree, as in skan",
    merge,
    &SkeletonMeasures::length);
  columns.Add("skeleton_branches",
              "connected pieces of its voxels with one or two neighbors",
              merge,
              &SkeletonMeasures::branches);
  columns.Add("skeleton_ends", "its voxels with one neighbor", merge, &SkeletonMeasures::ends);
}

} // namespace

constexpr ColumnGroup groups::Geodesic =
  GroupOnRequest("geodesic", AddGeodesicColumns, MeasureGraphs<GeodesicMeasures, GeodesicMeasurer>);
constexpr ColumnGroup groups::Skeleton =
  GroupOnRequest("skeleton", AddSkeletonColumns, MeasureGraphs<SkeletonMeasures, SkeletonMeasurer>);

} // namespace brickccl
