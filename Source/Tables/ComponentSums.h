#ifndef BRICKCCL_TABLES_COMPONENTSUMS_H
#define BRICKCCL_TABLES_COMPONENTSUMS_H

#include "BrickCCL/Geometry/DoubleDouble.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Measuring/JoinRuns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

/** What is summed up over the runs of a component, with the rules that combine partial sums. */
namespace brickccl
{

/** Measures of the intensities under one component. NaN voxels make the sum, mean and deviation NaN and are left out
 *  of the extremes. */
struct IntensityMeasures
{
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  double mean = 0;
  /** Of the sample (divided by n - 1), 0 for a single voxel, as in itk::LabelStatisticsImageFilter. */
  double standardDeviation = 0;
};

/** The index of a voxel. */
struct VoxelIndex
{
  std::int64_t at[MaximumDimension] = {};
};

/** Sums over the voxels of a component; exact, so any order of merging gives the same. Bounds: no image has 2^62
 *  voxels, and index sums are checked to stay below 2^63. */
struct ShapeSums
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;
  std::uint64_t indexSum[MaximumDimension] = {};
  std::int64_t  minimum[MaximumDimension];
  std::int64_t  maximum[MaximumDimension];
  /** In raster order, as its place in the buffer. */
  std::uint64_t firstVoxel = std::numeric_limits<std::uint64_t>::max();

  ShapeSums()
  {
    std::fill_n(minimum, MaximumDimension, std::numeric_limits<std::int64_t>::max());
    std::fill_n(maximum, MaximumDimension, std::numeric_limits<std::int64_t>::min());
  }

  void
  AddRun(const RowPosition & position, std::int64_t place, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    firstVoxel = std::min(firstVoxel, static_cast<std::uint64_t>(place));
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
    firstVoxel = std::min(firstVoxel, other.firstVoxel);
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      indexSum[axis] += other.indexSum[axis];
      minimum[axis] = std::min(minimum[axis], other.minimum[axis]);
      maximum[axis] = std::max(maximum[axis], other.maximum[axis]);
    }
  }
};

/** Voxels of one row that belong to one component: runs side by side. */
struct RowVoxels
{
  /** The first one, and one past the last. */
  std::int64_t begin;
  std::int64_t end;
  /** How many there are, and the sums of x and, where they are asked for, of x^2. */
  std::uint64_t count;
  std::uint64_t sum;
  std::uint64_t squares;

  /** Those of one run. */
  static RowVoxels
  OfRun(std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    // Of these, one is even; together they are below 2^32 * 2^31.
    const auto ends = static_cast<std::uint64_t>(begin + end - 1);
    // With c voxels from x = b on: sum of x^2 = (c (b + e)^2 + c (c^2 - 1) / 3) / 4, where e is the last one.
    return { begin, end, count, ends * count / 2, (ends * ends * count + (count * count - 1) * count / 3) / 4 };
  }
};

/** The same in a line of the cache, for up to 3 dimensions of less than 2^31 voxels each. Rows are to come in raster
 *  order. */
struct CompactShapeSums : simd::SumLine
{
  static constexpr bool IsExact = true;

  /** Of row y of slice z, whose first voxel is the place `rowPlace`. */
  void
  Add(std::int64_t y, std::int64_t z, std::int64_t rowPlace, const RowVoxels & voxels)
  {
    using Bounds = std::int32_t __attribute__((vector_size(16)));
    const Bounds bounds = { static_cast<std::int32_t>(voxels.begin),
                            static_cast<std::int32_t>(y),
                            static_cast<std::int32_t>(-voxels.end),
                            static_cast<std::int32_t>(-1 - y) };
    Bounds       low;
    std::memcpy(&low, lowest, sizeof(low));
    // Of new components, which are hard to foresee, nothing is set.
    const std::uint64_t ifNew = sums[0] == 0 ? ~std::uint64_t{ 0 } : 0;
    firstVoxel |= static_cast<std::uint64_t>(rowPlace + voxels.begin) & ifNew;
    lastSlice = z;
    sums[0] += voxels.count;
    sums[1] += voxels.sum;
    sums[2] += static_cast<std::uint64_t>(y) * voxels.count;
    sums[3] += static_cast<std::uint64_t>(z) * voxels.count;
    low = low < bounds ? low : bounds;
    std::memcpy(lowest, &low, sizeof(low));
  }

  void
  Merge(const CompactShapeSums & other)
  {
    if (other.sums[0] == 0)
    {
      return;
    }
    firstVoxel = sums[0] == 0 ? other.firstVoxel : std::min(firstVoxel, other.firstVoxel);
    lastSlice = std::max(lastSlice, other.lastSlice);
    for (int i = 0; i < 4; ++i)
    {
      sums[i] += other.sums[i];
      lowest[i] = std::min(lowest[i], other.lowest[i]);
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
      if (position.at[j - 1] == 0)
      {
        continue;
      }
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
  Covariance(int           dimension,
             std::uint64_t voxels,
             const std::uint64_t (&indexSum)[MaximumDimension],
             double (&covariance)[MaximumDimension][MaximumDimension]) const
  {
    const auto  count = static_cast<std::int64_t>(voxels);
    const auto  n = static_cast<long double>(count);
    Int128      sum[MaximumDimension];
    Int128      mean[MaximumDimension];
    long double rest[MaximumDimension];
    long double share[MaximumDimension];
    for (int axis = 0; axis < dimension; ++axis)
    {
      const auto ofAxis = static_cast<std::int64_t>(indexSum[axis]);
      sum[axis] = ofAxis;
      mean[axis] = ofAxis / count;
      rest[axis] = static_cast<long double>(ofAxis % count);
      share[axis] = rest[axis] / n;
    }
    for (int j = 0; j < dimension; ++j)
    {
      for (int i = 0; i <= j; ++i)
      {
        const Int128 around = static_cast<Int128>(products[j * (j + 1) / 2 + i]) - mean[i] * sum[j] - mean[j] * sum[i] +
                              mean[i] * mean[j] * count;
        const auto narrow = static_cast<std::int64_t>(around);
        // Numbers of 64 bits are converted by the processor.
        const long double value =
          narrow == around ? static_cast<long double>(narrow) : static_cast<long double>(around);
        covariance[i][j] = covariance[j][i] = static_cast<double>((value - share[i] * rest[j]) / n);
      }
    }
  }

  /** The same sums for indices that count from a voxel that lies `offset` before. */
  void
  Shift(std::uint64_t voxels, const std::uint64_t (&indexSum)[MaximumDimension], const std::int64_t * offset)
  {
    for (int j = 0; j < MaximumDimension; ++j)
    {
      for (int i = 0; i <= j; ++i)
      {
        const auto a = static_cast<UInt128>(offset[i]);
        const auto b = static_cast<UInt128>(offset[j]);
        products[j * (j + 1) / 2 + i] += a * indexSum[j] + b * indexSum[i] + a * b * voxels;
      }
    }
  }

private:
  /** The sum of x^2 over 0 <= x < end. */
  static UInt128
  SquaresBelow(std::int64_t end)
  {
    if (end < std::int64_t{ 1 } << 20)
    {
      const auto n = static_cast<std::uint64_t>(end);
      return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
    }
    const auto n = static_cast<UInt128>(end);
    return (n - 1) * n * (2 * n - 1) / 6;
  }
};

/** ShapeSums and sums of products. */
struct MomentSums
{
  static constexpr bool IsExact = true;

  ShapeSums   shape;
  ProductSums products;

  void
  AddRun(const RowPosition & position, std::int64_t place, std::int64_t begin, std::int64_t end)
  {
    shape.AddRun(position, place, begin, end);
    products.AddRun(position, begin, end);
  }

  void
  CopyProducts(ProductSums & to) const
  {
    to = products;
  }

  void
  Merge(const MomentSums & other)
  {
    shape.Merge(other.shape);
    products.Merge(other.products);
  }
};

/** CompactShapeSums and sums of products in 64 bits, for images of up to 3 dimensions that Fit. */
struct CompactMomentSums
{
  static constexpr bool IsExact = true;

  CompactShapeSums shape;
  /** As in ProductSums, of 3 axes. */
  std::uint64_t products[6] = {};

  static bool
  Fit(const Extent & extent)
  {
    const auto longest = static_cast<UInt128>(*std::max_element(extent.size, extent.size + MaximumDimension));
    return extent.dimension <= 3 && longest < 0x7fffffff &&
           static_cast<UInt128>(extent.VoxelCount()) * longest * longest < UInt128{ 1 } << 62;
  }

  void
  Add(std::int64_t y, std::int64_t z, std::int64_t rowPlace, const RowVoxels & voxels)
  {
    shape.Add(y, z, rowPlace, voxels);
    const auto wide = static_cast<std::uint64_t>(y);
    const auto deep = static_cast<std::uint64_t>(z);
    products[0] += voxels.squares;
    products[1] += wide * voxels.sum;
    products[2] += wide * wide * voxels.count;
    products[3] += deep * voxels.sum;
    products[4] += wide * deep * voxels.count;
    products[5] += deep * deep * voxels.count;
  }

  void
  CopyProducts(ProductSums & to) const
  {
    std::copy_n(products, 6, to.products);
  }

  void
  Merge(const CompactMomentSums & other)
  {
    shape.Merge(other.shape);
    for (int i = 0; i < 6; ++i)
    {
      products[i] += other.products[i];
    }
  }
};

/** A component's size, and the sums of its voxels' indices and of their products, which count from the image's first
 *  voxel. */
struct ComponentMoments
{
  /** 0 if there is nothing but the size. */
  int           dimension = 0;
  std::uint64_t voxelCount = 0;
  std::uint64_t indexSum[MaximumDimension] = {};
  ProductSums   products;

  double
  Centroid(int axis) const
  {
    return static_cast<double>(indexSum[axis]) / static_cast<double>(voxelCount);
  }
  void
  Covariance(double (&covariance)[MaximumDimension][MaximumDimension]) const
  {
    products.Covariance(dimension, voxelCount, indexSum, covariance);
  }
};

/** Sums of the intensities under a component, in a form that does not depend on their type. */
struct IntensitySums
{
  /** Of integers: exact, |sum| < 2^64 * 2^62. */
  bool   isWhole = false;
  Int128 wholeSum = 0;
  /** Of integers of at most 32 bits: exact, < 2^64 * 2^62. */
  bool    hasSquares = false;
  UInt128 squares = 0;

  /** Of other types than integers. */
  DoubleDouble sum;
  /** Where there are no squares: mean and squared deviation, combined pairwise as Chan, Golub and LeVeque do (1979).
   *  The mean has twice the digits of a double: of values with a large offset, deviations are as good as of those
   *  without. */
  DoubleDouble mean;
  double       deviation = 0;

  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();

  /** Whether sums of integers of a type leave nothing to rounding, so that their order does not matter. */
  template <typename T>
  static constexpr bool HasSquares = std::is_integral_v<T> && sizeof(T) <= 4;

  /** `ownVoxels` and `otherVoxels` were summed. */
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

  /** The mean as a whole number, or a double, and the rest. */
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
    const auto   count = static_cast<Int128>(voxels);
    const Int128 whole = wholeSum / count;
    return { static_cast<long double>(whole),
             static_cast<long double>(wholeSum - whole * count) / static_cast<long double>(voxels) };
  }

  IntensityMeasures
  Measures(std::uint64_t voxels) const
  {
    IntensityMeasures measures;
    measures.minimum = minimum;
    measures.maximum = maximum;
    if (isWhole)
    {
      const SplitMean split = MeanOf(voxels);
      measures.sum = static_cast<double>(wholeSum);
      measures.mean = static_cast<double>(split.main + split.rest);
    }
    else
    {
      measures.sum = sum.Rounded();
      measures.mean = sum.Over(static_cast<double>(voxels));
    }
    if (voxels > 1)
    {
      measures.standardDeviation =
        hasSquares ? DeviationFromSquares(voxels) : std::sqrt(deviation / static_cast<double>(voxels - 1));
    }
    return measures;
  }

private:
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

#endif
