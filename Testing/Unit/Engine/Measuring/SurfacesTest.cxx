// SPDX-License-Identifier: Apache-2.0
#include "SkewGeometry.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace brickccl
{
namespace
{

TEST(Surfaces, SurfacesEqualTheSumsOverVoxels)
{
  for (const Extent & extent : { Extent{ 40, 18, 11 }, Extent{ 90, 35 } })
  {
    // Of three values, so that components are side by side, and with voxels that are not cubes.
    std::vector<std::uint8_t> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      voxels.push_back(static_cast<std::uint8_t>(HashOf(3, static_cast<std::uint64_t>(i / 3)) % 3));
    }
    const Geometry geometry = SkewGeometry();
    LabelOptions   options;
    options.criterion = Criterion::EqualValue();
    options.connectivity = Connectivity::Full(extent.dimension);
    options.geometry = geometry;
    const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
    const ComponentTable       table = labeling.Measure({ {}, ColumnGroups::FromNames("surface") });
    std::vector<std::uint32_t> labels(voxels.size());
    labeling.Write(labels.data());
    const auto          steps = HalfNeighbors(extent.dimension);
    const auto          weights = CroftonWeights(extent.dimension, geometry);
    std::vector<double> expected(table.components.size() + 1, 0);
    std::vector<double> faces(table.components.size() + 1, 0);
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      const auto         linear = static_cast<std::int64_t>(i);
      const std::int64_t at[3] = { linear % extent.size[0],
                                   linear / extent.size[0] % extent.size[1],
                                   linear / extent.size[0] / extent.size[1] };
      for (std::size_t d = 0; d < steps.size(); ++d)
      {
        std::int64_t to[3];
        bool         isInside = true;
        for (int axis = 0; axis < 3; ++axis)
        {
          to[axis] = at[axis] + steps[d].step[axis];
          isInside = isInside && to[axis] >= 0 && to[axis] < extent.size[axis];
        }
        const auto there = static_cast<std::size_t>((to[2] * extent.size[1] + to[1]) * extent.size[0] + to[0]);
        const bool leaves = !isInside || labels[there] != labels[i];
        expected[labels[i]] += leaves ? weights[d] : 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          const bool isAlong =
            steps[d].step[axis] == 1 &&
            std::abs(steps[d].step[0]) + std::abs(steps[d].step[1]) + std::abs(steps[d].step[2]) == 1;
          faces[labels[i]] +=
            leaves && isAlong ? 2 * geometry.VoxelVolume(extent.dimension) / geometry.spacing[axis] : 0;
        }
      }
    }
    ASSERT_GT(table.components.size(), 5u);
    for (std::size_t c = 0; c < table.components.size(); ++c)
    {
      EXPECT_NEAR(table.measures.Of<SurfaceMeasures>()[c].crofton, expected[c + 1], 1e-9 * expected[c + 1]);
      EXPECT_NEAR(table.measures.Of<SurfaceMeasures>()[c].faces, faces[c + 1], 1e-9 * faces[c + 1]);
    }
  }
}

TEST(Surfaces, CroftonsWeightsShareTheSphere)
{
  // The shares of cubic voxels' 26 directions, as itk::ShapeLabelMapFilter has them.
  const auto cubic = CroftonWeights(3, {});
  EXPECT_NEAR(cubic[0] / 4, 2 * 0.04577789120476, 1e-12);
  EXPECT_NEAR(cubic[1] / 4 * std::sqrt(2.0), 2 * 0.03698062787608, 1e-12);
  EXPECT_NEAR(cubic[4] / 4 * std::sqrt(3.0), 2 * 0.03519563978232, 1e-12);
  const Geometry skew = SkewGeometry();
  const auto     steps = HalfNeighbors(3);
  const auto     weights = CroftonWeights(3, skew);
  ASSERT_EQ(steps.size(), 13u);
  double share = 0;
  for (std::size_t d = 0; d < steps.size(); ++d)
  {
    const double length = std::hypot(steps[d].step[0] * 0.5, steps[d].step[1] * 1.25, steps[d].step[2] * 3);
    share += weights[d] * length / skew.VoxelVolume(3) / 4;
  }
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_THROW(HalfNeighbors(4), Unsupported);
}

TEST(Surfaces, SurfacesOfBallsAndBoxesAreThoseOfTheSolids)
{
  // Ellipsoids of voxels that are a ball of radius 20 mm where the voxels' shape is taken into account.
  for (const double along : { 1.0, 0.5, 2.0 })
  {
    Geometry geometry;
    geometry.spacing[0] = along;
    geometry.spacing[2] = 0.8;
    const Extent              extent{ static_cast<std::int64_t>(44 / along) + 2, 46, 56 };
    std::vector<std::uint8_t> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const double x = (static_cast<double>(i % extent.size[0]) - static_cast<double>(extent.size[0]) / 2) * along;
      const double y = static_cast<double>(i / extent.size[0] % 46) - 22.7;
      const double z = (static_cast<double>(i / extent.size[0] / 46) - 27.8) * 0.8;
      voxels.push_back(x * x + y * y + z * z <= 400);
    }
    LabelOptions options;
    options.geometry = geometry;
    const ComponentTable table =
      Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("surface") });
    ASSERT_EQ(table.components.size(), 1u);
    EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2") / (1600 * M_PI), 1, 0.01) << along;
    EXPECT_NEAR(ValueOf(table, 0, "sphericity"), 1, 0.015) << along;
  }
  const Extent                    extent{ 9, 7, 4 };
  const std::vector<std::uint8_t> box(static_cast<std::size_t>(extent.VoxelCount()), 1);
  const ComponentTable table = Label(ImageView(box.data(), extent)).Measure({ {}, ColumnGroups::FromNames("surface") });
  EXPECT_DOUBLE_EQ(ValueOf(table, 0, "face_area_mm2"), 2 * (9 * 7 + 9 * 4 + 7 * 4));
  EXPECT_LT(ValueOf(table, 0, "sphericity"), 0.95);

  const Extent              flat{ 121, 121 };
  std::vector<std::uint8_t> disc;
  for (std::int64_t i = 0; i < flat.VoxelCount(); ++i)
  {
    const std::int64_t x = i % 121 - 60, y = i / 121 - 60;
    disc.push_back(x * x + y * y <= 2500);
  }
  const ComponentTable discs = Label(ImageView(disc.data(), flat)).Measure({ {}, ColumnGroups::FromNames("surface") });
  EXPECT_NEAR(ValueOf(discs, 0, "perimeter_mm") / (100 * M_PI), 1, 0.01);
  EXPECT_NEAR(ValueOf(discs, 0, "circularity"), 1, 0.02);
}

TEST(Surfaces, SmallBallsHaveTheSphericityOfBalls)
{
  std::mt19937                           random(20261129);
  std::uniform_real_distribution<double> places(0, 1);
  const Extent                           extent{ 24, 16, 10 };
  Geometry                               geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[2] = 1.5;
  for (const double radius : { 1.3, 2.0, 3.0, 4.5 })
  {
    double    sum = 0, largest = 0, roundness = 0;
    const int count = 100;
    for (int i = 0; i < count; ++i)
    {
      const double              center[3] = { 6 + places(random), 7 + places(random), 7 + places(random) };
      std::vector<std::uint8_t> voxels;
      for (std::int64_t at = 0; at < extent.VoxelCount(); ++at)
      {
        const double x = static_cast<double>(at % 24) * 0.5 - center[0];
        const double y = static_cast<double>(at / 24 % 16) - center[1];
        const double z = static_cast<double>(at / 24 / 16) * 1.5 - center[2];
        voxels.push_back(x * x + y * y + z * z <= radius * radius);
      }
      LabelOptions options;
      options.geometry = geometry;
      const ComponentTable table =
        Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("surface") });
      ASSERT_EQ(table.components.size(), 1u);
      sum += ValueOf(table, 0, "sphericity") / count;
      largest = std::max(largest, ValueOf(table, 0, "sphericity"));
      roundness += ValueOf(table, 0, "roundness") / count;
    }
    EXPECT_NEAR(sum, 1, 0.03) << radius;
    EXPECT_LE(largest, 1) << radius;
    EXPECT_GT(roundness, sum) << radius;
  }
}

} // namespace
} // namespace brickccl
