#include "BrickCCL/Simd/LinkBundles.h"

#ifndef BRICKCCL_USE_HIGHWAY

namespace brickccl::simd
{

bool
LinkBundles(const FacingRows *, int, bool, const Word *, const Word *, std::int64_t, const LinkedRows &)
{
  return false;
}

} // namespace brickccl::simd

#else

// Highway compiles the rest of this file once for every instruction set.
#  undef HWY_TARGET_INCLUDE
#  define HWY_TARGET_INCLUDE "BrickCCL/Simd/LinkBundles.cxx"
#  include <hwy/foreach_target.h>
#  include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<Word, MostWordsBeside>;
using Vector = hn::Vec<Words>;

/** The words of two united rows from `w` on, with their neighbours to the left and to the right at each bit. Vectors of
 *  some processors cannot be members, so that they come one by one. */
HWY_INLINE void
LoadWindow(const Word * const (&rows)[2],
           std::int64_t w,
           std::int64_t words,
           Vector &     word,
           Vector &     left,
           Vector &     right)
{
  const Words tag;
  const auto  united = [&](std::int64_t at)
                        HWY_ATTR { return hn::Or(hn::LoadU(tag, rows[0] + at), hn::LoadU(tag, rows[1] + at)); };
  word = united(w);
  Vector before = united(w - 1);
  Vector after = united(w + 1);
  if (w == 0)
  {
    before = hn::IfThenZeroElse(hn::FirstN(tag, 1), before);
  }
  const std::int64_t wordsAfter = words - 1 - w;
  if (wordsAfter < static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    after = hn::IfThenElseZero(hn::FirstN(tag, static_cast<std::size_t>(wordsAfter)), after);
  }
  left = hn::Or(hn::ShiftLeft<1>(word), hn::ShiftRight<BitsPerWord - 1>(before));
  right = hn::Or(hn::ShiftRight<1>(word), hn::ShiftLeft<BitsPerWord - 1>(after));
}

/** LinksOfRows. */
HWY_INLINE void
LinkFace(const FacingRows & face, std::int64_t w, std::int64_t words, Vector & same, Vector & left, Vector & right)
{
  const Words tag;
  Vector      a = hn::Zero(tag), leftOfA = a, rightOfA = a, b = a, leftOfB = a, rightOfB = a;
  LoadWindow(face.a, w, words, a, leftOfA, rightOfA);
  LoadWindow(face.b, w, words, b, leftOfB, rightOfB);
  const Vector open = hn::AndNot(b, a);
  same = hn::And(a, b);
  left = hn::And(open, hn::AndNot(leftOfA, leftOfB));
  right = hn::And(open, hn::AndNot(rightOfA, rightOfB));
}

/** WithoutRepeats. */
HWY_INLINE void
LeaveOutRepeats(Vector unitedA, Vector both, Vector & same, Vector & left, Vector & right)
{
  const Vector after = hn::ShiftLeft<1>(unitedA);
  const Vector before = hn::ShiftRight<1>(unitedA);
  const Vector beside = hn::And(hn::Or(left, right), both);
  left = hn::AndNot(both, left);
  right = hn::AndNot(both, right);
  const Vector moved = hn::Or(hn::ShiftRight<1>(hn::And(left, after)), hn::ShiftLeft<1>(hn::And(right, before)));
  const Vector contacts = hn::Or(hn::Or(same, beside), moved);
  const Vector begins = hn::AndNot(hn::ShiftLeft<1>(both), both);
  const Vector none = hn::AndNot(contacts, both);
  const Vector carried = hn::AndNot(none, hn::Add(none, hn::And(begins, none)));
  same = hn::And(hn::And(hn::Or(carried, begins), contacts), both);
  left = hn::AndNot(after, left);
  right = hn::AndNot(before, right);
}

template <int VFaces, bool VAreStraight>
HWY_INLINE bool
LinkBundlesWith(const FacingRows * faces,
                const Word *       unitedA,
                const Word *       unitedB,
                std::int64_t       words,
                const LinkedRows & found)
{
  const Words  tag;
  const Vector zero = hn::Zero(tag);
  Vector       any = zero;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const Vector a = hn::LoadU(tag, unitedA + w);
    Vector       same = zero, left = zero, right = zero, joined = zero;
    if (!hn::AllTrue(tag, hn::Eq(a, zero)))
    {
      const Vector both = hn::And(a, hn::LoadU(tag, unitedB + w));
      if constexpr (VAreStraight)
      {
        same = hn::And(hn::LoadU(tag, faces[0].a[0] + w), hn::LoadU(tag, faces[0].b[0] + w));
      }
      else
      {
        LinkFace(faces[0], w, words, same, left, right);
        if constexpr (VFaces == 2)
        {
          Vector otherSame = zero, otherLeft = zero, otherRight = zero;
          LinkFace(faces[1], w, words, otherSame, otherLeft, otherRight);
          same = both;
          left = hn::Or(left, otherLeft);
          right = hn::Or(right, otherRight);
        }
      }
      LeaveOutRepeats(a, both, same, left, right);
      joined = hn::AndNot(hn::Add(both, same), both);
    }
    any = hn::Or(any, hn::Or(same, hn::Or(left, right)));
    hn::StoreU(same, tag, found.same + w);
    hn::StoreU(left, tag, found.left + w);
    hn::StoreU(right, tag, found.right + w);
    hn::StoreU(joined, tag, found.joined + w);
  }
  return !hn::AllTrue(tag, hn::Eq(any, zero));
}

bool
LinkBundles(const FacingRows * faces,
            int                faceCount,
            bool               areStraight,
            const Word *       unitedA,
            const Word *       unitedB,
            std::int64_t       words,
            const LinkedRows & links)
{
  if (areStraight)
  {
    return LinkBundlesWith<1, true>(faces, unitedA, unitedB, words, links);
  }
  return faceCount == 1 ? LinkBundlesWith<1, false>(faces, unitedA, unitedB, words, links)
                        : LinkBundlesWith<2, false>(faces, unitedA, unitedB, words, links);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#  if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(LinkBundles);

bool
LinkBundles(const FacingRows * faces,
            int                faceCount,
            bool               areStraight,
            const Word *       unitedA,
            const Word *       unitedB,
            std::int64_t       words,
            const LinkedRows & links)
{
  return HWY_DYNAMIC_DISPATCH(LinkBundles)(faces, faceCount, areStraight, unitedA, unitedB, words, links);
}

} // namespace brickccl::simd

#  endif
#endif
