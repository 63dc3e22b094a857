#include "BrickCCL/Simd/OpenDiagonals.h"

#ifndef BRICKCCL_USE_HIGHWAY

namespace brickccl::simd
{

OpenDiagonals
FindOpenDiagonals(const RowPair & rows, std::int64_t words, bool areTransitive, Word * left, Word * right)
{
  Word anyLeft = 0;
  Word anyRight = 0;
  for (std::int64_t w = 0; w < words; ++w)
  {
    const auto before = [w](const Word * row) { return FromLeft(row[w], w > 0 ? row[w - 1] : 0); };
    const auto behind = [w, words](const Word * row) { return FromRight(row[w], w + 1 < words ? row[w + 1] : 0); };
    const Word a = rows.foregroundA[w];
    const Word b = rows.foregroundB[w];
    const Word same = rows.same[w];
    const Word aGoesOn = a & ~rows.startsA[w];
    const Word bGoesOn = b & ~rows.startsB[w];
    const Word nextA = behind(rows.foregroundA) & ~behind(rows.startsA);
    const Word nextB = behind(rows.foregroundB) & ~behind(rows.startsB);
    const Word sameBefore = before(rows.same);
    const Word sameBehind = behind(rows.same);
    left[w] = a & before(rows.foregroundB) &
              ~(areTransitive ? aGoesOn | bGoesOn | same | sameBefore : (same & bGoesOn) | (sameBefore & aGoesOn));
    right[w] = a & behind(rows.foregroundB) &
               ~(areTransitive ? nextA | nextB | same | sameBehind : (same & nextB) | (sameBehind & nextA));
    anyLeft |= left[w];
    anyRight |= right[w];
  }
  return { anyLeft != 0, anyRight != 0 };
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

template <bool VAreTransitive>
HWY_INLINE OpenDiagonals
FindOpen(const RowPair & rows, std::int64_t words, Word * left, Word * right)
{
  const WordTag tag;
  WordVector    anyLeft = hn::Zero(tag);
  WordVector    anyRight = hn::Zero(tag);
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEnds    ends(w, words);
    const auto       here = [&](const Word * row) HWY_ATTR { return hn::LoadU(tag, row + w); };
    const auto       before = [&](const Word * row, WordVector own) HWY_ATTR { return ends.BitsBefore(own, row + w); };
    const auto       behind = [&](const Word * row, WordVector own) HWY_ATTR { return ends.BitsBehind(own, row + w); };
    const WordVector a = here(rows.foregroundA);
    const WordVector b = here(rows.foregroundB);
    const WordVector startsA = here(rows.startsA);
    const WordVector startsB = here(rows.startsB);
    const WordVector same = here(rows.same);
    const WordVector aGoesOn = hn::AndNot(startsA, a);
    const WordVector bGoesOn = hn::AndNot(startsB, b);
    const WordVector nextA = hn::AndNot(behind(rows.startsA, startsA), behind(rows.foregroundA, a));
    const WordVector behindB = behind(rows.foregroundB, b);
    const WordVector nextB = hn::AndNot(behind(rows.startsB, startsB), behindB);
    const WordVector sameBefore = before(rows.same, same);
    const WordVector sameBehind = behind(rows.same, same);
    WordVector       knownLeft = same;
    WordVector       knownRight = same;
    if constexpr (VAreTransitive)
    {
      knownLeft = hn::Or(hn::Or(aGoesOn, bGoesOn), hn::Or(same, sameBefore));
      knownRight = hn::Or(hn::Or(nextA, nextB), hn::Or(same, sameBehind));
    }
    else
    {
      knownLeft = hn::Or(hn::And(same, bGoesOn), hn::And(sameBefore, aGoesOn));
      knownRight = hn::Or(hn::And(same, nextB), hn::And(sameBehind, nextA));
    }
    // What lies past the row's end is no foreground of its.
    const WordVector own = hn::IfThenElseZero(hn::FirstN(tag,
                                                         static_cast<std::size_t>(words - w) < hn::Lanes(tag)
                                                           ? static_cast<std::size_t>(words - w)
                                                           : hn::Lanes(tag)),
                                              a);
    const WordVector openLeft = hn::AndNot(knownLeft, hn::And(own, before(rows.foregroundB, b)));
    const WordVector openRight = hn::AndNot(knownRight, hn::And(own, behindB));
    anyLeft = hn::Or(anyLeft, openLeft);
    anyRight = hn::Or(anyRight, openRight);
    hn::StoreU(openLeft, tag, left + w);
    hn::StoreU(openRight, tag, right + w);
  }
  const auto isAny = [&](WordVector any) HWY_ATTR { return !hn::AllTrue(tag, hn::Eq(any, hn::Zero(tag))); };
  return { isAny(anyLeft), isAny(anyRight) };
}

OpenDiagonals
FindOpenDiagonalsOf(const RowPair & rows, std::int64_t words, bool areTransitive, Word * left, Word * right)
{
  return areTransitive ? FindOpen<true>(rows, words, left, right) : FindOpen<false>(rows, words, left, right);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FindOpenDiagonalsOf);

OpenDiagonals
FindOpenDiagonals(const RowPair & rows, std::int64_t words, bool areTransitive, Word * left, Word * right)
{
  return HWY_DYNAMIC_DISPATCH(FindOpenDiagonalsOf)(rows, words, areTransitive, left, right);
}

} // namespace brickccl::simd

#  endif
#endif
