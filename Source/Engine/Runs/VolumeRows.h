// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Runs/RunBounds.h"
#include "BrickCCL/Runs/StoredBits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace brickccl
{

/** Neighboring runs of a volume's rows. Their places count from row `row` on. */
struct RunsOfRows : simd::RunPlaces
{
  /** The largest number of runs at once. */
  static constexpr int Maximum = simd::RunBounds::Maximum;

  std::int64_t row = 0;
  /** The number of the first run. */
  std::uint64_t run = 0;
};

/** The rows of a volume as bits, cut into runs of joined voxels. Runs are numbered in raster order. */
class VolumeRows
{
public:
  /** Starts a volume of this extent. The memory of an earlier volume is used again. */
  void
  Reset(const Extent & extent, bool startsFollowForeground)
  {
    m_Extent = extent;
    m_WordsPerRow = WordsForBits(extent.RowLength());
    m_FirstRun.Resize(static_cast<std::size_t>(extent.RowCount()) + 1);
    m_RunsBefore.Resize(0);
    Keep(true, m_Foreground);
    Keep(!startsFollowForeground, m_Starts);
  }
  /** Makes room for the numbers of runs that RunAt needs. */
  void
  KeepRunsBefore()
  {
    m_RunsBefore.Resize(static_cast<std::size_t>(m_WordsPerRow * m_Extent.RowCount()));
  }

  const Extent &
  GetExtent() const
  {
    return m_Extent;
  }
  std::int64_t
  WordsPerRow() const
  {
    return m_WordsPerRow;
  }
  /** Whether a run starts wherever the voxel before is background. Otherwise starts are stored. */
  bool
  StartsFollowForeground() const
  {
    return !m_Starts.AreKept();
  }
  std::uint64_t
  RunCount() const
  {
    return FirstRun(m_Extent.RowCount());
  }

  /** The foreground bits of a row. */
  Word *
  Foreground(std::int64_t row)
  {
    return m_Foreground.From(FirstWord(row));
  }
  const Word *
  Foreground(std::int64_t row) const
  {
    return m_Foreground.From(FirstWord(row));
  }
  /** The bits at which runs start. Only where they do not follow the foreground. */
  Word *
  StoredStarts(std::int64_t row)
  {
    return m_Starts.From(FirstWord(row));
  }
  const Word *
  StoredStarts(std::int64_t row) const
  {
    return m_Starts.From(FirstWord(row));
  }
  /** The bits of word w of a row at which runs start. */
  Word
  Starts(std::int64_t row, std::int64_t w) const
  {
    if (!StartsFollowForeground())
    {
      return StoredStarts(row)[w];
    }
    const Word * bits = Foreground(row);
    return bits[w] & ~FromLeft(bits[w], w > 0 ? bits[w - 1] : 0);
  }

  /** The number of the first run of a row. For the row after the last one it is the number of all runs. */
  std::uint64_t &
  FirstRun(std::int64_t row)
  {
    return m_FirstRun[static_cast<std::size_t>(row)];
  }
  std::uint64_t
  FirstRun(std::int64_t row) const
  {
    return m_FirstRun[static_cast<std::size_t>(row)];
  }

  bool
  HasRunsBefore() const
  {
    return m_RunsBefore.Size() != 0;
  }
  /** For each word of a row, how many of the row's runs start before it. Only where these numbers are kept. */
  std::uint32_t *
  RunsBefore(std::int64_t row)
  {
    return m_RunsBefore.Data() + FirstWord(row);
  }
  /** The run of a row that covers voxel x, which must be foreground. Only where starts and the numbers of runs before
   *  words are kept. */
  std::uint64_t
  RunAt(std::int64_t row, std::int64_t x) const
  {
    const std::int64_t w = x / BitsPerWord;
    const Word         starts = StoredStarts(row)[w] & BitsUpTo(static_cast<int>(x % BitsPerWord));
    return FirstRun(row) + m_RunsBefore[static_cast<std::size_t>(FirstWord(row) + w)] +
           static_cast<std::uint64_t>(CountBits(starts)) - 1;
  }

  /** Calls `function(begin, end, run)` for the runs of a row, in order. A run has the voxels begin <= x < end. */
  template <typename TFunction>
  void
  ForEachRun(std::int64_t row, TFunction function) const
  {
    if (m_Extent.RowLength() > std::numeric_limits<std::int32_t>::max())
    {
      ForEachRunByBits(row, function);
      return;
    }
    simd::RunBounds bounds;
    ForFoundBounds(row, 1, OneRow, bounds, [&](const RunsOfRows & runs) {
      for (int i = 0; i < runs.count; ++i)
      {
        function(std::int64_t{ runs.Begin(i) }, std::int64_t{ runs.End(i) }, runs.run + static_cast<std::uint64_t>(i));
      }
    });
  }

  /** Calls `function(runs)` with the RunsOfRows of the rows [row, end), in order, up to RunsOfRows::Maximum runs at a
   *  time. Rows must have fewer than 2^31 voxels. Runs have their numbers once FirstRun is complete. Before that, one
   *  call may take only as many rows as fit into simd::BoundWords, or one row. */
  template <typename TFunction>
  void
  ForRunsAtOnce(std::int64_t row, std::int64_t end, TFunction function) const
  {
    simd::RunBounds bounds;
    // So many rows are taken together.
    const std::int64_t maximum = std::max<std::int64_t>(1, simd::BoundWords / m_WordsPerRow);
    const std::int64_t maximumIfSparse = m_WordsPerRow <= simd::BoundWords ? simd::SparseWords / m_WordsPerRow : 1;
    int                shift = maximumIfSparse > 1 ? 6 : OneRow;
    while ((std::int64_t{ 1 } << shift) <= m_Extent.RowLength())
    {
      ++shift;
    }
    for (std::int64_t next = 0; row < end; row = next)
    {
      next = std::min(end, row + maximum);
      if (next < end)
      {
        const std::int64_t nextIfSparse = std::min(end, row + maximumIfSparse);
        next = FirstRun(nextIfSparse) - FirstRun(row) <= simd::SparseRuns ? nextIfSparse : next;
      }
      ForFoundBounds(row, static_cast<int>(next - row), shift, bounds, function);
    }
  }

protected:
  /** The number of the words of all rows before a row. */
  std::int64_t
  FirstWord(std::int64_t row) const
  {
    return row * m_WordsPerRow;
  }

  /** Makes room for one bit per voxel, or drops it. */
  void
  Keep(bool are, StoredBits & bits) const
  {
    are ? bits.Resize(FirstWord(m_Extent.RowCount())) : bits.Drop();
  }

  /** As Buffer::Overwrite. */
  void
  OverwriteRows(unsigned char byte)
  {
    m_Foreground.Overwrite(byte);
    m_Starts.Overwrite(byte);
    m_FirstRun.Overwrite(byte);
    m_RunsBefore.Overwrite(byte);
  }
  std::size_t
  CapacityBytesOfRows() const
  {
    return m_Foreground.CapacityBytes() + m_Starts.CapacityBytes() + m_FirstRun.CapacityBytes() +
           m_RunsBefore.CapacityBytes();
  }

private:
  /** A shift for places of only one row. */
  static constexpr int OneRow = 31;

  /** ForRunsAtOnce for one row, or for several that simd::FindRunBounds takes together. */
  template <typename TFunction>
  void
  ForFoundBounds(std::int64_t row, int count, int shift, simd::RunBounds & bounds, TFunction function) const
  {
    const Word * const     starts = StartsFollowForeground() ? nullptr : StoredStarts(row);
    const simd::RowsOfBits rows{ Foreground(row), starts, m_WordsPerRow, count };
    std::uint64_t          run = FirstRun(row);
    bounds.open = -1;
    for (std::int64_t w = 0; w < m_WordsPerRow; w += simd::BoundWords)
    {
      simd::FindRunBounds(rows, shift, w, bounds);
      function(RunsOfRows{ bounds.runs, row, run });
      run += static_cast<std::uint64_t>(bounds.runs.count);
    }
  }

  /** ForEachRun without vector code. */
  template <typename TFunction>
  void
  ForEachRunByBits(std::int64_t row, TFunction function) const
  {
    const Word *  bits = Foreground(row);
    std::uint64_t run = FirstRun(row);
    std::int64_t  begin = -1;
    Word          starts = Starts(row, 0);
    for (std::int64_t w = 0; w < m_WordsPerRow; ++w)
    {
      const bool hasNext = w + 1 < m_WordsPerRow;
      const Word nextStarts = hasNext ? Starts(row, w + 1) : 0;
      const Word continues = bits[w] & ~starts;
      const Word nextContinues = hasNext ? bits[w + 1] & ~nextStarts : 0;
      Word       lasts = bits[w] & ~FromRight(continues, nextContinues);
      Word       firsts = starts;
      while ((firsts | lasts) != 0)
      {
        if (begin < 0)
        {
          begin = w * BitsPerWord + LowestBit(firsts);
          firsts &= firsts - 1;
        }
        if (lasts == 0)
        {
          break;
        }
        function(begin, w * BitsPerWord + LowestBit(lasts) + 1, run++);
        lasts &= lasts - 1;
        begin = -1;
      }
      starts = nextStarts;
    }
  }

  Extent                m_Extent;
  std::int64_t          m_WordsPerRow = 0;
  StoredBits            m_Foreground;
  StoredBits            m_Starts;
  Buffer<std::uint64_t> m_FirstRun;
  Buffer<std::uint32_t> m_RunsBefore;
};

} // namespace brickccl
