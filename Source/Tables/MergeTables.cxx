#include "BrickCCL/Tables/MergeTables.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace brickccl
{

namespace
{

using LabelPairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/** Whether the boxes of two parts have voxels in common. */
bool
Overlap(const ComponentTable & a, const ComponentTable & b)
{
  for (int axis = 0; axis < a.extent.dimension; ++axis)
  {
    const std::int64_t startA = a.geometry.startIndex[axis];
    const std::int64_t startB = b.geometry.startIndex[axis];
    if (startA >= startB + b.extent.size[axis] || startB >= startA + a.extent.size[axis])
    {
      return false;
    }
  }
  return true;
}

void
CheckMergeable(const ComponentTable & a, const ComponentTable & b)
{
  const int dimension = a.extent.dimension;
  bool      isSame = b.extent.dimension == dimension;
  for (int axis = 0; axis < dimension && isSame; ++axis)
  {
    isSame = a.geometry.spacing[axis] == b.geometry.spacing[axis] &&
             a.geometry.origin[axis] == b.geometry.origin[axis] &&
             std::equal(a.geometry.direction[axis], a.geometry.direction[axis] + dimension, b.geometry.direction[axis]);
  }
  if (!isSame)
  {
    throw InvalidArgument("the tables are of images of different dimension, spacing, origin or direction; the parts of "
                          "one image differ in nothing but their start index and extent");
  }
  if (a.periodic.HasAny() || b.periodic.HasAny())
  {
    throw InvalidArgument("tables of periodic images are not merged: a part of an image has ends");
  }
  if (Overlap(a, b))
  {
    throw InvalidArgument("the parts of the tables overlap; each part of an image has a start index of its own, and no "
                          "voxels in common with the others");
  }
  if (a.hasIntensity != b.hasIntensity || a.hasPart != b.hasPart || a.groups != b.groups || a.sliceAxis != b.sliceAxis)
  {
    throw InvalidArgument(
      "the tables have different columns; both parts must be measured with the same groups and images");
  }
}

/** Sets the smallest box around both parts. */
void
UniteExtents(const ComponentTable & a, const ComponentTable & b, ComponentTable & merged)
{
  merged.extent = a.extent;
  merged.geometry = a.geometry;
  for (int axis = 0; axis < a.extent.dimension; ++axis)
  {
    const std::int64_t startA = a.geometry.startIndex[axis];
    const std::int64_t startB = b.geometry.startIndex[axis];
    const std::int64_t start = std::min(startA, startB);
    merged.geometry.startIndex[axis] = start;
    merged.extent.size[axis] = std::max(startA + a.extent.size[axis], startB + b.extent.size[axis]) - start;
  }
}

std::unordered_map<std::uint64_t, std::size_t>
PlacesOfLabels(const ComponentTable & table)
{
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    places[table.components.Label(c)] = c;
  }
  return places;
}

std::size_t
PlaceOf(const std::unordered_map<std::uint64_t, std::size_t> & places, std::uint64_t label, const char * part)
{
  const auto found = places.find(label);
  if (found == places.end())
  {
    throw InvalidArgument("a pair names the label " + std::to_string(label) + ", which the " + part +
                          " table does not have");
  }
  return found->second;
}

/** For each row of `a`, then of `b`, the first row that belongs to the same merged component. */
std::vector<std::size_t>
FirstRowsOfComponents(const ComponentTable & a, const ComponentTable & b, const LabelPairs & pairs)
{
  std::vector<std::size_t> parent(a.components.size() + b.components.size());
  std::iota(parent.begin(), parent.end(), std::size_t{ 0 });
  const auto rootOf = [&parent](std::size_t node) {
    while (parent[node] != node)
    {
      node = parent[node] = parent[parent[node]];
    }
    return node;
  };
  const auto placesOfA = PlacesOfLabels(a);
  const auto placesOfB = PlacesOfLabels(b);
  for (const auto & [labelA, labelB] : pairs)
  {
    const std::size_t first = rootOf(PlaceOf(placesOfA, labelA, "first"));
    const std::size_t second = rootOf(a.components.size() + PlaceOf(placesOfB, labelB, "second"));
    parent[std::max(first, second)] = std::min(first, second);
  }
  for (std::size_t node = 0; node < parent.size(); ++node)
  {
    parent[node] = rootOf(node);
  }
  return parent;
}

/** The sums of a row, with indices that count from the first voxel of the merged box. */
ShapeSums
SumsOf(const PartRow & row, const ComponentTable & merged)
{
  const ComponentMeasures measures = row.table->components[row.place];
  const Extent &          extent = row.table->extent;
  const PartOffset        offset(*row.table, merged);
  ShapeSums               sums;
  sums.voxels = measures.voxelCount;
  auto         rest = static_cast<std::int64_t>(measures.firstVoxel);
  std::int64_t stride = 1;
  std::int64_t first = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    first += (rest % extent.size[axis] + offset.along[axis]) * stride;
    rest /= extent.size[axis];
    stride *= merged.extent.size[axis];
  }
  sums.firstVoxel = static_cast<std::uint64_t>(first);
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    sums.indexSum[axis] =
      measures.indexSum[axis] + static_cast<std::uint64_t>(offset.along[axis]) * measures.voxelCount;
    sums.minimum[axis] = measures.boxMinimum[axis] - merged.geometry.startIndex[axis];
    sums.maximum[axis] = measures.boxMaximum[axis] - merged.geometry.startIndex[axis];
  }
  return sums;
}

/** Merges the rows of both tables into components, in the raster order of their first voxels.
 *  \param firstRows  as FirstRowsOfComponents returns them
 *  \param places     receives the place of each row's component in the merged table. */
UninitializedVector<ShapeSums>
MergeRows(const std::vector<std::size_t> & firstRows,
          const ComponentTable &           merged,
          MergeInput &                     input,
          std::vector<std::size_t> &       places)
{
  const std::size_t      ofFirst = input.first.components.size();
  std::vector<PartRow>   rows;
  std::vector<ShapeSums> sums;
  for (std::size_t row = 0; row < firstRows.size(); ++row)
  {
    rows.push_back(row < ofFirst ? PartRow{ &input.first, row } : PartRow{ &input.second, row - ofFirst });
    sums.push_back(SumsOf(rows.back(), merged));
    if (firstRows[row] != row)
    {
      sums[firstRows[row]].Merge(sums.back());
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    if (firstRows[row] == row)
    {
      order.push_back(row);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return sums[x].firstVoxel < sums[y].firstVoxel;
  });

  UninitializedVector<ShapeSums> ordered;
  places.resize(rows.size());
  for (std::size_t c = 0; c < order.size(); ++c)
  {
    ordered.push_back(sums[order[c]]);
    places[order[c]] = c;
  }
  input.begins.assign(order.size() + 1, 0);
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    places[row] = places[firstRows[row]];
    ++input.begins[places[row] + 1];
  }
  std::partial_sum(input.begins.begin(), input.begins.end(), input.begins.begin());
  std::vector<std::size_t> next(input.begins.begin(), input.begins.end() - 1);
  input.parts.resize(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    input.parts[next[places[row]]++] = rows[row];
  }
  return ordered;
}

} // namespace

ComponentTable
MergeComponentTables(const ComponentTable & a,
                     const ComponentTable & b,
                     const LabelPairs &     pairs,
                     MergedLabels *         labels)
{
  CheckMergeable(a, b);
  ComponentTable merged;
  UniteExtents(a, b, merged);
  merged.sliceAxis = a.sliceAxis;
  merged.hasIntensity = a.hasIntensity;
  merged.hasPart = a.hasPart;
  merged.partTotals = { a.partTotals.voxels + b.partTotals.voxels,
                        a.partTotals.componentVoxels + b.partTotals.componentVoxels };

  MergeInput                     input{ a, b, {}, {} };
  std::vector<std::size_t>       places;
  UninitializedVector<ShapeSums> sums = MergeRows(FirstRowsOfComponents(a, b, pairs), merged, input, places);
  merged.components = MakeRows(merged.extent, merged.geometry, std::move(sums));
  if (labels)
  {
    *labels = {};
    for (std::size_t row = 0; row < places.size(); ++row)
    {
      (row < a.components.size() ? labels->ofFirst : labels->ofSecond).push_back(places[row] + 1);
    }
  }
  for (const ColumnGroup * const group : a.groups)
  {
    if (group->merge != nullptr)
    {
      merged.groups.push_back(group);
      group->merge(input, merged);
    }
  }
  return merged;
}

} // namespace brickccl
