#ifndef BRICKCCL_SIMD_OPENDIAGONALS_H
#define BRICKCCL_SIMD_OPENDIAGONALS_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once: one before a row and so many after it can be read, whatever they hold; so many may
 *  be written after it. */
inline constexpr std::int64_t DiagonalWords = 8;

/** A row: its foreground, and the bits at which runs begin. */
struct RowBits
{
  const Word * foreground;
  const Word * starts;
};

/** The links of row a to b[x - 1] (`left`) and to b[x + 1] (`right`) that straight links leave open: both voxels are
 *  foreground, and no straight link tells whether they are joined.
 *
 *  If one of the runs goes on from x to the other voxel's column, a straight link at a column that both runs have joins
 *  them already. Where links are transitive, so do those links tell if there are none; and if both runs end between the
 *  columns, a straight link at either column says that they are not joined: the run there would not end. */
struct OpenDiagonals
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
AnyDiagonals FindOpenDiagonals(const RowBits &       a,
                               const RowBits &       b,
                               const Word *          same,
                               std::int64_t          words,
                               bool                  areTransitive,
                               const OpenDiagonals & open);

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

/** Links between the rows at the ends of a diagonal. */
struct AcrossLinks
{
  /** At the same x: those that two sides imply, and those of which no two sides tell. */
  Word * joined;
  Word * open;
  /** To x - 1 and x + 1: open beside the joined ones, if links are transitive. */
  OpenDiagonals diagonals;
};

struct AnyAcross
{
  bool         open;
  AnyDiagonals diagonals;
};

struct AnyInSquare
{
  bool lastSides;
  /** From `here` up and behind. */
  AnyDiagonals alongY;
  AnyDiagonals alongZ;
  /** From `here` across, and from `up` to `behind`. */
  AnyAcross across;
  AnyAcross between;
};

/** Where the links that a square's sides leave open go, in the same order. */
struct OpenInSquare
{
  Word *        lastSides;
  OpenDiagonals alongY;
  OpenDiagonals alongZ;
  AcrossLinks   across;
  AcrossLinks   between;
};

/** Of each pair of runs that links along the side b join one of these, if the other three sides imply it at none of the
 *  pair's columns (but for those in the words before). \return whether there are any. */
bool FindLastSides(const SquareRows & rows, std::int64_t words, Word * lastSides);

/** Finds these, and all links that the sides of a square leave open. Where links are transitive, those one step to the
 *  side between rows at the ends of a diagonal are known, too, by way of a third row whose run goes on there and is
 * linked to one of the two; where they are not, these are left to FindOpenDiagonals, after the open ones at the same x.
 */
AnyInSquare
FindOpenInSquare(const SquareRows & rows, std::int64_t words, bool areTransitive, const OpenInSquare & open);

} // namespace brickccl::simd

#endif
