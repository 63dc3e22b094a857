// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Geometry/DoubleDouble.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace brickccl
{

/** Calls `function(begin, end)` for a run, or, without NaN, for its stretches of other values. */
template <typename T, typename TFunction>
void
ForValues(const T * values, std::int64_t begin, std::int64_t end, bool ignoresNaN, TFunction function)
{
  for (std::int64_t next = end; begin < end; begin = next + 1)
  {
    next = end;
    if constexpr (std::is_floating_point_v<T>)
    {
      next = ignoresNaN ? std::find_if(values + begin, values + end, [](T v) { return std::isnan(v); }) - values : end;
    }
    begin < next ? function(begin, next) : void();
  }
}

/** Sums of the intensities under a component, in a form that does not depend on the type of the intensities. */
struct IntensitySums
{
  /** For integers: the exact sum, |sum| < 2^64 * 2^62. */
  bool   isWhole = false;
  Int128 wholeSum = 0;
  /** For integers of at most 32 bits: the exact sum of the squares, < 2^64 * 2^62. */
  bool    hasSquares = false;
  UInt128 squares = 0;

  /** For other types than integers. */
  DoubleDouble sum;
  /** Without squares: the mean and the squared deviation, combined pairwise as Chan, Golub and LeVeque do (1979). The
   *  mean has twice the digits of a double, so that a large offset of the values does not spoil deviations. */
  DoubleDouble mean;
  double       deviation = 0;

  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();

  /** Whether sums of integers of this type are exact, so that their order does not matter. */
  template <typename T>
  static constexpr bool HasSquares = std::is_integral_v<T> && sizeof(T) <= 4;

  /** Adds the sums of `otherVoxels` voxels to the sums of `ownVoxels`. */
  void
  Merge(std::uint64_t ownVoxels, const IntensitySums & other, std::uint64_t otherVoxels)
  {
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    wholeSum += other.wholeSum;
    squares += other.squares;
    if (hasSquares || otherVoxels == 0)
    {
      return;
    }
    if (ownVoxels == 0)
    {
      sum = other.sum;
      mean = other.mean;
      deviation = other.deviation;
      return;
    }
    const auto   own = static_cast<double>(ownVoxels);
    const auto   others = static_cast<double>(otherVoxels);
    const double total = own + others;
    DoubleDouble apart = other.mean;
    apart += -mean;
    const double difference = apart.Rounded();
    sum += other.sum;
    deviation += other.deviation + difference * difference * own / total * others;
    mean += difference * others / total;
  }

  /** The mean in two parts: a whole number or a double, and the rest. */
  struct SplitMean
  {
    long double main;
    long double rest;
  };
  SplitMean
  MeanOf(std::uint64_t voxels) const
  {
    if (!isWhole)
    {
      return { mean.high, mean.low };
    }
    if (voxels == 0)
    {
      return { 0, 0 };
    }
    const auto   count = static_cast<Int128>(voxels);
    const Int128 whole = wholeSum / count;
    return { static_cast<long double>(whole),
             static_cast<long double>(wholeSum - whole * count) / static_cast<long double>(voxels) };
  }

  IntensityMeasures
  Measures(std::uint64_t voxels) const
  {
    IntensityMeasures measures;
    // Values that are not a number are neither.
    const bool isAnyNumber = minimum <= maximum;
    measures.minimum = isAnyNumber ? minimum : std::numeric_limits<double>::quiet_NaN();
    measures.maximum = isAnyNumber ? maximum : std::numeric_limits<double>::quiet_NaN();
    if (isWhole)
    {
      const SplitMean split = MeanOf(voxels);
      measures.sum = static_cast<double>(wholeSum);
      measures.mean = static_cast<double>(split.main + split.rest);
    }
    else
    {
      measures.sum = sum.Rounded();
      const double quotient = sum.Over(static_cast<double>(voxels));
      // The sum of values near the largest double may be NaN. The mean of equal values is the value.
      const bool isLost = !std::isfinite(quotient) && std::isfinite(minimum) && std::isfinite(maximum);
      measures.mean = !isLost ? quotient : IsEqual() ? minimum : std::numeric_limits<double>::quiet_NaN();
    }
    if (voxels == 0)
    {
      measures.sum = measures.mean = measures.standardDeviation = std::numeric_limits<double>::quiet_NaN();
    }
    else if (voxels > 1)
    {
      measures.standardDeviation =
        hasSquares ? DeviationFromSquares(voxels) : DeviationOf(static_cast<double>(voxels - 1));
    }
    else if (!isWhole && !std::isfinite(sum.Rounded()))
    {
      measures.standardDeviation = std::numeric_limits<double>::quiet_NaN();
    }
    return measures;
  }

private:
  /** Whether all values, not of integers, are the same finite one. The extremes do not show NaN, but the sum does. */
  bool
  IsEqual() const
  {
    return !isWhole && std::isfinite(minimum) && minimum == maximum && !std::isnan(sum.Rounded());
  }

  /** Not a number where the squares have left the range in which doubles have all their digits. */
  double
  DeviationOf(double divisor) const
  {
    constexpr double least = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
    const bool       isInRange = std::isfinite(deviation) && (deviation >= least || minimum == maximum);
    return IsEqual() ? 0 : isInRange ? std::sqrt(deviation / divisor) : std::numeric_limits<double>::quiet_NaN();
  }

  double
  DeviationFromSquares(std::uint64_t voxels) const
  {
    const auto   count = static_cast<Int128>(voxels);
    const Int128 whole = wholeSum / count;
    const Int128 aroundWhole = static_cast<Int128>(squares) - 2 * whole * wholeSum + count * whole * whole;
    const auto   longCount = static_cast<long double>(voxels);
    const auto   rest = static_cast<long double>(wholeSum - whole * count);
    const auto   around = static_cast<long double>(aroundWhole) - rest * rest / longCount;
    return static_cast<double>(std::sqrt(std::max(0.0L, around) / (longCount - 1)));
  }
};

} // namespace brickccl
