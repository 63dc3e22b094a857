#include "BrickCCL/Simd/OpenDiagonals.h"

#ifndef BRICKCCL_USE_HIGHWAY

namespace brickccl::simd
{

namespace
{

struct WordsAround
{
  Word here;
  Word before;
  Word behind;
};

WordsAround
operator&(const WordsAround & p, const WordsAround & q)
{
  return { p.here & q.here, p.before & q.before, p.behind & q.behind };
}

WordsAround
operator|(const WordsAround & p, const WordsAround & q)
{
  return { p.here | q.here, p.before | q.before, p.behind | q.behind };
}

/** A word of a row, and what lies one step before and behind each of its bits. */
WordsAround
LoadAround(const Word * row, std::int64_t w, std::int64_t words)
{
  return { row[w], FromLeft(row[w], w > 0 ? row[w - 1] : 0), FromRight(row[w], w + 1 < words ? row[w + 1] : 0) };
}

struct RowWords
{
  WordsAround foreground;
  Word        goesOn;
  Word        next;

  RowWords(const RowBits & row, std::int64_t w, std::int64_t words)
    : foreground(LoadAround(row.foreground, w, words))
  {
    const WordsAround starts = LoadAround(row.starts, w, words);
    goesOn = foreground.here & ~starts.here;
    next = foreground.behind & ~starts.behind;
  }
};

/** Which links one step to the left and to the right are known. */
struct KnownWords
{
  Word left;
  Word right;
};

KnownWords
operator|(const KnownWords & p, const KnownWords & q)
{
  return { p.left | q.left, p.right | q.right };
}

/** By way of the straight links between two rows. */
KnownWords
KnownBetween(const RowWords & a, const RowWords & b, const WordsAround & same, bool areTransitive)
{
  if (areTransitive)
  {
    return { a.goesOn | b.goesOn | same.here | same.before, a.next | b.next | same.here | same.behind };
  }
  return { (same.here & b.goesOn) | (same.before & a.goesOn), (same.here & b.next) | (same.behind & a.next) };
}

/** By way of a third row, whose run goes on from the one column to the other, and its links to one of the rows or both:
 *  of transitive links. */
KnownWords
KnownBy(const RowWords & third, const WordsAround & toA, const WordsAround & toB)
{
  return { third.goesOn & (toA.here | toB.before), third.next & (toA.here | toB.behind) };
}

/** Adds to `any` what is open at word w. */
void
FindOpen(const RowWords &      a,
         const RowWords &      b,
         const KnownWords &    known,
         std::int64_t          w,
         const OpenDiagonals & open,
         AnyDiagonals &        any)
{
  open.left[w] = a.foreground.here & b.foreground.before & ~known.left;
  open.right[w] = a.foreground.here & b.foreground.behind & ~known.right;
  any.left |= open.left[w] != 0;
  any.right |= open.right[w] != 0;
}

} // namespace

AnyDiagonals
FindOpenDiagonals(const RowBits &       a,
                  const RowBits &       b,
                  const Word *          same,
                  std::int64_t          words,
                  bool                  areTransitive,
                  const OpenDiagonals & open)
{
  AnyDiagonals any = {};
  for (std::int64_t w = 0; w < words; ++w)
  {
    const RowWords rowA(a, w, words);
    const RowWords rowB(b, w, words);
    FindOpen(rowA, rowB, KnownBetween(rowA, rowB, LoadAround(same, w, words), areTransitive), w, open, any);
  }
  return any;
}

namespace
{

Word
LastSideOf(const RowWords &    here,
           const RowWords &    behind,
           const WordsAround & a,
           const WordsAround & b,
           const WordsAround & c,
           const WordsAround & d)
{
  const Word last = b.here & ~(b.behind & here.next & behind.next);
  const Word implied = a.here & b.here & c.here & d.here;
  // A carry runs from an implied column through those of the pair behind it.
  const Word others = b.here & b.before & here.goesOn & behind.goesOn & ~implied;
  const Word reached = others & ~(others + ((implied << 1) & others));
  return last & ~implied & ~reached;
}

} // namespace

bool
FindLastSides(const SquareRows & rows, std::int64_t words, Word * lastSides)
{
  Word any = 0;
  for (std::int64_t w = 0; w < words; ++w)
  {
    lastSides[w] = LastSideOf({ rows.here, w, words },
                              { rows.behind, w, words },
                              LoadAround(rows.a, w, words),
                              LoadAround(rows.b, w, words),
                              LoadAround(rows.c, w, words),
                              LoadAround(rows.d, w, words));
    any |= lastSides[w];
  }
  return any != 0;
}

AnyInSquare
FindOpenInSquare(const SquareRows & rows, std::int64_t words, bool areTransitive, const OpenInSquare & open)
{
  AnyInSquare any = {};
  for (std::int64_t w = 0; w < words; ++w)
  {
    const RowWords    here(rows.here, w, words);
    const RowWords    up(rows.up, w, words);
    const RowWords    behind(rows.behind, w, words);
    const RowWords    across(rows.across, w, words);
    const WordsAround a = LoadAround(rows.a, w, words);
    const WordsAround b = LoadAround(rows.b, w, words);
    const WordsAround c = LoadAround(rows.c, w, words);
    const WordsAround d = LoadAround(rows.d, w, words);
    open.lastSides[w] = LastSideOf(here, behind, a, b, c, d);
    any.lastSides |= open.lastSides[w] != 0;
    FindOpen(here, up, KnownBetween(here, up, a, areTransitive), w, open.alongY, any.alongY);
    FindOpen(here, behind, KnownBetween(here, behind, b, areTransitive), w, open.alongZ, any.alongZ);
    const auto findAcross = [&](const RowWords &    from,
                                const RowWords &    to,
                                const KnownWords &  byOthers,
                                const WordsAround & joined,
                                const AcrossLinks & links,
                                AnyAcross &         found) {
      const Word known = areTransitive ? a.here | b.here | c.here | d.here : joined.here;
      links.joined[w] = joined.here;
      links.open[w] = from.foreground.here & to.foreground.here & ~known;
      found.open |= links.open[w] != 0;
      if (areTransitive)
      {
        FindOpen(from, to, byOthers | KnownBetween(from, to, joined, true), w, links.diagonals, found.diagonals);
      }
    };
    findAcross(here, across, KnownBy(up, a, c) | KnownBy(behind, b, d), (a & c) | (b & d), open.across, any.across);
    findAcross(up, behind, KnownBy(here, a, b) | KnownBy(across, c, d), (a & b) | (c & d), open.between, any.between);
  }
  return any;
}

} // namespace brickccl::simd

#else

// Highway compiles the rest of this file once for every instruction set.
#  undef HWY_TARGET_INCLUDE
#  define HWY_TARGET_INCLUDE "BrickCCL/Simd/OpenDiagonals.cxx"
#  include <hwy/foreach_target.h>
#  include <hwy/highway.h>

#  include "BrickCCL/Simd/RowWords-inl.h"

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

static_assert(RowWordsAtOnce <= DiagonalWords);

/** Some words of a row, and what lies one step before and behind each of their bits. */
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

/** Some words of a row's foreground, and whether runs go on in them and one step behind. */
struct RowVectors
{
  WordsAround foreground;
  WordVector  goesOn;
  WordVector  next;
};

HWY_INLINE RowVectors
LoadRow(const RowBits & row, std::int64_t w, const RowEnds & ends)
{
  const WordsAround foreground = LoadAround(row.foreground + w, ends);
  const WordVector  starts = hn::LoadU(WordTag(), row.starts + w);
  return { { ends.Own(foreground.here), foreground.before, foreground.behind },
           hn::AndNot(starts, foreground.here),
           hn::AndNot(ends.BitsBehind(starts, row.starts + w), foreground.behind) };
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

/** Which links one step to the left and to the right are known. */
struct KnownVectors
{
  WordVector left;
  WordVector right;
};

/** By way of the straight links between two rows. */
template <bool VAreTransitive>
HWY_INLINE KnownVectors
KnownBetween(const RowVectors & a, const RowVectors & b, const WordsAround & same)
{
  if constexpr (VAreTransitive)
  {
    return { hn::Or(hn::Or(a.goesOn, b.goesOn), hn::Or(same.here, same.before)),
             hn::Or(hn::Or(a.next, b.next), hn::Or(same.here, same.behind)) };
  }
  else
  {
    return { hn::OrAnd(hn::And(same.here, b.goesOn), same.before, a.goesOn),
             hn::OrAnd(hn::And(same.here, b.next), same.behind, a.next) };
  }
}

/** By way of a third row, whose run goes on from the one column to the other, and its links to one of the rows or both:
 *  of transitive links. */
HWY_INLINE KnownVectors
KnownBy(const RowVectors & third, const WordsAround & toA, const WordsAround & toB)
{
  return { hn::And(third.goesOn, hn::Or(toA.here, toB.before)), hn::And(third.next, hn::Or(toA.here, toB.behind)) };
}

HWY_INLINE void
FindOpen(const RowVectors &    a,
         const RowVectors &    b,
         const KnownVectors &  known,
         std::int64_t          w,
         const OpenDiagonals & open,
         AnyVectors &          any)
{
  const WordVector left = hn::AndNot(known.left, hn::And(a.foreground.here, b.foreground.before));
  const WordVector right = hn::AndNot(known.right, hn::And(a.foreground.here, b.foreground.behind));
  any.left = hn::Or(any.left, left);
  any.right = hn::Or(any.right, right);
  hn::StoreU(left, WordTag(), open.left + w);
  hn::StoreU(right, WordTag(), open.right + w);
}

template <bool VAreTransitive>
HWY_INLINE AnyDiagonals
FindInPair(const RowBits & a, const RowBits & b, const Word * same, std::int64_t words, const OpenDiagonals & open)
{
  AnyVectors any;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(WordTag())))
  {
    const RowEnds    ends(w, words);
    const RowVectors rowA = LoadRow(a, w, ends);
    const RowVectors rowB = LoadRow(b, w, ends);
    FindOpen(rowA, rowB, KnownBetween<VAreTransitive>(rowA, rowB, LoadAround(same + w, ends)), w, open, any);
  }
  return ToAny(any);
}

/** The links along the side b that the other sides do not imply: see FindLastSides. */
HWY_INLINE WordVector
LastSidesOf(const RowVectors &  here,
            const RowVectors &  behind,
            const WordsAround & b,
            WordVector          otherSides,
            const RowEnds &     ends)
{
  const WordVector last = hn::AndNot(hn::And(b.behind, hn::And(here.next, behind.next)), b.here);
  const WordVector implied = hn::And(otherSides, b.here);
  // A carry runs from an implied column through those of the pair behind it.
  const WordVector goesOn = hn::And(hn::And(b.here, b.before), hn::And(here.goesOn, behind.goesOn));
  const WordVector others = hn::AndNot(implied, goesOn);
  const WordVector reached = hn::AndNot(hn::Add(others, hn::And(hn::ShiftLeft<1>(implied), others)), others);
  return ends.Own(hn::AndNot(hn::Or(implied, reached), last));
}

bool
FindLastSidesOf(const SquareRows & rows, std::int64_t words, Word * lastSides)
{
  const WordTag tag;
  WordVector    any = hn::Zero(tag);
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds    ends(w, words);
    const WordVector otherSides =
      hn::And(hn::And(hn::LoadU(tag, rows.a + w), hn::LoadU(tag, rows.c + w)), hn::LoadU(tag, rows.d + w));
    const WordVector found = LastSidesOf(LoadRow(rows.here, w, ends),
                                         LoadRow(rows.behind, w, ends),
                                         LoadAround(rows.b + w, ends),
                                         otherSides,
                                         ends);
    any = hn::Or(any, found);
    hn::StoreU(found, tag, lastSides + w);
  }
  return IsAny(any);
}

template <bool VAreTransitive>
HWY_INLINE AnyInSquare
FindInSquare(const SquareRows & rows, std::int64_t words, const OpenInSquare & open)
{
  const WordTag tag;
  AnyVectors    anyAlongY;
  AnyVectors    anyAlongZ;
  AnyVectors    anyAcross;
  AnyVectors    anyBetween;
  WordVector    anyLastSides = hn::Zero(tag);
  WordVector    anyOpenAcross = hn::Zero(tag);
  WordVector    anyOpenBetween = hn::Zero(tag);
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds     ends(w, words);
    const RowVectors  here = LoadRow(rows.here, w, ends);
    const RowVectors  up = LoadRow(rows.up, w, ends);
    const RowVectors  behind = LoadRow(rows.behind, w, ends);
    const RowVectors  across = LoadRow(rows.across, w, ends);
    const WordsAround a = LoadAround(rows.a + w, ends);
    const WordsAround b = LoadAround(rows.b + w, ends);
    const WordsAround c = LoadAround(rows.c + w, ends);
    const WordsAround d = LoadAround(rows.d + w, ends);
    const WordVector  anySide = hn::Or(hn::Or(a.here, b.here), hn::Or(c.here, d.here));
    const WordVector  lastSides = LastSidesOf(here, behind, b, hn::And(hn::And(a.here, c.here), d.here), ends);
    anyLastSides = hn::Or(anyLastSides, lastSides);
    hn::StoreU(lastSides, tag, open.lastSides + w);
    FindOpen(here, up, KnownBetween<VAreTransitive>(here, up, a), w, open.alongY, anyAlongY);
    FindOpen(here, behind, KnownBetween<VAreTransitive>(here, behind, b), w, open.alongZ, anyAlongZ);
    const auto findAcross = [&](const RowVectors &   from,
                                const RowVectors &   to,
                                const KnownVectors & byOne,
                                const KnownVectors & byOther,
                                const WordsAround &  joined,
                                const AcrossLinks &  links,
                                WordVector &         anyOpen,
                                AnyVectors &         anyDiagonal) HWY_ATTR {
      const WordVector known = VAreTransitive ? anySide : joined.here;
      const WordVector left = hn::AndNot(known, hn::And(from.foreground.here, to.foreground.here));
      anyOpen = hn::Or(anyOpen, left);
      hn::StoreU(joined.here, tag, links.joined + w);
      hn::StoreU(left, tag, links.open + w);
      if constexpr (VAreTransitive)
      {
        const KnownVectors between = KnownBetween<true>(from, to, joined);
        FindOpen(from,
                 to,
                 { hn::Or(between.left, hn::Or(byOne.left, byOther.left)),
                   hn::Or(between.right, hn::Or(byOne.right, byOther.right)) },
                 w,
                 links.diagonals,
                 anyDiagonal);
      }
    };
    findAcross(here,
               across,
               KnownBy(up, a, c),
               KnownBy(behind, b, d),
               EitherBoth(a, c, b, d),
               open.across,
               anyOpenAcross,
               anyAcross);
    findAcross(up,
               behind,
               KnownBy(here, a, b),
               KnownBy(across, c, d),
               EitherBoth(a, b, c, d),
               open.between,
               anyOpenBetween,
               anyBetween);
  }
  return { IsAny(anyLastSides),
           ToAny(anyAlongY),
           ToAny(anyAlongZ),
           { IsAny(anyOpenAcross), ToAny(anyAcross) },
           { IsAny(anyOpenBetween), ToAny(anyBetween) } };
}

AnyDiagonals
FindOpenDiagonalsOf(const RowBits &       a,
                    const RowBits &       b,
                    const Word *          same,
                    std::int64_t          words,
                    bool                  areTransitive,
                    const OpenDiagonals & open)
{
  return areTransitive ? FindInPair<true>(a, b, same, words, open) : FindInPair<false>(a, b, same, words, open);
}

AnyInSquare
FindOpenInSquareOf(const SquareRows & rows, std::int64_t words, bool areTransitive, const OpenInSquare & open)
{
  return areTransitive ? FindInSquare<true>(rows, words, open) : FindInSquare<false>(rows, words, open);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FindOpenDiagonalsOf);
HWY_EXPORT(FindLastSidesOf);
HWY_EXPORT(FindOpenInSquareOf);

AnyDiagonals
FindOpenDiagonals(const RowBits &       a,
                  const RowBits &       b,
                  const Word *          same,
                  std::int64_t          words,
                  bool                  areTransitive,
                  const OpenDiagonals & open)
{
  return HWY_DYNAMIC_DISPATCH(FindOpenDiagonalsOf)(a, b, same, words, areTransitive, open);
}

bool
FindLastSides(const SquareRows & rows, std::int64_t words, Word * lastSides)
{
  return HWY_DYNAMIC_DISPATCH(FindLastSidesOf)(rows, words, lastSides);
}

AnyInSquare
FindOpenInSquare(const SquareRows & rows, std::int64_t words, bool areTransitive, const OpenInSquare & open)
{
  return HWY_DYNAMIC_DISPATCH(FindOpenInSquareOf)(rows, words, areTransitive, open);
}

} // namespace brickccl::simd

#  endif
#endif
