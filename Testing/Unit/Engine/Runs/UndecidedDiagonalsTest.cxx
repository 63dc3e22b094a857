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
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

TEST(UndecidedDiagonals, OpenDiagonalsAreFound)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(31);
    int             found = 0;
    for (int trial = 0; trial < 400; ++trial)
    {
      // The surroundings of a row are random, too, and must not count.
      constexpr std::int64_t           padding = 8;
      const auto                       words = static_cast<std::int64_t>(1 + random() % 19);
      std::array<std::vector<Word>, 9> rows;
      for (std::vector<Word> & row : rows)
      {
        for (std::int64_t w = 0; w < words + 2 * padding; ++w)
        {
          row.push_back(random() | (trial % 2 == 0 ? random() : 0));
        }
      }
      const auto row = [&](std::size_t i) { return rows[i].data() + padding; };
      for (std::int64_t w = 0; w < words; ++w)
      {
        // Runs begin wherever the voxel before belongs to others; links are few.
        for (std::size_t i : { std::size_t{ 0 }, std::size_t{ 2 } })
        {
          const Word before = FromLeft(row(i)[w], w > 0 ? row(i)[w - 1] : 0);
          row(i + 1)[w] = row(i)[w] & (row(i + 1)[w] | ~before);
        }
        row(4)[w] = row(0)[w] & row(2)[w] & random() & random();
      }
      for (const auto & [areTransitive, tellsFar] : { std::pair{ false, false }, { false, true }, { true, false } })
      {
        const auto rowBits = [&, tells = tellsFar](std::size_t i) {
          return tells ? simd::RowBits{ row(i), row(i + 1), row(i + 5), row(i + 6) }
                       : simd::RowBits{ row(i), row(i + 1) };
        };
        std::vector<Word>        left(static_cast<std::size_t>(words + padding));
        std::vector<Word>        right(left.size());
        const simd::AnyDiagonals any = simd::FindUndecidedDiagonals(rowBits(0),
                                                                    rowBits(2),
                                                                    row(4),
                                                                    words,
                                                                    areTransitive,
                                                                    { left.data(), right.data() });
        bool                     anyLeft = false;
        bool                     anyRight = false;
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          const auto is = [&](std::size_t i, std::int64_t at) { return IsSet(row(i), words, at); };
          const auto isOpen = [&, isTransitive = areTransitive, tells = tellsFar](std::int64_t to) {
            const std::int64_t later = std::max(x, to);
            const bool         aGoesOn = is(0, later) && !is(1, later);
            const bool         bGoesOn = is(2, later) && !is(3, later);
            const bool         isKnown = isTransitive ? aGoesOn || bGoesOn || is(4, x) || is(4, to)
                                                      : (is(4, x) && bGoesOn) || (is(4, to) && aGoesOn);
            const bool         isFar = (is(5, x) && is(8, to)) || (is(6, x) && is(7, to));
            return is(0, x) && is(2, to) && !isKnown && !(tells && isFar);
          };
          ASSERT_EQ(IsSet(left.data(), words, x), isOpen(x - 1)) << target << ", x " << x << ", trial " << trial;
          ASSERT_EQ(IsSet(right.data(), words, x), isOpen(x + 1)) << target << ", x " << x << ", trial " << trial;
          anyLeft = anyLeft || isOpen(x - 1);
          anyRight = anyRight || isOpen(x + 1);
        }
        ASSERT_EQ(any.left, anyLeft) << target;
        ASSERT_EQ(any.right, anyRight) << target;
        found += anyLeft ? 1 : 0;
      }
    }
    EXPECT_GT(found, 100);
  });
}

} // namespace
} // namespace brickccl
