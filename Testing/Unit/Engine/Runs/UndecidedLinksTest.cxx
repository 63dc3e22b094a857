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
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace brickccl
{
namespace
{

/** Random rows one after the other, of two slices, as the squares of a strip have them. */
class RandomStrip
{
public:
  RandomStrip(std::mt19937_64 & random, std::int64_t words, std::int64_t count)
    : m_Words(words)
  {
    const auto size = static_cast<std::size_t>((count + 1) * words + 2 * RandomSquare::Padding);
    for (std::vector<Word> * row : { &m_Foreground[0], &m_Foreground[1] })
    {
      Fill(random, size, *row);
    }
    for (std::vector<Word> * row : { &m_Starts[0], &m_Starts[1], &m_LinksY[0], &m_LinksY[1], &m_LinksZ })
    {
      Fill(random, size, *row);
      const auto & foreground = m_Foreground[row == &m_Starts[1] || row == &m_LinksY[1] ? 1 : 0];
      for (std::size_t w = 0; w < size; ++w)
      {
        (*row)[w] &= foreground[w];
      }
    }
  }

  /** The square at row i + 1 of the first slice. */
  simd::SquareRows
  Square(std::int64_t i) const
  {
    const auto at = [&](const std::vector<Word> & words, std::int64_t row) {
      return words.data() + RandomSquare::Padding + row * m_Words;
    };
    const auto bits = [&](std::size_t slice, std::int64_t row) {
      return simd::RowBits{ at(m_Foreground[slice], row), at(m_Starts[slice], row) };
    };
    return { bits(0, i + 1),         bits(0, i),          bits(1, i + 1),  bits(1, i),
             at(m_LinksY[0], i + 1), at(m_LinksZ, i + 1), at(m_LinksZ, i), at(m_LinksY[1], i + 1) };
  }

private:
  /** With few bits or many, and empty words. */
  static void
  Fill(std::mt19937_64 & random, std::size_t size, std::vector<Word> & words)
  {
    for (std::size_t w = 0; w < size; ++w)
    {
      const auto kind = random() % 4;
      words.push_back(kind == 0 ? 0 : kind == 1 ? random() & random() & random() : kind == 2 ? random() : ~Word{ 0 });
    }
  }

  std::int64_t                     m_Words;
  std::array<std::vector<Word>, 2> m_Foreground;
  std::array<std::vector<Word>, 2> m_Starts;
  std::array<std::vector<Word>, 2> m_LinksY;
  std::vector<Word>                m_LinksZ;
};

TEST(UndecidedLinks, WordsOfUndecidedLinksAreListed)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(78);
    std::size_t     total = 0;
    for (int trial = 0; trial < 300; ++trial)
    {
      const auto                    words = static_cast<std::int64_t>(1 + random() % 20);
      const auto                    squares = static_cast<std::int64_t>(1 + random() % 9);
      const RandomStrip             strip(random, words, squares);
      constexpr simd::SquareLinkSet all = (1u << simd::SquareLinkCount) - 1;
      const simd::SquareLinkSet     kinds = trial % 3 == 0 ? simd::SetOf(simd::SquareLink::LastSide)
                                          : trial % 3 == 1 ? all
                                                           : static_cast<simd::SquareLinkSet>(random()) & all;
      // The highest number that the last square's row may have.
      const std::int64_t firstRow = (std::int64_t{ 1 } << 31) - squares;
      const auto         maximum = static_cast<std::size_t>(simd::MaximumUndecidedWords(words, squares));
      std::vector<Word>  sideBits(maximum);
      std::vector<Word>  sidePlaces(maximum);
      std::vector<Word>  otherBits(maximum);
      std::vector<Word>  otherPlaces(maximum);
      simd::WordList     sides{ sideBits.data(), sidePlaces.data(), 0 };
      simd::WordList     others{ otherBits.data(), otherPlaces.data(), 0 };
      simd::ListUndecidedInSquares({ strip.Square(0), words, squares, firstRow }, kinds, sides, others);

      // Of each kind the voxels, by rows.
      using Voxels = std::set<std::tuple<int, std::int64_t, std::int64_t>>;
      Voxels expected;
      for (std::int64_t i = 0; i < squares; ++i)
      {
        OpenRows open(words);
        simd::FindUndecidedInSquare(strip.Square(i), words, true, open.Pointers());
        for (int link = 0; link < simd::SquareLinkCount; ++link)
        {
          for (std::int64_t x = 0; x < words * BitsPerWord && (kinds >> link & 1) != 0; ++x)
          {
            if (IsSet(open.Of(static_cast<simd::SquareLink>(link)), words, x))
            {
              expected.emplace(link, firstRow + i, x);
            }
          }
        }
      }
      Voxels listed;
      for (const simd::WordList & list : { sides, others })
      {
        simd::ForEachBit(list, [&](int kind, std::int64_t voxel, std::int64_t) {
          const simd::VoxelInRows place(voxel);
          EXPECT_EQ(kind == 0, list.bits == sides.bits) << target;
          EXPECT_TRUE(listed.emplace(kind, place.row, place.x).second) << target << ", twice: " << voxel;
        });
        for (std::int64_t i = 0; i < list.count; ++i)
        {
          ASSERT_NE(list.bits[i], 0u) << target;
        }
      }
      ASSERT_EQ(listed, expected) << target << ", trial " << trial;
      total += listed.size();
    }
    EXPECT_GT(total, 10000u);
  });
}

} // namespace
} // namespace brickccl
