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
  const DeviceWord firsts = FirstOfStretches(joined, first);
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

// The few links between equal values that links along the axes leave undecided lie across squares of which no two sides
// are known to be equal. If exactly one side is equal, the other voxels differ. If more sides are, they are linked.

/** The bits at which two rows have voxels across each other, at x and at x - 1, that may be equal. The voxel before the
 *  word counts as undecided. \param joined  the bits at which the rows' runs are linked */
__device__ inline DeviceWord
UndecidedCorners(const RowWord & a, const RowWord & b, DeviceWord joined)
{
  const DeviceWord across = (a.foreground & b.Before()) | (a.Before() & b.foreground);
  return across & ~(a.GoesOn() | b.GoesOn() | joined | joined << 1);
}

/** The bits at which the first and the third row of a square may be equal, a pair of their runs begins, and no side
 *  decides. */
__device__ inline DeviceWord
UndecidedStraight(const SquareLinks & square, const RowWord & a, const RowWord & c)
{
  return a.foreground & c.foreground & (a.starts | c.starts) & ~square.Any();
}

/** The voxels of a word's square of rows that its sides leave undecided, as bits: those across each other at corners,
 * and those at the same x. The square has the word's row, those before it along y and z, and the one before it along
 * both. */
struct UndecidedSquare
{
  DeviceWord toY;
  DeviceWord toZ;
  DeviceWord toBoth;
  DeviceWord between;
  DeviceWord straight;
  DeviceWord straightBetween;

  __device__ bool
  Any() const
  {
    return (toY | toZ | toBoth | between | straight | straightBetween) != 0;
  }
  /** How many pairs of voxels must be compared. */
  __device__ unsigned
  Count() const
  {
    return static_cast<unsigned>(2 * (__popc(toY) + __popc(toZ) + __popc(toBoth) + __popc(between)) + __popc(straight) +
                                 __popc(straightBetween));
  }
};

/** Compares undecided voxels of a brick, and lists the pairs of runs that are linked. Places are those of voxels in the
 *  brick: each word has 32, in order. */
template <typename TMemory, typename TAreEqual>
class UndecidedLister
{
public:
  /** \param areEqual  whether the voxels at two places are equal */
  __device__
  UndecidedLister(TMemory & memory, const TAreEqual & areEqual)
    : m_Memory(memory)
    , m_AreEqual(areEqual)
  {}

  /** Compares voxels of the words a and b: at corners with those at x - 1 in either, or at the same x. */
  __device__ __forceinline__ void
  LookAt(DeviceWord atCorners, DeviceWord atSame, int a, int b) const
  {
    for (DeviceWord rest = atCorners | atSame; rest != 0; rest &= rest - 1)
    {
      const DeviceWord bit = rest & (0u - rest);
      const unsigned   inA = static_cast<unsigned>(a * BitsPerDeviceWord + LowestBit(bit));
      const unsigned   inB = static_cast<unsigned>(b * BitsPerDeviceWord + LowestBit(bit));
      if ((atCorners & bit) != 0)
      {
        Look(inA, inB - 1);
        Look(inA - 1, inB);
      }
      if ((atSame & bit) != 0)
      {
        Look(inA, inB);
      }
    }
  }

private:
  __device__ __forceinline__ void
  Look(unsigned a, unsigned b) const
  {
    const unsigned layer = threadIdx.x / WordsPerLayer;
    if (IsForeground(a) && IsForeground(b) && m_AreEqual(a, b))
    {
      m_Memory.pairs[layer][atomicAdd(m_Memory.listed + layer, 1u)] = RunAt(a) << 16 | RunAt(b);
    }
  }
  __device__ __forceinline__ bool
  IsForeground(unsigned place) const
  {
    return (m_Memory.RowAt(static_cast<int>(place / BitsPerDeviceWord)).foreground >> place % BitsPerDeviceWord & 1u) !=
           0;
  }
  __device__ __forceinline__ unsigned
  RunAt(unsigned place) const
  {
    return m_Memory.RunAt(static_cast<int>(place / BitsPerDeviceWord), static_cast<int>(place % BitsPerDeviceWord));
  }

  TMemory &         m_Memory;
  const TAreEqual & m_AreEqual;
};

/** Decides what the sides of a word's square leave undecided, if the warp has few such links, and lists the pairs of
 *  runs that are linked. Rows of the square that do not lie in the brick are empty. All lanes must call.
 *  \param own               the word
 *  \param hasY, hasZ        whether the brick has the rows before the word's along y and z
 *  \param joinedY, joinedZ  the bits at which it is linked to those before it along y and z
 *  \param areEqual          as UndecidedLister
 *  \return whether it did so */
template <typename TProblem, typename TMemory, typename TAreEqual>
__device__ inline bool
ListUndecidedLinks(const TProblem &  problem,
                   TMemory &         memory,
                   const RowWord &   own,
                   bool              hasY,
                   bool              hasZ,
                   DeviceWord        joinedY,
                   DeviceWord        joinedZ,
                   const TAreEqual & areEqual)
{
  const int         self = static_cast<int>(threadIdx.x);
  const bool        hasBoth = hasY && hasZ;
  const int         stepZ = WordsPerBrickRow << problem.grid.bundlesShiftY;
  const int         beforeY = hasY ? self - WordsPerBrickRow : WordsPerBrick;
  const int         beforeZ = hasZ ? self - stepZ : WordsPerBrick;
  const int         before = hasBoth ? self - WordsPerBrickRow - stepZ : WordsPerBrick;
  const RowWord     b = memory.RowAt(beforeY);
  const RowWord     c = memory.RowAt(before);
  const RowWord     d = memory.RowAt(beforeZ);
  const SquareLinks links = { joinedY,
                              memory.joinedZ[hasBoth ? beforeY : self],
                              memory.joinedY[hasBoth ? beforeZ : self],
                              joinedZ };
  const SquareLinks turned = links.Turned();
  // Links across the brick's border along x are found at that border.
  const DeviceWord      inner = LaneInRow() == 0 ? ~1u : ~0u;
  const DeviceWord      innerY = hasY ? inner : 0u;
  const DeviceWord      innerZ = hasZ ? inner : 0u;
  const DeviceWord      innerBoth = problem.HasDiagonals(2) ? innerY & innerZ : 0u;
  const UndecidedSquare undecided = { UndecidedCorners(own, b, joinedY) & innerY,
                                      UndecidedCorners(own, d, joinedZ) & innerZ,
                                      UndecidedCorners(own, c, links.Across()) & innerBoth,
                                      UndecidedCorners(b, d, turned.Across()) & innerBoth,
                                      UndecidedStraight(links, own, c),
                                      UndecidedStraight(turned, b, d) };
  if (!__any_sync(AllLanes, undecided.Any()))
  {
    return true;
  }
  if (SumOfWarp(undecided.Count()) > TuningOf<Tuned::ListedLinks>)
  {
    return false;
  }
  const UndecidedLister<TMemory, TAreEqual> lister(memory, areEqual);
  lister.LookAt(undecided.toY, 0, self, beforeY);
  lister.LookAt(undecided.toZ, 0, self, beforeZ);
  lister.LookAt(undecided.toBoth, undecided.straight, self, before);
  lister.LookAt(undecided.between, undecided.straightBetween, beforeY, beforeZ);
  return true;
}

} // namespace brickccl::cuda

#endif
