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

/** Sets of runs that links join: each run's smallest fellow. */
class RunSets
{
public:
  explicit RunSets(const RandomSquare & square)
    : m_Runs(square.Runs())
    , m_Length(m_Runs.size() / 4)
  {
    for (int run = 0; run <= m_Runs.back(); ++run)
    {
      m_Sets.push_back(run);
    }
  }

  void
  Unite(RandomSquare::Row a, std::int64_t xA, RandomSquare::Row b, std::int64_t xB)
  {
    const int setA = m_Sets[static_cast<std::size_t>(RunAt(a, xA))];
    const int setB = m_Sets[static_cast<std::size_t>(RunAt(b, xB))];
    if (setA == setB)
    {
      return;
    }
    for (int & set : m_Sets)
    {
      set = set == setA || set == setB ? std::min(setA, setB) : set;
    }
  }

  const std::vector<int> &
  Sets() const
  {
    return m_Sets;
  }

private:
  int
  RunAt(RandomSquare::Row row, std::int64_t x) const
  {
    return m_Runs[static_cast<std::size_t>(row) * m_Length + static_cast<std::size_t>(x)];
  }

  std::vector<int> m_Runs;
  std::size_t      m_Length;
  std::vector<int> m_Sets;
};

TEST(MergeSquares, WhatSquaresLeaveOutIsImplied)
{
  OnEveryTarget([](const std::string & target) {
    using Row = RandomSquare::Row;
    using Link = simd::SquareLink;
    std::mt19937_64 random(77);
    std::int64_t    left = 0;
    std::int64_t    all = 0;
    for (int trial = 0; trial < 600; ++trial)
    {
      const auto                words = static_cast<std::int64_t>(1 + random() % 10);
      const bool                isTransitive = trial % 2 == 0;
      const bool                tellsFar = trial % 4 == 1;
      const RandomSquare        square(random, words, isTransitive);
      OpenRows                  open(words);
      const simd::SquareLinkSet some =
        simd::FindUndecidedInSquare(square.Rows(tellsFar), words, isTransitive, open.Pointers());

      RunSets    expected(square);
      RunSets    found(square);
      const auto unite = [&](RunSets & sets, Row a, std::int64_t xA, Row b, std::int64_t xB) {
        if (square.AreLinked(a, xA, b, xB))
        {
          sets.Unite(a, xA, b, xB);
        }
      };
      const auto checkOpen = [&](simd::SquareLink link, Row a, Row b, int step) {
        const Word * const bits = open.Of(link);
        bool               isOne = false;
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          unite(expected, a, x, b, x + step);
          all += square.IsForeground(a, x) && square.IsForeground(b, x + step) ? 1 : 0;
          if (IsSet(bits, words, x))
          {
            isOne = true;
            ++left;
            ASSERT_TRUE(square.IsForeground(a, x) && square.IsForeground(b, x + step)) << target << ", x " << x;
            ASSERT_FALSE(tellsFar && square.AreFar(a, x, b, x + step)) << target << ", x " << x;
            unite(found, a, x, b, x + step);
          }
        }
        ASSERT_EQ((some & simd::SetOf(link)) != 0, isOne) << target;
      };
      for (const auto & [a, b] : RandomSquare::Sides)
      {
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          unite(expected, a, x, b, x);
          if (b != Row::Behind || a != Row::Here)
          {
            unite(found, a, x, b, x);
          }
        }
      }
      bool anyLast = false;
      for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
      {
        if (IsSet(open.Of(Link::LastSide), words, x))
        {
          anyLast = true;
          ASSERT_TRUE(square.AreLinked(Row::Here, x, Row::Behind, x)) << target << ", x " << x;
          found.Unite(Row::Here, x, Row::Behind, x);
        }
      }
      ASSERT_EQ((some & simd::SetOf(Link::LastSide)) != 0, anyLast) << target;
      ASSERT_EQ(found.Sets().size(), expected.Sets().size());
      ASSERT_EQ(found.Sets(), expected.Sets()) << target << ", trial " << trial;

      checkOpen(Link::UpLeft, Row::Here, Row::Up, -1);
      checkOpen(Link::UpRight, Row::Here, Row::Up, 1);
      checkOpen(Link::BehindLeft, Row::Here, Row::Behind, -1);
      checkOpen(Link::BehindRight, Row::Here, Row::Behind, 1);
      checkOpen(Link::Across, Row::Here, Row::Across, 0);
      checkOpen(Link::Between, Row::Up, Row::Behind, 0);
      if (isTransitive)
      {
        checkOpen(Link::AcrossLeft, Row::Here, Row::Across, -1);
        checkOpen(Link::AcrossRight, Row::Here, Row::Across, 1);
        checkOpen(Link::BetweenLeft, Row::Up, Row::Behind, -1);
        checkOpen(Link::BetweenRight, Row::Up, Row::Behind, 1);
      }
      const auto checkJoined = [&](const Word * joined, Row a, Row b) {
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          ASSERT_LE(IsSet(joined, words, x), square.AreLinked(a, x, b, x) || !isTransitive) << target;
        }
      };
      checkJoined(open.Pointers().joinedAcross, Row::Here, Row::Across);
      checkJoined(open.Pointers().joinedBetween, Row::Up, Row::Behind);
      ASSERT_EQ(found.Sets(), expected.Sets()) << target << ", trial " << trial;
    }
    EXPECT_LT(left * 4, all);
    EXPECT_GT(left, 1000);
  });
}

} // namespace
} // namespace brickccl
