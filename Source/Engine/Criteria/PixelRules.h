// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/HostDevice.h"
#include "BrickCCL/Core/WideInteger.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace brickccl
{

/** Which values of one channel are foreground: those in [low, high], or those outside of it. Every foreground criterion
 *  has this one form, so that packing needs one loop per type. */
template <typename T>
struct ForegroundRule
{
  T    low = std::numeric_limits<T>::lowest();
  T    high = std::numeric_limits<T>::max();
  bool outside = false;

  BRICKCCL_HOST_DEVICE bool
  operator()(T value) const
  {
    const bool inside = (value >= low) & (value <= high);
    if constexpr (std::is_floating_point_v<T>)
    {
      return (inside != outside) & (value == value);
    }
    else
    {
      return inside != outside;
    }
  }
};

/** Whether two values differ by at most a limit. The limit 0 means equality. Integer differences are taken in the
 *  unsigned type of the same size, which holds every one of them. */
template <typename T, typename = void>
struct DifferenceRule
{
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned limit = 0;

  BRICKCCL_HOST_DEVICE static Unsigned
  Difference(T a, T b)
  {
    return a > b ? static_cast<Unsigned>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b))
                 : static_cast<Unsigned>(static_cast<Unsigned>(b) - static_cast<Unsigned>(a));
  }
  BRICKCCL_HOST_DEVICE bool
  operator()(T a, T b) const
  {
    if constexpr (sizeof(T) < sizeof(int))
    {
      // Registers hold ints, so that the difference cannot wrap.
      const int difference = static_cast<int>(a) - static_cast<int>(b);
      return (difference < 0 ? -difference : difference) <= static_cast<int>(limit);
    }
    else
    {
      return Difference(a, b) <= limit;
    }
  }
};

template <typename T>
struct DifferenceRule<T, std::enable_if_t<std::is_floating_point_v<T>>>
{
  double limit = 0;

  BRICKCCL_HOST_DEVICE static double
  Difference(T a, T b)
  {
    const double difference = static_cast<double>(a) - static_cast<double>(b);
    return a == b ? 0 : difference < 0 ? -difference : difference;
  }
  BRICKCCL_HOST_DEVICE bool
  operator()(T a, T b) const
  {
    return Difference(a, b) <= limit;
  }
};

/** A type that holds sums of channel differences. */
template <typename T>
using DifferenceSum = std::conditional_t<std::is_floating_point_v<T>, double, UInt128>;

/** The rules for whole voxels, of one channel or of several that lie side by side. */
template <typename T>
struct VoxelRule
{
  using Pixel = T;

  int channels = 1;
  /** Whether neighbors are joined exactly if both are foreground. */
  bool              followsForeground = true;
  ForegroundRule<T> foreground;
  DifferenceRule<T> difference;
  DifferenceSum<T>  differenceSumLimit = 0;

  /** In a range every channel must be inside; outside of a background value one channel is enough. NaN in any channel
   *  means no. */
  BRICKCCL_HOST_DEVICE bool
  IsForeground(const T * voxel) const
  {
    if (channels == 1)
    {
      return foreground(*voxel);
    }
    bool all = true;
    bool any = false;
    bool number = true;
    for (int c = 0; c < channels; ++c)
    {
      const bool isForeground = foreground(voxel[c]);
      all = all && isForeground;
      any = any || isForeground;
      number = number && voxel[c] == voxel[c];
    }
    return number && (foreground.outside ? any : all);
  }

  /** Whether joined voxels have the same value, so that one voxel of a run answers for all of it. */
  BRICKCCL_HOST_DEVICE bool
  IsEquality() const
  {
    return !followsForeground && (channels == 1 ? difference.limit == 0 : differenceSumLimit == 0);
  }

  /** Whether two neighboring foreground voxels are joined. */
  BRICKCCL_HOST_DEVICE bool
  AreJoined(const T * a, const T * b) const
  {
    if (followsForeground)
    {
      return true;
    }
    if (channels == 1)
    {
      return difference(*a, *b);
    }
    DifferenceSum<T> sum = 0;
    for (int c = 0; c < channels; ++c)
    {
      sum += static_cast<DifferenceSum<T>>(DifferenceRule<T>::Difference(a[c], b[c]));
    }
    return sum <= differenceSumLimit;
  }
};

} // namespace brickccl
