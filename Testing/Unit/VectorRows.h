// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_VECTORROWS_H
#define BRICKCCL_TESTING_VECTORROWS_H

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
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hwy/targets.h>

namespace brickccl
{

/** Calls `test` once for every instruction set. */
inline void
OnEveryTarget(const std::function<void(const std::string &)> & test)
{
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS, all = hwy::SupportedTargets(); rest != 0;
       rest &= rest - 1)
  {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    test(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(all);
  }
}

/** Bit x of a row of words; 0 outside of it. */
inline bool
IsSet(const Word * row, std::int64_t words, std::int64_t x)
{
  return x >= 0 && x < words * BitsPerWord && (row[x / BitsPerWord] >> (x % BitsPerWord) & 1u) != 0;
}

/** Rows of random words, sparse to dense by `kind`, among words of other rows. */
struct RandomRows
{
  std::vector<Word> words;
  std::int64_t      length;

  RandomRows(std::mt19937_64 & random, int rows, std::int64_t wordsPerRow, unsigned kind)
    : words(static_cast<std::size_t>(rows * wordsPerRow + 2 * simd::MaximumWordsBeside))
    , length(wordsPerRow)
  {
    for (Word & word : words)
    {
      const Word a = random();
      const Word b = random();
      word = kind == 0 ? 0 : kind == 1 ? a & b & random() : kind == 2 ? a : kind == 3 ? a | b | random() : ~Word{ 0 };
      if (kind == 5)
      {
        // Long runs of ones and zeros.
        word = (a % 3 == 0 ? ~Word{ 0 } : 0) ^ (b % 2 == 0 ? BitsUpTo(static_cast<int>(b / 2 % BitsPerWord)) : 0);
      }
    }
  }

  const Word *
  Row(int row) const
  {
    return words.data() + simd::MaximumWordsBeside + row * length;
  }
  BitWindow<Word>
  Window(int row, std::int64_t w) const
  {
    return { Row(row)[w], w > 0 ? Row(row)[w - 1] >> (BitsPerWord - 1) : 0, w + 1 < length ? Row(row)[w + 1] & 1u : 0 };
  }
  /** That of two united rows. */
  BitWindow<Word>
  Window(int first, int second, std::int64_t w) const
  {
    const BitWindow<Word> a = Window(first, w);
    const BitWindow<Word> b = Window(second, w);
    return { a.word | b.word, a.before | b.before, a.after | b.after };
  }
};

/** Four rows of random voxels at the corners of a square, 0 for background, and the links between them: of equal
 * values, or of those that differ by 1 at most. */
class RandomSquare
{
public:
  enum Row
  {
    Here,
    Up,
    Behind,
    Across
  };

  RandomSquare(std::mt19937_64 & random, std::int64_t words, bool isTransitive)
    : m_Words(words)
    , m_IsTransitive(isTransitive)
  {
    const auto maximum = static_cast<int>(2 + random() % 5);
    const auto length = 1 + random() % 12;
    for (std::vector<int> & row : m_Voxels)
    {
      int value = 0;
      for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
      {
        value = random() % length == 0 ? static_cast<int>(random() % static_cast<unsigned>(maximum)) : value;
        // Rows are often alike.
        const bool isAlike = &row != m_Voxels.data() && random() % 4 != 0;
        row.push_back(isAlike ? m_Voxels[0][static_cast<std::size_t>(x)] : value);
      }
    }
    for (Row row : { Here, Up, Behind, Across })
    {
      m_Below[row] = Bits(random, [&](std::int64_t x) { return IsBelow(row, x); });
      m_Above[row] = Bits(random, [&](std::int64_t x) { return IsAbove(row, x); });
      m_Foreground[row] = Bits(random, [&](std::int64_t x) { return At(row, x) != 0; });
      m_Starts[row] = Bits(random, [&](std::int64_t x) { return At(row, x) != 0 && !AreLinked(row, x, row, x - 1); });
    }
    for (std::size_t side = 0; side < 4; ++side)
    {
      const auto [a, b] = Sides[side];
      m_Sides[side] = Bits(random, [&, a = a, b = b](std::int64_t x) { return AreLinked(a, x, b, x); });
    }
  }

  /** \param tellsFar  whether rows come with bits of values that differ by more than 1 */
  simd::SquareRows
  Rows(bool tellsFar = false) const
  {
    const auto bits = [this, tellsFar](Row row) {
      return simd::RowBits{ m_Foreground[row].data() + Padding,
                            m_Starts[row].data() + Padding,
                            tellsFar ? m_Below[row].data() + Padding : nullptr,
                            tellsFar ? m_Above[row].data() + Padding : nullptr };
    };
    const auto side = [this](std::size_t i) { return m_Sides[i].data() + Padding; };
    return { bits(Here), bits(Up), bits(Behind), bits(Across), side(0), side(1), side(2), side(3) };
  }

  bool
  AreLinked(Row a, std::int64_t xA, Row b, std::int64_t xB) const
  {
    const int valueA = At(a, xA);
    const int valueB = At(b, xB);
    return valueA != 0 && valueB != 0 && std::abs(valueA - valueB) <= (m_IsTransitive ? 0 : 1);
  }

  bool
  IsForeground(Row row, std::int64_t x) const
  {
    return At(row, x) != 0;
  }

  bool
  AreFar(Row a, std::int64_t xA, Row b, std::int64_t xB) const
  {
    return (IsBelow(a, xA) && IsAbove(b, xB)) || (IsAbove(a, xA) && IsBelow(b, xB));
  }

  /** The runs of all rows, numbered; of each voxel by rows. */
  std::vector<int>
  Runs() const
  {
    std::vector<int> runs;
    int              run = 0;
    for (Row row : { Here, Up, Behind, Across })
    {
      for (std::int64_t x = 0; x < m_Words * BitsPerWord; ++x)
      {
        run += AreLinked(row, x, row, x - 1) ? 0 : 1;
        runs.push_back(run);
      }
    }
    return runs;
  }

  static constexpr std::int64_t        Padding = 8;
  static constexpr std::pair<Row, Row> Sides[4] = { { Here, Up },
                                                    { Here, Behind },
                                                    { Up, Across },
                                                    { Behind, Across } };

private:
  bool
  IsBelow(Row row, std::int64_t x) const
  {
    return At(row, x) <= 2;
  }
  bool
  IsAbove(Row row, std::int64_t x) const
  {
    return At(row, x) >= 4;
  }

  int
  At(Row row, std::int64_t x) const
  {
    return x >= 0 && x < m_Words * BitsPerWord ? m_Voxels[row][static_cast<std::size_t>(x)] : 0;
  }

  /** The surroundings of a row are random and must not count. */
  template <typename TIsSet>
  std::vector<Word>
  Bits(std::mt19937_64 & random, TIsSet isSet) const
  {
    std::vector<Word> bits;
    for (std::int64_t w = -Padding; w < m_Words + Padding; ++w)
    {
      Word word = w < 0 || w >= m_Words ? random() : 0;
      for (int bit = 0; bit < BitsPerWord && w >= 0 && w < m_Words; ++bit)
      {
        word |= Word{ isSet(w * BitsPerWord + bit) ? 1u : 0u } << bit;
      }
      bits.push_back(word);
    }
    return bits;
  }

  std::int64_t                     m_Words;
  bool                             m_IsTransitive;
  std::array<std::vector<int>, 4>  m_Voxels;
  std::array<std::vector<Word>, 4> m_Foreground;
  std::array<std::vector<Word>, 4> m_Starts;
  std::array<std::vector<Word>, 4> m_Below;
  std::array<std::vector<Word>, 4> m_Above;
  std::array<std::vector<Word>, 4> m_Sides;
};

/** Room for what FindUndecidedInSquare finds. */
class OpenRows
{
public:
  explicit OpenRows(std::int64_t words)
  {
    for (std::vector<Word> & row : m_Rows)
    {
      row.resize(static_cast<std::size_t>(words + RandomSquare::Padding));
    }
  }

  simd::UndecidedInSquare
  Pointers()
  {
    simd::UndecidedInSquare open{ {}, m_Rows[simd::SquareLinkCount].data(), m_Rows[simd::SquareLinkCount + 1].data() };
    for (std::size_t i = 0; i < simd::SquareLinkCount; ++i)
    {
      open.of[i] = m_Rows[i].data();
    }
    return open;
  }

  const Word *
  Of(simd::SquareLink link) const
  {
    return m_Rows[static_cast<std::size_t>(link)].data();
  }

private:
  std::array<std::vector<Word>, simd::SquareLinkCount + 2> m_Rows;
};

} // namespace brickccl

#endif
