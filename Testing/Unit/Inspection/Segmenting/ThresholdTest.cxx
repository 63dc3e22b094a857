// SPDX-License-Identifier: Apache-2.0
// Histograms of values and thresholds, compared with plain counting and with all divisions tried in turn.

#include "AllPixelTypes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace brickccl
{

namespace
{

template <typename T>
ValueHistogram
HistogramOfVector(const std::vector<T> & values)
{
  return HistogramOfValues(ImageView(values.data(), Extent({ static_cast<std::int64_t>(values.size()) })));
}

/** The histogram of whole numbers of a few kinds, as a map. */
std::map<double, std::uint64_t>
OccurringIn(const ValueHistogram & histogram)
{
  std::map<double, std::uint64_t> occurring;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
  {
    if (histogram.counts[bin] > 0)
    {
      occurring[histogram.ValueOf(bin)] = histogram.counts[bin];
    }
  }
  return occurring;
}

template <typename T>
class ValueHistogramTest : public ::testing::Test
{};

TYPED_TEST_SUITE(ValueHistogramTest, testing::AllPixelTypes);

TYPED_TEST(ValueHistogramTest, CountsWholeNumbersOfEveryTypeExactly)
{
  std::mt19937                       random(7);
  std::uniform_int_distribution<int> value(std::is_signed_v<TypeParam> ? -100 : 0, 100);
  std::vector<TypeParam>             values(300000);
  std::map<double, std::uint64_t>    expected;
  for (TypeParam & voxel : values)
  {
    voxel = static_cast<TypeParam>(value(random));
    ++expected[static_cast<double>(voxel)];
  }
  const ValueHistogram histogram = HistogramOfVector(values);
  EXPECT_TRUE(histogram.isExact);
  EXPECT_EQ(histogram.valueCount, values.size());
  EXPECT_EQ(OccurringIn(histogram), expected);
  std::sort(values.begin(), values.end());
  for (const double percent : { 0.0, 0.1, 1.0, 33.3, 50.0, 99.0, 100.0 })
  {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(values.size())));
    EXPECT_EQ(histogram.Percentile(percent), static_cast<double>(values[rank == 0 ? 0 : rank - 1])) << percent;
  }
}

TYPED_TEST(ValueHistogramTest, HoldsTheExtremesOfEveryType)
{
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> values = { Limits::lowest(), Limits::max(), 0, 0, 1 };
  const ValueHistogram         histogram = HistogramOfVector(values);
  EXPECT_EQ(histogram.minimum, static_cast<Number>(Limits::lowest()));
  EXPECT_EQ(histogram.maximum, static_cast<Number>(Limits::max()));
  std::uint64_t count = 0;
  for (const std::uint64_t inBin : histogram.counts)
  {
    count += inBin;
  }
  EXPECT_EQ(count, 5u);
}

TEST(ValueHistogram, LeavesOutWhatIsNotFiniteAndWhatIsMasked)
{
  const double              infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = { 1, std::nan(""), 2, infinity, -infinity, 2, 50 };
  const std::vector<float>  mask = { 1, 1, 0.5f, 1, 1, -1, 0 };
  const Extent              extent({ 7 });
  const ImageView           maskView(mask.data(), extent);
  const ValueHistogram      histogram = HistogramOfValues(ImageView(values.data(), extent), maskView);
  EXPECT_EQ(histogram.notANumberCount, 1u);
  EXPECT_EQ(histogram.infiniteCount, 2u);
  EXPECT_EQ(OccurringIn(histogram), (std::map<double, std::uint64_t>{ { 1, 1 }, { 2, 2 } }));
}

TEST(ValueHistogram, LooksCloselyAtAllButOutliers)
{
  std::mt19937                     random(8);
  std::normal_distribution<double> low(0.1, 0.01);
  std::normal_distribution<double> high(0.3, 0.01);
  std::vector<double>              values;
  for (int i = 0; i < 200000; ++i)
  {
    values.push_back(i % 4 == 0 ? low(random) : high(random));
  }
  values[17] = 1e30;
  values[18] = -1e20;
  const ValueHistogram histogram = HistogramOfVector(values);
  EXPECT_FALSE(histogram.isExact);
  EXPECT_LT(histogram.width, 1e-4);
  EXPECT_EQ(static_cast<double>(histogram.maximum), 1e30);
  EXPECT_NEAR(histogram.Percentile(50), 0.2966, 0.001);
  for (const char * const method : { "otsu", "valley", "iso50" })
  {
    EXPECT_NEAR(static_cast<double>(FindThreshold(histogram, ThresholdMethod::FromText(method)).value), 0.2, 0.03)
      << method;
  }
}

TEST(ValueHistogram, OneValueIsOneBin)
{
  for (const double value : { 0.25, 0.0, -1e300, 5e-324 })
  {
    const ValueHistogram histogram = HistogramOfVector(std::vector<double>(10, value));
    EXPECT_EQ(OccurringIn(histogram), (std::map<double, std::uint64_t>{ { value, 10 } }));
  }
  EXPECT_EQ(HistogramOfVector(std::vector<float>(3, std::nanf(""))).valueCount, 0u);
}

/** The variance between classes, up to a constant, for thresholds between values. */
double
ScoreOf(const std::map<double, std::uint64_t> & occurring, const std::vector<Number> & thresholds)
{
  std::vector<double> counts(thresholds.size() + 1);
  std::vector<double> sums(thresholds.size() + 1);
  for (const auto & [value, count] : occurring)
  {
    std::size_t which = 0;
    while (which < thresholds.size() && value >= thresholds[which])
    {
      ++which;
    }
    counts[which] += static_cast<double>(count);
    sums[which] += value * static_cast<double>(count);
  }
  double score = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
  {
    score += counts[i] > 0 ? sums[i] * sums[i] / counts[i] : 0;
  }
  return score;
}

TEST(Threshold, OtsuIsTheBestOfAllDivisions)
{
  std::mt19937 random(9);
  for (int round = 0; round < 60; ++round)
  {
    std::vector<std::int16_t> values(40);
    for (std::int16_t & value : values)
    {
      value = static_cast<std::int16_t>(static_cast<int>(random() % 30) * static_cast<int>(random() % 9) - 60);
    }
    const ValueHistogram histogram = HistogramOfVector(values);
    const auto           occurring = OccurringIn(histogram);
    std::vector<double>  cuts;
    for (auto it = std::next(occurring.begin()); it != occurring.end(); ++it)
    {
      cuts.push_back(0.5 * (std::prev(it)->first + it->first));
    }
    double bestOfTwo = 0;
    double bestOfFour = 0;
    for (std::size_t a = 0; a < cuts.size(); ++a)
    {
      bestOfTwo = std::max(bestOfTwo, ScoreOf(occurring, { cuts[a] }));
      for (std::size_t b = a + 1; b < cuts.size(); ++b)
      {
        for (std::size_t c = b + 1; c < cuts.size(); ++c)
        {
          bestOfFour = std::max(bestOfFour, ScoreOf(occurring, { cuts[a], cuts[b], cuts[c] }));
        }
      }
    }
    const Threshold otsu = FindThreshold(histogram, ThresholdMethod::FromText("otsu"));
    const Threshold four = FindThreshold(histogram, ThresholdMethod::FromText("multi-otsu:4:2"));
    EXPECT_NEAR(ScoreOf(occurring, otsu.all), bestOfTwo, 1e-9 * bestOfTwo);
    EXPECT_NEAR(ScoreOf(occurring, four.all), bestOfFour, 1e-9 * bestOfFour);
    ASSERT_EQ(four.all.size(), 3u);
    EXPECT_EQ(four.value, four.all[1]);
    EXPECT_EQ(std::count(cuts.begin(), cuts.end(), otsu.all[0]), 1) << "not in the middle of its plateau";
  }
}

/** Values around two peaks: `fewer` of the lower one for a thousand of the higher one. */
std::vector<std::int16_t>
TwoPeaks(int low, int high, double deviation, int fewer, int step = 1)
{
  std::mt19937                     random(10);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<std::int16_t>        values(400000);
  for (std::int16_t & value : values)
  {
    const int center = static_cast<int>(random() % 1000) < fewer ? low : high;
    value = static_cast<std::int16_t>(static_cast<int>(std::lround(center + noise(random))) / step * step);
  }
  return values;
}

TEST(Threshold, ValleyAndIso50LieBetweenThePeaks)
{
  for (const int fewer : { 500, 50, 5 })
  {
    for (const int step : { 1, 4, 7 })
    {
      const ValueHistogram histogram = HistogramOfVector(TwoPeaks(-1000, 2000, 60, fewer, step));
      const Threshold      valley = FindThreshold(histogram, ThresholdMethod::FromText("valley"));
      const Threshold      iso50 = FindThreshold(histogram, ThresholdMethod::FromText("iso50"));
      EXPECT_NEAR(static_cast<double>(valley.value), 500, 150) << fewer << ", " << step;
      EXPECT_NEAR(static_cast<double>(iso50.value), 500, 20) << fewer << ", " << step;
      ASSERT_EQ(iso50.peaks.size(), 2u);
      EXPECT_NEAR(iso50.peaks[0], -1000, 30);
      EXPECT_NEAR(iso50.peaks[1], 2000, 30);
    }
  }
}

TEST(Threshold, WholeNumbersBeyondDoublesHaveNoAutomaticOne)
{
  for (const std::int64_t step : { 1, 50 })
  {
    std::vector<std::uint64_t> far;
    for (const std::int16_t value : TwoPeaks(2000, 9000, 700, 400))
    {
      far.push_back((std::uint64_t{ 1 } << 63) + static_cast<std::uint64_t>(value * step + (1 << 20)));
    }
    const ValueHistogram histogram = HistogramOfVector(far);
    for (const char * const method : { "otsu", "multi-otsu:3", "valley", "iso50" })
    {
      EXPECT_THROW(FindThreshold(histogram, ThresholdMethod::FromText(method)), InvalidArgument) << method;
    }
  }
  EXPECT_EQ((Number(std::int64_t{ 1 } << 60) + Number(1)).ToString(), "1152921504606846977");
}

TEST(Threshold, OverlappingPeaksHaveAValley)
{
  const ValueHistogram histogram = HistogramOfVector(TwoPeaks(0, 240, 60, 400));
  EXPECT_NEAR(static_cast<double>(FindThreshold(histogram, ThresholdMethod::FromText("valley")).value), 110, 25);
}

TEST(Threshold, PaddingOfScannersIsLeftOut)
{
  std::vector<std::int16_t> values = TwoPeaks(-1000, 50, 20, 300);
  const ValueHistogram      alone = HistogramOfVector(values);
  EXPECT_FALSE(alone.HasPadding());
  values.insert(values.end(), 100000, std::int16_t{ -3024 });
  const ValueHistogram padded = HistogramOfVector(values);
  EXPECT_TRUE(padded.HasPadding());
  for (const char * const method : { "otsu", "multi-otsu:3", "valley", "iso50" })
  {
    EXPECT_EQ(FindThreshold(padded, ThresholdMethod::FromText(method)).all,
              FindThreshold(alone, ThresholdMethod::FromText(method)).all)
      << method;
  }
}

TEST(Threshold, OnePeakOrOneValueHasNone)
{
  const ValueHistogram peak = HistogramOfVector(TwoPeaks(100, 100, 20, 500));
  EXPECT_THROW(FindThreshold(peak, ThresholdMethod::FromText("valley")), InvalidArgument);
  EXPECT_THROW(FindThreshold(peak, ThresholdMethod::FromText("iso50")), InvalidArgument);
  const ValueHistogram one = HistogramOfVector(std::vector<std::uint8_t>(5, std::uint8_t{ 3 }));
  for (const char * const method : { "otsu", "multi-otsu:3", "valley", "iso50" })
  {
    EXPECT_THROW(FindThreshold(one, ThresholdMethod::FromText(method)), InvalidArgument) << method;
    EXPECT_THROW(FindThreshold({}, ThresholdMethod::FromText(method)), InvalidArgument) << method;
  }
}

TEST(Threshold, CriteriaPartTheValues)
{
  const Threshold threshold = FindThreshold({}, ThresholdMethod::FromText("-12.5"));
  EXPECT_EQ(threshold.AtOrAbove().range->low, -12.5L);
  EXPECT_LT(threshold.Below().range->high, -12.5L);
  EXPECT_EQ(static_cast<double>(threshold.Below().range->high), -12.5);
}

TEST(Threshold, MethodsAreReadBackAndOthersRefused)
{
  for (const char * const text : { "otsu", "multi-otsu:2", "multi-otsu:8:7", "valley", "iso50", "-12.5", "140" })
  {
    EXPECT_EQ(ThresholdMethod::FromText(text).ToString(), text);
  }
  for (const char * const text : { "",
                                   "Otsu",
                                   "otsu:2",
                                   "multi-otsu",
                                   "multi-otsu:",
                                   "multi-otsu:1",
                                   "multi-otsu:9",
                                   "multi-otsu:3:0",
                                   "multi-otsu:3:3",
                                   "multi-otsu:3:",
                                   "iso",
                                   "inf",
                                   "nan",
                                   "0x10",
                                   "1 2",
                                   "0,5" })
  {
    EXPECT_THROW(ThresholdMethod::FromText(text), InvalidArgument) << text;
  }
}

} // namespace

} // namespace brickccl
