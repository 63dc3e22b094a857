// SPDX-License-Identifier: Apache-2.0
#include "VectorRows.h"

#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/FinalNumbers.h"
#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"
#include "BrickCCL/Runs/ListRuns.h"
#include "BrickCCL/Runs/UndecidedDiagonals.h"
#include "BrickCCL/Criteria/PackRow.h"
#include "BrickCCL/Measuring/RowMarks.h"
#include "BrickCCL/Runs/RunBounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

/** Of nine rows, whether voxel x is marked for each of IntervalKinds. */
std::array<bool, simd::IntervalKinds::Count>
IntervalsAt(const simd::RowSurroundings & rows, std::int64_t words, std::int64_t x)
{
  using Steps = std::vector<std::array<int, 2>>;
  const auto isSet = [&](const std::array<int, 2> & step, std::int64_t at) {
    return IsSet(rows.at[1 + step[0]][1 + step[1]], words, at);
  };
  const auto ofAny = [&](const Steps & steps, std::int64_t at) {
    return std::any_of(steps.begin(), steps.end(), [&](const auto & step) { return isSet(step, at); });
  };
  const auto ofAll = [&](const Steps & steps, std::int64_t at) {
    return std::all_of(steps.begin(), steps.end(), [&](const auto & step) { return isSet(step, at); });
  };
  // In raster order, rows of later slices and later rows come last.
  const auto isLast = [&](const Steps & steps) {
    return isSet({ 0, 0 }, x) && std::none_of(steps.begin(), steps.end(), [&](const auto & step) {
             return (step[1] > 0 || (step[1] == 0 && step[0] > 0)) && isSet(step, x);
           });
  };
  const auto beginsAny = [&](const Steps & steps) { return ofAny(steps, x) && !ofAny(steps, x - 1) && isLast(steps); };
  const auto beginsAll = [&](const Steps & steps) { return ofAll(steps, x) && !ofAll(steps, x - 1); };
  return { beginsAny({ { 0, 0 } }),
           beginsAny({ { 0, 0 }, { -1, 0 }, { 0, -1 }, { -1, -1 } }),
           beginsAny({ { 0, 0 }, { 1, 0 }, { 0, -1 }, { 1, -1 } }),
           beginsAny({ { 0, 0 }, { -1, 0 }, { 0, 1 }, { -1, 1 } }),
           beginsAny({ { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } }),
           beginsAny({ { 0, 0 }, { -1, 0 } }),
           beginsAny({ { 0, 0 }, { 1, 0 } }),
           beginsAny({ { 0, 0 }, { 0, -1 } }),
           beginsAny({ { 0, 0 }, { 0, 1 } }),
           beginsAll({ { 0, 0 }, { -1, 0 } }),
           beginsAll({ { 0, 0 }, { 0, -1 } }),
           beginsAll({ { 0, 0 }, { -1, 0 }, { 0, -1 }, { -1, -1 } }) };
}

/** Runs of random lengths in a row; each one's counts are one of two. */
std::vector<simd::CountedRun>
RandomCountedRuns(std::mt19937_64 & random, std::int64_t length, std::uint64_t (&counts)[2][simd::MarkKinds])
{
  std::vector<simd::CountedRun> runs;
  std::int64_t                  begin = static_cast<std::int64_t>(random() % 5);
  while (begin < length)
  {
    const auto end = std::min(length, begin + 1 + static_cast<std::int64_t>(random() % (random() % 2 ? 9 : 300)));
    runs.push_back({ begin, end, counts[random() % 2] });
    begin = end + 1 + static_cast<std::int64_t>(random() % 5);
  }
  return runs;
}

TEST(RowMarks, PairsAreCountedAtRuns)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(13);
    for (const std::int64_t words : { 1, 2, 7, 8, 11, 16 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows   rows(random, 5, words, kind);
        const Word * const others[] = { rows.Row(1), rows.Row(2), rows.Row(3), rows.Row(4) };
        std::uint64_t      counts[2][simd::MarkKinds] = {};
        std::uint64_t      expected[2][simd::MarkKinds] = {};
        const auto         runs = RandomCountedRuns(random, words * BitsPerWord, counts);
        for (const simd::CountedRun & run : runs)
        {
          std::uint64_t * const pairs = expected[run.counts == counts[1]];
          for (std::int64_t x = run.begin; x < run.end; ++x)
          {
            pairs[simd::PairKinds::Own] += IsSet(rows.Row(0), words, x - 1) ? 1 : 0;
            for (int i = 0; i < simd::PairRows; ++i)
            {
              for (int step = -1; step <= 1; ++step)
              {
                pairs[simd::PairKinds::Of(i, step)] += IsSet(others[i], words, x + step) ? 1 : 0;
              }
            }
          }
        }
        std::vector<Word>    marked(simd::PairKinds::Count * 16);
        const simd::RowMarks marks{ marked.data(), 16 };
        simd::MarkPairs(rows.Row(0), others, words, marks);
        simd::CountMarks(runs.data(), runs.size(), marks, simd::PairKinds::Count);
        for (std::size_t component = 0; component < 2; ++component)
        {
          ASSERT_TRUE(std::equal(expected[component], expected[component] + simd::MarkKinds, counts[component]))
            << target << ", " << words << " words";
        }
      }
    }
  });
}

TEST(RowMarks, MarksOfRowsAreFoundAndCounted)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(12);
    for (const std::int64_t words : { 1, 2, 7, 8, 11, 16 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows  rows(random, 9, words, kind);
        const auto        stride = (words + simd::MarkWords - 1) / simd::MarkWords * simd::MarkWords;
        std::vector<Word> marked(static_cast<std::size_t>(simd::MarkKinds * stride));
        const auto        row = [&](int i) { return marked.data() + i * stride; };

        simd::RowSurroundings around;
        for (int i = 0; i < 9; ++i)
        {
          around.at[i / 3][i % 3] = rows.Row(i);
        }
        simd::MarkIntervals(around, words, { marked.data(), stride });
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          const auto expected = IntervalsAt(around, words, x);
          for (int i = 0; i < simd::IntervalKinds::Count; ++i)
          {
            ASSERT_EQ(IsSet(row(i), words, x), expected[static_cast<std::size_t>(i)]) << target << ", kind " << i;
          }
        }

        std::uint64_t counts[2][simd::MarkKinds] = {};
        std::uint64_t expected[2][simd::MarkKinds] = {};
        const auto    runs = RandomCountedRuns(random, words * BitsPerWord, counts);
        for (const simd::CountedRun & run : runs)
        {
          for (int i = 0; i < simd::IntervalKinds::Count; ++i)
          {
            for (std::int64_t at = run.begin; at < run.end; ++at)
            {
              expected[run.counts == counts[1]][i] += IsSet(row(i), words, at) ? 1 : 0;
            }
          }
        }
        simd::CountMarks(runs.data(), runs.size(), { marked.data(), stride }, simd::IntervalKinds::Count);
        for (std::size_t component = 0; component < 2; ++component)
        {
          ASSERT_TRUE(std::equal(expected[component], expected[component] + simd::MarkKinds, counts[component]))
            << target << ", " << words << " words";
        }
      }
    }
  });
}

} // namespace
} // namespace brickccl
