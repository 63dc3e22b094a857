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

#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

TEST(FinalNumbers, NumbersOfPartsAreMadeFinal)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(14);
    for (std::int64_t count = 0; count < 200; ++count)
    {
      // None, one, few or many that hang, of which most hang on few.
      const std::size_t          hangingCount = std::array<std::size_t, 4>{ 0, 1, 3, 1000 }[count % 4];
      std::vector<std::uint32_t> hanging(hangingCount);
      for (std::uint32_t & number : hanging)
      {
        number = static_cast<std::uint32_t>(random());
      }
      const auto                 own = static_cast<std::uint32_t>(1 + random() % 50);
      const auto                 before = static_cast<std::uint32_t>(random() % (1u << 31));
      std::vector<std::uint32_t> numbers(static_cast<std::size_t>(count) + 1);
      std::vector<std::uint32_t> expected(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
      {
        const bool hangs = hangingCount > 0 && random() % (1 + static_cast<std::uint64_t>(count) % 5) > 0;
        const auto place = hangs ? random() % (random() % 4 > 0 ? 1 : hangingCount) : 0;
        const auto number = static_cast<std::uint32_t>(1 + random() % own);
        numbers[i] = hangs ? 0xFFFFFFFFu - static_cast<std::uint32_t>(place) : number;
        expected[i] = hangs ? hanging[place] : before + number;
      }
      // The values after them stay the same.
      expected.back() = numbers.back() = own + 1;
      const std::uint32_t none = 0;
      simd::FinishNumbers({ own, before, hanging.empty() ? &none : hanging.data() }, count, numbers.data());
      ASSERT_EQ(numbers, expected) << target << ", " << count << " numbers, " << hangingCount << " hang";
    }
  });
}

} // namespace
} // namespace brickccl
