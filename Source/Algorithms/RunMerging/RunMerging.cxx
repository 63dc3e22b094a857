#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"

#include "BrickCCL/Algorithms/RunMerging/MergeRows.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/Marks.h"

#include <limits>
#include <vector>

namespace brickccl
{

namespace
{

/** One step along the row grid: how far the neighbouring row lies and which rows have it. */
struct RowStep
{
  RowOffset    offset;
  std::int64_t distance = 0;

  RowStep(const RowOffset & rowOffset, const Extent & extent)
    : offset(rowOffset)
  {
    std::int64_t stride = 1;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      distance -= offset.step[axis - 1] * stride;
      stride *= extent.size[axis];
    }
  }

  bool
  ExistsFrom(const RowPosition & position, const Extent & extent) const
  {
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1] + offset.step[axis - 1];
      if (at < 0 || at >= extent.size[axis])
      {
        return false;
      }
    }
    return true;
  }
};

/** Links between rows: unites touching runs of each slab on its own, then those across the seams of slabs. */
template <typename TIndex>
void
UniteRuns(const RowLinks &     links,
          const Connectivity & connectivity,
          const HostContext &  context,
          const RunVolume &    volume,
          TIndex *             parent)
{
  const Extent &       extent = volume.GetExtent();
  std::vector<RowStep> steps;
  std::int64_t         farthest = 0;
  for (const RowOffset & offset : connectivity.BackwardRows())
  {
    steps.emplace_back(offset, extent);
    farthest = std::max(farthest, steps.back().distance);
  }
  const Chunks slabs = RowChunks(extent, context);

  ParallelFor(slabs.count, context.Part(0, 0.9), [&](std::int64_t slab) {
    RowMerger<TIndex> merger(volume, links);
    const auto        begin = volume.FirstRun(slabs.Begin(slab));
    const auto        end = volume.FirstRun(slabs.End(slab));
    for (std::uint64_t run = begin; run < end; ++run)
    {
      parent[run] = static_cast<TIndex>(run);
    }
    for (std::int64_t row = slabs.Begin(slab); row < slabs.End(slab); ++row)
    {
      const RowPosition position(extent, row);
      for (const RowStep & step : steps)
      {
        if (row - step.distance >= slabs.Begin(slab) && step.ExistsFrom(position, extent))
        {
          merger.Merge(row, row - step.distance, step.offset.diagonal, [parent](TIndex a, TIndex b) {
            Unite(parent, a, b);
          });
        }
      }
    }
  });

  ParallelFor(slabs.count, context.Part(0.9, 1), [&](std::int64_t slab) {
    RowMerger<TIndex>  merger(volume, links);
    const std::int64_t begin = slabs.Begin(slab);
    for (std::int64_t row = begin; row < std::min(slabs.End(slab), begin + farthest); ++row)
    {
      const RowPosition position(extent, row);
      for (const RowStep & step : steps)
      {
        if (row - step.distance < begin && step.ExistsFrom(position, extent))
        {
          merger.Merge(row, row - step.distance, step.offset.diagonal, [parent](TIndex a, TIndex b) {
            UniteShared(parent, a, b);
          });
        }
      }
    }
  });
}

/** Replaces each node's parent by the consecutive number, from 1, of its root among all roots. */
template <typename TIndex>
std::uint64_t
NumberRoots(std::uint64_t nodes, const HostContext & context, Workspace & workspace, TIndex * parent)
{
  Marks<TIndex> roots(workspace, 4, nodes, context);
  ParallelFor(roots.PartCount(), context.Part(0, 0.6), [&](std::int64_t part) {
    const std::uint64_t end = roots.FirstOf(part + 1);
    for (std::uint64_t first = roots.FirstOf(part); first < end; first += BitsPerWord)
    {
      Word bits = 0;
      for (std::uint64_t node = first; node < std::min(end, first + BitsPerWord); ++node)
      {
        const bool isRoot = FlattenShared(parent, static_cast<TIndex>(node)) == node;
        bits |= Word{ isRoot ? 1u : 0u } << (node - first);
      }
      roots.SetWord(static_cast<std::int64_t>(first / BitsPerWord), bits);
    }
  });
  const std::uint64_t count = roots.Count();
  ParallelFor(roots.PartCount(), context.Part(0.6, 1), [&](std::int64_t part) {
    for (std::uint64_t node = roots.FirstOf(part); node < roots.FirstOf(part + 1); ++node)
    {
      parent[node] = roots.RankOf(parent[node]);
    }
  });
  return count;
}

std::uint64_t
LabelRuns(const RowLinks &     links,
          const Extent &       extent,
          const Connectivity & connectivity,
          const HostContext &  context,
          bool                 alwaysWide,
          RunVolume &          result)
{
  constexpr std::uint64_t narrowNodes = std::numeric_limits<std::uint32_t>::max();
  FindRuns(links, extent, connectivity.Uses(0), context.Part(0, 0.3), result);
  result.ResizeLabels(alwaysWide || result.RunCount() >= narrowNodes);
  return result.VisitLabels([&](auto * parent) {
    UniteRuns(links, connectivity, context.Part(0.3, 0.9), result, parent);
    return NumberRoots(result.RunCount(), context.Part(0.9, 1), result.Scratch(), parent);
  });
}

} // namespace

std::uint64_t
LabelByRunMerging(const RowLinks &     links,
                  const Extent &       extent,
                  const Connectivity & connectivity,
                  const HostContext &  context,
                  RunVolume &          result)
{
  return LabelRuns(links, extent, connectivity, context, false, result);
}

std::uint64_t
testing::LabelByWideRunMerging(const RowLinks &     links,
                               const Extent &       extent,
                               const Connectivity & connectivity,
                               const HostContext &  context,
                               RunVolume &          result)
{
  return LabelRuns(links, extent, connectivity, context, true, result);
}

} // namespace brickccl
