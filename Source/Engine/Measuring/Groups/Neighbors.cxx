// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

/** Distances to the nearest other component, and contacts. */
namespace brickccl
{

namespace
{

using namespace columns;

/** Looks for the nearest component at `reach` or farther (a squared distance). */
class NearestSearch
{
public:
  NearestSearch(const BoundingBoxTrees & trees, const double * spacing, double reach, const HostContext & context)
    : m_Trees(trees)
    , m_Spacing(spacing)
    , m_Boxes(trees, spacing, context)
    , m_Reach(reach)
  {}

  void
  Find(std::size_t component, Nearest & best) const
  {
    m_Boxes.Visit(
      m_Trees[component].Bounds(),
      [&](double square, std::size_t other) { return IsHopeless(square, best, other); },
      [&](std::size_t other) { Try(other, component, best); });
  }

private:
  /** Whether no component at this distance or farther can be the answer: the smallest label of the nearest ones. */
  bool
  IsHopeless(double gap, const Nearest & best, std::size_t component) const
  {
    const double square = std::max(gap, m_Reach);
    return square > best.square || (square == best.square && component + 1 > best.label);
  }

  void
  Try(std::size_t other, std::size_t component, Nearest & best) const
  {
    if (other == component ||
        IsHopeless(BoundingBoxTree::GapBetween(m_Trees[component].Bounds(), m_Trees[other].Bounds(), m_Spacing),
                   best,
                   other))
    {
      return;
    }
    // The limit is the next larger number, so that equal distances are found as well.
    const double limit =
      other + 1 < best.label ? std::nextafter(best.square, std::numeric_limits<double>::infinity()) : best.square;
    const double square = BoundingBoxTree::SmallestDistance(m_Trees[component], m_Trees[other], limit);
    if (square < limit)
    {
      best = { square, other + 1 };
    }
  }

  const BoundingBoxTrees & m_Trees;
  const double *           m_Spacing;
  ComponentBoxTree         m_Boxes;
  double                   m_Reach;
};

/** Finds the nearest of all components for those that have none below the reach. */
void
SearchAll(const RunVolume & volume, const HostContext & context, const ComponentTable & table, NearComponents & found)
{
  const auto isFar = [&](const Nearest & nearest) { return nearest.square >= found.reach; };
  if (std::none_of(found.nearest.begin(), found.nearest.end(), isFar))
  {
    return;
  }
  const BoundingBoxTrees trees = MakeComponentTrees(volume, context.Part(0, 0.4), table);
  const NearestSearch    search(trees, table.geometry.spacing, found.reach, context);
  const Chunks           parts(static_cast<std::int64_t>(trees.size()), 1, 256);
  StopPoint              stop(context);
  ParallelFor(parts.count, context.Part(0.4, 1), [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      if (isFar(found.nearest[c]))
      {
        stop.AskAt(c);
        search.Find(c, found.nearest[c]);
      }
    }
  });
}

void
MeasureNeighbors(const GroupInput & input, ComponentTable & table)
{
  const HostContext & context = input.context;
  NearComponents      found =
    FindNearComponents(input.volume, table.components.size(), context.Part(0, 0.4), table.geometry);
  SearchAll(input.volume, context.Part(0.4, 1), table, found);
  std::vector<NeighborMeasures> neighbors(table.components.size());
  for (std::size_t c = 0; c < neighbors.size(); ++c)
  {
    const Nearest & nearest = found.nearest[c];
    const bool      exists = nearest.label != Nearest::none;
    neighbors[c] = { exists ? std::sqrt(nearest.square) : std::nan(""), exists ? nearest.label : 0 };
  }
  StopPoint stop(context);
  for (std::size_t i = 0; i < found.contacts.size(); ++i)
  {
    stop.AskAt(i);
    for (const std::uint64_t label : { found.contacts[i].first, found.contacts[i].second })
    {
      NeighborMeasures & measures = neighbors[static_cast<std::size_t>(label - 1)];
      ++measures.touching;
      measures.contactArea += found.contacts[i].area;
    }
  }
  table.contacts = std::move(found.contacts);
  table.measures.Set(std::move(neighbors));
}

void
SetNeighborLabels(const std::vector<std::uint64_t> & labels, ComponentTable & table)
{
  const auto replace = [&labels](std::uint64_t & label) {
    label = label == 0 ? 0 : labels[static_cast<std::size_t>(label - 1)];
  };
  const auto                    measured = table.measures.Of<NeighborMeasures>();
  std::vector<NeighborMeasures> neighbors(measured.begin(), measured.end());
  for (NeighborMeasures & neighbor : neighbors)
  {
    replace(neighbor.nearest);
  }
  table.measures.Set(std::move(neighbors));
  for (Contact & contact : table.contacts)
  {
    replace(contact.first);
    replace(contact.second);
  }
}

void
AddNeighborColumns(ColumnList & columns)
{
  static const char * const contactNames[] = { "contact_ends",
                                               "contact_length_mm",
                                               "contact_area_mm2",
                                               "contact_volume_mm3" };
  columns.Add("nearest_distance_mm",
              "surface-to-surface distance (voxels as boxes) to the nearest other component; 0 if they touch, NaN if "
              "there is no other",
              MergeRule::SecondLook,
              &NeighborMeasures::distance);
  columns.Add("nearest_label",
              "label of this nearest component, the smallest of equally near ones; 0 if there is none",
              MergeRule::SecondLook,
              &NeighborMeasures::nearest);
  columns.Add("touching_count",
              "number of components that share voxel faces with it",
              MergeRule::SecondLook,
              &NeighborMeasures::touching);
  columns.Add(contactNames[columns.Dimension() - 1],
              "area of these faces (in 2-D length of these edges)",
              MergeRule::SecondLook,
              &NeighborMeasures::contactArea);
}

} // namespace

constexpr ColumnGroup groups::Neighbors = [] {
  ColumnGroup group;
  group.name = "neighbors";
  group.addColumns = AddNeighborColumns;
  group.measure = MeasureNeighbors;
  group.setLabels = SetNeighborLabels;
  return group;
}();

} // namespace brickccl
