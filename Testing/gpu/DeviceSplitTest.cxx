// SPDX-License-Identifier: Apache-2.0
// Distance maps and splits on a device equal the CPU's, bit for bit.

#include "OnDevice.h"
#include "SplitCases.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Splitting/DeviceSplitter.h"
#include "BrickCCL/Splitting/Splitter.h"

#include <cmath>
#include <functional>
#include <vector>

namespace brickccl
{
namespace
{

using namespace testing::splits;

/** Compares the device's distances and objects with the CPU's. */
void
ExpectCpuResult(const Case & one, std::optional<SplitHeight> height, std::uint64_t type)
{
  TypedLabels     typed;
  const ImageView labels = typed.Of(one, type);
  SplitOptions    options;
  options.connectivity = one.connectivity;
  options.geometry = GeometryOf(one);
  options.height = height;
  DistanceOptions ofDistances;
  ofDistances.geometry = options.geometry;
  std::vector<std::uint32_t> objects[2];
  std::vector<float>         distances[2];
  SplitReport                reports[2];
  for (std::size_t i = 0; i < 2; ++i)
  {
    ofDistances.device = options.device = { i == 0 ? Device::Kind::Cpu : Device::Kind::Cuda, 0 };
    objects[i].assign(one.labels.size(), 77);
    distances[i].assign(one.labels.size(), -1);
    reports[i] = Split(labels, objects[i].data(), options);
    EXPECT_EQ(reports[i].deviceRemark, "");
    EXPECT_EQ(Distances(labels, distances[i].data(), ofDistances), "");
  }
  const std::string what =
    one.extent.ToString() + ", " + one.connectivity.ToString() + ", type " + std::to_string(type);
  ASSERT_EQ(distances[0], distances[1]) << what;
  ASSERT_EQ(objects[0], objects[1]) << what;
  EXPECT_EQ(reports[0].basins, reports[1].basins) << what;
  EXPECT_EQ(reports[0].parents, reports[1].parents) << what;
  ASSERT_EQ(reports[0].objects.size(), reports[1].objects.size()) << what;
  for (std::size_t i = 0; i < reports[0].objects.size(); ++i)
  {
    EXPECT_EQ(reports[0].objects[i].number, reports[1].objects[i].number);
    EXPECT_EQ(reports[0].objects[i].parent, reports[1].objects[i].parent);
    EXPECT_EQ(reports[0].objects[i].peak, reports[1].objects[i].peak);
  }
}

TEST_F(OnCuda, SplitsOfRandomShapesEqualTheCpu)
{
  const std::vector<std::vector<double>> spacings = { { 1, 1, 1 }, { 0.3, 0.2, 0.7 }, { 2, 1, 1 }, { 0.5, 0.5, 1.5 } };
  for (std::uint64_t seed = 0; seed < VolumeCount; ++seed)
  {
    const auto size = [&](std::uint64_t place, std::int64_t most) {
      return 1 + static_cast<std::int64_t>(Below(seed, place, static_cast<std::uint64_t>(most)));
    };
    const bool         isFlat = seed % 5 == 0;
    const std::int64_t most = 50 / (Reduction > 1 ? 3 : 1);
    Case               one{ isFlat ? Extent{ size(0, 2 * most), size(1, most) }
                                   : Extent{ size(0, 2 * most), size(1, most), size(2, most) },
              {} };
    one.labels = Blocks(one.extent, 1 + seed % 7, 1 + seed % 3, 0.02 + 0.07 * static_cast<double>(seed % 9), seed);
    one.connectivity = Connectivity(one.extent.dimension, 1 + static_cast<int>(seed / 2) % one.extent.dimension);
    if (!isFlat && seed % 11 == 0)
    {
      one.connectivity = Connectivity::Full(2).WithinSlices(static_cast<int>(seed / 11 % 3));
    }
    one.spacing = spacings[seed % 4];
    const auto heights =
      std::vector<std::optional<SplitHeight>>{ std::nullopt,
                                               SplitHeight(0.2 * static_cast<double>(seed % 8)),
                                               SplitHeight(1.0 + static_cast<double>(seed % 99), true) };
    ExpectCpuResult(one, heights[seed % 3], seed / 3);
  }
}

TEST_F(OnCuda, SplitsOfPlateausTiesAndBallsEqualTheCpu)
{
  const std::int64_t                                                               side = 60 / Reduction;
  const std::vector<std::function<bool(std::int64_t, std::int64_t, std::int64_t)>> shapes = {
    [](auto, auto, auto) { return true; },
    [](auto, auto, auto) { return false; },
    [](auto x, auto y, auto z) { return x + y + z > 0; },
    [](auto x, auto, auto) { return x % 9 != 0; },
    [](auto, auto y, auto) { return y % 10 != 3; },
    [](auto, auto, auto z) { return z != 4; },
    [](auto x, auto y, auto z) { return (x + y + z) % 2 == 0; },
    [](auto x, auto y, auto z) { return (x + y + 2 * z) % 5 != 0; },
    [](auto x, auto y, auto) { return std::max(std::abs(x - 17), std::abs(y - 17)) % 4 != 0; },
    [](auto x, auto y, auto z) { return x % 8 != 0 && y % 8 != 0 && z % 8 != 0; },
    [](auto x, auto y, auto) { return y > 10 || x % 4 != 0; },
  };
  for (std::size_t shape = 0; shape < shapes.size() + 3; ++shape)
  {
    Case       one{ { side, side + 1, side - 3 }, {} };
    const auto balls = MakeBalls(one.extent, 0.5, shape);
    for (std::int64_t i = 0; i < one.extent.VoxelCount(); ++i)
    {
      const bool isSet = shape < shapes.size() ? shapes[shape](i % side, i / side % (side + 1), i / side / (side + 1))
                                               : balls[static_cast<std::size_t>(i)] != 0;
      one.labels.push_back(isSet ? 1 : 0);
    }
    for (int rank = 1; rank <= 3; ++rank)
    {
      one.connectivity = Connectivity(3, rank);
      for (const SplitHeight height : { SplitHeight(0), SplitHeight(0.75), SplitHeight(1e9), SplitHeight(50, true) })
      {
        ExpectCpuResult(one, height, shape);
      }
    }
  }
}

TEST_F(OnCuda, SplitsWithLargeDistancesEqualTheCpu)
{
  for (const std::int64_t length : { 181, 182, 183, 600, 1100 })
  {
    Case one{ { length, 5, 4 }, {} };
    one.labels.assign(static_cast<std::size_t>(one.extent.VoxelCount()), 1);
    one.labels[0] = 0;
    ExpectCpuResult(one, 1.0, 0);
    one.labels.back() = 2;
    ExpectCpuResult(one, 1.0, 1);
    Case turned{ { 5, 4, length }, {} };
    turned.labels = one.labels;
    ExpectCpuResult(turned, 1.0, 2);
  }
}

TEST_F(OnCuda, SplitsOfTheOracleAndOfDeviceMemory)
{
  for (std::uint64_t seed = 0; seed < 30; ++seed)
  {
    Case one{ Extents[seed % 8], {} };
    one.labels = Blocks(one.extent, 1 + seed % 4, 1 + seed % 2, 0.2, seed);
    const testing::SplitByDefinition expected = SplitLabels(ProblemOf(one, 0.5));
    std::vector<std::uint32_t>       found(one.labels.size());
    SplitOptions                     options;
    options.height = 0.5;
    options.device = { Device::Kind::Cuda, 0 };
    TypedLabels typed;
    Split(typed.Of(one, 0), found.data(), options);
    ASSERT_EQ(found, expected.objects);
    // The same memory for images of different sizes, on the device.
    static DeviceSplitter         splitter(0);
    const OnDevice<std::uint8_t>  labels(typed.bytes);
    const OnDevice<std::uint32_t> objects(found.size());
    const DistanceUnit            unit(DistanceTo::Centers, one.extent, {}, ~0u);
    const auto                    isLow = LowPeak(0.5, unit);
    splitter.Split(ImageView(labels.Data(), one.extent), unit, one.connectivity, isLow, objects.Data(), nullptr);
    ASSERT_EQ(objects.Download(found.size()), expected.objects);
  }
}

TEST_F(OnCuda, SplitsThatADeviceCannotDoAreTheCpus)
{
  Case one{ { 20, 21, 22 }, {} };
  one.labels = Blocks(one.extent, 3, 2, 0.2, 1);
  TypedLabels                typed;
  std::vector<std::uint32_t> objects(one.labels.size());
  std::vector<std::uint32_t> expected(one.labels.size());
  SplitOptions               options;
  options.geometry.spacing[1] = std::sqrt(2.0);
  Split(typed.Of(one, 0), expected.data(), options);
  options.device = { Device::Kind::Cuda, 0 };
  const SplitReport report = Split(typed.Of(one, 0), objects.data(), options);
  EXPECT_EQ(objects, expected);
  EXPECT_NE(report.deviceRemark.find("the CPU is used"), std::string::npos);
  options.geometry = {};
  options.seeds = ImageView(expected.data(), one.extent);
  EXPECT_NE(Split(typed.Of(one, 0), objects.data(), options).deviceRemark, "");
  EXPECT_EQ(objects, expected);
}

} // namespace
} // namespace brickccl
