// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "Ridges.h"
#include "Patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

std::uint64_t
ComponentsOf(const std::vector<std::uint8_t> & voxels, const Extent & extent, int rank)
{
  LabelOptions options;
  options.connectivity = Connectivity(extent.dimension, rank);
  return Label(ImageView(voxels.data(), extent), options).ComponentCount();
}

template <typename T>
std::uint64_t
Checksum(const std::vector<T> & values)
{
  std::uint64_t sum = 1469598103934665603u;
  for (const T value : values)
  {
    sum = (sum ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) * 1099511628211u;
  }
  return sum;
}

TEST(Phantoms, ASpiralIsOneThinComponent)
{
  for (const Extent & extent : { Extent{ 31, 27 }, Extent{ 64, 64 }, Extent{ 20, 21, 9 }, Extent{ 9, 9, 3, 3 } })
  {
    const auto spiral = MakeSpiral(extent);
    EXPECT_EQ(ComponentsOf(spiral, extent, 1), 1u) << extent.ToString();
    const auto length = std::accumulate(spiral.begin(), spiral.end(), 0);
    if (extent.dimension == 2)
    {
      EXPECT_LE(std::abs(length - extent.VoxelCount() / 2), extent.size[0] + extent.size[1])
        << "it fills half of the plane";
    }
  }
}

TEST(Phantoms, ACheckerboardIsEveryVoxelOrOne)
{
  const Extent extent{ 15, 11, 7 };
  const auto   board = MakeCheckerboard(extent);
  EXPECT_EQ(ComponentsOf(board, extent, 1), static_cast<std::uint64_t>((extent.VoxelCount() + 1) / 2));
  EXPECT_EQ(ComponentsOf(board, extent, 2), 1u);
}

TEST(Phantoms, VoronoiCellsHaveNoGapsInARow)
{
  // Cells are convex.
  for (const Extent & extent : { Extent{ 70, 53 }, Extent{ 41, 30, 33 } })
  {
    const auto         voxels = MakeVoronoi(extent, 10, 7);
    const std::int64_t cells = (extent.size[0] + 9) / 10 * ((extent.size[1] + 9) / 10) * ((extent.size[2] + 9) / 10);
    std::set<std::uint32_t> values(voxels.begin(), voxels.end());
    EXPECT_LE(*values.rbegin(), static_cast<std::uint32_t>(cells));
    EXPECT_GT(values.size(), static_cast<std::size_t>(cells) / 2);
    EXPECT_EQ(values.count(0), 0u);
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      const auto              begin = voxels.begin() + row * extent.RowLength();
      std::set<std::uint32_t> seen;
      for (std::int64_t x = 0; x < extent.RowLength(); ++x)
      {
        EXPECT_TRUE(x > 0 && begin[x] == begin[x - 1] ? true : seen.insert(begin[x]).second) << "row " << row;
      }
    }
  }
  EXPECT_NE(MakeVoronoi({ 20, 20 }, 5, 3), MakeVoronoi({ 20, 20 }, 5, 4));
  EXPECT_THROW(MakeVoronoi({ 20, 20 }, 0, 3), InvalidArgument);
  EXPECT_THROW(MakeVoronoi({ 20 }, 5, 3), InvalidArgument);
}

TEST(Phantoms, AHilbertCurveIsOneThinComponent)
{
  for (const Extent & extent : { Extent{ 15 }, Extent{ 63, 63 }, Extent{ 31, 31, 31 }, Extent{ 32, 32, 32 } })
  {
    const auto curve = MakeHilbertCurve(extent);
    EXPECT_EQ(ComponentsOf(curve, extent, 1), 1u) << extent.ToString();
    // All points and the steps between them: no voxel is met twice.
    std::int64_t points = 1;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      points *= (extent.size[axis] + 1) / 2;
    }
    EXPECT_EQ(std::accumulate(curve.begin(), curve.end(), std::int64_t{ 0 }), 2 * points - 1) << extent.ToString();
  }
}

TEST(Phantoms, LatticesAreSingleVoxelsAtTheirConnectivity)
{
  const Extent extent{ 14, 10, 6 };
  const auto   voxels = static_cast<std::uint64_t>(extent.VoxelCount());
  EXPECT_EQ(ComponentsOf(MakeIsolatedVoxels(extent), extent, 3), voxels / 8);
  EXPECT_EQ(ComponentsOf(MakeBodyCenteredLattice(extent), extent, 2), voxels / 4);
  EXPECT_EQ(ComponentsOf(MakeBodyCenteredLattice(extent), extent, 3), 1u);
}

TEST(Phantoms, DensitiesAreMet)
{
  const Extent extent{ 80, 80, 80 };
  const auto   share = [&](const std::vector<std::uint8_t> & voxels) {
    return std::accumulate(voxels.begin(), voxels.end(), 0.0) / static_cast<double>(extent.VoxelCount());
  };
  EXPECT_NEAR(share(MakeBalls(extent, 0.2, 1)), 0.2, 0.01);
  EXPECT_NEAR(share(MakeRandom(extent, 0.3, 1, 1)), 0.3, 0.005);
  EXPECT_NEAR(share(MakeRandom(extent, 0.3, 4, 1)), 0.3, 0.03);
  EXPECT_EQ(share(MakeRandom(extent, 0, 1, 1)), 0);
  EXPECT_EQ(share(MakeRandom(extent, 1, 1, 1)), 1);
  EXPECT_THROW(MakeBalls(extent, 1.5, 1), InvalidArgument);
  EXPECT_THROW(MakeRandom(extent, 0.5, 0, 1), InvalidArgument);
  EXPECT_THROW(MakeBalls(Extent{ 9 }, 0.5, 1), InvalidArgument);
  EXPECT_THROW(MakeLog(Extent{ 4, 4, 4 }, 1), InvalidArgument);
}

TEST(Phantoms, ThresholdsFindTheTruth)
{
  const Extent extent{ 96, 96, 64 };
  const Scan   log = MakeLog(extent, 1);
  const Scan   casting = MakeCasting(extent, 1);
  std::size_t  knots = 0, cracks = 0, pores = 0;
  for (std::size_t i = 0; i < log.truth.size(); ++i)
  {
    const bool isKnot = log.truth[i] == static_cast<std::uint8_t>(Defect::Knot);
    const bool isCrack = log.truth[i] == static_cast<std::uint8_t>(Defect::Crack);
    const bool isPore = casting.truth[i] == static_cast<std::uint8_t>(Defect::Pore);
    ASSERT_EQ(log.image[i] > 0, isKnot);
    ASSERT_TRUE(!isCrack || log.image[i] < -800);
    ASSERT_TRUE(!isPore || casting.image[i] < 0);
    knots += isKnot;
    cracks += isCrack;
    pores += isPore;
  }
  EXPECT_GT(knots, 100u);
  EXPECT_GT(cracks, 100u);
  EXPECT_GT(pores, 100u);
}

TEST(Phantoms, GrainsDifferByMoreThanTheirNoise)
{
  const Extent extent{ 40, 36, 20 };
  const auto   image = MakeGrains(extent, 10, 5);
  const auto   cells = MakeVoronoi(extent, 10, 5);
  std::size_t  within = 0;
  std::size_t  across = 0;
  for (std::size_t i = 1; i < image.size(); ++i)
  {
    const int difference = std::abs(image[i] - image[i - 1]);
    if (cells[i] == cells[i - 1])
    {
      ASSERT_LE(difference, 16);
      ++within;
    }
    else
    {
      across += difference >= 24;
    }
  }
  EXPECT_GT(within, image.size() / 2);
  EXPECT_GT(across, 100u);
}

TEST(Phantoms, AreTheSameBitForBitEverywhere)
{
  const Extent extent{ 40, 36, 20 };
  EXPECT_EQ(Checksum(MakeBalls(extent, 0.2, 1)), 11102624680208139201u);
  EXPECT_EQ(Checksum(MakeRandom(extent, 0.4, 3, 2)), 8299896297934184045u);
  EXPECT_EQ(Checksum(MakeVoronoi(extent, 10, 5)), 5501610936993034727u) << "as by a search of all points";
  EXPECT_EQ(Checksum(MakeGrains(extent, 10, 5)), 15123522124808789429u);
  EXPECT_EQ(Checksum(MakeLog(extent, 3).image), 2974466261363130711u);
  EXPECT_EQ(Checksum(MakeCasting(extent, 4).image), 6671490000724270923u);
  EXPECT_NE(Checksum(MakeLog(extent, 4).image), Checksum(MakeLog(extent, 3).image)) << "another seed, another log";
}

} // namespace
} // namespace brickccl
