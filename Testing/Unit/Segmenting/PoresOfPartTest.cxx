// Pores of parts, beside the truth of phantoms and plain loops.

#include "SlowBuild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Segmenting/CloseMask.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace brickccl
{

namespace
{

using Mask = std::vector<std::uint8_t>;

/** Calls `work(place, offset's square in mm^2)` for the voxels around one, where half a voxel is taken off along each
 *  axis. The voxels lie in a mask that goes on beyond its border. */
template <typename TWork>
void
ForEachNear(const Extent &   extent,
            const Geometry & geometry,
            const std::int64_t (&at)[3],
            std::int64_t reach,
            TWork        work)
{
  const std::int64_t reachZ = extent.size[2] > 1 ? reach : 0;
  for (std::int64_t z = -reachZ; z <= reachZ; ++z)
  {
    for (std::int64_t y = -reach; y <= reach; ++y)
    {
      for (std::int64_t x = -reach; x <= reach; ++x)
      {
        const std::int64_t offset[3] = { x, y, z };
        double             square = 0;
        for (int axis = 0; axis < 3; ++axis)
        {
          const double away = std::max(0.0, std::abs(static_cast<double>(offset[axis])) - 0.5) * geometry.spacing[axis];
          square += away * away;
        }
        const std::int64_t to[3] = { at[0] + x, at[1] + y, at[2] + z };
        work(to, square);
      }
    }
  }
}

/** The closing by its definition, in an image that is wider by `reach` voxels on all sides. */
Mask
PlainClosing(const Mask & mask, const Extent & extent, const Geometry & geometry, double width, std::int64_t reach)
{
  const double square = 0.25 * width * width * (1 + 1e-5);
  const auto   isSet = [&](const std::int64_t(&at)[3]) {
    const auto in = [&](int axis) { return std::clamp<std::int64_t>(at[axis], 0, extent.size[axis] - 1); };
    return mask[static_cast<std::size_t>((in(2) * extent.size[1] + in(1)) * extent.size[0] + in(0))] == 1;
  };
  const auto isDilated = [&](const std::int64_t(&at)[3]) {
    bool found = isSet(at);
    ForEachNear(extent, geometry, at, reach, [&](const std::int64_t(&to)[3], double away) {
      found = found || (away <= square && isSet(to));
    });
    return found;
  };
  Mask closed(mask.size());
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    const std::int64_t at[3] = { place % extent.size[0],
                                 place / extent.size[0] % extent.size[1],
                                 place / extent.size[0] / extent.size[1] };
    bool               stays = isDilated(at);
    ForEachNear(extent, geometry, at, stays ? reach : 0, [&](const std::int64_t(&to)[3], double away) {
      stays = stays && (away > square || isDilated(to));
    });
    closed[static_cast<std::size_t>(place)] = stays ? 1 : 0;
  }
  return closed;
}

TEST(CloseMask, IsTheClosingOfAPlainLoop)
{
  std::mt19937 random(3);
  for (const Extent & extent : { Extent{ 17, 13 }, Extent{ 11, 9, 6 } })
  {
    for (const double width : { 0.9, 1.0, 2.0, 3.1 })
    {
      Geometry geometry;
      geometry.spacing[1] = 0.75;
      geometry.spacing[2] = 1.5;
      Mask mask(static_cast<std::size_t>(extent.VoxelCount()));
      std::generate(mask.begin(), mask.end(), [&] { return static_cast<std::uint8_t>(random() % 5 == 0 ? 1 : 0); });
      // Beyond its border a mask goes on; there a plain loop over all of it would need no end.
      for (std::size_t i = 0; i < mask.size(); ++i)
      {
        const auto x = static_cast<std::int64_t>(i) % extent.size[0];
        mask[i] = x < 2 || x > extent.size[0] - 3 ? 0 : mask[i];
      }
      const Mask expected = PlainClosing(mask, extent, geometry, width, 4);
      CloseMask(mask.data(), extent, geometry, width, {});
      EXPECT_EQ(mask, expected) << extent.ToString() << ", " << width;
    }
  }
}

TEST(CloseMask, NothingAndEverythingStay)
{
  const Extent extent{ 5, 4, 3 };
  Mask         mask(60, std::uint8_t{ 0 });
  CloseMask(mask.data(), extent, {}, 3, {});
  EXPECT_EQ(mask, Mask(60, std::uint8_t{ 0 }));
  mask.assign(60, std::uint8_t{ 1 });
  CloseMask(mask.data(), extent, {}, 3, {});
  EXPECT_EQ(mask, Mask(60, std::uint8_t{ 1 }));
  EXPECT_THROW(CloseMask(mask.data(), extent, {}, -1, {}), InvalidArgument);
}

PoreOptions
OptionsFor(const ImageView & image)
{
  PoreOptions options;
  options.material = FindThreshold(HistogramOfValues(image), {}).AtOrAbove();
  return options;
}

TEST(PoresOfPart, AreTheTruthOfCastingsOfAnySizeAndSeed)
{
  std::mt19937 random(4);
  for (std::uint64_t seed = 1; seed <= (testing::IsSlowBuild ? 20 : 40); ++seed)
  {
    const auto side = [&](int minimum, int maximum) {
      return static_cast<std::int64_t>(random() % static_cast<unsigned>(maximum - minimum)) + minimum;
    };
    const Extent      extent{ side(12, 110), side(12, 110), side(4, 60) };
    const Scan        casting = MakeCasting(extent, seed);
    const ImageView   image(casting.image.data(), extent);
    const PoresOfPart found = FindPores(image, OptionsFor(image));
    std::uint64_t     wrong = 0;
    for (std::size_t i = 0; i < casting.truth.size(); ++i)
    {
      wrong += (casting.truth[i] != 0) != (found.pores[i] != 0) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << extent.ToString() << ", seed " << seed;
    EXPECT_EQ(found.poreVoxels,
              static_cast<std::uint64_t>(std::count(found.pores.begin(), found.pores.end(), std::uint8_t{ 1 })));
    EXPECT_EQ(found.partVoxels,
              static_cast<std::uint64_t>(std::count(found.part.begin(), found.part.end(), std::uint8_t{ 1 })));
  }
}

TEST(PoresOfPart, AreFoundInEveryTypeAndDimension)
{
  // A frame with a hole and, beside it, a speck.
  const std::vector<int> picture = { 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0 };
  const auto             expectPores = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values;
    std::transform(picture.begin(), picture.end(), std::back_inserter(values), [](int v) {
      return static_cast<T>(v * 50);
    });
    for (const Extent & extent : { Extent{ 6, 3 }, Extent{ 6, 3, 1 }, Extent{ 1, 6, 3 }, Extent{ 6, 1, 3 } })
    {
      const ImageView   image(values.data(), extent);
      const PoresOfPart found = FindPores(image, OptionsFor(image));
      EXPECT_EQ(found.poreVoxels, 2u) << extent.ToString();
      EXPECT_EQ(found.pores[7] + found.pores[8], 2);
      EXPECT_EQ(found.partVoxels, 12u);
      EXPECT_EQ(found.otherMaterialVoxels, 1u);
    }
  };
  expectPores(std::uint8_t{});
  expectPores(std::int16_t{});
  expectPores(std::int64_t{});
  expectPores(std::uint64_t{});
  expectPores(float{});
  expectPores(double{});
}

TEST(PoresOfPart, ACavityThatNothingEnclosesIsOutside)
{
  // A pipe along z: its bore is open at both ends and as wide as a tenth of it.
  const Extent              extent{ 30, 30, 12 };
  std::vector<std::uint8_t> values(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    const auto x = static_cast<double>(place % 30) - 14.5;
    const auto y = static_cast<double>(place / 30 % 30) - 14.5;
    values[static_cast<std::size_t>(place)] = x * x + y * y < 160 && x * x + y * y >= 16 ? 200 : 20;
  }
  const std::size_t pore = std::size_t{ 6 } * 900 + std::size_t{ 15 } * 30 + 22;
  values[pore] = 20;
  const ImageView   image(values.data(), extent);
  const PoresOfPart found = FindPores(image, OptionsFor(image));
  EXPECT_EQ(found.bores, 1u);
  EXPECT_EQ(found.poreVoxels, 1u);
  EXPECT_EQ(found.pores[pore], 1);
}

TEST(PoresOfPart, WhatDoesNotFitIsRefused)
{
  const Mask  values(16, std::uint8_t{ 0 });
  PoreOptions options;
  options.material = Criterion::InRange(1, 5);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 4 }), options), InvalidArgument);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 2, 2, 2, 2 }), options), InvalidArgument);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 2 }, 2), options), InvalidArgument);
  ProgressHooks hooks;
  options.material = Criterion::InRange(0, 5);
  options.progress.cancelled = [] { return true; };
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 4 }), options), Cancelled);
}

} // namespace

} // namespace brickccl
