// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/RowMarks.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Measuring/RowMarks-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "BrickCCL/Runs/RowWords-inl.h"

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

static_assert(RowWordsAtOnce <= MarkWords);

/** Some words of a row, and for each of their bits the bit before it. */
struct WordsOfRow
{
  HWY_INLINE
  WordsOfRow(const Word * words, const RowEnds & ends)
    : here(hn::LoadU(WordTag(), words))
    , before(ends.BitsBefore(here, words))
  {}

  WordVector here;
  WordVector before;
};

HWY_INLINE WordsOfRow
operator|(const WordsOfRow & a, const WordsOfRow & b)
{
  WordsOfRow either = a;
  either.here = hn::Or(a.here, b.here);
  either.before = hn::Or(a.before, b.before);
  return either;
}

HWY_INLINE WordsOfRow
operator&(const WordsOfRow & a, const WordsOfRow & b)
{
  WordsOfRow both = a;
  both.here = hn::And(a.here, b.here);
  both.before = hn::And(a.before, b.before);
  return both;
}

/** The bits at which intervals begin. */
HWY_INLINE WordVector
BeginsOf(const WordsOfRow & words)
{
  return hn::AndNot(words.before, words.here);
}

void
MarkIntervalsOf(const RowSurroundings & rows, std::int64_t words, RowMarks marks)
{
  const WordTag tag;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds ends(w, words);
    const auto    at = [&](int y, int z) HWY_ATTR { return WordsOfRow(rows.at[1 + y][1 + z] + w, ends); };
    const auto    mark = [&](int kind, WordVector bits)
                        HWY_ATTR { hn::StoreU(bits, tag, marks.words + kind * marks.stride + w); };
    const WordsOfRow own = at(0, 0);
    const WordsOfRow beforeY = at(-1, 0);
    const WordsOfRow behindY = at(1, 0);
    const WordsOfRow beforeZ = at(0, -1);
    const WordsOfRow behindZ = at(0, 1);
    const WordsOfRow beforeBoth = at(-1, -1);
    mark(IntervalKinds::Own, BeginsOf(own));

    // The last of several rows that holds the voxel gets the mark.
    const auto first = [&](int kind, const WordsOfRow & all) HWY_ATTR { mark(kind, hn::And(BeginsOf(all), own.here)); };
    const auto butFor = [&](int kind, const WordsOfRow & all, WordVector later)
                          HWY_ATTR { mark(kind, hn::AndNot(later, hn::And(BeginsOf(all), own.here))); };
    const WordsOfRow alongBehindZ = own | behindZ;
    const WordsOfRow alongBeforeZ = own | beforeZ;
    const WordsOfRow behindYBeforeZ = at(1, -1);
    const WordsOfRow beforeYBehindZ = at(-1, 1);
    const WordsOfRow behindBoth = at(1, 1);
    first(IntervalKinds::OfFour, alongBeforeZ | (beforeY | beforeBoth));
    butFor(IntervalKinds::OfFour + 1, alongBeforeZ | (behindY | behindYBeforeZ), behindY.here);
    butFor(IntervalKinds::OfFour + 2,
           alongBehindZ | (beforeY | beforeYBehindZ),
           hn::Or(behindZ.here, beforeYBehindZ.here));
    butFor(IntervalKinds::OfFour + 3,
           alongBehindZ | (behindY | behindBoth),
           hn::Or(behindY.here, hn::Or(behindZ.here, behindBoth.here)));
    first(IntervalKinds::OfTwo, own | beforeY);
    butFor(IntervalKinds::OfTwo + 1, own | behindY, behindY.here);
    first(IntervalKinds::OfTwo + 2, alongBeforeZ);
    butFor(IntervalKinds::OfTwo + 3, alongBehindZ, behindZ.here);

    const WordsOfRow sharedY = own & beforeY;
    mark(IntervalKinds::SharedByTwo, BeginsOf(sharedY));
    mark(IntervalKinds::SharedByTwo + 1, BeginsOf(own & beforeZ));
    mark(IntervalKinds::SharedByFour, BeginsOf(sharedY & (beforeZ & beforeBoth)));
  }
}

void
MarkPairsOf(const Word * own, const Word * const * others, std::int64_t words, RowMarks marks)
{
  const WordTag tag;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds ends(w, words);
    const auto    mark = [&](std::size_t kind, WordVector bits) HWY_ATTR {
      hn::StoreU(bits, tag, marks.words + static_cast<std::int64_t>(kind) * marks.stride + w);
    };
    mark(PairKinds::Own, WordsOfRow(own + w, ends).before);
    for (int row = 0; row < PairRows; ++row)
    {
      const WordsOfRow there(others[row] + w, ends);
      mark(PairKinds::Of(row, -1), there.before);
      mark(PairKinds::Of(row, 0), there.here);
      mark(PairKinds::Of(row, 1), ends.BitsBehind(there.here, others[row] + w));
    }
  }
}

void
CountMarksOf(const CountedRun * runs, std::size_t runCount, RowMarks marks, int kinds)
{
  for (const CountedRun * run = runs; run != runs + runCount; ++run)
  {
    const std::int64_t first = run->begin / BitsPerWord;
    const std::int64_t last = (run->end - 1) / BitsPerWord;
    const Word         fromFirst = ~Word{ 0 } << run->begin % BitsPerWord;
    const Word         upToLast = BitsUpTo(static_cast<int>((run->end - 1) % BitsPerWord));
    const Word *       row = marks.words;
    if (first == last)
    {
      const Word under = fromFirst & upToLast;
      for (int kind = 0; kind < kinds; ++kind, row += marks.stride)
      {
        run->counts[kind] += static_cast<std::uint64_t>(CountBits(row[first] & under));
      }
      continue;
    }
    for (int kind = 0; kind < kinds; ++kind, row += marks.stride)
    {
      std::int64_t count = CountBits(row[first] & fromFirst) + CountBits(row[last] & upToLast);
      for (std::int64_t w = first + 1; w < last; ++w)
      {
        count += CountBits(row[w]);
      }
      run->counts[kind] += static_cast<std::uint64_t>(count);
    }
  }
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(MarkIntervalsOf);
HWY_EXPORT(MarkPairsOf);
HWY_EXPORT(CountMarksOf);

void
MarkIntervals(const RowSurroundings & rows, std::int64_t words, RowMarks marks)
{
  HWY_DYNAMIC_DISPATCH(MarkIntervalsOf)(rows, words, marks);
}

void
MarkPairs(const Word * own, const Word * const * others, std::int64_t words, RowMarks marks)
{
  HWY_DYNAMIC_DISPATCH(MarkPairsOf)(own, others, words, marks);
}

void
CountMarks(const CountedRun * runs, std::size_t runCount, RowMarks marks, int kinds)
{
  HWY_DYNAMIC_DISPATCH(CountMarksOf)(runs, runCount, marks, kinds);
}

} // namespace brickccl::simd

#endif
