// SPDX-License-Identifier: Apache-2.0
// Splits with seeds, compared with their definition and with plain flooding.

#include "SlowBuild.h"
#include "SplitCases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace brickccl
{
namespace
{

using namespace testing::splits;
using testing::SplitProblem;

/** Seeds of single voxels, lines and blocks, some of them in the background; seed 3 is at several places. */
std::vector<std::uint32_t>
SeedsIn(const Case & one, std::uint64_t seed)
{
  const std::vector<std::uint64_t> blocks = Blocks(one.extent, 1 + seed % 3, 9, seed % 4 == 0 ? 0.6 : 0.95, seed + 100);
  std::vector<std::uint32_t>       seeds = As<std::uint32_t>(blocks);
  for (std::uint32_t & number : seeds)
  {
    number = number > 6 ? number * 100000000u : number;
  }
  return seeds;
}

TEST(Split, SeedsFloodTheirLabelsAsDefined)
{
  for (std::uint64_t seed = 0; seed < 60; ++seed)
  {
    if (!testing::IsDoneHere(seed, 9))
    {
      continue;
    }
    Case one{ Extents[seed % Extents.size()], {} };
    one.labels = Blocks(one.extent, 1 + seed % 5, 1 + seed % 2, 0.05 + 0.05 * static_cast<double>(seed % 5), seed);
    one.connectivity = Connectivity(one.extent.dimension, 1 + static_cast<int>(seed / 3) % one.extent.dimension);
    testing::SplitProblem problem = ProblemOf(one, 0);
    problem.seeds = SeedsIn(one, seed);
    const std::vector<double> squares = SquaresByPairs(problem);
    SplitOptions              options;
    options.connectivity = one.connectivity;
    options.seeds = ImageView(problem.seeds->data(), one.extent);
    std::vector<float> values;
    for (std::size_t i = 0; i < one.labels.size(); ++i)
    {
      values.push_back(static_cast<float>((i * 7919 + seed) % 100003));
    }
    for (const bool byValues : { false, true })
    {
      if (byValues)
      {
        options.values = ImageView(values.data(), one.extent);
        problem.values = std::vector<double>(values.begin(), values.end());
      }
      const testing::SplitByDefinition expected = SplitLabels(problem);
      if (byValues)
      {
        ASSERT_EQ(FloodFromSeeds(problem), expected.objects);
      }
      TypedLabels typed;
      for (options.threads = 1; options.threads <= 5; options.threads += 4)
      {
        std::vector<std::uint32_t> objects(one.labels.size(), 77);
        const SplitReport          report = Split(typed.Of(one, seed), objects.data(), options);
        ASSERT_EQ(objects, expected.objects) << one.extent.ToString() << ", seed " << seed << ", values " << byValues;
        EXPECT_EQ(report.basins, expected.basins);
        std::set<std::uint32_t> numbers(objects.begin(), objects.end());
        numbers.erase(0);
        std::uint64_t unreached = 0;
        ASSERT_EQ(report.objects.size(), numbers.size());
        for (const SplitObject & object : report.objects)
        {
          double peak = -1;
          for (std::size_t i = 0; i < objects.size(); ++i)
          {
            peak = objects[i] == object.number ? std::max(peak, byValues ? values[i] : std::sqrt(squares[i])) : peak;
          }
          EXPECT_EQ(object.number, *numbers.begin());
          EXPECT_EQ(object.peak, peak);
          numbers.erase(numbers.begin());
        }
        for (std::size_t i = 0; i < objects.size(); ++i)
        {
          unreached += objects[i] == 0 && one.labels[i] != 0 ? 1 : 0;
        }
        EXPECT_EQ(report.unreached, unreached);
        std::set<std::uint32_t> seeds(problem.seeds->begin(), problem.seeds->end());
        seeds.insert(0);
        EXPECT_EQ(report.seeds, seeds.size() - 1);
      }
    }
  }
}

template <typename T>
void
ExpectSplitByValues(double low, double high)
{
  for (std::uint64_t seed = 0; seed < 6; ++seed)
  {
    Case one{ Extents[3 + seed], {} };
    one.labels = Blocks(one.extent, 4, 2, 0.2, seed);
    SplitProblem problem = ProblemOf(one, 1 + std::floor((high - low) / 5));
    problem.values.emplace();
    std::vector<T> values;
    for (std::size_t i = 0; i < one.labels.size(); ++i)
    {
      values.push_back(static_cast<T>(low + std::floor(UniformOf(seed, i) * 4) / 3 * (high - low)));
      problem.values->push_back(static_cast<double>(values.back()));
    }
    const testing::SplitByDefinition expected = SplitLabels(problem);
    SplitOptions                     options;
    options.values = ImageView(values.data(), one.extent);
    options.height = problem.depth;
    TypedLabels                typed;
    std::vector<std::uint32_t> objects(values.size());
    const SplitReport          report = Split(typed.Of(one, seed), objects.data(), options);
    ASSERT_EQ(objects, expected.objects);
    for (std::size_t i = 0; i < expected.peaks.size(); ++i)
    {
      EXPECT_EQ(report.objects[i].peak, static_cast<double>(values[expected.peaks[i]]));
    }
  }
}

TEST(Split, ByValuesOfEveryTypeAsDefined)
{
  ExpectSplitByValues<std::uint8_t>(0, 255);
  ExpectSplitByValues<std::int8_t>(-128, 127);
  ExpectSplitByValues<std::uint16_t>(0, 65535);
  ExpectSplitByValues<std::int16_t>(-32768, 32767);
  ExpectSplitByValues<std::int32_t>(-2147483648.0, 2147483647);
  ExpectSplitByValues<std::uint32_t>(0, 4294967295.0);
  ExpectSplitByValues<float>(-3.5f, 7.25f);
  ExpectSplitByValues<double>(-1e300, 1e300);
}

} // namespace
} // namespace brickccl
