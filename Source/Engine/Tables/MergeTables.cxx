// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/MergeTables.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace brickccl
{

using LabelPairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

static bool
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

/** \throws InvalidArgument unless both tables are of parts of one image, measured in the same way. */
static void
CheckSameColumns(const ComponentTable & a, const ComponentTable & b)
{
  const int dimension = a.extent.dimension;
  bool      isSame = b.extent.dimension == dimension;
  for (int axis = 0; axis < dimension && isSame; ++axis)
  {
    isSame = a.geometry.spacing[axis] == b.geometry.spacing[axis] &&
             a.geometry.origin[axis] == b.geometry.origin[axis] &&
             std::equal(a.geometry.direction[axis], a.geometry.direction[axis] + dimension, b.geometry.direction[axis]);
  }
  ThrowIf<InvalidArgument>(!isSame,
                           "the tables belong to images of different dimension, spacing, origin or direction; parts of "
                           "one image may differ only in start index and extent");
  ThrowIf<InvalidArgument>(a.periodic.HasAny() || b.periodic.HasAny(),
                           "tables of periodic images are not merged: a part of an image has ends");
  ThrowIf<InvalidArgument>(
    a.hasIntensity != b.hasIntensity || a.hasPart != b.hasPart || a.groups != b.groups || a.sliceAxis != b.sliceAxis,
    "the tables have different columns; both parts must be measured with the same groups and images");
}

static void
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

static std::size_t
PlaceOf(const ComponentRows & rows, std::uint64_t label, const char * part)
{
  std::size_t begin = 0;
  for (std::size_t end = rows.size(); begin < end;)
  {
    const std::size_t middle = (begin + end) / 2;
    rows.Label(middle) < label ? begin = middle + 1 : end = middle;
  }
  if (begin == rows.size() || rows.Label(begin) != label)
  {
    throw InvalidArgument("a pair names the label " + std::to_string(label) + ", which the " + part +
                          " table does not have");
  }
  return begin;
}

/** For each row of `a`, then of `b`, the first row that belongs to the same merged component. */
static std::vector<std::size_t>
FirstRowsOfComponents(const ComponentTable & a, const ComponentTable & b, const LabelPairs & pairs)
{
  std::vector<std::size_t> parent(a.components.size() + b.components.size());
  std::iota(parent.begin(), parent.end(), std::size_t{ 0 });
  for (const auto & [labelA, labelB] : pairs)
  {
    Unite(parent.data(),
          PlaceOf(a.components, labelA, "first"),
          a.components.size() + PlaceOf(b.components, labelB, "second"));
  }
  // A parent comes before its nodes, so it is a root already.
  for (std::size_t & node : parent)
  {
    node = parent[node];
  }
  return parent;
}

/** The sums of a row, with indices that count from the first voxel of the merged box. */
static ShapeSums
SumsOf(const PartRow & row, const ComponentTable & merged)
{
  const ComponentMeasures measures = row.table->components[row.place];
  const Extent &          extent = row.table->extent;
  const PartOffset        place({ row.table, row.place }, merged);
  const PartOffset        offset(row, merged);
  ShapeSums               sums;
  sums.voxels = measures.voxelCount;
  auto         rest = static_cast<std::int64_t>(measures.firstVoxel);
  std::int64_t stride = 1;
  std::int64_t first = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    first += (rest % extent.size[axis] + place.along[axis]) * stride;
    rest /= extent.size[axis];
    stride *= merged.extent.size[axis];
  }
  sums.firstVoxel = static_cast<std::uint64_t>(first);
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    sums.indexSum[axis] =
      measures.indexSum[axis] + static_cast<std::uint64_t>(offset.along[axis]) * measures.voxelCount;
    const std::int64_t moved = offset.along[axis] - place.along[axis] - merged.geometry.startIndex[axis];
    sums.minimum[axis] = measures.boxMinimum[axis] + moved;
    sums.maximum[axis] = measures.boxMaximum[axis] + moved;
  }
  return sums;
}

/** Orders the components of rows by their first voxels. \return the place of each row's component.
 *  \param firstRows  as FirstRowsOfComponents returns them \param count  receives the number of components
 *  \param firstVoxels  of the rows; first rows receive the first voxels of their components */
static std::vector<std::size_t>
OrderComponents(const std::vector<std::size_t> & firstRows,
                std::vector<std::uint64_t> &     firstVoxels,
                std::size_t &                    count)
{
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < firstRows.size(); ++row)
  {
    firstVoxels[firstRows[row]] = std::min(firstVoxels[firstRows[row]], firstVoxels[row]);
    if (firstRows[row] == row)
    {
      order.push_back(row);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return firstVoxels[x] < firstVoxels[y]; });
  std::vector<std::size_t> places(firstRows.size());
  for (std::size_t c = 0; c < order.size(); ++c)
  {
    places[order[c]] = c;
  }
  for (std::size_t row = 0; row < places.size(); ++row)
  {
    places[row] = places[firstRows[row]];
  }
  count = order.size();
  return places;
}

static MergeInput
ListParts(const std::vector<const ComponentTable *> &    parts,
          const std::vector<std::vector<std::size_t>> &  places,
          std::size_t                                    components,
          const std::vector<std::vector<UnwrappedRow>> * unwrapped)
{
  MergeInput input;
  input.begins.assign(components + 1, 0);
  for (const std::vector<std::size_t> & ofPart : places)
  {
    for (const std::size_t place : ofPart)
    {
      input.begins[place == LeftOut ? 0 : place + 1] += place == LeftOut ? 0 : 1;
    }
  }
  std::partial_sum(input.begins.begin(), input.begins.end(), input.begins.begin());
  std::vector<std::size_t> next(input.begins.begin(), input.begins.end() - 1);
  input.parts.resize(input.begins.back());
  for (std::size_t part = 0; part < parts.size(); ++part)
  {
    for (std::size_t row = 0; row < places[part].size(); ++row)
    {
      if (places[part][row] != LeftOut)
      {
        input.parts[next[places[part][row]]++] = { parts[part],
                                                   row,
                                                   unwrapped != nullptr ? &(*unwrapped)[part][row] : nullptr };
      }
    }
  }
  return input;
}

static ShapeSums
SumsOfComponent(const MergeInput & input, std::size_t component, const ComponentTable & merged)
{
  ShapeSums     sums;
  unsigned char wraps = 0;
  input.ForParts(component, [&](const PartRow & row) {
    sums.Merge(SumsOf(row, merged));
    wraps |= row.unwrapped != nullptr ? row.unwrapped->wraps : 0;
  });
  for (int axis = 0; axis < merged.extent.dimension && wraps != 0; ++axis)
  {
    if (((wraps >> axis) & 1u) != 0)
    {
      sums.SetWraps(axis, merged.extent.size[axis]);
    }
  }
  return sums;
}

void
MergeParts(const std::vector<const ComponentTable *> &    parts,
           const std::vector<std::vector<std::size_t>> &  places,
           std::size_t                                    components,
           ComponentTable &                               merged,
           const std::vector<std::vector<UnwrappedRow>> * unwrapped,
           const HostContext &                            context)
{
  const ComponentTable & model = *parts.front();
  merged.sliceAxis = model.sliceAxis;
  merged.hasIntensity = model.hasIntensity;
  merged.hasPart = model.hasPart;
  bool          hasRegion = false;
  std::uint64_t region = 0;
  for (const ComponentTable * const part : parts)
  {
    CheckSameColumns(model, *part);
    merged.partTotals.voxels += part->partTotals.voxels;
    merged.partTotals.componentVoxels += part->partTotals.componentVoxels;
    hasRegion = hasRegion || part->regionVoxels.has_value();
    region += part->regionVoxels.value_or(static_cast<std::uint64_t>(part->extent.VoxelCount()));
  }
  if (hasRegion)
  {
    merged.regionVoxels = region;
  }
  MergeInput input = ListParts(parts, places, components, unwrapped);
  input.context = context;
  UninitializedVector<ShapeSums> sums(components, ShapeSums());
  input.ForComponents([&](std::size_t c) { sums[c] = SumsOfComponent(input, c, merged); });
  merged.components = MakeRows(merged.extent, merged.geometry, std::move(sums));
  for (const ColumnGroup * const group : model.groups)
  {
    if (group->merge != nullptr)
    {
      merged.groups.push_back(group);
      group->merge(input, merged);
    }
  }
}

ComponentTable
MergeComponentTables(const ComponentTable & a,
                     const ComponentTable & b,
                     const LabelPairs &     pairs,
                     MergedLabels *         labels)
{
  CheckSameColumns(a, b);
  ThrowIf<InvalidArgument>(
    Overlap(a, b),
    "the parts of the tables overlap; each part of an image needs its own start index and voxels");
  ComponentTable merged;
  UniteExtents(a, b, merged);

  const std::vector<const ComponentTable *> parts = { &a, &b };
  std::vector<std::uint64_t>                firstVoxels;
  for (const ComponentTable * const part : parts)
  {
    for (std::size_t row = 0; row < part->components.size(); ++row)
    {
      firstVoxels.push_back(SumsOf({ part, row }, merged).firstVoxel);
    }
  }
  std::size_t                    count = 0;
  const std::vector<std::size_t> places = OrderComponents(FirstRowsOfComponents(a, b, pairs), firstVoxels, count);
  const auto                     second = places.begin() + static_cast<std::ptrdiff_t>(a.components.size());
  std::vector<std::vector<std::size_t>> placesOfParts = { { places.begin(), second }, { second, places.end() } };
  MergeParts(parts, placesOfParts, count, merged);
  if (labels)
  {
    *labels = {};
    for (std::size_t row = 0; row < places.size(); ++row)
    {
      (row < a.components.size() ? labels->ofFirst : labels->ofSecond).push_back(places[row] + 1);
    }
  }
  return merged;
}

} // namespace brickccl
