#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"

#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/MergeRows.h"
#include "BrickCCL/Runs/NumberRoots.h"

#include <limits>
#include <vector>

namespace brickccl
{

namespace
{

/** Links between rows: unites touching runs of each slab on its own, then those across the seams of slabs. */
template <typename TIndex>
void
UniteRuns(const RowLinks &     links,
          const Connectivity & connectivity,
          const HostContext &  context,
          const RunVolume &    volume,
          TIndex *             parent)
{
  const Extent &             extent = volume.GetExtent();
  const std::vector<RowStep> steps = BackwardRowSteps(connectivity, extent);
  std::int64_t               farthest = 0;
  for (const RowStep & step : steps)
  {
    farthest = std::max(farthest, step.distance);
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
