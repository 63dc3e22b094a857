// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace brickccl
{

Chunks
RowChunks(const Extent & extent, const HostContext & context)
{
  const std::int64_t leastRows = 1 + context.grain / extent.RowLength();
  return Chunks(extent.RowCount(), leastRows, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
}

void
PackStraightLinks(const RowLinks &    links,
                  const RunVolume &   volume,
                  std::int64_t        row,
                  std::int64_t        earlier,
                  std::vector<Word> & candidates,
                  Word *              bits)
{
  const Word * here = volume.Foreground(row);
  const Word * there = volume.Foreground(earlier);
  for (std::size_t w = 0; w < candidates.size(); ++w)
  {
    candidates[w] = here[w] & there[w];
  }
  links.PackLinks(row, earlier, 0, candidates.data(), bits);
}

/** A row of a chunk with the rows before it along y and z to which links are kept. With `inChunk` these are the rows of
 *  the same chunk, otherwise the rows of earlier chunks. */
static RowLinks::LinkedRow
LinkedRowOf(std::int64_t row, std::int64_t beginOfChunk, bool inChunk, RunVolume & volume)
{
  RowLinks::LinkedRow linked;
  linked.row = row;
  linked.foreground = volume.Foreground(row);
  linked.starts = volume.StartsFollowForeground() ? nullptr : volume.StoredStarts(row);
  linked.earlierCount = 0;
  if (!volume.HasLinksAlongY() && !volume.HasLinksAlongZ())
  {
    return linked;
  }
  const Extent &     extent = volume.GetExtent();
  const std::int64_t slice = row / extent.size[1];
  const auto         add = [&](std::int64_t earlier, Word * links) {
    if ((earlier >= beginOfChunk) == inChunk)
    {
      linked.earlier[linked.earlierCount++] = { earlier, volume.Foreground(earlier), links };
    }
  };
  if (volume.HasLinksAlongY() && row > slice * extent.size[1])
  {
    add(row - 1, volume.LinksAlongY(row));
  }
  if (volume.HasLinksAlongZ() && slice % extent.size[2] > 0)
  {
    add(row - extent.size[1], volume.LinksAlongZ(row));
  }
  return linked;
}

/** \param candidates  room for the words of a row */
static void
PackLinksTo(const RowLinks::LinkedRow & row,
            const RowLinks &            links,
            std::vector<Word> &         candidates,
            const RunVolume &           volume)
{
  for (int i = 0; i < row.earlierCount; ++i)
  {
    PackStraightLinks(links, volume, row.row, row.earlier[i].row, candidates, row.earlier[i].links);
  }
}

/** Packs the bits of separated voxels, if they are kept. */
static void
PackSeparated(const RowLinks & links, std::int64_t row, RunVolume & volume)
{
  if (volume.KnowsSeparation())
  {
    links.PackSeparated(row, volume.Below(row), volume.Above(row));
  }
}

/** Packs the foreground, the starts of runs where they do not follow the foreground, and the links to earlier rows. */
static void
PackRow(const RowLinks &            links,
        bool                        linksAlongX,
        const RowLinks::LinkedRow & row,
        std::vector<Word> &         candidates,
        RunVolume &                 volume)
{
  Word * const bits = row.foreground;
  Word * const starts = row.starts;
  PackSeparated(links, row.row, volume);
  if (starts == nullptr)
  {
    links.PackForeground(row.row, bits);
  }
  else
  {
    if (linksAlongX && links.PackLinkedRow(row))
    {
      return;
    }
    links.PackForeground(row.row, bits);
    for (std::size_t w = 0; w < candidates.size(); ++w)
    {
      const Word previous = w > 0 ? bits[w - 1] : 0;
      candidates[w] = linksAlongX ? bits[w] & FromLeft(bits[w], previous) : 0;
    }
    links.PackLinks(row.row, row.row, -1, candidates.data(), starts);
    for (std::size_t w = 0; w < candidates.size(); ++w)
    {
      starts[w] = bits[w] & ~starts[w];
    }
  }
  PackLinksTo(row, links, candidates, volume);
}

/** Packs two rows, the second one after the first along z; both at once if that is faster. */
static void
PackPair(const RowLinks &            links,
         bool                        linksAlongX,
         const RowLinks::LinkedRow & first,
         const RowLinks::LinkedRow & second,
         std::vector<Word> &         candidates,
         RunVolume &                 volume)
{
  const auto hasAll = [](const RowLinks::LinkedRow & row) { return row.earlierCount == RowLinks::MaximumEarlierRows; };
  if (linksAlongX && hasAll(first) && hasAll(second) && links.PackLinkedPair(first, second))
  {
    PackSeparated(links, first.row, volume);
    PackSeparated(links, second.row, volume);
    return;
  }
  PackRow(links, linksAlongX, first, candidates, volume);
  PackRow(links, linksAlongX, second, candidates, volume);
}

/** Counts the runs of a packed row. Stores how many start before each of its words, where that is kept. */
static std::uint64_t
CountRuns(std::int64_t row, RunVolume & volume)
{
  const std::int64_t words = volume.WordsPerRow();
  std::uint64_t      runs = 0;
  if (volume.StartsFollowForeground())
  {
    const Word * bits = volume.Foreground(row);
    Word         last = 0;
    for (std::int64_t w = 0; w < words; ++w)
    {
      runs += static_cast<std::uint64_t>(CountBits(bits[w] & ~FromLeft(bits[w], last)));
      last = bits[w];
    }
    return runs;
  }
  const Word *          starts = volume.StoredStarts(row);
  std::uint32_t * const before = volume.HasRunsBefore() ? volume.RunsBefore(row) : nullptr;
  for (std::int64_t w = 0; w < words; ++w)
  {
    if (before != nullptr)
    {
      before[w] = static_cast<std::uint32_t>(runs);
    }
    runs += static_cast<std::uint64_t>(CountBits(starts[w]));
  }
  return runs;
}

/** This many pixels of a slice are read before the next slice. */
constexpr std::int64_t PixelsOfTile = 1 << 16;

/** Calls `visit(row)` for the rows [begin, end), and `visit(row, rowBehind)` where both slices of a pair have the row.
 *  The number of rows of two slices before the next slices is such that the pixels of the next slice are still in the
 * second-level cache. A row comes after the rows before it along y and z. */
template <typename TVisit>
static void
ForRowsInTiles(std::int64_t begin, std::int64_t end, std::int64_t rowsOfSlice, std::int64_t rowsOfTile, TVisit visit)
{
  const auto isOwn = [=](std::int64_t row) { return row >= begin && row < end; };
  for (std::int64_t y = 0; y < rowsOfSlice; y += rowsOfTile)
  {
    for (std::int64_t slice = begin / rowsOfSlice * rowsOfSlice; slice < end; slice += 2 * rowsOfSlice)
    {
      for (std::int64_t row = slice + y; row < slice + std::min(rowsOfSlice, y + rowsOfTile); ++row)
      {
        const std::int64_t behind = row + rowsOfSlice;
        if (isOwn(row) && isOwn(behind))
        {
          visit(row, behind);
        }
        else if (isOwn(row) || isOwn(behind))
        {
          visit(isOwn(row) ? row : behind);
        }
      }
    }
  }
}

void
FindRuns(const RowLinks &                                                      links,
         const Extent &                                                        extent,
         const LinkAxes &                                                      axes,
         const HostContext &                                                   context,
         RunVolume &                                                           volume,
         const std::function<void(std::int64_t, std::int64_t, std::int64_t)> & afterRows)
{
  ThrowIf<Unsupported>(extent.RowLength() > std::numeric_limits<std::uint32_t>::max(),
                       "rows of " + std::to_string(extent.RowLength()) +
                         " voxels are too long; the extent along x must be below 2^32");
  volume.Reset(extent, links.FollowForeground() && axes.x);
  if (!links.FollowForeground())
  {
    LinkAxes kept = axes;
    kept.knowsSeparation = axes.knowsSeparation && links.KnowsSeparation();
    volume.KeepLinks(kept);
  }
  const std::int64_t         words = volume.WordsPerRow();
  const Chunks               chunks = RowChunks(extent, context);
  std::vector<std::uint64_t> runsOfChunk(static_cast<std::size_t>(chunks.count) + 1, 0);
  const bool                 keepsLinks = volume.HasLinksAlongY() || volume.HasLinksAlongZ();
  const std::int64_t         rowsOfSlice = extent.size[1];
  const std::int64_t         rowsOfTile = std::max<std::int64_t>(1, PixelsOfTile / 2 / extent.RowLength());
  const std::int64_t         rowsAtOnce = std::max<std::int64_t>(1, simd::BoundWords / words);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const std::int64_t begin = chunks.Begin(chunk);
    const std::int64_t end = chunks.End(chunk);
    std::vector<Word>  candidates(static_cast<std::size_t>(words));
    std::uint64_t      runs = 0;
    const auto         linked = [&](std::int64_t row) { return LinkedRowOf(row, begin, true, volume); };
    const auto         count = [&](std::int64_t row) { runs += volume.FirstRun(row) = CountRuns(row, volume); };
    if (!keepsLinks && !afterRows && volume.StartsFollowForeground() && !volume.KnowsSeparation())
    {
      // All that is asked for.
      for (std::int64_t row = begin; row < end; ++row)
      {
        links.PackForeground(row, volume.Foreground(row));
        count(row);
      }
    }
    else if (volume.HasLinksAlongZ() && !afterRows)
    {
      ForRowsInTiles(begin, end, rowsOfSlice, rowsOfTile, [&](std::int64_t row, std::int64_t behind = -1) {
        if (behind < 0)
        {
          PackRow(links, axes.x, linked(row), candidates, volume);
          return count(row);
        }
        PackPair(links, axes.x, linked(row), linked(behind), candidates, volume);
        count(row);
        count(behind);
      });
    }
    else
    {
      std::int64_t passedOn = begin;
      for (std::int64_t row = begin; row < end; ++row)
      {
        PackRow(links, axes.x, linked(row), candidates, volume);
        count(row);
        if (afterRows && (row + 1 - passedOn == rowsAtOnce || row + 1 == end))
        {
          afterRows(chunk, passedOn, row + 1);
          passedOn = row + 1;
        }
      }
    }
    runsOfChunk[static_cast<std::size_t>(chunk) + 1] = runs;
  });
  std::partial_sum(runsOfChunk.begin(), runsOfChunk.end(), runsOfChunk.begin());
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    if (keepsLinks)
    {
      std::vector<Word>  candidates(static_cast<std::size_t>(words));
      const std::int64_t begin = chunks.Begin(chunk);
      for (std::int64_t row = begin; row < std::min(chunks.End(chunk), begin + extent.size[1]); ++row)
      {
        PackLinksTo(LinkedRowOf(row, begin, false, volume), links, candidates, volume);
      }
    }
    std::uint64_t runs = runsOfChunk[static_cast<std::size_t>(chunk)];
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      runs += std::exchange(volume.FirstRun(row), runs);
    }
  });
  volume.FirstRun(extent.RowCount()) = runsOfChunk.back();
}

} // namespace brickccl
