#ifndef BRICKCCL_RUNS_LISTRUNS_H
#define BRICKCCL_RUNS_LISTRUNS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Simd/WordList.h"

#include <cstdint>

/** Numbers of runs at bits of rows, for rows whose runs are numbered in order: that at bit x of word w is as many as
 * begin before word w, and at x or before in it, less one. */
namespace brickccl::simd
{

/** So many words are taken at once. */
inline constexpr int ListWords = 8;
/** Vector code writes so much behind the last number. */
inline constexpr int ListPadding = 8;

/** A row's bits, and for each word how many runs begin before it. */
struct NumberedRow
{
  const Word *          bits;
  const std::uint32_t * before;
};

/** Lists the words of a row in which runs begin, with the bits at which they do (and one kind, 0). One word before the
 * row and 8 after it can be read, whatever they hold; the list's count is set. */
void ListStarts(const Word * foreground, std::int64_t words, WordList & list);

/** The numbers of the runs of `row` that hold the first bits of the runs of `foreground`, all of whose bits are the
 *  row's, too: of the words [first, first + count), at most ListWords, ascending. \return how many there are. */
int ListRunsUnder(const Word *        foreground,
                  const NumberedRow & row,
                  std::int64_t        first,
                  int                 count,
                  std::uint32_t (&runs)[ListWords * BitsPerWord + ListPadding]);

/** Pairs of runs of two rows. */
struct RunPairs
{
  static constexpr int Maximum = 3 * ListWords * BitsPerWord + ListPadding;

  int           count;
  std::uint32_t a[Maximum];
  std::uint32_t b[Maximum];
};

/** Links between two rows, a word for each word of theirs: of bit x of a to x, x - 1 and x + 1 of b. */
struct RowLinkWords
{
  const Word * same;
  const Word * left;
  const Word * right;
};

/** The runs that are joined by the links of `count` words, at most ListWords; all pointers are to the first of these.
 *  \param hasBefore  whether they are not the rows' first ones.
 *  \param wordsLeft  of the rows, from the first of them on. */
void ListLinkedRuns(const RowLinkWords & links,
                    const NumberedRow &  a,
                    const NumberedRow &  b,
                    bool                 hasBefore,
                    std::int64_t         wordsLeft,
                    int                  count,
                    RunPairs &           pairs);

/** Whether this processor lists bits many at a time; where it does not, who has the rows at hand finds them as fast. */
bool ListsManyAtOnce();

/** Words of two rows whose runs' starts are kept, and of their straight links; all pointers are to the first word. */
struct StraightRows
{
  const Word * startsA;
  const Word * startsB;
  const Word * same;
};

/** The runs that are joined by the straight links of `count` words, at most ListWords: once for each stretch of links
 *  between two runs that begins in these words. \param previous  the straight links of the word before the first one.
 * \param countA, countB  how many runs begin before; moved on. */
void ListStraightRuns(const StraightRows & rows,
                      Word                 previous,
                      int                  count,
                      std::uint32_t &      countA,
                      std::uint32_t &      countB,
                      RunPairs &           pairs);

} // namespace brickccl::simd

#endif
