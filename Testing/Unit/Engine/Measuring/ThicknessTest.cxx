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

/** Where spacings have a common divisor, voxels lie on the surfaces of balls, which is told from rounded lengths. */
TEST(Thickness, IsTheSameInEveryUnit)
{
  const Extent extent{ 20, 20, 12 };
  const auto   labels = RandomLabels(extent, 1, 1, 0.03, 3);
  const auto   meanFor = [&](double unit) {
    Geometry geometry;
    geometry.spacing[0] = geometry.spacing[1] = unit;
    geometry.spacing[2] = 2 * unit;
    return MeasureLabels(extent, labels, "thickness", geometry).measures.Of<ThicknessMeasures>()[0].meanLocal / unit;
  };
  const double mean = meanFor(1);
  for (const double unit : { 0.05, 0.1, 0.2, 0.3, 0.4, 0.7, 0.9, 1.1 })
  {
    EXPECT_NEAR(meanFor(unit), mean, 1e-6 * mean) << unit;
  }
}

TEST(Thickness, EqualsTheSearchOverAllVoxels)
{
  for (const Extent & extent : { Extent{ 22, 14, 9 }, Extent{ 40, 25 } })
  {
    const Geometry geometry = Anisotropic();
    const auto     labels = RandomLabels(extent, 5, 3, 0.3, 11);
    const auto     table = MeasureLabels(extent, labels, "thickness", geometry);
    const auto     at = [&](const Index & index) {
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        if (index[axis] < 0 || index[axis] >= extent.size[axis])
        {
          return extent.dimension == 2 && axis == 2 ? std::uint16_t{ 0 } : std::uint16_t{ 9999 };
        }
      }
      return labels[static_cast<std::size_t>((index[2] * extent.size[1] + index[1]) * extent.size[0] + index[0])];
    };
    for (const auto & [label, voxels] : VoxelsOf(extent, labels))
    {
      std::vector<double> squares;
      for (const Index & voxel : voxels)
      {
        double least = 1e30;
        for (std::int64_t z = -1; z <= extent.size[2]; ++z)
        {
          for (std::int64_t y = -1; y <= extent.size[1]; ++y)
          {
            for (std::int64_t x = -1; x <= extent.size[0]; ++x)
            {
              const bool isBeyond = extent.dimension == 2 && z != 0;
              if (!isBeyond && at({ x, y, z }) != label)
              {
                least = std::min(least, SquaredGap(voxel, { x, y, z }, geometry, 0));
              }
            }
          }
        }
        squares.push_back(least);
      }
      double mean = 0;
      double largest = 0;
      for (const Index & voxel : voxels)
      {
        double best = 0;
        for (std::size_t i = 0; i < voxels.size(); ++i)
        {
          double distance = 0;
          for (std::size_t axis = 0; axis < 3; ++axis)
          {
            const double length = static_cast<double>(voxel[axis] - voxels[i][axis]) * geometry.spacing[axis];
            distance += length * length;
          }
          best = distance < squares[i] * (1 - 1e-9) ? std::max(best, squares[i]) : best;
        }
        mean += 2 * std::sqrt(best) / static_cast<double>(voxels.size());
        largest = std::max(largest, 2 * std::sqrt(best));
      }
      const ThicknessMeasures & measures = table.measures.Of<ThicknessMeasures>()[label - 1];
      ASSERT_EQ(table.components[label - 1].label, label);
      EXPECT_NEAR(measures.inscribedDiameter, largest, 1e-6 * largest) << extent.ToString();
      EXPECT_NEAR(measures.meanLocal, mean, 1e-6 * mean) << extent.ToString();
      const Index center{ measures.inscribedCenter[0],
                          measures.inscribedCenter[1] - geometry.startIndex[1],
                          measures.inscribedCenter[2] };
      EXPECT_EQ(at(center), label);
    }
  }
}

} // namespace
} // namespace brickccl
