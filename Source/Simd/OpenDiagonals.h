#ifndef BRICKCCL_SIMD_OPENDIAGONALS_H
#define BRICKCCL_SIMD_OPENDIAGONALS_H

#include "BrickCCL/Core/BitRow.h"

#include <cstdint>

namespace brickccl::simd
{

/** So many words are taken at once: one before a row and so many after it can be read, whatever they hold. */
inline constexpr std::int64_t DiagonalWords = 8;

/** Two rows: foreground, the bits at which runs begin, and where straight links join them. */
struct RowPair
{
  const Word * foregroundA;
  const Word * startsA;
  const Word * foregroundB;
  const Word * startsB;
  const Word * same;
};

/** The links of row a to b[x - 1] (`left`) and to b[x + 1] (`right`) that straight links leave open: both voxels are
 *  foreground, and no straight link tells whether they are joined.
 *
 *  If one of the runs goes on from x to the other voxel's column, a straight link at a column that both runs have joins
 *  them already. Where links are transitive, so do those links tell if there are none; and if both runs end between the
 *  columns, a straight link at either column says that they are not joined: the run there would not end.
 *
 *  Up to DiagonalWords past the row's end are written, too. \return whether there are any, for each of the two. */
struct OpenDiagonals
{
  bool left;
  bool right;
};
OpenDiagonals
FindOpenDiagonals(const RowPair & rows, std::int64_t words, bool areTransitive, Word * left, Word * right);

} // namespace brickccl::simd

#endif
