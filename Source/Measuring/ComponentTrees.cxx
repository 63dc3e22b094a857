#include "BrickCCL/Measuring/ComponentTrees.h"

#include "BrickCCL/Labels/LabeledRuns.h"

#include <utility>

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

std::vector<BoundingBoxTree>
MakeComponentTrees(const RunVolume & volume, const HostContext & context, const ComponentTable & table)
{
  std::vector<std::vector<VoxelBox>> boxes(table.components.size());
  std::vector<LabeledRun>            runs;
  StopPoint                          stop(context);
  std::uint64_t                      boxCount = 0;
  for (std::int64_t row = 0; row < volume.GetExtent().RowCount(); ++row)
  {
    stop.AskAt(static_cast<std::uint64_t>(row) * 64);
    const RowPosition position(volume.GetExtent(), row);
    CollectLabeledRuns(volume, row, runs);
    for (const LabeledRun & run : runs)
    {
      stop.AskAt(boxCount++);
      boxes[static_cast<std::size_t>(run.label - 1)].push_back(BoxOfRun(position, run.begin, run.end));
    }
  }
  std::vector<BoundingBoxTree> trees(boxes.size());
  const Chunks                 parts(static_cast<std::int64_t>(boxes.size()), 1, 256);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      trees[c] = BoundingBoxTree(std::move(boxes[c]), table.geometry.spacing);
    }
  });
  return trees;
}

} // namespace brickccl
