// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickRecord.h"

#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/BuildRunVolume.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace brickccl
{

namespace
{

/** Rows of a block, which is written without a look at other blocks. */
constexpr std::int64_t BlockRows = 256;

/** The least and the largest difference of bounds that a near run has, and the bits of such a difference. */
constexpr std::int64_t SmallestNear = -4;
constexpr std::int64_t LargestNear = 3;
constexpr int          NearBits = 3;
/** The byte before a run that is near to none and is written in full. Its label is the expected one, or follows. */
constexpr std::uint8_t FullRunExpectedLabel = 128;
constexpr std::uint8_t FullRunOtherLabel = 129;

/** The context of a run before it is read: the runs of the row before. Writing and reading use it alike. */
class RowBefore
{
public:
  /** \param largest  the largest label of all rows before the first one. */
  explicit RowBefore(std::uint64_t largest)
    : m_Largest(largest)
  {}

  /** The expected label of a run: the label of the first overlapping run before, or else a new one. */
  std::uint64_t
  Expected(std::int64_t begin, std::int64_t end)
  {
    while (m_Overlap < m_Before.size() && m_Before[m_Overlap].end <= begin)
    {
      ++m_Overlap;
    }
    return m_Overlap < m_Before.size() && m_Before[m_Overlap].begin < end ? m_Before[m_Overlap].label : m_Largest + 1;
  }

  /** The earlier run that the next run behind voxel x may be near to, or the one after it (`skipped` is 1), or null. */
  const LabeledRun *
  Candidate(std::int64_t x, std::size_t skipped)
  {
    while (m_Next < m_Before.size() && m_Before[m_Next].end <= x)
    {
      ++m_Next;
    }
    return m_Next + skipped < m_Before.size() ? &m_Before[m_Next + skipped] : nullptr;
  }
  /** Says that the candidate was near. */
  void
  Take(std::size_t skipped)
  {
    m_Next += skipped + 1;
  }

  void
  Add(const LabeledRun & run)
  {
    m_Row.push_back(run);
    m_Largest = std::max(m_Largest, run.label);
  }
  void
  EndRow()
  {
    m_Before.swap(m_Row);
    m_Row.clear();
    m_Overlap = m_Next = 0;
  }

private:
  std::uint64_t           m_Largest;
  std::size_t             m_Overlap = 0;
  std::size_t             m_Next = 0;
  std::vector<LabeledRun> m_Before;
  std::vector<LabeledRun> m_Row;
};

bool
IsNear(std::int64_t a, std::int64_t b)
{
  return a - b >= SmallestNear && a - b <= LargestNear;
}

/** Writes a run behind voxel x. */
void
WriteRun(const LabeledRun & run, std::int64_t x, RowBefore & before, ByteWriter & writer)
{
  for (std::size_t skipped = 0; skipped < 2; ++skipped)
  {
    const LabeledRun * const other = before.Candidate(x, skipped);
    if (other != nullptr && other->label == run.label && IsNear(run.begin, other->begin) && IsNear(run.end, other->end))
    {
      writer.Byte(static_cast<std::uint8_t>(
        (skipped << (2 * NearBits)) + (static_cast<std::size_t>(run.begin - other->begin - SmallestNear) << NearBits) +
        static_cast<std::size_t>(run.end - other->end - SmallestNear)));
      before.Take(skipped);
      return;
    }
  }
  const std::uint64_t expected = before.Expected(run.begin, run.end);
  writer.Byte(run.label == expected ? FullRunExpectedLabel : FullRunOtherLabel);
  writer.Number(static_cast<std::uint64_t>(run.begin - x));
  writer.Number(static_cast<std::uint64_t>(run.end - run.begin - 1));
  if (run.label != expected)
  {
    writer.Signed(static_cast<std::int64_t>(run.label - expected));
  }
}

/** Reads it. \param length  of the row. */
LabeledRun
ReadRun(std::int64_t x, std::int64_t length, RowBefore & before, ByteReader & reader)
{
  const std::uint8_t code = reader.Byte();
  LabeledRun         run{};
  if (code < FullRunExpectedLabel)
  {
    const std::size_t        skipped = code >> (2 * NearBits);
    const LabeledRun * const other = before.Candidate(x, skipped);
    reader.FailIf(other == nullptr, "a run has no neighbor");
    constexpr int mask = (1 << NearBits) - 1;
    run = { other->begin + ((code >> NearBits) & mask) + SmallestNear,
            other->end + (code & mask) + SmallestNear,
            other->label };
    before.Take(skipped);
    reader.FailIf(run.begin < x || run.end <= run.begin || run.end > length, "a run is out of bounds");
    return run;
  }
  const std::uint64_t gap = reader.Number();
  const std::uint64_t more = reader.Number();
  const auto          room = static_cast<std::uint64_t>(length - x);
  reader.FailIf(gap >= room || more >= room - gap, "a run is out of bounds");
  run.begin = x + static_cast<std::int64_t>(gap);
  run.end = run.begin + static_cast<std::int64_t>(more) + 1;
  run.label = before.Expected(run.begin, run.end);
  run.label += code == FullRunExpectedLabel ? 0 : static_cast<std::uint64_t>(reader.Signed());
  return run;
}

struct Block
{
  Bytes         bytes;
  std::uint64_t runs = 0;
  /** The largest label of the blocks before. */
  std::uint64_t largestBefore = 0;
};

void
WriteBlock(const RunVolume & volume, std::int64_t begin, std::int64_t end, Block & block)
{
  ByteWriter              writer;
  RowBefore               before(block.largestBefore);
  std::vector<LabeledRun> row;
  for (std::int64_t r = begin; r < end; ++r)
  {
    row.clear();
    volume.ForEachRun(r, [&](std::int64_t first, std::int64_t last, std::uint64_t run) {
      if (const std::uint64_t label = volume.Label(run); label != 0)
      {
        row.push_back({ first, last, label });
      }
    });
    writer.Number(row.size());
    std::int64_t x = 0;
    for (const LabeledRun & run : row)
    {
      WriteRun(run, x, before, writer);
      x = run.end;
      before.Add(run);
    }
    block.runs += row.size();
    before.EndRow();
  }
  block.bytes = writer.Take();
}

struct BlockToRead
{
  BytesView     bytes;
  std::uint64_t firstRun = 0;
  std::uint64_t runs = 0;
  std::uint64_t largestBefore = 0;
};

void
ReadBlock(const BlockToRead &                block,
          std::int64_t                       begin,
          std::int64_t                       end,
          const std::vector<std::uint64_t> & labels,
          RunVolume &                        volume)
{
  ByteReader         reader(block.bytes, "the runs of a brick");
  RowBefore          before(block.largestBefore);
  std::uint64_t      run = block.firstRun;
  const std::int64_t length = volume.GetExtent().RowLength();
  for (std::int64_t row = begin; row < end; ++row)
  {
    volume.FirstRun(row) = run;
    Word * const foreground = volume.Foreground(row);
    std::fill_n(foreground, volume.WordsPerRow(), Word{ 0 });
    if (!volume.StartsFollowForeground())
    {
      std::fill_n(volume.StoredStarts(row), volume.WordsPerRow(), Word{ 0 });
    }
    std::int64_t x = 0;
    for (std::size_t count = reader.Count(); count > 0; --count)
    {
      reader.FailIf(run == block.firstRun + block.runs, "a block has more runs than its header promises");
      const LabeledRun read = ReadRun(x, length, before, reader);
      if (read.label == 0 || read.label >= labels.size())
      {
        reader.Fail("a run has the label " + std::to_string(read.label) + " of " + std::to_string(labels.size() - 1));
      }
      before.Add(read);
      x = read.end;
      SetBits(foreground, read.begin, read.end);
      if (!volume.StartsFollowForeground())
      {
        SetBits(volume.StoredStarts(row), read.begin, read.begin + 1);
      }
      volume.VisitLabels([&](auto * to) {
        using Label = std::remove_reference_t<decltype(*to)>;
        to[run] = static_cast<Label>(labels[static_cast<std::size_t>(read.label)]);
      });
      ++run;
    }
    before.EndRow();
  }
  reader.FailIf(run != block.firstRun + block.runs || !reader.IsAtEnd(),
                "a block does not have the number of runs in its header");
}

} // namespace

void
WriteRuns(const RunVolume & volume, const HostContext & context, ByteWriter & writer)
{
  const std::int64_t rows = volume.GetExtent().RowCount();
  const std::int64_t count = (rows + BlockRows - 1) / BlockRows;
  std::vector<Block> blocks(static_cast<std::size_t>(count));
  const auto         end = [rows](std::int64_t block) { return std::min(rows, (block + 1) * BlockRows); };
  const auto         at = [&blocks](std::int64_t block) -> Block & { return blocks[static_cast<std::size_t>(block)]; };
  // First each block gets its own largest label, then the largest of the blocks before it.
  ParallelFor(count, context, [&](std::int64_t block) {
    for (std::uint64_t run = volume.FirstRun(block * BlockRows); run < volume.FirstRun(end(block)); ++run)
    {
      at(block).largestBefore = std::max(at(block).largestBefore, volume.Label(run));
    }
  });
  std::uint64_t largest = 0;
  for (Block & block : blocks)
  {
    const std::uint64_t own = block.largestBefore;
    block.largestBefore = largest;
    largest = std::max(largest, own);
  }
  ParallelFor(count, context, [&](std::int64_t block) {
    WriteBlock(volume, block * BlockRows, end(block), at(block));
  });
  writer.Byte(volume.StartsFollowForeground() ? 1 : 0);
  for (const Block & block : blocks)
  {
    writer.Number(block.bytes.size());
    writer.Number(block.runs);
    writer.Number(block.largestBefore);
  }
  for (const Block & block : blocks)
  {
    writer.Raw(block.bytes.data(), block.bytes.size());
  }
}

void
ReadRuns(ByteReader &                       reader,
         const Extent &                     extent,
         const std::vector<std::uint64_t> & labels,
         const HostContext &                context,
         RunVolume &                        volume)
{
  const std::int64_t       rows = extent.RowCount();
  const std::int64_t       count = (rows + BlockRows - 1) / BlockRows;
  const bool               startsFollowForeground = reader.Byte() != 0;
  std::vector<BlockToRead> blocks(static_cast<std::size_t>(count));
  std::vector<std::size_t> sizes;
  std::uint64_t            runs = 0;
  for (BlockToRead & block : blocks)
  {
    sizes.push_back(reader.Count());
    block.firstRun = runs;
    block.runs = reader.Count();
    block.largestBefore = reader.Number();
    runs += block.runs;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
  {
    blocks[i].bytes = reader.View(sizes[i]);
  }
  volume.Reset(extent, startsFollowForeground);
  // The number of all runs is what ResizeLabels asks for. Those of the rows come with the blocks.
  volume.FirstRun(rows) = runs;
  volume.ResizeLabels(*std::max_element(labels.begin(), labels.end()) > std::numeric_limits<std::uint32_t>::max());
  ParallelFor(count, context, [&](std::int64_t block) {
    const std::int64_t begin = block * BlockRows;
    ReadBlock(blocks[static_cast<std::size_t>(block)], begin, std::min(rows, begin + BlockRows), labels, volume);
  });
}

} // namespace brickccl
