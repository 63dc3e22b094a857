#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Measuring/GroupInput.h"
#include "BrickCCL/Measuring/GroupMeasures.h"
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

namespace
{

using namespace columns;

/** The number of voxels of components within the part: all of them less those outside of the part. */
std::uint64_t
CountCommonVoxels(const RunVolume & volume, const RunVolume & outside, const ComponentTable & table)
{
  std::uint64_t inside = 0;
  for (const ComponentMeasures & component : table.components)
  {
    inside += component.voxelCount;
  }
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
      }
    });
  }
  return inside;
}

void
MeasurePartDistances(const GroupInput & input, ComponentTable & table)
{
  const ImageView &   part = *input.options.part;
  const HostContext & context = input.context;
  RunVolume           outside;
  FindRuns(*MakeRowLinks(part, Criterion::InRange(0, 0)), part.extent, {}, context.Part(0, 0.1), outside);
  std::vector<VoxelBox> boxes;
  boxes.reserve(static_cast<std::size_t>(outside.RunCount()));
  for (std::int64_t row = 0; row < part.extent.RowCount(); ++row)
  {
    const RowPosition position(part.extent, row);
    outside.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t) {
      boxes.push_back(BoxOfRun(position, begin, end));
    });
  }
  std::uint64_t outsideVoxels = 0;
  for (const VoxelBox & box : boxes)
  {
    outsideVoxels += static_cast<std::uint64_t>(box.high[0] - box.low[0] + 1);
  }
  table.partTotals.voxels = static_cast<std::uint64_t>(part.extent.VoxelCount()) - outsideVoxels;
  table.partTotals.componentVoxels = CountCommonVoxels(input.volume, outside, table);
  const BoundingBoxTree outsideTree(std::move(boxes), table.geometry.spacing, context.progress.Part(0.1, 0.4));
  const std::vector<BoundingBoxTree> trees = MakeComponentTrees(input.volume, context.Part(0.4, 0.6), table);
  std::vector<PartDistance>          distances(trees.size(), { std::numeric_limits<double>::quiet_NaN() });
  const Chunks                       parts(static_cast<std::int64_t>(trees.size()), 1, 256);
  ParallelFor(parts.count, context.Part(0.6, 1), [&](std::int64_t index) {
    for (auto c = static_cast<std::size_t>(parts.Begin(index)); c < static_cast<std::size_t>(parts.End(index)); ++c)
    {
      const double square =
        BoundingBoxTree::SmallestDistance(trees[c], outsideTree, std::numeric_limits<double>::infinity());
      if (std::isfinite(square))
      {
        distances[c].distance = std::sqrt(square);
      }
    }
  });
  table.measures.Set(std::move(distances));
}

void
MergePartDistances(const MergeInput & input, ComponentTable & table)
{
  std::vector<PartDistance> distances(table.components.size(), { std::numeric_limits<double>::quiet_NaN() });
  for (std::size_t c = 0; c < distances.size(); ++c)
  {
    input.ForParts(c, [&](const PartRow & row) {
      // fmin leaves NaN out, which stands for no distance.
      distances[c].distance =
        std::fmin(distances[c].distance, row.table->measures.Of<PartDistance>()[row.place].distance);
    });
  }
  table.measures.Set(std::move(distances));
}

void
AddPartColumns(ColumnList & columns)
{
  columns.Add("surface_distance_mm",
              "distance, voxels taken as boxes, to the nearest voxel outside of the part that was given as a mask; 0 "
              "where one touches the component or belongs to it; not a number if there is none",
              "",
              "",
              MergeRule::Minimum,
              [](Table t, Component c) { return t.measures.Of<PartDistance>()[c.place].distance; });
}

} // namespace

namespace groups
{
extern constexpr ColumnGroup Part = [] {
  ColumnGroup group;
  group.presence = ColumnGroup::Presence::WithPart;
  group.addColumns = AddPartColumns;
  group.measure = MeasurePartDistances;
  group.merge = MergePartDistances;
  return group;
}();
} // namespace groups

} // namespace brickccl
