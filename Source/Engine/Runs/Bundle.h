// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/HostDevice.h"
#include "BrickCCL/Core/Neighborhood.h"

/** Bundles: neighboring rows whose bits are united, so that one run of the united bits represents the runs of all
 *  rows. All voxels of two neighboring columns of a bundle must be neighbors, so that a run of united bits is
 *  connected. Links between bundles are found word by word, for words of any width.
 *
 *  Row r of a bundle is at y = r & 1 and z = r >> 1 in it. */
namespace brickccl
{

enum class Bundling
{
  /** One row: for 4 and 6 neighbors. */
  Rows,
  /** Two rows along y: for 8 and 18 neighbors. */
  Pairs,
  /** Two by two rows along y and z: for 26 neighbors. */
  Squares
};

BRICKCCL_HOST_DEVICE constexpr int
RowsOf(Bundling bundling)
{
  return bundling == Bundling::Rows ? 1 : bundling == Bundling::Pairs ? 2 : 4;
}

/** A word of bits, and the bits to the left of its first and to the right of its last bit. */
template <typename TWord>
struct BitWindow
{
  TWord word;
  /** Each is 0 or 1. */
  TWord before;
  TWord after;

  /** At each bit, the bit to its left. */
  BRICKCCL_HOST_DEVICE constexpr TWord
  Left() const
  {
    return (word << 1) | before;
  }
  BRICKCCL_HOST_DEVICE constexpr TWord
  Right() const
  {
    return (word >> 1) | (after << (8 * sizeof(TWord) - 1));
  }
};

/** A word of a bundle of N rows. Bit r of `before` and `after` belongs to row r. */
template <typename TWord, int N>
struct BundleWindow
{
  TWord rows[N];
  TWord before;
  TWord after;

  BRICKCCL_HOST_DEVICE constexpr TWord
  United() const
  {
    TWord united = rows[0];
    for (int r = 1; r < N; ++r)
    {
      united |= rows[r];
    }
    return united;
  }
  BRICKCCL_HOST_DEVICE constexpr BitWindow<TWord>
  Row(int r) const
  {
    return { rows[r], (before >> r) & 1u, (after >> r) & 1u };
  }
  BRICKCCL_HOST_DEVICE constexpr BitWindow<TWord>
  Rows(int r, int q) const
  {
    return { rows[r] | rows[q], ((before >> r) | (before >> q)) & 1u, ((after >> r) | (after >> q)) & 1u };
  }
};

/** Links from a word of a bundle to an earlier bundle, as bits of the first: to the same x, to x - 1 and to x + 1. */
template <typename TWord>
struct BundleLinks
{
  TWord same;
  TWord left;
  TWord right;

  BRICKCCL_HOST_DEVICE bool
  Any() const
  {
    return (same | left | right) != 0;
  }
};

/** The links between two facing rows (or united rows) of which all voxels within reach are neighbors. A diagonal
 *  link next to a straight one is omitted: it implies nothing new, because one of the two runs continues to where the
 *  straight link joins it to the other. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE constexpr BundleLinks<TWord>
                     LinksOfRows(const BitWindow<TWord> & a, const BitWindow<TWord> & b)
{
  return { a.word & b.word, a.word & b.Left() & ~b.word & ~a.Left(), a.word & b.Right() & ~b.word & ~a.Right() };
}

/** The number of earlier bundles in raster order that can be linked to a bundle. Step n is the offset of the n-th. */
inline constexpr int BackwardBundles = 4;

BRICKCCL_HOST_DEVICE constexpr int
BackwardStepY(int n)
{
  return n == 1 ? 0 : n == 3 ? 1 : -1;
}
BRICKCCL_HOST_DEVICE constexpr int
BackwardStepZ(int n)
{
  return n == 0 ? 0 : -1;
}

/** Whether the backward bundles are the rows of the scan mask across y and z: first those along one axis, axis by axis,
 *  then those along both axes in raster order. The steps are expressions and no table, so that kernels keep them in
 *  registers. */
constexpr bool
AreBackwardSteps()
{
  constexpr RowOffsets rows = BackwardRowsOf(2, 0b110);
  constexpr int        order[] = { 3, 1, 0, 2 };
  bool                 same = rows.count == BackwardBundles;
  for (int n = 0; n < BackwardBundles; ++n)
  {
    const RowOffset & row = rows.rows[order[n]];
    same = same && BackwardStepY(n) == row.step[0] && BackwardStepZ(n) == row.step[1];
  }
  return same;
}
static_assert(AreBackwardSteps());

/** Which rows of a bundle and of an earlier one face each other. There are one or two such faces. */
struct BundleFaces
{
  int  count;
  bool areStraight;
  /** For each face the rows of the bundle, then of the earlier one. A single row is repeated. */
  int rows[2][2][2];
};

/** The faces of a bundle of two or four rows towards its n-th backward bundle. */
template <Bundling VBundling>
constexpr BundleFaces
FacesTo(int backward)
{
  static_assert(VBundling != Bundling::Rows);
  if (VBundling == Bundling::Pairs)
  {
    return backward == 0 ? BundleFaces{ 1, false, { { { 0, 0 }, { 1, 1 } } } }
         : backward == 1 ? BundleFaces{ 2, false, { { { 0, 0 }, { 0, 0 } }, { { 1, 1 }, { 1, 1 } } } }
         : backward == 2 ? BundleFaces{ 1, true, { { { 0, 0 }, { 1, 1 } } } }
                         : BundleFaces{ 1, true, { { { 1, 1 }, { 0, 0 } } } };
  }
  return backward == 0 ? BundleFaces{ 1, false, { { { 0, 2 }, { 1, 3 } } } }
       : backward == 1 ? BundleFaces{ 1, false, { { { 0, 1 }, { 2, 3 } } } }
       : backward == 2 ? BundleFaces{ 1, false, { { { 0, 0 }, { 3, 3 } } } }
                       : BundleFaces{ 1, false, { { { 1, 1 }, { 2, 2 } } } };
}

/** Whether all rows that FacesTo names are neighbors: at all columns within reach or, if faces are straight, only at
 *  the same column. */
template <Bundling VBundling>
constexpr bool
FacesAreNeighbors()
{
  constexpr bool     arePairs = VBundling == Bundling::Pairs;
  constexpr int      rank = arePairs ? 2 : 3;
  constexpr unsigned axes = 0b111;
  bool               same = true;
  for (int n = 0; n < BackwardBundles; ++n)
  {
    const BundleFaces faces = FacesTo<VBundling>(n);
    for (int face = 0; face < faces.count; ++face)
    {
      for (int pair = 0; pair < 4; ++pair)
      {
        const int a = faces.rows[face][0][pair & 1];
        const int b = faces.rows[face][1][pair >> 1];
        const int y = 2 * BackwardStepY(n) + (b & 1) - (a & 1);
        const int z = (arePairs ? 1 : 2) * BackwardStepZ(n) + (b >> 1) - (a >> 1);
        same = same && HasNeighbor(rank, axes, { 0, y, z, 0 }) &&
               HasNeighbor(rank, axes, { 1, y, z, 0 }) == !faces.areStraight;
      }
    }
  }
  return same;
}
static_assert(FacesAreNeighbors<Bundling::Pairs>() && FacesAreNeighbors<Bundling::Squares>());

/** The links from a bundle to its n-th backward bundle. */
template <Bundling VBundling, typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE constexpr BundleLinks<TWord>
LinksTo(int n, const BundleWindow<TWord, RowsOf(VBundling)> & a, const BundleWindow<TWord, RowsOf(VBundling)> & b)
{
  const TWord none = 0;
  if constexpr (VBundling == Bundling::Rows)
  {
    return { n < 2 ? a.rows[0] & b.rows[0] : none, none, none };
  }
  else if constexpr (VBundling == Bundling::Pairs)
  {
    switch (n)
    {
    case 0:
      return LinksOfRows(a.Row(0), b.Row(1));
    case 1:
    {
      // Across z, voxels are neighbors at the same x for every y, and at x - 1 and x + 1 for the same y.
      const BundleLinks<TWord> low = LinksOfRows(a.Row(0), b.Row(0));
      const BundleLinks<TWord> high = LinksOfRows(a.Row(1), b.Row(1));
      return { a.United() & b.United(), low.left | high.left, low.right | high.right };
    }
    case 2:
      return { a.rows[0] & b.rows[1], none, none };
    default:
      return { a.rows[1] & b.rows[0], none, none };
    }
  }
  else
  {
    switch (n)
    {
    case 0:
      return LinksOfRows(a.Rows(0, 2), b.Rows(1, 3));
    case 1:
      return LinksOfRows(a.Rows(0, 1), b.Rows(2, 3));
    case 2:
      return LinksOfRows(a.Row(0), b.Row(3));
    default:
      return LinksOfRows(a.Row(1), b.Row(2));
    }
  }
}

/** Whether LinksTo finds the links of the faces and no others, for every pair of single voxels whose columns differ
 *  by at most 1. */
template <Bundling VBundling>
constexpr bool
LinksAreThoseOfFaces()
{
  constexpr int rows = RowsOf(VBundling);
  bool          same = true;
  for (int n = 0; n < BackwardBundles; ++n)
  {
    const BundleFaces faces = FacesTo<VBundling>(n);
    for (int r = 0; r < rows; ++r)
    {
      for (int q = 0; q < rows; ++q)
      {
        bool isFacing = false;
        for (int face = 0; face < faces.count; ++face)
        {
          const auto & facing = faces.rows[face];
          isFacing = isFacing || ((facing[0][0] == r || facing[0][1] == r) && (facing[1][0] == q || facing[1][1] == q));
        }
        // All rows of two faces are neighbors at the same column.
        const bool isColumn = isFacing || faces.count == 2;
        for (int step = -1; step <= 1; ++step)
        {
          BundleWindow<unsigned, rows> a = {};
          BundleWindow<unsigned, rows> b = {};
          a.rows[r] = 0b010;
          b.rows[q] = 1u << (1 + step);
          const BundleLinks<unsigned> links = LinksTo<VBundling>(n, a, b);
          const bool                  isLinked = step == 0 ? isColumn : isFacing && !faces.areStraight;
          const unsigned              expected = isLinked ? 0b010 : 0;
          same = same && links.same == (step == 0 ? expected : 0) && links.left == (step < 0 ? expected : 0) &&
                 links.right == (step > 0 ? expected : 0);
        }
      }
    }
  }
  return same;
}
static_assert(LinksAreThoseOfFaces<Bundling::Pairs>() && LinksAreThoseOfFaces<Bundling::Squares>());

/** The first bit of `bits` in each stretch from one start up to the next. Bits before the first start are dropped. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE constexpr TWord
FirstOfStretches(TWord bits, TWord starts)
{
  // A carry runs from the start to the first bit, and through stretches without a bit.
  const TWord none = ~bits;
  return ((none + (starts & none)) | starts) & bits;
}

/** The links between the united bits of a and b without repeats: one for each pair of runs that they join, or few
 *  more. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE inline BundleLinks<TWord>
                     WithoutRepeats(const BundleLinks<TWord> & links, TWord unitedA, TWord unitedB)
{
  // Where both bundles have a run, the pair of runs is the same along the whole stretch. Diagonal links move into it.
  const TWord both = unitedA & unitedB;
  const TWord left = links.left & ~both;
  const TWord right = links.right & ~both;
  const TWord contacts = links.same | (links.left & both) | (links.right & both) | ((left & (unitedA << 1)) >> 1) |
                         ((right & (unitedA >> 1)) << 1);
  return { FirstOfStretches<TWord>(contacts, both & ~(both << 1)) & both,
           left & ~(unitedA << 1),
           right & ~(unitedA >> 1) };
}

/** The bits from each of `from` on to the end of its stretch of `bits`, which has one of them at most. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE constexpr TWord
ToEnds(TWord bits, TWord from)
{
  // A carry runs through them.
  return bits & ~(bits + from);
}

/** The bits of `both` (where both bundles have a run) from the link of each stretch to its end. The links are without
 *  repeats. */
template <typename TWord>
BRICKCCL_HOST_DEVICE inline TWord
JoinedBits(const BundleLinks<TWord> & links, TWord both)
{
  return ToEnds(both, links.same);
}

/** The links without repeats that other links do not imply, neither at the link nor behind it. Each moves to the end of
 *  its stretch.
 *
 *  \param joined   the JoinedBits of the links
 *  \param implied  the bits at which other links join the two runs */
template <typename TWord>
BRICKCCL_HOST_DEVICE inline TWord
WithoutImplied(TWord same, TWord joined, TWord implied)
{
  // A carry runs from the link past the end of its stretch, unless it meets an implied bit.
  constexpr TWord last = TWord{ 1 } << (8 * sizeof(TWord) - 1);
  const TWord     open = joined & ~implied;
  const TWord     carried = open + (same & open);
  return ((carried & ~joined) >> 1) | (open & ~carried & last);
}

} // namespace brickccl
