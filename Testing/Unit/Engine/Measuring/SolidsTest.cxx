// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brickccl
{
namespace
{

/** An ellipsoid with semi-axes of 5 : 3 : 2 parts of `largest` voxels, turned about two axes. */
std::vector<std::uint16_t>
TurnedEllipsoid(const Extent & extent, double largest)
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  const double               c = std::cos(0.7), s = std::sin(0.7), d = std::cos(0.4), t = std::sin(0.4);
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto   place = static_cast<std::int64_t>(i);
    const double x = static_cast<double>(place % extent.size[0]) - static_cast<double>(extent.size[0]) / 2 + 0.3;
    const double y =
      static_cast<double>(place / extent.size[0] % extent.size[1]) - static_cast<double>(extent.size[1]) / 2 + 0.1;
    const double z =
      static_cast<double>(place / extent.size[0] / extent.size[1]) - static_cast<double>(extent.size[2]) / 2 - 0.2;
    const double u = c * x + s * y;
    const double v = d * (-s * x + c * y) + t * z;
    const double w = -t * (-s * x + c * y) + d * z;
    const double a = u / largest, b = v / (0.6 * largest), e = w / (0.4 * largest);
    labels[i] = a * a + b * b + e * e <= 1 ? 1 : 0;
  }
  return labels;
}

TEST(Measures, OfTurnedEllipsoidsConvergeToTheSolids)
{
  double lastError = 1;
  for (const double largest : { 10.0, 20.0, 40.0 })
  {
    const auto   side = static_cast<std::int64_t>(2 * largest + 6);
    const Extent extent{ side, side, side };
    const auto   table =
      MeasureLabels(extent, TurnedEllipsoid(extent, largest), "shape,feret,surface,topology,inscribed");
    ASSERT_EQ(table.components.size(), 1u);
    const double semi[3] = { 0.4 * largest, 0.6 * largest, largest };
    double       error = std::abs(ValueOf(table, 0, "volume_mm3") / (4 * M_PI / 3 * semi[0] * semi[1] * semi[2]) - 1);
    for (int i = 0; i < 3; ++i)
    {
      const std::string number = std::to_string(i + 1);
      error = std::max(error, std::abs(ValueOf(table, 0, "axis_length_" + number + "_mm") / (2 * semi[i]) - 1));
      // Voxels whose centers are inside reach at most half a diagonal beyond the surface.
      EXPECT_NEAR(ValueOf(table, 0, "oriented_box_size_" + number + "_mm"), 2 * semi[i], 2 * std::sqrt(3.0));
    }
    EXPECT_NEAR(ValueOf(table, 0, "feret_diameter_mm"), 2 * largest, 1);
    EXPECT_NEAR(ValueOf(table, 0, "enclosing_sphere_diameter_mm"), 2 * largest, 2);
    EXPECT_NEAR(ValueOf(table, 0, "inscribed_sphere_diameter_mm"), 2 * semi[0], 2 * std::sqrt(3.0));
    EXPECT_EQ(ValueOf(table, 0, "euler_number_26"), 1);
    // Knud Thomsen's formula, within 1.1 %.
    const auto   power = [](double x) { return std::pow(x, 1.6075); };
    const double surface =
      4 * M_PI *
      std::pow((power(semi[0] * semi[1]) + power(semi[0] * semi[2]) + power(semi[1] * semi[2])) / 3, 1 / 1.6075);
    EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2"), surface, 0.04 * surface);
    EXPECT_LT(error, 0.25 / largest) << "falls at least as one over the size";
    EXPECT_LT(error, lastError);
    lastError = error;
  }
}

/** A solid of the size 1 around the origin, inside the ball of radius 1. */
struct Solid
{
  const char * name;
  bool (*isInside)(double, double, double);
  double volume;
  double moments[3];
};

bool
InBall(double x, double y, double z)
{
  return x * x + y * y + z * z <= 1;
}

bool
InEllipsoid(double x, double y, double z)
{
  return x * x + y * y / 0.36 + z * z / 0.16 <= 1;
}

bool
InBox(double x, double y, double z)
{
  return std::abs(x) <= 0.8 && std::abs(y) <= 0.5 && std::abs(z) <= 0.3;
}

bool
InTorus(double x, double y, double z)
{
  const double ring = std::sqrt(x * x + y * y) - 0.7;
  return ring * ring + z * z <= 0.09;
}

const Solid Solids[] = {
  { "ball", InBall, M_PI * 4 / 3, { 0.2, 0.2, 0.2 } },
  { "ellipsoid", InEllipsoid, M_PI * 4 / 3 * 0.6 * 0.4, { 0.16 / 5, 0.36 / 5, 0.2 } },
  { "box", InBox, 8 * 0.8 * 0.5 * 0.3, { 0.09 / 3, 0.25 / 3, 0.64 / 3 } },
  { "torus", InTorus, 2 * 0.7 * 0.09 * M_PI * M_PI, { 0.09 / 4, (0.49 + 0.75 * 0.09) / 2, (0.49 + 0.75 * 0.09) / 2 } }
};

/** The solid, `size` voxels large, turned about two axes and anywhere between the voxels. */
std::vector<std::uint16_t>
Sampled(const Solid & solid, const Extent & extent, double size, std::uint64_t seed)
{
  const double c = std::cos(0.7), s = std::sin(0.7), d = std::cos(0.4), t = std::sin(0.4);
  double       center[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    center[axis] = static_cast<double>(extent.size[axis]) / 2 - 1 + UniformOf(seed, static_cast<std::uint64_t>(axis));
  }
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto   place = static_cast<std::int64_t>(i);
    const double x = (static_cast<double>(place % extent.size[0]) - center[0]) / size;
    const auto   row = place / extent.size[0];
    const auto   slice = row / extent.size[1];
    const double y = (static_cast<double>(row % extent.size[1]) - center[1]) / size;
    const double z = (static_cast<double>(slice) - center[2]) / size;
    const double v = -s * x + c * y;
    labels[i] = solid.isInside(c * x + s * y, d * v + t * z, -t * v + d * z) ? 1 : 0;
  }
  return labels;
}

TEST(Measures, ConvergeAtTheirKnownRates)
{
  // The number of lattice points in a convex solid with a curved surface is off by R, the square root of the surface,
  // where the solid of the size R may be anywhere (Kendall, On the number of lattice points inside a random oval,
  // 1948): volumes and second moments are off by R^-2 of themselves. Where planes touch the solid along faces (the box)
  // or circles (the torus) the rate is reached late. Lengths are off by a voxel or two, R^-1.
  for (const Solid & solid : Solids)
  {
    double           sumX = 0, sumXX = 0;
    double           sumY[2] = {}, sumXY[2] = {};
    constexpr double sizes[] = { 7, 14, 28, 56 };
    for (const double size : sizes)
    {
      const auto    side = static_cast<std::int64_t>(2 * size + 5);
      const Extent  extent{ side, side, side };
      double        squares[2] = {};
      constexpr int positions = 8;
      for (std::uint64_t seed = 0; seed < positions; ++seed)
      {
        const auto table = MeasureLabels(extent, Sampled(solid, extent, size, seed), "shape,feret");
        ASSERT_EQ(table.components.size(), 1u);
        const double volume = ValueOf(table, 0, "volume_mm3") / (solid.volume * size * size * size) - 1;
        squares[0] += volume * volume / positions;
        for (int axis = 0; axis < 3; ++axis)
        {
          const std::string column = "principal_moment_" + std::to_string(axis + 1) + "_mm2";
          const double      moment = ValueOf(table, 0, column) / (solid.moments[axis] * size * size) - 1;
          squares[1] += moment * moment / (3 * positions);
        }
        const double reach = std::string(solid.name) == "box" ? std::sqrt(0.64 + 0.25 + 0.09) : 1;
        EXPECT_NEAR(ValueOf(table, 0, "feret_diameter_mm"), 2 * reach * size, 2) << solid.name << " of " << size;
        EXPECT_NEAR(ValueOf(table, 0, "enclosing_sphere_diameter_mm"), 2 * reach * size, 2)
          << solid.name << " of " << size;
      }
      sumX += std::log(size);
      sumXX += std::log(size) * std::log(size);
      for (int i = 0; i < 2; ++i)
      {
        const double error = std::log(squares[i]) / 2;
        sumY[i] += error;
        sumXY[i] += error * std::log(size);
      }
    }
    const bool isRound = std::string(solid.name) == "ball" || std::string(solid.name) == "ellipsoid";
    for (int i = 0; i < 2; ++i)
    {
      const double rate = (4 * sumXY[i] - sumX * sumY[i]) / (4 * sumXX - sumX * sumX);
      if (isRound)
      {
        EXPECT_NEAR(rate, -2, 0.3) << solid.name;
      }
      else
      {
        EXPECT_LT(rate, -1.5) << solid.name;
      }
    }
  }
}

TEST(Measures, OfATorus)
{
  const Extent extent{ 100, 100, 40 };
  const auto   torus = Filled(extent, [](double x, double y, double z) {
    // Off the lattice, which would have dozens of points on the surface.
    const double ring = std::sqrt((x - 50.3) * (x - 50.3) + (y - 49.8) * (y - 49.8)) - 32;
    return ring * ring + (z - 20.4) * (z - 20.4) < 100;
  });
  const auto   table = MeasureLabels(extent, torus, "surface,topology,inscribed,shape");
  EXPECT_NEAR(ValueOf(table, 0, "volume_mm3"), 2 * M_PI * M_PI * 32 * 100, 0.005 * 2 * M_PI * M_PI * 32 * 100);
  EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2"), 4 * M_PI * M_PI * 32 * 10, 0.03 * 4 * M_PI * M_PI * 32 * 10);
  EXPECT_NEAR(ValueOf(table, 0, "inscribed_sphere_diameter_mm"), 20, 2 * std::sqrt(3.0));
  EXPECT_EQ(ValueOf(table, 0, "tunnels_less_cavities_26"), 1);
  EXPECT_NEAR(ValueOf(table, 0, "principal_moment_1_mm2"), 25, 0.5) << "r^2 / 4";
}

TEST(Measures, AnglesOfTheLongestAxis)
{
  const Extent               extent{ 30, 30, 30 };
  std::vector<std::uint16_t> labels(27000);
  for (std::size_t i = 0; i < 20; ++i)
  {
    labels[(std::size_t{ 5 } * 30 + 4 + i) * 30 + 4 + i] = 1;   // x = y
    labels[(4 + i) * 900 + std::size_t{ 25 } * 30 + 2] = 2;     // along z
    labels[(std::size_t{ 29 } * 30 + 28 - i) * 30 + 3 + i] = 3; // x = -y
  }
  const auto table = MeasureLabels(extent, labels, "shape");
  EXPECT_NEAR(ValueOf(table, 0, "azimuth_deg"), 45, 1e-9);
  EXPECT_NEAR(ValueOf(table, 0, "inclination_deg"), 0, 1e-9);
  EXPECT_NEAR(ValueOf(table, 1, "inclination_deg"), 90, 1e-9);
  EXPECT_NEAR(ValueOf(table, 2, "azimuth_deg"), -45, 1e-9);
}

} // namespace
} // namespace brickccl
