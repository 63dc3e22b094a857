// SPDX-License-Identifier: Apache-2.0
// Histograms of a table's columns: borders, weights, what is left out.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Tables/Histogram.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace brickccl
{
namespace
{

/** A table of runs of the given lengths in a row, all apart. */
ComponentTable
TableOf(const std::vector<int> & lengths, double spacing = 1)
{
  std::vector<std::uint8_t> row;
  for (const int length : lengths)
  {
    row.insert(row.end(), static_cast<std::size_t>(length), 1);
    row.push_back(0);
  }
  row.push_back(0);
  LabelOptions options;
  options.geometry.spacing[0] = spacing;
  const Extent extent({ static_cast<std::int64_t>(row.size()) });
  return Label(ImageView(row.data(), extent), options).Measure();
}

HistogramOptions
Of(const std::string & column)
{
  HistogramOptions options;
  options.column = column;
  return options;
}

TEST(Histogram, HasRoundBorders)
{
  const Histogram histogram = HistogramOf(TableOf({ 3, 7, 7, 98 }), Of("voxel_count"));
  EXPECT_EQ(histogram.edges[0], 2);
  EXPECT_EQ(histogram.edges[1], 4);
  EXPECT_EQ(histogram.edges.back(), 100) << "the last step has as many whole numbers as the others";
  EXPECT_EQ(histogram.counts[0], 1u);
  EXPECT_EQ(histogram.counts[2], 2u);
  EXPECT_EQ(histogram.counts.back(), 1u);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{ 0 }), 4u);
}

TEST(Histogram, OfWholeNumbersHasAStepForEach)
{
  const Histogram histogram = HistogramOf(TableOf({ 1, 2, 2, 4 }), Of("voxel_count"));
  EXPECT_EQ(histogram.edges, (std::vector<double>{ 1, 2, 3, 4, 5 }));
  EXPECT_EQ(histogram.counts, (std::vector<std::uint64_t>{ 1, 2, 0, 1 }));
  EXPECT_EQ(HistogramOf(TableOf({ 5, 5, 5 }), Of("voxel_count")).edges, (std::vector<double>{ 5, 6 }));
}

TEST(Histogram, IsInTheUnitThatIsAskedFor)
{
  HistogramOptions options = Of("length_um");
  EXPECT_EQ(HistogramOf(TableOf({ 1, 12 }, 0.1), options).unit, "um");
  options.lengthUnit = "cm";
  options.bins = 2;
  const Histogram histogram = HistogramOf(TableOf({ 1, 12 }, 0.1), options);
  EXPECT_EQ(histogram.column, "length_cm");
  // Of 1 and 12 voxels of 0.1 mm.
  EXPECT_NEAR(histogram.edges.front(), 0.01, 1e-12);
  EXPECT_NEAR(histogram.edges.back(), 0.12, 1e-12);
}

TEST(Histogram, HasBordersThatAreTheDoublesOfTheirTexts)
{
  const Histogram histogram = HistogramOf(TableOf({ 1, 12 }, 0.1), Of("length_mm"));
  EXPECT_EQ(histogram.edges[0], 0.1);
  EXPECT_EQ(histogram.edges[1], 0.15);
  EXPECT_EQ(histogram.edges[10], 0.6);
}

TEST(Histogram, OfEqualValuesHasStepsAroundThem)
{
  for (const bool isLogarithmic : { false, true })
  {
    HistogramOptions options = Of("voxel_count");
    options.isLogarithmic = isLogarithmic;
    const Histogram histogram = HistogramOf(TableOf({ 5, 5, 5 }), options);
    EXPECT_LE(histogram.edges.front(), 5);
    EXPECT_GT(histogram.edges.back(), 5);
    EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{ 0 }), 3u);
  }
}

TEST(Histogram, OnALogarithmicAxisHasPreferredNumbersForBorders)
{
  HistogramOptions options = Of("voxel_count");
  options.isLogarithmic = true;
  const Histogram histogram = HistogramOf(TableOf({ 3, 30, 299 }), options);
  EXPECT_EQ(histogram.edges[0], 2.5);
  EXPECT_EQ(histogram.edges[1], 4) << "3.15 would be less than a whole number away";
  EXPECT_EQ(histogram.edges.back(), 315);
  EXPECT_EQ(histogram.edges.size(), 21u);
  EXPECT_EQ(histogram.counts.front() + histogram.counts.back(), 2u);
}

TEST(Histogram, OnALogarithmicAxisLeavesOutWhatIsNotAboveZero)
{
  HistogramOptions options = Of("bbox_min_x");
  options.isLogarithmic = true;
  options.bins = 3;
  const Histogram histogram = HistogramOf(TableOf({ 1, 1, 1, 1 }), options);
  EXPECT_EQ(histogram.notPositive, 1u) << "the first component begins at 0";
  EXPECT_EQ(histogram.edges.front(), 2);
  EXPECT_EQ(histogram.edges.back(), 6);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{ 0 }), 3u);
}

TEST(Histogram, SumsWeights)
{
  HistogramOptions options = Of("voxel_count");
  options.bins = 2;
  options.weights = "length_mm";
  const Histogram histogram = HistogramOf(TableOf({ 2, 3, 10 }, 0.5), options);
  EXPECT_EQ(histogram.counts, (std::vector<std::uint64_t>{ 2, 1 }));
  EXPECT_EQ(histogram.weights, (std::vector<double>{ 2.5, 5 }));
  EXPECT_EQ(histogram.weightUnit, "mm");
}

TEST(Histogram, OfNothingHasEmptySteps)
{
  const Histogram histogram = HistogramOf(TableOf({}), Of("voxel_count"));
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{ 0 }), 0u);
  EXPECT_EQ(histogram.edges, (std::vector<double>{ 0, 1 }));
}

TEST(Histogram, RefusesWhatIsNoColumnNoWeightOrNoNumberOfBins)
{
  EXPECT_THROW(HistogramOf(TableOf({ 1 }), Of("voxels")), InvalidArgument);
  HistogramOptions options = Of("voxel_count");
  options.bins = 0;
  EXPECT_THROW(HistogramOf(TableOf({ 1 }), options), InvalidArgument);
  options = Of("voxel_count");
  options.weights = "bbox_min_x_mm";
  EXPECT_THROW(HistogramOf(TableOf({ 1 }), options), InvalidArgument) << "-0.5 mm is no weight";
}

} // namespace
} // namespace brickccl
