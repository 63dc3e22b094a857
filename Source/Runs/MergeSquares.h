#ifndef BRICKCCL_RUNS_MERGESQUARES_H
#define BRICKCCL_RUNS_MERGESQUARES_H

#include "BrickCCL/Runs/MergeRows.h"
#include "BrickCCL/Simd/OpenDiagonals.h"

#include <array>

namespace brickccl
{

/** Finds the pairs of runs that touch where links do not follow the foreground, with few looks at pixels.
 *
 *  Four rows are the corners of a square whose sides are the links that FindRuns has kept:
 *
 *        (y-1, z-1) --d-- (y, z-1)
 *             |              |
 *             c              b
 *             |              |
 *         (y-1, z) ---a--- (y, z)
 *
 *  At each column two sides that meet join the ends of a diagonal, and three sides those of the fourth. Where links are
 *  transitive and of two sides that meet one is a link, the other one tells whether the ends of the diagonal are
 * joined. Only columns that neither way tells of are looked at, and only links that other ones do not imply are united:
 * those implied follow from straight links of this row or earlier ones, which never follow from diagonals. */
template <typename TIndex>
class SquareMerger
{
public:
  /** Squares of rows of a volume that keeps the links along every axis which the connectivity uses. */
  SquareMerger(const RunVolume & volume, const RowLinks & links, const Connectivity & connectivity)
    : m_Volume(volume)
    , m_Links(links)
    , m_Rows(volume, links)
    , m_Words(static_cast<std::size_t>(volume.WordsPerRow()))
    , m_Rank(connectivity.Rank())
    , m_DiagonalRank(connectivity.Uses(0) ? m_Rank : 0)
    , m_AreTransitive(links.AreTransitive())
    , m_Found(m_Words)
  {
    for (OwnRow & row : m_Open)
    {
      row.Resize(volume.WordsPerRow());
    }
  }

  /** Calls `unite(runOfA, runOfB)` for the links along the sides a and b and along both diagonals of the square at a
   *  row, of those pairs of rows for which `wants(rowA, rowB)` is true. */
  template <typename TWants, typename TUnite>
  void
  Merge(std::int64_t row, TWants wants, TUnite unite)
  {
    const Extent &     extent = m_Volume.GetExtent();
    const bool         hasY = m_Volume.HasLinksAlongY() && row % extent.size[1] > 0;
    const bool         hasZ = m_Volume.HasLinksAlongZ() && row / extent.size[1] % extent.size[2] > 0;
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - extent.size[1];
    if (hasY && hasZ)
    {
      if (IsWanted(row, up, wants))
      {
        m_Rows.UniteStraight(row, up, m_Volume.LinksAlongY(row), unite);
      }
      MergeSquare(row, up, behind, wants, unite);
      return;
    }
    const auto mergeSide = [&](std::int64_t other, const Word * links) {
      if (IsWanted(row, other, wants))
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

  /** Unites along the links that Merge postponed; to be called after the last row. */
  template <typename TUnite>
  void
  UnitePostponed(TUnite unite)
  {
    m_Rows.UnitePostponed(unite);
  }

private:
  template <typename TWants>
  bool
  IsWanted(std::int64_t rowA, std::int64_t rowB, TWants wants) const
  {
    return wants(rowA, rowB) && m_Rows.HaveRuns(rowA, rowB);
  }

  /** Unites along the links between the rows of a square, but for those along its sides a, c and d and those that its
   *  sides imply. */
  template <typename TWants, typename TUnite>
  void
  MergeSquare(std::int64_t row, std::int64_t up, std::int64_t behind, TWants wants, TUnite unite)
  {
    if (m_Volume.FirstRun(up) == m_Volume.FirstRun(row + 1))
    {
      // Neither row has runs; without any behind them, diagonals along y would remain.
      return;
    }
    const auto             words = static_cast<std::int64_t>(m_Words);
    const simd::SquareRows rows{ m_Rows.BitsOf(row),        m_Rows.BitsOf(up),           m_Rows.BitsOf(behind),
                                 m_Rows.BitsOf(behind - 1), m_Volume.LinksAlongY(row),   m_Volume.LinksAlongZ(row),
                                 m_Volume.LinksAlongZ(up),  m_Volume.LinksAlongY(behind) };
    const auto             room = [this](std::size_t i) { return m_Open[i].Data(); };
    if (m_Rank == 1)
    {
      if (wants(row, behind) && simd::FindLastSides(rows, words, room(0)))
      {
        m_Rows.UniteSame(row, behind, room(0), room(0), unite);
      }
      return;
    }
    const simd::OpenInSquare open{ room(0),
                                   { room(1), room(2) },
                                   { room(3), room(4) },
                                   { room(5), room(6), { room(7), room(8) } },
                                   { room(9), room(10), { room(11), room(12) } } };
    const simd::AnyInSquare  any = simd::FindOpenInSquare(rows, words, m_AreTransitive, open);
    if (any.lastSides && wants(row, behind))
    {
      m_Rows.UniteSame(row, behind, open.lastSides, open.lastSides, unite);
    }
    if (m_DiagonalRank > 1 && wants(row, up))
    {
      m_Rows.LookAtDiagonals(row, up, open.alongY, any.alongY, unite);
    }
    if (m_DiagonalRank > 1 && wants(row, behind))
    {
      m_Rows.LookAtDiagonals(row, behind, open.alongZ, any.alongZ, unite);
    }
    if (wants(row, behind - 1))
    {
      MergeAcross(row, behind - 1, open.across, any.across, unite);
    }
    if (wants(up, behind))
    {
      MergeAcross(up, behind, open.between, any.between, unite);
    }
  }

  /** The links between rows at the ends of a diagonal. */
  template <typename TUnite>
  void
  MergeAcross(std::int64_t              rowA,
              std::int64_t              rowB,
              const simd::AcrossLinks & links,
              const simd::AnyAcross &   any,
              TUnite                    unite)
  {
    bool knowsMore = !m_AreTransitive;
    if (any.open && !m_Rows.Postpone(rowA, rowB, 0, links.open, unite))
    {
      knowsMore = true;
      m_Links.PackLinks(rowA, rowB, 0, links.open, m_Found.data());
      for (std::size_t w = 0; w < m_Words; ++w)
      {
        links.joined[w] |= m_Found[w];
      }
      m_Rows.UniteSame(rowA, rowB, m_Found.data(), links.joined, unite);
    }
    if (m_DiagonalRank > 2)
    {
      if (knowsMore)
      {
        m_Rows.MergeDiagonals(rowA, rowB, links.joined, unite);
      }
      else
      {
        m_Rows.LookAtDiagonals(rowA, rowB, links.diagonals, any.diagonals, unite);
      }
    }
  }

  const RunVolume & m_Volume;
  const RowLinks &  m_Links;
  RowMerger<TIndex> m_Rows;
  std::size_t       m_Words;
  int               m_Rank;
  /** Links one step to the left or right as well need a higher one. */
  int               m_DiagonalRank;
  bool              m_AreTransitive;
  std::vector<Word> m_Found;
  /** Of one square, what FindOpenInSquare finds. */
  std::array<OwnRow, 13> m_Open;
};

} // namespace brickccl

#endif
