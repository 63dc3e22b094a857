// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/ComponentTrees.h"

#include "BrickCCL/Labels/LabeledRuns.h"

#include <numeric>
#include <utility>
#include <vector>

namespace brickccl
{

VoxelBox
BoxOfRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
{
  VoxelBox box;
  box.low[0] = begin;
  box.high[0] = end - 1;
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    box.low[axis] = box.high[axis] = position.at[axis - 1];
  }
  return box;
}

BoundingBoxTrees
MakeComponentTrees(const RunVolume & volume, const HostContext & context, const ComponentTable & table)
{
  return MakeComponentTrees(volume,
                            table.components.size(),
                            { volume.GetExtent(), 0, table.geometry.spacing },
                            context);
}

BoundingBoxTrees
MakeComponentTrees(const RunVolume &   volume,
                   std::uint64_t       components,
                   const RowsOfImage & rows,
                   const HostContext & context)
{
  StopPoint  stop(context);
  const auto forEachRun = [&](auto && function) {
    std::vector<LabeledRun> runs;
    for (std::int64_t row = 0; row < volume.GetExtent().RowCount(); ++row)
    {
      stop.AskAt(static_cast<std::uint64_t>(row) * 64);
      CollectLabeledRuns(volume, row, runs);
      for (const LabeledRun & run : runs)
      {
        function(row, run);
      }
    }
  };
  // First the number of a component's runs, two places behind its own; then the place of its next one.
  std::vector<std::uint64_t> places(static_cast<std::size_t>(components) + 2, 0);
  std::uint64_t * const      next = places.data() + 1;
  forEachRun([&](std::int64_t, const LabeledRun & run) { ++next[run.label]; });
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<VoxelBox> boxes(static_cast<std::size_t>(places.back()));
  forEachRun([&](std::int64_t row, const LabeledRun & run) {
    const RowPosition position(rows.image, rows.first + row);
    boxes[static_cast<std::size_t>(next[run.label - 1]++)] = BoxOfRun(position, run.begin, run.end);
  });
  places.pop_back();
  return { std::move(boxes), std::move(places), rows.spacing, context };
}

} // namespace brickccl
