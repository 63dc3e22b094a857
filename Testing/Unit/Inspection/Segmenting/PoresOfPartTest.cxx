// SPDX-License-Identifier: Apache-2.0
// Pores of parts, compared with the truth of phantoms and with plain loops.

#include "SlowBuild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Phantoms/Phantoms.h"
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
  // A frame with a hole and, next to it, a speck.
  const std::vector<int> picture = { 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0 };
  const auto             expectPores = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values;
    std::transform(picture.begin(), picture.end(), std::back_inserter(values), [](int v) {
      return static_cast<T>(static_cast<T>(v) * static_cast<T>(50));
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

TEST(PoresOfPart, CountsAreThoseOfTheRegion)
{
  const Mask      values = { 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1 };
  const Mask      region = { 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0 };
  const ImageView image(values.data(), Extent{ 5, 5 });
  PoreOptions     options;
  options.material = Criterion::InRange(1, 1);
  options.region = ImageView(region.data(), image.extent);
  const PoresOfPart found = FindPores(image, options);
  EXPECT_EQ(found.partVoxels, 10u);
  EXPECT_EQ(found.poreVoxels, 2u);
  EXPECT_DOUBLE_EQ(found.PorosityPercent(found.poreVoxels), 20);
  const Mask nowhere(25, std::uint8_t{ 0 });
  options.region = ImageView(nowhere.data(), image.extent);
  EXPECT_THROW(FindPores(image, options), InvalidArgument);
}

TEST(PoresOfPart, FurtherPiecesAndAFullImageAreNoted)
{
  Mask            values = { 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1 };
  const ImageView image(values.data(), Extent{ 15, 1 });
  PoreOptions     options;
  options.material = Criterion::InRange(1, 1);
  PoresOfPart found = FindPores(image, options);
  EXPECT_EQ(found.furtherPieces.count, 4u);
  EXPECT_EQ(found.furtherPieces.largestVoxels, 3u);
  EXPECT_EQ(NotesOn(found, "--close MM"),
            std::vector<std::string>{ "4 further pieces of up to 3 mm2 were left out; --parts all takes them" });
  values = { 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
  found = FindPores(ImageView(values.data(), Extent{ 3, 5 }), options);
  EXPECT_EQ(found.poreVoxels, 0u) << "open at the border";
  values[6] = 1;
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 3, 5 }), options), InvalidArgument);
}

TEST(PoresOfPart, EachOfSeveralPartsIsWhatItIsAlone)
{
  std::mt19937 random(9);
  for (int round = 0; round < (testing::IsSlowBuild ? 6 : 40); ++round)
  {
    const Extent extent = round % 4 == 0 ? Extent{ 31, 23 } : Extent{ 22, 17, 14 };
    Mask         values(static_cast<std::size_t>(extent.VoxelCount()), std::uint8_t{ 0 });
    // Boxes that reach to the image's border, with holes, slits and bores.
    for (int box = 0; box < 9; ++box)
    {
      std::int64_t begin[3] = { 0, 0, 0 };
      std::int64_t end[3] = { 1, 1, 1 };
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        begin[axis] = static_cast<std::int64_t>(random() % static_cast<unsigned>(extent.size[axis]));
        const std::int64_t length = box < 4 ? 4 + random() % 12u : 1 + random() % (box % 2 == 0 ? 30u : 3u);
        end[axis] = std::min(extent.size[axis], begin[axis] + length);
      }
      for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
      {
        const std::int64_t at[3] = { place % extent.size[0],
                                     place / extent.size[0] % extent.size[1],
                                     place / extent.size[0] / extent.size[1] };
        bool               isInside = true;
        for (int axis = 0; axis < 3; ++axis)
        {
          isInside = isInside && at[axis] >= begin[axis] && at[axis] < end[axis];
        }
        std::uint8_t & value = values[static_cast<std::size_t>(place)];
        value = isInside ? static_cast<std::uint8_t>(box < 4 ? 1 : 0) : value;
      }
    }
    PoreOptions options;
    options.material = Criterion::InRange(1, 1);
    options.geometry.spacing[1] = 0.5;
    options.closeWidth = round % 3;
    const ImageView image(values.data(), extent);
    const Labeling  pieces = Label(image, OptionsForPieces(options, options.material, extent.dimension));
    if (pieces.ComponentCount() == 0)
    {
      continue;
    }
    Mask                       part(values.size());
    Mask                       pores(values.size());
    std::vector<std::uint32_t> labels(values.size());
    std::vector<std::uint64_t> counts;
    std::uint64_t              bores = 0;
    pieces.WriteRows(0, extent.RowCount(), labels.data(), LabelType::UInt32);
    for (std::uint32_t piece = 1; piece <= pieces.ComponentCount(); ++piece)
    {
      Mask alone(values.size());
      std::transform(labels.begin(), labels.end(), alone.begin(), [&](std::uint32_t label) {
        return label == piece ? 1 : 0;
      });
      const auto first = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), piece) - labels.begin());
      if (part[first] != 0)
      {
        continue;
      }
      const PoresOfPart own = FindPores(ImageView(alone.data(), extent), options);
      counts.push_back(0);
      bores += own.bores;
      for (std::size_t i = 0; i < values.size(); ++i)
      {
        if (own.part[i] != 0 && part[i] == 0)
        {
          part[i] = static_cast<std::uint8_t>(counts.size());
          pores[i] = values[i] == 0 ? part[i] : std::uint8_t{ 0 };
          ++counts.back();
        }
      }
    }
    options.parts = 0;
    const PoresOfPart found = FindPores(image, options);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), found.part.begin())) << round;
    EXPECT_TRUE(std::equal(pores.begin(), pores.end(), found.pores.begin())) << round;
    EXPECT_EQ(found.bores, bores);
    EXPECT_EQ(found.furtherPieces.count, 0u);
    ASSERT_EQ(found.voxelsOfParts.size(), counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
      EXPECT_EQ(found.voxelsOfParts.at(i + 1), counts[i]);
    }
  }
}

TEST(PoresOfPart, WhatDoesNotFitIsRefused)
{
  const Mask  values(16, std::uint8_t{ 0 });
  PoreOptions options;
  options.material = Criterion::InRange(1, 5);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 4 }), options), InvalidArgument);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 2, 2, 2, 2 }), options), InvalidArgument);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 2 }, 2), options), InvalidArgument);
  options.material = Criterion::InRange(0, 5);
  EXPECT_THROW(FindPores(ImageView(values.data(), Extent{ 4, 4 }), options), InvalidArgument);
  const Mask half = { 1, 0 };
  options.material = Criterion::InRange(1, 5);
  options.progress.canceled = [] { return true; };
  EXPECT_THROW(FindPores(ImageView(half.data(), Extent{ 2, 1 }), options), Canceled);
}

} // namespace

} // namespace brickccl
