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
#include <vector>

namespace brickccl
{
namespace
{

/** Compares the bounds of a row's runs with the bounds of single voxels. */
void
ExpectBounds(const std::string & target, const Word * foreground, const Word * starts, std::int64_t words)
{
  const auto begins = [&](std::int64_t x) {
    return IsSet(foreground, words, x) &&
           (starts == nullptr ? !IsSet(foreground, words, x - 1) : IsSet(starts, words, x));
  };
  simd::RunBounds bounds;
  std::int32_t    open = -1;
  for (std::int64_t first = 0; first < words; first += simd::BoundWords)
  {
    std::vector<std::int32_t> expectedBegins;
    std::vector<std::int32_t> expectedEnds;
    const std::int64_t        end = std::min(words, first + simd::BoundWords);
    for (std::int64_t x = first * BitsPerWord; x < end * BitsPerWord; ++x)
    {
      // A run that begins here or continues behind these words ends when the next voxel does not.
      open = begins(x) ? static_cast<std::int32_t>(x) : open;
      const bool goesOn = IsSet(foreground, words, x + 1) && !begins(x + 1);
      // A gap behind the last of these words is seen with the next ones.
      const bool isSeen = starts != nullptr || x + 1 < end * BitsPerWord || end == words;
      if (IsSet(foreground, words, x) && !goesOn && isSeen)
      {
        expectedBegins.push_back(open);
        expectedEnds.push_back(static_cast<std::int32_t>(x) + 1);
        open = -1;
      }
      else if (open >= 0 && !IsSet(foreground, words, x))
      {
        expectedBegins.push_back(open);
        expectedEnds.push_back(static_cast<std::int32_t>(x));
        open = -1;
      }
    }
    simd::FindRunBounds({ foreground, starts, words, 1 }, 31, first, bounds);
    std::vector<std::int32_t> foundBegins;
    std::vector<std::int32_t> foundEnds;
    for (int i = 0; i < bounds.runs.count; ++i)
    {
      foundBegins.push_back(bounds.runs.Begin(i));
      foundEnds.push_back(bounds.runs.End(i));
    }
    ASSERT_EQ(foundBegins, expectedBegins) << target << ", from word " << first;
    ASSERT_EQ(foundEnds, expectedEnds) << target << ", from word " << first;
    ASSERT_EQ(bounds.open, open) << target << ", from word " << first;
  }
}

TEST(RunBounds, BoundsOfRunsAreFound)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(9);
    for (const std::int64_t words : { 1, 2, 8, 11, 63, 64, 65, 150 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows rows(random, 2, words, kind);
        ExpectBounds(target, rows.Row(0), nullptr, words);
        // Where values part, runs follow each other without a gap.
        std::vector<Word> starts(rows.Row(1), rows.Row(1) + words);
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          const bool isFirst = IsSet(rows.Row(0), words, x) && !IsSet(rows.Row(0), words, x - 1);
          starts[static_cast<std::size_t>(x / BitsPerWord)] |= Word{ isFirst ? 1u : 0u } << (x % BitsPerWord);
        }
        for (std::int64_t w = 0; w < words; ++w)
        {
          starts[static_cast<std::size_t>(w)] &= rows.Row(0)[w];
        }
        ExpectBounds(target, rows.Row(0), starts.data(), words);
      }
    }
  });
}

/** Compares the bounds of whole rows, one behind the other, with those that are found row by row. */
void
ExpectBoundsOfRows(const std::string & target, const RandomRows & rows, std::int64_t words, bool hasStarts)
{
  int shift = 6;
  while ((std::int64_t{ 1 } << shift) <= words * BitsPerWord)
  {
    ++shift;
  }
  const auto count = static_cast<int>(std::min<std::int64_t>(simd::BoundWords / words, 5));
  // Rows behind each other, with room around them; runs may begin anywhere.
  std::vector<Word> foreground(static_cast<std::size_t>(count * words + 16));
  std::vector<Word> starts(foreground.size());
  for (std::int64_t w = 0; w < count * words; ++w)
  {
    const std::int64_t row = w / words;
    const Word         own = rows.Row(static_cast<int>(row))[w % words];
    const Word         before = w % words > 0 ? rows.Row(static_cast<int>(row))[w % words - 1] : 0;
    foreground[static_cast<std::size_t>(8 + w)] = own;
    starts[static_cast<std::size_t>(8 + w)] = own & (~FromLeft(own, before) | rows.Row(5)[w % words]);
  }
  const auto expect = [&](const simd::RowsOfBits & bits, std::int64_t row, std::vector<std::int32_t> & places) {
    simd::RunBounds bounds;
    simd::FindRunBounds(bits, shift, 0, bounds);
    ASSERT_EQ(bounds.open, -1) << target;
    for (int i = 0; i < bounds.runs.count; ++i)
    {
      places.push_back(static_cast<std::int32_t>(row << shift) + bounds.runs.Begin(i));
      places.push_back(static_cast<std::int32_t>(row << shift) + bounds.runs.End(i));
    }
  };
  const Word * const        first = foreground.data() + 8;
  const Word * const        firstStarts = hasStarts ? starts.data() + 8 : nullptr;
  std::vector<std::int32_t> found;
  std::vector<std::int32_t> expected;
  expect({ first, firstStarts, words, count }, 0, found);
  for (std::int64_t row = 0; row < count; ++row)
  {
    expect({ first + row * words, hasStarts ? firstStarts + row * words : nullptr, words, 1 }, row, expected);
  }
  ASSERT_EQ(found, expected) << target << ", " << count << " rows of " << words << " words";
}

TEST(RunBounds, BoundsOfSeveralRowsAreThoseOfEach)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(10);
    for (const std::int64_t words : { 1, 2, 7, 8, 9, 13, 64 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows rows(random, 6, words, kind);
        ExpectBoundsOfRows(target, rows, words, false);
        ExpectBoundsOfRows(target, rows, words, true);
      }
    }
  });
}

} // namespace
} // namespace brickccl
