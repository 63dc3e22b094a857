// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/BuildRunVolume.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/** Distances to the surface of the part that is given as a mask. */
namespace brickccl
{

using namespace columns;

/** The number of voxels of components within the part. Components with voxels outside of it get the distance 0. */
static std::uint64_t
CountCommonVoxels(const RunVolume &      volume,
                  const RunVolume &      outside,
                  const ComponentTable & table,
                  std::vector<double> &  squares)
{
  std::uint64_t           inside = TotalsOf(table).voxels;
  std::vector<LabeledRun> own;
  for (std::int64_t row = 0; row < volume.GetExtent().RowCount(); ++row)
  {
    CollectLabeledRuns(volume, row, own);
    std::size_t i = 0;
    outside.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t) {
      while (i < own.size() && own[i].end <= begin)
      {
        ++i;
      }
      for (std::size_t k = i; k < own.size() && own[k].begin < end; ++k)
      {
        inside -= static_cast<std::uint64_t>(std::min(end, own[k].end) - std::max(begin, own[k].begin));
        squares[static_cast<std::size_t>(own[k].label - 1)] = 0;
      }
    });
  }
  return inside;
}

/** Finds the voxels of a row that belong to the part or have a neighbor, also at a corner, that does. */
static void
FindNearPart(const RunVolume & outside, std::int64_t row, std::vector<Word> & near)
{
  const Extent &     extent = outside.GetExtent();
  const std::int64_t words = outside.WordsPerRow();
  const RowPosition  position(extent, row);
  std::vector<Word>  part(static_cast<std::size_t>(words) + 2);
  constexpr int      steps = 27;
  for (int step = 0; step < steps; ++step)
  {
    std::int64_t other = row;
    std::int64_t stride = 1;
    bool         isInImage = true;
    for (int axis = 1, rest = step; axis < MaximumDimension; ++axis, rest /= 3)
    {
      const std::int64_t place = position.at[axis - 1] + rest % 3 - 1;
      isInImage = isInImage && place >= 0 && place < extent.size[axis];
      other += (rest % 3 - 1) * stride;
      stride *= extent.size[axis];
    }
    for (std::int64_t word = 0; word < words && isInImage; ++word)
    {
      part[static_cast<std::size_t>(word) + 1] |= ~outside.Foreground(other)[word];
    }
  }
  // Bits past the row's end are not voxels.
  const auto last = static_cast<int>((extent.RowLength() - 1) % BitsPerWord);
  part[static_cast<std::size_t>(words)] &= BitsUpTo(last);
  near.resize(static_cast<std::size_t>(words));
  for (std::size_t word = 0; word < near.size(); ++word)
  {
    near[word] = part[word + 1] | FromLeft(part[word + 1], part[word]) | FromRight(part[word + 1], part[word + 2]);
  }
}

/** The runs of voxels outside of the part: its mask is 0 there, or not a number. */
static void
FindOutside(const ImageView & part, const HostContext & context, RunVolume & outside)
{
  if (part.channels > 1 || CountNotANumber(part, context) == 0)
  {
    FindRuns(*MakeRowLinks(part, Criterion::InRange(0, 0)), part.extent, {}, context, outside);
    return;
  }
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(part.extent.VoxelCount()));
  VisitScalarType(part.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto * const values = static_cast<const T *>(part.data);
    std::transform(values, values + mask.size(), mask.begin(), [](T value) { return IsInPart(value) ? 1 : 0; });
  });
  FindRuns(*MakeRowLinks(ImageView(mask.data(), part.extent), Criterion::InRange(0, 0)),
           part.extent,
           {},
           context,
           outside);
}

/** Sets distances, of which infinite ones are not there. */
static void
SetDistances(const std::vector<double> & squares, ComponentTable & table)
{
  std::vector<PartDistance> distances;
  for (const double square : squares)
  {
    distances.push_back({ std::isfinite(square) ? std::sqrt(square) : std::numeric_limits<double>::quiet_NaN() });
  }
  table.measures.Set(std::move(distances));
}

static void
MeasurePartDistances(const GroupInput & input, ComponentTable & table)
{
  const ImageView &   part = *input.options.part;
  const HostContext & context = input.context;
  RunVolume           outside;
  FindOutside(part, context.Part(0, 0.1), outside);
  std::vector<double> squares(table.components.size(), std::numeric_limits<double>::infinity());
  table.partTotals.voxels =
    static_cast<std::uint64_t>(part.extent.VoxelCount()) - CountForeground(outside, context.Silent());
  table.partTotals.componentVoxels = CountCommonVoxels(input.volume, outside, table, squares);
  const BoundingBoxTrees tree =
    MakeTreeBesidePart(outside, { part.extent, 0, table.geometry.spacing }, context.Part(0.1, 0.4));
  const BoundingBoxTrees trees = MakeComponentTrees(input.volume, context.Part(0.4, 0.6), table);
  LowerDistances(trees, tree[0], context.Part(0.6, 1), squares);
  SetDistances(squares, table);
}

static void
MergePartDistances(const MergeInput & input, ComponentTable & table)
{
  std::vector<PartDistance> distances(table.components.size(), { std::numeric_limits<double>::quiet_NaN() });
  for (std::size_t c = 0; c < distances.size(); ++c)
  {
    input.ForParts(c, [&](const PartRow & row) {
      // fmin ignores NaN, which means no distance.
      distances[c].distance =
        std::fmin(distances[c].distance, row.table->measures.Of<PartDistance>()[row.place].distance);
    });
  }
  table.measures.Set(std::move(distances));
}

constexpr ColumnGroup groups::Part = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithPart;
  group.addColumns = [](ColumnList & columns) {
    columns.Add("surface_distance_mm",
                "distance (voxels as boxes) to the nearest voxel outside the mask of the part; 0 if the component "
                "touches or contains such a voxel; NaN if there is none",
                MergeRule::Minimum,
                &PartDistance::distance);
  };
  group.measure = MeasurePartDistances;
  group.merge = MergePartDistances;
  return group;
}();

BoundingBoxTrees
MakeTreeBesidePart(const RunVolume & outside, const RowsOfImage & rows, const HostContext & context)
{
  const std::int64_t            rowCount = outside.GetExtent().RowCount();
  const std::int64_t            rowsOfSlice = rowCount / outside.GetExtent().size[AxisOfParts(rows.image)];
  const bool                    isWhole = rowCount == rows.image.RowCount();
  UninitializedVector<VoxelBox> boxes;
  std::vector<Word>             near;
  for (std::int64_t row = 0; row < rowCount; ++row)
  {
    FindNearPart(outside, row, near);
    // The rows next to the ends are not known.
    if (!isWhole && (row < rowsOfSlice || row >= rowCount - rowsOfSlice))
    {
      std::fill(near.begin(), near.end(), ~Word{ 0 });
    }
    if (std::all_of(near.begin(), near.end(), [](Word word) { return word == 0; }))
    {
      continue;
    }
    const RowPosition position(rows.image, rows.first + row);
    outside.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t) {
      while (begin < end && !HasBits(near.data(), begin, begin + 1))
      {
        ++begin;
      }
      while (begin < end && !HasBits(near.data(), end - 1, end))
      {
        --end;
      }
      if (begin < end)
      {
        boxes.push_back(BoxOfRun(position, begin, end));
      }
    });
  }
  return { std::move(boxes), rows.spacing, context };
}

void
LowerDistances(const BoundingBoxTrees & components,
               const BoundingBoxTree &  beside,
               const HostContext &      context,
               std::vector<double> &    squares)
{
  const Chunks parts(static_cast<std::int64_t>(components.size()), 1, 256);
  ParallelFor(parts.count, context, [&](std::int64_t index) {
    for (auto c = static_cast<std::size_t>(parts.Begin(index)); c < static_cast<std::size_t>(parts.End(index)); ++c)
    {
      if (squares[c] > 0)
      {
        squares[c] = BoundingBoxTree::SmallestDistance(components[c], beside, squares[c]);
      }
    }
  });
}

void
SetPartDistances(const std::vector<double> & squares, std::uint64_t partVoxels, ComponentTable & table)
{
  InsertGroup(groups::Part, table.groups);
  table.hasPart = true;
  table.partTotals = { partVoxels, TotalsOf(table).voxels };
  SetDistances(squares, table);
}

} // namespace brickccl
