#ifndef BRICKCCL_RUNS_RUNVOLUME_H
#define BRICKCCL_RUNS_RUNVOLUME_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/RunBounds.h"
#include "BrickCCL/Runs/Unwrapping.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace brickccl
{

/** The axes along which links are found while runs are found, and what else is kept. */
struct LinkAxes
{
  /** Whether voxels are joined along x. Otherwise every voxel is a run of its own. */
  bool x = true;
  /** Whether the links to the row before (y), and to that row in the slice before (z), are kept where they do not
   *  follow the foreground. */
  bool y = false;
  bool z = false;
  /** Whether to keep what RunAt needs. */
  bool countsRuns = false;
  /** Whether to keep what Below and Above return, if the links know separation. */
  bool knowsSeparation = false;
};

/** Neighbouring runs of a volume's rows. Their places count from row `row` on. */
struct RunsOfRows : simd::RunPlaces
{
  /** At most so many runs at once. */
  static constexpr int Maximum = simd::RunBounds::Maximum;

  std::int64_t row = 0;
  /** The number of the first run. */
  std::uint64_t run = 0;
};

/** A labeled volume in compact form: every row as bits, cut into runs of joined voxels, and one label per run.
 *
 *  Runs are numbered in raster order. The label of a run is first its parent in the forest and at last the number of
 *  its component; 0 stands for a component that was filtered out. Labels have 32 bits where the number of runs allows
 *  it, and otherwise 64.
 *
 *  Memory: 1 bit per voxel. With equal values or a tolerance, 1 more bit for the starts of runs, 1 for each of the axes
 *  y and z along which links are kept, 0.5 for RunAt and 2 for separated voxels. 8 bytes per row, 4 (8) bytes per run,
 *  and 8 more per run where bounds are kept. Algorithms keep scratch memory of their own here. */
class RunVolume
{
public:
  /** So many words before the first row and after the last row of the foreground, of stored starts and of links can be
   *  read. Their values do not matter. */
  static constexpr std::int64_t PaddingWords = 8;
  /** Vector code may read so many labels more than there are, on both sides, and write so many bounds behind the last
   *  one. */
  static constexpr std::size_t RunPadding = 16;

  /** Starts a volume of this extent. The memory of an earlier volume is used again. */
  void
  Reset(const Extent & extent, bool startsFollowForeground)
  {
    m_Extent = extent;
    m_WordsPerRow = WordsForBits(extent.RowLength());
    m_StartsFollowForeground = startsFollowForeground;
    m_TouchingAreJoined = false;
    m_Unwrapping.reset();
    m_Foreground.Resize(PaddedWordCount());
    m_Starts.Resize(startsFollowForeground ? 0 : PaddedWordCount());
    m_FirstRun.Resize(static_cast<std::size_t>(extent.RowCount()) + 1);
    ResizeLinks(false, false);
    ResizeRunsBefore(false);
    ResizeSeparation(false);
    m_HasBounds = false;
  }

  /** Makes room for links along y and along z. */
  void
  ResizeLinks(bool alongY, bool alongZ)
  {
    m_LinksAlongY.Resize(alongY ? PaddedWordCount() : 0);
    m_LinksAlongZ.Resize(alongZ ? PaddedWordCount() : 0);
  }

  /** Makes room for the numbers of runs that RunAt needs. */
  void
  ResizeRunsBefore(bool areKept)
  {
    m_RunsBefore.Resize(areKept ? static_cast<std::size_t>(m_WordsPerRow * m_Extent.RowCount()) : 0);
  }

  /** Makes room for the bits of separated voxels. */
  void
  ResizeSeparation(bool areKept)
  {
    m_Below.Resize(areKept ? PaddedWordCount() : 0);
    m_Above.Resize(areKept ? PaddedWordCount() : 0);
  }

  /** Fewer runs than this can be numbered in 32 bits, with one number to spare. */
  static constexpr std::uint64_t MaximumNarrowRuns = std::numeric_limits<std::uint32_t>::max();

  /** Makes room for the labels. FirstRun must be complete. */
  void
  ResizeLabels(bool wide)
  {
    m_Wide = wide;
    m_Narrow.Resize(wide ? 0 : RunCount() + 2 * RunPadding);
    m_WideLabels.Resize(wide ? RunCount() : 0);
    for (std::size_t i = 0; i < RunPadding && !wide; ++i)
    {
      m_Narrow[i] = m_Narrow[RunPadding + RunCount() + i] = 0;
    }
  }

  /** Makes room for the bounds of all runs. FirstRun must be complete, and rows must have fewer than 2^31 voxels. */
  void
  ResizeBounds()
  {
    m_Begins.Resize(static_cast<std::size_t>(RunCount()) + RunPadding);
    m_Ends.Resize(static_cast<std::size_t>(RunCount()) + RunPadding);
  }
  /** Says that the bounds of all runs are set. */
  void
  SetHasBounds()
  {
    m_HasBounds = true;
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
  bool
  StartsFollowForeground() const
  {
    return m_StartsFollowForeground;
  }
  /** Whether runs that touch, if only at a corner, are known to have the same label. */
  bool
  TouchingAreJoined() const
  {
    return m_TouchingAreJoined;
  }
  void
  SetTouchingAreJoined(bool are)
  {
    m_TouchingAreJoined = are;
  }
  /** How components go on through the ends of periodic axes; null if there are none. */
  const Unwrapping *
  GetUnwrapping() const
  {
    return m_Unwrapping.get();
  }
  void
  SetUnwrapping(std::shared_ptr<const Unwrapping> unwrapping)
  {
    m_Unwrapping = std::move(unwrapping);
  }
  bool
  HasLinksAlongY() const
  {
    return m_LinksAlongY.Size() != 0;
  }
  bool
  HasLinksAlongZ() const
  {
    return m_LinksAlongZ.Size() != 0;
  }
  bool
  HasBounds() const
  {
    return m_HasBounds;
  }
  std::uint64_t
  RunCount() const
  {
    return m_FirstRun[static_cast<std::size_t>(m_Extent.RowCount())];
  }
  bool
  IsWide() const
  {
    return m_Wide;
  }

  /** The foreground bits of a row. */
  Word *
  Foreground(std::int64_t row)
  {
    return m_Foreground.Data() + PaddingWords + row * m_WordsPerRow;
  }
  const Word *
  Foreground(std::int64_t row) const
  {
    return m_Foreground.Data() + PaddingWords + row * m_WordsPerRow;
  }
  Word *
  StoredStarts(std::int64_t row)
  {
    return m_Starts.Data() + PaddingWords + row * m_WordsPerRow;
  }
  const Word *
  StoredStarts(std::int64_t row) const
  {
    return m_Starts.Data() + PaddingWords + row * m_WordsPerRow;
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
    return m_RunsBefore.Data() + row * m_WordsPerRow;
  }
  /** The run of a row that covers voxel x, which must be foreground. Only where starts and the numbers of runs before
   *  words are kept. */
  std::uint64_t
  RunAt(std::int64_t row, std::int64_t x) const
  {
    const std::int64_t w = x / BitsPerWord;
    const Word         starts = StoredStarts(row)[w] & BitsUpTo(static_cast<int>(x % BitsPerWord));
    return FirstRun(row) + m_RunsBefore[static_cast<std::size_t>(row * m_WordsPerRow + w)] +
           static_cast<std::uint64_t>(CountBits(starts)) - 1;
  }
  /** Bit x says that voxel x is joined to that of the row before along the axis. Only where links along the axis are
   *  kept. Unspecified for rows without a row before. */
  Word *
  LinksAlongY(std::int64_t row)
  {
    return m_LinksAlongY.Data() + PaddingWords + row * m_WordsPerRow;
  }
  const Word *
  LinksAlongY(std::int64_t row) const
  {
    return m_LinksAlongY.Data() + PaddingWords + row * m_WordsPerRow;
  }
  Word *
  LinksAlongZ(std::int64_t row)
  {
    return m_LinksAlongZ.Data() + PaddingWords + row * m_WordsPerRow;
  }
  const Word *
  LinksAlongZ(std::int64_t row) const
  {
    return m_LinksAlongZ.Data() + PaddingWords + row * m_WordsPerRow;
  }

  bool
  HasFar() const
  {
    return m_Below.Size() != 0;
  }
  /** The bits of RowLinks::PackSeparated; null where they are not kept. */
  Word *
  Below(std::int64_t row)
  {
    return HasFar() ? m_Below.Data() + PaddingWords + row * m_WordsPerRow : nullptr;
  }
  const Word *
  Below(std::int64_t row) const
  {
    return HasFar() ? m_Below.Data() + PaddingWords + row * m_WordsPerRow : nullptr;
  }
  Word *
  Above(std::int64_t row)
  {
    return HasFar() ? m_Above.Data() + PaddingWords + row * m_WordsPerRow : nullptr;
  }
  const Word *
  Above(std::int64_t row) const
  {
    return HasFar() ? m_Above.Data() + PaddingWords + row * m_WordsPerRow : nullptr;
  }

  /** For each run its first voxel in its row (Begins) and the voxel behind its last one (Ends). Only where bounds are
   *  kept. */
  std::int32_t *
  Begins()
  {
    return m_Begins.Data();
  }
  const std::int32_t *
  Begins() const
  {
    return m_Begins.Data();
  }
  std::int32_t *
  Ends()
  {
    return m_Ends.Data();
  }
  const std::int32_t *
  Ends() const
  {
    return m_Ends.Data();
  }

  /** The bits of word w of a row at which runs start. */
  Word
  Starts(std::int64_t row, std::int64_t w) const
  {
    if (!m_StartsFollowForeground)
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

  /** Calls `function(labels)` with a pointer to the labels of all runs, which are 32- or 64-bit integers. */
  template <typename TFunction>
  decltype(auto)
  VisitLabels(TFunction && function)
  {
    return m_Wide ? function(m_WideLabels.Data()) : function(m_Narrow.Data() + RunPadding);
  }
  template <typename TFunction>
  decltype(auto)
  VisitLabels(TFunction && function) const
  {
    return m_Wide ? function(m_WideLabels.Data()) : function(m_Narrow.Data() + RunPadding);
  }

  /** The label of one run. Where a short loop asks for many, VisitLabels is faster. */
  std::uint64_t
  Label(std::uint64_t run) const
  {
    return m_Wide ? m_WideLabels.Data()[run] : m_Narrow.Data()[RunPadding + run];
  }

  /** Calls `function(begin, end, run)` for the runs of a row, in order. A run has the voxels begin <= x < end. */
  template <typename TFunction>
  void
  ForEachRun(std::int64_t row, TFunction function) const
  {
    const auto each = [&](const RunsOfRows & runs) {
      for (int i = 0; i < runs.count; ++i)
      {
        function(std::int64_t{ runs.Begin(i) }, std::int64_t{ runs.End(i) }, runs.run + static_cast<std::uint64_t>(i));
      }
    };
    if (HasBounds())
    {
      ForKeptBounds(row, each);
    }
    else if (FindsBounds())
    {
      simd::RunBounds bounds;
      ForFoundBounds(row, 1, OneRow, bounds, each);
    }
    else
    {
      ForEachRunByBits(row, function);
    }
  }

  /** Calls `function(runs)` with the RunsOfRows of the rows [row, end), in order, up to RunsOfRows::Maximum runs at a
   *  time. Rows must have fewer than 2^31 voxels. Runs have their numbers once FirstRun is complete. Before that, one
   *  call may take only as many rows as fit into simd::BoundWords, or one row. */
  template <typename TFunction>
  void
  ForRunsAtOnce(std::int64_t row, std::int64_t end, TFunction function) const
  {
    simd::RunBounds bounds;
    if (HasBounds() || !FindsBounds())
    {
      for (; row < end; ++row)
      {
        HasBounds() ? ForKeptBounds(row, function) : ForCollectedBounds(row, bounds, function);
      }
      return;
    }
    // So many rows are taken together.
    const std::int64_t most = std::max<std::int64_t>(1, simd::BoundWords / m_WordsPerRow);
    const std::int64_t mostIfSparse = m_WordsPerRow <= simd::BoundWords ? simd::SparseWords / m_WordsPerRow : 1;
    int                shift = mostIfSparse > 1 ? 6 : OneRow;
    while ((std::int64_t{ 1 } << shift) <= m_Extent.RowLength())
    {
      ++shift;
    }
    for (std::int64_t next = 0; row < end; row = next)
    {
      next = std::min(end, row + most);
      if (next < end)
      {
        const std::int64_t nextIfSparse = std::min(end, row + mostIfSparse);
        next = FirstRun(nextIfSparse) - FirstRun(row) <= simd::SparseRuns ? nextIfSparse : next;
      }
      ForFoundBounds(row, static_cast<int>(next - row), shift, bounds, function);
    }
  }

  /** Memory for the algorithm that labels this volume. */
  Workspace &
  Scratch()
  {
    return m_Scratch;
  }

  /** Sets every byte of the memory that is kept for the next volume, as Buffer::Overwrite does. It ends this volume. */
  void
  Overwrite(unsigned char byte)
  {
    m_Scratch.Overwrite(byte);
    m_FirstRun.Overwrite(byte);
    m_RunsBefore.Overwrite(byte);
    m_Narrow.Overwrite(byte);
    m_WideLabels.Overwrite(byte);
    for (Buffer<Word> * words : { &m_Foreground, &m_Starts, &m_LinksAlongY, &m_LinksAlongZ, &m_Below, &m_Above })
    {
      words->Overwrite(byte);
    }
    for (Buffer<std::int32_t> * bounds : { &m_Begins, &m_Ends })
    {
      bounds->Overwrite(byte);
    }
  }

  std::size_t
  CapacityBytes() const
  {
    return m_Scratch.CapacityBytes() + m_Foreground.CapacityBytes() + m_Starts.CapacityBytes() +
           m_LinksAlongY.CapacityBytes() + m_LinksAlongZ.CapacityBytes() + m_RunsBefore.CapacityBytes() +
           m_Below.CapacityBytes() + m_Above.CapacityBytes() + m_FirstRun.CapacityBytes() + m_Begins.CapacityBytes() +
           m_Ends.CapacityBytes() + m_Narrow.CapacityBytes() + m_WideLabels.CapacityBytes();
  }

private:
  std::size_t
  PaddedWordCount() const
  {
    return static_cast<std::size_t>(m_WordsPerRow * m_Extent.RowCount() + 2 * PaddingWords);
  }

  bool
  FindsBounds() const
  {
    return m_Extent.RowLength() <= std::numeric_limits<std::int32_t>::max();
  }

  /** A shift for places of one row alone. */
  static constexpr int OneRow = 31;

  /** ForRunsAtOnce for one row whose bounds are kept. */
  template <typename TFunction>
  void
  ForKeptBounds(std::int64_t row, TFunction function) const
  {
    const std::uint64_t end = FirstRun(row + 1);
    for (std::uint64_t run = FirstRun(row), next = 0; run < end; run = next)
    {
      next = std::min(end, run + RunsOfRows::Maximum);
      const auto count = static_cast<int>(next - run);
      function(RunsOfRows{ { count, OneRow, 1, m_Begins.Data() + run, m_Ends.Data() + run }, row, run });
    }
  }

  /** ForRunsAtOnce for one row, or for several that simd::FindRunBounds takes together. */
  template <typename TFunction>
  void
  ForFoundBounds(std::int64_t row, int count, int shift, simd::RunBounds & bounds, TFunction function) const
  {
    const Word * const     starts = m_StartsFollowForeground ? nullptr : StoredStarts(row);
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

  /** ForRunsAtOnce for one row without vector code. */
  template <typename TFunction>
  void
  ForCollectedBounds(std::int64_t row, simd::RunBounds & bounds, TFunction function) const
  {
    std::int32_t * const begins = bounds.bounds;
    std::int32_t * const ends = bounds.bounds + simd::RunBounds::Room;
    std::uint64_t        run = FirstRun(row);
    int                  count = 0;
    const auto           pass = [&] {
      function(RunsOfRows{ { count, OneRow, 1, begins, ends }, row, run });
      run += static_cast<std::uint64_t>(count);
      count = 0;
    };
    ForEachRunByBits(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t) {
      begins[count] = static_cast<std::int32_t>(begin);
      ends[count] = static_cast<std::int32_t>(end);
      if (++count == RunsOfRows::Maximum)
      {
        pass();
      }
    });
    if (count > 0)
    {
      pass();
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
  bool                  m_StartsFollowForeground = true;
  bool                  m_TouchingAreJoined = false;
  bool                  m_Wide = false;
  bool                  m_HasBounds = false;
  Buffer<Word>          m_Foreground;
  Buffer<Word>          m_Starts;
  Buffer<Word>          m_LinksAlongY;
  Buffer<Word>          m_LinksAlongZ;
  Buffer<std::uint32_t> m_RunsBefore;
  Buffer<Word>          m_Below;
  Buffer<Word>          m_Above;
  Buffer<std::uint64_t> m_FirstRun;
  Buffer<std::int32_t>  m_Begins;
  Buffer<std::int32_t>  m_Ends;
  Buffer<std::uint32_t> m_Narrow;
  Buffer<std::uint64_t> m_WideLabels;
  Workspace             m_Scratch;

  std::shared_ptr<const Unwrapping> m_Unwrapping;
};

} // namespace brickccl

#endif
