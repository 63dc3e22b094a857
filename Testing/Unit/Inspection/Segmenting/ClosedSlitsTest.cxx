// SPDX-License-Identifier: Apache-2.0
// Slits, openings and concave edges of a block, for several widths of what is closed.

#include "SlowBuild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace brickccl
{

namespace
{

using Place = std::array<std::int64_t, 3>;

Geometry
SpacingOf(double x, double y, double z)
{
  Geometry     geometry;
  const double spacing[3] = { x, y, z };
  std::copy(spacing, spacing + 3, geometry.spacing);
  return geometry;
}

/** A block of 40 x 40 x 24 voxels in air, without the voxels for which `isAir` holds. */
template <typename TFunction>
PoresOfPart
PoresOfBlock(double width, const Geometry & geometry, TFunction isAir)
{
  const Extent              extent{ 48, 48, 32 };
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
  {
    const Place at{ index % extent.size[0],
                    index / extent.size[0] % extent.size[1],
                    index / extent.size[0] / extent.size[1] };
    bool        isBlock = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      isBlock = isBlock && at[axis] >= 4 && at[axis] < extent.size[axis] - 4;
    }
    mask[static_cast<std::size_t>(index)] = isBlock && !isAir(at) ? 1 : 0;
  }
  PoreOptions options;
  options.material = Criterion::InRange(1, 1);
  options.closeWidth = width;
  options.geometry = geometry;
  return FindPores(ImageView(mask.data(), extent), options);
}

TEST(ClosedSlits, ConcaveEdgesAreNoPores)
{
  for (const double width : { 0.0, 0.5, 1.1, 1.6, 2.1, 3.1 })
  {
    const auto expectNone = [&](auto isAir) {
      const PoresOfPart found = PoresOfBlock(width, SpacingOf(0.5, 0.5, 0.5), isAir);
      EXPECT_EQ(found.poreVoxels, 0u) << width;
      EXPECT_EQ(found.openings.count, 0u);
    };
    expectNone(
      [](const Place & at) { return (at[0] - 24) * (at[0] - 24) + (at[1] - 24) * (at[1] - 24) <= 100 && at[2] >= 12; });
    expectNone([](const Place & at) { return at[0] >= 20 && at[2] >= 12; });
    expectNone([](const Place & at) { return std::abs(at[0] - 24) + std::abs(at[1] - 24) <= 11 && at[2] >= 12; });
    expectNone([](const Place & at) { return std::abs(at[0] - 24) * 173 <= (at[2] - 8) * 100; });
  }
}

TEST(ClosedSlits, SlitsAreClosedAsWideAsIsAskedFor)
{
  for (const std::int64_t voxels : { 1, 2, 3 })
  {
    for (const double width : { 0.3, 0.5, 0.9, 1.0, 1.4, 1.5, 1.9, 2.0, 3.9, 4.0, 4.1 })
    {
      const PoresOfPart   across = PoresOfBlock(width, SpacingOf(0.5, 0.5, 0.5), [&](const Place & at) {
        return at[0] >= 20 && at[0] < 20 + voxels && at[2] >= 8;
      });
      const std::uint64_t slit = static_cast<std::uint64_t>(voxels) * 40 * 20;
      EXPECT_EQ(across.poreVoxels, width + 1e-9 < 0.5 * static_cast<double>(voxels) ? 0 : slit)
        << voxels << ", " << width;
      EXPECT_EQ(across.openings.count, across.poreVoxels > 0 ? 0u : 1u);
      EXPECT_EQ(across.openings.largestVoxels, across.poreVoxels > 0 ? 0u : slit);
      const PoresOfPart along = PoresOfBlock(width, SpacingOf(0.5, 0.5, 2), [&](const Place & at) {
        return at[2] >= 14 && at[2] < 14 + voxels && at[0] >= 12;
      });
      const bool        isClosed = width + 1e-9 >= 2 * static_cast<double>(voxels);
      EXPECT_EQ(along.poreVoxels, isClosed ? static_cast<std::uint64_t>(voxels) * 40 * 32 : 0)
        << voxels << ", " << width;
    }
  }
}

TEST(ClosedSlits, StraightSlitsAreClosedWholeOrNotAtAll)
{
  int closed = 0;
  for (const Geometry & geometry :
       { SpacingOf(1, 1, 1), SpacingOf(0.5, 0.5, 1), SpacingOf(0.3, 2, 1), SpacingOf(1, 1, 0.3) })
  {
    for (int place = 0; place < 3 * 3 * 15; place += testing::IsSlowBuild ? 7 : 1)
    {
      const auto axis = static_cast<std::size_t>(place % 3);
      const int  open = place / 9;
      // As wide as the part of the width, and open at one end or both along each of the other axes.
      const double width = std::max(3 * geometry.spacing[axis], 1.8);
      Place        begin{ 8, 8, 8 };
      Place        end{ 40, 40, 24 };
      end[axis] = begin[axis] + std::llround(std::floor(width / geometry.spacing[axis] / (place / 3 % 3 + 1) + 1e-6));
      std::uint64_t all = static_cast<std::uint64_t>(end[axis] - begin[axis]);
      for (std::size_t i = 0; i < 2; ++i)
      {
        const std::size_t along = (axis + 1 + i) % 3;
        begin[along] -= (open >> (2 * i) & 1) != 0 ? 4 : 0;
        end[along] += (open >> (2 * i) & 2) != 0 ? 4 : 0;
        all *= static_cast<std::uint64_t>(end[along] - begin[along]);
      }
      const PoresOfPart found = PoresOfBlock(width * 1.0001, geometry, [&](const Place & at) {
        return std::equal(at.begin(), at.end(), begin.begin(), std::greater_equal<>()) &&
               std::equal(at.begin(), at.end(), end.begin(), std::less<>());
      });
      EXPECT_TRUE(found.poreVoxels == all || found.poreVoxels == 0)
        << found.poreVoxels << " of " << all << ", " << place << ", " << geometry.spacing[0];
      closed += found.poreVoxels == all ? 1 : 0;
    }
  }
  EXPECT_GT(closed, testing::IsSlowBuild ? 60 : 500);
}

TEST(ClosedSlits, ACavityBehindAnOpeningCountsWithIt)
{
  const auto isAir = [](const Place & at) {
    const bool isCavity = std::abs(at[0] - 24) <= 5 && std::abs(at[1] - 24) <= 5 && std::abs(at[2] - 14) <= 5;
    return isCavity || (at[0] == 24 && at[1] == 24 && at[2] > 14);
  };
  const std::uint64_t all = std::uint64_t{ 11 } * 11 * 11 + 8;
  EXPECT_EQ(PoresOfBlock(0, {}, isAir).openings.largestVoxels, all);
  EXPECT_EQ(PoresOfBlock(0.9, {}, isAir).poreVoxels, 0u);
  EXPECT_EQ(PoresOfBlock(1, {}, isAir).poreVoxels, all);
  EXPECT_THROW(PoresOfBlock(49, {}, isAir), InvalidArgument);
}

} // namespace

} // namespace brickccl
