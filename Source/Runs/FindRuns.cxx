#include "BrickCCL/Runs/FindRuns.h"

#include <limits>
#include <numeric>
#include <vector>

namespace brickccl
{

Chunks
RowChunks(const Extent & extent, const HostContext & context)
{
  const std::int64_t leastRows = 1 + context.grain / extent.RowLength();
  return Chunks(extent.RowCount(), leastRows, 4 * EffectiveThreadCount(context.threads));
}

void
FindRuns(const RowLinks &    links,
         const Extent &      extent,
         bool                joinAlongX,
         const HostContext & context,
         RunVolume &         volume)
{
  if (extent.RowLength() > std::numeric_limits<std::uint32_t>::max())
  {
    throw Unsupported("rows of " + std::to_string(extent.RowLength()) +
                      " voxels are too long; the extent along x must be below 2^32");
  }
  volume.Reset(extent, links.FollowForeground() && joinAlongX);
  const std::int64_t         words = volume.WordsPerRow();
  const Chunks               chunks = RowChunks(extent, context);
  std::vector<std::uint64_t> runsOfChunk(static_cast<std::size_t>(chunks.count) + 1, 0);
  const bool                 hasKeys = links.HasRunKeys();
  volume.KeysOfChunks().resize(hasKeys ? static_cast<std::size_t>(chunks.count) : 0);
  volume.KeysOfRows().resize(hasKeys ? static_cast<std::size_t>(extent.RowCount()) : 0);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::vector<Word> candidates(volume.StartsFollowForeground() ? 0 : static_cast<std::size_t>(words));
    std::uint64_t     runs = 0;
    // Taken out while they grow: the vectors' own words lie side by side and would wander between the threads.
    std::vector<std::uint64_t> keys;
    if (hasKeys)
    {
      keys.swap(volume.KeysOfChunks()[static_cast<std::size_t>(chunk)]);
    }
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      Word * bits = volume.Foreground(row);
      links.PackForeground(row, bits);
      if (!volume.StartsFollowForeground())
      {
        Word * starts = volume.StoredStarts(row);
        for (std::int64_t w = 0; w < words; ++w)
        {
          const Word previous = w > 0 ? bits[w - 1] : 0;
          candidates[static_cast<std::size_t>(w)] = joinAlongX ? bits[w] & FromLeft(bits[w], previous) : 0;
        }
        links.PackLinks(row, row, -1, candidates.data(), starts);
        for (std::int64_t w = 0; w < words; ++w)
        {
          starts[w] = bits[w] & ~starts[w];
        }
      }
      volume.FirstRun(row) = runs;
      for (std::int64_t w = 0; w < words; ++w)
      {
        runs += static_cast<std::uint64_t>(CountBits(volume.Starts(row, w)));
      }
      if (hasKeys)
      {
        // While the row's pixels are at hand.
        if (keys.size() < runs)
        {
          keys.resize(2 * runs);
        }
        links.RunKeys(row, volume.StoredStarts(row), keys.data() + volume.FirstRun(row));
      }
    }
    runsOfChunk[static_cast<std::size_t>(chunk) + 1] = runs;
    if (hasKeys)
    {
      keys.swap(volume.KeysOfChunks()[static_cast<std::size_t>(chunk)]);
    }
  });
  std::partial_sum(runsOfChunk.begin(), runsOfChunk.end(), runsOfChunk.begin());
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      if (hasKeys)
      {
        volume.KeysOfRows()[static_cast<std::size_t>(row)] =
          volume.KeysOfChunks()[static_cast<std::size_t>(chunk)].data() + volume.FirstRun(row);
      }
      volume.FirstRun(row) += runsOfChunk[static_cast<std::size_t>(chunk)];
    }
  });
  volume.FirstRun(extent.RowCount()) = runsOfChunk.back();
}

} // namespace brickccl
