// SPDX-License-Identifier: Apache-2.0
// What the paper about ridge patterns (CUCCL) claims of its patterns and families: rounds of label equivalence, peak
// heights, sizes.

#include "FloodFill.h"
#include "SlowBuild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "Ridges.h"
#include "Patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace brickccl
{
namespace
{

using Family = RidgeImage::Family;

/** Scans and analyses of label equivalence until a scan finds nothing, that scan not counted: all labels are read
 * before any reference is written, as in Hawick's form. */
int
RoundsOfLabelEquivalence(const std::vector<std::uint8_t> & pixels, std::int64_t width)
{
  const auto               height = static_cast<std::int64_t>(pixels.size()) / width;
  std::vector<std::size_t> labels(pixels.size());
  std::iota(labels.begin(), labels.end(), std::size_t{ 0 });
  for (int rounds = 0;; ++rounds)
  {
    std::vector<std::size_t> references = labels;
    bool                     changed = false;
    for (std::int64_t y = 0; y < height; ++y)
    {
      for (std::int64_t x = 0; x < width; ++x)
      {
        const auto  pixel = static_cast<std::size_t>(y * width + x);
        std::size_t smallest = labels[pixel];
        for (std::int64_t v = std::max<std::int64_t>(0, y - 1); v <= std::min(height - 1, y + 1); ++v)
        {
          for (std::int64_t u = std::max<std::int64_t>(0, x - 1); u <= std::min(width - 1, x + 1); ++u)
          {
            const auto other = static_cast<std::size_t>(v * width + u);
            smallest = pixels[pixel] != 0 && pixels[other] != 0 ? std::min(smallest, labels[other]) : smallest;
          }
        }
        if (smallest < labels[pixel])
        {
          changed = true;
          references[labels[pixel]] = std::min(references[labels[pixel]], smallest);
        }
      }
    }
    if (!changed)
    {
      return rounds;
    }
    for (std::size_t & label : labels)
    {
      while (references[label] != label)
      {
        label = references[label];
      }
    }
  }
}

std::vector<std::uint8_t>
Make(int n, Family family, int level, int subdivisions = 0, double parameter = 1, std::uint64_t seed = 1)
{
  RidgeImage image;
  image.family = family;
  image.level = level;
  image.subdivisions = subdivisions;
  image.parameter = parameter;
  image.seed = seed;
  return MakeRidges(Extent{ std::int64_t{ 1 } << n, std::int64_t{ 1 } << n }, image);
}

std::uint64_t
ComponentsOf(const std::vector<std::uint8_t> & pixels, int n)
{
  testing::FloodFillProblem problem;
  problem.extent = Extent{ std::int64_t{ 1 } << n, std::int64_t{ 1 } << n };
  problem.values.assign(pixels.begin(), pixels.end());
  problem.rank = 2;
  const auto labels = FloodFill(problem);
  return *std::max_element(labels.begin(), labels.end());
}

std::int64_t
ForegroundOf(const std::vector<std::uint8_t> & pixels)
{
  return std::count(pixels.begin(), pixels.end(), std::uint8_t{ 1 });
}

TEST(Ridges, LevelIsTheNumberOfRoundsOfLabelEquivalence)
{
  for (int n = 4; n <= (testing::IsSlowBuild ? 9 : 10); ++n)
  {
    for (int level = 1; level <= n - 1; ++level)
    {
      EXPECT_EQ(RoundsOfLabelEquivalence(Make(n, Family::Leveling, level), std::int64_t{ 1 } << n), level)
        << "n = " << n;
    }
  }
  EXPECT_EQ(RoundsOfLabelEquivalence(Make(8, Family::Subdivision, 4, 3), 256), 4) << "of many patterns as well";
}

TEST(Ridges, SpiralsTakeTwoRoundsWhateverTheirSize)
{
  for (const std::int64_t side : { 15, 32, 64, 129, 300 })
  {
    EXPECT_EQ(RoundsOfLabelEquivalence(MakeSpiral(Extent{ side, side }), side), 2) << side;
  }
}

TEST(Ridges, PeaksHaveTheHeightsOfEquation8)
{
  for (int level = 2; level <= 10; ++level)
  {
    const RidgePattern pattern(level, 0);
    EXPECT_EQ(pattern.PeakCount(), (std::int64_t{ 1 } << (level - 2)) + 1) << "equation 6";
    for (std::int64_t i = 0; i < pattern.PeakCount(); ++i)
    {
      std::int64_t height = 1;
      for (int k = 0; k <= level - 2; ++k)
      {
        const std::int64_t power = std::int64_t{ 1 } << k;
        height += (power - i % power) / power;
      }
      EXPECT_EQ(pattern.PeakHeight(i), height);
      EXPECT_EQ(pattern.PeakPlace(i), 3 * i) << "equation 7";
      // The pixels come from the numbers.
      std::int64_t painted = 0;
      while (painted < level && pattern.Covers(3 * i, level - 1 - painted))
      {
        ++painted;
      }
      EXPECT_EQ(painted, height) << "peak " << i << " of level " << level;
      EXPECT_FALSE(pattern.Covers(3 * i + 1, level - 1)) << "two columns between peaks are empty";
      EXPECT_FALSE(pattern.Covers(3 * i + 2, level - 1));
    }
  }
}

TEST(Ridges, SizesAreThoseOfEquations9To17)
{
  for (int l = 2; l <= 7; ++l)
  {
    for (int k = 0; k <= 4; ++k)
    {
      const RidgePattern pattern(l, k);
      const std::int64_t crest = (1 << (k + l - 1)) + (1 << (k + l - 2)) + (1 << k);
      EXPECT_EQ(pattern.CrestWidth(), crest) << "equations 9 and 13";
      EXPECT_EQ(pattern.CrestHeight(), l) << "equations 10 and 14";
      EXPECT_EQ(pattern.Width(), 2 * crest - l - 1) << "equation 11, in the middle";
      EXPECT_EQ(pattern.Width() + 1, (1 << (k + l)) + (1 << (k + l - 1)) + (1 << (k + 1)) - l)
        << "equation 15 and the right side of 11 are one larger";
      EXPECT_EQ(pattern.BaseHeight(), crest - l) << "equations 12 and 16";
      EXPECT_LE(2 + pattern.Width(), 1 << (k + l + 1)) << "equation 17";
      std::int64_t left = pattern.Width(), right = -1, low = pattern.Height(), high = -1;
      for (std::int64_t y = 0; y < pattern.Height() + 2; ++y)
      {
        for (std::int64_t x = 0; x < pattern.Width() + 2; ++x)
        {
          if (pattern.Covers(x, y))
          {
            left = std::min(left, x), right = std::max(right, x), low = std::min(low, y), high = std::max(high, y);
          }
        }
      }
      EXPECT_EQ(left, 0);
      EXPECT_EQ(low, 0);
      EXPECT_EQ(right, pattern.Width() - 1);
      EXPECT_EQ(high, pattern.Height() - 1);
    }
  }
}

TEST(Ridges, FamiliesHaveTheComponentsThatTheyShould)
{
  constexpr int n = 8;
  for (int s = 0; s <= n - 4; ++s)
  {
    const auto pixels = Make(n, Family::Subdivision, 3, s);
    EXPECT_EQ(ComponentsOf(pixels, n), std::uint64_t{ 1 } << (2 * s));
    EXPECT_NEAR(static_cast<double>(ForegroundOf(pixels)) / (1 << (2 * n)), 0.2, 0.06) << "about a quarter";
    EXPECT_EQ(Make(n, Family::RandomInstancing, 3, s, 1), pixels);
    EXPECT_EQ(Make(n, Family::RandomMerging, 3, s, 0), pixels);
    EXPECT_EQ(ForegroundOf(Make(n, Family::RandomInstancing, 3, s, 0)), 0);
    EXPECT_EQ(ComponentsOf(Make(n, Family::RandomMerging, 3, s, 1), n), 1u);
    EXPECT_EQ(ComponentsOf(Make(n, Family::RandomMerging, 1, s, 1), n), 1u);
  }
  const auto some = Make(n, Family::RandomInstancing, 3, 4, 0.5);
  EXPECT_NEAR(static_cast<double>(ComponentsOf(some, n)), 128, 30);
  EXPECT_EQ(some, Make(n, Family::RandomInstancing, 3, 4, 0.5)) << "the same again";
  EXPECT_NE(some, Make(n, Family::RandomInstancing, 3, 4, 0.5, 2)) << "another seed, another image";
  const auto merged = ComponentsOf(Make(n, Family::RandomMerging, 3, 4, 0.5), n);
  EXPECT_GT(merged, 1u);
  EXPECT_LT(merged, 256u);
}

TEST(Ridges, ScalingKeepsTheShape)
{
  constexpr int n = 9;
  EXPECT_EQ(Make(n, Family::Scaling, 2, 0, 1), Make(n, Family::Leveling, 2));
  EXPECT_EQ(ForegroundOf(Make(n, Family::Scaling, 2, 0, 0)), 0);
  const auto whole = static_cast<double>(ForegroundOf(Make(n, Family::Scaling, 2, 0, 1)));
  for (const double factor : { 0.25, 0.5, 0.8 })
  {
    const auto pixels = Make(n, Family::Scaling, 2, 0, factor);
    EXPECT_NEAR(static_cast<double>(ForegroundOf(pixels)) / whole, factor * factor, 0.02);
    EXPECT_EQ(ComponentsOf(pixels, n), 1u);
  }
  EXPECT_EQ(ForegroundOf(Make(n, Family::Spiral, 1, 0, 0)), 0);
  EXPECT_EQ(ComponentsOf(Make(n, Family::Spiral, 1, 0, 0.7), n), 1u);
}

TEST(Ridges, WhatDoesNotFitIsRefused)
{
  EXPECT_THROW(Make(8, Family::Leveling, 8), InvalidArgument);
  EXPECT_THROW(Make(8, Family::Leveling, 0), InvalidArgument);
  EXPECT_THROW(Make(8, Family::Subdivision, 3, 5), InvalidArgument);
  EXPECT_THROW(Make(8, Family::Scaling, 3, 0, 1.5), InvalidArgument);
  EXPECT_THROW(MakeRidges(Extent{ 100, 100 }, RidgeImage()), InvalidArgument);
  EXPECT_THROW(MakeRidges(Extent{ 128, 64 }, RidgeImage()), InvalidArgument);
  EXPECT_THROW(RidgePattern(0, 1), InvalidArgument);
  EXPECT_THROW(RidgeImage::FamilyFromName("levelling"), InvalidArgument);
  EXPECT_EQ(RidgeImage::FamilyFromName("random-merging"), Family::RandomMerging);
}

} // namespace
} // namespace brickccl
