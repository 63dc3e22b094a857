// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"

namespace brickccl
{

/** A word of a row of bits with the adjacent words, which are 0 outside the row. */
struct WordWindow
{
  Word previous;
  Word word;
  Word next;

  Word
  Left() const
  {
    return FromLeft(word, previous);
  }
  Word
  Right() const
  {
    return FromRight(word, next);
  }
  /** The bits moved by one step to the left or to the right. */
  Word
  Beside(int step) const
  {
    return step < 0 ? Left() : Right();
  }
  void
  Advance(Word after)
  {
    previous = word;
    word = next;
    next = after;
  }
};

/** The links of a word of row a to the adjacent row b that are not implied (Runs/MergeRows.h). */
struct ForegroundLinks
{
  Word same;
  Word left;
  Word right;
};

inline ForegroundLinks
LinksOf(const WordWindow & a, const WordWindow & b, Word startsA, Word startsB, Word implied)
{
  const Word same = a.word & b.word;
  const Word repeated = FromLeft(same, a.previous & b.previous) & ~startsA & ~startsB;
  return { same & ~repeated & ~implied,
           a.word & b.Left() & ~b.word & ~a.Left(),
           a.word & b.Right() & ~b.word & ~a.Right() };
}

} // namespace brickccl
