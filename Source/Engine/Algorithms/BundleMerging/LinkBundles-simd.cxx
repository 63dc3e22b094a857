// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Algorithms/BundleMerging/LinkBundles-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "BrickCCL/Runs/RowWords-inl.h"

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

static_assert(RowWordsAtOnce == MaximumWordsBeside);

// Vectors for rows of few words, which take half the time of longer ones where the processor works on halves.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
using ShortTag = hn::Half<WordTag>;

HWY_INLINE void
AppendWords(hn::Vec<ShortTag> found, std::int64_t w, int kind, WordList & list)
{
  AppendWords(hn::ZeroExtendVector(WordTag(), found), w, kind, list);
}
#endif

/** Some words of two united rows, with the bits before and behind each of their bits. */
template <typename Vector>
struct WordsBeside
{
  Vector here;
  Vector left;
  Vector right;
};

template <typename TTag, typename Vector = hn::Vec<TTag>>
HWY_INLINE WordsBeside<Vector>
           LoadUnited(TTag tag, const Word * const (&rows)[2], std::int64_t w, const RowEndsOf<TTag> & ends)
{
  const auto united = [&](std::int64_t at)
                        HWY_ATTR { return hn::Or(hn::LoadU(tag, rows[0] + at), hn::LoadU(tag, rows[1] + at)); };
  const Vector here = united(w);
  return { here, ends.BitsBefore(here, united(w - 1)), ends.BitsBehind(here, united(w + 1)) };
}

/** BundleLinks for some words. */
template <typename Vector>
struct Links
{
  Vector same;
  Vector left;
  Vector right;
};

/** LinksOfRows for some words. */
template <typename TTag, typename Vector = hn::Vec<TTag>>
HWY_INLINE Links<Vector>
           LinkFace(TTag tag, const FacingRows & face, std::int64_t w, const RowEndsOf<TTag> & ends)
{
  const WordsBeside<Vector> a = LoadUnited(tag, face.a, w, ends);
  const WordsBeside<Vector> b = LoadUnited(tag, face.b, w, ends);
  const Vector              open = hn::AndNot(b.here, a.here);
  return { hn::And(a.here, b.here),
           hn::And(open, hn::AndNot(a.left, b.left)),
           hn::And(open, hn::AndNot(a.right, b.right)) };
}

/** WithoutRepeats for some words. */
template <typename Vector>
HWY_INLINE Links<Vector>
           LeaveOutRepeats(Vector unitedA, Vector both, const Links<Vector> & links)
{
  const Vector after = hn::ShiftLeft<1>(unitedA);
  const Vector before = hn::ShiftRight<1>(unitedA);
  const Vector beside = hn::And(hn::Or(links.left, links.right), both);
  const Vector left = hn::AndNot(both, links.left);
  const Vector right = hn::AndNot(both, links.right);
  const Vector moved = hn::Or(hn::ShiftRight<1>(hn::And(left, after)), hn::ShiftLeft<1>(hn::And(right, before)));
  const Vector contacts = hn::Or(hn::Or(links.same, beside), moved);
  const Vector begins = hn::AndNot(hn::ShiftLeft<1>(both), both);
  const Vector none = hn::AndNot(contacts, both);
  const Vector carried = hn::AndNot(none, hn::Add(none, hn::And(begins, none)));
  return { hn::And(hn::And(hn::Or(carried, begins), contacts), both),
           hn::AndNot(after, left),
           hn::AndNot(before, right) };
}

/** The bits of some words at which a stretch continues from the word before and is linked there. `joined` are the bits
 *  that links of the same word join. `carry` is true if the last bit before these words is joined; it is updated. */
template <typename TTag, typename Vector = hn::Vec<TTag>>
HWY_INLINE Vector
GoingOn(TTag tag, Vector both, Vector joined, unsigned & carry)
{
  const Vector all = hn::Set(tag, ~Word{ 0 });
  // For each word: whether its last bit is joined, and whether it would be if the last bit of the word before were. A
  // carry runs through words of the latter kind.
  std::uint8_t ends = 0;
  std::uint8_t passes = 0;
  hn::StoreMaskBits(tag, hn::Ne(hn::ShiftRight<BitsPerWord - 1>(joined), hn::Zero(tag)), &ends);
  hn::StoreMaskBits(tag, hn::Eq(both, all), &passes);
  const unsigned through = unsigned{ ends } | passes;
  const unsigned sum = through + ends + carry;
  const auto     carries = static_cast<std::uint8_t>(sum ^ through ^ ends);
  carry = sum >> hn::Lanes(tag) & 1u;
  return hn::IfThenElseZero(hn::LoadMaskBits(tag, &carries), hn::AndNot(hn::Add(both, hn::Set(tag, Word{ 1 })), both));
}

/** The bits of some words at which links are implied. There must be at least one. */
template <typename TTag>
HWY_INLINE hn::Vec<TTag>
           ImpliedAt(TTag tag, const ImpliedLinks & implied, std::int64_t w)
{
  hn::Vec<TTag> bits = hn::And(hn::LoadU(tag, implied.rows[0] + w), hn::LoadU(tag, implied.rows[1] + w));
  if (implied.count > 2)
  {
    bits = hn::And(bits, hn::LoadU(tag, implied.rows[2] + w));
  }
  if (implied.others[0] != nullptr)
  {
    bits = hn::Or(bits, hn::And(hn::LoadU(tag, implied.others[0] + w), hn::LoadU(tag, implied.others[1] + w)));
  }
  return bits;
}

/** WithoutImplied for some words. */
template <typename TTag, typename Vector = hn::Vec<TTag>>
HWY_INLINE Vector
LeaveOutImplied(TTag tag, Vector same, Vector joined, Vector implied)
{
  const Vector last = hn::Set(tag, Word{ 1 } << (BitsPerWord - 1));
  const Vector open = hn::AndNot(implied, joined);
  const Vector carried = hn::Add(open, hn::And(same, open));
  return hn::Or(hn::ShiftRight<1>(hn::AndNot(joined, carried)), hn::And(hn::AndNot(carried, open), last));
}

// Each is a function of its own, so that none pays for the registers that another one saves.
template <int VFaces, bool VAreStraight, bool VLists, typename TTag>
HWY_NOINLINE void
LinkBundlesWith(TTag tag, const FacingBundles & bundles, const ImpliedLinks & implied, LinkedRows & found)
{
  using Vector = hn::Vec<TTag>;
  const FacingRows * const faces = bundles.faces;
  const std::int64_t       words = bundles.words;
  const Vector             zero = hn::Zero(tag);
  WordList                 list = found.list;
  Vector                   any = zero;
  unsigned                 carry = 0;
  for (std::int64_t w = 0; w < words; w += static_cast<std::int64_t>(hn::Lanes(tag)))
  {
    const RowEndsOf<TTag> ends(w, words);
    const Vector          a = ends.Own(hn::LoadU(tag, bundles.unitedA + w));
    if (hn::AllTrue(tag, hn::Eq(a, zero)))
    {
      for (Word * row : { found.same, found.left, found.right, found.joined })
      {
        hn::StoreU(zero, tag, row + w);
      }
      carry = 0;
      continue;
    }
    const Vector  both = hn::And(a, hn::LoadU(tag, bundles.unitedB + w));
    Links<Vector> links = { zero, zero, zero };
    if constexpr (VAreStraight)
    {
      links.same = hn::And(hn::LoadU(tag, faces[0].a[0] + w), hn::LoadU(tag, faces[0].b[0] + w));
    }
    else
    {
      links = LinkFace(tag, faces[0], w, ends);
      if constexpr (VFaces == 2)
      {
        const Links<Vector> others = LinkFace(tag, faces[1], w, ends);
        links = { both, hn::Or(links.left, others.left), hn::Or(links.right, others.right) };
      }
    }
    // Bits past the rows' ends are dropped.
    links.left = hn::And(links.left, a);
    links.right = hn::And(links.right, a);
    links = LeaveOutRepeats(a, both, links);
    const Vector joined = hn::AndNot(hn::Add(both, links.same), both);
    const Vector going = GoingOn(tag, both, joined, carry);
    Vector       same = hn::AndNot(going, links.same);
    if (implied.count > 0)
    {
      same = LeaveOutImplied(tag, same, joined, ImpliedAt(tag, implied, w));
    }
    hn::StoreU(same, tag, found.same + w);
    hn::StoreU(links.left, tag, found.left + w);
    hn::StoreU(links.right, tag, found.right + w);
    hn::StoreU(hn::Or(joined, going), tag, found.joined + w);
    if constexpr (VLists)
    {
      AppendWords(same, w, LinkedSame, list);
      if constexpr (!VAreStraight)
      {
        AppendWords(links.left, w, LinkedLeft, list);
        AppendWords(links.right, w, LinkedRight, list);
      }
    }
    else
    {
      any = hn::Or(any, hn::Or(same, hn::Or(links.left, links.right)));
    }
  }
  if constexpr (!VLists)
  {
    list.count = hn::AllTrue(tag, hn::Eq(any, zero)) ? 0 : 1;
  }
  found.list = list;
}

template <bool VLists, typename TTag>
HWY_INLINE void
LinkBundlesOf(TTag tag, const FacingBundles & bundles, const ImpliedLinks & implied, LinkedRows & links)
{
  if (bundles.areStraight)
  {
    LinkBundlesWith<1, true, VLists>(tag, bundles, implied, links);
  }
  else if (bundles.faceCount == 1)
  {
    LinkBundlesWith<1, false, VLists>(tag, bundles, implied, links);
  }
  else
  {
    LinkBundlesWith<2, false, VLists>(tag, bundles, implied, links);
  }
}

void
LinkBundles(const FacingBundles & bundles, const ImpliedLinks & implied, LinkedRows & links)
{
  const auto link = [&](auto tag) HWY_ATTR {
    if (links.list.bits != nullptr)
    {
      LinkBundlesOf<true>(tag, bundles, implied, links);
    }
    else
    {
      LinkBundlesOf<false>(tag, bundles, implied, links);
    }
  };
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if (bundles.words <= static_cast<std::int64_t>(hn::Lanes(ShortTag())))
  {
    link(ShortTag());
    return;
  }
#endif
  link(WordTag());
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(LinkBundles);

void
LinkBundles(const FacingBundles & bundles, const ImpliedLinks & implied, LinkedRows & links)
{
  HWY_DYNAMIC_DISPATCH(LinkBundles)(bundles, implied, links);
}

} // namespace brickccl::simd

#endif
