#include "BrickCCL/Bricks/RunBytes.h"

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

struct LabeledRun
{
  std::int64_t  begin;
  std::int64_t  end;
  std::uint64_t label;
};

/** Says which label is expected at a run, from the runs of the row before. */
class LabelGuess
{
public:
  /** \param largest  the largest label of all rows before the first one. */
  explicit LabelGuess(std::uint64_t largest)
    : m_Largest(largest)
  {}

  std::uint64_t
  Expected(std::int64_t begin, std::int64_t end)
  {
    while (m_At < m_Before.size() && m_Before[m_At].end <= begin)
    {
      ++m_At;
    }
    return m_At < m_Before.size() && m_Before[m_At].begin < end ? m_Before[m_At].label : m_Largest + 1;
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
    m_At = 0;
  }
  std::uint64_t
  Largest() const
  {
    return m_Largest;
  }
  const std::vector<LabeledRun> &
  Row() const
  {
    return m_Row;
  }

private:
  std::uint64_t           m_Largest;
  std::size_t             m_At = 0;
  std::vector<LabeledRun> m_Before;
  std::vector<LabeledRun> m_Row;
};

struct Block
{
  Bytes         bytes;
  std::uint64_t runs = 0;
  /** The largest label of the blocks before. */
  std::uint64_t largestBefore = 0;
};

/** Writes the rows [begin, end). */
void
WriteBlock(const RunVolume & volume, std::int64_t begin, std::int64_t end, Block & block)
{
  ByteWriter              writer;
  LabelGuess              guess(block.largestBefore);
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
      const std::uint64_t expected = guess.Expected(run.begin, run.end);
      writer.Number(static_cast<std::uint64_t>(run.begin - x));
      writer.Number(static_cast<std::uint64_t>(run.end - run.begin - 1) * 2 + (run.label == expected ? 0 : 1));
      if (run.label != expected)
      {
        writer.Signed(static_cast<std::int64_t>(run.label - expected));
      }
      x = run.end;
      guess.Add(run);
    }
    block.runs += row.size();
    guess.EndRow();
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

/** Reads the rows [begin, end). */
void
ReadBlock(const BlockToRead &                block,
          std::int64_t                       begin,
          std::int64_t                       end,
          const std::vector<std::uint64_t> & labels,
          RunVolume &                        volume)
{
  ByteReader         reader(block.bytes, "the runs of a brick");
  LabelGuess         guess(block.largestBefore);
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
      const std::uint64_t gap = reader.Number();
      const std::uint64_t lengthAndBit = reader.Number();
      const auto          room = static_cast<std::uint64_t>(length - x);
      if (gap >= room || lengthAndBit / 2 >= room - gap || run == block.firstRun + block.runs)
      {
        reader.Fail("a run is out of bounds");
      }
      const std::int64_t first = x + static_cast<std::int64_t>(gap);
      x = first + static_cast<std::int64_t>(lengthAndBit / 2) + 1;
      std::uint64_t label = guess.Expected(first, x);
      label += lengthAndBit % 2 == 0 ? 0 : static_cast<std::uint64_t>(reader.Signed());
      if (label == 0 || label >= labels.size())
      {
        reader.Fail("a run has the label " + std::to_string(label) + " of " + std::to_string(labels.size() - 1));
      }
      guess.Add({ first, x, label });
      SetBits(foreground, first, x);
      if (!volume.StartsFollowForeground())
      {
        SetBits(volume.StoredStarts(row), first, first + 1);
      }
      volume.VisitLabels([&](auto * to) {
        using Label = std::remove_reference_t<decltype(*to)>;
        to[run] = static_cast<Label>(labels[static_cast<std::size_t>(label)]);
      });
      ++run;
    }
    guess.EndRow();
  }
  if (run != block.firstRun + block.runs || !reader.IsAtEnd())
  {
    reader.Fail("a block has another number of runs than it tells of");
  }
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
  // First each block gets its own largest label, then that of the blocks before it.
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
