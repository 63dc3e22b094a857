// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/MergeRows.h"
#include "BrickCCL/Runs/UndecidedDiagonals.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace brickccl
{

/** Finds the pairs of runs that touch where links do not follow the foreground, and looks at few pixels for it.
 *
 *  Four rows are the corners of a square. Its sides are the links that FindRuns has kept:
 *
 *        (y-1, z-1) --d-- (y, z-1)
 *             |              |
 *             c              b
 *             |              |
 *         (y-1, z) ---a--- (y, z)
 *
 *  At each column, two sides that meet join the ends of a diagonal, and three sides join the ends of the fourth. If
 *  links are transitive and one of two sides that meet is a link, the other side decides whether the ends of the
 *  diagonal are joined. Pixels are looked at only in columns that neither way decides. Only links that others do not
 *  imply are united: implied links follow from straight links of this row or of earlier ones, which never follow from
 *  diagonals. */
template <typename TIndex>
class SquareMerger
{
public:
  using Link = simd::SquareLink;

  /** The volume must keep the links along every axis that the connectivity uses. */
  SquareMerger(const RunVolume & volume, const RowLinks & links, const Connectivity & connectivity)
    : m_Volume(volume)
    , m_Links(links)
    , m_Rows(volume, links)
    , m_Words(static_cast<std::size_t>(volume.WordsPerRow()))
    , m_Rank(connectivity.Rank())
    , m_DiagonalRank(connectivity.Uses(0) ? m_Rank : 0)
    , m_AreTransitive(links.AreTransitive())
    , m_CanList(m_AreTransitive || m_Rank == 1)
    , m_Found(m_Words)
  {
    for (int i = 0; i < simd::SquareLinkCount; ++i)
    {
      const auto       link = static_cast<Link>(i);
      const LinkStep & step = StepOf(link);
      m_Wanted |= connectivity.Has({ step.x, step.y, step.z, 0 }) ? simd::SetOf(link) : 0;
      m_Undecided[static_cast<std::size_t>(i)].Resize(volume.WordsPerRow());
    }
    m_JoinedAcross.Resize(volume.WordsPerRow());
    m_JoinedBetween.Resize(volume.WordsPerRow());
    const auto room =
      static_cast<std::size_t>(ManyListed + simd::MaximumUndecidedWords(volume.WordsPerRow(), MaximumOfStrip));
    m_Sides.Resize(room);
    m_Others.Resize(room);
  }

  /** Calls `unite(runOfA, runOfB)` for the links along the sides a and b and along both diagonals of the square at a
   *  row. It takes only pairs of rows for which `wants(rowA, rowB)` is true, and leaves some links to UnitePostponed.
   *  Rows come in ascending order, with their positions. */
  template <typename TWants, typename TUnite>
  void
  Merge(std::int64_t row, const RowPosition & position, const TWants & wants, TUnite unite)
  {
    const bool         hasY = m_Volume.HasLinksAlongY() && position.at[0] > 0;
    const bool         hasZ = m_Volume.HasLinksAlongZ() && position.at[1] > 0;
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - m_Volume.GetExtent().size[1];
    if (hasY && hasZ)
    {
      if (AreToMerge(row, up, wants))
      {
        m_Rows.UniteStraight(row, up, m_Volume.LinksAlongY(row), unite);
      }
      if (row != m_StripEnd)
      {
        MergeStrip(wants, unite);
      }
      m_StripEnd = row + 1;
      ++m_StripCount;
      // Where much is united, paths in the forest stay short if that is done row by row.
      m_SquaresAlone = std::max(m_SquaresAlone - 1, 0);
      if (!m_CanList || m_SquaresAlone > 0 || m_StripCount == MaximumOfStrip)
      {
        MergeStrip(wants, unite);
      }
      return;
    }
    const auto mergeSide = [&](std::int64_t other, const Word * links) {
      if (AreToMerge(row, other, wants))
      {
        m_Rows.UniteStraight(row, other, links, unite);
        if (m_DiagonalRank > 1)
        {
          m_Rows.MergeDiagonals(row, other, links, unite);
        }
      }
    };
    if (hasY)
    {
      mergeSide(up, m_Volume.LinksAlongY(row));
    }
    else if (hasZ)
    {
      mergeSide(behind, m_Volume.LinksAlongZ(row));
    }
  }

  /** Unites along the links that Merge has postponed. Call it after the last row. */
  template <typename TWants, typename TUnite>
  void
  UnitePostponed(const TWants & wants, TUnite unite)
  {
    MergeStrip(wants, unite);
    MergeListed(wants, unite);
    m_Rows.UnitePostponed(unite);
  }

private:
  /** The rows that a link joins, and how many voxels to the side it goes. */
  struct Ends
  {
    std::int64_t rowA;
    std::int64_t rowB;
    int          step;
  };

  Ends
  EndsOf(Link link, std::int64_t row) const
  {
    const LinkStep &   step = StepOf(link);
    const std::int64_t rowA = step.isFromUp ? row - 1 : row;
    return { rowA, rowA + step.y + step.z * m_Volume.GetExtent().size[1], step.x };
  }

  /** Where a link goes to, from the voxel at (y, z) or, with `isFromUp`, from that at (y-1, z). */
  struct LinkStep
  {
    bool isFromUp;
    int  x;
    int  y;
    int  z;
  };

  static const LinkStep &
  StepOf(Link link)
  {
    static constexpr LinkStep steps[simd::SquareLinkCount] = {
      { false, 0, 0, -1 },   // LastSide
      { false, -1, -1, 0 },  // UpLeft
      { false, 1, -1, 0 },   // UpRight
      { false, -1, 0, -1 },  // BehindLeft
      { false, 1, 0, -1 },   // BehindRight
      { false, 0, -1, -1 },  // Across
      { false, -1, -1, -1 }, // AcrossLeft
      { false, 1, -1, -1 },  // AcrossRight
      { true, 0, 1, -1 },    // Between
      { true, -1, 1, -1 },   // BetweenLeft
      { true, 1, 1, -1 }     // BetweenRight
    };
    return steps[static_cast<int>(link)];
  }

  /** Whether two rows are wanted and have runs. */
  template <typename TWants>
  bool
  AreToMerge(std::int64_t rowA, std::int64_t rowB, const TWants & wants) const
  {
    return wants(rowA, rowB) && m_Rows.HaveRuns(rowA, rowB);
  }

  simd::SquareRows
  RowsOfSquare(std::int64_t row) const
  {
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - m_Volume.GetExtent().size[1];
    return { m_Rows.BitsOf(row),        m_Rows.BitsOf(up),           m_Rows.BitsOf(behind),
             m_Rows.BitsOf(behind - 1), m_Volume.LinksAlongY(row),   m_Volume.LinksAlongZ(row),
             m_Volume.LinksAlongZ(up),  m_Volume.LinksAlongY(behind) };
  }

  /** Unites along links between the rows of the strip, except along the sides a, c and d and those that sides imply. */
  template <typename TWants, typename TUnite>
  void
  MergeStrip(const TWants & wants, TUnite unite)
  {
    const std::int64_t end = m_StripEnd;
    const std::int64_t begin = end - std::exchange(m_StripCount, 0);
    // Where only rows at z have no runs, diagonals along y behind them would remain.
    if (begin == end || m_Volume.FirstRun(begin - 1) == m_Volume.FirstRun(end))
    {
      return;
    }
    if (end - m_FirstListed > MaximumListedRows)
    {
      MergeListed(wants, unite);
    }
    if (m_CanList && List(begin, end))
    {
      if (std::max(m_Sides.Count(), m_Others.Count()) >= ManyListed)
      {
        MergeListed(wants, unite);
      }
      return;
    }
    m_SquaresAlone = ManySquares;
    for (std::int64_t row = begin; row < end; ++row)
    {
      if (m_Volume.FirstRun(row - 1) != m_Volume.FirstRun(row + 1))
      {
        MergeDenseSquare(RowsOfSquare(row), row, wants, unite);
      }
    }
  }

  /** Lists the undecided links of a strip. \return false if comparing whole rows is faster */
  bool
  List(std::int64_t begin, std::int64_t end)
  {
    const auto         words = static_cast<std::int64_t>(m_Words);
    const std::int64_t count = end - begin;
    if (m_Sides.Count() == 0 && m_Others.Count() == 0)
    {
      m_FirstListed = begin;
    }
    simd::WordList sides = m_Sides.Words();
    simd::WordList others = m_Others.Words();
    simd::ListUndecidedInSquares({ RowsOfSquare(begin), words, count, begin - m_FirstListed }, m_Wanted, sides, others);
    if (others.count - m_Others.Count() > MaximumListedPerWord * words * count)
    {
      return false;
    }
    m_Sides.SetCount(sides.count);
    m_Others.SetCount(others.count);
    return true;
  }

  /** Unites along the listed last sides and postpones the other links that are listed. */
  template <typename TWants, typename TUnite>
  void
  MergeListed(const TWants & wants, TUnite unite)
  {
    const auto take = [&](UndecidedList & list, const auto & visit) {
      list.TakeBits([&](int kind, const simd::VoxelInRows & voxel) {
        visit(EndsOf(static_cast<Link>(kind), m_FirstListed + voxel.row), voxel.x);
      });
    };
    take(m_Sides, [&](const Ends & ends, std::int64_t x) {
      if (wants(ends.rowA, ends.rowB))
      {
        m_Rows.UniteAt(ends.rowA, x, ends.rowB, x, unite);
      }
    });
    take(m_Others, [&](const Ends & ends, std::int64_t x) {
      if (wants(ends.rowA, ends.rowB))
      {
        m_Rows.Postpone(ends.rowA, x, ends.rowB, x + ends.step);
      }
    });
    m_Rows.UnitePostponed(unite);
  }

  /** Merges a square pair of rows by pair of rows, where undecided links are many or lists lack some. */
  template <typename TWants, typename TUnite>
  void
  MergeDenseSquare(const simd::SquareRows & rows, std::int64_t row, const TWants & wants, TUnite unite)
  {
    const std::int64_t      up = row - 1;
    const std::int64_t      behind = row - m_Volume.GetExtent().size[1];
    simd::UndecidedInSquare undecided{ {}, m_JoinedAcross.Data(), m_JoinedBetween.Data() };
    for (int i = 0; i < simd::SquareLinkCount; ++i)
    {
      undecided.of[i] = m_Undecided[static_cast<std::size_t>(i)].Data();
    }
    const simd::SquareLinkSet some =
      m_Wanted & simd::FindUndecidedInSquare(rows, static_cast<std::int64_t>(m_Words), m_AreTransitive, undecided);
    const auto bitsOf = [&](Link link) { return undecided.of[static_cast<int>(link)]; };
    const auto has = [&](Link link) { return (some & simd::SetOf(link)) != 0; };
    const auto lookAtDiagonals = [&](std::int64_t rowA, std::int64_t rowB, Link left, Link right) {
      m_Rows.LookAtDiagonals(rowA, rowB, { bitsOf(left), bitsOf(right) }, { has(left), has(right) }, unite);
    };
    const auto mergeAcross =
      [&](std::int64_t rowA, std::int64_t rowB, Link straight, Link left, Link right, Word * joined) {
        bool knowsMore = !m_AreTransitive;
        if (has(straight) && !m_Rows.PostponeFew(rowA, rowB, 0, bitsOf(straight), unite))
        {
          knowsMore = true;
          m_Links.PackLinks(rowA, rowB, 0, bitsOf(straight), m_Found.data());
          for (std::size_t w = 0; w < m_Words; ++w)
          {
            joined[w] |= m_Found[w];
          }
          m_Rows.UniteSame(rowA, rowB, m_Found.data(), joined, unite);
        }
        if (m_DiagonalRank > 2 && knowsMore)
        {
          m_Rows.MergeDiagonals(rowA, rowB, joined, unite);
        }
        else
        {
          lookAtDiagonals(rowA, rowB, left, right);
        }
      };
    if (has(Link::LastSide) && wants(row, behind))
    {
      m_Rows.UniteSame(row, behind, bitsOf(Link::LastSide), bitsOf(Link::LastSide), unite);
    }
    if (wants(row, up))
    {
      lookAtDiagonals(row, up, Link::UpLeft, Link::UpRight);
    }
    if (wants(row, behind))
    {
      lookAtDiagonals(row, behind, Link::BehindLeft, Link::BehindRight);
    }
    if (wants(row, behind - 1))
    {
      mergeAcross(row, behind - 1, Link::Across, Link::AcrossLeft, Link::AcrossRight, undecided.joinedAcross);
    }
    if (wants(up, behind))
    {
      mergeAcross(up, behind, Link::Between, Link::BetweenLeft, Link::BetweenRight, undecided.joinedBetween);
    }
  }

  /** Words of undecided links of many squares. */
  class UndecidedList
  {
  public:
    void
    Resize(std::size_t maximum)
    {
      m_Bits.resize(maximum);
      m_Places.resize(maximum);
    }
    /** The list to which ListUndecidedInSquares appends. */
    simd::WordList
    Words()
    {
      return { m_Bits.data(), m_Places.data(), m_Count };
    }
    std::int64_t
    Count() const
    {
      return m_Count;
    }
    void
    SetCount(std::int64_t count)
    {
      m_Count = count;
    }
    /** Calls `visit(kind, voxelInRows)` for every bit, and empties the list. */
    template <typename TVisit>
    void
    TakeBits(TVisit visit)
    {
      simd::ForEachBit(Words(),
                       [&](int kind, std::int64_t voxel, std::int64_t) { visit(kind, simd::VoxelInRows(voxel)); });
      m_Count = 0;
    }

  private:
    std::vector<Word> m_Bits;
    std::vector<Word> m_Places;
    std::int64_t      m_Count = 0;
  };

  /** So many listed words are worked through together. */
  static constexpr std::int64_t ManyListed = 256;
  /** Squares with more listed words per word are merged row by row. */
  static constexpr std::int64_t MaximumListedPerWord = 3;
  static constexpr int          ManySquares = 64;
  /** Lists can number this many rows. */
  static constexpr std::int64_t MaximumListedRows = std::int64_t{ 1 } << 31;
  /** So many squares are listed together. */
  static constexpr std::int64_t MaximumOfStrip = 8;

  const RunVolume & m_Volume;
  const RowLinks &  m_Links;
  RowMerger<TIndex> m_Rows;
  std::size_t       m_Words;
  int               m_Rank;
  /** The rank for links that go one step to the left or right; 0 if the connectivity has none. */
  int  m_DiagonalRank;
  bool m_AreTransitive;
  /** Whether ListUndecidedInSquares finds all links that are needed. */
  bool                m_CanList;
  simd::SquareLinkSet m_Wanted = 0;
  /** The strip of squares that wait to be merged: their number, and the row after the last one's. */
  std::int64_t m_StripCount = 0;
  std::int64_t m_StripEnd = 0;
  /** So many squares are merged one by one, after a square with many undecided links. */
  int           m_SquaresAlone = 0;
  UndecidedList m_Sides;
  UndecidedList m_Others;
  /** The row from which lists count. */
  std::int64_t      m_FirstListed = 0;
  std::vector<Word> m_Found;
  /** The results of FindUndecidedInSquare for one square. */
  std::array<OwnRow, simd::SquareLinkCount> m_Undecided;
  OwnRow                                    m_JoinedAcross;
  OwnRow                                    m_JoinedBetween;
};

} // namespace brickccl
