#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"

/** Links between rows where values decide (equal values, tolerance): a row is a bundle of its own. */
namespace brickccl::cuda
{

/** A word of a row: its foreground, and where its runs start. */
struct RowWord
{
  DeviceWord foreground;
  DeviceWord starts;

  /** Bits that have the value of the one before. */
  __device__ DeviceWord
  GoesOn() const
  {
    return foreground & ~starts;
  }
  /** The foreground at x - 1; what lies before the word counts as such. */
  __device__ DeviceWord
  Before() const
  {
    return foreground << 1 | 1u;
  }
};

/** The same with the bits beside it. */
struct RunWindow : RowWord
{
  /** The foreground at x - 1 and at x + 1, and where runs start at x + 1. */
  DeviceWord left;
  DeviceWord right;
  DeviceWord nextStarts;

  /** Bits behind which the voxel has the same value. */
  __device__ DeviceWord
  GoesOnBehind() const
  {
    return right & ~nextStarts;
  }
};

/** The links of a word to the same x of another row, and the bits at which the runs of both are known to be linked. */
struct StraightLinks
{
  DeviceWord same;
  DeviceWord joined;
};

/** Compares the voxels of a word with those of another row, in memory. */
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
  /** How many rows further on in the volume the other row lies. */
  std::int64_t rowsFurther;

  /** Compares with the n-th backward row. */
  __device__
  VoxelComparison(const TProblem & ofProblem, const Reader & ofRows, const typename TProblem::Pixel * voxel, int n)
    : problem(ofProblem)
    , rows(ofRows)
    , place(voxel)
    , rowsFurther(BackwardStepZ(n) * problem.grid.extent.size[1] + BackwardStepY(n))
  {}

  /** Whether the voxel at x is joined to that of the other row at x + step. */
  __device__ bool
  operator()(int x, int step) const
  {
    const int    channels = problem.Channels();
    const auto * voxel = place + x * channels;
    return problem.AreJoined(voxel, voxel + (rowsFurther * problem.grid.extent.RowLength() + step) * channels);
  }
  /** Of the bits that are `wanted` those at which the voxel is joined to that at the same x of the other row. All
   * lanes must call. */
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

/** Bits at which the runs of two words are known to be joined, and bits at which their voxels are known not to be. */
struct KnownLinks
{
  DeviceWord joined;
  DeviceWord separated;
};

/** Links from a word of one row to the same x of another row where one voxel answers for its run: one for each pair of
 * runs, at which one of these begins. All lanes of a warp must call, those without a word with empty words.
 *
 *  \param compare as VoxelComparison */
template <typename TCompare>
__device__ inline StraightLinks
FindStraightEqual(const TCompare & compare, const RowWord & a, const RowWord & b, const KnownLinks & known)
{
  const DeviceWord both = a.foreground & b.foreground;
  const DeviceWord open = both & ~(known.joined | known.separated);
  if (__any_sync(AllLanes, open != 0) == 0)
  {
    return { 0, known.joined };
  }
  // A pair of runs begins where either run does, or in a word before; it goes on up to the next such bit, or to where
  // either ends.
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord first = begins | (both & 1u);
  if constexpr (TCompare::comparesWords)
  {
    if (TCompare::few == 0 || __any_sync(AllLanes, __popc(first & open) > TCompare::few) != 0)
    {
      const DeviceWord found = compare.JoinedTo(open);
      return { found & begins, known.joined | found };
    }
  }
  const auto       ofPairs = [&](DeviceWord bits) { return SpreadAlong(SpreadBack(bits, goesOn), goesOn); };
  const DeviceWord joined = ofPairs(known.joined);
  // Where one run of a joined pair goes on and the other has another value now, the two are not joined.
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
      // A carry runs to where the pair ends.
      at &= ~((goesOn + (bit << 1)) & ~goesOn & oneBegins);
    }
  }
  return { found & begins, joined | SpreadAlong(found, goesOn) };
}

/** The same where each voxel answers for itself: the first voxel of a pair that may be joined most often tells, and the
 * others are looked at where it does not. */
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
  DeviceWord       open = both & ~(implied | known.separated);
  DeviceWord       joined = implied;
  // Bits of a pair that goes on from a word before where it is joined.
  const auto asBefore = [&](DeviceWord bits) {
    const DeviceWord carried = goesOn & BitBefore(bits);
    return carried | (goesOn & ~(goesOn + carried));
  };
  if (__any_sync(AllLanes, open != 0) == 0)
  {
    return { 0, implied | asBefore(implied) };
  }
  // Of each stretch of a pair that is open.
  const DeviceWord firstOpen = open & ~(open << 1 & goesOn);
  bool             areMany = false;
  if constexpr (comparesWords)
  {
    areMany = __any_sync(AllLanes, __popc(firstOpen) > TCompare::few) != 0;
  }
  if (!areMany)
  {
    const auto look = [&](DeviceWord at) {
      for (; at != 0; at &= at - 1)
      {
        joined |= compare(LowestBit(at), 0) ? at & (0u - at) : 0u;
      }
    };
    look(firstOpen);
    open &= ~(firstOpen | SpreadAlong(joined, goesOn));
    if constexpr (comparesWords)
    {
      areMany = __any_sync(AllLanes, __popc(open) > TCompare::few) != 0;
    }
    if (!areMany)
    {
      look(open);
    }
  }
  if constexpr (comparesWords)
  {
    if (areMany)
    {
      joined |= compare.JoinedTo(open);
    }
  }
  // Of each pair the first link: a carry runs from its first bit through those without.
  const DeviceWord none = both & ~joined;
  const DeviceWord firsts = (((none + (first & none)) & ~none) & joined) | (first & joined);
  const DeviceWord inWord = SpreadAlong(SpreadBack(firsts, goesOn) | implied, goesOn);
  const DeviceWord before = asBefore(inWord);
  return { firsts & ~implied & ~before, inWord | before };
}

/** Links from a word of one row to the same x of another row, as its criterion finds them. */
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

/** Bits of a word whose voxels are to be compared with those of another row at x - 1 and at x + 1: those whose runs are
 * not known to be linked, nor not to be. All lanes must call.
 *  \param joined bits at which the runs of both rows are known to be linked */
template <bool VIsTransitive>
__device__ inline BundleLinks<DeviceWord>
OpenAcross(const RunWindow & a, const RunWindow & b, DeviceWord joined)
{
  const DeviceWord        left = a.foreground & b.left;
  const DeviceWord        right = a.foreground & b.right;
  BundleLinks<DeviceWord> open = {};
  if constexpr (VIsTransitive)
  {
    // Of a square of voxels one side of which is equal, and no other, none are equal across; if more are, links along
    // the axes join all. What the words beside have is left out: the voxels tell.
    open.left = left & ~(a.GoesOn() | b.GoesOn() | joined | joined << 1);
    open.right = right & ~(a.GoesOnBehind() | b.GoesOnBehind() | joined | joined >> 1);
  }
  else
  {
    // To x - 1: known if the run of b goes on to x, or that of a has come from x - 1; and mirrored.
    const DeviceWord joinedLeft = joined << 1 | BitBefore(joined);
    const DeviceWord joinedRight = joined >> 1 | BitAfter(joined);
    open.left = left & ~(joined & ~b.starts) & ~(joinedLeft & ~a.starts);
    open.right = right & ~(joined & ~b.nextStarts) & ~(joinedRight & a.GoesOnBehind());
  }
  return open;
}

/** Of what is open the links. All lanes must call. */
template <typename TCompare>
__device__ inline BundleLinks<DeviceWord>
FindAcross(const TCompare & compare, const BundleLinks<DeviceWord> & open)
{
  if constexpr (TCompare::comparesWords)
  {
    if (__any_sync(AllLanes, __popc(open.left | open.right) > TCompare::fewAcross) != 0)
    {
      return compare.JoinedAcross(open.left, open.right);
    }
  }
  BundleLinks<DeviceWord> found = {};
  if constexpr (TCompare::isTransitive)
  {
    for (DeviceWord rest = open.left; rest != 0; rest &= rest - 1)
    {
      found.left |= compare(LowestBit(rest), -1) ? rest & (0u - rest) : 0u;
    }
    for (DeviceWord rest = open.right; rest != 0; rest &= rest - 1)
    {
      found.right |= compare(LowestBit(rest), 1) ? rest & (0u - rest) : 0u;
    }
  }
  else
  {
    // Where no straight link is, most voxels are asked for both; a voxel that is not stands in for itself.
    for (DeviceWord rest = open.left | open.right; rest != 0; rest &= rest - 1)
    {
      const DeviceWord at = rest & (0u - rest);
      const int        x = LowestBit(rest);
      found.left |= compare(x, (open.left & at) != 0 ? -1 : 0) ? at : 0u;
      found.right |= compare(x, (open.right & at) != 0 ? 1 : 0) ? at : 0u;
    }
    found.left &= open.left;
    found.right &= open.right;
  }
  return found;
}

} // namespace brickccl::cuda

#endif
