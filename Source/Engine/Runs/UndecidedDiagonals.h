// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Runs/WordList.h"

#include <cstdint>

namespace brickccl::simd
{

/** The number of words per step. One word before a row and this many after it must be readable; their values do not
 *  matter. This many may be written after a row. */
inline constexpr std::int64_t DiagonalWords = 8;

/** A row: its foreground and the bits at which runs begin. `below` and `above` are the bits of RowLinks::PackSeparated,
 *  or null for all rows if no separating values are known. */
struct RowBits
{
  const Word * foreground;
  const Word * starts;
  const Word * below = nullptr;
  const Word * above = nullptr;
};

/** The undecided links of row a to b[x - 1] (`left`) and to b[x + 1] (`right`): both voxels are foreground, and no
 *  straight link decides whether they are joined. If one of the two runs continues from x to the other voxel's column,
 *  a straight link at a column that both runs have joins them already. If links are transitive, the lack of such a link
 *  decides, too: they are not joined. If both runs end between the columns, a straight link at either column decides
 *  that they are not joined, because otherwise the run there would continue. If links are not transitive, separated
 *  voxels are not joined. */
struct UndecidedDiagonals
{
  Word * left;
  Word * right;
};

struct AnyDiagonals
{
  bool left;
  bool right;
};

/** Finds the undecided links between two rows. `same` are their straight links. */
AnyDiagonals FindUndecidedDiagonals(const RowBits &            a,
                                    const RowBits &            b,
                                    const Word *               same,
                                    std::int64_t               words,
                                    bool                       areTransitive,
                                    const UndecidedDiagonals & undecided);

/** The rows at the corners of a square, and the links along its sides:
 *
 *         across --d-- behind
 *            |            |
 *            c            b
 *            |            |
 *           up ----a---- here */
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

/** The links of a square that need a look, by the rows at their ends and how far to the side they go. */
enum class SquareLink
{
  /** From `here` to `behind` at the same x: the links along the side b, one for each pair of runs, that the other three
   *  sides do not imply at any column of the pair. Columns in earlier words do not count. */
  LastSide,
  /** From `here` to `up` and to `behind`, to x - 1 and x + 1. */
  UpLeft,
  UpRight,
  BehindLeft,
  BehindRight,
  /** From `here` to `across`, and from `up` to `behind`. At the same x these are the links that no two sides decide.
   *  To x - 1 and x + 1 they are the undecided ones in addition to the joined ones, if links are transitive. */
  Across,
  AcrossLeft,
  AcrossRight,
  Between,
  BetweenLeft,
  BetweenRight
};

inline constexpr int SquareLinkCount = 11;

/** A set of them: bit i: the i-th. */
using SquareLinkSet = unsigned;

constexpr SquareLinkSet
SetOf(SquareLink link)
{
  return 1u << static_cast<int>(link);
}

/** Where FindUndecidedInSquare writes, one word for each word of the rows: the undecided links, and the links at the
 *  same x that two sides imply across and between. */
struct UndecidedInSquare
{
  Word * of[SquareLinkCount];
  Word * joinedAcross;
  Word * joinedBetween;
};

/** Finds the links that the sides of a square leave undecided, and the last sides. Where links are transitive, it also
 *  decides links one step to the side between the ends of a diagonal, by a third row whose run continues there and that
 *  is linked to one of the two. Else FindUndecidedDiagonals does, after links at the same x. \return kinds found */
SquareLinkSet FindUndecidedInSquare(const SquareRows &        rows,
                                    std::int64_t              words,
                                    bool                      areTransitive,
                                    const UndecidedInSquare & undecided);

/** Squares side by side along y. Their rows follow each other in memory as in a RunVolume. */
struct SquareStrip
{
  /** The rows of the first square. */
  SquareRows   rows;
  std::int64_t words;
  std::int64_t count;
  /** The number by which lists name the first square's row `here`; below 2^31. */
  std::int64_t firstRow;
};

/** ListUndecidedInSquares writes at most this many words. */
constexpr std::int64_t
MaximumUndecidedWords(std::int64_t words, std::int64_t squares)
{
  return SquareLinkCount * words * squares + WordListPadding;
}

/** Lists what FindUndecidedInSquare finds, for the kinds in `kinds`. It appends last sides to `sides` and other links
 *  to `others`. Others are found for transitive links only, last sides for all links. The kinds of words are
 *  SquareLinks, and voxels are numbered as VoxelInRows. Rows must have fewer than 2^32 voxels. */
void ListUndecidedInSquares(const SquareStrip & strip, SquareLinkSet kinds, WordList & sides, WordList & others);

} // namespace brickccl::simd
