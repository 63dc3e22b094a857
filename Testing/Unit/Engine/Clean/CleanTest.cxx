// SPDX-License-Identifier: Apache-2.0
#include "CleanOracle.h"
#include "SlowBuild.h"
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brickccl
{
namespace
{

using testing::CleanByLoops;
using testing::LoopOptions;

const Device cpu{ Device::Kind::Cpu, 0 };

/** Grains of a few classes in the background. `base` is added to the values of classes. */
std::vector<long double>
RandomClasses(const Extent & extent, double background, int classes, long double base, std::uint64_t seed)
{
  std::vector<long double> values(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    // Two voxels along x in most cases have one value.
    const std::uint64_t place = UniformOf(seed + 9, i) < 0.8 ? i / 2 : i;
    const double        u = UniformOf(seed, place);
    const double        share = (u - background) / (1 - background);
    values[i] = u < background ? 0 : base + 1 + std::floor(share * classes);
  }
  return values;
}

template <typename T>
std::vector<T>
As(const std::vector<long double> & values)
{
  std::vector<T> converted;
  for (const long double value : values)
  {
    converted.push_back(static_cast<T>(value));
  }
  return converted;
}

CleanOptions
OptionsOf(const LoopOptions & loops, const Extent & extent)
{
  const auto connectivity = [&](int rank) {
    return loops.sliceAxis < 0 ? Connectivity(extent.dimension, rank)
                               : Connectivity(extent.dimension - 1, rank).WithinSlices(loops.sliceAxis);
  };
  CleanOptions options;
  options.connectivity = connectivity(loops.rank);
  options.periodic = testing::AxesOf(loops.periodic);
  options.background = loops.background;
  options.values = loops.values;
  options.minimumSize = loops.minimumSize;
  options.largest = loops.largest;
  if (loops.fills)
  {
    options.holes.emplace();
    options.holes->maximumSize = loops.maximumHole;
    if (loops.backgroundRank != 0)
    {
      options.holes->connectivity = connectivity(loops.backgroundRank);
    }
  }
  options.device = cpu;
  return options;
}

void
ExpectSameReport(const CleanReport & report, const CleanReport & expected, const std::string & what)
{
  ASSERT_EQ(report.classes.size(), expected.classes.size()) << what;
  for (std::size_t i = 0; i < report.classes.size(); ++i)
  {
    const CleanedClass & a = report.classes[i];
    const CleanedClass & b = expected.classes[i];
    EXPECT_EQ(a.value, b.value) << what;
    EXPECT_EQ(a.components, b.components) << what;
    EXPECT_EQ(a.voxels, b.voxels) << what;
    EXPECT_EQ(a.removedComponents, b.removedComponents) << what;
    EXPECT_EQ(a.removedVoxels, b.removedVoxels) << what;
    EXPECT_EQ(a.filledHoles, b.filledHoles) << what;
    EXPECT_EQ(a.filledVoxels, b.filledVoxels) << what;
  }
}

template <typename T>
void
ExpectLikeLoops(const Extent & extent, const std::vector<long double> & values, const LoopOptions & loops)
{
  const std::string what = extent.ToString() + ", " + NameOf(ScalarTypeOf<T>()) + ", rank " +
                           std::to_string(loops.rank) + ", slice axis " + std::to_string(loops.sliceAxis);
  const auto expected = CleanByLoops(extent, values, loops);
  const auto input = As<T>(values);
  for (const int threads : testing::NumbersOfThreads())
  {
    CleanOptions options = OptionsOf(loops, extent);
    options.threads = threads;
    std::vector<T> output(input.size(), T(77));
    const auto     report = Clean(ImageView(input.data(), extent), output.data(), options);
    ASSERT_EQ(output, As<T>(expected.values)) << what;
    ExpectSameReport(report, expected.report, what);
    // In place.
    std::vector<T> both = input;
    Clean(ImageView(both.data(), extent), both.data(), options);
    ASSERT_EQ(both, output) << what;
  }
}

const Extent Extents[] = { Extent{ 90 },         Extent{ 31, 22 },   Extent{ 70, 12, 7 }, Extent{ 12, 13, 11 },
                           Extent{ 9, 7, 6, 5 }, Extent{ 40, 1, 9 }, Extent{ 1, 14, 12 } };

TEST(Clean, IsWhatLoopsOverClassesGive)
{
  std::uint64_t seed = 0;
  for (const Extent & extent : Extents)
  {
    for (int rank = 1; rank <= extent.dimension; ++rank)
    {
      for (const double background : { 0.15, 0.35, 0.6 })
      {
        const auto  values = RandomClasses(extent, background, 3, 0, ++seed);
        LoopOptions loops;
        loops.rank = rank;
        loops.fills = true;
        ExpectLikeLoops<std::uint8_t>(extent, values, loops);
        loops.maximumHole = 2;
        ExpectLikeLoops<std::uint16_t>(extent, values, loops);
        loops.minimumSize = 4;
        ExpectLikeLoops<std::int16_t>(extent, values, loops);
        loops.largest = 2;
        loops.maximumHole = 1000;
        ExpectLikeLoops<std::int8_t>(extent, values, loops);
        loops.values = { 3, 1 };
        ExpectLikeLoops<float>(extent, values, loops);
        loops.backgroundRank = 1;
        ExpectLikeLoops<double>(extent, values, loops);
        loops.fills = false;
        ExpectLikeLoops<std::int32_t>(extent, values, loops);
      }
    }
  }
}

TEST(Clean, IsWhatLoopsGiveInSlices)
{
  std::uint64_t seed = 100;
  for (const Extent & extent : { Extent{ 20, 14, 9 }, Extent{ 9, 8, 5, 4 } })
  {
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      for (int rank = 1; rank < extent.dimension; ++rank)
      {
        LoopOptions loops;
        loops.rank = rank;
        loops.sliceAxis = axis;
        loops.fills = true;
        loops.minimumSize = 2;
        ExpectLikeLoops<std::uint8_t>(extent, RandomClasses(extent, 0.3, 2, 0, ++seed), loops);
      }
    }
  }
}

TEST(Clean, IsWhatLoopsGiveWithPeriodicAxes)
{
  std::uint64_t seed = 200;
  for (const Extent & extent : { Extent{ 23, 9 }, Extent{ 17, 8, 7 }, Extent{ 70, 1, 6 }, Extent{ 2, 9, 8 } })
  {
    // All sets of axes; holes need an axis with a border.
    for (unsigned axes = 1; axes < 1u << extent.dimension; ++axes)
    {
      LoopOptions loops;
      bool        hasBorder = false;
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        loops.periodic[static_cast<std::size_t>(axis)] = (axes >> axis & 1) != 0;
        hasBorder = hasBorder || ((axes >> axis & 1) == 0 && extent.size[axis] > 1);
      }
      for (int rank = 1; rank <= extent.dimension; ++rank)
      {
        loops.rank = rank;
        loops.fills = hasBorder;
        loops.minimumSize = 3;
        loops.largest = 4;
        ExpectLikeLoops<std::uint8_t>(extent, RandomClasses(extent, rank == 1 ? 0.15 : 0.4, 2, 0, ++seed), loops);
      }
    }
  }
  LoopOptions loops;
  loops.sliceAxis = 2;
  loops.periodic = { true, false, false };
  loops.fills = true;
  ExpectLikeLoops<std::uint8_t>({ 12, 9, 4 }, RandomClasses({ 12, 9, 4 }, 0.2, 2, 0, ++seed), loops);
}

/** Values that are equal as doubles. */
TEST(Clean, KeepsLargeValuesApart)
{
  const Extent extent{ 17, 11, 8 };
  LoopOptions  loops;
  loops.fills = true;
  loops.minimumSize = 3;
  loops.values = { 9223372036854775801.0L, 9223372036854775803.0L };
  const auto values = RandomClasses(extent, 0.3, 3, 9223372036854775800.0L, 5);
  ExpectLikeLoops<std::int64_t>(extent, values, loops);
  ExpectLikeLoops<std::uint64_t>(extent, values, loops);
  const auto shifted = RandomClasses(extent, 0.3, 3, 4294967290.0L, 6);
  loops.values = { 4294967291.0L };
  ExpectLikeLoops<std::uint32_t>(extent, shifted, loops);
  const auto negative = RandomClasses(extent, 0.3, 3, -5.0L, 7);
  loops.values = { -4, -2 };
  ExpectLikeLoops<std::int8_t>(extent, negative, loops);
}

TEST(Clean, TakesAnotherBackground)
{
  const Extent extent{ 23, 12, 5 };
  LoopOptions  loops;
  loops.fills = true;
  loops.largest = 3;
  loops.background = 2;
  ExpectLikeLoops<std::uint8_t>(extent, RandomClasses(extent, 0.3, 3, 0, 8), loops);
}

/** A plane from lines of digits; blanks are 0. */
std::vector<std::uint8_t>
Plane(const std::vector<std::string> & lines)
{
  std::vector<std::uint8_t> voxels;
  for (const std::string & line : lines)
  {
    for (const char digit : line)
    {
      voxels.push_back(static_cast<std::uint8_t>(digit == ' ' ? 0 : digit - '0'));
    }
  }
  return voxels;
}

TEST(FillHoles, AClassFillsTheHolesThatItAloneSurrounds)
{
  const Extent extent{ 12, 5 };
  // One hole is between 1 and 2, one of 3 is next to a single 4, and one is only in 3. The 5s leave a way out.
  const auto   input = Plane({ "222222333333", "2    13 3333", "222111333 43", "555555333333", "5  5 5333333" });
  auto         output = input;
  CleanOptions options;
  const auto   report = FillHoles(ImageView(output.data(), extent), output.data(), options);
  EXPECT_EQ(output, Plane({ "222222333333", "2    1333333", "222111333 43", "555555333333", "5  5 5333333" }));
  ASSERT_EQ(report.classes.size(), 1u);
  EXPECT_EQ(report.classes[0].value, 3);
  EXPECT_EQ(report.classes[0].filledHoles, 1u);
  EXPECT_EQ(report.classes[0].filledVoxels, 1u);
}

/** A diagonal gap is a way out for the background of face-connected objects, but not for the background of others. */
TEST(FillHoles, TheBackgroundHasTheDualConnectivity)
{
  const Extent extent{ 5, 5 };
  const auto   input = Plane({ "     ", " 11  ", " 1 1 ", " 111 ", "     " });
  for (const int rank : { 1, 2 })
  {
    CleanOptions options;
    options.connectivity = Connectivity(2, rank);
    auto       output = input;
    const auto report = FillHoles(ImageView(input.data(), extent), output.data(), options);
    EXPECT_EQ(report.Total().filledVoxels, rank == 1 ? 0u : 1u);
    EXPECT_EQ(output[12], rank == 1 ? 0 : 1);
  }
}

TEST(FillHoles, LimitsAreInclusiveAndInVolumeOfTheGeometry)
{
  const Extent              extent{ 7, 3 };
  const auto                input = Plane({ "1111111", "1   1 1", "1111111" });
  const std::vector<double> limits = { 0, 0.1, 0.29, 0.3, 5 };
  const std::vector<int>    filled = { 0, 1, 1, 4, 4 };
  for (std::size_t i = 0; i < limits.size(); ++i)
  {
    CleanOptions options;
    options.geometry.spacing[0] = 0.1;
    options.holes.emplace().maximumVolume = limits[i];
    std::vector<std::uint8_t> output(input.size());
    const auto                report = FillHoles(ImageView(input.data(), extent), output.data(), options);
    EXPECT_EQ(report.Total().filledVoxels, static_cast<std::uint64_t>(filled[i])) << limits[i];
  }
}

TEST(Clean, LeavesNaNAlone)
{
  const float        nan = std::nanf("");
  std::vector<float> voxels = { 1, 1, 1, 1, 1, 1, 0, nan, 0, 1, 1, 1, 1, 1, 1 };
  CleanOptions       options;
  options.minimumSize = 2;
  options.holes.emplace();
  const auto report = Clean(ImageView(voxels.data(), Extent{ 5, 3 }), voxels.data(), options);
  EXPECT_TRUE(std::isnan(voxels[7]));
  EXPECT_EQ(voxels[6], 1);
  EXPECT_EQ(voxels[8], 1);
  EXPECT_EQ(report.Total().filledHoles, 2u);
}

TEST(Clean, ReportsValuesThatDoNotOccur)
{
  const auto                input = Plane({ "1 2", "   " });
  std::vector<std::uint8_t> output(6);
  CleanOptions              options;
  options.values = { 1, 7, 300, 1.5L };
  options.minimumSize = 2;
  const auto report = Clean(ImageView(input.data(), Extent{ 3, 2 }), output.data(), options);
  EXPECT_EQ(report.missing, (std::vector<Number>{ 7, 300, 1.5L }));
  EXPECT_EQ(output, Plane({ "  2", "   " }));
}

template <typename TFunction>
std::string
MessageOf(TFunction function)
{
  try
  {
    function();
  }
  catch (const InvalidArgument & error)
  {
    return error.what();
  }
  return "no exception";
}

TEST(Clean, RefusesWhatHasNoMeaning)
{
  std::vector<std::uint8_t> voxels(12);
  const Extent              extent{ 3, 2 };
  const auto                clean = [&](const std::function<void(CleanOptions &)> & change, int channels = 1) {
    return MessageOf([&] {
      CleanOptions options;
      change(options);
      Clean(ImageView(voxels.data(), extent, channels), voxels.data(), options);
    });
  };
  EXPECT_NE(clean([](CleanOptions &) {}, 2).find("2 channels"), std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.background = 300; }).find("background 300"), std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.values = { 0 }; }).find("name classes"), std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.minimumVolume = -1; }).find("minimum volume"), std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.holes.emplace().maximumVolume = -1; }).find("maximum volume"),
            std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.connectivity = Connectivity::Face(3); }).find("3 dimensions"),
            std::string::npos);
  EXPECT_NE(
    clean([](CleanOptions & o) { o.holes.emplace().connectivity = Connectivity::Face(3); }).find("3 dimensions"),
    std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.threads = -1; }).find("thread"), std::string::npos);
  EXPECT_NE(clean([](CleanOptions & o) { o.periodic.Add(2); }).find("2 dimensions has no voxels"), std::string::npos);
  CleanOptions everywhere;
  everywhere.periodic = PeriodicAxes::FromNames("xy");
  everywhere.holes.emplace();
  EXPECT_THROW(Clean(ImageView(voxels.data(), extent), voxels.data(), everywhere), Unsupported);
}

} // namespace
} // namespace brickccl
