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

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

TEST(JoinRuns, RunsOfOneLabelAreJoined)
{
  bool isCompared = false;
  OnEveryTarget([&isCompared](const std::string & target) {
    if (!simd::JoinsRuns())
    {
      return;
    }
    isCompared = true;
    std::mt19937_64 random(11);
    constexpr int   shift = 17;
    const auto      joined = std::make_unique<simd::JoinedRuns>();
    for (const int count : { 1, 2, 15, 16, 17, 100, int{ simd::RunBounds::Maximum } })
    {
      for (const int step : { 1, 2 })
      {
        // Runs of rows of up to 65536 voxels, which sometimes continue in the next row, with few labels.
        std::vector<std::int32_t>  places(static_cast<std::size_t>(2 * count + 64));
        std::vector<std::uint32_t> labels(static_cast<std::size_t>(count + 16));
        std::int32_t * const       begins = places.data();
        std::int32_t * const       ends = step == 1 ? begins + count + 32 : begins + 1;
        std::int32_t               row = 0;
        std::int32_t               x = 0;
        for (int i = 0; i < count; ++i)
        {
          const auto length = static_cast<std::int32_t>(random() % (random() % 8 == 0 ? 30000 : 9) + 1);
          x += static_cast<std::int32_t>(random() % 5);
          if (x + length > 65536 || random() % 16 == 0)
          {
            row += x > 0 ? 1 : 0;
            x = 0;
          }
          begins[i * step] = (row << shift) + x;
          ends[i * step] = begins[i * step] + length;
          x += length;
          labels[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(random() % 3);
        }
        simd::JoinRuns({ count, shift, step, begins, ends }, labels.data(), *joined);
        int           place = 0;
        int           first = 0;
        std::uint64_t voxels = 0;
        std::uint64_t sum = 0;
        for (int i = 0; i < count; ++i)
        {
          for (std::int32_t at = begins[i * step]; at < ends[i * step]; ++at)
          {
            voxels += 1;
            sum += static_cast<std::uint64_t>(at % (1 << shift));
          }
          const bool isLast = i + 1 == count || begins[i * step] >> shift != begins[(i + 1) * step] >> shift ||
                              labels[static_cast<std::size_t>(i)] != labels[static_cast<std::size_t>(i + 1)];
          if (isLast)
          {
            ASSERT_LT(place, joined->count) << target;
            const std::int32_t rowBegin = begins[i * step] >> shift << shift;
            ASSERT_EQ(joined->rows[place], rowBegin >> shift) << target;
            ASSERT_EQ(joined->begins[place], begins[first * step] - rowBegin) << target << ", " << count << " runs";
            ASSERT_EQ(joined->ends[place], ends[i * step] - rowBegin) << target << ", step " << step;
            ASSERT_EQ(joined->labels[place], labels[static_cast<std::size_t>(i)]) << target;
            ASSERT_EQ(joined->voxels[place], voxels) << target;
            ASSERT_EQ(joined->sums[place], sum) << target;
            ++place;
            first = i + 1;
            voxels = sum = 0;
          }
        }
        ASSERT_EQ(joined->count, place) << target;
      }
    }
  });
  if (!isCompared)
  {
    GTEST_SKIP() << "no instruction set of this processor and build joins runs";
  }
}

/** Additions to the lines of components without vector code: voxels from x = begin to end - 1 of a row. */
void
AddToLine(const simd::RowsOfSlice & rows,
          std::int64_t              row,
          std::int64_t              begin,
          std::int64_t              end,
          std::uint64_t             voxels,
          std::uint64_t             sum,
          simd::SumLine &           line)
{
  const std::int64_t  y = rows.y + row;
  const std::int64_t  bounds[4] = { begin, y, -end, -1 - y };
  const std::uint64_t sums[4] = { voxels,
                                  sum,
                                  voxels * static_cast<std::uint64_t>(y),
                                  voxels * static_cast<std::uint64_t>(rows.z) };
  if (line.sums[0] == 0)
  {
    line.firstVoxel = static_cast<std::uint64_t>(rows.place + row * rows.length + begin);
  }
  line.lastSlice = rows.z;
  for (int k = 0; k < 4; ++k)
  {
    line.sums[k] += sums[k];
    line.lowest[k] = std::min(line.lowest[k], static_cast<std::int32_t>(bounds[k]));
  }
}

/** Lines of two blocks of components, the second one of which comes into being when one of it is met. */
class TwoBlocks
{
public:
  /** Adds as `add(first, blocks)` of simd does, which stops at a block that is to be opened; `labels` has `count`. */
  template <typename TAdd>
  void
  Add(int count, const std::uint32_t * labels, TAdd add)
  {
    for (int i = 0; (i = add(i, m_Blocks)) < count;)
    {
      ASSERT_GT(labels[i], simd::SumLinesPerBlock);
      ASSERT_EQ(m_Blocks[1], nullptr);
      m_Blocks[1] = m_Found.data() + simd::SumLinesPerBlock;
    }
  }
  simd::SumLine &
  Expected(std::uint32_t label)
  {
    return m_Expected[label - 1];
  }
  void
  ExpectEqual(const std::string & target) const
  {
    for (std::size_t c = 0; c < m_Expected.size(); ++c)
    {
      const simd::SumLine & expected = m_Expected[c];
      const simd::SumLine & found = m_Found[c];
      ASSERT_TRUE(std::equal(expected.sums, expected.sums + 4, found.sums)) << target << ", component " << c;
      ASSERT_TRUE(std::equal(expected.lowest, expected.lowest + 4, found.lowest)) << target << ", component " << c;
      ASSERT_EQ(expected.firstVoxel, found.firstVoxel) << target << ", component " << c;
      ASSERT_EQ(expected.lastSlice, found.lastSlice) << target << ", component " << c;
    }
  }

private:
  std::vector<simd::SumLine> m_Expected{ 2 * simd::SumLinesPerBlock };
  std::vector<simd::SumLine> m_Found{ 2 * simd::SumLinesPerBlock };
  simd::SumLine *            m_Blocks[2] = { m_Found.data(), nullptr };
};

TEST(JoinRuns, JoinedRunsAreAddedToTheirComponents)
{
  bool isCompared = false;
  OnEveryTarget([&](const std::string & target) {
    if (!simd::JoinsRuns())
    {
      return;
    }
    isCompared = true;
    std::mt19937_64 random(91);
    const auto      joined = std::make_unique<simd::JoinedRuns>();
    for (int trial = 0; trial < 200; ++trial)
    {
      const simd::RowsOfSlice rows{ static_cast<std::int64_t>(random() >> 34),
                                    static_cast<std::int64_t>(random() >> 33),
                                    static_cast<std::int64_t>(random() >> 8),
                                    static_cast<std::int64_t>(1 + random() % simd::JoinedRuns::LongestRow) };
      joined->count = trial % 40;
      std::int32_t row = 0;
      for (int i = 0; i < joined->count; ++i)
      {
        row += static_cast<std::int32_t>(random() % 3);
        joined->rows[i] = row;
        joined->begins[i] = static_cast<std::int32_t>(random() % 65000);
        joined->ends[i] = joined->begins[i] + static_cast<std::int32_t>(1 + random() % 500);
        joined->labels[i] = static_cast<std::uint32_t>(random() % (trial % 2 == 0 ? 4 : 129));
        joined->voxels[i] = static_cast<std::uint32_t>(1 + random() % 500);
        joined->sums[i] = static_cast<std::uint32_t>(random());
      }
      TwoBlocks lines;
      for (int pass = 0; pass < 2; ++pass)
      {
        for (int i = 0; i < joined->count; ++i)
        {
          if (const std::uint32_t label = joined->labels[i]; label != 0)
          {
            AddToLine(rows,
                      joined->rows[i],
                      joined->begins[i],
                      joined->ends[i],
                      joined->voxels[i],
                      joined->sums[i],
                      lines.Expected(label));
          }
        }
        lines.Add(joined->count, joined->labels, [&](int i, simd::SumLine * const * blocks) {
          return simd::AddJoinedRuns(*joined, i, rows, blocks);
        });
      }
      lines.ExpectEqual(target);
    }
  });
  if (!isCompared)
  {
    GTEST_SKIP() << "no instruction set of this processor and build joins runs";
  }
}

TEST(JoinRuns, RunsAreAddedToTheirComponents)
{
  bool isCompared = false;
  OnEveryTarget([&](const std::string & target) {
    if (!simd::JoinsRuns())
    {
      return;
    }
    isCompared = true;
    std::mt19937_64 random(92);
    for (int trial = 0; trial < 400; ++trial)
    {
      // Several short rows, or one of up to 2^31 - 1 voxels.
      const int                  shift = trial % 4 < 2 ? 12 : 31;
      const int                  step = 1 + trial % 2;
      const int                  count = trial % 40;
      const simd::RowsOfSlice    rows{ static_cast<std::int64_t>(random() >> 34),
                                    static_cast<std::int64_t>(random() >> 33),
                                    static_cast<std::int64_t>(random() >> 8),
                                    shift == 31 ? std::int64_t{ 0x7fffffff }
                                                   : static_cast<std::int64_t>(1 + random() % 4095) };
      std::vector<std::int32_t>  places(static_cast<std::size_t>(2 * count + 64));
      std::vector<std::uint32_t> labels(static_cast<std::size_t>(count + 16));
      std::int32_t * const       begins = places.data();
      std::int32_t * const       ends = step == 1 ? begins + count + 16 : begins + 1;
      TwoBlocks                  lines;
      std::int32_t               row = 0;
      for (int i = 0; i < count; ++i)
      {
        row += shift == 31 ? 0 : static_cast<std::int32_t>(random() % 3);
        const std::int64_t begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows.length));
        const std::int64_t end =
          begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows.length - begin));
        const auto label = static_cast<std::uint32_t>(random() % (trial % 3 == 0 ? 4 : 129));
        begins[i * step] = static_cast<std::int32_t>((std::int64_t{ row } << shift) + begin);
        ends[i * step] = static_cast<std::int32_t>((std::int64_t{ row } << shift) + end);
        labels[static_cast<std::size_t>(i)] = label;
        if (label != 0)
        {
          const auto voxels = static_cast<std::uint64_t>(end - begin);
          const auto sum = static_cast<UInt128>(begin + end - 1) * voxels / 2;
          AddToLine(rows, row, begin, end, voxels, static_cast<std::uint64_t>(sum), lines.Expected(label));
        }
      }
      lines.Add(count, labels.data(), [&](int i, simd::SumLine * const * blocks) {
        return simd::AddRuns({ count, shift, step, begins, ends }, labels.data(), i, rows, blocks);
      });
      lines.ExpectEqual(target);
    }
  });
  if (!isCompared)
  {
    GTEST_SKIP() << "no instruction set of this processor and build joins runs";
  }
}

TEST(JoinRuns, RunsAreJoinedWhereHalfOfThemHaveTheNextOnesLabel)
{
  bool isCompared = false;
  OnEveryTarget([&](const std::string & target) {
    if (!simd::JoinsRuns())
    {
      return;
    }
    isCompared = true;
    std::mt19937_64 random(93);
    for (int count = 1; count < 70; ++count)
    {
      std::vector<std::uint32_t> labels(static_cast<std::size_t>(count) + 16);
      for (int trial = 0; trial < 20; ++trial)
      {
        std::generate(labels.begin(), labels.end(), [&] { return static_cast<std::uint32_t>(random() % 2); });
        int equal = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        {
          equal += labels[i] == labels[i + 1] ? 1 : 0;
        }
        ASSERT_EQ(simd::AreWorthJoining(labels.data(), count), 2 * equal >= count)
          << target << ", " << count << " runs";
      }
    }
  });
  if (!isCompared)
  {
    GTEST_SKIP() << "no instruction set of this processor and build joins runs";
  }
}

} // namespace
} // namespace brickccl
