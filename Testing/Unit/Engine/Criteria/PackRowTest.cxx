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

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

template <typename T>
void
ExpectPackedLikeTheRule(const std::string & target, const std::vector<T> & values, T low, T high)
{
  const auto words = static_cast<std::int64_t>(values.size()) / BitsPerWord;
  for (const bool outside : { false, true })
  {
    ForegroundRule<T> rule;
    rule.low = low;
    rule.high = high;
    rule.outside = outside;
    std::vector<Word> expected(static_cast<std::size_t>(words), 0);
    for (std::size_t i = 0; i < expected.size() * BitsPerWord; ++i)
    {
      expected[i / BitsPerWord] |= Word{ rule(values[i]) ? 1u : 0u } << (i % BitsPerWord);
    }
    std::vector<Word> bits(expected.size(), 5);
    simd::PackWords(values.data(), words, low, high, outside, bits.data());
    ASSERT_EQ(bits, expected) << target << ", " << sizeof(T) << " bytes, outside " << outside;
  }
}

template <typename T>
void
CheckNear(const std::string & target)
{
  std::mt19937_64 random(5);
  std::vector<T>  a(BitsPerWord * 3);
  std::vector<T>  b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    a[i] = static_cast<T>(random());
    b[i] = static_cast<T>(i % 3 == 0 ? a[i] : i % 3 == 1 ? a[i] + static_cast<T>(i % 7) : static_cast<T>(random()));
    if (std::is_floating_point_v<T> && i % 2 == 0)
    {
      // Values whose differences do not fit their type.
      a[i] = static_cast<T>(i) / 3;
      b[i] = a[i] + static_cast<T>(2.9999998 + static_cast<double>(i % 5) * 1e-7);
    }
  }
  a[0] = std::numeric_limits<T>::lowest();
  b[0] = std::numeric_limits<T>::max();
  if (std::is_floating_point_v<T>)
  {
    a[1] = b[1] = std::numeric_limits<T>::infinity();
    a[2] = -std::numeric_limits<T>::infinity();
    b[2] = std::numeric_limits<T>::infinity();
  }
  for (const std::uint64_t limit : { std::uint64_t{ 0 }, std::uint64_t{ 3 }, ~std::uint64_t{ 0 } })
  {
    DifferenceRule<T> rule;
    rule.limit = static_cast<typename simd::LimitOf<T>::Type>(limit);
    std::vector<Word> expected(3, 0);
    std::vector<Word> bits(3, 5);
    const Word        candidates[3] = { random() | random(), 0, ~Word{ 0 } };
    for (std::size_t i = 0; i < a.size(); ++i)
    {
      const Word isCandidate = candidates[i / BitsPerWord] >> (i % BitsPerWord) & 1u;
      expected[i / BitsPerWord] |= (rule(a[i], b[i]) ? isCandidate : 0) << (i % BitsPerWord);
    }
    simd::PackNear(a.data(), b.data(), 3, rule.limit, candidates, bits.data());
    ASSERT_EQ(bits, expected) << target << ", " << sizeof(T) << " bytes, limit " << limit;
  }
}

/** A row next to zero, one and two others of an image, of every length up to some words; and two rows at once. */
template <typename T>
void
CheckLinkedRow(const std::string & target)
{
  std::mt19937_64   random(6);
  constexpr int     words = 3;
  constexpr int     stride = words * BitsPerWord + 1;
  DifferenceRule<T> joined;
  ForegroundRule<T> rule;
  simd::RowRule<T>  both;
  std::vector<T>    image(5 * stride);
  std::vector<Word> othersForeground[3];
  for (int trial = 0; trial < 60; ++trial)
  {
    for (T & value : image)
    {
      value = static_cast<T>(random() % 4 == 0 ? random() : random() % 3);
      if (std::is_floating_point_v<T> && random() % 16 == 0)
      {
        value = random() % 2 == 0 ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
      }
    }
    const int length = trial == 0 ? words * BitsPerWord : static_cast<int>(1 + random() % (words * BitsPerWord));
    rule.low = trial % 2 == 0 ? T{ 0 } : T{ 1 };
    rule.high = trial % 2 == 0 ? T{ 0 } : std::numeric_limits<T>::max();
    rule.outside = trial % 4 < 2;
    joined.limit = static_cast<typename simd::LimitOf<T>::Type>(trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1 : random());
    both = { rule.low, rule.high, rule.outside, joined.limit };
    const auto        rowOf = [&](int row) { return image.data() + row * stride + 1; };
    simd::NearRow<T>  others[3];
    std::vector<Word> links[4];
    for (std::vector<Word> & bits : links)
    {
      bits.assign(words, 5);
    }
    for (int i = 0; i < 3; ++i)
    {
      othersForeground[i] = { random() | random(), random() | random(), i == 0 ? random() : 0 };
      others[i] = { rowOf(i), othersForeground[i].data(), links[i].data() };
    }
    const auto check = [&](const simd::LinkedRow<T> & row) {
      const auto bit = [](const Word * bits, int x) { return (bits[x / BitsPerWord] >> (x % BitsPerWord) & 1u) != 0; };
      const T *  values = row.values;
      for (int x = 0; x < static_cast<int>(WordsForBits(length)) * BitsPerWord; ++x)
      {
        const auto is = [&](int at) { return at >= 0 && at < length && rule(values[at]); };
        ASSERT_EQ(bit(row.foreground, x), is(x)) << target << ", " << sizeof(T) << " bytes, x " << x;
        ASSERT_EQ(bit(row.starts, x), is(x) && !(is(x - 1) && joined(values[x], values[x - 1])))
          << target << ", " << sizeof(T) << " bytes, x " << x;
        for (int i = 0; i < row.rowCount; ++i)
        {
          const simd::NearRow<T> & other = row.rows[i];
          ASSERT_EQ(bit(other.links, x), is(x) && bit(other.foreground, x) && joined(values[x], other.values[x]))
            << target << ", " << sizeof(T) << " bytes, x " << x;
        }
      }
    };
    std::vector<Word>        foreground(words, 5);
    std::vector<Word>        starts(words, 5);
    const simd::LinkedRow<T> row{ rowOf(3), foreground.data(), starts.data(), others, trial % 3 };
    simd::PackLinkedRow(row, length, both);
    check(row);

    std::vector<Word>        foregroundBehind(words, 5);
    std::vector<Word>        startsBehind(words, 5);
    const simd::LinkedRow<T> first{ rowOf(3), foreground.data(), starts.data(), others, 2 };
    const simd::NearRow<T>   nearSecond[2] = { others[2], { rowOf(3), foreground.data(), links[3].data() } };
    const simd::LinkedRow<T> second{ rowOf(4), foregroundBehind.data(), startsBehind.data(), nearSecond, 2 };
    simd::PackLinkedPair(first, second, length, both);
    check(first);
    check(second);
  }
}

TEST(PackRow, RowsPackWithTheirLinks)
{
  OnEveryTarget([](const std::string & target) {
    CheckLinkedRow<std::uint8_t>(target);
    CheckLinkedRow<std::int8_t>(target);
    CheckLinkedRow<std::uint16_t>(target);
    CheckLinkedRow<std::int16_t>(target);
    CheckLinkedRow<std::uint32_t>(target);
    CheckLinkedRow<std::int32_t>(target);
    CheckLinkedRow<std::uint64_t>(target);
    CheckLinkedRow<std::int64_t>(target);
    CheckLinkedRow<float>(target);
    CheckLinkedRow<double>(target);
  });
}

TEST(PackRow, NearValuesPackToBits)
{
  OnEveryTarget([](const std::string & target) {
    CheckNear<std::uint8_t>(target);
    CheckNear<std::int8_t>(target);
    CheckNear<std::uint16_t>(target);
    CheckNear<std::int16_t>(target);
    CheckNear<std::uint32_t>(target);
    CheckNear<std::int32_t>(target);
    CheckNear<std::uint64_t>(target);
    CheckNear<std::int64_t>(target);
    CheckNear<float>(target);
    CheckNear<double>(target);
  });
}

template <typename T>
void
CheckFar(const std::string & target)
{
  constexpr std::int64_t words = 5;
  std::mt19937_64        random(9);
  std::vector<T>         values;
  for (std::int64_t i = 0; i < words * BitsPerWord; ++i)
  {
    values.push_back(static_cast<T>(random() % 3 == 0 ? random() : random() % 16));
  }
  const T low = 5;
  const T high = 9;
  Word    below[words];
  Word    above[words];
  simd::PackSeparated(values.data(), words, low, high, below, above);
  for (std::int64_t i = 0; i < words * BitsPerWord; ++i)
  {
    const T value = values[static_cast<std::size_t>(i)];
    ASSERT_EQ(IsSet(below, words, i), value <= low) << target << ", " << sizeof(T) << " bytes, value " << i;
    ASSERT_EQ(IsSet(above, words, i), value >= high) << target << ", " << sizeof(T) << " bytes, value " << i;
  }
}

TEST(PackRow, ValuesFarApartPackToBits)
{
  OnEveryTarget([](const std::string & target) {
    CheckFar<std::uint8_t>(target);
    CheckFar<std::int8_t>(target);
    CheckFar<std::uint16_t>(target);
    CheckFar<std::int16_t>(target);
    CheckFar<std::uint32_t>(target);
    CheckFar<std::int32_t>(target);
    CheckFar<std::uint64_t>(target);
    CheckFar<std::int64_t>(target);
    CheckFar<float>(target);
    CheckFar<double>(target);
  });
}

template <typename T>
void
CheckPacking(const std::string & target)
{
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(3);
  std::vector<T>  values(BitsPerWord * 5 + 3);
  for (T & value : values)
  {
    value = static_cast<T>(static_cast<std::int64_t>(random() % 9) - (std::is_signed_v<T> ? 4 : 0));
  }
  values[3] = values[70] = Limits::max();
  values[9] = values[130] = Limits::lowest();
  if constexpr (std::is_floating_point_v<T>)
  {
    values[11] = values[200] = Limits::quiet_NaN();
    values[12] = Limits::infinity();
  }
  ExpectPackedLikeTheRule<T>(target, values, 0, 0);
  ExpectPackedLikeTheRule<T>(target, values, 1, 3);
  ExpectPackedLikeTheRule<T>(target, values, Limits::lowest(), 2);
  ExpectPackedLikeTheRule<T>(target, values, 2, Limits::max());
  // From any address.
  values.erase(values.begin());
  ExpectPackedLikeTheRule<T>(target, values, 1, 3);
}

TEST(PackRow, PixelsOfEveryTypePackToBits)
{
  OnEveryTarget([](const std::string & target) {
    CheckPacking<std::uint8_t>(target);
    CheckPacking<std::int8_t>(target);
    CheckPacking<std::uint16_t>(target);
    CheckPacking<std::int16_t>(target);
    CheckPacking<std::uint32_t>(target);
    CheckPacking<std::int32_t>(target);
    CheckPacking<std::uint64_t>(target);
    CheckPacking<std::int64_t>(target);
    CheckPacking<float>(target);
    CheckPacking<double>(target);
  });
}

} // namespace
} // namespace brickccl
