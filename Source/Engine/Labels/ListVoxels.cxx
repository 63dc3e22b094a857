// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/ListVoxels.h"

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace brickccl
{

/** Calls function(run, index of its first voxel) for the labeled runs of the rows [firstRow, endRow). */
template <typename TFunction>
static void
ForEachLabeledRun(const RunVolume & volume,
                  std::int64_t      firstRow,
                  std::int64_t      endRow,
                  StopPoint &       stop,
                  TFunction &&      function)
{
  const std::int64_t      rowsBetween = 1 + StopPoint::Steps / volume.GetExtent().RowLength();
  std::vector<LabeledRun> runs;
  for (std::int64_t row = firstRow; row < endRow; ++row)
  {
    if ((row - firstRow) % rowsBetween == 0)
    {
      stop.Ask();
    }
    CollectLabeledRuns(volume, row, runs);
    for (const LabeledRun & run : runs)
    {
      function(run, row * volume.GetExtent().RowLength() + run.begin);
    }
  }
}

LabelLists
ListVoxels(const RunVolume & volume, std::uint64_t components, const HostContext & context)
{
  // Each chunk counts every component. Chunks are limited, so that counts take no more memory than the lists.
  const auto   limit = static_cast<std::int64_t>(4 * volume.RunCount() / (components + 1)) + 1;
  const Chunks chunks(volume.GetExtent().RowCount(),
                      1,
                      static_cast<int>(std::min<std::int64_t>(limit, EffectiveThreadCount(context.threads))));
  const auto   count = static_cast<std::size_t>(components);
  std::vector<std::vector<std::uint64_t>> places(static_cast<std::size_t>(chunks.count));
  StopPoint                               stop(context);
  ParallelFor(chunks.count, context.Part(0, 0.4), [&](std::int64_t chunk) {
    std::vector<std::uint64_t> & voxels = places[static_cast<std::size_t>(chunk)];
    voxels.assign(count, 0);
    ForEachLabeledRun(volume, chunks.Begin(chunk), chunks.End(chunk), stop, [&](const LabeledRun & run, std::int64_t) {
      voxels[static_cast<std::size_t>(run.label) - 1] += static_cast<std::uint64_t>(run.end - run.begin);
    });
  });
  // Turns the counts into the place of each chunk's first voxel of each component.
  LabelLists lists;
  lists.offsets.resize(count + 1);
  std::uint64_t before = 0;
  for (std::size_t component = 0; component < count; ++component)
  {
    stop.AskAt(component);
    lists.offsets[component] = before;
    for (std::vector<std::uint64_t> & voxels : places)
    {
      before += std::exchange(voxels[component], before);
    }
  }
  lists.offsets[count] = before;
  lists.voxels.resize(static_cast<std::size_t>(before));
  ParallelFor(chunks.count, context.Part(0.5, 1), [&](std::int64_t chunk) {
    std::vector<std::uint64_t> & next = places[static_cast<std::size_t>(chunk)];
    ForEachLabeledRun(volume,
                      chunks.Begin(chunk),
                      chunks.End(chunk),
                      stop,
                      [&](const LabeledRun & run, std::int64_t first) {
                        std::uint64_t & place = next[static_cast<std::size_t>(run.label) - 1];
                        const auto      begin = lists.voxels.begin() + static_cast<std::ptrdiff_t>(place);
                        std::iota(begin, begin + (run.end - run.begin), first);
                        place += static_cast<std::uint64_t>(run.end - run.begin);
                      });
  });
  return lists;
}

std::vector<LabelRun>
ListRuns(const RunVolume & volume, std::int64_t begin, std::int64_t end)
{
  const std::int64_t rows = volume.GetExtent().dimension == 0 ? 0 : volume.GetExtent().RowCount();
  ThrowIf<InvalidArgument>(begin < 0 || begin > end || end > rows,
                           "rows [" + std::to_string(begin) + ", " + std::to_string(end) +
                             ") were asked for; there are " + std::to_string(rows));
  const std::int64_t    length = volume.GetExtent().RowLength();
  std::vector<LabelRun> runs;
  volume.VisitLabels([&](const auto * labels) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      volume.ForEachRun(row, [&](std::int64_t first, std::int64_t last, std::uint64_t run) {
        runs.push_back({ row * length + first, last - first, labels[run] });
      });
    }
  });
  return runs;
}

std::uint64_t
CountForeground(const RunVolume & volume, const HostContext & context)
{
  const Chunks               chunks = RowChunks(volume.GetExtent(), context);
  std::vector<std::uint64_t> voxels(static_cast<std::size_t>(chunks.count), 0);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const Word * const begin = volume.Foreground(chunks.Begin(chunk));
    const Word * const end = volume.Foreground(chunks.End(chunk));
    voxels[static_cast<std::size_t>(chunk)] =
      std::accumulate(begin, end, std::uint64_t{ 0 }, [](std::uint64_t count, Word word) {
        return count + static_cast<std::uint64_t>(CountBits(word));
      });
  });
  return std::accumulate(voxels.begin(), voxels.end(), std::uint64_t{ 0 });
}

void
CountRegion(const ImageView & mask, const HostContext & context, RunVolume & volume)
{
  const auto                 links = MakeRowLinks(mask, Criterion::Foreground());
  const Chunks               chunks = RowChunks(volume.GetExtent(), context);
  std::atomic<std::uint64_t> voxels{ 0 };
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    std::vector<Word> bits(static_cast<std::size_t>(WordsForBits(volume.GetExtent().RowLength())));
    std::uint64_t     own = 0;
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      links->PackForeground(row, bits.data());
      own += std::inner_product(bits.begin(),
                                bits.end(),
                                volume.Foreground(row),
                                std::uint64_t{ 0 },
                                std::plus<>(),
                                [](Word a, Word b) { return static_cast<std::uint64_t>(CountBits(a | b)); });
    }
    voxels += own;
  });
  volume.SetRegionVoxels(voxels);
}

} // namespace brickccl
