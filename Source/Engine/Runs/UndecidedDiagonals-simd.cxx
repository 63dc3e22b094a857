// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/UndecidedDiagonals.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Runs/UndecidedDiagonals-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "BrickCCL/Runs/RowWords-inl.h"

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

static_assert(RowWordsAtOnce <= DiagonalWords);

/** Some words of a row, and for each of their bits the bits one step before and behind it. */
struct WordsAround
{
  WordVector here;
  WordVector before;
  WordVector behind;
};

HWY_INLINE WordsAround
LoadAround(const Word * words, const RowEnds & ends)
{
  const WordVector here = hn::LoadU(WordTag(), words);
  return { here, ends.BitsBefore(here, words), ends.BitsBehind(here, words) };
}

/** (p and q) or (r and s). */
HWY_INLINE WordsAround
EitherBoth(const WordsAround & p, const WordsAround & q, const WordsAround & r, const WordsAround & s)
{
  return { hn::OrAnd(hn::And(p.here, q.here), r.here, s.here),
           hn::OrAnd(hn::And(p.before, q.before), r.before, s.before),
           hn::OrAnd(hn::And(p.behind, q.behind), r.behind, s.behind) };
}

/** Decisions on links besides straight and continuing ones: none, by separated voxels, or as links are transitive. */
enum class Known
{
  Nothing,
  Separated,
  Transitive
};

/** Some words of a row's foreground, whether runs continue in and one step after them, and known separated voxels. */
template <Known VKnown>
struct RowVectors
{
  WordsAround foreground;
  WordVector  goesOn;
  WordVector  next;
};

template <>
struct RowVectors<Known::Separated>
{
  WordsAround foreground;
  WordVector  goesOn;
  WordVector  next;
  WordsAround below;
  WordsAround above;
};

template <Known VKnown>
HWY_INLINE RowVectors<VKnown>
           LoadRow(const RowBits & row, std::int64_t w, const RowEnds & ends)
{
  const WordsAround around = LoadAround(row.foreground + w, ends);
  const WordVector  starts = hn::LoadU(WordTag(), row.starts + w);
  const WordsAround foreground = { ends.Own(around.here), around.before, around.behind };
  const WordVector  goesOn = hn::AndNot(starts, around.here);
  const WordVector  next = hn::AndNot(ends.BitsBehind(starts, row.starts + w), around.behind);
  if constexpr (VKnown == Known::Separated)
  {
    return { foreground, goesOn, next, LoadAround(row.below + w, ends), LoadAround(row.above + w, ends) };
  }
  else
  {
    return { foreground, goesOn, next };
  }
}

struct AnyVectors
{
  HWY_INLINE
  AnyVectors()
    : left(hn::Zero(WordTag()))
    , right(left)
  {}

  WordVector left;
  WordVector right;
};

HWY_INLINE bool
IsAny(WordVector any)
{
  return !hn::AllTrue(WordTag(), hn::Eq(any, hn::Zero(WordTag())));
}

HWY_INLINE AnyDiagonals
ToAny(const AnyVectors & any)
{
  return { IsAny(any.left), IsAny(any.right) };
}

/** Which links one step to the left and to the right are decided. */
struct KnownVectors
{
  WordVector left;
  WordVector right;
};

/** Decides by the straight links between two rows, or because voxels are separated. */
template <Known VKnown>
HWY_INLINE KnownVectors
KnownBetween(const RowVectors<VKnown> & a, const RowVectors<VKnown> & b, const WordsAround & same)
{
  if constexpr (VKnown == Known::Transitive)
  {
    return { hn::Or(hn::Or(a.goesOn, b.goesOn), hn::Or(same.here, same.before)),
             hn::Or(hn::Or(a.next, b.next), hn::Or(same.here, same.behind)) };
  }
  else
  {
    KnownVectors known{ hn::OrAnd(hn::And(same.here, b.goesOn), same.before, a.goesOn),
                        hn::OrAnd(hn::And(same.here, b.next), same.behind, a.next) };
    if constexpr (VKnown == Known::Separated)
    {
      known.left = hn::OrAnd(hn::OrAnd(known.left, a.below.here, b.above.before), a.above.here, b.below.before);
      known.right = hn::OrAnd(hn::OrAnd(known.right, a.below.here, b.above.behind), a.above.here, b.below.behind);
    }
    return known;
  }
}

/** Decides transitive links by a third row whose run continues between the columns, with links to one or both rows. */
HWY_INLINE KnownVectors
KnownBy(const RowVectors<Known::Transitive> & third, const WordsAround & toA, const WordsAround & toB)
{
  return { hn::And(third.goesOn, hn::Or(toA.here, toB.before)), hn::And(third.next, hn::Or(toA.here, toB.behind)) };
}

template <Known VKnown>
HWY_INLINE void
FindUndecided(const RowVectors<VKnown> & a,
              const RowVectors<VKnown> & b,
              const KnownVectors &       known,
              std::int64_t               w,
              const UndecidedDiagonals & undecided,
              AnyVectors &               any)
{
  const WordVector left = hn::AndNot(known.left, hn::And(a.foreground.here, b.foreground.before));
  const WordVector right = hn::AndNot(known.right, hn::And(a.foreground.here, b.foreground.behind));
  any.left = hn::Or(any.left, left);
  any.right = hn::Or(any.right, right);
  hn::StoreU(left, WordTag(), undecided.left + w);
  hn::StoreU(right, WordTag(), undecided.right + w);
}

template <Known VKnown>
HWY_INLINE AnyDiagonals
FindInPair(const RowBits &            a,
           const RowBits &            b,
           const Word *               same,
           std::int64_t               words,
           const UndecidedDiagonals & undecided)
{
  AnyVectors any;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(WordTag())))
  {
    const RowEnds ends(w, words);
    const auto    rowA = LoadRow<VKnown>(a, w, ends);
    const auto    rowB = LoadRow<VKnown>(b, w, ends);
    FindUndecided(rowA, rowB, KnownBetween(rowA, rowB, LoadAround(same + w, ends)), w, undecided, any);
  }
  return ToAny(any);
}

/** The links along the side b that the other three sides do not imply; see SquareLink. */
template <Known VKnown>
HWY_INLINE WordVector
LastSidesOf(const RowVectors<VKnown> & here,
            const RowVectors<VKnown> & behind,
            const WordsAround &        b,
            WordVector                 otherSides,
            const RowEnds &            ends)
{
  const WordVector last = hn::AndNot(hn::And(b.behind, hn::And(here.next, behind.next)), b.here);
  const WordVector implied = hn::And(otherSides, b.here);
  // A carry runs from an implied column through the later columns of the same pair of runs.
  const WordVector goesOn = hn::And(hn::And(b.here, b.before), hn::And(here.goesOn, behind.goesOn));
  const WordVector others = hn::AndNot(implied, goesOn);
  const WordVector reached = hn::AndNot(hn::Add(others, hn::And(hn::ShiftLeft<1>(implied), others)), others);
  return ends.Own(hn::AndNot(hn::Or(implied, reached), last));
}

template <Known VKnown>
HWY_INLINE WordVector
UndecidedBetween(const RowVectors<VKnown> & from, const RowVectors<VKnown> & to, WordVector anySide, WordVector joined)
{
  WordVector known = VKnown == Known::Transitive ? anySide : joined;
  if constexpr (VKnown == Known::Separated)
  {
    known = hn::OrAnd(hn::OrAnd(known, from.below.here, to.above.here), from.above.here, to.below.here);
  }
  return hn::AndNot(known, hn::And(from.foreground.here, to.foreground.here));
}

HWY_INLINE KnownVectors
Either(const KnownVectors & p, const KnownVectors & q, const KnownVectors & r)
{
  return { hn::Or(p.left, hn::Or(q.left, r.left)), hn::Or(p.right, hn::Or(q.right, r.right)) };
}

template <Known VKnown, typename TSink>
HWY_INLINE void
PutDiagonals(TSink &                    sink,
             SquareLink                 left,
             SquareLink                 right,
             const RowVectors<VKnown> & from,
             const RowVectors<VKnown> & to,
             const KnownVectors &       known,
             std::int64_t               w)
{
  sink.Put(left, hn::AndNot(known.left, hn::And(from.foreground.here, to.foreground.before)), w);
  sink.Put(right, hn::AndNot(known.right, hn::And(from.foreground.here, to.foreground.behind)), w);
}

/** Two rows side by side along z, and the links between them. */
template <Known VKnown>
struct RowPair
{
  RowVectors<VKnown> row;
  RowVectors<VKnown> behind;
  WordsAround        between;
};

template <Known VKnown>
HWY_INLINE RowPair<VKnown>
LoadPair(const RowBits & row, const RowBits & behind, const Word * between, std::int64_t w, const RowEnds & ends)
{
  return { LoadRow<VKnown>(row, w, ends), LoadRow<VKnown>(behind, w, ends), LoadAround(between + w, ends) };
}

/** Some words of a square: two pairs of rows, and the links between the pairs along y. */
template <Known VKnown>
struct SquareWords
{
  const RowPair<VKnown> & own;
  const RowPair<VKnown> & before;
  WordsAround             a;
  WordsAround             d;
  const RowEnds &         ends;
};

/** Gives what FindUndecidedInSquare finds in some words to a sink, which names the first word by w. */
template <Known VKnown, typename TSink>
HWY_INLINE void
FindInWords(const SquareWords<VKnown> & square, std::int64_t w, TSink & sink)
{
  const RowVectors<VKnown> & here = square.own.row;
  const RowVectors<VKnown> & behind = square.own.behind;
  const RowVectors<VKnown> & up = square.before.row;
  const RowVectors<VKnown> & across = square.before.behind;
  const WordsAround &        a = square.a;
  const WordsAround &        b = square.own.between;
  const WordsAround &        c = square.before.between;
  const WordsAround &        d = square.d;
  sink.Put(SquareLink::LastSide,
           LastSidesOf(here, behind, b, hn::And(hn::And(a.here, c.here), d.here), square.ends),
           w);
  PutDiagonals(sink, SquareLink::UpLeft, SquareLink::UpRight, here, up, KnownBetween(here, up, a), w);
  PutDiagonals(sink, SquareLink::BehindLeft, SquareLink::BehindRight, here, behind, KnownBetween(here, behind, b), w);
  const WordVector  anySide = hn::Or(hn::Or(a.here, b.here), hn::Or(c.here, d.here));
  const WordsAround joinedAcross = EitherBoth(a, c, b, d);
  const WordsAround joinedBetween = EitherBoth(a, b, c, d);
  sink.Put(SquareLink::Across, UndecidedBetween(here, across, anySide, joinedAcross.here), w);
  sink.Put(SquareLink::Between, UndecidedBetween(up, behind, anySide, joinedBetween.here), w);
  sink.PutJoined(joinedAcross.here, joinedBetween.here, w);
  if constexpr (VKnown == Known::Transitive)
  {
    PutDiagonals(sink,
                 SquareLink::AcrossLeft,
                 SquareLink::AcrossRight,
                 here,
                 across,
                 Either(KnownBy(up, a, c), KnownBy(behind, b, d), KnownBetween(here, across, joinedAcross)),
                 w);
    PutDiagonals(sink,
                 SquareLink::BetweenLeft,
                 SquareLink::BetweenRight,
                 up,
                 behind,
                 Either(KnownBy(here, a, b), KnownBy(across, c, d), KnownBetween(up, behind, joinedBetween)),
                 w);
  }
}

/** Calls `find(square, i, w)` for the words from w on of the i-th square of a strip. It takes some words of all squares
 *  at a time, since a square shares two rows with the next one. */
template <Known VKnown, typename TFind>
HWY_INLINE void
ForSquaresOf(const SquareStrip & strip, const TFind & find)
{
  const SquareRows & rows = strip.rows;
  for (std::int64_t w = 0; w < strip.words; w += static_cast<std::int64_t>(hn::Lanes(WordTag())))
  {
    const RowEnds ends(w, strip.words);
    auto          before = LoadPair<VKnown>(rows.up, rows.across, rows.c, w, ends);
    for (std::int64_t i = 0, at = w;; at += strip.words)
    {
      const auto own = LoadPair<VKnown>(rows.here, rows.behind, rows.b, at, ends);
      find(SquareWords<VKnown>{ own, before, LoadAround(rows.a + at, ends), LoadAround(rows.d + at, ends), ends },
           i,
           w);
      if (++i == strip.count)
      {
        break;
      }
      before = own;
    }
  }
}

struct StoringSink
{
  const UndecidedInSquare & undecided;
  SquareLinkSet             some;

  HWY_INLINE void
  Put(SquareLink link, WordVector found, std::int64_t w)
  {
    const WordTag tag;
    hn::StoreU(found, tag, undecided.of[static_cast<int>(link)] + w);
    some |= hn::AllTrue(tag, hn::Eq(found, hn::Zero(tag))) ? 0 : SetOf(link);
  }
  HWY_INLINE void
  PutJoined(WordVector across, WordVector between, std::int64_t w)
  {
    hn::StoreU(across, WordTag(), undecided.joinedAcross + w);
    hn::StoreU(between, WordTag(), undecided.joinedBetween + w);
  }
};

struct ListingSink
{
  SquareLinkSet kinds;
  WordList      sides;
  WordList      others;

  HWY_INLINE void
  Put(SquareLink link, WordVector found, std::int64_t w)
  {
    if ((kinds & SetOf(link)) != 0)
    {
      AppendWords(found, w, static_cast<int>(link), link == SquareLink::LastSide ? sides : others);
    }
  }
  HWY_INLINE void
  PutJoined(WordVector, WordVector, std::int64_t)
  {}
};

template <Known VKnown>
HWY_INLINE SquareLinkSet
StoreInSquare(const SquareRows & rows, std::int64_t words, const UndecidedInSquare & undecided)
{
  StoringSink sink{ undecided, 0 };
  ForSquaresOf<VKnown>({ rows, words, 1, 0 },
                       [&](const auto & square, std::int64_t, std::int64_t w) { FindInWords(square, w, sink); });
  return sink.some;
}

void
ListOpenInSquaresOf(const SquareStrip & strip, SquareLinkSet kinds, WordList & sides, WordList & others)
{
  ListingSink sink{ kinds, sides, others };
  if (kinds == SetOf(SquareLink::LastSide))
  {
    ForSquaresOf<Known::Nothing>(strip, [&](const auto & square, std::int64_t i, std::int64_t w) {
      const auto &     own = square.own;
      const WordVector otherSides = hn::And(hn::And(square.a.here, square.before.between.here), square.d.here);
      sink.Put(SquareLink::LastSide,
               LastSidesOf(own.row, own.behind, own.between, otherSides, square.ends),
               WordInRows(strip.firstRow + i, w));
    });
  }
  else
  {
    ForSquaresOf<Known::Transitive>(strip, [&](const auto & square, std::int64_t i, std::int64_t w) {
      FindInWords(square, WordInRows(strip.firstRow + i, w), sink);
    });
  }
  sides = sink.sides;
  others = sink.others;
}

AnyDiagonals
FindUndecidedDiagonalsOf(const RowBits &            a,
                         const RowBits &            b,
                         const Word *               same,
                         std::int64_t               words,
                         bool                       areTransitive,
                         const UndecidedDiagonals & undecided)
{
  if (areTransitive)
  {
    return FindInPair<Known::Transitive>(a, b, same, words, undecided);
  }
  return a.below != nullptr ? FindInPair<Known::Separated>(a, b, same, words, undecided)
                            : FindInPair<Known::Nothing>(a, b, same, words, undecided);
}

SquareLinkSet
FindUndecidedInSquareOf(const SquareRows &        rows,
                        std::int64_t              words,
                        bool                      areTransitive,
                        const UndecidedInSquare & undecided)
{
  if (areTransitive)
  {
    return StoreInSquare<Known::Transitive>(rows, words, undecided);
  }
  return rows.here.below != nullptr ? StoreInSquare<Known::Separated>(rows, words, undecided)
                                    : StoreInSquare<Known::Nothing>(rows, words, undecided);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FindUndecidedDiagonalsOf);
HWY_EXPORT(FindUndecidedInSquareOf);
HWY_EXPORT(ListOpenInSquaresOf);

AnyDiagonals
FindUndecidedDiagonals(const RowBits &            a,
                       const RowBits &            b,
                       const Word *               same,
                       std::int64_t               words,
                       bool                       areTransitive,
                       const UndecidedDiagonals & undecided)
{
  return HWY_DYNAMIC_DISPATCH(FindUndecidedDiagonalsOf)(a, b, same, words, areTransitive, undecided);
}

SquareLinkSet
FindUndecidedInSquare(const SquareRows &        rows,
                      std::int64_t              words,
                      bool                      areTransitive,
                      const UndecidedInSquare & undecided)
{
  return HWY_DYNAMIC_DISPATCH(FindUndecidedInSquareOf)(rows, words, areTransitive, undecided);
}

void
ListUndecidedInSquares(const SquareStrip & strip, SquareLinkSet kinds, WordList & sides, WordList & others)
{
  HWY_DYNAMIC_DISPATCH(ListOpenInSquaresOf)(strip, kinds, sides, others);
}

} // namespace brickccl::simd

#endif
