// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Criteria/PixelRules.h"

#include <cmath>

namespace brickccl
{

/** Sets `value` to the smallest T that is not below `bound`. \return false if there is none */
template <typename T>
bool
CeilingOf(Number bound, T & value)
{
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>)
  {
    const Number ceiling = bound.Ceiling();
    if (ceiling > Number(Limits::max()))
    {
      return false;
    }
    value = ceiling < Number(Limits::lowest()) ? Limits::lowest() : static_cast<T>(ceiling);
  }
  else
  {
    value = static_cast<T>(bound);
    if (Number(value) < bound)
    {
      value = std::nextafter(value, Limits::infinity());
    }
  }
  return true;
}

/** Sets `value` to the largest T that is not above `bound`. \return false if there is none */
template <typename T>
bool
FloorOf(Number bound, T & value)
{
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_integral_v<T>)
  {
    const Number floored = bound.Floor();
    if (floored < Number(Limits::lowest()))
    {
      return false;
    }
    value = floored > Number(Limits::max()) ? Limits::max() : static_cast<T>(floored);
  }
  else
  {
    value = static_cast<T>(bound);
    if (Number(value) > bound)
    {
      value = std::nextafter(value, -Limits::infinity());
    }
  }
  return true;
}

/** The criterion's foreground for values of type T. It is exact even if the bounds are not values of T. */
template <typename T>
ForegroundRule<T>
ToForegroundRule(const Criterion & criterion)
{
  ForegroundRule<T> rule;
  if constexpr (std::is_floating_point_v<T>)
  {
    rule.low = -std::numeric_limits<T>::infinity();
    rule.high = std::numeric_limits<T>::infinity();
  }
  const ForegroundRule<T> everything = rule;
  if (!criterion.range && !criterion.background)
  {
    return everything;
  }
  const Number low = criterion.range ? criterion.range->low : *criterion.background;
  const Number high = criterion.range ? criterion.range->high : *criterion.background;
  const bool   some = CeilingOf(low, rule.low) && FloorOf(high, rule.high) && rule.low <= rule.high;
  rule.outside = !criterion.range;
  if (!some)
  {
    rule = everything;
    rule.outside = criterion.range.has_value();
  }
  return rule;
}

/** The criterion's joining for one channel of type T. */
template <typename T>
DifferenceRule<T>
ToDifferenceRule(const Criterion & criterion)
{
  DifferenceRule<T> rule;
  if (criterion.joining == Criterion::Joining::Tolerance)
  {
    FloorOf(criterion.tolerance, rule.limit);
  }
  return rule;
}

template <typename T>
DifferenceSum<T>
ToDifferenceSumLimit(const Criterion & criterion)
{
  if (criterion.joining != Criterion::Joining::Tolerance)
  {
    return 0;
  }
  if constexpr (std::is_floating_point_v<T>)
  {
    return static_cast<double>(criterion.tolerance);
  }
  else
  {
    constexpr double maximum = 1e30;
    const Number     limit = criterion.tolerance < maximum ? criterion.tolerance.Floor() : Number(maximum);
    // The rest may be negative: unsigned sums wrap.
    return static_cast<UInt128>(limit.Nearest()) + static_cast<UInt128>(static_cast<std::int64_t>(limit.Rest()));
  }
}

template <typename T>
VoxelRule<T>
ToVoxelRule(const Criterion & criterion, int channels)
{
  VoxelRule<T> rule;
  rule.channels = channels;
  rule.followsForeground = criterion.FollowsForeground();
  rule.foreground = ToForegroundRule<T>(criterion);
  rule.difference = ToDifferenceRule<T>(criterion);
  rule.differenceSumLimit = ToDifferenceSumLimit<T>(criterion);
  return rule;
}

/** Calls `function(rule, pixels)` with the criterion as a rule for the pixels of an image, and with a pointer to the
 *  pixels of their own type, `std::decay_t<decltype(rule)>::Pixel`. */
template <typename TFunction>
decltype(auto)
VisitPixels(const ImageView & image, const Criterion & criterion, TFunction && function)
{
  return VisitScalarType(image.type, [&](auto tag) -> decltype(auto) {
    using T = typename decltype(tag)::Type;
    return function(ToVoxelRule<T>(criterion, image.channels), static_cast<const T *>(image.data));
  });
}

} // namespace brickccl
