#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/ComponentBoxTree.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Measuring/GroupInput.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

/** Distances to the nearest other component, and contacts. */
namespace brickccl
{

namespace
{

using namespace columns;

/** Finds the nearest other component. */
class NearestSearch
{
public:
  NearestSearch(const std::vector<BoundingBoxTree> & trees, const double * spacing)
    : m_Trees(trees)
    , m_Spacing(spacing)
    , m_Boxes(trees, spacing)
  {}

  void
  Find(std::size_t component, NeighbourMeasures & measures) const
  {
    Best best;
    m_Boxes.Visit(
      m_Trees[component].Bounds(),
      [&best] { return best.square; },
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

  /** Whether a component at this distance or farther cannot be the answer. If several are equally near, the one with
   *  the smallest label is the answer. */
  static bool
  IsHopeless(double square, const Best & best, std::size_t component)
  {
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

  const std::vector<BoundingBoxTree> & m_Trees;
  const double *                       m_Spacing;
  ComponentBoxTree                     m_Boxes;
};

struct PairHash
{
  std::size_t
  operator()(const std::pair<std::uint64_t, std::uint64_t> & pair) const
  {
    return (pair.first * 0x9E3779B97F4A7C15u) ^ (pair.second + (pair.first >> 29));
  }
};

/** The number of faces that two components share, across each axis. */
struct FaceCounts
{
  std::uint64_t across[MaximumDimension] = {};
};

using FacesOfPairs = std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, FaceCounts, PairHash>;

void
CountFaces(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b, int axis, FacesOfPairs & faces)
{
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();)
  {
    const std::int64_t begin = std::max(a[i].begin, b[j].begin);
    const std::int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end && a[i].label != b[j].label)
    {
      faces[std::minmax(a[i].label, b[j].label)].across[axis] += static_cast<std::uint64_t>(end - begin);
    }
    (a[i].end < b[j].end ? i : j) += 1;
  }
}

/** Finds all pairs of components that share faces. */
std::vector<Contact>
FindContacts(const RunVolume & volume, const HostContext & context, const Geometry & geometry)
{
  const Extent &            extent = volume.GetExtent();
  const Chunks              chunks = RowChunks(extent, context);
  std::vector<FacesOfPairs> parts(static_cast<std::size_t>(chunks.count));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    FacesOfPairs &          faces = parts[static_cast<std::size_t>(chunk)];
    std::vector<LabeledRun> own;
    std::vector<LabeledRun> other;
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      CollectLabeledRuns(volume, row, own);
      for (std::size_t i = 1; i < own.size(); ++i)
      {
        if (own[i - 1].end == own[i].begin)
        {
          ++faces[std::minmax(own[i - 1].label, own[i].label)].across[0];
        }
      }
      const RowPosition position(extent, row);
      std::int64_t      stride = 1;
      for (int axis = 1; axis < extent.dimension; ++axis)
      {
        if (!own.empty() && position.at[axis - 1] > 0)
        {
          CollectLabeledRuns(volume, row - stride, other);
          CountFaces(own, other, axis, faces);
        }
        stride *= extent.size[axis];
      }
    }
  });
  FacesOfPairs  all;
  StopPoint     stop(context);
  std::uint64_t pairs = 0;
  for (const FacesOfPairs & part : parts)
  {
    for (const auto & [pair, counts] : part)
    {
      stop.AskAt(pairs++);
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        all[pair].across[axis] += counts.across[axis];
      }
    }
  }
  const double         voxel = geometry.VoxelVolume(extent.dimension);
  std::vector<Contact> contacts;
  for (const auto & [pair, counts] : all)
  {
    stop.AskAt(contacts.size());
    Contact contact{ pair.first, pair.second, 0, 0 };
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      contact.faces += counts.across[axis];
      contact.area += static_cast<double>(counts.across[axis]) * (voxel / geometry.spacing[axis]);
    }
    contacts.push_back(contact);
  }
  std::uint64_t compared = 0;
  std::sort(contacts.begin(), contacts.end(), [&](const Contact & a, const Contact & b) {
    stop.AskAt(++compared);
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  return contacts;
}

void
MeasureNeighbours(const GroupInput & input, ComponentTable & table)
{
  std::vector<NeighbourMeasures> neighbours(table.components.size());
  table.contacts = FindContacts(input.volume, input.context, table.geometry);
  for (const Contact & contact : table.contacts)
  {
    for (const std::uint64_t label : { contact.first, contact.second })
    {
      NeighbourMeasures & measures = neighbours[static_cast<std::size_t>(label - 1)];
      ++measures.touching;
      measures.contactArea += contact.area;
    }
  }
  const std::vector<BoundingBoxTree> trees = MakeComponentTrees(input.volume, input.context, table);
  const NearestSearch                search(trees, table.geometry.spacing);
  const Chunks                       parts(static_cast<std::int64_t>(trees.size()), 1, 256);
  ParallelFor(parts.count, input.context, [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      search.Find(c, neighbours[c]);
    }
  });
  table.measures.Set(std::move(neighbours));
}

void
SetNeighbourLabels(const std::vector<std::uint64_t> & labels, ComponentTable & table)
{
  const auto replace = [&labels](std::uint64_t & label) {
    label = label == 0 ? 0 : labels[static_cast<std::size_t>(label - 1)];
  };
  const auto                     measured = table.measures.Of<NeighbourMeasures>();
  std::vector<NeighbourMeasures> neighbours(measured.begin(), measured.end());
  for (NeighbourMeasures & neighbour : neighbours)
  {
    replace(neighbour.nearest);
  }
  table.measures.Set(std::move(neighbours));
  for (Contact & contact : table.contacts)
  {
    replace(contact.first);
    replace(contact.second);
  }
}

void
AddNeighbourColumns(ColumnList & columns)
{
  static const char * const contactNames[] = { "contact_ends",
                                               "contact_length_mm",
                                               "contact_area_mm2",
                                               "contact_volume_mm3" };
  columns.Add("nearest_distance_mm",
              "distance from surface to surface, voxels taken as boxes, to the nearest other component; 0 where they "
              "touch, not a number if there is no other",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<NeighbourMeasures>()[c.place].distance; });
  columns.Add("nearest_label",
              "its label, the smallest of several; 0 if there is none",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<NeighbourMeasures>()[c.place].nearest; });
  columns.Add("touching_count",
              "number of components with which it shares voxel faces",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<NeighbourMeasures>()[c.place].touching; });
  columns.Add(contactNames[columns.Dimension() - 1],
              "area of these faces (in 2-D length of these edges)",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<NeighbourMeasures>()[c.place].contactArea; });
}

} // namespace

namespace groups
{
extern constexpr ColumnGroup Neighbours = [] {
  ColumnGroup group;
  group.name = "neighbours";
  group.addColumns = AddNeighbourColumns;
  group.measure = MeasureNeighbours;
  group.setLabels = SetNeighbourLabels;
  return group;
}();
} // namespace groups

} // namespace brickccl
