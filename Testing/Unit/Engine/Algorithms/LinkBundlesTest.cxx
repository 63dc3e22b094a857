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
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

/** Finds links again, without a list of the words that have any. */
void
ExpectSameWithoutList(const std::string &                             target,
                      const simd::LinkedRows &                        found,
                      std::int64_t                                    words,
                      const std::function<void(simd::LinkedRows &)> & find)
{
  const auto        room = static_cast<std::size_t>(words + simd::MaximumWordsBeside);
  std::vector<Word> same(room), left(room), right(room), joined(room);
  simd::LinkedRows  again{ same.data(), left.data(), right.data(), joined.data(), { nullptr, nullptr, 0 } };
  find(again);
  ASSERT_EQ(again.list.count != 0, found.list.count != 0) << target;
  for (std::int64_t w = 0; w < words; ++w)
  {
    ASSERT_EQ(again.same[w], found.same[w]) << target << ", word " << w << " of " << words;
    ASSERT_EQ(again.left[w], found.left[w]) << target << ", word " << w << " of " << words;
    ASSERT_EQ(again.right[w], found.right[w]) << target << ", word " << w << " of " << words;
    ASSERT_EQ(again.joined[w], found.joined[w]) << target << ", word " << w << " of " << words;
  }
}

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
  const simd::FacingBundles bundles{ { { { a.Row(0), a.Row(areUnited ? 1 : 0) },
                                         { b.Row(0), b.Row(areUnited ? 1 : 0) } },
                                       { { a.Row(1), a.Row(1) }, { b.Row(1), b.Row(1) } } },
                                     faceCount,
                                     areStraight,
                                     unitedA.data(),
                                     unitedB.data(),
                                     words };
  std::vector<Word>         bits(3 * room), places(3 * room);
  simd::LinkedRows found{ same.data(), left.data(), right.data(), joined.data(), { bits.data(), places.data(), 0 } };
  const simd::ImpliedLinks known{ { implied.Row(0), implied.Row(1), implied.Row(2) },
                                  impliedCount,
                                  { hasOthers ? implied.Row(2) : nullptr, hasOthers ? implied.Row(3) : nullptr } };
  simd::LinkBundles(bundles, known, found);
  ExpectSameWithoutList(target, found, words, [&](simd::LinkedRows & links) {
    simd::LinkBundles(bundles, known, links);
  });
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
    const Word joinedHere = byLinks | going;
    isOpen = joinedHere >> (BitsPerWord - 1) != 0;
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
    ASSERT_EQ(joined[at], joinedHere) << target << ", word " << w;
  }
  ASSERT_EQ(listed, expectedList) << target;
}

TEST(LinkBundles, BundlesAreLinkedLikeTheFormulas)
{
  OnEveryTarget([](const std::string & target) {
    std::mt19937_64 random(7);
    for (const std::int64_t words : { 1, 2, 3, 4, 5, 7, 8, 9, 17 })
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

TEST(LinkBundles, LinksThatAreImpliedAnywhereBehindThemAreLeftOut)
{
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round)
  {
    // Stretches, each from a link on, that end where the next bit belongs to others.
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

} // namespace
} // namespace brickccl
