#ifndef BRICKCCL_COMPONENTS_COMPONENTSUMS_H
#define BRICKCCL_COMPONENTS_COMPONENTSUMS_H

#include "BrickCCL/Components/ComponentTable.h"
#include "BrickCCL/Core/WideInteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/** What is summed up over the runs of a component, with the rules that combine partial sums. */
namespace brickccl
{

/** Sums over the voxels of a component; exact, so any order of merging gives the same. */
struct ShapeSums
{
  std::uint64_t voxels = 0;
  std::uint64_t indexSum[MaximumDimension] = {};
  std::int64_t  minimum[MaximumDimension];
  std::int64_t  maximum[MaximumDimension];

  ShapeSums()
  {
    std::fill_n(minimum, MaximumDimension, std::numeric_limits<std::int64_t>::max());
    std::fill_n(maximum, MaximumDimension, std::numeric_limits<std::int64_t>::min());
  }

  void
  AddRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    voxels += count;
    // Of begin + (end - 1) and count, one is even.
    const auto ends = static_cast<std::uint64_t>(begin + end - 1);
    indexSum[0] += ends % 2 == 0 ? ends / 2 * count : count / 2 * ends;
    minimum[0] = std::min(minimum[0], begin);
    maximum[0] = std::max(maximum[0], end - 1);
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1];
      indexSum[axis] += static_cast<std::uint64_t>(at) * count;
      minimum[axis] = std::min(minimum[axis], at);
      maximum[axis] = std::max(maximum[axis], at);
    }
  }

  void
  Merge(const ShapeSums & other)
  {
    voxels += other.voxels;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      indexSum[axis] += other.indexSum[axis];
      minimum[axis] = std::min(minimum[axis], other.minimum[axis]);
      maximum[axis] = std::max(maximum[axis], other.maximum[axis]);
    }
  }
};

/** Sums of products of two indices over the voxels of a component; exact: below 2^32 * 2^32 * 2^63. */
struct ProductSums
{
  /** Of axes i <= j at j (j + 1) / 2 + i. */
  UInt128 products[MaximumDimension * (MaximumDimension + 1) / 2] = {};

  void
  AddRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    // Sum of x, and of x^2 as a difference of sums from 0 on.
    const UInt128 sum = static_cast<UInt128>(begin + end - 1) * count / 2;
    products[0] += SquaresBelow(end) - SquaresBelow(begin);
    for (int j = 1; j < MaximumDimension; ++j)
    {
      const auto at = static_cast<UInt128>(position.at[j - 1]);
      products[j * (j + 1) / 2] += at * sum;
      for (int i = 1; i <= j; ++i)
      {
        products[j * (j + 1) / 2 + i] += at * static_cast<UInt128>(position.at[i - 1]) * count;
      }
    }
  }

  void
  Merge(const ProductSums & other)
  {
    for (int i = 0; i < MaximumDimension * (MaximumDimension + 1) / 2; ++i)
    {
      products[i] += other.products[i];
    }
  }

  /** Covariances of the indices. With the whole part of each mean taken off in integers, what is rounded afterwards is
   *  no larger than the answer. */
  void
  Covariance(int dimension, const ShapeSums & shape, double (&covariance)[MaximumDimension][MaximumDimension]) const
  {
    const auto count = static_cast<Int128>(shape.voxels);
    for (int j = 0; j < dimension; ++j)
    {
      for (int i = 0; i <= j; ++i)
      {
        const auto   sumI = static_cast<Int128>(shape.indexSum[i]);
        const auto   sumJ = static_cast<Int128>(shape.indexSum[j]);
        const Int128 meanI = sumI / count;
        const Int128 meanJ = sumJ / count;
        const Int128 around =
          static_cast<Int128>(products[j * (j + 1) / 2 + i]) - meanI * sumJ - meanJ * sumI + meanI * meanJ * count;
        const auto restI = static_cast<long double>(sumI - meanI * count);
        const auto restJ = static_cast<long double>(sumJ - meanJ * count);
        const auto n = static_cast<long double>(count);
        covariance[i][j] = covariance[j][i] =
          static_cast<double>((static_cast<long double>(around) - restI / n * restJ) / n);
      }
    }
  }

private:
  /** The sum of x^2 over 0 <= x < end. */
  static UInt128
  SquaresBelow(std::int64_t end)
  {
    const auto n = static_cast<UInt128>(end);
    return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
  }
};

/** No products. */
struct NoProducts
{
  void
  AddRun(const RowPosition &, std::int64_t, std::int64_t)
  {}
  void
  Merge(const NoProducts &)
  {}
};

/** Sums of integers of at most 32 bits, exact: |sum| < 2^31 * 2^62, sum of squares < 2^64 * 2^62. */
template <typename T>
struct ExactSums
{
  static constexpr bool IsExact = true;

  Int128  sum = 0;
  UInt128 squares = 0;

  void
  AddRun(const T * values, std::int64_t count)
  {
    constexpr std::int64_t block = 1 << 20;
    for (std::int64_t begin = 0; begin < count; begin += block)
    {
      std::int64_t  blockSum = 0;
      std::uint64_t narrowSquares = 0;
      for (std::int64_t i = begin; i < std::min(count, begin + block); ++i)
      {
        const auto value = static_cast<std::int64_t>(values[i]);
        blockSum += value;
        if constexpr (sizeof(T) <= 2)
        {
          narrowSquares += static_cast<std::uint64_t>(value * value);
        }
        else
        {
          squares +=
            static_cast<std::uint64_t>(value < 0 ? -value : value) * static_cast<UInt128>(value < 0 ? -value : value);
        }
      }
      sum += blockSum;
      squares += narrowSquares;
    }
  }

  void
  Merge(std::uint64_t, const ExactSums & other, std::uint64_t)
  {
    sum += other.sum;
    squares += other.squares;
  }

  void
  Finish(std::uint64_t voxels, IntensityMeasures & measures) const
  {
    const auto   count = static_cast<Int128>(voxels);
    const Int128 floorMean = sum / count;
    const Int128 rest = sum - floorMean * count;
    const Int128 aroundFloor = static_cast<Int128>(squares) - 2 * floorMean * sum + count * floorMean * floorMean;
    const auto   longCount = static_cast<long double>(voxels);
    const auto   longRest = static_cast<long double>(rest);
    const auto   deviation = static_cast<long double>(aroundFloor) - longRest * longRest / longCount;
    measures.sum = static_cast<double>(sum);
    measures.mean = static_cast<double>(static_cast<long double>(floorMean) + longRest / longCount);
    measures.standardDeviation =
      voxels > 1 ? static_cast<double>(std::sqrt(std::max(0.0L, deviation) / (longCount - 1))) : 0;
  }
};

/** Sums of floating-point values and wide integers: mean and squared deviation, combined pairwise as Chan, Golub and
 *  LeVeque do (1979), so that large means do not swallow small deviations. */
template <typename T>
struct FloatingSums
{
  static constexpr bool IsExact = false;

  double sum = 0;
  double mean = 0;
  double deviation = 0;
  double count = 0;

  void
  AddRun(const T * values, std::int64_t length)
  {
    FloatingSums run;
    run.count = static_cast<double>(length);
    for (std::int64_t i = 0; i < length; ++i)
    {
      run.sum += static_cast<double>(values[i]);
    }
    run.mean = run.sum / run.count;
    for (std::int64_t i = 0; i < length; ++i)
    {
      const double difference = static_cast<double>(values[i]) - run.mean;
      run.deviation += difference * difference;
    }
    Merge(0, run, 0);
  }

  void
  Merge(std::uint64_t, const FloatingSums & other, std::uint64_t)
  {
    if (other.count == 0)
    {
      return;
    }
    const double total = count + other.count;
    const double difference = other.mean - mean;
    sum += other.sum;
    deviation += other.deviation + difference * difference * count / total * other.count;
    mean += difference * other.count / total;
    count = total;
  }

  void
  Finish(std::uint64_t, IntensityMeasures & measures) const
  {
    measures.sum = sum;
    measures.mean = sum / count;
    measures.standardDeviation = count > 1 ? std::sqrt(deviation / (count - 1)) : 0;
  }
};

/** No intensity image. */
struct NoSums
{
  static constexpr bool IsExact = true;

  void
  Merge(std::uint64_t, const NoSums &, std::uint64_t)
  {}
  void
  Finish(std::uint64_t, IntensityMeasures &) const
  {}
};

template <typename T>
struct SumsOf
{
  using Type = std::conditional_t<std::is_integral_v<T> && sizeof(T) <= 4, ExactSums<T>, FloatingSums<T>>;
};

template <>
struct SumsOf<void>
{
  using Type = NoSums;
};

/** All that is collected of one component. */
template <typename TSums, typename TProducts>
struct ComponentSums
{
  static constexpr bool IsExact = TSums::IsExact;

  ShapeSums shape;
  TProducts products;
  double    lowest = std::numeric_limits<double>::infinity();
  double    highest = -std::numeric_limits<double>::infinity();
  TSums     intensity;

  void
  Merge(const ComponentSums & other)
  {
    intensity.Merge(shape.voxels, other.intensity, other.shape.voxels);
    shape.Merge(other.shape);
    products.Merge(other.products);
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
  }
};

} // namespace brickccl

#endif
