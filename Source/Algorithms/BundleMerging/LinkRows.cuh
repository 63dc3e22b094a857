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

/** The links of a word to the same x of another row, and the bits at which the runs of both are known to be linked. */
struct StraightLinks
{
  DeviceWord same;
  DeviceWord joined;
};

/** Compares voxels in memory. */
template <typename TProblem>
struct VoxelComparison
{
  /** Whether voxels are at hand, so that looking at them one by one is always better than all at once. */
  static constexpr bool isAtHand = false;

  const TProblem & problem;
  /** The voxel of the word's first bit. */
  const typename TProblem::Pixel * place;

  /** Whether the voxel at x is joined to that of the other row at x + step.
   *  \param further how many voxels further on the other row has the same x */
  __device__ bool
  operator()(int x, int, std::int64_t further, int step) const
  {
    const int    channels = problem.Channels();
    const auto * voxel = place + x * channels;
    return problem.AreJoined(voxel, voxel + (further + step) * channels);
  }
};

/** How many rows further on in the volume the n-th backward row lies. */
template <typename TProblem>
__device__ inline std::int64_t
RowsFurther(const TProblem & problem, int n)
{
  return BackwardStepZ(n) * problem.grid.extent.size[1] + BackwardStepY(n);
}

/** Which word of its row in the brick this lane has. */
__device__ inline int
LaneInRow()
{
  return static_cast<int>(threadIdx.x) % WordsPerBrickRow;
}

/** The last bit of the word before this lane's in its row of the brick, at the first place. All lanes must call. */
__device__ inline DeviceWord
BitBefore(DeviceWord word)
{
  const DeviceWord before = __shfl_up_sync(AllLanes, word, 1);
  return LaneInRow() > 0 ? before >> 31 : 0u;
}

/** The first bit of the word behind this lane's, at the last place. */
__device__ inline DeviceWord
BitAfter(DeviceWord word)
{
  const DeviceWord after = __shfl_down_sync(AllLanes, word, 1);
  return LaneInRow() < WordsPerBrickRow - 1 ? after << 31 : 0u;
}

/** The bits that are `known`, and those behind them up to which `goesOn` reaches. */
__device__ inline DeviceWord
SpreadAlong(DeviceWord known, DeviceWord goesOn)
{
  const DeviceWord next = (known << 1) & goesOn;
  return known | next | (goesOn & ~(goesOn + next));
}

/** Links from a word of one row to the same x of another row: one for each pair of runs. Where one voxel answers for
 * its run, that is the only one looked at; else the first voxel most often tells, and the others are looked at where it
 *  does not. All lanes of a warp must call, those without a word with empty windows.
 *
 *  \param rows    the rows of the warp's lanes
 *  \param compare as VoxelComparison
 *  \param n       which backward row
 *  \param implied bits at which the runs of both rows are known to be linked by way of other rows */
template <typename TProblem, typename TCompare>
__device__ inline StraightLinks
FindStraight(const TProblem &           problem,
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
  const std::int64_t rowsFurther = RowsFurther(problem, n);
  const std::int64_t further = rowsFurther * problem.grid.extent.RowLength();
  const DeviceWord   both = a.foreground.word & b.foreground.word;
  // A pair of runs begins where either run does, or in a word before; it goes on up to the next such bit, or to where
  // either ends.
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord first = begins | (both & 1u);
  DeviceWord       open = (isTransitive ? first : both) & ~implied;
  DeviceWord       joined = implied;
  bool             areMany = false;
  if constexpr (comparesWords)
  {
    areMany = __any_sync(AllLanes, __popc(first & ~implied) > Reader::few) != 0;
  }
  if (!areMany)
  {
    const auto look = [&](DeviceWord at) {
      for (; at != 0; at &= at - 1)
      {
        joined |= compare(LowestBit(at), n, further, 0) ? at & (0u - at) : 0u;
      }
    };
    look(first & ~implied);
    if constexpr (!isTransitive)
    {
      open &= ~(first | SpreadAlong(joined, goesOn));
      if constexpr (comparesWords)
      {
        areMany = __any_sync(AllLanes, __popc(open) > Reader::few) != 0;
      }
      if (!areMany)
      {
        look(open);
      }
    }
  }
  if constexpr (comparesWords)
  {
    if (areMany)
    {
      joined |= rows.JoinedTo(rowsFurther, open);
    }
  }
  // Of each pair the first link: a carry runs from its first bit through those without.
  const DeviceWord none = both & ~joined;
  const DeviceWord firsts = (((none + (first & none)) & ~none) & joined) | (first & joined);
  StraightLinks    found;
  found.joined = SpreadAlong((isTransitive ? joined : firsts) | implied, goesOn);
  // What a word before says of a pair that goes on.
  const DeviceWord carried = goesOn & BitBefore(found.joined);
  const DeviceWord asBefore = carried | (goesOn & ~(goesOn + carried));
  found.joined |= asBefore;
  found.same = (isTransitive ? joined : firsts) & ~implied & ~asBefore;
  return found;
}

/** The same for x - 1 and x + 1. No voxel is looked at whose runs are known to be linked, or not to be.
 *  \param joined bits at which the runs of both rows are known to be linked */
template <typename TProblem, typename TCompare>
__device__ inline BundleLinks<DeviceWord>
FindAcross(const TProblem &           problem,
           const ReaderOf<TProblem> & rows,
           const TCompare &           compare,
           int                        n,
           const RunWindow &          a,
           const RunWindow &          b,
           DeviceWord                 joined)
{
  using Reader = ReaderOf<TProblem>;
  constexpr bool     isTransitive = TProblem::isTransitive;
  constexpr bool     comparesWords = Reader::comparesWords && !TCompare::isAtHand;
  const std::int64_t rowsFurther = RowsFurther(problem, n);
  const std::int64_t further = rowsFurther * problem.grid.extent.RowLength();
  const DeviceWord   joinedLeft = joined << 1 | BitBefore(joined);
  const DeviceWord   joinedRight = joined >> 1 | BitAfter(joined);
  // Where one voxel answers for its run, what straight links do not join is not linked across either.
  const DeviceWord both = a.foreground.word & b.foreground.word;
  const DeviceWord known = isTransitive ? both : joined;
  const DeviceWord knownLeft = isTransitive ? both << 1 | 1u : joinedLeft;
  const DeviceWord knownRight = isTransitive ? both >> 1 | 1u << 31 : joinedRight;
  // To x - 1: known if the run of b goes on to x, or that of a has come from x - 1; and mirrored.
  const DeviceWord bGoesOn = ~((b.starts >> 1) | (b.startsAfter ? 0x80000000u : 0u));
  const DeviceWord aGoesOn = a.foreground.Right() & ~((a.starts >> 1) | (a.startsAfter ? 0x80000000u : 0u));
  DeviceWord       left = a.foreground.word & b.foreground.Left() & ~(known & ~b.starts) & ~(knownLeft & ~a.starts);
  DeviceWord       right = a.foreground.word & b.foreground.Right() & ~(known & bGoesOn) & ~(knownRight & aGoesOn);
  if constexpr (isTransitive)
  {
    // Runs side by side have two values, so that where one of them has the other row's, its neighbour has not.
    left &= ~(joined | joinedLeft);
    right &= ~(joined | joinedRight);
  }
  if constexpr (comparesWords)
  {
    if (__any_sync(AllLanes, __popc(left | right) > Reader::fewAcross) != 0)
    {
      return rows.JoinedAcross(rowsFurther, left, right);
    }
  }
  BundleLinks<DeviceWord> found = {};
  if constexpr (isTransitive)
  {
    for (DeviceWord rest = left; rest != 0; rest &= rest - 1)
    {
      found.left |= compare(LowestBit(rest), n, further, -1) ? rest & (0u - rest) : 0u;
    }
    for (DeviceWord rest = right; rest != 0; rest &= rest - 1)
    {
      found.right |= compare(LowestBit(rest), n, further, 1) ? rest & (0u - rest) : 0u;
    }
  }
  else
  {
    // Where no straight link is, most voxels are asked for both; a voxel that is not stands in for itself.
    for (DeviceWord rest = left | right; rest != 0; rest &= rest - 1)
    {
      const DeviceWord at = rest & (0u - rest);
      const int        x = LowestBit(rest);
      found.left |= compare(x, n, further, (left & at) != 0 ? -1 : 0) ? at : 0u;
      found.right |= compare(x, n, further, (right & at) != 0 ? 1 : 0) ? at : 0u;
    }
    found.left &= left;
    found.right &= right;
  }
  return found;
}

} // namespace brickccl::cuda

#endif
