// The vector code against plain loops, on every instruction set that this processor has.

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
#include "BrickCCL/Measuring/TouchingLists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <hwy/targets.h>

namespace brickccl
{
namespace
{

/** Calls `test` once for every instruction set. */
void
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
bool
IsSet(const Word * row, std::int64_t words, std::int64_t x)
{
  return x >= 0 && x < words * BitsPerWord && (row[x / BitsPerWord] >> (x % BitsPerWord) & 1u) != 0;
}

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

TEST(Simd, RowsExpandToLabels)
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
            // Runs may follow each other without a gap, as those of segment values do.
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
      // Values whose differences are no values of their type.
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

/** A row beside none, one and two others of an image, of every length up to some words; and two rows at once. */
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

TEST(Simd, RowsPackWithTheirLinks)
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

TEST(Simd, NearValuesPackToBits)
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

TEST(Simd, ValuesFarApartPackToBits)
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

TEST(Simd, PixelsOfEveryTypePackToBits)
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

/** Rows of random words, sparse to dense by `kind`, among words that are none of theirs. */
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

/** Compares the links of a to b, of rows 0 and 1 of each (`faceCount` 2: one to one), with the formulas for one word;
 *  `impliedCount` rows of `implied` say which are implied; two of them, or else the next two. */
void
ExpectLinkedLikeTheFormulas(const std::string & target,
                            const RandomRows &  a,
                            const RandomRows &  b,
                            int                 faceCount,
                            bool                areStraight,
                            const RandomRows &  implied,
                            int                 impliedCount)
{
  const bool         hasOthers = impliedCount == 2;
  const std::int64_t words = a.length;
  const auto         room = static_cast<std::size_t>(words + simd::MaximumWordsBeside);
  std::vector<Word>  unitedA(room, ~Word{ 0 }), unitedB(room, ~Word{ 0 });
  std::vector<Word>  same(room), left(room), right(room), joined(room);
  const bool         areUnited = faceCount == 1 && !areStraight;
  for (std::int64_t w = 0; w < words; ++w)
  {
    unitedA[static_cast<std::size_t>(w)] = a.Row(0)[w] | a.Row(1)[w];
    unitedB[static_cast<std::size_t>(w)] = b.Row(0)[w] | b.Row(1)[w];
  }
  const simd::FacingRows faces[2] = { { { a.Row(0), a.Row(areUnited ? 1 : 0) },
                                        { b.Row(0), b.Row(areUnited ? 1 : 0) } },
                                      { { a.Row(1), a.Row(1) }, { b.Row(1), b.Row(1) } } };
  std::vector<Word>      bits(3 * room), places(3 * room);
  simd::LinkedRows found{ same.data(), left.data(), right.data(), joined.data(), { bits.data(), places.data(), 0 } };
  simd::LinkBundles(faces,
                    faceCount,
                    areStraight,
                    unitedA.data(),
                    unitedB.data(),
                    words,
                    { { implied.Row(0), implied.Row(1), implied.Row(2) },
                      impliedCount,
                      { hasOthers ? implied.Row(2) : nullptr, hasOthers ? implied.Row(3) : nullptr } },
                    found);
  std::map<Word, Word> listed;
  for (std::int64_t i = 0; i < found.list.count; ++i)
  {
    ASSERT_TRUE(listed.emplace(places[static_cast<std::size_t>(i)], bits[static_cast<std::size_t>(i)]).second);
  }
  std::map<Word, Word> expectedList;
  // Whether the last bit of the word before is joined.
  bool isOpen = false;
  for (std::int64_t w = 0; w < words; ++w)
  {
    const auto        at = static_cast<std::size_t>(w);
    BundleLinks<Word> links;
    if (areStraight)
    {
      links = { a.Row(0)[w] & b.Row(0)[w], 0, 0 };
    }
    else if (faceCount == 1)
    {
      links = LinksOfRows(a.Window(0, 1, w), b.Window(0, 1, w));
    }
    else
    {
      const BundleLinks<Word> low = LinksOfRows(a.Window(0, w), b.Window(0, w));
      const BundleLinks<Word> high = LinksOfRows(a.Window(1, w), b.Window(1, w));
      links = { unitedA[at] & unitedB[at], low.left | high.left, low.right | high.right };
    }
    links = WithoutRepeats(links, unitedA[at], unitedB[at]);
    const Word both = unitedA[at] & unitedB[at];
    const Word going = isOpen ? both & ~(both + 1) : 0;
    const Word byLinks = JoinedBits(links, both);
    const Word known = byLinks | going;
    isOpen = known >> (BitsPerWord - 1) != 0;
    links.same &= ~going;
    if (impliedCount > 0)
    {
      Word others = ~Word{ 0 };
      for (int i = 0; i < impliedCount; ++i)
      {
        others &= implied.Row(i)[w];
      }
      others |= hasOthers ? implied.Row(2)[w] & implied.Row(3)[w] : 0;
      links.same = WithoutImplied(links.same, byLinks, others);
    }
    int kind = simd::LinkedSame;
    for (const Word word : { links.same, links.left, links.right })
    {
      const Word place = static_cast<Word>(w) * simd::PlacesPerWord + static_cast<Word>(kind++);
      if (word != 0)
      {
        expectedList[place] = word;
      }
    }
    ASSERT_EQ(same[at], links.same) << target << ", word " << w << " of " << words;
    ASSERT_EQ(left[at], links.left) << target << ", word " << w << " of " << words;
    ASSERT_EQ(right[at], links.right) << target << ", word " << w << " of " << words;
    ASSERT_EQ(joined[at], known) << target << ", word " << w;
  }
  ASSERT_EQ(listed, expectedList) << target;
}

TEST(Simd, BundlesAreLinkedLikeTheFormulas)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(7);
    for (const std::int64_t words : { 1, 2, 3, 7, 8, 9, 17 })
    {
      for (unsigned kinds = 0; kinds < 36; ++kinds)
      {
        const RandomRows a(random, 2, words, kinds % 6);
        const RandomRows b(random, 2, words, kinds / 6);
        const RandomRows implied(random, 4, words, 3);
        const int        count = kinds % 3 == 0 ? 0 : 1 + static_cast<int>(kinds % 3);
        ExpectLinkedLikeTheFormulas(target, a, b, 1, false, implied, count);
        ExpectLinkedLikeTheFormulas(target, a, b, 2, false, implied, count);
        ExpectLinkedLikeTheFormulas(target, a, b, 1, true, implied, count);
      }
    }
  });
}

TEST(Bundle, LinksThatAreImpliedAnywhereBehindThemAreLeftOut)
{
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round)
  {
    // Stretches, each from a link on, that end where the next bit is none of theirs.
    const Word both = random() | (round % 2 == 0 ? random() : 0);
    Word       same = 0;
    Word       expected = 0;
    const Word implied = random() & random() & (round % 3 == 0 ? random() : ~Word{ 0 });
    Word       joined = 0;
    for (int x = 0; x < BitsPerWord;)
    {
      const int begin = x;
      for (; x < BitsPerWord && (both >> x & 1u) != 0; ++x)
      {}
      const int  link = begin + static_cast<int>(random() % 3);
      const bool hasLink = link < x && random() % 4 != 0;
      bool       isImplied = false;
      for (int i = link; hasLink && i < x; ++i)
      {
        joined |= Word{ 1 } << i;
        isImplied = isImplied || (implied >> i & 1u) != 0;
      }
      same |= hasLink ? Word{ 1 } << link : 0;
      expected |= hasLink && !isImplied ? Word{ 1 } << (x - 1) : 0;
      x = x == begin ? x + 1 : x;
    }
    ASSERT_EQ(WithoutImplied(same, joined, implied), expected) << "round " << round;
    const auto low = [](Word word) { return static_cast<std::uint32_t>(word); };
    const Word lowExpected = WithoutImplied(same & low(~Word{ 0 }), joined & low(~Word{ 0 }), implied);
    ASSERT_EQ(WithoutImplied(low(same), low(joined), low(implied)), low(lowExpected)) << "round " << round;
  }
}

/** Compares the bounds of a row's runs with those of single voxels. */
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
      // What begins here or goes on behind these words ends when the next voxel does not go on.
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

TEST(Simd, BoundsOfRunsAreFound)
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

TEST(Simd, BoundsOfSeveralRowsAreThoseOfEach)
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

TEST(Simd, RunsOfOneLabelAreJoined)
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
        // Runs of rows of up to 65536 voxels, which now and then go on to the next row, with few labels.
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

TEST(Simd, OpenDiagonalsAreFound)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(31);
    int             found = 0;
    for (int trial = 0; trial < 400; ++trial)
    {
      // What lies around a row is random, too, and must not count.
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
        // Runs begin wherever the voxel before is none of theirs; links are few.
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
    const auto most = static_cast<int>(2 + random() % 5);
    const auto length = 1 + random() % 12;
    for (std::vector<int> & row : m_Voxels)
    {
      int value = 0;
      for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
      {
        value = random() % length == 0 ? static_cast<int>(random() % static_cast<unsigned>(most)) : value;
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

  /** What lies around a row is random and must not count. */
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

TEST(Simd, WordsInWhichRunsBeginAreListed)
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

TEST(Simd, WordsOfUndecidedLinksAreListed)
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
      const auto         most = static_cast<std::size_t>(simd::MaximumUndecidedWords(words, squares));
      std::vector<Word>  sideBits(most);
      std::vector<Word>  sidePlaces(most);
      std::vector<Word>  otherBits(most);
      std::vector<Word>  otherPlaces(most);
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

TEST(Simd, WhatSquaresLeaveOutIsImplied)
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

/** What is added to the lines of components, with no vector code: voxels from x = begin to end - 1 of a row. */
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

TEST(Simd, JoinedRunsAreAddedToTheirComponents)
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

TEST(Simd, RunsAreAddedToTheirComponents)
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

TEST(Simd, RunsAreJoinedWhereHalfOfThemHaveTheNextOnesLabel)
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

TEST(Simd, RunsAtBitsAreListed)
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

/** Of nine rows, whether voxel x is marked for each of IntervalKinds. */
std::array<bool, simd::IntervalKinds::Count>
IntervalsAt(const simd::RowSurroundings & rows, std::int64_t words, std::int64_t x)
{
  using Steps = std::vector<std::array<int, 2>>;
  const auto isSet = [&](const std::array<int, 2> & step, std::int64_t at) {
    return IsSet(rows.at[1 + step[0]][1 + step[1]], words, at);
  };
  const auto ofAny = [&](const Steps & steps, std::int64_t at) {
    return std::any_of(steps.begin(), steps.end(), [&](const auto & step) { return isSet(step, at); });
  };
  const auto ofAll = [&](const Steps & steps, std::int64_t at) {
    return std::all_of(steps.begin(), steps.end(), [&](const auto & step) { return isSet(step, at); });
  };
  // In raster order, rows of later slices and later rows come last.
  const auto isLast = [&](const Steps & steps) {
    return isSet({ 0, 0 }, x) && std::none_of(steps.begin(), steps.end(), [&](const auto & step) {
             return (step[1] > 0 || (step[1] == 0 && step[0] > 0)) && isSet(step, x);
           });
  };
  const auto beginsAny = [&](const Steps & steps) { return ofAny(steps, x) && !ofAny(steps, x - 1) && isLast(steps); };
  const auto beginsAll = [&](const Steps & steps) { return ofAll(steps, x) && !ofAll(steps, x - 1); };
  return { beginsAny({ { 0, 0 } }),
           beginsAny({ { 0, 0 }, { -1, 0 }, { 0, -1 }, { -1, -1 } }),
           beginsAny({ { 0, 0 }, { 1, 0 }, { 0, -1 }, { 1, -1 } }),
           beginsAny({ { 0, 0 }, { -1, 0 }, { 0, 1 }, { -1, 1 } }),
           beginsAny({ { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } }),
           beginsAny({ { 0, 0 }, { -1, 0 } }),
           beginsAny({ { 0, 0 }, { 1, 0 } }),
           beginsAny({ { 0, 0 }, { 0, -1 } }),
           beginsAny({ { 0, 0 }, { 0, 1 } }),
           beginsAll({ { 0, 0 }, { -1, 0 } }),
           beginsAll({ { 0, 0 }, { 0, -1 } }),
           beginsAll({ { 0, 0 }, { -1, 0 }, { 0, -1 }, { -1, -1 } }) };
}

/** Runs of random lengths in a row; each one's counts are one of two. */
std::vector<simd::CountedRun>
RandomCountedRuns(std::mt19937_64 & random, std::int64_t length, std::uint64_t (&counts)[2][simd::MarkKinds])
{
  std::vector<simd::CountedRun> runs;
  std::int64_t                  begin = static_cast<std::int64_t>(random() % 5);
  while (begin < length)
  {
    const auto end = std::min(length, begin + 1 + static_cast<std::int64_t>(random() % (random() % 2 ? 9 : 300)));
    runs.push_back({ begin, end, counts[random() % 2] });
    begin = end + 1 + static_cast<std::int64_t>(random() % 5);
  }
  return runs;
}

TEST(Simd, PairsAreCountedAtRuns)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(13);
    for (const std::int64_t words : { 1, 2, 7, 8, 11, 16 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows   rows(random, 5, words, kind);
        const std::int64_t length = words * BitsPerWord - static_cast<std::int64_t>(random() % 3 * (random() % 32));
        const Word * const others[] = { rows.Row(1), rows.Row(2), rows.Row(3), rows.Row(4) };
        std::uint64_t      counts[2][simd::MarkKinds] = {};
        std::uint64_t      expected[2][simd::MarkKinds] = {};
        const auto         runs = RandomCountedRuns(random, length, counts);
        const auto         isSet = [&](const Word * row, std::int64_t x) { return x < length && IsSet(row, words, x); };
        for (const simd::CountedRun & run : runs)
        {
          std::uint64_t * const pairs = expected[run.counts == counts[1]];
          for (std::int64_t x = run.begin; x < run.end; ++x)
          {
            pairs[simd::PairKinds::Own] += isSet(rows.Row(0), x - 1) ? 1 : 0;
            for (int i = 0; i < simd::PairRows; ++i)
            {
              for (int step = -1; step <= 1; ++step)
              {
                pairs[simd::PairKinds::Of(i, step)] += isSet(others[i], x + step) ? 1 : 0;
              }
            }
          }
        }
        simd::CountPairs(rows.Row(0), others, length, runs.data(), runs.size());
        for (std::size_t component = 0; component < 2; ++component)
        {
          ASSERT_TRUE(std::equal(expected[component], expected[component] + simd::MarkKinds, counts[component]))
            << target << ", " << words << " words, length " << length;
        }
      }
    }
  });
}

TEST(Simd, MarksOfRowsAreFoundAndCounted)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(12);
    for (const std::int64_t words : { 1, 2, 7, 8, 11, 16 })
    {
      for (unsigned kind = 0; kind < 6; ++kind)
      {
        const RandomRows  rows(random, 9, words, kind);
        const auto        stride = (words + simd::MarkWords - 1) / simd::MarkWords * simd::MarkWords;
        std::vector<Word> marked(static_cast<std::size_t>(simd::MarkKinds * stride));
        const auto        row = [&](int i) { return marked.data() + i * stride; };

        simd::RowSurroundings around;
        for (int i = 0; i < 9; ++i)
        {
          around.at[i / 3][i % 3] = rows.Row(i);
        }
        simd::MarkIntervals(around, words, { marked.data(), stride });
        for (std::int64_t x = 0; x < words * BitsPerWord; ++x)
        {
          const auto expected = IntervalsAt(around, words, x);
          for (int i = 0; i < simd::IntervalKinds::Count; ++i)
          {
            ASSERT_EQ(IsSet(row(i), words, x), expected[static_cast<std::size_t>(i)]) << target << ", kind " << i;
          }
        }

        std::uint64_t counts[2][simd::MarkKinds] = {};
        std::uint64_t expected[2][simd::MarkKinds] = {};
        const auto    runs = RandomCountedRuns(random, words * BitsPerWord, counts);
        for (const simd::CountedRun & run : runs)
        {
          for (int i = 0; i < simd::IntervalKinds::Count; ++i)
          {
            for (std::int64_t at = run.begin; at < run.end; ++at)
            {
              expected[run.counts == counts[1]][i] += IsSet(row(i), words, at) ? 1 : 0;
            }
          }
        }
        simd::CountMarks(runs.data(), runs.size(), { marked.data(), stride }, simd::IntervalKinds::Count);
        for (std::size_t component = 0; component < 2; ++component)
        {
          ASSERT_TRUE(std::equal(expected[component], expected[component] + simd::MarkKinds, counts[component]))
            << target << ", " << words << " words";
        }
      }
    }
  });
}

TEST(Simd, NumbersOfPartsAreMadeFinal)
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
      // What lies behind them stays as it is.
      expected.back() = numbers.back() = own + 1;
      const std::uint32_t none = 0;
      simd::FinishNumbers({ own, before, hanging.empty() ? &none : hanging.data() }, count, numbers.data());
      ASSERT_EQ(numbers, expected) << target << ", " << count << " numbers, " << hangingCount << " hang";
    }
  });
}

/** The runs of a row as simd::RunList wants them. */
struct ListedRuns
{
  std::vector<std::int32_t>  begins;
  std::vector<std::int32_t>  ends;
  std::vector<std::uint32_t> labels;
  std::int64_t               count = 0;
  bool                       isOneRow = true;

  /** Runs of random lengths and gaps, gaps of 0 included; each has one of `labelCount` labels. */
  ListedRuns(std::mt19937_64 & random, std::int64_t runs, unsigned longest, unsigned labelCount)
    : count(runs)
  {
    std::int32_t place = 0;
    for (std::int64_t i = 0; i < runs; ++i)
    {
      place += static_cast<std::int32_t>(random() % longest);
      begins.push_back(place);
      place += 1 + static_cast<std::int32_t>(random() % longest);
      ends.push_back(place);
      labels.push_back(static_cast<std::uint32_t>(random() % labelCount));
    }
    // What follows must not be taken for runs: these touch all others, and differ.
    begins.resize(begins.size() + simd::RunListPadding, 0);
    ends.resize(ends.size() + simd::RunListPadding, place + 1);
    labels.resize(labels.size() + simd::RunListPadding, 77);
  }

  simd::RunList
  List() const
  {
    return { begins.data(), ends.data(), labels.data(), count, isOneRow };
  }

  /** Makes them runs of several rows, one row's behind the other's. */
  void
  Mix(std::mt19937_64 & random)
  {
    isOneRow = false;
    for (auto i = static_cast<std::size_t>(count); i > 1; --i)
    {
      const std::size_t other = random() % i;
      std::swap(begins[i - 1], begins[other]);
      std::swap(ends[i - 1], ends[other]);
      std::swap(labels[i - 1], labels[other]);
    }
  }

  bool
  DiffersFrom(const ListedRuns & other) const
  {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    {
      for (std::size_t j = 0; j < static_cast<std::size_t>(other.count); ++j)
      {
        const bool touch = begins[i] <= other.ends[j] && other.begins[j] <= ends[i];
        if (touch && labels[i] != other.labels[j])
        {
          return true;
        }
      }
    }
    return false;
  }
};

TEST(Simd, RunsThatTouchAndDifferAreFound)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(21);
    int             found = 0;
    constexpr int   trials = 4000;
    for (int trial = 0; trial < trials; ++trial)
    {
      // Few labels, so that often the only pair that differs lies anywhere in the rows.
      const auto              longest = static_cast<unsigned>(1 + random() % 40);
      const auto              labelCount = 1 + static_cast<unsigned>(random() % 8 == 0);
      const auto              most = static_cast<std::int64_t>(1 + random() % 60);
      std::vector<ListedRuns> rows;
      for (int row = 0; row < 5; ++row)
      {
        rows.emplace_back(random,
                          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)),
                          longest,
                          labelCount);
        if (labelCount == 1 && rows.back().count > 0 && random() % 4 == 0)
        {
          rows.back().labels[random() % static_cast<std::uint64_t>(rows.back().count)] = 9;
        }
        if (row > 0 && random() % 3 == 0)
        {
          rows.back().Mix(random);
        }
      }
      const int     others = static_cast<int>(random() % (simd::TouchingRows + 1));
      simd::RunList lists[simd::TouchingRows];
      bool          expected = false;
      for (int i = 0; i < others; ++i)
      {
        const ListedRuns & other = rows[static_cast<std::size_t>(i) + 1];
        lists[i] = other.List();
        expected = expected || rows[0].DiffersFrom(other);
      }
      found += expected ? 1 : 0;
      ASSERT_EQ(simd::TouchAndDiffer(rows[0].List(), lists, others), expected) << target << ", trial " << trial;
    }
    EXPECT_GT(found, trials / 10);
    EXPECT_LT(found, trials - trials / 10);
  });
}

} // namespace
} // namespace brickccl
