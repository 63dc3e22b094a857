// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Runs/FinalNumbers.h"

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Runs/FinalNumbers-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

void
FinishNumbersOf(const FinalNumbers<std::uint32_t> & final, std::int64_t count, std::uint32_t * numbers)
{
  using Tag = hn::ScalableTag<std::uint32_t>;
  const Tag                     tag;
  const hn::RebindToSigned<Tag> placeTag;
  const auto                    lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto                    own = hn::Set(tag, final.own);
  const auto                    before = hn::Set(tag, final.before);
  // Most foreign numbers are the one that was looked up last. At first there is none.
  auto         known = hn::Zero(tag);
  auto         knownFinal = known;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
  {
    const auto number = hn::LoadU(tag, numbers + i);
    const auto isKnown = hn::Eq(number, known);
    const auto isForeign = hn::AndNot(isKnown, hn::Gt(number, own));
    auto       result = hn::IfThenElse(isKnown, knownFinal, hn::Add(number, before));
    if (!hn::AllFalse(tag, isForeign))
    {
      // Numbers that are not foreign look at place 0, where there is always a number.
      const auto place = hn::IfThenElseZero(isForeign, hn::Sub(hn::Set(tag, final.last), number));
      result = hn::IfThenElse(isForeign, hn::GatherIndex(tag, final.foreign, hn::BitCast(placeTag, place)), result);
      const std::uint32_t foreign = numbers[i + hn::FindFirstTrue(tag, isForeign)];
      known = hn::Set(tag, foreign);
      knownFinal = hn::Set(tag, final(foreign));
    }
    hn::StoreU(result, tag, numbers + i);
  }
  for (; i < count; ++i)
  {
    numbers[i] = final(numbers[i]);
  }
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(FinishNumbersOf);

void
FinishNumbers(const FinalNumbers<std::uint32_t> & final, std::int64_t count, std::uint32_t * numbers)
{
  HWY_DYNAMIC_DISPATCH(FinishNumbersOf)(final, count, numbers);
}

} // namespace brickccl::simd

#endif
