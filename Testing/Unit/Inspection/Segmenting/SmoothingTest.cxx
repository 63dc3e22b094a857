// SPDX-License-Identifier: Apache-2.0
// Smoothed images, compared with plain loops.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Segmenting/Smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace brickccl
{

namespace
{

template <typename T>
std::vector<T>
RandomVoxels(const Extent & extent)
{
  std::mt19937   random(11);
  std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  for (T & voxel : voxels)
  {
    voxel = static_cast<T>(static_cast<int>(random() % 256) - (std::is_signed_v<T> ? 128 : 0));
  }
  return voxels;
}

/** The place of a voxel whose coordinates are moved into the image. */
std::size_t
PlaceOf(const Extent & extent, std::int64_t x, std::int64_t y, std::int64_t z)
{
  const auto inside = [&](std::int64_t at, int axis) { return std::clamp<std::int64_t>(at, 0, extent.size[axis] - 1); };
  return static_cast<std::size_t>((inside(z, 2) * extent.size[1] + inside(y, 1)) * extent.size[0] + inside(x, 0));
}

template <typename T>
std::vector<T>
PlainMedian(const std::vector<T> & voxels, const Extent & extent, int radius)
{
  std::vector<T> medians(voxels.size());
  const int      radiusZ = extent.size[2] > 1 ? radius : 0;
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    std::vector<T> around;
    for (int z = -radiusZ; z <= radiusZ; ++z)
    {
      for (int y = -radius; y <= radius; ++y)
      {
        for (int x = -radius; x <= radius; ++x)
        {
          around.push_back(voxels[PlaceOf(extent,
                                          place % extent.size[0] + x,
                                          place / extent.size[0] % extent.size[1] + y,
                                          place / extent.size[0] / extent.size[1] + z)]);
        }
      }
    }
    std::sort(around.begin(), around.end());
    medians[static_cast<std::size_t>(place)] = around[around.size() / 2];
  }
  return medians;
}

template <typename T>
void
ExpectPlainMedian(const Extent & extent, int radius)
{
  const std::vector<T> voxels = RandomVoxels<T>(extent);
  std::vector<T>       smoothed(voxels.size());
  SmoothingMethod      method;
  method.radius = radius;
  EXPECT_EQ(SmoothedType(ScalarTypeOf<T>(), method), ScalarTypeOf<T>());
  Smooth(ImageView(voxels.data(), extent), {}, method, smoothed.data(), {});
  EXPECT_EQ(smoothed, PlainMedian(voxels, extent, radius));
}

TEST(Smoothing, MedianIsThatOfAPlainLoop)
{
  ExpectPlainMedian<std::uint8_t>({ 20, 9, 7 }, 1);
  ExpectPlainMedian<std::int16_t>({ 20, 9, 7 }, 2);
  ExpectPlainMedian<std::int32_t>({ 8, 9, 3 }, 1);
  ExpectPlainMedian<std::uint64_t>({ 8, 9, 3 }, 1);
  ExpectPlainMedian<float>({ 8, 9, 3 }, 1);
  ExpectPlainMedian<double>({ 8, 9, 3 }, 1);
  ExpectPlainMedian<std::int8_t>({ 30, 20 }, 3);
  ExpectPlainMedian<std::uint16_t>({ 30, 20, 1 }, 1);
}

TEST(Smoothing, GaussianSpreadsAsItsDeviationSays)
{
  const Extent              extent = { 41, 41, 41 };
  std::vector<std::int16_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  voxels[PlaceOf(extent, 20, 20, 20)] = 10000;
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[1] = 1;
  geometry.spacing[2] = 2;
  const SmoothingMethod method = SmoothingMethod::FromText("gaussian:2");
  ASSERT_EQ(SmoothedType(ScalarType::Int16, method), ScalarType::Float32);
  std::vector<float> smoothed(voxels.size());
  Smooth(ImageView(voxels.data(), extent), geometry, method, smoothed.data(), {});
  double sum = 0;
  double squares[3] = {};
  for (std::int64_t z = 0; z < 41; ++z)
  {
    for (std::int64_t y = 0; y < 41; ++y)
    {
      for (std::int64_t x = 0; x < 41; ++x)
      {
        const double value = smoothed[PlaceOf(extent, x, y, z)];
        sum += value;
        squares[0] += value * std::pow(0.5 * static_cast<double>(x - 20), 2);
        squares[1] += value * std::pow(static_cast<double>(y - 20), 2);
        squares[2] += value * std::pow(2 * static_cast<double>(z - 20), 2);
      }
    }
  }
  EXPECT_NEAR(sum, 10000, 10);
  for (const double square : squares)
  {
    EXPECT_NEAR(std::sqrt(square / sum), 2, 0.02);
  }
}

TEST(Smoothing, AWideGaussianIsAccurate)
{
  for (const int deviation : { 5, 8, 10 })
  {
    const Extent       extent = { 401, 1 };
    std::vector<float> voxels(401);
    std::vector<float> smoothed(401);
    voxels[200] = 1;
    Smooth(ImageView(voxels.data(), extent),
           {},
           SmoothingMethod::FromText("gaussian:" + std::to_string(deviation)),
           smoothed.data(),
           {});
    for (int x = 200 - 2 * deviation; x <= 200 + 2 * deviation; ++x)
    {
      const double sigmas = (x - 200.0) / deviation;
      const double wanted = std::exp(-sigmas * sigmas / 2) / (deviation * std::sqrt(2 * std::acos(-1.0)));
      EXPECT_NEAR(smoothed[static_cast<std::size_t>(x)] / wanted, 1, 0.01) << deviation << " " << x;
    }
  }
}

TEST(Smoothing, GaussianOfAThinStackKeepsAConstant)
{
  const Extent             extent = { 5, 4, 2 };
  const std::vector<float> voxels(40, 7.5f);
  std::vector<float>       smoothed(40);
  Smooth(ImageView(voxels.data(), extent), {}, SmoothingMethod::FromText("gaussian:3"), smoothed.data(), {});
  for (const float value : smoothed)
  {
    EXPECT_NEAR(value, 7.5f, 1e-4);
  }
}

TEST(Smoothing, TheWidestGaussianKeepsAConstantAndAWiderOneIsRefused)
{
  const std::vector<float> voxels(1000, 7.5f);
  std::vector<float>       smoothed(1000);
  const auto               smooth = [&](const char * text) {
    Smooth(ImageView(voxels.data(), Extent{ 10, 10, 10 }), {}, SmoothingMethod::FromText(text), smoothed.data(), {});
  };
  smooth("gaussian:10");
  for (const float value : smoothed)
  {
    EXPECT_NEAR(value, 7.5f, 1e-3);
  }
  EXPECT_THROW(smooth("gaussian:10.5"), InvalidArgument);
}

/** Bilateral filters and non-local means by plain loops. */
double
PlainMean(const std::vector<float> & voxels,
          const Extent &             extent,
          const double *             spacing,
          const SmoothingMethod &    method,
          std::int64_t               place)
{
  const bool         isBilateral = method.kind == SmoothingMethod::Kind::Bilateral;
  const std::int64_t at[] = { place % extent.size[0],
                              place / extent.size[0] % extent.size[1],
                              place / extent.size[0] / extent.size[1] };
  int                reach[3];
  int                patch[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    reach[axis] = isBilateral ? static_cast<int>(std::ceil(2 * method.deviation / spacing[axis])) : 3;
    reach[axis] = extent.size[axis] > 1 ? reach[axis] : 0;
    patch[axis] = !isBilateral && extent.size[axis] > 1 ? 1 : 0;
  }
  const auto loop = [](const int(&to)[3], const auto & work) {
    for (int z = -to[2]; z <= to[2]; ++z)
    {
      for (int y = -to[1]; y <= to[1]; ++y)
      {
        for (int x = -to[0]; x <= to[0]; ++x)
        {
          work(x, y, z);
        }
      }
    }
  };
  const auto valueAt = [&](int x, int y, int z) {
    return static_cast<double>(voxels[PlaceOf(extent, at[0] + x, at[1] + y, at[2] + z)]);
  };
  double sum = 0;
  double weights = 0;
  loop(reach, [&](int x, int y, int z) {
    double squares = 0;
    int    count = 0;
    loop(patch, [&](int px, int py, int pz) {
      squares += std::pow(valueAt(px, py, pz) - valueAt(x + px, y + py, z + pz), 2);
      ++count;
    });
    const double mean = squares / count;
    const double variance = method.range * method.range;
    const double distance = std::pow(x * spacing[0], 2) + std::pow(y * spacing[1], 2) + std::pow(z * spacing[2], 2);
    const double t = isBilateral ? mean / (2 * variance) : std::max(0.0, mean - 2 * variance) / (0.36 * variance);
    const double near = isBilateral ? std::exp(-distance / (2 * method.deviation * method.deviation)) : 1;
    const double weight = near * std::pow(std::max(0.0, 1 - t / 16), 16);
    sum += weight * valueAt(x, y, z);
    weights += weight;
  });
  return sum / weights;
}

TEST(Smoothing, MeansOfAlikeVoxelsAreThoseOfPlainLoopsOnAnyNumberOfThreads)
{
  for (const Extent & extent : { Extent{ 9, 18, 10 }, Extent{ 21, 35 }, Extent{ 30 } })
  {
    const std::vector<float> voxels = RandomVoxels<float>(extent);
    Geometry                 geometry;
    geometry.spacing[1] = 2;
    for (const char * const text : { "bilateral:1.2:90", "nlm:80" })
    {
      const SmoothingMethod method = SmoothingMethod::FromText(text);
      std::vector<float>    smoothed(voxels.size());
      Smooth(ImageView(voxels.data(), extent), geometry, method, smoothed.data(), { 1 });
      for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
      {
        const auto index = static_cast<std::size_t>(place);
        ASSERT_NEAR(smoothed[index], PlainMean(voxels, extent, geometry.spacing, method, place), 2e-3) << text << place;
      }
      std::vector<float> onThreads(voxels.size());
      Smooth(ImageView(voxels.data(), extent), geometry, method, onThreads.data(), { 3 });
      EXPECT_EQ(smoothed, onThreads);
      // Whole numbers stay whole numbers: the nearest ones.
      const std::vector<std::int16_t> whole(voxels.begin(), voxels.end());
      std::vector<std::int16_t>       rounded(voxels.size());
      Smooth(ImageView(whole.data(), extent), geometry, method, rounded.data(), { 2 });
      EXPECT_TRUE(std::equal(rounded.begin(), rounded.end(), smoothed.begin(), [](std::int16_t a, float b) {
        return static_cast<float>(a) == std::round(b);
      }));
    }
  }
}

TEST(Smoothing, AFilterNamesTheSizesThatItRemoves)
{
  const Extent extent = { 15, 15, 15 };
  Geometry     geometry;
  EXPECT_EQ(SmoothingMethod::FromText("median:1").RemovedVoxels(extent, geometry), 13);
  EXPECT_EQ(SmoothingMethod::FromText("median:1").RemovedVoxels({ 15, 15 }, geometry), 4);
  EXPECT_EQ(SmoothingMethod::FromText("nlm:1").RemovedVoxels(extent, geometry), 0);
  geometry.spacing[0] = geometry.spacing[1] = geometry.spacing[2] = 0.5;
  // A ball of 1.4 deviations does not keep half of its contrast, one of 1.7 does.
  const SmoothingMethod gaussian = SmoothingMethod::FromText("gaussian:1");
  const double          removed = gaussian.RemovedVoxels(extent, geometry);
  for (const double radius : { 2.8, 3.4 })
  {
    std::vector<float> voxels(static_cast<std::size_t>(extent.VoxelCount()));
    double             count = 0;
    for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
    {
      const bool isInside =
        std::pow(place % 15 - 7, 2) + std::pow(place / 15 % 15 - 7, 2) + std::pow(place / 225 - 7, 2) <=
        radius * radius;
      voxels[static_cast<std::size_t>(place)] = isInside ? 1.0f : 0.0f;
      count += isInside ? 1 : 0;
    }
    std::vector<float> smoothed(voxels.size());
    Smooth(ImageView(voxels.data(), extent), geometry, gaussian, smoothed.data(), {});
    EXPECT_EQ(count <= removed, smoothed[voxels.size() / 2] < 0.5f) << count << ' ' << removed;
  }
}

TEST(Smoothing, CancelingEndsIt)
{
  const Extent              extent = { 64, 64, 64 };
  const auto                voxels = RandomVoxels<std::int16_t>(extent);
  std::vector<std::int16_t> smoothed(voxels.size());
  ProgressHooks             hooks;
  hooks.canceled = [] { return true; };
  EXPECT_THROW(Smooth(ImageView(voxels.data(), extent),
                      {},
                      SmoothingMethod::FromText("median:2"),
                      smoothed.data(),
                      { 2, Progress(hooks) }),
               Canceled);
}

TEST(Smoothing, WhatCannotBeSmoothedIsRefused)
{
  const Extent                    extent = { 2, 2 };
  const SmoothingMethod           median = SmoothingMethod::FromText("median:1");
  const std::vector<float>        notNumber = { 1, 2, std::nanf(""), 3 };
  const std::vector<std::int64_t> large = { 1, 2, (std::int64_t{ 1 } << 53) + 1, 3 };
  std::vector<double>             smoothed(8);
  EXPECT_THROW(Smooth(ImageView(notNumber.data(), extent), {}, median, smoothed.data(), {}), InvalidArgument);
  EXPECT_THROW(Smooth(ImageView(large.data(), extent), {}, median, smoothed.data(), {}), InvalidArgument);
  EXPECT_THROW(Smooth(ImageView(notNumber.data(), { 2 }, 2), {}, median, smoothed.data(), {}), InvalidArgument);
  EXPECT_THROW(
    Smooth(ImageView(large.data(), extent), {}, SmoothingMethod::FromText("gaussian:1000"), smoothed.data(), {}),
    InvalidArgument);
  for (const char * const text : { "",
                                   "median",
                                   "median:",
                                   "median:0",
                                   "median:1.5",
                                   "median:99",
                                   "gaussian:0",
                                   "gaussian:-1",
                                   "gaussian:1mm",
                                   "gaussian:1:2",
                                   "bilateral:1",
                                   "bilateral:1:",
                                   "bilateral:1:0",
                                   "bilateral:1:2:3",
                                   "nlm",
                                   "nlm:0",
                                   "box:3" })
  {
    EXPECT_THROW(SmoothingMethod::FromText(text), InvalidArgument) << text;
  }
}

} // namespace

} // namespace brickccl
