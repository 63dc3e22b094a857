// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace brickccl
{
namespace
{

/** All corners of a component's voxels, taken as boxes, as physical points. */
std::vector<std::array<double, 3>>
CornersOf(const std::vector<Index> & voxels, const Geometry & geometry, int dimension, double half = 0.5)
{
  std::vector<std::array<double, 3>> corners;
  for (const Index & voxel : voxels)
  {
    for (int corner = 0; corner < 1 << dimension; ++corner)
    {
      double index[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        index[axis] = static_cast<double>(voxel[static_cast<std::size_t>(axis)]) + (corner >> axis & 1 ? half : -half);
      }
      std::array<double, 3> point{};
      geometry.IndexToPhysical(dimension, index, point.data());
      corners.push_back(point);
    }
  }
  return corners;
}

double
Distance(const std::array<double, 3> & a, const std::array<double, 3> & b)
{
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

void
CheckExtents(const Extent & extent, const std::vector<std::uint16_t> & labels, const Geometry & geometry)
{
  const auto table = MeasureLabels(extent, labels, "feret,shape", geometry);
  const auto voxels = VoxelsOf(extent, labels);
  ASSERT_GT(table.components.size(), 1u);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    const auto & own = voxels.at(table.components[c].label);
    const auto   centers = CornersOf(own, geometry, extent.dimension, 0);
    double       feret = 0;
    for (std::size_t i = 0; i < centers.size(); i += std::size_t{ 1 } << extent.dimension)
    {
      for (std::size_t j = 0; j < i; j += std::size_t{ 1 } << extent.dimension)
      {
        feret = std::max(feret, Distance(centers[i], centers[j]));
      }
    }
    EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[c].feretDiameter, feret, 1e-12 * feret);

    const auto            corners = CornersOf(own, geometry, extent.dimension);
    std::array<double, 3> center{};
    std::copy_n(table.measures.Of<ExtentMeasures>()[c].enclosingCenter, extent.dimension, center.begin());
    const double                       radius = table.measures.Of<ExtentMeasures>()[c].enclosingDiameter / 2;
    std::vector<std::array<double, 3>> support;
    for (const auto & corner : corners)
    {
      EXPECT_LE(Distance(corner, center), radius * (1 + 1e-9));
      if (Distance(corner, center) > radius * (1 - 1e-9))
      {
        support.push_back(corner);
      }
    }
    // The ball is the smallest one if its center cannot move away from no matter which side's support.
    for (std::uint64_t trial = 0; trial < 500; ++trial)
    {
      double best = -1e30;
      for (const auto & corner : support)
      {
        double along = 0;
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(extent.dimension); ++axis)
        {
          along += (UniformOf(trial, axis) - 0.5) * (corner[axis] - center[axis]);
        }
        best = std::max(best, along);
      }
      EXPECT_GE(best, -1e-6 * radius);
    }
    const auto & axes = table.measures.Of<ShapeMeasures>()[table.components[c].place].principalAxes;
    for (int i = 0; i < extent.dimension; ++i)
    {
      double low = 1e30, high = -1e30, middle = 0;
      for (const auto & corner : corners)
      {
        double along = 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          along += axes[i][axis] * corner[static_cast<std::size_t>(axis)];
        }
        low = std::min(low, along);
        high = std::max(high, along);
      }
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        middle += axes[i][axis] * table.measures.Of<ExtentMeasures>()[c].orientedCenter[axis];
      }
      EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[c].orientedSize[i], high - low, 1e-10);
      EXPECT_NEAR(middle, (low + high) / 2, 1e-10);
    }
  }
}

TEST(Extents, EqualTheSearchOverAllVoxels)
{
  CheckExtents({ 40, 13, 9 }, RandomLabels({ 40, 13, 9 }, 2, 30, 0.7, 3), Anisotropic());
  CheckExtents({ 40, 13, 9 }, RandomLabels({ 40, 13, 9 }, 3, 900, 0.5, 4), Geometry{});
  CheckExtents({ 50, 31 }, RandomLabels({ 50, 31 }, 2, 40, 0.6, 5), Anisotropic());
  CheckExtents({ 64 }, RandomLabels({ 64 }, 2, 5, 0.6, 6), Geometry{});
}

TEST(Extents, OfBallsBoxesAndSingleVoxels)
{
  const Extent extent{ 64, 64, 64 };
  const auto   ball = Filled(extent, [](double x, double y, double z) {
    return (x - 32) * (x - 32) + (y - 32) * (y - 32) + (z - 32) * (z - 32) < 29 * 29;
  });
  const auto   table = MeasureLabels(extent, ball, "feret,inscribed,thickness");
  EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[0].feretDiameter, 58, 1);
  EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[0].enclosingDiameter, 58, 2);
  EXPECT_GE(table.measures.Of<ExtentMeasures>()[0].enclosingDiameter,
            table.measures.Of<ExtentMeasures>()[0].feretDiameter);
  // A voxel outside is nearer with its corner than with its center, by up to half a diagonal.
  EXPECT_GE(table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 58 - std::sqrt(3.0));
  EXPECT_LE(table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 58);
  EXPECT_LE(table.measures.Of<ThicknessMeasures>()[0].meanLocal,
            table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter);
  EXPECT_GE(table.measures.Of<ThicknessMeasures>()[0].meanLocal, 0.9 * 58);
  // All of a box's measures are its sides and diagonals.
  const auto box = Filled(extent, [](double x, double y, double z) {
    return x >= 3 && x < 13 && y >= 5 && y < 25 && z >= 2 && z < 42;
  });
  Geometry   geometry;
  geometry.spacing[1] = 0.25;
  const auto boxes = MeasureLabels(extent, box, "feret,inscribed", geometry);
  EXPECT_DOUBLE_EQ(boxes.measures.Of<ExtentMeasures>()[0].enclosingDiameter, std::sqrt(100.0 + 25 + 1600));
  EXPECT_DOUBLE_EQ(boxes.measures.Of<ExtentMeasures>()[0].feretDiameter, std::sqrt(81 + 19 * 19 / 16.0 + 39 * 39));
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_1_mm"), 5);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_2_mm"), 10);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_3_mm"), 40);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "enclosing_sphere_x_mm"), 7.5);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_y_mm"), 14.5 * 0.25);
  EXPECT_NEAR(ValueOf(boxes, 0, "inscribed_sphere_diameter_mm"), 4.75, 1e-6) << "around a voxel's center";
  std::vector<std::uint16_t> single(std::size_t{ 64 } * 64 * 64);
  single[70000] = 9;
  const auto one = MeasureLabels(extent, single, "feret,inscribed,thickness,topology,neighbors,surface,shape,place");
  EXPECT_EQ(one.measures.Of<ExtentMeasures>()[0].feretDiameter, 0);
  EXPECT_DOUBLE_EQ(one.measures.Of<ExtentMeasures>()[0].enclosingDiameter, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(ValueOf(one, 0, "oriented_box_size_2_mm"), 1);
  EXPECT_DOUBLE_EQ(one.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 1);
  EXPECT_DOUBLE_EQ(one.measures.Of<ThicknessMeasures>()[0].meanLocal, 1);
  EXPECT_TRUE(std::isnan(one.measures.Of<NeighborMeasures>()[0].distance));
  EXPECT_EQ(one.measures.Of<NeighborMeasures>()[0].nearest, 0u);
  EXPECT_EQ(one.measures.Of<TopologyMeasures>()[0].eulerFace, 1);
  for (const ComponentColumn & column : ColumnsOf(one))
  {
    const double value = ValueOf(one, 0, column.name);
    EXPECT_TRUE(std::isfinite(value) || column.name == "nearest_distance_mm") << column.name;
  }
}

} // namespace
} // namespace brickccl
