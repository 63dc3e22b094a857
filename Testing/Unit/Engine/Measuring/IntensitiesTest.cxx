// SPDX-License-Identifier: Apache-2.0
#include "SkewGeometry.h"
#include "SlowBuild.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace brickccl
{
namespace
{

TEST(Intensities, ExtremesOf32BitValuesStayExact)
{
  const Extent                    extent{ 1000 };
  const std::vector<std::uint8_t> voxels(1000, 1);
  std::vector<std::int32_t>       intensity(1000, std::numeric_limits<std::int32_t>::max());
  intensity[0] = std::numeric_limits<std::int32_t>::lowest();
  const ComponentTable table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
  ASSERT_EQ(table.components.size(), 1u);
  EXPECT_EQ(table.components[0].intensity.sum, 999.0 * 2147483647.0 - 2147483648.0);
  EXPECT_NEAR(table.components[0].intensity.standardDeviation, 4294967295.0 / std::sqrt(1000.0), 1e-3);
}

template <typename T>
void
CheckDistributions()
{
  const Extent   extent{ 60, 30, 20 };
  const auto     voxels = MakeRandom(extent, 0.15, 3, 5);
  std::vector<T> intensity(voxels.size());
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    // Skewed, with many equal values.
    const double uniform = UniformOf(9, i);
    intensity[i] = static_cast<T>(uniform * uniform * uniform * 100);
  }
  LabelOptions options;
  options.geometry = SkewGeometry();
  const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
  const ColumnGroups         groups = ColumnGroups::FromNames("intensity");
  const ComponentTable       table = labeling.Measure({ ImageView(intensity.data(), extent), groups });
  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());
  ASSERT_GT(table.components.size(), 10u);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    std::vector<long double> values;
    long double              sum = 0, weighted[3] = {};
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      if (labels[i] == c + 1)
      {
        const auto linear = static_cast<std::int64_t>(i);
        const auto value = static_cast<long double>(intensity[i]);
        values.push_back(value);
        sum += value;
        weighted[0] += value * static_cast<long double>(linear % 60 + 7);
        weighted[1] += value * static_cast<long double>(linear / 60 % 30);
        weighted[2] += value * static_cast<long double>(linear / 1800 - 4);
      }
    }
    std::sort(values.begin(), values.end());
    const auto  count = static_cast<long double>(values.size());
    long double powers[5] = {};
    for (const long double value : values)
    {
      for (int power = 2; power <= 4; ++power)
      {
        powers[power] += std::pow(value - sum / count, static_cast<long double>(power));
      }
    }
    const long double deviation = values.size() > 1 ? std::sqrt(powers[2] / (count - 1)) : 0;
    const auto        skewness = deviation == 0 ? 0 : powers[3] / count / std::pow(deviation, 3.0L);
    const auto        kurtosis = deviation == 0 ? 0 : powers[4] / count / std::pow(deviation, 4.0L) - 3;
    EXPECT_NEAR(ValueOf(table, c, "intensity_skewness"), static_cast<double>(skewness), 1e-9);
    EXPECT_NEAR(ValueOf(table, c, "intensity_kurtosis"), static_cast<double>(kurtosis), 1e-9);
    for (const auto & [name, percentage] :
         { std::pair{ "p5", 5 }, { "p10", 10 }, { "median", 50 }, { "p90", 90 }, { "p95", 95 } })
    {
      const long double rank = (count - 1) * percentage / 100;
      const auto        low = static_cast<std::size_t>(rank);
      const long double share = rank - static_cast<long double>(low);
      const long double expected = values[low] + (share > 0 ? share * (values[low + 1] - values[low]) : 0);
      EXPECT_NEAR(ValueOf(table, c, std::string("intensity_") + name), static_cast<double>(expected), 1e-10) << name;
    }
    if (sum != 0)
    {
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_x"), static_cast<double>(weighted[0] / sum), 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_y"), static_cast<double>(weighted[1] / sum), 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_z"), static_cast<double>(weighted[2] / sum), 1e-10);
    }
    else
    {
      EXPECT_TRUE(std::isnan(ValueOf(table, c, "weighted_centroid_x")));
    }
  }
  EXPECT_THROW(labeling.Measure({ {}, groups }), InvalidArgument);
}

TEST(Intensities, DistributionsAreThoseOfTheVoxels)
{
  CheckDistributions<std::uint8_t>();
  CheckDistributions<std::int16_t>();
  CheckDistributions<std::uint64_t>();
  CheckDistributions<float>();
}

/** Values base + step * k of a component in two parts, for small numbers k, whose moments are those of k. */
template <typename T>
void
CheckMomentsFarFromZero(T base, T step)
{
  const Extent                    extent{ 96, 64, 97 };
  const std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 1);
  std::vector<T>                  intensity(voxels.size());
  long double                     sums[5] = { static_cast<long double>(voxels.size()) };
  // Powers are taken once for each number, since long double is slow where the processor has none.
  std::vector<std::uint64_t> voxelsOfRoot(100, 0);
  std::uint64_t              sumOfNumbers = 0;
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    const std::uint64_t root = HashOf(5, i) % 100;
    intensity[i] = static_cast<T>(base + step * static_cast<T>(root * root));
    sumOfNumbers += root * root;
    ++voxelsOfRoot[root];
  }
  sums[1] = static_cast<long double>(sumOfNumbers);
  const long double mean = sums[1] / sums[0];
  for (std::uint64_t root = 0; root < voxelsOfRoot.size(); ++root)
  {
    const long double difference = static_cast<long double>(root * root) - mean;
    for (int power = 2; power < 5; ++power)
    {
      sums[power] +=
        static_cast<long double>(voxelsOfRoot[root]) * std::pow(difference, static_cast<long double>(power));
    }
  }
  const long double deviation = std::sqrt(sums[2] / (sums[0] - 1));
  const auto        near = [](double value, long double expected) {
    return std::abs(value - static_cast<double>(expected)) <= 1e-12 * std::abs(static_cast<double>(expected));
  };
  const ImageView image(intensity.data(), extent);
  const auto   whole = Label(ImageView(voxels.data(), extent)).Measure({ image, ColumnGroups::FromNames("intensity") });
  const Extent lower{ 96, 64, 40 };
  const Extent upper{ 96, 64, 57 };
  LabelOptions above;
  above.geometry.startIndex[2] = 40;
  const auto a = Label(ImageView(voxels.data(), lower)).Measure(ImageView(intensity.data(), lower));
  const auto b =
    Label(ImageView(voxels.data(), upper), above).Measure(ImageView(intensity.data() + lower.VoxelCount(), upper));
  const auto merged = MergeComponentTables(a, b, { { 1, 1 } });
  for (const ComponentTable * table : { &whole, &merged })
  {
    const long double expectedMean = static_cast<long double>(base) + static_cast<long double>(step) * mean;
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_mean"), expectedMean));
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_sum"), expectedMean * sums[0]));
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_std"), deviation * static_cast<long double>(step)))
      << ValueOf(*table, 0, "intensity_std") << ' ' << deviation * static_cast<long double>(step);
  }
  EXPECT_NEAR(ValueOf(whole, 0, "intensity_skewness"),
              static_cast<double>(sums[3] / sums[0] / std::pow(deviation, 3.0L)),
              1e-10);
  EXPECT_NEAR(ValueOf(whole, 0, "intensity_kurtosis"),
              static_cast<double>(sums[4] / sums[0] / std::pow(deviation, 4.0L) - 3),
              1e-10);
}

TEST(Intensities, MomentsFarFromZeroAreThoseOfTheDifferences)
{
  CheckMomentsFarFromZero<double>(1e12, 1.0 / 4096);
  CheckMomentsFarFromZero<double>(-1e12, 1.0 / 4096);
  CheckMomentsFarFromZero<double>(1e15, 1);
  CheckMomentsFarFromZero<float>(1e7F, 1.0F);
  CheckMomentsFarFromZero<std::int64_t>((std::int64_t{ 1 } << 62) + 1, 3);
  CheckMomentsFarFromZero<std::int64_t>(std::numeric_limits<std::int64_t>::lowest(), 7);
  CheckMomentsFarFromZero<std::uint64_t>(~std::uint64_t{ 0 } - 30000, 3);
  CheckMomentsFarFromZero<std::uint64_t>(0, 1000000007);
  CheckMomentsFarFromZero<std::int32_t>(2147400000, 7);
  CheckMomentsFarFromZero<std::uint32_t>(4294900000U, 5);
}

TEST(Intensities, SumsOfWholeNumbersAreExactBeforeTheyAreRounded)
{
  const Extent                    extent{ 5 };
  const std::vector<std::uint8_t> voxels(5, 1);
  constexpr std::int64_t          lowest = std::numeric_limits<std::int64_t>::lowest();
  const std::vector<std::int64_t> intensity{ -(lowest + 1), 3, lowest + 1, 5, 2 };
  const ComponentTable table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
  EXPECT_EQ(ValueOf(table, 0, "intensity_sum"), 10);
  EXPECT_EQ(ValueOf(table, 0, "intensity_mean"), 2);
}

template <typename T>
void
CheckEqualValues()
{
  std::size_t place = sizeof(T) / sizeof(float);
  for (const double value : { 0.1, 0.3, 1.0 / 3, 1e-5, 123.456, -1000.1, 0.7, 1e7 + 0.1, 1e30, 1e-300 })
  {
    if (!testing::IsDoneHere(place++, 2))
    {
      continue;
    }
    const Extent         extent{ 96, 64, 97 };
    const std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()), static_cast<T>(value));
    const Extent         lower{ 96, 64, 40 };
    const Extent         upper{ 96, 64, 57 };
    LabelOptions         options;
    options.criterion.background.reset();
    const auto measure = [&](const Extent & part, const T * from) {
      const ImageView image(from, part);
      return Label(image, options).Measure({ image, ColumnGroups::FromNames("intensity") });
    };
    const auto whole = measure(extent, voxels.data());
    const auto a = measure(lower, voxels.data());
    options.geometry.startIndex[2] = 40;
    const auto b = measure(upper, voxels.data() + lower.VoxelCount());
    const auto merged = MergeComponentTables(a, b, { { 1, 1 } });
    for (const ComponentTable * table : { &whole, &merged })
    {
      EXPECT_EQ(ValueOf(*table, 0, "intensity_std"), 0) << value;
      EXPECT_EQ(ValueOf(*table, 0, "intensity_variance"), 0) << value;
      EXPECT_EQ(ValueOf(*table, 0, "intensity_mean"), static_cast<double>(static_cast<T>(value)));
    }
    EXPECT_EQ(ValueOf(whole, 0, "intensity_skewness"), 0) << value;
    EXPECT_EQ(ValueOf(whole, 0, "intensity_kurtosis"), 0) << value;
  }
}

TEST(Intensities, EqualValuesDoNotDeviate)
{
  CheckEqualValues<double>();
  CheckEqualValues<float>();
}

/** Values that are not finite: what is summed is what a plain sum is. */
TEST(Intensities, InfiniteValuesHaveInfiniteSums)
{
  constexpr double                infinity = std::numeric_limits<double>::infinity();
  const Extent                    extent{ 3, 2 };
  const std::vector<std::uint8_t> voxels(6, 1);
  for (const std::vector<double> & intensity :
       { std::vector<double>{ 1, infinity, 2, 3, 4, 5 }, std::vector<double>{ infinity, 1, 2, 3, 4, 5 } })
  {
    const auto table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
    EXPECT_EQ(ValueOf(table, 0, "intensity_sum"), infinity);
    EXPECT_EQ(ValueOf(table, 0, "intensity_mean"), infinity);
    EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_std")));
  }
}

TEST(Intensities, InfiniteSumsDoNotDependOnTheNumberOfThreads)
{
  constexpr double                infinity = std::numeric_limits<double>::infinity();
  const Extent                    extent{ 300, 200, 40 };
  const auto                      count = static_cast<std::size_t>(extent.VoxelCount());
  const std::vector<std::uint8_t> voxels(count, 1);
  std::vector<double>             intensity(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    intensity[i] = i % 1000 == 7 ? infinity : 0.1 * static_cast<double>(i % 10);
  }
  LabelOptions options;
  for (const int threads : { 1, 2, 4 })
  {
    options.threads = threads;
    const auto table = Label(ImageView(voxels.data(), extent), options).Measure(ImageView(intensity.data(), extent));
    EXPECT_EQ(ValueOf(table, 0, "intensity_sum"), infinity) << threads;
    EXPECT_EQ(ValueOf(table, 0, "intensity_mean"), infinity) << threads;
  }
}

TEST(Intensities, DistributionsOfNotANumberAreNone)
{
  const Extent                    extent{ 4 };
  const std::vector<std::uint8_t> voxels(4, 1);
  const std::vector<float>        intensity{ 1, std::numeric_limits<float>::quiet_NaN(), 3, 4 };
  const ComponentTable            table =
    Label(ImageView(voxels.data(), extent))
      .Measure({ ImageView(intensity.data(), extent), ColumnGroups::FromNames("intensity") });
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_median")));
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_skewness")));
  EXPECT_EQ(ValueOf(table, 0, "intensity_min"), 1);
  EXPECT_EQ(ValueOf(table, 0, "intensity_max"), 4);
}

TEST(Intensities, PercentilesAmongInfiniteOnesAreNumbers)
{
  constexpr float                 infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::uint8_t> voxels(5, 1);
  const std::vector<float>        intensity{ infinity, 3, -infinity, 1, 2 };
  const ComponentTable            table =
    Label(ImageView(voxels.data(), Extent{ 5 }))
      .Measure({ ImageView(intensity.data(), Extent{ 5 }), ColumnGroups::FromNames("intensity") });
  EXPECT_EQ(ValueOf(table, 0, "intensity_median"), 2);
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_mean")));
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_skewness")));
}

/** Nor are they infinite or values of equal voxels. */
TEST(Intensities, WithoutAnyNumberThereIsNoLowestAndNoHighest)
{
  const std::vector<std::uint8_t> voxels(3, 1);
  const std::vector<double>       intensity(3, std::numeric_limits<double>::quiet_NaN());
  for (const Extent & extent : { Extent{ 1 }, Extent{ 3 } })
  {
    const ComponentTable table =
      Label(ImageView(voxels.data(), extent))
        .Measure({ ImageView(intensity.data(), extent), ColumnGroups::FromNames("intensity") });
    for (const char * const column : { "intensity_min",
                                       "intensity_max",
                                       "intensity_mean",
                                       "intensity_skewness",
                                       "intensity_kurtosis",
                                       "intensity_median" })
    {
      EXPECT_TRUE(std::isnan(ValueOf(table, 0, column))) << column;
    }
  }
}

} // namespace
} // namespace brickccl
