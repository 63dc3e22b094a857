#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"

/** Links between rows where values decide (equal values, tolerance): a row is a bundle of its own. */
namespace brickccl::cuda
{

/** A word of a row: its foreground with the bits beside it, and where its runs start. */
struct RunWindow
{
  BitWindow<DeviceWord> foreground;
  DeviceWord            starts;
  /** Whether a run starts at the first bit of the next word. */
  bool startsAfter;
};

/** The links of a word, and the bits at which the runs of both rows are known to be linked. */
struct RowLinks
{
  BundleLinks<DeviceWord> links;
  DeviceWord              joined;
};

/** The bits of `candidates` that are links, asked for one by one. */
template <typename TIsLink>
__device__ inline DeviceWord
LinksAmong(DeviceWord candidates, const TIsLink & isLink)
{
  DeviceWord links = 0;
  for (; candidates != 0; candidates &= candidates - 1)
  {
    links |= isLink(LowestBit(candidates)) ? candidates & (0u - candidates) : 0u;
  }
  return links;
}

/** Compares voxels in memory. */
template <typename TProblem>
struct VoxelComparison
{
  /** Whether voxels are at hand, so that looking at them one by one is always better than all at once. */
  static constexpr bool isAtHand = false;

  const TProblem & problem;
  /** The voxel of the word's first bit. */
  const typename TProblem::Pixel * place;

  /** Of the candidates those whose voxel is joined to that of the other row at x + step.
   *  \param further how many voxels further on the other row has the same x */
  __device__ DeviceWord
  operator()(DeviceWord candidates, int, std::int64_t further, int step) const
  {
    const int          channels = problem.Channels();
    const std::int64_t distance = (further + step) * channels;
    return LinksAmong(candidates,
                      [&](int x) { return problem.AreJoined(place + x * channels, place + x * channels + distance); });
  }
};

/** Links from a word of one row to another row: one or few for each pair of runs. No diagonal is looked at whose runs
 *  are known to be linked, and where one voxel answers for its run none of a pair of runs that was compared before. All
 *  lanes of a warp must call, those without a word with empty windows.
 *  \param rows    the rows of the warp's lanes
 *  \param compare as VoxelComparison
 *  \param n       which backward row
 *  \param implied bits at which the runs of both rows are known to be linked by way of other rows */
template <typename TProblem, typename TCompare>
__device__ inline RowLinks
FindLinks(const TProblem &           problem,
          const ReaderOf<TProblem> & rows,
          const TCompare &           compare,
          int                        n,
          const RunWindow &          a,
          const RunWindow &          b,
          DeviceWord                 implied)
{
  using Reader = ReaderOf<TProblem>;
  constexpr bool     isTransitive = TProblem::isTransitive;
  constexpr bool     comparesWords = Reader::comparesWords && !TCompare::isAtHand;
  const std::int64_t rowsFurther = BackwardStepZ(n) * problem.grid.extent.size[1] + BackwardStepY(n);
  const std::int64_t further = rowsFurther * problem.grid.extent.RowLength();
  RowLinks           found = {};
  const DeviceWord   both = a.foreground.word & b.foreground.word;
  // A pair of runs begins where either run does; and goes on up to the next such bit, or to where either ends.
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord candidates = (isTransitive ? begins : both) & ~implied;
  DeviceWord       joined = implied;
  bool             areMany = false;
  if constexpr (comparesWords)
  {
    areMany = __any_sync(AllLanes, __popc(candidates) > Reader::few) != 0;
    if (areMany && (!Reader::areLanesAlone || candidates != 0))
    {
      joined |= candidates & rows.JoinedTo(rowsFurther);
    }
  }
  if (!areMany)
  {
    joined |= compare(candidates, n, further, 0);
  }
  // Of each pair the first link: a carry runs from its begin through the bits without.
  const DeviceWord none = both & ~joined;
  const DeviceWord from = isTransitive ? 0u : begins | (both & 1u);
  const DeviceWord firsts =
    (((none + (from & none)) & ~none) & joined) | (from & joined) | (isTransitive ? joined : 0u);
  const DeviceWord next = ((firsts | implied) << 1) & goesOn;
  found.links.same = firsts & ~implied;
  found.joined = firsts | implied | next | (goesOn & ~(goesOn + next));
  if (!problem.HasDiagonals(n))
  {
    return found;
  }
  const DeviceWord known = isTransitive ? both : found.joined;
  const DeviceWord beside = isTransitive ? 1u : 0u;
  // To x - 1: known if the run of b goes on to x, or that of a has come from x - 1; and mirrored.
  const DeviceWord left =
    a.foreground.word & b.foreground.Left() & ~(known & ~b.starts) & ~(((known << 1) | beside) & ~a.starts);
  const DeviceWord bGoesOn = ~((b.starts >> 1) | (b.startsAfter ? 0x80000000u : 0u));
  const DeviceWord aGoesOn = a.foreground.Right() & ~((a.starts >> 1) | (a.startsAfter ? 0x80000000u : 0u));
  const DeviceWord right =
    a.foreground.word & b.foreground.Right() & ~(known & bGoesOn) & ~(((known >> 1) | beside << 31) & aGoesOn);
  if constexpr (comparesWords)
  {
    areMany = __any_sync(AllLanes, __popc(left) + __popc(right) > Reader::few) != 0;
    if (areMany && (!Reader::areLanesAlone || (left | right) != 0))
    {
      const BundleLinks<DeviceWord> across = rows.JoinedAcross(rowsFurther);
      found.links.left = left & across.left;
      found.links.right = right & across.right;
    }
  }
  if (!areMany)
  {
    found.links.left = compare(left, n, further, -1);
    found.links.right = compare(right, n, further, 1);
  }
  return found;
}

} // namespace brickccl::cuda

#endif
