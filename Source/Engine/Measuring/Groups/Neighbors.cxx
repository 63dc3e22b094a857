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

class NearestSearch
{
public:
  NearestSearch(const BoundingBoxTrees & trees, const double * spacing, const HostContext & context)
    : m_Trees(trees)
    , m_Spacing(spacing)
    , m_Boxes(trees, spacing, context)
    , m_Least(*std::min_element(spacing, spacing + MaximumDimension))
  {}

  void
  Find(std::size_t component, NeighborMeasures & measures) const
  {
    Best best;
    m_Boxes.Visit(
      m_Trees[component].Bounds(),
      [&](double square, std::size_t other) { return IsHopeless(square, best, other); },
      [&](std::size_t other) { Try(other, component, best); });
    measures.nearest = best.component == none ? 0 : best.component + 1;
    measures.distance = best.component == none ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(best.square);
  }

private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct Best
  {
    double      square = std::numeric_limits<double>::infinity();
    std::size_t component = none;
  };

  /** Whether no component at this distance or farther can be the answer: the smallest label of the nearest ones. */
  bool
  IsHopeless(double gap, const Best & best, std::size_t component) const
  {
    // Components that touch are not looked for, so that a voxel is between.
    const double square = std::max(gap, m_Least * m_Least);
    return square > best.square || (square == best.square && component > best.component);
  }

  void
  Try(std::size_t other, std::size_t component, Best & best) const
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
      other < best.component ? std::nextafter(best.square, std::numeric_limits<double>::infinity()) : best.square;
    const double square = BoundingBoxTree::SmallestDistance(m_Trees[component], m_Trees[other], limit);
    if (square < limit)
    {
      best = { square, other };
    }
  }

  const BoundingBoxTrees & m_Trees;
  const double *           m_Spacing;
  ComponentBoxTree         m_Boxes;
  double                   m_Least;
};

void
MeasureNeighbors(const GroupInput & input, ComponentTable & table)
{
  std::vector<NeighborMeasures> neighbors(table.components.size());
  bool                          isAlone = input.TouchingAreJoined();
  if (!isAlone)
  {
    ComponentContacts contacts =
      FindContacts(input.volume, table.components.size(), input.context.Part(0, 0.4), table.geometry);
    for (std::size_t c = 0; c < neighbors.size(); ++c)
    {
      neighbors[c].nearest = contacts.smallestTouching[c];
      isAlone = isAlone || neighbors[c].nearest == 0;
    }
    table.contacts = std::move(contacts.faces);
  }
  StopPoint stop(input.context);
  for (std::size_t i = 0; i < table.contacts.size(); ++i)
  {
    stop.AskAt(i);
    for (const std::uint64_t label : { table.contacts[i].first, table.contacts[i].second })
    {
      NeighborMeasures & measures = neighbors[static_cast<std::size_t>(label - 1)];
      ++measures.touching;
      measures.contactArea += table.contacts[i].area;
    }
  }
  // Where components touch, none is nearer.
  if (isAlone)
  {
    const BoundingBoxTrees trees = MakeComponentTrees(input.volume, input.context.Part(0.4, 0.6), table);
    const NearestSearch    search(trees, table.geometry.spacing, input.context);
    const Chunks           parts(static_cast<std::int64_t>(trees.size()), 1, 256);
    ParallelFor(parts.count, input.context.Part(0.6, 1), [&](std::int64_t part) {
      for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
      {
        if (neighbors[c].nearest == 0)
        {
          stop.AskAt(c);
          search.Find(c, neighbors[c]);
        }
      }
    });
  }
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
