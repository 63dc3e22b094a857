// SPDX-License-Identifier: Apache-2.0
#include "VectorRows.h"

#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Runs/Bundle.h"
#include "BrickCCL/Measuring/CountPairs.h"
#include "BrickCCL/Runs/ExpandRow.h"
#include "BrickCCL/Runs/FinalNumbers.h"
#include "BrickCCL/Measuring/JoinRuns.h"
#include "BrickCCL/Algorithms/BundleMerging/LinkBundles.h"
#include "BrickCCL/Runs/ListRuns.h"
#include "BrickCCL/Runs/UndecidedDiagonals.h"
#include "BrickCCL/Criteria/PackRow.h"
#include "BrickCCL/Measuring/RowMarks.h"
#include "BrickCCL/Runs/RunBounds.h"
#include "BrickCCL/Measuring/TouchingLists.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

/** The runs of a row as simd::RunList wants them. */
struct ListedRuns
{
  std::vector<std::int32_t>  begins;
  std::vector<std::int32_t>  ends;
  std::vector<std::uint32_t> labels;
  std::int64_t               count = 0;
  bool                       isOneRow = true;

  /** Runs of random lengths and gaps, gaps of 0 included; each has one of `labelCount` labels. */
  ListedRuns(std::mt19937_64 & random, std::int64_t runs, unsigned longest, unsigned labelCount)
    : count(runs)
  {
    std::int32_t place = 0;
    for (std::int64_t i = 0; i < runs; ++i)
    {
      place += static_cast<std::int32_t>(random() % longest);
      begins.push_back(place);
      place += 1 + static_cast<std::int32_t>(random() % longest);
      ends.push_back(place);
      labels.push_back(static_cast<std::uint32_t>(random() % labelCount));
    }
    // The following must not be taken for runs: these touch all others, and differ.
    begins.resize(begins.size() + simd::RunListPadding, 0);
    ends.resize(ends.size() + simd::RunListPadding, place + 1);
    labels.resize(labels.size() + simd::RunListPadding, 77);
  }

  simd::RunList
  List() const
  {
    return { begins.data(), ends.data(), labels.data(), count, isOneRow };
  }

  /** Makes them runs of several rows, one row's behind the other's. */
  void
  Mix(std::mt19937_64 & random)
  {
    isOneRow = false;
    for (auto i = static_cast<std::size_t>(count); i > 1; --i)
    {
      const std::size_t other = random() % i;
      std::swap(begins[i - 1], begins[other]);
      std::swap(ends[i - 1], ends[other]);
      std::swap(labels[i - 1], labels[other]);
    }
  }

  bool
  DiffersFrom(const ListedRuns & other) const
  {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    {
      for (std::size_t j = 0; j < static_cast<std::size_t>(other.count); ++j)
      {
        const bool touch = begins[i] <= other.ends[j] && other.begins[j] <= ends[i];
        if (touch && labels[i] != other.labels[j])
        {
          return true;
        }
      }
    }
    return false;
  }
};

TEST(TouchingLists, RunsThatTouchAndDifferAreFound)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(21);
    int             found = 0;
    constexpr int   trials = 4000;
    for (int trial = 0; trial < trials; ++trial)
    {
      // Few labels, so that the only pair that differs may be anywhere in the rows.
      const auto              longest = static_cast<unsigned>(1 + random() % 40);
      const auto              labelCount = 1 + static_cast<unsigned>(random() % 8 == 0);
      const auto              maximum = static_cast<std::int64_t>(1 + random() % 60);
      std::vector<ListedRuns> rows;
      for (int row = 0; row < 5; ++row)
      {
        rows.emplace_back(random,
                          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(maximum)),
                          longest,
                          labelCount);
        if (labelCount == 1 && rows.back().count > 0 && random() % 4 == 0)
        {
          rows.back().labels[random() % static_cast<std::uint64_t>(rows.back().count)] = 9;
        }
        if (row > 0 && random() % 3 == 0)
        {
          rows.back().Mix(random);
        }
      }
      const int     others = static_cast<int>(random() % (simd::TouchingRows + 1));
      simd::RunList lists[simd::TouchingRows];
      bool          expected = false;
      for (int i = 0; i < others; ++i)
      {
        const ListedRuns & other = rows[static_cast<std::size_t>(i) + 1];
        lists[i] = other.List();
        expected = expected || rows[0].DiffersFrom(other);
      }
      found += expected ? 1 : 0;
      ASSERT_EQ(simd::TouchAndDiffer(rows[0].List(), lists, others), expected) << target << ", trial " << trial;
    }
    EXPECT_GT(found, trials / 10);
    EXPECT_LT(found, trials - trials / 10);
  });
}

} // namespace
} // namespace brickccl
