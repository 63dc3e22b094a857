#ifndef BRICKCCL_RUNS_BUNDLE_H
#define BRICKCCL_RUNS_BUNDLE_H

#include "BrickCCL/Core/HostDevice.h"
#include "BrickCCL/Core/Neighbourhood.h"

/** Bundles of rows: neighbouring rows whose bits are united, so that one run of the united bits stands for the runs of
 *  all of them. All voxels of two neighbouring columns of a bundle must be neighbours of each other, so that a run of
 *  united bits is connected. Links between bundles come out word by word, for words of any width.
 *
 *  Row r of a bundle lies at (y = r & 1, z = r >> 1) in it. */
namespace brickccl
{

enum class Bundling
{
  /** One row: 4- and 6-connected. */
  Rows,
  /** Two rows along y: 8- and 18-connected. */
  Pairs,
  /** Two by two rows along y and z: 26-connected. */
  Squares
};

BRICKCCL_HOST_DEVICE constexpr int
RowsOf(Bundling bundling)
{
  return bundling == Bundling::Rows ? 1 : bundling == Bundling::Pairs ? 2 : 4;
}

/** A word of bits, and those to the left of its first and to the right of its last bit. */
template <typename TWord>
struct BitWindow
{
  TWord word;
  /** 0 or 1. */
  TWord before;
  TWord after;

  /** At each bit its left neighbour. */
  BRICKCCL_HOST_DEVICE TWord
  Left() const
  {
    return (word << 1) | before;
  }
  BRICKCCL_HOST_DEVICE TWord
  Right() const
  {
    return (word >> 1) | (after << (8 * sizeof(TWord) - 1));
  }
};

/** A word of a bundle of N rows; bit r of `before` and `after` is that of row r. */
template <typename TWord, int N>
struct BundleWindow
{
  TWord rows[N];
  TWord before;
  TWord after;

  BRICKCCL_HOST_DEVICE TWord
  United() const
  {
    TWord united = rows[0];
    for (int r = 1; r < N; ++r)
    {
      united |= rows[r];
    }
    return united;
  }
  BRICKCCL_HOST_DEVICE BitWindow<TWord>
                       Row(int r) const
  {
    return { rows[r], (before >> r) & 1u, (after >> r) & 1u };
  }
  BRICKCCL_HOST_DEVICE BitWindow<TWord>
                       Rows(int r, int q) const
  {
    return { rows[r] | rows[q], ((before >> r) | (before >> q)) & 1u, ((after >> r) | (after >> q)) & 1u };
  }
};

/** Links from a bundle's word to a bundle before it, as bits of the first: to the same x, to x - 1 and to x + 1. */
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
  BRICKCCL_HOST_DEVICE BundleLinks
  Without(const BundleLinks & others) const
  {
    return { static_cast<TWord>(same & ~others.same),
             static_cast<TWord>(left & ~others.left),
             static_cast<TWord>(right & ~others.right) };
  }
};

/** Links between two facing rows (or united rows) of which all voxels in reach are neighbours. A diagonal link beside
 *  a straight one says nothing new: one of the two runs goes on to where the straight link joins it to the other. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE inline BundleLinks<TWord>
                     LinksOfRows(const BitWindow<TWord> & a, const BitWindow<TWord> & b)
{
  return { a.word & b.word, a.word & b.Left() & ~b.word & ~a.Left(), a.word & b.Right() & ~b.word & ~a.Right() };
}

/** The bundles before one in raster order of bundles that links reach: BackwardStep says where the n-th lies. */
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

/** Whether the backward bundles are the rows of the mask across y and z: those along one axis first, axis by axis, then
 *  those along both, in raster order. The steps above are no table, since kernels keep them in registers. */
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

/** Links from a bundle to its n-th backward bundle. */
template <Bundling VBundling, typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE inline BundleLinks<TWord>
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
      // Across z voxels are neighbours at the same x for every y, and at x - 1 and x + 1 for the same y.
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

/** Of the links between the united bits of a and b, one for each pair of runs that they join, or few more. */
template <typename TWord>
BRICKCCL_HOST_DEVICE BRICKCCL_ALWAYS_INLINE inline BundleLinks<TWord>
                     WithoutRepeats(const BundleLinks<TWord> & links, TWord unitedA, TWord unitedB)
{
  // Where both bundles have a run, the pair of runs is the same along the whole stretch, so links are moved there.
  const TWord both = unitedA & unitedB;
  const TWord left = links.left & ~both;
  const TWord right = links.right & ~both;
  const TWord contacts = links.same | (links.left & both) | (links.right & both) | ((left & (unitedA << 1)) >> 1) |
                         ((right & (unitedA >> 1)) << 1);
  // The first contact of every stretch: a carry runs from the stretch's begin through the bits without contact.
  const TWord begins = both & ~(both << 1);
  const TWord none = both & ~contacts;
  const TWord firsts = (((none + (begins & none)) & ~none) & contacts) | (begins & contacts);
  return { firsts & both, left & ~(unitedA << 1), right & ~(unitedA >> 1) };
}

/** Bits of `both` (where two bundles have a run) at which the two runs are known to be linked: each stretch from its
 * link on, of links without repeats. */
template <typename TWord>
BRICKCCL_HOST_DEVICE inline TWord
JoinedBits(const BundleLinks<TWord> & links, TWord both)
{
  // A carry runs from the link to the end of its stretch.
  return both & ~(both + links.same);
}

/** Of links without repeats those that other links do not imply, at or behind the link: each moved to its stretch's
 * end.
 *
 *  \param joined   the links' JoinedBits
 *  \param implied  bits at which other links say that the two runs are linked */
template <typename TWord>
BRICKCCL_HOST_DEVICE inline TWord
WithoutImplied(TWord same, TWord joined, TWord implied)
{
  // A carry runs from the link to behind the end of its stretch, unless something is implied on its way.
  constexpr TWord last = TWord{ 1 } << (8 * sizeof(TWord) - 1);
  const TWord     open = joined & ~implied;
  const TWord     carried = open + (same & open);
  return ((carried & ~joined) >> 1) | (open & ~carried & last);
}

} // namespace brickccl

#endif
