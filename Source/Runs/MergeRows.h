#ifndef BRICKCCL_RUNS_MERGEROWS_H
#define BRICKCCL_RUNS_MERGEROWS_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <vector>

namespace brickccl
{

/** A step to a neighbouring row: how far it lies, and which rows have it. */
struct RowStep
{
  RowOffset    offset;
  std::int64_t distance = 0;

  RowStep(const RowOffset & rowOffset, const Extent & extent)
    : offset(rowOffset)
  {
    std::int64_t stride = 1;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      distance -= offset.step[axis - 1] * stride;
      stride *= extent.size[axis];
    }
  }

  bool
  ExistsFrom(const RowPosition & position, const Extent & extent) const
  {
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1] + offset.step[axis - 1];
      if (at < 0 || at >= extent.size[axis])
      {
        return false;
      }
    }
    return true;
  }
};

/** The steps to the neighbouring rows that raster order visits earlier. */
inline std::vector<RowStep>
BackwardRowSteps(const Connectivity & connectivity, const Extent & extent)
{
  std::vector<RowStep> steps;
  for (const RowOffset & offset : connectivity.BackwardRows())
  {
    steps.emplace_back(offset, extent);
  }
  return steps;
}

/** Finds the pairs of runs that touch in two neighbouring rows, 64 voxels at a time.
 *
 *  Row a lies under row b. Links are bits of row a: `same` joins a[x] to b[x], `left` to b[x-1], `right` to b[x+1].
 *
 *        b    x-1  x  x+1
 *               \  |  /
 *        a         x
 *
 *  All voxels of a run belong together, so a link says nothing new if it joins the runs of the link one step to the
 *  left, or if a `same` link beside a diagonal one joins its two runs already. Only the other links are united. */
template <typename TIndex>
class RowMerger
{
public:
  RowMerger(const RunVolume & volume, const RowLinks & links)
    : m_Volume(volume)
    , m_Links(links)
    , m_Words(volume.WordsPerRow())
  {
    if (!links.FollowForeground())
    {
      for (std::vector<Word> * bits : { &m_Candidates, &m_Same, &m_Left, &m_Right })
      {
        bits->resize(static_cast<std::size_t>(m_Words));
      }
    }
  }

  /** Calls `unite(runOfA, runOfB)` at least once for every pair of runs that the links do not already join through
   *  other pairs. */
  template <typename TUnite>
  void
  Merge(std::int64_t rowA, std::int64_t rowB, bool diagonal, TUnite unite)
  {
    const std::uint64_t runsA = m_Volume.FirstRun(rowA + 1) - m_Volume.FirstRun(rowA);
    const std::uint64_t runsB = m_Volume.FirstRun(rowB + 1) - m_Volume.FirstRun(rowB);
    if (runsA == 0 || runsB == 0)
    {
      return;
    }
    if (m_Links.FollowForeground())
    {
      MergeForeground(rowA, rowB, diagonal, unite);
    }
    else if (m_Links.HasRunKeys() && runsA + runsB < ManyRuns * static_cast<std::uint64_t>(m_Words))
    {
      MergeKeys(rowA, rowB, diagonal, unite);
    }
    else
    {
      MergeLinks(rowA, rowB, diagonal, unite);
    }
  }

private:
  /** From so many runs a word on, of both rows, it is faster to compare all voxels than the runs. */
  static constexpr std::uint64_t ManyRuns = 16;

  /** A word of a bit row with its neighbours, zero outside of the row. */
  struct Window
  {
    Word previous;
    Word word;
    Word next;

    Word
    Left() const
    {
      return FromLeft(word, previous);
    }
    Word
    Right() const
    {
      return FromRight(word, next);
    }
    void
    Advance(Word after)
    {
      previous = word;
      word = next;
      next = after;
    }
  };

  Word
  StartsAt(std::int64_t row, std::int64_t w) const
  {
    return w < m_Words ? m_Volume.Starts(row, w) : 0;
  }

  /** Unites the run of a[x] with that of b for every bit x of `links`. `startsB` are the starts of row b, shifted
   *  so that bit x stands where the link from x ends; `countB` of them lie before bit 0. */
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

  template <typename TUnite>
  void
  MergeForeground(std::int64_t rowA, std::int64_t rowB, bool diagonal, TUnite unite) const
  {
    const Word *  bitsA = m_Volume.Foreground(rowA);
    const Word *  bitsB = m_Volume.Foreground(rowB);
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    Window        a{ 0, 0, bitsA[0] };
    Window        b{ 0, 0, bitsB[0] };
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      a.Advance(w + 1 < m_Words ? bitsA[w + 1] : 0);
      b.Advance(w + 1 < m_Words ? bitsB[w + 1] : 0);
      const Word startsA = m_Volume.Starts(rowA, w);
      const Word startsB = m_Volume.Starts(rowB, w);
      const Word same = a.word & b.word;
      const Word repeated = FromLeft(same, a.previous & b.previous) & ~startsA & ~startsB;
      UniteBits(same & ~repeated, startsA, countA, startsB, countB, unite);
      if (diagonal)
      {
        const Word left = a.word & b.Left() & ~b.word & ~a.Left();
        const Word right = a.word & b.Right() & ~b.word & ~a.Right();
        // b[x] is background in both cases, so b[x-1] ends the run before x, and b[x+1] starts the one after it.
        UniteBits(left, startsA, countA, startsB, countB, unite);
        UniteBits(right, startsA, countA, startsB, countB + 1, unite);
      }
      countA += static_cast<std::uint64_t>(CountBits(startsA));
      countB += static_cast<std::uint64_t>(CountBits(startsB));
    }
  }

  /** Where keys tell which runs are joined, two runs are joined at every column that they share or at none, so that the
   *  first such column answers; and a diagonal pair says more only where a run ends or starts on both sides. */
  template <typename TUnite>
  void
  MergeKeys(std::int64_t rowA, std::int64_t rowB, bool diagonal, TUnite unite) const
  {
    const Word *          bitsA = m_Volume.Foreground(rowA);
    const Word *          bitsB = m_Volume.Foreground(rowB);
    const std::uint64_t   firstA = m_Volume.FirstRun(rowA);
    const std::uint64_t   firstB = m_Volume.FirstRun(rowB);
    const std::uint64_t * keysA = m_Volume.KeysOfRow(rowA) - firstA;
    const std::uint64_t * keysB = m_Volume.KeysOfRow(rowB) - firstB;
    const auto            uniteIfSame = [&](TIndex runA, TIndex runB) {
      if (keysA[runA] == keysB[runB])
      {
        unite(runA, runB);
      }
    };
    std::uint64_t countA = firstA;
    std::uint64_t countB = firstB;
    Window        a{ 0, 0, bitsA[0] };
    Window        b{ 0, 0, bitsB[0] };
    Window        startsA{ 0, 0, StartsAt(rowA, 0) };
    Window        startsB{ 0, 0, StartsAt(rowB, 0) };
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      a.Advance(w + 1 < m_Words ? bitsA[w + 1] : 0);
      b.Advance(w + 1 < m_Words ? bitsB[w + 1] : 0);
      startsA.Advance(StartsAt(rowA, w + 1));
      startsB.Advance(StartsAt(rowB, w + 1));
      UniteBits(a.word & b.word & (startsA.word | startsB.word),
                startsA.word,
                countA,
                startsB.word,
                countB,
                uniteIfSame);
      if (diagonal)
      {
        UniteBits(startsA.word & b.Left() & ~(b.word & ~startsB.word),
                  startsA.word,
                  countA,
                  startsB.Left(),
                  countB - (startsB.previous >> (BitsPerWord - 1)),
                  uniteIfSame);
        const Word goOn = (a.Right() & ~startsA.Right()) | (b.Right() & ~startsB.Right());
        UniteBits(a.word & b.Right() & ~goOn,
                  startsA.word,
                  countA,
                  startsB.Right(),
                  countB + (startsB.word & 1),
                  uniteIfSame);
      }
      countA += static_cast<std::uint64_t>(CountBits(startsA.word));
      countB += static_cast<std::uint64_t>(CountBits(startsB.word));
    }
  }

  template <typename TUnite>
  void
  MergeLinks(std::int64_t rowA, std::int64_t rowB, bool diagonal, TUnite unite)
  {
    PackStraightLinks(rowA, rowB);
    if (diagonal)
    {
      PackDiagonalLinks(rowA, rowB, -1, m_Left);
      PackDiagonalLinks(rowA, rowB, 1, m_Right);
    }
    std::uint64_t countA = m_Volume.FirstRun(rowA);
    std::uint64_t countB = m_Volume.FirstRun(rowB);
    Window        startsA{ 0, 0, StartsAt(rowA, 0) };
    Window        startsB{ 0, 0, StartsAt(rowB, 0) };
    Window        same{ 0, 0, m_Same[0] };
    Word          previousLeft = 0;
    Word          previousRight = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      const auto at = static_cast<std::size_t>(w);
      startsA.Advance(StartsAt(rowA, w + 1));
      startsB.Advance(StartsAt(rowB, w + 1));
      same.Advance(w + 1 < m_Words ? m_Same[at + 1] : 0);
      const Word repeated = same.Left() & ~startsA.word & ~startsB.word;
      UniteBits(same.word & ~repeated, startsA.word, countA, startsB.word, countB, unite);
      if (diagonal)
      {
        const Word left = m_Left[at];
        const Word leftRepeated = FromLeft(left, previousLeft) & ~startsA.word & ~startsB.Left();
        UniteBits(left & ~leftRepeated,
                  startsA.word,
                  countA,
                  startsB.Left(),
                  countB - (startsB.previous >> (BitsPerWord - 1)),
                  unite);
        const Word right = m_Right[at];
        const Word rightRepeated = FromLeft(right, previousRight) & ~startsA.word & ~startsB.Right();
        UniteBits(right & ~rightRepeated, startsA.word, countA, startsB.Right(), countB + (startsB.word & 1), unite);
        previousLeft = left;
        previousRight = right;
      }
      countA += static_cast<std::uint64_t>(CountBits(startsA.word));
      countB += static_cast<std::uint64_t>(CountBits(startsB.word));
    }
  }

  /** The links of row a to b[x]. */
  void
  PackStraightLinks(std::int64_t rowA, std::int64_t rowB)
  {
    const Word * a = m_Volume.Foreground(rowA);
    const Word * b = m_Volume.Foreground(rowB);
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      m_Candidates[static_cast<std::size_t>(w)] = a[w] & b[w];
    }
    m_Links.PackLinks(rowA, rowB, 0, m_Candidates.data(), m_Same.data());
  }

  /** The links of row a to b[x + step], step -1 or 1, but for those that straight links imply: where the run of b goes
   *  on to x, or that of a comes from x + step. */
  void
  PackDiagonalLinks(std::int64_t rowA, std::int64_t rowB, int step, std::vector<Word> & links)
  {
    const Word * bitsA = m_Volume.Foreground(rowA);
    const Word * bitsB = m_Volume.Foreground(rowB);
    Window       b{ 0, 0, bitsB[0] };
    Window       same{ 0, 0, m_Same[0] };
    Window       startsA{ 0, 0, StartsAt(rowA, 0) };
    Window       startsB{ 0, 0, StartsAt(rowB, 0) };
    Word         any = 0;
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      b.Advance(w + 1 < m_Words ? bitsB[w + 1] : 0);
      same.Advance(w + 1 < m_Words ? m_Same[static_cast<std::size_t>(w) + 1] : 0);
      startsA.Advance(StartsAt(rowA, w + 1));
      startsB.Advance(StartsAt(rowB, w + 1));
      const Word there = step < 0 ? b.Left() : b.Right();
      const Word known = step < 0 ? (same.word & ~startsB.word) | (same.Left() & ~startsA.word)
                                  : (same.word & ~startsB.Right()) | (same.Right() & ~startsA.Right());
      const Word candidates = bitsA[w] & there & ~known;
      m_Candidates[static_cast<std::size_t>(w)] = candidates;
      any |= candidates;
    }
    if (any == 0)
    {
      std::fill(links.begin(), links.end(), Word{ 0 });
      return;
    }
    m_Links.PackLinks(rowA, rowB, step, m_Candidates.data(), links.data());
  }

  const RunVolume & m_Volume;
  const RowLinks &  m_Links;
  std::int64_t      m_Words;
  std::vector<Word> m_Candidates;
  std::vector<Word> m_Same;
  std::vector<Word> m_Left;
  std::vector<Word> m_Right;
};

} // namespace brickccl

#endif
