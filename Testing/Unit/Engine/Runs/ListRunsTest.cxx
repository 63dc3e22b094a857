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
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

/** A row with what ListRuns wants of it; `runAt(x)` of each voxel, from `first` on. */
struct NumberedBits
{
  const Word *               bits;
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> runAt;

  NumberedBits(const Word * row, std::int64_t words, std::uint32_t first)
    : bits(row)
  {
    std::uint32_t next = first;
    for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
    {
      if (x % BitsPerWord == 0)
      {
        before.push_back(next);
      }
      next += IsSet(row, words, x) && !IsSet(row, words, x - 1) ? 1 : 0;
      runAt.push_back(next - 1);
    }
  }
};

TEST(ListRuns, WordsInWhichRunsBeginAreListed)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(12);
    for (const std::int64_t words : { 1, 2, 5, 8, 9, 31 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows  rows(random, 3, words, kind);
        std::vector<Word> bits(static_cast<std::size_t>(words + simd::WordListPadding));
        std::vector<Word> places(bits.size());
        simd::WordList    list{ bits.data(), places.data(), 3 };
        simd::ListStarts(rows.Row(1), words, list);
        std::int64_t i = 0;
        for (std::int64_t w = 0; w < words; ++w)
        {
          const Word starts = rows.Row(1)[w] & ~FromLeft(rows.Row(1)[w], w > 0 ? rows.Row(1)[w - 1] : 0);
          if (starts != 0)
          {
            ASSERT_LT(i, list.count) << target;
            ASSERT_EQ(list.bits[i], starts) << target << ", word " << w << " of " << words;
            ASSERT_EQ(list.places[i++], static_cast<Word>(w) * simd::PlacesPerWord) << target;
          }
        }
        ASSERT_EQ(i, list.count) << target;
      }
    }
  });
}

TEST(ListRuns, RunsAtBitsAreListed)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(11);
    for (const std::int64_t words : { 1, 3, 8, 9, 19 })
    {
      for (unsigned kinds = 0; kinds < 36; ++kinds)
      {
        const RandomRows   rowA(random, 2, words, kinds % 6);
        const RandomRows   rowB(random, 1, words, kinds / 6);
        const NumberedBits a(rowA.Row(0), words, 1000);
        const NumberedBits b(rowB.Row(0), words, 5);
        // Some of the links that there may be; one row under the other.
        std::vector<Word> same, left, right, under;
        for (std::int64_t w = 0; w < words; ++w)
        {
          const BitWindow<Word> beside = rowB.Window(0, w);
          const Word            some = rowA.Row(1)[w];
          same.push_back(a.bits[w] & b.bits[w] & some);
          left.push_back(a.bits[w] & (beside.word << 1 | beside.before) & random());
          right.push_back(a.bits[w] & (beside.word >> 1 | beside.after << (BitsPerWord - 1)) & random());
          under.push_back(a.bits[w] & some);
        }
        std::vector<Word> startsA, startsB;
        for (std::int64_t w = 0; w < words; ++w)
        {
          startsA.push_back(a.bits[w] & ~FromLeft(a.bits[w], w > 0 ? a.bits[w - 1] : 0));
          startsB.push_back(b.bits[w] & ~FromLeft(b.bits[w], w > 0 ? b.bits[w - 1] : 0));
        }
        std::uint32_t countA = a.before[0];
        std::uint32_t countB = b.before[0];
        using Pair = std::pair<std::uint32_t, std::uint32_t>;
        for (std::int64_t first = 0; first < words; first += simd::ListWords)
        {
          const auto                 count = static_cast<int>(std::min<std::int64_t>(simd::ListWords, words - first));
          std::vector<Pair>          expected;
          std::vector<Pair>          expectedStraight;
          std::vector<std::uint32_t> expectedRuns;
          for (std::int64_t x = first * BitsPerWord; x < (first + count) * BitsPerWord; ++x)
          {
            const auto at = static_cast<std::size_t>(x);
            for (const auto & [links, step] : { std::pair{ &same, 0 }, { &left, -1 }, { &right, 1 } })
            {
              if (IsSet(links->data(), words, x))
              {
                expected.emplace_back(a.runAt[at], b.runAt[at + static_cast<std::size_t>(step)]);
              }
            }
            const bool goesOn =
              IsSet(same.data(), words, x - 1) && !IsSet(startsA.data(), words, x) && !IsSet(startsB.data(), words, x);
            if (IsSet(same.data(), words, x) && !goesOn)
            {
              expectedStraight.emplace_back(a.runAt[at], b.runAt[at]);
            }
            if (IsSet(under.data(), words, x) && !IsSet(under.data(), words, x - 1))
            {
              expectedRuns.push_back(a.runAt[at]);
            }
          }
          simd::RunPairs pairs;
          simd::ListLinkedRuns({ same.data() + first, left.data() + first, right.data() + first },
                               { a.bits + first, a.before.data() + first },
                               { b.bits + first, b.before.data() + first },
                               first > 0,
                               words - first,
                               count,
                               pairs);
          const auto listed = [&pairs] {
            std::vector<Pair> found;
            for (int i = 0; i < pairs.count; ++i)
            {
              found.emplace_back(pairs.a[i], pairs.b[i]);
            }
            return found;
          };
          std::vector<Pair> found = listed();
          std::sort(expected.begin(), expected.end());
          std::sort(found.begin(), found.end());
          ASSERT_EQ(found, expected) << target << ", " << words << " words, kinds " << kinds;

          simd::ListStraightRuns({ startsA.data() + first, startsB.data() + first, same.data() + first },
                                 first > 0 ? same[static_cast<std::size_t>(first - 1)] : 0,
                                 count,
                                 countA,
                                 countB,
                                 pairs);
          ASSERT_EQ(listed(), expectedStraight) << target << ", " << words << " words, kinds " << kinds;

          std::uint32_t runs[simd::ListWords * BitsPerWord + simd::ListPadding];
          const int     runCount = simd::ListRunsUnder(under.data(), { a.bits, a.before.data() }, first, count, runs);
          const std::vector<std::uint32_t> foundRuns(runs, runs + runCount);
          ASSERT_EQ(foundRuns, expectedRuns) << target << ", " << words << " words, kinds " << kinds;
        }
      }
    }
  });
}

} // namespace
} // namespace brickccl
