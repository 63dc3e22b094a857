// SPDX-License-Identifier: Apache-2.0
#include "SkewGeometry.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace brickccl
{
namespace
{

/** The table of a mask with its shape columns. */
ComponentTable
ShapesOf(const std::vector<std::uint8_t> & voxels,
         const Extent &                    extent,
         const Geometry &                  geometry = {},
         int                               threads = 0)
{
  LabelOptions options;
  options.connectivity = Connectivity::Full(extent.dimension);
  options.geometry = geometry;
  options.threads = threads;
  options.device = { Device::Kind::Cpu, 0 };
  return Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("shape") });
}

TEST(Moments, MomentsEqualTheSumsOverVoxels)
{
  const Extent         extent{ 70, 24, 15 };
  const auto           voxels = MakeRandom(extent, 0.15, 3, 5);
  const Geometry       geometry = SkewGeometry();
  const ComponentTable table = ShapesOf(voxels, extent, geometry);
  LabelOptions         options;
  options.connectivity = Connectivity::Full(3);
  std::vector<std::uint32_t> labels(voxels.size());
  Label(ImageView(voxels.data(), extent), options).Write(labels.data());
  ASSERT_GT(table.components.size(), 3u);
  ASSERT_EQ(table.measures.Of<ShapeMeasures>().size(), table.components.size());
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    long double count = 0, sum[3] = {}, products[3][3] = {};
    for (int pass = 0; pass < 2; ++pass)
    {
      for (std::size_t i = 0; i < labels.size(); ++i)
      {
        if (labels[i] != c + 1)
        {
          continue;
        }
        const auto   linear = static_cast<std::int64_t>(i);
        const double index[3] = { static_cast<double>(linear % extent.size[0]),
                                  static_cast<double>(linear / extent.size[0] % extent.size[1]),
                                  static_cast<double>(linear / extent.size[0] / extent.size[1]) };
        double       point[3];
        geometry.IndexToPhysical(3, index, point);
        count += pass == 0 ? 1 : 0;
        for (int a = 0; a < 3; ++a)
        {
          sum[a] += pass == 0 ? static_cast<long double>(point[a]) : 0;
          for (int b = 0; b < 3 && pass == 1; ++b)
          {
            products[a][b] += (point[a] - sum[a] / count) * (point[b] - sum[b] / count);
          }
        }
      }
    }
    const char * const axes[] = { "x", "y", "z" };
    double             trace = 0, principal = 0;
    for (int a = 0; a < 3; ++a)
    {
      for (int b = a; b < 3; ++b)
      {
        EXPECT_NEAR(ValueOf(table, c, std::string("covariance_") + axes[a] + axes[b] + "_mm2"),
                    static_cast<double>(products[a][b] / count),
                    1e-10);
      }
      trace += static_cast<double>(products[a][a] / count);
      const std::string number = std::to_string(a + 1);
      const double      moment = ValueOf(table, c, "principal_moment_" + number + "_mm2");
      principal += moment;
      // Each axis is a direction of its moment: C v = m v.
      double v[3];
      for (int b = 0; b < 3; ++b)
      {
        v[b] = ValueOf(table, c, "principal_axis_" + number + "_" + axes[b]);
      }
      EXPECT_NEAR(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1, 1e-12);
      for (int row = 0; row < 3; ++row)
      {
        double product = 0;
        for (int b = 0; b < 3; ++b)
        {
          product += static_cast<double>(products[row][b] / count) * v[b];
        }
        EXPECT_NEAR(product, moment * v[row], 1e-9 * (1 + trace));
      }
    }
    EXPECT_NEAR(principal, trace, 1e-9 * (1 + trace));
  }
}

TEST(Moments, MomentsOfBallsAndBoxesAreThoseOfTheSolids)
{
  // A ball of radius 20 voxels, seen with voxels of any size, has its diameter along all axes.
  Geometry geometry;
  geometry.spacing[0] = geometry.spacing[1] = geometry.spacing[2] = 0.3;
  const Extent              extent{ 45, 45, 45 };
  std::vector<std::uint8_t> ball;
  std::vector<std::uint8_t> box;
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t x = i % 45 - 22, y = i / 45 % 45 - 22, z = i / 45 / 45 - 22;
    ball.push_back(x * x + y * y + z * z <= 400);
    box.push_back(std::abs(x) <= 15 && std::abs(y) <= 10 && std::abs(z) <= 5);
  }
  const ComponentTable balls = ShapesOf(ball, extent, geometry);
  for (const char * const name : { "axis_length_1_mm", "axis_length_3_mm", "ellipsoid_diameter_2_mm" })
  {
    EXPECT_NEAR(ValueOf(balls, 0, name), 12, 0.05) << name;
  }
  EXPECT_NEAR(ValueOf(balls, 0, "elongation"), 1, 1e-9);
  const ComponentTable boxes = ShapesOf(box, extent);
  // The variance of n numbers in a row is (n^2 - 1) / 12.
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_1_mm2"), (11 * 11 - 1) / 12.0);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_2_mm2"), (21 * 21 - 1) / 12.0);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_3_mm2"), (31 * 31 - 1) / 12.0);
  EXPECT_EQ(ValueOf(boxes, 0, "principal_axis_3_x"), 1);
  EXPECT_EQ(ValueOf(boxes, 0, "principal_axis_1_z"), 1);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "elongation"), std::sqrt(960.0 / 440));
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "flatness"), std::sqrt(440.0 / 120));
}

TEST(Moments, MomentsOfPointsLinesAndPlanesAreFinite)
{
  const Extent              extent{ 21, 21, 21 };
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const auto                set = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    voxels[static_cast<std::size_t>((z * 21 + y) * 21 + x)] = 1;
  };
  set(0, 0, 0);
  for (std::int64_t i = 3; i < 12; ++i)
  {
    set(i, i, 4);
    set(18, i, 18);
    set(19, i, 18);
  }
  const ComponentTable table = ShapesOf(voxels, extent, SkewGeometry());
  ASSERT_EQ(table.components.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c)
  {
    for (const ComponentColumn & column : ColumnsOf(table))
    {
      const double value =
        std::visit([](auto number) { return static_cast<double>(number); }, column.value(table, table.components[c]));
      EXPECT_TRUE(std::isfinite(value)) << column.name;
    }
    EXPECT_EQ(ValueOf(table, c, "principal_moment_1_mm2"), 0);
    EXPECT_EQ(ValueOf(table, c, "flatness"), 0);
    EXPECT_EQ(ValueOf(table, c, "ellipsoid_diameter_3_mm"), 0);
  }
  EXPECT_EQ(ValueOf(table, 0, "axis_length_3_mm"), 0) << "a voxel";
  EXPECT_EQ(ValueOf(table, 1, "principal_moment_2_mm2"), 0) << "a line";
  EXPECT_EQ(ValueOf(table, 1, "elongation"), 0) << "a line";
  EXPECT_GT(ValueOf(table, 2, "principal_moment_2_mm2"), 0) << "a plane";
  EXPECT_GT(ValueOf(table, 2, "elongation"), 1) << "a plane";
}

TEST(Moments, MomentsFarFromTheOriginLoseNothing)
{
  // A pair of voxels at the end of a long row: a variance of 1/4. Sums of squares of the whole row are up to 2^60 / 3,
  // within sums of 64 bits, or near 2^63.
  for (const std::int64_t length : { (std::int64_t{ 1 } << 20) - 1, (std::int64_t{ 1 } << 22) + 7 })
  {
    const Extent              extent{ length };
    std::vector<std::uint8_t> voxels(static_cast<std::size_t>(length), 0);
    voxels[voxels.size() - 2] = voxels[voxels.size() - 1] = 1;
    EXPECT_EQ(ValueOf(ShapesOf(voxels, extent), 0, "covariance_xx_mm2"), 0.25);
    std::fill(voxels.begin(), voxels.end(), std::uint8_t{ 1 });
    const auto voxelCount = static_cast<double>(length);
    EXPECT_DOUBLE_EQ(ValueOf(ShapesOf(voxels, extent), 0, "covariance_xx_mm2"), (voxelCount * voxelCount - 1) / 12);
  }
}

TEST(Moments, ShapesAreTheSameForEveryNumberOfThreads)
{
  const Extent extent{ 200, 80, 60 };
  const auto   voxels = MakeRandom(extent, 0.1, 2, 8);
  std::string  expected;
  for (const int threads : { 1, 2, 5 })
  {
    std::ostringstream text;
    WriteDelimited(text, ShapesOf(voxels, extent, SkewGeometry(), threads), ',');
    expected = threads == 1 ? text.str() : expected;
    EXPECT_EQ(text.str(), expected) << threads << " threads";
  }
}

} // namespace
} // namespace brickccl
