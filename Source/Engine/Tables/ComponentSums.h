// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/WideInteger.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

/** The sums over the runs of a component, and how partial sums are combined. */
namespace brickccl
{

/** Sums over the voxels of a component. They are exact, so that every order of merging gives the same. No image has
 *  2^62 voxels, and index sums are checked to stay below 2^63. */
struct ShapeSums
{
  static constexpr bool IsExact = true;
  /** The index sum along an axis along which a component of a periodic image has no place. */
  static constexpr std::uint64_t NoSum = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t voxels = 0;
  std::uint64_t indexSum[MaximumDimension] = {};
  std::int64_t  minimum[MaximumDimension];
  std::int64_t  maximum[MaximumDimension];
  /** The first voxel in raster order, as its place in the buffer. */
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
    // One of begin + (end - 1) and count is even.
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

  /** For a component that meets its own copy along an axis of this many voxels. */
  void
  SetWraps(int axis, std::int64_t size)
  {
    minimum[axis] = 0;
    maximum[axis] = size - 1;
    indexSum[axis] = NoSum;
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

/** Neighboring voxels of one row that belong to one component, in one or more runs. */
struct RowVoxels
{
  /** The first one, and one past the last. */
  std::int64_t begin;
  std::int64_t end;
  /** Their number, and the sums of their x and x^2. */
  std::uint64_t count;
  std::uint64_t sum;
  std::uint64_t squares;

  /** The voxels of one run. */
  static RowVoxels
  OfRun(std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    // One of the factors is even; their product is below 2^32 * 2^31.
    const auto ends = static_cast<std::uint64_t>(begin + end - 1);
    // With c voxels from x = b on: sum of x^2 = (c (b + e)^2 + c (c^2 - 1) / 3) / 4, where e is the last one.
    return { begin, end, count, ends * count / 2, (ends * ends * count + (count * count - 1) * count / 3) / 4 };
  }

  /** Adds voxels behind these. */
  void
  Append(const RowVoxels & later)
  {
    end = later.end;
    count += later.count;
    sum += later.sum;
    squares += later.squares;
  }
};

/** The same sums in one cache line, for up to 3 dimensions of less than 2^31 voxels each. Rows must come in raster
 *  order. */
struct alignas(64) CompactShapeSums
{
  static constexpr bool IsExact = true;

  /** The number of voxels, and the sums of their indices. */
  std::uint64_t sums[4] = {};
  /** The lowest indices along x and y, then the complements (-1 - index) of the highest ones. */
  std::int32_t  lowest[4] = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
  std::uint64_t firstVoxel = 0;
  std::int64_t  lastSlice = 0;

  /** Adds voxels of row y in slice z. \param rowPlace  the place of the row's first voxel. */
  void
  Add(std::int64_t y, std::int64_t z, std::int64_t rowPlace, const RowVoxels & voxels)
  {
    const auto xBegin = static_cast<std::int32_t>(voxels.begin);
    const auto yBegin = static_cast<std::int32_t>(y);
    const auto xEnd = static_cast<std::int32_t>(-voxels.end);
    const auto yEnd = static_cast<std::int32_t>(-1 - y);
    // A new component has nothing set yet. A branch on that would be hard to predict.
    const std::uint64_t ifNew = sums[0] == 0 ? ~std::uint64_t{ 0 } : 0;
    firstVoxel |= static_cast<std::uint64_t>(rowPlace + voxels.begin) & ifNew;
    lastSlice = z;
    sums[0] += voxels.count;
    sums[1] += voxels.sum;
    sums[2] += static_cast<std::uint64_t>(y) * voxels.count;
    sums[3] += static_cast<std::uint64_t>(z) * voxels.count;
#if defined(__GNUC__)
    using Bounds = std::int32_t __attribute__((vector_size(16)));
    const Bounds bounds = { xBegin, yBegin, xEnd, yEnd };
    Bounds       low;
    std::memcpy(&low, lowest, sizeof(low));
    low = low < bounds ? low : bounds;
    std::memcpy(lowest, &low, sizeof(low));
#else
    const std::int32_t bounds[] = { xBegin, yBegin, xEnd, yEnd };
    for (int i = 0; i < 4; ++i)
    {
      lowest[i] = std::min(lowest[i], bounds[i]);
    }
#endif
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
  /** The sum for the axes i <= j is at j (j + 1) / 2 + i. */
  UInt128 products[MaximumDimension * (MaximumDimension + 1) / 2] = {};

  void
  AddRun(const RowPosition & position, std::int64_t begin, std::int64_t end)
  {
    const auto count = static_cast<std::uint64_t>(end - begin);
    // The sum of x; the sum of x^2 is a difference of sums from 0 on.
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

  /** The covariances of the indices. The whole part of each mean is taken off in integers, so that the numbers that
   *  are rounded afterwards are no larger than the answer. */
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
        // The processor converts numbers of 64 bits by itself.
        const long double value =
          narrow == around ? static_cast<long double>(narrow) : static_cast<long double>(around);
        covariance[i][j] = covariance[j][i] = static_cast<double>((value - share[i] * rest[j]) / n);
      }
    }
  }

  /** Converts the sums to indices relative to a voxel `offset` before the present one. */
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

/** CompactShapeSums and sums of products in 64 bits, for images that Fit. */
struct CompactMomentSums
{
  static constexpr bool IsExact = true;

  CompactShapeSums shape;
  /** The products as in ProductSums, of 3 axes. */
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

/** The size of a component, and the sums of its voxels' indices and of the products of two indices. Indices count from
 *  the image's first voxel. */
struct ComponentMoments
{
  /** The number of axes; 0 if only the size is known. */
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

} // namespace brickccl
