#ifndef BRICKCCL_RUNS_UNDECIDEDDIAGONALS_H
#define BRICKCCL_RUNS_UNDECIDEDDIAGONALS_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Simd/WordList.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once: one before a row and so many after it can be read, whatever they hold; so many may
 *  be written after it. */
inline constexpr std::int64_t DiagonalWords = 8;

/** A row: its foreground, and the bits at which runs begin; and of voxels that lie at or below one value and at or
 * above another one, too far apart for links between them, or null where no such values are known, then of all rows. */
struct RowBits
{
  const Word * foreground;
  const Word * starts;
  const Word * below = nullptr;
  const Word * above = nullptr;
};

/** The links of row a to b[x - 1] (`left`) and to b[x + 1] (`right`) that straight links leave open: both voxels are
 *  foreground, and no straight link tells whether they are joined.
 *
 *  If one of the runs goes on from x to the other voxel's column, a straight link at a column that both runs have joins
 *  them already. Where links are transitive, so do those links tell if there are none; and if both runs end between the
 *  columns, a straight link at either column says that they are not joined: the run there would not end. Where they are
 *  not, voxels too far apart are not joined. */
struct UndecidedDiagonals
{
  Word * left;
  Word * right;
};

/** Whether there are any. */
struct AnyDiagonals
{
  bool left;
  bool right;
};

/** Finds the open links of two rows that the straight links `same` join. */
AnyDiagonals FindUndecidedDiagonals(const RowBits &            a,
                                    const RowBits &            b,
                                    const Word *               same,
                                    std::int64_t               words,
                                    bool                       areTransitive,
                                    const UndecidedDiagonals & open);

/** The rows at the corners of a square and the links along its sides:
 *
 *        across --d-- behind
 *           |            |
 *           c            b
 *           |            |
 *          up ----a---- here
 */
struct SquareRows
{
  RowBits      here;
  RowBits      up;
  RowBits      behind;
  RowBits      across;
  const Word * a;
  const Word * b;
  const Word * c;
  const Word * d;
};

/** The links between a square's rows that need a look, by the rows at their ends and how far to the side they go. */
enum class SquareLink
{
  /** From `here` to `behind` at the same x: links, of each pair of runs that those along the side b join one, if the
   *  other three sides imply it at none of the pair's columns (but for those in the words before). */
  LastSide,
  /** To x - 1 and x + 1, from `here` up and behind. */
  UpLeft,
  UpRight,
  BehindLeft,
  BehindRight,
  /** At the same x those of which no two sides tell, and to x - 1 and x + 1 those open beside the joined ones, if links
   *  are transitive: from `here` across, and from `up` to `behind`. */
  Across,
  AcrossLeft,
  AcrossRight,
  Between,
  BetweenLeft,
  BetweenRight
};

inline constexpr int SquareLinkCount = 11;

/** A set of them: bit i stands for the i-th. */
using SquareLinkSet = unsigned;

constexpr SquareLinkSet
SetOf(SquareLink link)
{
  return 1u << static_cast<int>(link);
}

/** Where the links that a square's sides leave open go, a word for each word of its rows, and those at the same x that
 *  two sides imply across and between. */
struct OpenInSquare
{
  Word * of[SquareLinkCount];
  Word * joinedAcross;
  Word * joinedBetween;
};

/** Finds all links that the sides of a square leave open, and the last sides. Where links are transitive, those one
 *  step to the side between rows at the ends of a diagonal are known, too, by way of a third row whose run goes on
 *  there and is linked to one of the two; where they are not, these are left to FindUndecidedDiagonals, after the open
 * ones at the same x. \return those of which there are any. */
SquareLinkSet
FindOpenInSquare(const SquareRows & rows, std::int64_t words, bool areTransitive, const OpenInSquare & open);

/** Squares side by side along y, whose rows follow each other in memory as those of a RunVolume. */
struct SquareStrip
{
  /** Those of the first square. */
  SquareRows   rows;
  std::int64_t words;
  std::int64_t count;
  /** The number of the first square's row `here`, below 2^31, as lists name it. */
  std::int64_t firstRow;
};

/** So many words may be written by ListOpenInSquares. */
constexpr std::int64_t
MaximumUndecidedWords(std::int64_t words, std::int64_t squares)
{
  return SquareLinkCount * words * squares + WordListPadding;
}

/** What FindOpenInSquare finds where links are transitive, of the kinds in `kinds` alone, added to lists: last sides to
 *  `sides`, and the others to `others`. Last sides alone are found of all sorts of links. The kinds of words are
 *  SquareLinks, and their voxels are numbered as VoxelInRows; rows must have fewer than 2^32 voxels. */
void ListOpenInSquares(const SquareStrip & strip, SquareLinkSet kinds, WordList & sides, WordList & others);

} // namespace brickccl::simd

#endif
