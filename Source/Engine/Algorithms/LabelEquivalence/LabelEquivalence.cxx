// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/LabelEquivalence/LabelEquivalence.h"

#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/MergeRows.h"
#include "BrickCCL/Runs/NumberRoots.h"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** Writes the smaller label of touching runs to the cell to which the larger one refers. Stores are plain: one that
 *  overwrites a smaller reference loses a link, which the next scan finds again. \return whether labels differ */
template <typename TIndex>
static bool
Scan(const RowLinks &    links,
     const RowSteps &    steps,
     const HostContext & context,
     const RunVolume &   volume,
     TIndex *            labels)
{
  const Extent &    extent = volume.GetExtent();
  const Chunks      slabs = RowChunks(extent, context);
  std::atomic<bool> changed{ false };
  ParallelFor(slabs.count, context, [&](std::int64_t slab) {
    RowMerger<TIndex> merger(volume, links);
    bool              changedHere = false;
    const auto        unite = [&](TIndex a, TIndex b) {
      const TIndex labelA = LoadShared(labels + a);
      const TIndex labelB = LoadShared(labels + b);
      const TIndex smaller = std::min(labelA, labelB);
      const TIndex larger = std::max(labelA, labelB);
      changedHere = changedHere || smaller != larger;
      if (smaller < LoadShared(labels + larger))
      {
        StoreShared(labels + larger, smaller);
      }
    };
    for (std::int64_t row = slabs.Begin(slab); row < slabs.End(slab); ++row)
    {
      const RowPosition position(extent, row);
      for (const RowStep & step : steps)
      {
        if (step.ExistsFrom(position, extent))
        {
          merger.Merge(row, row - step.distance, step.offset.diagonal, unite);
        }
      }
    }
    merger.UnitePostponed(unite);
    if (changedHere)
    {
      changed.store(true, std::memory_order_relaxed);
    }
  });
  return changed.load();
}

/** Makes every run follow references to their end. */
template <typename TIndex>
static void
Analyze(const HostContext & context, std::uint64_t runs, TIndex * labels)
{
  const Chunks chunks(static_cast<std::int64_t>(runs), 1 << 14, EffectiveThreadCount(context.threads));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    for (std::int64_t run = chunks.Begin(chunk); run < chunks.End(chunk); ++run)
    {
      FlattenShared(labels, static_cast<TIndex>(run));
    }
  });
}

std::uint64_t
LabelByLabelEquivalence(const RowLinks &     links,
                        const Extent &       extent,
                        const Connectivity & connectivity,
                        const HostContext &  context,
                        RunVolume &          result)
{
  // Postponed diagonal links ask which run a voxel belongs to.
  LinkAxes axes;
  axes.x = connectivity.Uses(0);
  axes.countsRuns = connectivity.Rank() > 1;
  FindRuns(links, extent, axes, context.Part(0, 0.3), result);
  const std::uint64_t runs = result.RunCount();
  result.ResizeLabels(runs >= RunVolume::MaximumNarrowRuns);
  const RowSteps steps(connectivity.BackwardRows(), extent);
  return result.VisitLabels([&](auto * labels) {
    for (std::uint64_t run = 0; run < runs; ++run)
    {
      labels[run] = static_cast<std::decay_t<decltype(*labels)>>(run);
    }
    // The number of rounds is not known. Each round takes half of what is left of the progress.
    double left = 0.6;
    while (Scan(links, steps, context.Part(0.9 - left, 0.9 - left / 2), result, labels))
    {
      left /= 2;
      Analyze(context.Silent(), runs, labels);
    }
    return NumberRoots(FirstRunsOf(result, RowChunks(extent, context)), context.Part(0.9, 1), labels);
  });
}

std::vector<Algorithm>
LabelEquivalenceRows()
{
  return {
    { "LabelEquivalence",
      "scan and analysis in the labels themselves, until nothing changes (Kalentev et al.)",
      { [](const RowLinks &     links,
           const Extent &       extent,
           const Connectivity & connectivity,
           const OptionValues &,
           const HostContext & context,
           RunVolume & result) { return LabelByLabelEquivalence(links, extent, connectivity, context, result); },
        SupportsAll },
      { SupportsUpTo3D, BRICKCCL_IF_CUDA(cuda::MakeLabelEquivalence) },
      { { "atomics", "write references with atomicMin (CUCCL) or with plain stores (Kalentev)", { "off", "on" } },
        { "first-scan", "neighbors that the first scan checks", { "all", "earlier" } },
        { "flag", "how threads say that something changed", { "global", "block" }, 1 },
        { "properties", "sums collected during analysis", { "none", "size", "moments" } },
        { "threads", "threads per block", {}, 256, 1, 1024 } } }
  };
}

} // namespace brickccl
