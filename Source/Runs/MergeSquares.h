#ifndef BRICKCCL_RUNS_MERGESQUARES_H
#define BRICKCCL_RUNS_MERGESQUARES_H

#include "BrickCCL/Runs/MergeRows.h"
#include "BrickCCL/Simd/OpenDiagonals.h"

#include <algorithm>
#include <array>
#include <vector>

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
  using Link = simd::SquareLink;

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
    for (int i = 0; i < simd::SquareLinkCount; ++i)
    {
      const auto link = static_cast<Link>(i);
      m_Wanted |= IsWanted(link) ? simd::SetOf(link) : 0;
      m_Open[static_cast<std::size_t>(i)].Resize(volume.WordsPerRow());
    }
    m_JoinedAcross.Resize(volume.WordsPerRow());
    m_JoinedBetween.Resize(volume.WordsPerRow());
    const auto room = static_cast<std::size_t>(ManyListed + simd::MostOpenWords(volume.WordsPerRow()));
    m_Sides.Resize(room);
    m_Others.Resize(room);
  }

  /** Calls `unite(runOfA, runOfB)` for the links along the sides a and b and along both diagonals of the square at a
   *  row, of those pairs of rows for which `wants(rowA, rowB)` is true; for some of them not before UnitePostponed.
   *  \param position  that of the row. */
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
      MergeSquare(row, wants, unite);
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

  /** Unites along the links that Merge postponed; to be called after the last row. */
  template <typename TWants, typename TUnite>
  void
  UnitePostponed(const TWants & wants, TUnite unite)
  {
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
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - m_Volume.GetExtent().size[1];
    switch (link)
    {
    case Link::LastSide:
      return { row, behind, 0 };
    case Link::UpLeft:
      return { row, up, -1 };
    case Link::UpRight:
      return { row, up, 1 };
    case Link::BehindLeft:
      return { row, behind, -1 };
    case Link::BehindRight:
      return { row, behind, 1 };
    case Link::Across:
      return { row, behind - 1, 0 };
    case Link::AcrossLeft:
      return { row, behind - 1, -1 };
    case Link::AcrossRight:
      return { row, behind - 1, 1 };
    case Link::Between:
      return { up, behind, 0 };
    case Link::BetweenLeft:
      return { up, behind, -1 };
    case Link::BetweenRight:
      break;
    }
    return { up, behind, 1 };
  }

  /** Whether the connectivity has such links. */
  bool
  IsWanted(Link link) const
  {
    const bool isAcross = link >= Link::Across;
    return EndsOf(link, 0).step == 0 ? m_Rank > (isAcross ? 1 : 0) : m_DiagonalRank > (isAcross ? 2 : 1);
  }

  /** Whether two rows have links to unite. */
  template <typename TWants>
  bool
  AreToMerge(std::int64_t rowA, std::int64_t rowB, const TWants & wants) const
  {
    return wants(rowA, rowB) && m_Rows.HaveRuns(rowA, rowB);
  }

  /** Unites along the links between the rows of a square, but for those along its sides a, c and d and those that its
   *  sides imply. */
  template <typename TWants, typename TUnite>
  void
  MergeSquare(std::int64_t row, const TWants & wants, TUnite unite)
  {
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - m_Volume.GetExtent().size[1];
    if (m_Volume.FirstRun(up) == m_Volume.FirstRun(row + 1))
    {
      // Neither row has runs; without any behind them, diagonals along y would remain.
      return;
    }
    const simd::SquareRows rows{ m_Rows.BitsOf(row),        m_Rows.BitsOf(up),           m_Rows.BitsOf(behind),
                                 m_Rows.BitsOf(behind - 1), m_Volume.LinksAlongY(row),   m_Volume.LinksAlongZ(row),
                                 m_Volume.LinksAlongZ(up),  m_Volume.LinksAlongY(behind) };
    if ((m_AreTransitive || m_Rank == 1) && List(rows, row))
    {
      if (std::max(m_Sides.Count(), m_Others.Count()) >= ManyListed)
      {
        MergeListed(wants, unite);
      }
      return;
    }
    MergeDenseSquare(rows, row, wants, unite);
  }

  /** Lists a square's open links. \return false if there are too many: looked at one by one, they take longer than rows
   *  compared as a whole. */
  bool
  List(const simd::SquareRows & rows, std::int64_t row)
  {
    const auto      words = static_cast<std::int64_t>(m_Words);
    simd::OpenWords sides = m_Sides.Words();
    simd::OpenWords others = m_Others.Words();
    simd::ListOpenInSquare(rows, words, row, m_Wanted, sides, others);
    if (others.words.count - m_Others.Count() > MostListedPerWord * words)
    {
      return false;
    }
    m_Sides.SetCount(sides.words.count);
    m_Others.SetCount(others.words.count);
    return true;
  }

  /** Unites along the listed last sides, and postpones other links that are listed. */
  template <typename TWants, typename TUnite>
  void
  MergeListed(const TWants & wants, TUnite unite)
  {
    m_Sides.TakeBits([&](Link link, std::int64_t row, std::int64_t x) {
      const Ends ends = EndsOf(link, row);
      if (wants(ends.rowA, ends.rowB))
      {
        m_Rows.UniteAt(ends.rowA, x, ends.rowB, x, unite);
      }
    });
    m_Others.TakeBits([&](Link link, std::int64_t row, std::int64_t x) {
      const Ends ends = EndsOf(link, row);
      if (wants(ends.rowA, ends.rowB))
      {
        m_Rows.Postpone(ends.rowA, x, ends.rowB, x + ends.step);
      }
    });
    m_Rows.UnitePostponed(unite);
  }

  /** MergeSquare where many links are open, or their lists do not tell all: pair of rows by pair of rows. */
  template <typename TWants, typename TUnite>
  void
  MergeDenseSquare(const simd::SquareRows & rows, std::int64_t row, const TWants & wants, TUnite unite)
  {
    const std::int64_t up = row - 1;
    const std::int64_t behind = row - m_Volume.GetExtent().size[1];
    simd::OpenInSquare open{ {}, m_JoinedAcross.Data(), m_JoinedBetween.Data() };
    for (int i = 0; i < simd::SquareLinkCount; ++i)
    {
      open.of[i] = m_Open[static_cast<std::size_t>(i)].Data();
    }
    const simd::SquareLinkSet some =
      m_Wanted & simd::FindOpenInSquare(rows, static_cast<std::int64_t>(m_Words), m_AreTransitive, open);
    const auto bitsOf = [&](Link link) { return open.of[static_cast<int>(link)]; };
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
      mergeAcross(row, behind - 1, Link::Across, Link::AcrossLeft, Link::AcrossRight, open.joinedAcross);
    }
    if (wants(up, behind))
    {
      mergeAcross(up, behind, Link::Between, Link::BetweenLeft, Link::BetweenRight, open.joinedBetween);
    }
  }

  /** Words of open links of many squares. */
  class OpenList
  {
  public:
    void
    Resize(std::size_t most)
    {
      for (std::vector<Word> * words : { &m_Bits, &m_Rows, &m_Places })
      {
        words->resize(most);
      }
    }
    /** For ListOpenInSquare to add to. */
    simd::OpenWords
    Words()
    {
      return { { m_Bits.data(), m_Places.data(), m_Count }, m_Rows.data() };
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
    /** Calls `visit(link, row, x)` for every bit, and forgets them all. */
    template <typename TVisit>
    void
    TakeBits(TVisit visit)
    {
      simd::ForEachBit(Words().words, [&](int kind, std::int64_t x, std::int64_t i) {
        visit(static_cast<Link>(kind), static_cast<std::int64_t>(m_Rows[static_cast<std::size_t>(i)]), x);
      });
      m_Count = 0;
    }

  private:
    std::vector<Word> m_Bits;
    std::vector<Word> m_Rows;
    std::vector<Word> m_Places;
    std::int64_t      m_Count = 0;
  };

  /** So many listed words are gone through together. */
  static constexpr std::int64_t ManyListed = 256;
  /** A square whose words have more of them is gone through row by row. */
  static constexpr std::int64_t MostListedPerWord = 3;

  const RunVolume & m_Volume;
  const RowLinks &  m_Links;
  RowMerger<TIndex> m_Rows;
  std::size_t       m_Words;
  int               m_Rank;
  /** Links one step to the left or right as well need a higher one. */
  int                 m_DiagonalRank;
  bool                m_AreTransitive;
  simd::SquareLinkSet m_Wanted = 0;
  OpenList            m_Sides;
  OpenList            m_Others;
  std::vector<Word>   m_Found;
  /** Of one square, what FindOpenInSquare finds. */
  std::array<OwnRow, simd::SquareLinkCount> m_Open;
  OwnRow                                    m_JoinedAcross;
  OwnRow                                    m_JoinedBetween;
};

} // namespace brickccl

#endif
