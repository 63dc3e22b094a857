#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"

/** Links between rows where values decide (equal values, tolerance). A row is a bundle of its own here. */
namespace brickccl::cuda
{

/** A word of a row: its foreground, and where its runs start. */
struct RowWord
{
  DeviceWord foreground;
  DeviceWord starts;

  /** The bits that are joined to the bit before. */
  __device__ DeviceWord
  GoesOn() const
  {
    return foreground & ~starts;
  }
  /** The foreground at x - 1. The voxel before the word counts as foreground. */
  __device__ DeviceWord
  Before() const
  {
    return foreground << 1 | 1u;
  }
};

/** A word of a row with the bits beside it. */
struct RunWindow : RowWord
{
  /** The foreground at x - 1 and at x + 1, and the starts of runs at x + 1. */
  DeviceWord left;
  DeviceWord right;
  DeviceWord nextStarts;

  /** The bits that are joined to the bit behind. */
  __device__ DeviceWord
  GoesOnBehind() const
  {
    return right & ~nextStarts;
  }
};

/** The links of a word to the same x of another row, and the bits at which the runs of both are known to be joined. */
struct StraightLinks
{
  DeviceWord same;
  DeviceWord joined;
};

/** Compares the voxels of a word with those of another row in memory. */
template <typename TProblem>
struct VoxelComparison
{
  using Reader = ReaderOf<TProblem>;
  static constexpr bool isTransitive = TProblem::isTransitive;
  static constexpr bool comparesWords = Reader::comparesWords;
  static constexpr int  few = Reader::few;
  static constexpr int  fewAcross = Reader::fewAcross;

  const TProblem & problem;
  /** The rows of the warp's lanes. */
  const Reader & rows;
  /** The voxel of the word's first bit. */
  const typename TProblem::Pixel * place;
  /** The other row's number less this row's number, in the volume. */
  std::int64_t rowsFurther;

  /** Compares with the n-th backward row. */
  __device__
  VoxelComparison(const TProblem & ofProblem, const Reader & ofRows, const typename TProblem::Pixel * voxel, int n)
    : problem(ofProblem)
    , rows(ofRows)
    , place(voxel)
    // Choices take fewer registers than products.
    , rowsFurther((BackwardStepZ(n) == 0 ? 0 : -std::int64_t{ problem.grid.rowsPerZ }) +
                  (BackwardStepY(n) == 0  ? 0
                   : BackwardStepY(n) < 0 ? -std::int64_t{ problem.grid.rowsPerY }
                                          : std::int64_t{ problem.grid.rowsPerY }))
  {}

  /** Whether the voxel at x is joined to that of the other row at x + step. */
  __device__ bool
  operator()(int x, int step) const
  {
    const int    channels = problem.Channels();
    const auto * voxel = place + x * channels;
    return problem.AreJoined(voxel, voxel + (rowsFurther * problem.grid.extent.RowLength() + step) * channels);
  }
  /** The bits of `wanted` whose voxel is joined to that at the same x of the other row. All lanes must call. */
  __device__ DeviceWord
  JoinedTo(DeviceWord wanted) const
  {
    return rows.JoinedTo(rowsFurther, wanted);
  }
  /** The same for x - 1 and x + 1. */
  __device__ BundleLinks<DeviceWord>
             JoinedAcross(DeviceWord wantedLeft, DeviceWord wantedRight) const
  {
    return rows.JoinedAcross(rowsFurther, wantedLeft, wantedRight);
  }
};

/** The bits at which the runs of two words are known to be joined, and those at which their voxels are known to be
 *  separated. */
struct KnownLinks
{
  DeviceWord joined;
  DeviceWord separated;
};

/** The links from a word of one row to the same x of another row, where one voxel answers for its run. There is one
 *  link for each pair of runs, at a bit where one of the two begins. All lanes of a warp must call, those without a
 *  word with empty words.
 *
 *  \param compare  as VoxelComparison */
template <typename TCompare>
__device__ inline StraightLinks
FindStraightEqual(const TCompare & compare, const RowWord & a, const RowWord & b, const KnownLinks & known)
{
  const DeviceWord both = a.foreground & b.foreground;
  const DeviceWord undecided = both & ~(known.joined | known.separated);
  if (__any_sync(AllLanes, undecided != 0) == 0)
  {
    return { 0, known.joined };
  }
  // A pair of runs begins where either run does, or in an earlier word. It goes on up to the next such bit, or to where
  // either run ends.
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord first = begins | (both & 1u);
  if constexpr (TCompare::comparesWords)
  {
    if (TCompare::few == 0 || __any_sync(AllLanes, __popc(first & undecided) > TCompare::few) != 0)
    {
      const DeviceWord found = compare.JoinedTo(undecided);
      return { found & begins, known.joined | found };
    }
  }
  const auto       ofPairs = [&](DeviceWord bits) { return SpreadAlong(SpreadBack(bits, goesOn), goesOn); };
  const DeviceWord joined = ofPairs(known.joined);
  // Where one run of a joined pair goes on and the other now has another value, the two are not joined.
  const DeviceWord oneBegins = both & (a.starts ^ b.starts);
  DeviceWord       at = first & ~(joined | ofPairs(known.separated) | (oneBegins & joined << 1));
  DeviceWord       found = 0;
  while (at != 0)
  {
    const DeviceWord bit = at & (0u - at);
    at ^= bit;
    if (compare(LowestBit(bit), 0))
    {
      found |= bit;
      // A carry runs to the end of the pair.
      at &= ~((goesOn + (bit << 1)) & ~goesOn & oneBegins);
    }
  }
  return { found & begins, joined | SpreadAlong(found, goesOn) };
}

/** The same where each voxel answers for itself. Most often the first voxel of a pair that may be joined decides. Where
 *  it does not, the others are compared. */
template <typename TCompare>
__device__ inline StraightLinks
FindStraightClose(const TCompare & compare, const RowWord & a, const RowWord & b, const KnownLinks & known)
{
  constexpr bool   comparesWords = TCompare::comparesWords;
  const DeviceWord both = a.foreground & b.foreground;
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord first = begins | (both & 1u);
  const DeviceWord implied = SpreadAlong(SpreadBack(known.joined, goesOn), goesOn);
  DeviceWord       undecided = both & ~(implied | known.separated);
  DeviceWord       joined = implied;
  // The bits of a pair that goes on from a word before, if it is joined there.
  const auto asBefore = [&](DeviceWord bits) {
    const DeviceWord carried = goesOn & BitBefore(bits);
    return carried | (goesOn & ~(goesOn + carried));
  };
  if (__any_sync(AllLanes, undecided != 0) == 0)
  {
    return { 0, implied | asBefore(implied) };
  }
  // The first bit of each stretch of undecided bits of a pair.
  const DeviceWord firstUndecided = undecided & ~(undecided << 1 & goesOn);
  bool             areMany = false;
  if constexpr (comparesWords)
  {
    areMany = __any_sync(AllLanes, __popc(firstUndecided) > TCompare::few) != 0;
  }
  if (!areMany)
  {
    const auto look = [&](DeviceWord at) {
      for (; at != 0; at &= at - 1)
      {
        joined |= compare(LowestBit(at), 0) ? at & (0u - at) : 0u;
      }
    };
    look(firstUndecided);
    undecided &= ~(firstUndecided | SpreadAlong(joined, goesOn));
    if constexpr (comparesWords)
    {
      areMany = __any_sync(AllLanes, __popc(undecided) > TCompare::few) != 0;
    }
    if (!areMany)
    {
      look(undecided);
    }
  }
  if constexpr (comparesWords)
  {
    if (areMany)
    {
      joined |= compare.JoinedTo(undecided);
    }
  }
  // The first link of each pair: a carry runs from its first bit through the bits without a link.
  const DeviceWord none = both & ~joined;
  const DeviceWord firsts = (((none + (first & none)) & ~none) & joined) | (first & joined);
  const DeviceWord inWord = SpreadAlong(SpreadBack(firsts, goesOn) | implied, goesOn);
  const DeviceWord before = asBefore(inWord);
  return { firsts & ~implied & ~before, inWord | before };
}

/** The links from a word of one row to the same x of another row, for either kind of criterion. */
template <typename TCompare>
__device__ inline StraightLinks
FindStraight(const TCompare & compare, const RowWord & a, const RowWord & b, const KnownLinks & known)
{
  if constexpr (TCompare::isTransitive)
  {
    return FindStraightEqual(compare, a, b, known);
  }
  else
  {
    return FindStraightClose(compare, a, b, known);
  }
}

/** The bits of a word whose voxels must be compared with those of another row at x - 1 and at x + 1: nothing decides
 *  yet whether their runs are joined. All lanes must call.
 *  \param joined  the bits at which the runs of both rows are known to be joined */
template <bool VIsTransitive>
__device__ inline BundleLinks<DeviceWord>
UndecidedAcross(const RunWindow & a, const RunWindow & b, DeviceWord joined)
{
  const DeviceWord        left = a.foreground & b.left;
  const DeviceWord        right = a.foreground & b.right;
  BundleLinks<DeviceWord> undecided = {};
  if constexpr (VIsTransitive)
  {
    // If exactly one side of a square of voxels is equal, the voxels across are not equal. If more sides are, links
    // along the axes join all of them. The words beside are not looked at, so that the voxels are compared there.
    undecided.left = left & ~(a.GoesOn() | b.GoesOn() | joined | joined << 1);
    undecided.right = right & ~(a.GoesOnBehind() | b.GoesOnBehind() | joined | joined >> 1);
  }
  else
  {
    // A link to x - 1 is decided if the run of b goes on to x, or if that of a comes from x - 1. The same holds
    // mirrored.
    const DeviceWord joinedLeft = joined << 1 | BitBefore(joined);
    const DeviceWord joinedRight = joined >> 1 | BitAfter(joined);
    undecided.left = left & ~(joined & ~b.starts) & ~(joinedLeft & ~a.starts);
    undecided.right = right & ~(joined & ~b.nextStarts) & ~(joinedRight & a.GoesOnBehind());
  }
  return undecided;
}

/** The links among the undecided bits. All lanes must call. */
template <typename TCompare>
__device__ inline BundleLinks<DeviceWord>
FindAcross(const TCompare & compare, const BundleLinks<DeviceWord> & undecided)
{
  if constexpr (TCompare::comparesWords)
  {
    if (__any_sync(AllLanes, __popc(undecided.left | undecided.right) > TCompare::fewAcross) != 0)
    {
      return compare.JoinedAcross(undecided.left, undecided.right);
    }
  }
  BundleLinks<DeviceWord> found = {};
  if constexpr (TCompare::isTransitive)
  {
    for (DeviceWord rest = undecided.left; rest != 0; rest &= rest - 1)
    {
      found.left |= compare(LowestBit(rest), -1) ? rest & (0u - rest) : 0u;
    }
    for (DeviceWord rest = undecided.right; rest != 0; rest &= rest - 1)
    {
      found.right |= compare(LowestBit(rest), 1) ? rest & (0u - rest) : 0u;
    }
  }
  else
  {
    // Where there is no straight link, most voxels are compared with both. A voxel that is not wanted stands in for
    // itself.
    for (DeviceWord rest = undecided.left | undecided.right; rest != 0; rest &= rest - 1)
    {
      const DeviceWord at = rest & (0u - rest);
      const int        x = LowestBit(rest);
      found.left |= compare(x, (undecided.left & at) != 0 ? -1 : 0) ? at : 0u;
      found.right |= compare(x, (undecided.right & at) != 0 ? 1 : 0) ? at : 0u;
    }
    found.left &= undecided.left;
    found.right &= undecided.right;
  }
  return found;
}

} // namespace brickccl::cuda

#endif
