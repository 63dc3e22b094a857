#ifndef BRICKCCL_COMPONENTS_ACCUMULATERUNS_H
#define BRICKCCL_COMPONENTS_ACCUMULATERUNS_H

#include "BrickCCL/Host/HugePages.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <vector>

namespace brickccl
{

/** Calls `function(component)` for the components 0..components - 1, several at once. */
template <typename TFunction>
void
ForComponents(std::uint64_t components, const HostContext & context, TFunction function)
{
  const Chunks parts(static_cast<std::int64_t>(components), 1 << 10, 64);
  ParallelFor(parts.count, context.Silent(), [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      function(c);
    }
  });
}

/** Collects one accumulator per component, row by row.
 *
 *  `makeVisit()` is called once for each slab of rows, for what its rows need in common, and gives `visit`.
 *
 *  `visit(accumulators, row)` sees each row that has runs (or each row at all) once, in raster order within a slab of
 * rows, and adds to the accumulators 0..components - 1; slabs run in parallel and are then combined in order by
 * `TAccumulator::Merge`. The slabs depend on the volume and on the number of components, never on the number of
 * threads, so that floating-point sums do not either. */
template <typename TAccumulator, typename TMakeVisit>
std::vector<TAccumulator>
AccumulateRows(const RunVolume &   volume,
               std::uint64_t       components,
               const HostContext & context,
               TMakeVisit          makeVisit,
               bool                emptyRowsToo = false)
{
  const Extent &         extent = volume.GetExtent();
  const auto             bytes = static_cast<std::int64_t>((components + 1) * sizeof(TAccumulator));
  const std::int64_t     threads = EffectiveThreadCount(context.threads);
  const std::int64_t     mostSlabs = TAccumulator::IsExact ? std::min<std::int64_t>(threads, 16) : 16;
  constexpr std::int64_t leastVoxels = 1 << 18;
  const std::int64_t     affordable = 1 + std::max(extent.VoxelCount() / 2, std::int64_t{ 1 } << 24) / bytes;
  const Chunks slabs(extent.RowCount(), 1 + leastVoxels / extent.RowLength(), std::min(mostSlabs, affordable));

  std::vector<std::vector<TAccumulator>> partial(static_cast<std::size_t>(slabs.count));
  ParallelFor(slabs.count, context, [&](std::int64_t slab) {
    auto & accumulators = partial[static_cast<std::size_t>(slab)];
    accumulators.reserve(static_cast<std::size_t>(components));
    AdviseHugePages(accumulators.data(), static_cast<std::size_t>(components) * sizeof(TAccumulator));
    accumulators.resize(static_cast<std::size_t>(components));
    auto visit = makeVisit();
    for (std::int64_t row = slabs.Begin(slab); row < slabs.End(slab); ++row)
    {
      if (emptyRowsToo || volume.FirstRun(row) != volume.FirstRun(row + 1))
      {
        visit(accumulators, row);
      }
    }
  });

  std::vector<TAccumulator> total = std::move(partial.front());
  if (slabs.count > 1)
  {
    ForComponents(components, context, [&](std::size_t c) {
      for (std::size_t slab = 1; slab < partial.size(); ++slab)
      {
        total[c].Merge(partial[slab][c]);
      }
    });
  }
  return total;
}

/** Collects one accumulator per component from the runs of a labeled volume: `add(accumulator, row, position, begin,
 * end)` sees each run of a component once, in the order that AccumulateRows says. \param labelOfRun maps a run's number
 * to its component, 1..components, or 0. */
template <typename TAccumulator, typename TLabelOfRun, typename TAdd>
std::vector<TAccumulator>
AccumulateRuns(const RunVolume &   volume,
               std::uint64_t       components,
               const HostContext & context,
               TLabelOfRun         labelOfRun,
               TAdd                add)
{
  return AccumulateRows<TAccumulator>(volume, components, context, [&] {
    return [&](std::vector<TAccumulator> & accumulators, std::int64_t row) {
      const RowPosition position(volume.GetExtent(), row);
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = labelOfRun(run);
        if (label != 0)
        {
          add(accumulators[static_cast<std::size_t>(label - 1)], row, position, begin, end);
        }
      });
    };
  });
}

} // namespace brickccl

#endif
