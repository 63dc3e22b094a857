// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/ComponentTrees.h"

#include "BrickCCL/Labels/LabeledRuns.h"

#include <algorithm>
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
  StopPoint    stop(context);
  const Chunks slabs(volume.GetExtent().RowCount(), 1, std::min(EffectiveThreadCount(context.threads), 8));
  // For each slab first the number of a component's runs; then the place of its next one.
  std::vector<std::uint64_t> next(static_cast<std::size_t>(slabs.count) * components, 0);
  const auto                 forEachRun = [&](auto && function) {
    ParallelFor(slabs.count, context.Quiet(), [&](std::int64_t slab) {
      std::uint64_t * const   ofSlab = next.data() + static_cast<std::uint64_t>(slab) * components;
      std::vector<LabeledRun> runs;
      for (std::int64_t row = slabs.Begin(slab); row < slabs.End(slab); ++row)
      {
        stop.AskAt(static_cast<std::uint64_t>(row) * 64);
        CollectLabeledRuns(volume, row, runs);
        for (const LabeledRun & run : runs)
        {
          function(row, run, ofSlab[run.label - 1]);
        }
      }
    });
  };
  forEachRun([](std::int64_t, const LabeledRun &, std::uint64_t & count) { ++count; });
  std::vector<std::uint64_t> places(1, 0);
  for (std::size_t c = 0; c < components; ++c)
  {
    std::uint64_t place = places.back();
    for (std::size_t i = c; i < next.size(); i += components)
    {
      place += std::exchange(next[i], place);
    }
    places.push_back(place);
  }
  auto boxes = MakeUnset<VoxelBox>(static_cast<std::size_t>(places.back()));
  forEachRun([&](std::int64_t row, const LabeledRun & run, std::uint64_t & place) {
    boxes[static_cast<std::size_t>(place++)] = BoxOfRun({ rows.image, rows.first + row }, run.begin, run.end);
  });
  return { std::move(boxes), std::move(places), rows.spacing, context };
}

ComponentBoxTree::ComponentBoxTree(const BoundingBoxTrees & trees, const double * spacing, const HostContext & context)
  : m_Spacing(spacing)
  , m_Components(trees.size())
{
  StopPoint stop(context);
  for (std::size_t i = 0; i < trees.size(); ++i)
  {
    stop.AskAt(i);
    m_Components[i] = { trees[i].Bounds(), i };
  }
  if (!m_Components.empty())
  {
    Build(0, m_Components.size(), stop);
  }
}

std::size_t
ComponentBoxTree::Build(std::size_t begin, std::size_t end, StopPoint & stop)
{
  const std::size_t node = m_Nodes.size();
  stop.AskAt(node * 16);
  VoxelBox    bounds = m_Components[begin].bounds;
  std::size_t earliest = m_Components[begin].place;
  for (std::size_t i = begin + 1; i < end; ++i)
  {
    bounds.Include(m_Components[i].bounds);
    earliest = std::min(earliest, m_Components[i].place);
  }
  m_Nodes.push_back({ bounds, begin, end, earliest });
  if (end - begin > 4)
  {
    int axis = 0;
    for (int other = 1; other < MaximumDimension; ++other)
    {
      const auto side = [&](int a) { return static_cast<double>(bounds.high[a] - bounds.low[a]) * m_Spacing[a]; };
      axis = side(other) > side(axis) ? other : axis;
    }
    const auto        at = [&](std::size_t i) { return m_Components.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end), [&](const Component & first, const Component & second) {
      return first.bounds.low[axis] + first.bounds.high[axis] < second.bounds.low[axis] + second.bounds.high[axis];
    });
    const std::size_t left = Build(begin, middle, stop);
    const std::size_t right = Build(middle, end, stop);
    m_Nodes[node].children[0] = left;
    m_Nodes[node].children[1] = right;
  }
  return node;
}

} // namespace brickccl
