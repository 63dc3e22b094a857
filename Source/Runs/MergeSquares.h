#ifndef BRICKCCL_RUNS_MERGESQUARES_H
#define BRICKCCL_RUNS_MERGESQUARES_H

#include "BrickCCL/Runs/MergeRows.h"

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
    , m_Candidates(m_Words)
    , m_Found(m_Words)
  {
    m_Same.Resize(volume.WordsPerRow());
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
    const Word *       a = hasY ? m_Volume.LinksAlongY(row) : nullptr;
    const Word *       b = hasZ ? m_Volume.LinksAlongZ(row) : nullptr;
    if (hasY && IsWanted(row, up, wants))
    {
      m_Rows.UniteStraight(row, up, a, unite);
      if (m_DiagonalRank > 1)
      {
        m_Rows.MergeDiagonals(row, up, a, unite);
      }
    }
    if (hasZ && IsWanted(row, behind, wants))
    {
      if (!hasY)
      {
        m_Rows.UniteStraight(row, behind, b, unite);
      }
      else if (FindLastSides(row, a, b, m_Volume.LinksAlongZ(up), m_Volume.LinksAlongY(behind)))
      {
        m_Rows.UniteSame(row, behind, m_Found.data(), m_Found.data(), unite);
      }
      if (m_DiagonalRank > 1)
      {
        m_Rows.MergeDiagonals(row, behind, b, unite);
      }
    }
    if (hasY && hasZ && m_Rank > 1)
    {
      const Word * c = m_Volume.LinksAlongZ(up);
      const Word * d = m_Volume.LinksAlongY(behind);
      if (IsWanted(row, behind - 1, wants))
      {
        MergeAcross(row, behind - 1, { a, c }, { b, d }, unite);
      }
      if (IsWanted(up, behind, wants))
      {
        MergeAcross(up, behind, { a, b }, { c, d }, unite);
      }
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
  /** Two sides of a square that meet. */
  struct Corner
  {
    const Word * first;
    const Word * second;
  };

  template <typename TWants>
  bool
  IsWanted(std::int64_t rowA, std::int64_t rowB, TWants wants) const
  {
    return wants(rowA, rowB) && m_Rows.HaveRuns(rowA, rowB);
  }

  /** Of each pair of runs that links b join one of these, to m_Found, if the other three sides imply it at none of the
   *  pair's columns (but for those in the words before). \return whether there are any. */
  bool
  FindLastSides(std::int64_t row, const Word * a, const Word * b, const Word * c, const Word * d)
  {
    const Word * startsA = m_Volume.StoredStarts(row);
    const Word * startsB = m_Volume.StoredStarts(row - m_Volume.GetExtent().size[1]);
    Word         any = 0;
    // A pair's columns follow each other: all but the first of them.
    const auto goesOnIn = [&](std::size_t w) {
      return w < m_Words ? b[w] & FromLeft(b[w], w > 0 ? b[w - 1] : 0) & ~startsA[w] & ~startsB[w] : 0;
    };
    Word goesOn = goesOnIn(0);
    for (std::size_t w = 0; w < m_Words; ++w)
    {
      const Word next = goesOnIn(w + 1);
      const Word last = b[w] & ~FromRight(goesOn, next);
      const Word implied = a[w] & b[w] & c[w] & d[w];
      // A carry runs from an implied column through those of the pair behind it.
      const Word others = goesOn & ~implied;
      const Word reached = others & ~(others + ((implied << 1) & others));
      m_Found[w] = last & ~implied & ~reached;
      any |= m_Found[w];
      goesOn = next;
    }
    return any != 0;
  }

  /** The links between rows at the ends of a diagonal; both corners lie between them. */
  template <typename TUnite>
  void
  MergeAcross(std::int64_t rowA, std::int64_t rowB, const Corner & one, const Corner & other, TUnite unite)
  {
    const Word * bitsA = m_Volume.Foreground(rowA);
    const Word * bitsB = m_Volume.Foreground(rowB);
    Word * const same = m_Same.Data();
    Word         any = 0;
    for (std::size_t w = 0; w < m_Words; ++w)
    {
      const Word joined = (one.first[w] & one.second[w]) | (other.first[w] & other.second[w]);
      const Word known = m_AreTransitive ? one.first[w] | one.second[w] | other.first[w] | other.second[w] : joined;
      same[w] = joined;
      m_Candidates[w] = bitsA[w] & bitsB[w] & ~known;
      any |= m_Candidates[w];
    }
    if (any != 0 && !m_Rows.Postpone(rowA, rowB, 0, m_Candidates.data(), unite))
    {
      m_Links.PackLinks(rowA, rowB, 0, m_Candidates.data(), m_Found.data());
      for (std::size_t w = 0; w < m_Words; ++w)
      {
        same[w] |= m_Found[w];
      }
      m_Rows.UniteSame(rowA, rowB, m_Found.data(), same, unite);
    }
    if (m_DiagonalRank > 2)
    {
      m_Rows.MergeDiagonals(rowA, rowB, same, unite);
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
  std::vector<Word> m_Candidates;
  std::vector<Word> m_Found;
  OwnRow            m_Same;
};

} // namespace brickccl

#endif
