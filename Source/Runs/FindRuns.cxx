#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
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

namespace
{

/** The rows before a row along y and z, if links to them are kept: those of its chunk, or else those before it. */
struct EarlierRows
{
  RowLinks::EarlierRow rows[RowLinks::MostEarlierRows];
  int                  count = 0;

  EarlierRows(std::int64_t row, std::int64_t beginOfChunk, bool inChunk, RunVolume & volume)
  {
    if (!volume.HasLinksAlongY() && !volume.HasLinksAlongZ())
    {
      return;
    }
    const Extent &     extent = volume.GetExtent();
    const std::int64_t plane = row / extent.size[1];
    const auto         add = [&](std::int64_t earlier, Word * links) {
      if ((earlier >= beginOfChunk) == inChunk)
      {
        rows[count++] = { earlier, volume.Foreground(earlier), links };
      }
    };
    if (volume.HasLinksAlongY() && row > plane * extent.size[1])
    {
      add(row - 1, volume.LinksAlongY(row));
    }
    if (volume.HasLinksAlongZ() && plane % extent.size[2] > 0)
    {
      add(row - extent.size[1], volume.LinksAlongZ(row));
    }
  }
};

/** `candidates` is room for the words of a row. */
void
PackLinksTo(const EarlierRows & earlier,
            const RowLinks &    links,
            std::int64_t        row,
            std::vector<Word> & candidates,
            const RunVolume &   volume)
{
  for (int i = 0; i < earlier.count; ++i)
  {
    PackStraightLinks(links, volume, row, earlier.rows[i].row, candidates, earlier.rows[i].links);
  }
}

/** Packs foreground, starts of runs where these do not follow, and links to earlier rows. */
void
PackRow(const RowLinks &    links,
        bool                linksAlongX,
        std::int64_t        row,
        const EarlierRows & earlier,
        std::vector<Word> & candidates,
        RunVolume &         volume)
{
  Word * bits = volume.Foreground(row);
  if (volume.HasFar())
  {
    links.PackFar(row, volume.Below(row), volume.Above(row));
  }
  if (!volume.StartsFollowForeground())
  {
    Word * starts = volume.StoredStarts(row);
    if (linksAlongX && links.PackLinkedRow(row, bits, starts, earlier.rows, earlier.count))
    {
      return;
    }
    links.PackForeground(row, bits);
    for (std::size_t w = 0; w < candidates.size(); ++w)
    {
      const Word previous = w > 0 ? bits[w - 1] : 0;
      candidates[w] = linksAlongX ? bits[w] & FromLeft(bits[w], previous) : 0;
    }
    links.PackLinks(row, row, -1, candidates.data(), starts);
    for (std::size_t w = 0; w < candidates.size(); ++w)
    {
      starts[w] = bits[w] & ~starts[w];
    }
  }
  else
  {
    links.PackForeground(row, bits);
  }
  PackLinksTo(earlier, links, row, candidates, volume);
}

/** Counts the runs of a packed row, and those before each of its words where these are kept. */
std::uint64_t
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

/** Pixels of the rows that are looked at in one plane before those of the next one. */
constexpr std::int64_t PixelsOfTile = 1 << 16;

/** Calls `visit(row)` for the rows [begin, end), so many of each plane before the first ones of the next plane that the
 *  pixels behind a row are still in the second-level cache. A row comes after those before it along y and z. */
template <typename TVisit>
void
ForRowsInTiles(std::int64_t begin, std::int64_t end, std::int64_t rowsOfPlane, std::int64_t rowsOfTile, TVisit visit)
{
  for (std::int64_t y = 0; y < rowsOfPlane; y += rowsOfTile)
  {
    for (std::int64_t plane = begin / rowsOfPlane * rowsOfPlane; plane < end; plane += rowsOfPlane)
    {
      const std::int64_t endOfTile = std::min(end, plane + std::min(rowsOfPlane, y + rowsOfTile));
      for (std::int64_t row = std::max(begin, plane + y); row < endOfTile; ++row)
      {
        visit(row);
      }
    }
  }
}

} // namespace

void
FindRuns(const RowLinks &                                                      links,
         const Extent &                                                        extent,
         const LinkAxes &                                                      axes,
         const HostContext &                                                   context,
         RunVolume &                                                           volume,
         const std::function<void(std::int64_t, std::int64_t, std::int64_t)> & afterRows)
{
  if (extent.RowLength() > std::numeric_limits<std::uint32_t>::max())
  {
    throw Unsupported("rows of " + std::to_string(extent.RowLength()) +
                      " voxels are too long; the extent along x must be below 2^32");
  }
  volume.Reset(extent, links.FollowForeground() && axes.x);
  if (!links.FollowForeground())
  {
    volume.ResizeLinks(axes.y, axes.z);
    volume.ResizeRunsBefore(axes.countsRuns);
    volume.ResizeFar(axes.tellsFar && links.TellsFar());
  }
  const std::int64_t         words = volume.WordsPerRow();
  const Chunks               chunks = RowChunks(extent, context);
  std::vector<std::uint64_t> runsOfChunk(static_cast<std::size_t>(chunks.count) + 1, 0);
  const bool                 keepsLinks = volume.HasLinksAlongY() || volume.HasLinksAlongZ();
  const std::int64_t         rowsOfPlane = extent.size[1];
  // In tiles rows are not taken in order.
  const bool         isTiled = volume.HasLinksAlongZ() && !afterRows;
  const std::int64_t rowsOfTile = isTiled ? std::max<std::int64_t>(1, PixelsOfTile / extent.RowLength()) : rowsOfPlane;
  const std::int64_t rowsAtOnce = std::max<std::int64_t>(1, simd::BoundWords / words);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::vector<Word> candidates(static_cast<std::size_t>(words));
    std::uint64_t     runs = 0;
    std::int64_t      passedOn = chunks.Begin(chunk);
    ForRowsInTiles(chunks.Begin(chunk), chunks.End(chunk), rowsOfPlane, rowsOfTile, [&](std::int64_t row) {
      PackRow(links, axes.x, row, EarlierRows(row, chunks.Begin(chunk), true, volume), candidates, volume);
      const std::uint64_t runsOfRow = CountRuns(row, volume);
      volume.FirstRun(row) = runsOfRow;
      runs += runsOfRow;
      if (afterRows && (row + 1 - passedOn == rowsAtOnce || row + 1 == chunks.End(chunk)))
      {
        afterRows(chunk, passedOn, row + 1);
        passedOn = row + 1;
      }
    });
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
        PackLinksTo(EarlierRows(row, begin, false, volume), links, row, candidates, volume);
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
