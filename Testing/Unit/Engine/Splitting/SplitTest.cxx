// SPDX-License-Identifier: Apache-2.0
// Distance maps and splits, compared with their definitions voxel by voxel.

#include "SlowBuild.h"
#include "SplitCases.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Splitting/Split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

using namespace testing::splits;
using testing::SplitProblem;

void
ExpectAsDefined(const Case & one, const SplitHeight & height, std::uint64_t type)
{
  TypedLabels     typed;
  const ImageView labels = typed.Of(one, type);
  SplitProblem    problem = ProblemOf(one, height.value);
  problem.percent = height.isPercent ? static_cast<int>(height.value) : 0;
  const testing::SplitByDefinition expected = SplitLabels(problem);
  const std::vector<double>        squares = SquaresByPairs(problem);
  SplitOptions                     options;
  options.connectivity = one.connectivity;
  options.geometry = GeometryOf(one);
  options.height = height;
  for (const int axis : one.periodic)
  {
    options.periodic.Add(axis);
  }
  for (options.threads = 1; options.threads <= 8; options.threads += type % 8 == 0 ? 1 : 7)
  {
    std::vector<std::uint32_t> objects(one.labels.size(), 77);
    const SplitReport          report = Split(labels, objects.data(), options);
    ASSERT_EQ(objects, expected.objects) << one.extent.ToString() << ", " << one.connectivity.ToString();
    EXPECT_EQ(report.basins, expected.basins);
    ASSERT_EQ(report.objects.size(), expected.peaks.size());
    for (std::size_t i = 0; i < expected.peaks.size(); ++i)
    {
      EXPECT_EQ(report.objects[i].parent, one.labels[expected.peaks[i]]);
      EXPECT_EQ(report.objects[i].peak, std::sqrt(squares[expected.peaks[i]]) * one.unit);
    }
  }
}

void
ExpectDistances(const Case & one, std::uint64_t type)
{
  TypedLabels               typed;
  const ImageView           labels = typed.Of(one, type);
  const std::vector<double> squares = SquaresByPairs(ProblemOf(one, 0));
  DistanceOptions           options;
  options.geometry = GeometryOf(one);
  for (const int threads : testing::NumbersOfThreads())
  {
    options.threads = threads;
    std::vector<float> distances(one.labels.size(), -1);
    Distances(labels, distances.data(), options);
    for (std::size_t i = 0; i < squares.size(); ++i)
    {
      ASSERT_EQ(distances[i], static_cast<float>(std::sqrt(squares[i]) * one.unit))
        << one.extent.ToString() << ", " << i;
    }
  }
}

TEST(Split, RandomShapesAreSplitAsDefined)
{
  for (std::uint64_t seed = 0; seed < 72; ++seed)
  {
    if (!testing::IsDoneHere(seed, 9))
    {
      continue;
    }
    Case one{ Extents[seed % Extents.size()], {} };
    one.labels = Blocks(one.extent, 1 + seed % 4, 1 + seed % 3, 0.1 + 0.1 * static_cast<double>(seed % 5), seed);
    const int rank = 1 + static_cast<int>(seed / 3) % one.extent.dimension;
    one.connectivity = Connectivity(one.extent.dimension, rank);
    ExpectAsDefined(one, 0.25 * static_cast<double>(seed % 6), seed);
    ExpectDistances(one, seed);
  }
}

TEST(Split, EverySpacingAsDefined)
{
  for (std::uint64_t seed = 0; seed < 24; ++seed)
  {
    Case one{ Extents[2 + seed % 6], {} };
    one.labels = Blocks(one.extent, 1 + seed % 3, 1 + seed % 2, 0.2, seed);
    // Multiples of a common length make whole squares; others are sums of doubles in the order of axes.
    const bool areMultiples = seed % 4 < 2;
    one.spacing =
      areMultiples ? std::vector<double>{ 0.3, 0.2, 0.7, 0.1 } : std::vector<double>{ 0.7031, 0.71, std::sqrt(2.0), 1 };
    // The smallest spacing of an axis with neighbors is 0.2 or 0.3.
    one.unit = !areMultiples ? 1 : one.extent.size[1] == 1 ? 0.3 / 3 : 0.2 / 2;
    for (std::size_t axis = 0; axis < 4; ++axis)
    {
      const double steps = areMultiples ? std::round(one.spacing[axis] / 0.1) : one.spacing[axis];
      one.weights[axis] = steps * steps;
    }
    ExpectAsDefined(one, 0.15, seed);
    ExpectDistances(one, seed);
  }
}

TEST(Split, HeightsInPerCentAsDefined)
{
  for (std::uint64_t seed = 0; seed < 36; ++seed)
  {
    Case one{ Extents[2 + seed % 7], {} };
    one.labels = Blocks(one.extent, 1 + seed % 3, 1 + seed % 2, 0.1 + 0.05 * static_cast<double>(seed % 4), seed);
    one.connectivity = Connectivity(one.extent.dimension, 1 + static_cast<int>(seed) % one.extent.dimension);
    if (seed % 4 == 3)
    {
      one.spacing = { 0.7031, 0.71, std::sqrt(2.0), 1 };
      one.weights = Mapped(one.spacing, [](double step) { return step * step; });
    }
    const double percents[] = { 50, 29, 1, 99, 10, 75 };
    ExpectAsDefined(one, { percents[seed % 6], true }, seed);
  }
  // Two squares with peaks of 4, and a bar with a pass of 2 between them.
  const Extent               extent{ 22, 9 };
  std::vector<std::uint8_t>  labels;
  std::vector<std::uint32_t> objects(198);
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t away = std::abs(i / 22 - 4);
    const bool         isInSquare = i % 22 % 13 >= 1 && i % 22 % 13 <= 7 && away <= 3;
    labels.push_back(isInSquare || (i % 22 >= 1 && i % 22 <= 20 && away <= 1) ? 1 : 0);
  }
  for (const auto & [percent, count] : { std::pair(49.0, 2u), std::pair(50.0, 2u), std::pair(50.01, 1u) })
  {
    SplitOptions options;
    options.height = SplitHeight(percent, true);
    EXPECT_EQ(Split(ImageView(labels.data(), extent), objects.data(), options).objects.size(), count) << percent;
  }
}

TEST(Split, TheHeightIsThreeQuartersOfTheSmallestSpacingUnlessGiven)
{
  // Spacings, and the smallest one in their common length.
  const std::vector<std::pair<std::vector<double>, double>> spacings = { { { 1, 1, 1, 1 }, 1 },
                                                                         { { 0.01, 0.01, 0.01, 1 }, 1 },
                                                                         { { 0.5, 0.75, 1, 1 }, 2 },
                                                                         { { 30, 20, 70, 1 }, 2 } };
  for (std::uint64_t seed = 0; seed < 12; ++seed)
  {
    const auto & [spacing, multiple] = spacings[seed % 4];
    Case one{ { 11, 12, 13 }, {} };
    one.labels = Blocks(one.extent, 1 + seed % 3, 1, 0.1, seed);
    one.spacing = spacing;
    const double smallest = *std::min_element(spacing.begin(), spacing.begin() + 3);
    one.unit = smallest / multiple;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      one.weights[axis] = std::pow(std::round(spacing[axis] / one.unit), 2);
    }
    TypedLabels  typed;
    SplitProblem problem = ProblemOf(one, 0);
    problem.depth = 0.75 * multiple;
    SplitOptions options;
    options.geometry = GeometryOf(one);
    std::vector<std::uint32_t> objects(one.labels.size());
    Split(typed.Of(one, seed), objects.data(), options);
    EXPECT_EQ(objects, SplitLabels(problem).objects) << seed;
  }
}

TEST(Split, PlateausAndTiesGoToTheFirstInRasterOrder)
{
  // Slabs, rings and combs have distances that are equal over wide parts.
  const Extent                                                                     extent{ 15, 14, 6 };
  const std::vector<std::function<bool(std::int64_t, std::int64_t, std::int64_t)>> shapes = {
    [](auto, auto y, auto) { return y > 1 && y < 12; },
    [](auto x, auto y, auto) { return std::max(std::abs(x - 7), std::abs(y - 7)) % 4 != 0; },
    [](auto x, auto y, auto) { return y > 10 || x % 4 != 0; },
    [](auto x, auto y, auto z) { return (x + y + z) % 2 == 0; },
    [](auto x, auto y, auto z) { return (x + y + 2 * z) % 5 != 0; },
    [](auto x, auto y, auto z) { return x + y + z > 0; },
    [](auto, auto, auto) { return true; },
    [](auto, auto, auto) { return false; },
  };
  for (std::size_t shape = 0; shape < shapes.size(); ++shape)
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      Case one{ extent, {}, Connectivity(3, rank) };
      for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
      {
        one.labels.push_back(shapes[shape](i % 15, i / 15 % 14, i / 210) ? 1 : 0);
      }
      for (const double depth : { 0.0, 0.75, 1e9 })
      {
        ExpectAsDefined(one, depth, shape);
      }
    }
  }
}

TEST(Split, SlicesAreSplitOnTheirOwn)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    Case one{ { 12, 11, 10 }, {}, Connectivity::Full(2).WithinSlices(axis) };
    one.labels = Blocks(one.extent, 3, 2, 0.2, static_cast<std::uint64_t>(axis));
    ExpectAsDefined(one, 0.75, 0);
    TypedLabels               typed;
    const std::vector<double> squares = SquaresByPairs(ProblemOf(one, 0));
    std::vector<float>        distances(squares.size());
    DistanceOptions           options;
    options.sliceAxis = axis;
    Distances(typed.Of(one, 0), distances.data(), options);
    for (std::size_t i = 0; i < squares.size(); ++i)
    {
      EXPECT_EQ(distances[i], static_cast<float>(std::sqrt(squares[i])));
    }
  }
}

TEST(Split, PeriodicImagesAreSplitAsDefined)
{
  for (std::uint64_t seed = 0; seed < 84; ++seed)
  {
    if (!testing::IsDoneHere(seed, 9))
    {
      continue;
    }
    Case one{ Extents[seed % Extents.size()], {} };
    one.labels = Blocks(one.extent, 1 + seed % 4, 1 + seed % 3, 0.02 + 0.1 * static_cast<double>(seed % 5), seed);
    one.connectivity = Connectivity(one.extent.dimension, 1 + static_cast<int>(seed / 3) % one.extent.dimension);
    const std::uint64_t axes = seed / 9 % 15 + 1;
    for (int axis = 0; axis < one.extent.dimension; ++axis)
    {
      if ((axes >> axis & 1u) != 0)
      {
        one.periodic.insert(axis);
      }
    }
    if (seed % 4 == 3)
    {
      one.spacing = { 0.7031, 0.71, std::sqrt(2.0), 1 };
      one.weights = Mapped(one.spacing, [](double step) { return step * step; });
    }
    ExpectAsDefined(one, { seed % 5 == 0 ? 20 : 0.25 * static_cast<double>(seed % 6), seed % 5 == 0 }, seed);
  }
  SplitOptions               options;
  std::vector<std::uint8_t>  labels(12, 1);
  std::vector<std::uint32_t> objects(12);
  options.periodic.Add(2);
  EXPECT_THROW(Split(ImageView(labels.data(), Extent{ 3, 4 }), objects.data(), options), InvalidArgument);
}

TEST(Split, DistancesBeyond16BitsAndAllSquaresOfALine)
{
  const Extent               line{ 70000 };
  std::vector<std::uint8_t>  labels(70000, 1);
  std::vector<float>         distances(labels.size());
  std::vector<std::uint32_t> objects(labels.size());
  labels[0] = 0;
  Distances(ImageView(labels.data(), line), distances.data());
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    ASSERT_EQ(distances[i], static_cast<float>(i));
  }
  EXPECT_EQ(Split(ImageView(labels.data(), line), objects.data()).objects.front().peak, 69999);
  // Along y as well: 300 voxels of 16 bits' squares, 40000 of 32 bits'.
  for (const std::int64_t length : { 256, 257, 300, 40000, 47000 })
  {
    labels.assign(static_cast<std::size_t>(3 * length), 1);
    std::fill_n(labels.begin(), 3, std::uint8_t{ 0 });
    distances.resize(labels.size());
    Distances(ImageView(labels.data(), Extent{ 3, length }), distances.data());
    for (std::int64_t i = 0; i < 3 * length; ++i)
    {
      const std::int64_t rows = i / 3;
      ASSERT_EQ(distances[static_cast<std::size_t>(i)], static_cast<float>(rows));
    }
  }
}

TEST(Split, WithoutBackgroundThereIsNoDistanceAndOneObject)
{
  const Extent               extent{ 9, 8, 7 };
  std::vector<std::int32_t>  labels(static_cast<std::size_t>(extent.VoxelCount()), 5);
  std::vector<float>         distances(labels.size());
  std::vector<std::uint32_t> objects(labels.size());
  Distances(ImageView(labels.data(), extent), distances.data());
  EXPECT_EQ(std::count(distances.begin(), distances.end(), std::numeric_limits<float>::infinity()), 504);
  const SplitReport report = Split(ImageView(labels.data(), extent), objects.data());
  ASSERT_EQ(report.objects.size(), 1u);
  EXPECT_EQ(report.objects[0].parent, 5u);
  EXPECT_EQ(std::count(objects.begin(), objects.end(), 1u), 504);
}

TEST(Split, WrongInputIsRefused)
{
  const Extent               extent{ 4, 4 };
  std::vector<std::int16_t>  labels(16, 1);
  std::vector<float>         values(16, 1);
  std::vector<std::uint32_t> objects(16);
  std::vector<float>         distances(16);
  const ImageView            image(labels.data(), extent);
  SplitOptions               options;
  EXPECT_NO_THROW(Split(ImageView(values.data(), extent), objects.data()));
  values[3] = 0.5f;
  EXPECT_THROW(Split(ImageView(values.data(), extent), objects.data()), InvalidArgument);
  EXPECT_THROW(Distances(ImageView(values.data(), extent), distances.data()), InvalidArgument);
  EXPECT_THROW(Split(ImageView(labels.data(), Extent{ 4, 2 }, 2), objects.data()), InvalidArgument);
  EXPECT_THROW(Split(image, nullptr), InvalidArgument);
  EXPECT_THROW(Distances(image, nullptr), InvalidArgument);
  options.height = -1;
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options.height = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  for (const double percent : { 0.0, 100.0, -1.0, std::numeric_limits<double>::quiet_NaN() })
  {
    options.height = SplitHeight(percent, true);
    EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  }
  options.height = SplitHeight(10, true);
  EXPECT_NO_THROW(Split(image, objects.data(), options));
  options.values = image;
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options = {};
  options.connectivity = Connectivity::Full(3);
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options = {};
  options.geometry.spacing[1] = 0;
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options = {};
  options.values = ImageView(values.data(), Extent{ 2, 8 });
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options.values = ImageView(values.data(), extent);
  EXPECT_NO_THROW(Split(image, objects.data(), options));
  values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Split(ImageView(values.data(), extent), objects.data()), InvalidArgument);
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options = {};
  std::vector<std::int64_t> seeds(16, 2);
  options.seeds = ImageView(seeds.data(), extent);
  EXPECT_NO_THROW(Split(image, objects.data(), options));
  options.height = 1;
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  options.height.reset();
  for (const std::int64_t wrong : { std::int64_t{ -1 }, std::int64_t{ 1 } << 32 })
  {
    seeds[5] = wrong;
    EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  }
  options.seeds = ImageView(objects.data(), Extent{ 2, 8 });
  EXPECT_THROW(Split(image, objects.data(), options), InvalidArgument);
  DistanceOptions ofDistances;
  ofDistances.sliceAxis = 2;
  EXPECT_THROW(Distances(image, distances.data(), ofDistances), InvalidArgument);
  ofDistances = {};
  ofDistances.progress.canceled = [] { return true; };
  EXPECT_THROW(Distances(image, distances.data(), ofDistances), Canceled);
  labels[7] = -1;
  EXPECT_THROW(Split(image, objects.data()), InvalidArgument);
  EXPECT_THROW(Distances(image, distances.data()), InvalidArgument);
}

} // namespace
} // namespace brickccl
