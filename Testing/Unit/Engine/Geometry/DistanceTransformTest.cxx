// SPDX-License-Identifier: Apache-2.0
// Distances to voxels outside a voxel's component, compared with distances pair by pair.

#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace brickccl
{
namespace
{

UninitializedVector<std::uint32_t>
RandomLabels(const Extent & extent, std::int64_t grain, std::uint32_t values, double background, std::uint64_t seed)
{
  auto labels = MakeUnset<std::uint32_t>(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t y = i / extent.size[0] % extent.size[1];
    const std::int64_t z = i / extent.size[0] / extent.size[1];
    const auto         cell =
      static_cast<std::uint64_t>(i % extent.size[0] / grain + 1000 * (y / grain) + 1000000 * (z / grain));
    labels[static_cast<std::size_t>(i)] =
      UniformOf(seed, cell) < background ? 0 : static_cast<std::uint32_t>(1 + HashOf(seed + 1, cell) % values);
  }
  return labels;
}

/** The squared distance from a voxel's center to the nearest voxel of another label, all within and a layer around the
 *  image looked at. */
double
DistanceByPairs(const Extent &                             extent,
                const Geometry &                           geometry,
                const UninitializedVector<std::uint32_t> & labels,
                std::int64_t                               i)
{
  const std::int64_t at[3] = { i % extent.size[0],
                               i / extent.size[0] % extent.size[1],
                               i / extent.size[0] / extent.size[1] };
  const auto         label = labels[static_cast<std::size_t>(i)];
  double             nearest = std::numeric_limits<double>::infinity();
  std::int64_t       low[3] = {};
  std::int64_t       high[3] = {};
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    low[axis] = -1;
    high[axis] = extent.size[axis];
  }
  for (std::int64_t z = low[2]; z <= high[2]; ++z)
  {
    for (std::int64_t y = low[1]; y <= high[1]; ++y)
    {
      for (std::int64_t x = low[0]; x <= high[0]; ++x)
      {
        const std::int64_t other[3] = { x, y, z };
        bool               isInside = true;
        double             square = 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          isInside = isInside && other[axis] >= 0 && other[axis] < extent.size[axis];
          const double steps = std::max(0.0, static_cast<double>(std::abs(other[axis] - at[axis])) - 0.5);
          square += steps * steps * geometry.spacing[axis] * geometry.spacing[axis];
        }
        if (!isInside || labels[static_cast<std::size_t>((z * extent.size[1] + y) * extent.size[0] + x)] != label)
        {
          nearest = std::min(nearest, square);
        }
      }
    }
  }
  return nearest;
}

void
ExpectAsByPairs(const Extent &                             extent,
                const Geometry &                           geometry,
                const UninitializedVector<std::uint32_t> & labels,
                int                                        threads)
{
  HostContext context;
  context.threads = threads;
  const auto squares = SquaredDistancesToOthers(extent, geometry, labels, context);
  ASSERT_EQ(squares.size(), labels.size());
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const auto at = static_cast<std::size_t>(i);
    if (labels[at] == 0)
    {
      ASSERT_EQ(squares[at], 0) << "voxel " << i;
      continue;
    }
    const double expected = DistanceByPairs(extent, geometry, labels, i);
    ASSERT_NEAR(static_cast<double>(squares[at]), expected, 1e-6 * expected) << "voxel " << i;
  }
}

Geometry
Spaced(double x, double y, double z)
{
  Geometry geometry;
  geometry.spacing[0] = x;
  geometry.spacing[1] = y;
  geometry.spacing[2] = z;
  return geometry;
}

TEST(DistanceTransform, OfRandomLabelsIsThatOfAllPairs)
{
  for (const Extent & extent :
       { Extent{ 40 }, Extent{ 23, 19 }, Extent{ 1, 37 }, Extent{ 11, 9, 13 }, Extent{ 18, 3, 7 } })
  {
    for (const std::int64_t grain : { 1, 3, 6 })
    {
      for (const auto & geometry : { Spaced(1, 1, 1), Spaced(0.5, 1.25, 2), Spaced(3, 0.1, 0.7) })
      {
        const auto seed = static_cast<std::uint64_t>(grain + 10 * extent.dimension);
        ExpectAsByPairs(extent, geometry, RandomLabels(extent, grain, 3, 0.3, seed), 1);
      }
    }
  }
}

TEST(DistanceTransform, IsTheSameOnSeveralThreadsAndOnMoreThanOneBundleOfLines)
{
  const Extent extent{ 35, 17, 5 };
  ExpectAsByPairs(extent, Spaced(0.5, 1.25, 2), RandomLabels(extent, 5, 2, 0.2, 5), 3);
}

TEST(DistanceTransform, TheImagesBorderBoundsComponents)
{
  const Extent extent{ 9, 9, 9 };
  auto         labels = MakeUnset<std::uint32_t>(729);
  std::fill(labels.begin(), labels.end(), 7u);
  const auto squares = SquaredDistancesToOthers(extent, Spaced(1, 1, 2), labels, {});
  EXPECT_EQ(squares[0], 0.25f);
  EXPECT_EQ(squares[364], 4.5f * 4.5f) << "the middle: x and y are nearer than z";
  ExpectAsByPairs(extent, Spaced(1, 1, 2), labels, 1);
}

TEST(DistanceTransform, TouchingComponentsBoundEachOther)
{
  const Extent        extent{ 6, 1 };
  auto                labels = MakeUnset<std::uint32_t>(6);
  const std::uint32_t values[] = { 1, 1, 1, 2, 2, 2 };
  std::copy(std::begin(values), std::end(values), labels.begin());
  const auto  squares = SquaredDistancesToOthers(extent, Spaced(1, 100, 1), labels, {});
  const float expected[] = { 0.25f, 2.25f, 0.25f, 0.25f, 2.25f, 0.25f };
  for (std::size_t i = 0; i < 6; ++i)
  {
    EXPECT_EQ(squares[i], expected[i]) << "voxel " << i;
  }
}

TEST(DistanceTransform, OfBackgroundAloneIsZero)
{
  const Extent extent{ 5, 4, 3 };
  auto         labels = MakeUnset<std::uint32_t>(60);
  std::fill(labels.begin(), labels.end(), 0u);
  ExpectAsByPairs(extent, Spaced(1, 1, 1), labels, 1);
}

} // namespace
} // namespace brickccl
