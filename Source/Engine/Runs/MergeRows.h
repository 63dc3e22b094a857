// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/ListRuns.h"
#include "BrickCCL/Runs/OwnRow.h"
#include "BrickCCL/Runs/UndecidedDiagonals.h"
#include "BrickCCL/Runs/WordWindow.h"

#include <algorithm>
#include <vector>

namespace brickccl
{

/** Finds the pairs of runs that touch in two neighboring rows, 64 voxels at a time.
 *
 *  Row a is under row b. Links are bits of row a: `same` joins a[x] to b[x], `left` to b[x-1], `right` to b[x+1].
 *
 *        b    x-1  x  x+1
 *               \  |  /
 *        a         x
 *
 *  All voxels of a run belong together. So a link is implied if the link one step to the left joins the same two runs,
 *  or if a `same` link next to a diagonal one does. Only links that are not implied are united. */
template <typename TIndex>
class RowMerger
{
public:
  RowMerger(const RunVolume & volume, const RowLinks & links)
    : m_Volume(volume)
    , m_Links(links)
    , m_Words(volume.WordsPerRow())
    , m_AreTransitive(links.AreTransitive())
    , m_ListsManyAtOnce(simd::ListsManyAtOnce())
  {
    if (!links.FollowForeground())
    {
      m_Candidates.resize(static_cast<std::size_t>(m_Words));
      m_Found.resize(static_cast<std::size_t>(m_Words));
      for (OwnRow * row : { &m_Same, &m_UndecidedLeft, &m_UndecidedRight })
      {
        row->Resize(m_Words);
      }
    }
  }

  bool
  HaveRuns(std::int64_t rowA, std::int64_t rowB) const
  {
    return m_Volume.FirstRun(rowA) != m_Volume.FirstRun(rowA + 1) &&
           m_Volume.FirstRun(rowB) != m_Volume.FirstRun(rowB + 1);
  }

  /** Calls `unite(runOfA, runOfB)` at least once for every pair of runs that other pairs do not join already. Call
   *  UnitePostponed after the last rows. */
  template <typename TUnite>
  void
  Merge(std::int64_t rowA, std::int64_t rowB, bool diagonal, TUnite unite)
  {
    Merge(rowA, rowB, diagonal, nullptr, nullptr, unite);
  }

  /** The same with two adjacent rows that imply links: links that follow the foreground join a and b wherever both
   *  adjacent rows are foreground, too. Their foreground may be null. */
  template <typename TUnite>
  void
  Merge(std::int64_t rowA, std::int64_t rowB, bool diagonal, const Word * besideA, const Word * besideB, TUnite unite)
  {
    if (!HaveRuns(rowA, rowB))
    {
      return;
    }
    if (m_Links.FollowForeground())
    {
      MergeForeground(rowA, rowB, diagonal, besideA, besideB, unite);
      return;
    }
    PackStraightLinks(m_Links, m_Volume, rowA, rowB, m_Candidates, m_Same.Data());
    UniteStraight(rowA, rowB, m_Same.Data(), unite);
    if (diagonal)
    {
      MergeDiagonals(rowA, rowB, m_Same.Data(), unite);
    }
  }

  template <typename TUnite>
  void
  UniteStraight(std::int64_t rowA, std::int64_t rowB, const Word * same, TUnite unite)
  {
    if constexpr (sizeof(TIndex) == sizeof(std::uint32_t))
    {
      if (m_ListsManyAtOnce)
      {
        auto countA = static_cast<std::uint32_t>(m_Volume.FirstRun(rowA));
        auto countB = static_cast<std::uint32_t>(m_Volume.FirstRun(rowB));
        for (std::int64_t w = 0; w < m_Words; w += simd::ListWords)
        {
          simd::ListStraightRuns({ m_Volume.StoredStarts(rowA) + w, m_Volume.StoredStarts(rowB) + w, same + w },
                                 w > 0 ? same[w - 1] : 0,
                                 static_cast<int>(std::min<std::int64_t>(simd::ListWords, m_Words - w)),
                                 countA,
                                 countB,
                                 m_Pairs);
          // Unions might write to the list's own count for all that the compiler knows; they do not write to this copy.
          const int count = m_Pairs.count;
          for (int i = 0; i < count; ++i)
          {
            unite(m_Pairs.a[i], m_Pairs.b[i]);
          }
        }
        return;
      }
    }
    UniteSame(rowA, rowB, same, same, unite);
  }

  /** Unites along the few `links` that repeat no pair of runs. `same` are all straight links of the two rows. */
  template <typename TUnite>
  void
  UniteSame(std::int64_t rowA, std::int64_t rowB, const Word * links, const Word * same, TUnite unite) const
  {
    const Word *  startsA = m_Volume.StoredStarts(rowA);
    const Word *  startsB = m_Volume.StoredStarts(rowB);
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    Word          previous = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      const Word repeated = FromLeft(same[w], previous) & ~startsA[w] & ~startsB[w];
      UniteBits(links[w] & ~repeated, startsA[w], countA, startsB[w], countB, unite);
      previous = same[w];
      countA += static_cast<std::uint64_t>(CountBits(startsA[w]));
      countB += static_cast<std::uint64_t>(CountBits(startsB[w]));
    }
  }

  /** Finds the links of row a to b[x - 1] and b[x + 1] and unites along them, some of them only in UnitePostponed.
   *  `same` are all straight links of the two rows except postponed ones; the words around them must be readable as
   *  in a RunVolume. The rows' runs must be joined along x. */
  template <typename TUnite>
  void
  MergeDiagonals(std::int64_t rowA, std::int64_t rowB, const Word * same, TUnite unite)
  {
    const simd::UndecidedDiagonals undecided{ m_UndecidedLeft.Data(), m_UndecidedRight.Data() };
    const simd::AnyDiagonals       any =
      simd::FindUndecidedDiagonals(BitsOf(rowA), BitsOf(rowB), same, m_Words, m_AreTransitive, undecided);
    LookAtDiagonals(rowA, rowB, undecided, any, unite);
  }

  simd::RowBits
  BitsOf(std::int64_t row) const
  {
    return { m_Volume.Foreground(row), m_Volume.StoredStarts(row), m_Volume.Below(row), m_Volume.Above(row) };
  }

  /** Looks at the pixels of undecided diagonals, now or later, and unites where they are links. */
  template <typename TUnite>
  void
  LookAtDiagonals(std::int64_t                     rowA,
                  std::int64_t                     rowB,
                  const simd::UndecidedDiagonals & undecided,
                  const simd::AnyDiagonals &       any,
                  TUnite                           unite)
  {
    const auto look = [&](int step, const Word * candidates) {
      if (!PostponeFew(rowA, rowB, step, candidates, unite))
      {
        m_Links.PackLinks(rowA, rowB, step, candidates, m_Found.data());
        UniteDiagonals(rowA, rowB, step, unite);
      }
    };
    if (any.left)
    {
      look(-1, undecided.left);
    }
    if (any.right)
    {
      look(1, undecided.right);
    }
  }

  /** Postpones candidates for links of row a to b[x + step] if few. \return false if many: better compared together */
  template <typename TUnite>
  bool
  PostponeFew(std::int64_t rowA, std::int64_t rowB, int step, const Word * candidates, TUnite unite)
  {
    int count = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      count += CountBits(candidates[w]);
    }
    if (count > FewCandidates)
    {
      return false;
    }
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      for (Word rest = candidates[w]; rest != 0; rest &= rest - 1)
      {
        const std::int64_t x = w * BitsPerWord + LowestBit(rest);
        Postpone(rowA, x, rowB, x + step);
      }
    }
    if (m_Postponed.size() >= ManyPostponed)
    {
      UnitePostponed(unite);
    }
    return true;
  }

  /** Unites along the postponed candidates that are links. */
  template <typename TUnite>
  void
  UnitePostponed(TUnite unite)
  {
    for (const Postponed & link : m_Postponed)
    {
      if (m_Links.AreJoined(VoxelAt(link.rowA, link.xA), VoxelAt(link.rowB, link.xB)))
      {
        UniteAt(link.rowA, link.xA, link.rowB, link.xB, unite);
      }
    }
    m_Postponed.clear();
  }

  template <typename TUnite>
  void
  UniteAt(std::int64_t rowA, std::int64_t xA, std::int64_t rowB, std::int64_t xB, TUnite unite) const
  {
    unite(static_cast<TIndex>(m_Volume.RunAt(rowA, xA)), static_cast<TIndex>(m_Volume.RunAt(rowB, xB)));
  }

  /** Keeps a candidate for UnitePostponed, and prefetches its pixels, which are mostly in no cache any more. */
  void
  Postpone(std::int64_t rowA, std::int64_t xA, std::int64_t rowB, std::int64_t xB)
  {
    m_Postponed.push_back({ rowA, rowB, xA, xB });
    m_Links.Prefetch(VoxelAt(rowA, xA));
    m_Links.Prefetch(VoxelAt(rowB, xB));
  }

private:
  static_assert(simd::DiagonalWords <= StoredBits::PaddingWords, "bits are read past the first and last row");

  /** A candidate for a link between two voxels. */
  struct Postponed
  {
    std::int64_t rowA;
    std::int64_t rowB;
    std::int64_t xA;
    std::int64_t xB;
  };
  static constexpr int         FewCandidates = 8;
  static constexpr std::size_t ManyPostponed = 256;

  std::int64_t
  VoxelAt(std::int64_t row, std::int64_t x) const
  {
    return row * m_Volume.GetExtent().RowLength() + x;
  }

  /** Unites the run of a[x] with the run of b for every bit x of `links`. `startsB` are the starts of row b, moved so
   *  that bit x is where the link from x ends; `countB` of them are before bit 0. */
  template <typename TUnite>
  static void
  UniteBits(Word links, Word startsA, std::uint64_t countA, Word startsB, std::uint64_t countB, TUnite unite)
  {
    for (; links != 0; links &= links - 1)
    {
      const Word upTo = links ^ (links - 1);
      unite(static_cast<TIndex>(countA + static_cast<std::uint64_t>(CountBits(startsA & upTo)) - 1),
            static_cast<TIndex>(countB + static_cast<std::uint64_t>(CountBits(startsB & upTo)) - 1));
    }
  }

  /** Unites the runs of a[x - 1] and b[x - 1] for every bit x of `links`; faster than UniteBits with moved starts. */
  template <typename TUnite>
  static void
  UniteBefore(Word links, Word startsA, std::uint64_t countA, Word startsB, std::uint64_t countB, TUnite unite)
  {
    for (; links != 0; links &= links - 1)
    {
      const Word before = (links - 1) & ~links;
      unite(static_cast<TIndex>(countA + static_cast<std::uint64_t>(CountBits(startsA & before)) - 1),
            static_cast<TIndex>(countB + static_cast<std::uint64_t>(CountBits(startsB & before)) - 1));
    }
  }

  template <typename TUnite>
  void
  MergeForeground(std::int64_t rowA,
                  std::int64_t rowB,
                  bool         diagonal,
                  const Word * besideA,
                  const Word * besideB,
                  TUnite       unite)
  {
    if (!diagonal && m_Volume.StartsFollowForeground())
    {
      if (besideA != nullptr)
      {
        MergeStretches<true>(rowA, rowB, besideA, besideB, unite);
      }
      else
      {
        MergeStretches<false>(rowA, rowB, nullptr, nullptr, unite);
      }
      return;
    }
    if constexpr (sizeof(TIndex) == sizeof(std::uint32_t))
    {
      // Few links are found as fast one by one.
      const std::uint64_t many = 6 * static_cast<std::uint64_t>(m_Words);
      const bool          hasMany = m_Volume.FirstRun(rowA + 1) - m_Volume.FirstRun(rowA) > many;
      if (hasMany && m_Volume.StartsFollowForeground())
      {
        ListForeground(rowA, rowB, besideA, besideB, unite);
        return;
      }
    }
    const Word *  bitsA = m_Volume.Foreground(rowA);
    const Word *  bitsB = m_Volume.Foreground(rowB);
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    WordWindow    a{ 0, 0, bitsA[0] };
    WordWindow    b{ 0, 0, bitsB[0] };
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      a.Advance(w + 1 < m_Words ? bitsA[w + 1] : 0);
      b.Advance(w + 1 < m_Words ? bitsB[w + 1] : 0);
      const Word            startsA = m_Volume.Starts(rowA, w);
      const Word            startsB = m_Volume.Starts(rowB, w);
      const ForegroundLinks links = LinksOf(a, b, startsA, startsB, besideA != nullptr ? besideA[w] & besideB[w] : 0);
      UniteBits(links.same, startsA, countA, startsB, countB, unite);
      if (diagonal)
      {
        // In both cases b[x] is background. So b[x-1] ends the run before x, and b[x+1] starts the run after it.
        UniteBits(links.left, startsA, countA, startsB, countB, unite);
        UniteBits(links.right, startsA, countA, startsB, countB + 1, unite);
      }
      countA += static_cast<std::uint64_t>(CountBits(startsA));
      countB += static_cast<std::uint64_t>(CountBits(startsB));
    }
  }

  /** MergeForeground without diagonals, where runs follow the foreground: a stretch of both rows has one pair of runs.
   *  \tparam VHasBeside  whether there are adjacent rows, which imply links */
  template <bool VHasBeside, typename TUnite>
  void
  MergeStretches(std::int64_t rowA, std::int64_t rowB, const Word * besideA, const Word * besideB, TUnite unite)
  {
    const Word *  bitsA = m_Volume.Foreground(rowA);
    const Word *  bitsB = m_Volume.Foreground(rowB);
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    Word          previousA = 0;
    Word          previousB = 0;
    // 1 if the word before ends in a stretch that no implied bit has met so far.
    Word isOpen = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      const Word a = bitsA[w];
      const Word b = bitsB[w];
      const Word startsA = a & ~FromLeft(a, previousA);
      const Word startsB = b & ~FromLeft(b, previousB);
      const Word both = a & b;
      const Word begins = both & ~FromLeft(both, previousA & previousB);
      const Word open = VHasBeside ? both & ~(besideA[w] & besideB[w]) : both;
      // A carry runs from the begin of a stretch past its end, unless it meets an implied bit.
      const Word carried = open + (open & begins) + isOpen;
      isOpen = carried < open ? 1 : 0;
      UniteBefore(carried & ~both, startsA, countA, startsB, countB, unite);
      countA += static_cast<std::uint64_t>(CountBits(startsA));
      countB += static_cast<std::uint64_t>(CountBits(startsB));
      previousA = a;
      previousB = b;
    }
    UniteBefore(isOpen, 0, countA, 0, countB, unite);
  }

  /** MergeForeground with diagonals, by vector code. */
  template <typename TUnite>
  void
  ListForeground(std::int64_t rowA, std::int64_t rowB, const Word * besideA, const Word * besideB, TUnite unite)
  {
    const Word *  bitsA = m_Volume.Foreground(rowA);
    const Word *  bitsB = m_Volume.Foreground(rowB);
    auto          countA = static_cast<std::uint32_t>(m_Volume.FirstRun(rowA));
    auto          countB = static_cast<std::uint32_t>(m_Volume.FirstRun(rowB));
    WordWindow    a{ 0, 0, bitsA[0] };
    WordWindow    b{ 0, 0, bitsB[0] };
    Word          same[simd::ListWords];
    Word          left[simd::ListWords];
    Word          right[simd::ListWords];
    std::uint32_t beforeA[simd::ListWords];
    std::uint32_t beforeB[simd::ListWords];
    for (std::int64_t first = 0; first < m_Words; first += simd::ListWords)
    {
      const auto count = static_cast<int>(std::min<std::int64_t>(simd::ListWords, m_Words - first));
      for (int i = 0; i < count; ++i)
      {
        const std::int64_t w = first + i;
        a.Advance(w + 1 < m_Words ? bitsA[w + 1] : 0);
        b.Advance(w + 1 < m_Words ? bitsB[w + 1] : 0);
        const Word            startsA = a.word & ~a.Left();
        const Word            startsB = b.word & ~b.Left();
        const ForegroundLinks links = LinksOf(a, b, startsA, startsB, besideA != nullptr ? besideA[w] & besideB[w] : 0);
        same[i] = links.same;
        left[i] = links.left;
        right[i] = links.right;
        beforeA[i] = countA;
        beforeB[i] = countB;
        countA += static_cast<std::uint32_t>(CountBits(startsA));
        countB += static_cast<std::uint32_t>(CountBits(startsB));
      }
      simd::ListLinkedRuns({ same, left, right },
                           { bitsA + first, beforeA },
                           { bitsB + first, beforeB },
                           first > 0,
                           m_Words - first,
                           count,
                           m_Pairs);
      for (int i = 0; i < m_Pairs.count; ++i)
      {
        unite(m_Pairs.a[i], m_Pairs.b[i]);
      }
    }
  }

  /** Unites along the links to b[x + step] in m_Found. */
  template <typename TUnite>
  void
  UniteDiagonals(std::int64_t rowA, std::int64_t rowB, int step, TUnite unite) const
  {
    const Word *  startsOfA = m_Volume.StoredStarts(rowA);
    const Word *  startsOfB = m_Volume.StoredStarts(rowB);
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    WordWindow    startsB{ 0, 0, startsOfB[0] };
    Word          previous = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      startsB.Advance(w + 1 < m_Words ? startsOfB[w + 1] : 0);
      const Word startsA = startsOfA[w];
      const Word found = m_Found[static_cast<std::size_t>(w)];
      const Word repeated = FromLeft(found, previous) & ~startsA & ~startsB.Beside(step);
      UniteBits(found & ~repeated,
                startsA,
                countA,
                startsB.Beside(step),
                step < 0 ? countB - (startsB.previous >> (BitsPerWord - 1)) : countB + (startsB.word & 1),
                unite);
      previous = found;
      countA += static_cast<std::uint64_t>(CountBits(startsA));
      countB += static_cast<std::uint64_t>(CountBits(startsB.word));
    }
  }

  const RunVolume & m_Volume;
  const RowLinks &  m_Links;
  std::int64_t      m_Words;
  bool              m_AreTransitive;
  bool              m_ListsManyAtOnce;
  std::vector<Word> m_Candidates;
  std::vector<Word> m_Found;
  OwnRow            m_Same;
  OwnRow            m_UndecidedLeft;
  OwnRow            m_UndecidedRight;
  simd::RunPairs    m_Pairs;
  /** Candidates whose pixels are on their way from the memory. */
  std::vector<Postponed> m_Postponed;
};

} // namespace brickccl
