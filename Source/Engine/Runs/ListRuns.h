// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Runs/WordList.h"

#include <cstdint>

/** Numbers of runs at bits of rows. The runs of a row are numbered in order. The number at bit x of word w is the
 *  number of runs that begin before word w, plus those that begin in it up to x, less one. */
namespace brickccl::simd
{

/** So many words are taken at once. */
inline constexpr int ListWords = 8;
/** Vector code writes up to this many numbers after the last one. */
inline constexpr int ListPadding = 8;

/** The bits of a row, and for each word how many runs begin before it. */
struct NumberedRow
{
  const Word *          bits;
  const std::uint32_t * before;
};

/** Lists the words of a row in which runs begin, with the bits at which they begin (as kind 0). It sets the list's
 *  count. One word before the row and 8 after it must be readable; their values do not matter. */
void ListStarts(const Word * foreground, std::int64_t words, WordList & list);

/** Lists the runs of `row` under the first bits of the runs of `foreground`, whose bits are bits of the row, ascending,
 *  in the words [first, first + count), at most ListWords. \return how many there are */
int ListRunsUnder(const Word *        foreground,
                  const NumberedRow & row,
                  std::int64_t        first,
                  int                 count,
                  std::uint32_t (&runs)[ListWords * BitsPerWord + ListPadding]);

/** Pairs of runs, each of one run of row a and one of row b. */
struct RunPairs
{
  static constexpr int Maximum = 3 * ListWords * BitsPerWord + ListPadding;

  int           count;
  std::uint32_t a[Maximum];
  std::uint32_t b[Maximum];
};

/** Links between two rows, one word for each word of the rows: from bit x of a to x, x - 1 and x + 1 of b. */
struct RowLinkWords
{
  const Word * same;
  const Word * left;
  const Word * right;
};

/** Lists the pairs of runs that links of `count` words join, at most ListWords. All pointers are to the first word.
 *  \param hasBefore  whether the rows have words before \param wordsLeft  the rows' words from the first one on */
void ListLinkedRuns(const RowLinkWords & links,
                    const NumberedRow &  a,
                    const NumberedRow &  b,
                    bool                 hasBefore,
                    std::int64_t         wordsLeft,
                    int                  count,
                    RunPairs &           pairs);

/** Whether this processor lists many bits at a time. If not, code that has the rows at hand is as fast. */
bool ListsManyAtOnce();

/** Words of two rows whose starts of runs are kept, and their straight links. All pointers are to the first word. */
struct StraightRows
{
  const Word * startsA;
  const Word * startsB;
  const Word * same;
};

/** Lists the pairs of runs that straight links of `count` words join, at most ListWords: one pair for each stretch of
 *  links between two runs that begins there. \param previous  the straight links of the word before the first one
 *  \param countA, countB  the number of runs that begin before the words; the function adds the runs of the words */
void ListStraightRuns(const StraightRows & rows,
                      Word                 previous,
                      int                  count,
                      std::uint32_t &      countA,
                      std::uint32_t &      countB,
                      RunPairs &           pairs);

} // namespace brickccl::simd
