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

/** With labels from the largest one down, at every place in memory that matters. */
template <typename T>
void
ExpectExpanded(const std::string &       target,
               const std::vector<Word> & foreground,
               const std::vector<Word> & starts,
               bool                      passesStarts,
               std::int64_t              length,
               std::uint32_t             largest)
{
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(length) + 2 * simd::ReadableLabels);
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    labels[i] = largest - static_cast<std::uint32_t>(i % 250);
  }
  const std::uint32_t * const first = labels.data() + simd::ReadableLabels;
  std::vector<T>              expected(static_cast<std::size_t>(length), 0);
  const std::uint32_t *       run = first - 1;
  for (std::int64_t x = 0; x < length; ++x)
  {
    const auto w = static_cast<std::size_t>(x / BitsPerWord);
    run += starts[w] >> (x % BitsPerWord) & 1u;
    expected[static_cast<std::size_t>(x)] = static_cast<T>((foreground[w] >> (x % BitsPerWord) & 1u) != 0 ? *run : 0u);
  }
  for (std::size_t offset = 0; offset < 9; ++offset)
  {
    for (const bool pastCaches : { false, true })
    {
      std::vector<T>     room(expected.size() + 16, 7);
      const Word * const passed = passesStarts ? starts.data() : nullptr;
      simd::ExpandRow({ foreground.data(), passed, length, first }, room.data() + offset, pastCaches);
      simd::FlushStores();
      std::vector<T> all(room.size(), 7);
      std::copy(expected.begin(), expected.end(), all.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(room, all) << target << ", " << sizeof(T) << " bytes, length " << length << ", offset " << offset;
    }
  }
}

TEST(ExpandRow, RowsExpandToLabels)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(1);
    for (const std::int64_t length : { 1, 4, 12, 63, 64, 65, 68, 132, 256, 301, 516 })
    {
      for (const auto & [density, gapless] :
           { std::pair{ 0u, 1u }, { 1u, 8u }, { 4u, 1u }, { 8u, 1u }, { 8u, 14u }, { 8u, 16u } })
      {
        std::vector<Word> foreground(static_cast<std::size_t>(WordsForBits(length)), 0);
        std::vector<Word> starts(foreground.size(), 0);
        for (std::int64_t x = 0; x < length; ++x)
        {
          const auto w = static_cast<std::size_t>(x / BitsPerWord);
          const bool last =
            x > 0 && (foreground[static_cast<std::size_t>((x - 1) / BitsPerWord)] >> ((x - 1) % BitsPerWord) & 1u) != 0;
          if (random() % 8 < density)
          {
            foreground[w] |= Word{ 1 } << (x % BitsPerWord);
            // Runs may follow each other without a gap, as runs of segment values do.
            starts[w] |= Word{ !last || random() % 16 < gapless ? 1u : 0u } << (x % BitsPerWord);
          }
        }
        const auto expect = [&](bool passesStarts) {
          ExpectExpanded<std::uint8_t>(target, foreground, starts, passesStarts, length, 255);
          ExpectExpanded<std::uint16_t>(target, foreground, starts, passesStarts, length, 65535);
          ExpectExpanded<std::uint32_t>(target, foreground, starts, passesStarts, length, 4294967295u);
          ExpectExpanded<std::uint64_t>(target, foreground, starts, passesStarts, length, 4294967295u);
          ExpectExpanded<float>(target, foreground, starts, passesStarts, length, 1u << 24);
        };
        expect(true);
        for (std::size_t w = 0; w < starts.size(); ++w)
        {
          starts[w] = foreground[w] & ~FromLeft(foreground[w], w > 0 ? foreground[w - 1] : 0);
        }
        expect(false);
      }
    }
  });
}

} // namespace
} // namespace brickccl
