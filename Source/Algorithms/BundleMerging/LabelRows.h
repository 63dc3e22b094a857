#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LABELROWS_H
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LABELROWS_H

#include "BrickCCL/Algorithms/BundleMerging/BundleRuns.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/Marks.h"

#include <cstdint>
#include <limits>

/** From united runs of bundles to labels of the runs of rows, on the host. */
namespace brickccl
{

/** Makes `place` the smaller of it and `value` while other threads do the same. */
template <typename TIndex>
void
LowerShared(TIndex * place, TIndex value)
{
  TIndex seen = LoadShared(place);
  while (value < seen && !__atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
  {}
}

/** Calls `function(run, node)` for the runs of rows [begin, end), in order, and the runs of bundles that hold them. */
template <Bundling VBundling, typename TIndex, typename TFunction>
void
ForRunsOfRows(const BundleRows<VBundling> & bundles,
              const BundleRuns<TIndex> &    bundleRuns,
              std::int64_t                  begin,
              std::int64_t                  end,
              TFunction                     function)
{
  const RunVolume &  volume = bundles.volume;
  const Extent &     extent = volume.GetExtent();
  const std::int64_t words = volume.WordsPerRow();
  for (std::int64_t row = begin; row < end; ++row)
  {
    std::uint64_t      run = volume.FirstRun(row);
    const std::int64_t y = row % extent.size[1];
    const std::int64_t z = row / extent.size[1];
    const std::int64_t bundle =
      z / BundleRows<VBundling>::RowsAlongZ * bundles.countY + y / BundleRows<VBundling>::RowsAlongY;
    const Word * united = bundleRuns.United(bundle);
    for (std::int64_t w = 0; w < words; ++w)
    {
      Word rest = volume.Starts(row, w);
      if (rest == 0)
      {
        continue;
      }
      const Word   starts = united[w] & ~FromLeft(united[w], w > 0 ? united[w - 1] : 0);
      const TIndex before = bundleRuns.before[bundle * words + w] - 1;
      for (; rest != 0; rest &= rest - 1)
      {
        // All bits up to the run's first one.
        const Word upTo = rest ^ (rest - 1);
        function(run++, before + static_cast<TIndex>(CountBits(starts & upTo)));
      }
    }
  }
}

/** LabelRows by one thread, to which components come in raster order. */
template <Bundling VBundling, typename TIndex, typename TLabel>
std::uint64_t
LabelRowsInOrder(const BundleRows<VBundling> & bundles,
                 const HostContext &           context,
                 BundleRuns<TIndex> &          bundleRuns,
                 RunVolume &                   volume,
                 TLabel *                      labels)
{
  TIndex * const parent = bundleRuns.parent;
  TIndex * const number = volume.Scratch().template Get<TIndex>(3, static_cast<std::size_t>(bundleRuns.count));
  for (std::uint64_t node = 0; node < bundleRuns.count; ++node)
  {
    FlattenNextShared(parent, TIndex{ 0 }, static_cast<TIndex>(node));
    number[node] = 0;
  }
  TIndex       count = 0;
  const Chunks rows = RowChunks(volume.GetExtent(), context);
  for (std::int64_t chunk = 0; chunk < rows.count; ++chunk)
  {
    ForRunsOfRows(bundles, bundleRuns, rows.Begin(chunk), rows.End(chunk), [&](std::uint64_t run, TIndex node) {
      TIndex &     own = number[parent[node]];
      const TIndex known = own;
      count += known == 0 ? 1 : 0;
      own = known == 0 ? count : known;
      labels[run] = static_cast<TLabel>(known == 0 ? count : known);
    });
    context.progress.Update(static_cast<double>(chunk + 1) / static_cast<double>(rows.count));
  }
  return count;
}

/** Labels the runs of rows by the bundles' roots: first each run gets its root, which learns the first of its runs; the
 *  first runs, counted, number the components in raster order. */
template <Bundling VBundling, typename TIndex, typename TLabel>
std::uint64_t
LabelRows(const BundleRows<VBundling> & bundles,
          const HostContext &           context,
          BundleRuns<TIndex> &          bundleRuns,
          RunVolume &                   volume,
          TLabel *                      labels)
{
  const int threads = EffectiveThreadCount(context.threads);
  if (threads == 1)
  {
    return LabelRowsInOrder(bundles, context, bundleRuns, volume, labels);
  }
  const auto     runs = volume.RunCount();
  TIndex * const parent = bundleRuns.parent;
  TIndex * const firstRun = volume.Scratch().template Get<TIndex>(3, static_cast<std::size_t>(bundleRuns.count));
  const Chunks   nodes(static_cast<std::int64_t>(bundleRuns.count), context.grain, 4 * threads);
  const auto     slabs = static_cast<std::int64_t>(bundleRuns.firsts.size()) - 1;
  ParallelFor(slabs, context.Part(0, 0.2), [&](std::int64_t slab) {
    // Of a slab, few nodes have parents outside.
    const std::uint64_t first = bundleRuns.firsts[static_cast<std::size_t>(slab)];
    for (std::uint64_t node = first; node < bundleRuns.firsts[static_cast<std::size_t>(slab) + 1]; ++node)
    {
      FlattenNextShared(parent, static_cast<TIndex>(first), static_cast<TIndex>(node));
      firstRun[node] = std::numeric_limits<TIndex>::max();
    }
  });
  const Chunks rows = RowChunks(volume.GetExtent(), context);
  ParallelFor(rows.count, context.Part(0.2, 0.6), [&](std::int64_t chunk) {
    ForRunsOfRows(bundles, bundleRuns, rows.Begin(chunk), rows.End(chunk), [&](std::uint64_t run, TIndex node) {
      const TIndex root = parent[node];
      labels[run] = static_cast<TLabel>(root);
      if (LoadShared(firstRun + root) > run)
      {
        LowerShared(firstRun + root, static_cast<TIndex>(run));
      }
    });
  });

  // A component's number is that of its first run among all first runs.
  Marks<TIndex> firsts(volume.Scratch(), 4, runs, context);
  firsts.Clear();
  ParallelFor(nodes.count, context.Part(0.6, 0.7), [&](std::int64_t chunk) {
    for (std::int64_t node = nodes.Begin(chunk); node < nodes.End(chunk); ++node)
    {
      if (parent[node] == static_cast<TIndex>(node))
      {
        firsts.Set(firstRun[node]);
      }
    }
  });
  const std::uint64_t components = firsts.Count();
  TIndex * const      number = firstRun;
  ParallelFor(nodes.count, context.Part(0.7, 0.8), [&](std::int64_t chunk) {
    for (std::int64_t node = nodes.Begin(chunk); node < nodes.End(chunk); ++node)
    {
      if (parent[node] == static_cast<TIndex>(node))
      {
        number[node] = firsts.RankOf(firstRun[node]);
      }
    }
  });
  ParallelFor(firsts.PartCount(), context.Part(0.8, 1), [&](std::int64_t part) {
    for (std::uint64_t run = firsts.FirstOf(part); run < firsts.FirstOf(part + 1); ++run)
    {
      labels[run] = static_cast<TLabel>(number[labels[run]]);
    }
  });
  return components;
}

} // namespace brickccl

#endif
