// SPDX-License-Identifier: Apache-2.0
#include "FloodFill.h"
#include "SlowBuild.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

namespace brickccl
{
namespace
{

/** Values in a range, smooth along x so that components have some size. */
template <typename T>
std::vector<T>
Values(const Extent & extent, double low, double high, std::uint64_t seed)
{
  std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const double u = 0.6 * UniformOf(seed, i / 3) + 0.4 * UniformOf(seed + 1, i);
    voxels[i] = static_cast<T>(low + (high - low) * u);
  }
  return voxels;
}

template <typename T>
void
ExpectLikeLabelings(const Extent &         extent,
                    const std::vector<T> & voxels,
                    const SweepOptions &   options,
                    int                    rank,
                    int                    sliceAxis = -1)
{
  testing::FloodFillProblem problem;
  problem.extent = extent;
  problem.values.assign(voxels.begin(), voxels.end());
  problem.rank = rank;
  problem.sliceAxis = sliceAxis;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    problem.periodic[static_cast<std::size_t>(axis)] = options.periodic.Has(axis);
  }
  SweepOptions asked = options;
  asked.connectivity = sliceAxis < 0 ? Connectivity(extent.dimension, rank)
                                     : Connectivity(extent.dimension - 1, rank).WithinSlices(sliceAxis);
#ifdef BRICKCCL_CUDA_ON_HOST
  // Kernels on the host are slow; they serve one of eight sweeps.
  static int sweeps = 0;
  if (++sweeps % 8 != 4)
  {
    asked.device = { Device::Kind::Cpu, 0 };
  }
#endif
  for (const int threads : testing::NumbersOfThreads())
  {
    asked.threads = threads;
    const auto steps = Sweep(ImageView(voxels.data(), extent), asked);
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(options.steps));
    for (const SweepStep & step : steps)
    {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      problem.criterion = options.below ? Criterion::InRange(-infinity, std::nextafter(step.threshold, -infinity))
                                        : Criterion::InRange(step.threshold, infinity);
      std::map<std::uint64_t, std::uint64_t> sizes;
      for (const std::uint64_t label : testing::FloodFill(problem))
      {
        ++sizes[label];
      }
      sizes.erase(0);
      std::uint64_t largest = 0;
      std::uint64_t sum = 0;
      for (const auto & [label, size] : sizes)
      {
        largest = std::max(largest, size);
        sum += size;
      }
      const std::string what = extent.ToString() + " at " + std::to_string(step.threshold) + ", rank " +
                               std::to_string(rank) + ", " + NameOf(ScalarTypeOf<T>());
      ASSERT_EQ(step.components, sizes.size()) << what;
      ASSERT_EQ(step.largest, largest) << what;
      ASSERT_EQ(step.voxels, sum) << what;
    }
  }
}

TEST(Sweep, IsWhatALabelingForEachThresholdGives)
{
  std::uint64_t seed = 0;
  for (const Extent & extent :
       { Extent{ 60 }, Extent{ 19, 14 }, Extent{ 13, 9, 8 }, Extent{ 1, 12, 7 }, Extent{ 7, 5, 4, 3 } })
  {
    for (int rank = 1; rank <= extent.dimension; ++rank)
    {
      for (const bool below : { false, true })
      {
        SweepOptions options;
        options.from = 20;
        options.to = 100;
        options.steps = 9;
        options.below = below;
        ExpectLikeLabelings(extent, Values<std::uint8_t>(extent, 0, 120, ++seed), options, rank);
        options.from = -30.5;
        options.to = 33.25;
        options.steps = 7;
        ExpectLikeLabelings(extent, Values<std::int16_t>(extent, -40, 40, ++seed), options, rank);
        ExpectLikeLabelings(extent, Values<std::int8_t>(extent, -40, 40, ++seed), options, rank);
        ExpectLikeLabelings(extent, Values<float>(extent, -40, 40, ++seed), options, rank);
        ExpectLikeLabelings(extent, Values<std::int64_t>(extent, -40, 40, ++seed), options, rank);
      }
    }
  }
}

TEST(Sweep, SlicesAreSweptEachOnItsOwn)
{
  const Extent extent{ 9, 8, 7 };
  for (int axis = 0; axis < 3; ++axis)
  {
    SweepOptions options;
    options.from = 10;
    options.to = 90;
    options.steps = 5;
    ExpectLikeLabelings(extent, Values<std::uint16_t>(extent, 0, 100, 40), options, 2, axis);
  }
}

TEST(Sweep, GoesOnThroughTheEndsOfPeriodicAxes)
{
  const Extent extent{ 9, 8, 7 };
  for (const char * const axes : { "x", "yz", "xyz" })
  {
    for (const int rank : { 1, 3 })
    {
      SweepOptions options;
      options.from = 10;
      options.to = 90;
      options.steps = 5;
      options.periodic = PeriodicAxes::FromNames(axes);
      ExpectLikeLabelings(extent, Values<std::uint16_t>(extent, 0, 100, 50), options, rank);
    }
  }
}

TEST(Sweep, OfManyThresholdsIsWhatLabelingsGive)
{
  std::uint64_t seed = 500;
  for (const Extent & extent :
       { Extent{ 500 }, Extent{ 30, 20 }, Extent{ 67, 4, 3 }, Extent{ 64, 1, 5 }, Extent{ 6, 5, 4, 3 } })
  {
    for (const int rank : { 1, extent.dimension })
    {
      for (const bool below : { false, true })
      {
        SweepOptions options;
        options.below = below;
        options.from = -1000.5;
        options.to = 1100;
        options.steps = 50;
        ExpectLikeLabelings(extent, Values<std::int16_t>(extent, -1500, 1500, ++seed), options, rank);
        ExpectLikeLabelings(extent, Values<float>(extent, -1500, 1500, ++seed), options, rank);
        options.from = -20;
        options.to = 290;
        ExpectLikeLabelings(extent, Values<std::uint8_t>(extent, 0, 250, ++seed), options, rank);
      }
    }
  }
  SweepOptions options;
  options.from = 0;
  options.to = 1000;
  options.steps = 80;
  ExpectLikeLabelings({ 30, 20, 4 }, Values<std::uint32_t>({ 30, 20, 4 }, 0, 1200, ++seed), options, 2, 2);
}

TEST(Sweep, TakesOtherNeighborhoods)
{
  const Extent extent{ 40, 12, 6 };
  const auto   voxels = Values<std::int16_t>(extent, 0, 1000, 600);
  const auto   image = ImageView(voxels.data(), extent);
  SweepOptions options;
  options.to = 1000;
  options.steps = 90;
  for (const auto & offsets :
       { std::vector<NeighborOffset>{ { 1, 0, 0, 0 }, { -1, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, -1, -1, 0 } },
         std::vector<NeighborOffset>{ { 1, 1, 0, 0 }, { -1, -1, 0, 0 }, { -1, 1, 0, 0 }, { 1, -1, 0, 0 } } })
  {
    options.connectivity = Connectivity::FromOffsets(3, offsets);
    for (const SweepStep & step : Sweep(image, options))
    {
      LabelOptions labelOptions;
      labelOptions.connectivity = options.connectivity;
      labelOptions.criterion = Criterion::InRange(step.threshold, std::numeric_limits<double>::infinity());
      const Labeling labeling = Label(image, labelOptions);
      ASSERT_EQ(step.components, labeling.ComponentCount());
      ASSERT_EQ(step.voxels, labeling.ForegroundVoxelCount());
    }
  }
}

TEST(Sweep, TakesManyStepsAndThresholdsBeyondTheType)
{
  const Extent extent{ 11, 9 };
  SweepOptions options;
  options.from = -100;
  options.to = 400;
  options.steps = 300;
  for (const bool below : { false, true })
  {
    options.below = below;
    ExpectLikeLabelings(extent, Values<std::uint8_t>(extent, 0, 256, 3), options, 1);
    ExpectLikeLabelings(extent, Values<std::uint32_t>(extent, 0, 256, 3), options, 1);
  }
}

TEST(Sweep, NaNIsNeverForeground)
{
  const float              nan = std::nanf("");
  const std::vector<float> voxels = { 1, nan, 1, 3, nan, -2 };
  SweepOptions             options;
  options.from = 0;
  options.to = 2;
  options.steps = 3;
  for (const bool below : { false, true })
  {
    options.below = below;
    const auto steps = Sweep(ImageView(voxels.data(), Extent{ 6 }), options);
    EXPECT_EQ(steps[1].threshold, 1);
    EXPECT_EQ(steps[1].voxels, below ? 1u : 3u);
    EXPECT_EQ(steps[1].components, below ? 1u : 2u);
  }
}

TEST(Sweep, RefusesWhatHasNoMeaning)
{
  const std::vector<std::uint8_t> voxels(12);
  const ImageView                 image(voxels.data(), Extent{ 4, 3 });
  SweepOptions                    options;
  EXPECT_THROW(Sweep(image, options), InvalidArgument);
  options.to = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Sweep(image, options), InvalidArgument);
  options.to = 5;
  EXPECT_NO_THROW(Sweep(image, options));
  for (const int steps : { 1, 0, -3, SweepOptions::MaximumSteps + 1 })
  {
    options.steps = steps;
    EXPECT_THROW(Sweep(image, options), InvalidArgument) << steps;
  }
  options.steps = 4;
  options.connectivity = Connectivity::Face(3);
  EXPECT_THROW(Sweep(image, options), InvalidArgument);
  options.connectivity.reset();
  EXPECT_THROW(Sweep(ImageView(voxels.data(), Extent{ 2, 3 }, 2), options), InvalidArgument);
}

TEST(Sweep, CanBeCanceled)
{
  const std::vector<std::uint8_t> voxels(12);
  SweepOptions                    options;
  options.to = 5;
  options.progress.canceled = [] { return true; };
  EXPECT_THROW(Sweep(ImageView(voxels.data(), Extent{ 4, 3 }), options), Canceled);
}

TEST(Sweep, ReportsProgressOnTheCallersThreadAndCanBeCanceled)
{
  const Extent                    extent{ 50, 40, 10 };
  const std::vector<std::int16_t> voxels = Values<std::int16_t>(extent, 0, 1000, 700);
  SweepOptions                    options;
  options.to = 1000;
  options.steps = 100;
  options.threads = 3;
  const auto          caller = std::this_thread::get_id();
  std::vector<double> told;
  options.progress.report = [&](double done) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    told.push_back(done);
  };
  Sweep(ImageView(voxels.data(), extent), options);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), 1);
  options.progress.canceled = [] { return true; };
  EXPECT_THROW(Sweep(ImageView(voxels.data(), extent), options), Canceled);
}

} // namespace
} // namespace brickccl
