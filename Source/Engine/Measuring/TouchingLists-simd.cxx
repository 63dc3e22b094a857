// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/TouchingLists.h"

#include <algorithm>

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Measuring/TouchingLists-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

bool
TouchAndDifferOf(const RunList & own, const RunList * others, int otherCount)
{
  const hn::CappedTag<std::int32_t, RunListPadding> tag;
  const hn::RebindToUnsigned<decltype(tag)>         labelTag;
  const auto                                        lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  auto                                              differ = hn::Zero(tag);
  std::int64_t                                      first[TouchingRows] = {};
  // Takes the rows in turns, since the places of one row follow from each other.
  for (std::int64_t i = 0; i < own.count; ++i)
  {
    const auto begin = hn::Set(tag, own.begins[i]);
    const auto end = hn::Set(tag, own.ends[i]);
    const auto label = hn::Set(labelTag, own.labels[i]);
    for (int o = 0; o < otherCount; ++o)
    {
      const RunList & other = others[o];
      // Starts at the first run that does not end before this one begins.
      for (std::int64_t j = first[o]; j < other.count; j += lanes)
      {
        const auto isThere = hn::FirstN(tag, static_cast<std::size_t>(std::min(lanes, other.count - j)));
        const auto isAfter = hn::Lt(end, hn::LoadU(tag, other.begins + j));
        const auto isBefore = hn::Lt(hn::LoadU(tag, other.ends + j), begin);
        const auto isSame = hn::RebindMask(tag, hn::Eq(hn::LoadU(labelTag, other.labels + j), label));
        const auto isOut = hn::Or(isSame, hn::Or(isAfter, isBefore));
        differ = hn::Or(differ, hn::VecFromMask(tag, hn::AndNot(isOut, isThere)));
        if (!other.isOneRow)
        {
          continue;
        }
        if (other.count > lanes)
        {
          first[o] += static_cast<std::int64_t>(hn::CountTrue(tag, hn::And(isBefore, isThere)));
        }
        if (!hn::AllFalse(tag, isAfter))
        {
          break;
        }
      }
    }
  }
  return !hn::AllTrue(tag, hn::Eq(differ, hn::Zero(tag)));
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(TouchAndDifferOf);

bool
TouchAndDiffer(const RunList & own, const RunList * others, int otherCount)
{
  return HWY_DYNAMIC_DISPATCH(TouchAndDifferOf)(own, others, otherCount);
}

} // namespace brickccl::simd

#endif
