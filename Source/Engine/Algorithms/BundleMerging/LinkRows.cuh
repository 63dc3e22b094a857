// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH

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

/** A word of a row with its adjacent bits. */
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

/** The bits at which the runs of two words are known to be joined, and those at which their voxels are known to be
 *  separated. */
struct KnownLinks
{
  DeviceWord joined;
  DeviceWord separated;
};

/** How links between two rows are found, where values decide: EqualLinks and CloseLinks. Both have
 *
 *  - FindStraight: the links from a word of one row to the same x of another row;
 *  - UndecidedAcross: the bits of a word whose voxels must be compared with those of another row at x - 1 and at x + 1,
 *    because it is not decided yet whether their runs are joined. `joined` are the bits at which the runs of both rows
 * are known to be joined;
 *  - LookAcross: the links among these bits, found one by one.
 *
 *  `voxels` are the word's voxels, facing the other row: TileVoxels or MemoryVoxels. voxels(x, step) returns whether
 * the voxel at x is joined to the voxel of the other row at x + step. JoinedTo and JoinedAcross say it of all voxels of
 * a word. All lanes of a warp must call, those without a word with empty words. */

/** Equal values: one voxel answers for its run. There is one straight link for each pair of runs, at a bit where one of
 *  the two begins. */
struct EqualLinks
{
  static constexpr bool isTransitive = true;

  template <typename TVoxels>
  __device__ static StraightLinks
  FindStraight(const TVoxels & voxels, const RowWord & a, const RowWord & b, const KnownLinks & known)
  {
    const DeviceWord both = a.foreground & b.foreground;
    const DeviceWord undecided = both & ~(known.joined | known.separated);
    if (__any_sync(AllLanes, undecided != 0) == 0)
    {
      return { 0, known.joined };
    }
    // A pair of runs begins where either run does, or in an earlier word. It continues up to the next such bit, or to
    // the end of either run.
    const DeviceWord begins = both & (a.starts | b.starts);
    const DeviceWord goesOn = both & ~begins;
    const DeviceWord first = begins | (both & 1u);
    if constexpr (TVoxels::comparesWords)
    {
      if (TVoxels::few == 0 || __any_sync(AllLanes, __popc(first & undecided) > TVoxels::few) != 0)
      {
        const DeviceWord found = voxels.JoinedTo(undecided);
        return { found & begins, known.joined | found };
      }
    }
    const auto       ofPairs = [&](DeviceWord bits) { return SpreadAlong(SpreadBack(bits, goesOn), goesOn); };
    const DeviceWord joined = ofPairs(known.joined);
    // If one run of a joined pair continues and the other now has another value, the two are not joined.
    const DeviceWord oneBegins = both & (a.starts ^ b.starts);
    DeviceWord       at = first & ~(joined | ofPairs(known.separated) | (oneBegins & joined << 1));
    DeviceWord       found = 0;
    while (at != 0)
    {
      const DeviceWord bit = at & (0u - at);
      at ^= bit;
      if (voxels(LowestBit(bit), 0))
      {
        found |= bit;
        // A carry runs to the end of the pair.
        at &= ~((goesOn + (bit << 1)) & ~goesOn & oneBegins);
      }
    }
    return { found & begins, joined | SpreadAlong(found, goesOn) };
  }

  /** If exactly one side of a square of voxels is equal, the voxels across are not equal. If more sides are, links
   * along the axes join all of them. Adjacent words are not checked, so the voxels are compared there. */
  __device__ static BundleLinks<DeviceWord>
  UndecidedAcross(const RunWindow & a, const RunWindow & b, DeviceWord joined)
  {
    const DeviceWord        left = a.foreground & b.left;
    const DeviceWord        right = a.foreground & b.right;
    BundleLinks<DeviceWord> undecided = {};
    undecided.left = left & ~(a.GoesOn() | b.GoesOn() | joined | joined << 1);
    undecided.right = right & ~(a.GoesOnBehind() | b.GoesOnBehind() | joined | joined >> 1);
    return undecided;
  }

  template <typename TVoxels>
  __device__ static BundleLinks<DeviceWord>
  LookAcross(const TVoxels & voxels, const BundleLinks<DeviceWord> & undecided)
  {
    BundleLinks<DeviceWord> found = {};
    for (DeviceWord rest = undecided.left; rest != 0; rest &= rest - 1)
    {
      found.left |= voxels(LowestBit(rest), -1) ? rest & (0u - rest) : 0u;
    }
    for (DeviceWord rest = undecided.right; rest != 0; rest &= rest - 1)
    {
      found.right |= voxels(LowestBit(rest), 1) ? rest & (0u - rest) : 0u;
    }
    return found;
  }
};

/** A tolerance: each voxel answers for itself. Most often the first voxel of a pair of runs that may be joined decides.
 *  Where it does not, the others are compared. */
struct CloseLinks
{
  static constexpr bool isTransitive = false;

  template <typename TVoxels>
  __device__ static StraightLinks
  FindStraight(const TVoxels & voxels, const RowWord & a, const RowWord & b, const KnownLinks & known)
  {
    constexpr bool   comparesWords = TVoxels::comparesWords;
    const DeviceWord both = a.foreground & b.foreground;
    const DeviceWord begins = both & (a.starts | b.starts);
    const DeviceWord goesOn = both & ~begins;
    const DeviceWord first = begins | (both & 1u);
    const DeviceWord implied = SpreadAlong(SpreadBack(known.joined, goesOn), goesOn);
    DeviceWord       undecided = both & ~implied;
    DeviceWord       joined = implied;
    // The bits of a pair that continues from a word before, if it is joined there.
    const auto asBefore = [&](DeviceWord bits) {
      const DeviceWord carried = goesOn & BitBefore(bits);
      return carried | ToEnds(goesOn, carried);
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
      areMany = __any_sync(AllLanes, __popc(firstUndecided) > TVoxels::few) != 0;
    }
    if (!areMany)
    {
      const auto look = [&](DeviceWord at) {
        for (; at != 0; at &= at - 1)
        {
          joined |= voxels(LowestBit(at), 0) ? at & (0u - at) : 0u;
        }
      };
      look(firstUndecided);
      undecided &= ~(firstUndecided | SpreadAlong(joined, goesOn));
      if constexpr (comparesWords)
      {
        areMany = __any_sync(AllLanes, __popc(undecided) > TVoxels::few) != 0;
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
        joined |= voxels.JoinedTo(undecided);
      }
    }
    const DeviceWord firsts = FirstOfStretches(joined, first);
    const DeviceWord inWord = SpreadAlong(SpreadBack(firsts, goesOn) | implied, goesOn);
    const DeviceWord before = asBefore(inWord);
    return { firsts & ~implied & ~before, inWord | before };
  }

  /** A link to x - 1 is decided if the run of b continues to x, or if the run of a comes from x - 1. The same holds
   * mirrored.
   */
  __device__ static BundleLinks<DeviceWord>
  UndecidedAcross(const RunWindow & a, const RunWindow & b, DeviceWord joined)
  {
    const DeviceWord        left = a.foreground & b.left;
    const DeviceWord        right = a.foreground & b.right;
    BundleLinks<DeviceWord> undecided = {};
    const DeviceWord        joinedLeft = joined << 1 | BitBefore(joined);
    const DeviceWord        joinedRight = joined >> 1 | BitAfter(joined);
    undecided.left = left & ~(joined & ~b.starts) & ~(joinedLeft & ~a.starts);
    undecided.right = right & ~(joined & ~b.nextStarts) & ~(joinedRight & a.GoesOnBehind());
    return undecided;
  }

  /** Where there is no straight link, most voxels are compared with both. An unwanted voxel is replaced by itself. */
  template <typename TVoxels>
  __device__ static BundleLinks<DeviceWord>
  LookAcross(const TVoxels & voxels, const BundleLinks<DeviceWord> & undecided)
  {
    BundleLinks<DeviceWord> found = {};
    for (DeviceWord rest = undecided.left | undecided.right; rest != 0; rest &= rest - 1)
    {
      const DeviceWord at = rest & (0u - rest);
      const int        x = LowestBit(rest);
      found.left |= voxels(x, (undecided.left & at) != 0 ? -1 : 0) ? at : 0u;
      found.right |= voxels(x, (undecided.right & at) != 0 ? 1 : 0) ? at : 0u;
    }
    found.left &= undecided.left;
    found.right &= undecided.right;
    return found;
  }
};

/** The links among the undecided bits. Many are found by whole words. */
template <typename TLinks, typename TVoxels>
__device__ inline BundleLinks<DeviceWord>
FindAcross(const TVoxels & voxels, const BundleLinks<DeviceWord> & undecided)
{
  if constexpr (TVoxels::comparesWords)
  {
    if (__any_sync(AllLanes, __popc(undecided.left | undecided.right) > TVoxels::fewAcross) != 0)
    {
      return voxels.JoinedAcross(undecided.left, undecided.right);
    }
  }
  return TLinks::LookAcross(voxels, undecided);
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

/** Compares undecided voxels of two words of a brick, and lists the pairs of runs that are linked.
 *  \param atCorners  the bits of each word whose voxel may be equal to that at x - 1 of the other word
 *  \param atSame     the bits at which both may be equal
 *  \param areEqual   whether the voxels at two places of the brick are equal. Each word has 32, in order */
template <typename TMemory, typename TAreEqual>
__device__ __forceinline__ void
ListEqual(TMemory & memory, DeviceWord atCorners, DeviceWord atSame, int a, int b, const TAreEqual & areEqual)
{
  const auto isForeground = [&](unsigned place) {
    return (memory.RowAt(static_cast<int>(place / BitsPerDeviceWord)).foreground >> place % BitsPerDeviceWord & 1u) !=
           0;
  };
  const auto runAt = [&](unsigned place) {
    return memory.RunAt(static_cast<int>(place / BitsPerDeviceWord), static_cast<int>(place % BitsPerDeviceWord));
  };
  const auto look = [&](unsigned one, unsigned other) {
    const unsigned layer = threadIdx.x / WordsPerLayer;
    if (isForeground(one) && isForeground(other) && areEqual(one, other))
    {
      memory.pairs[layer][atomicAdd(memory.listed + layer, 1u)] = runAt(one) << 16 | runAt(other);
    }
  };
  for (DeviceWord rest = atCorners | atSame; rest != 0; rest &= rest - 1)
  {
    const DeviceWord bit = rest & (0u - rest);
    const unsigned   inA = static_cast<unsigned>(a * BitsPerDeviceWord + LowestBit(bit));
    const unsigned   inB = static_cast<unsigned>(b * BitsPerDeviceWord + LowestBit(bit));
    if ((atCorners & bit) != 0)
    {
      look(inA, inB - 1);
      look(inA - 1, inB);
    }
    if ((atSame & bit) != 0)
    {
      look(inA, inB);
    }
  }
}

/** Decides what the sides of a word's square leave undecided, if the warp has few such links, and lists the pairs of
 *  runs that are linked. Rows of the square outside the brick are empty. All lanes must call.
 *  \param own               the word
 *  \param hasY, hasZ        whether the brick has the rows before the word's along y and z
 *  \param joinedY, joinedZ  the bits at which it is linked to those before it along y and z
 *  \param areEqual          as ListEqual
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
  const DeviceWord inner = LaneInRow() == 0 ? ~1u : ~0u;
  const DeviceWord innerY = hasY ? inner : 0u;
  const DeviceWord innerZ = hasZ ? inner : 0u;
  const DeviceWord innerBoth = problem.HasDiagonals(2) ? innerY & innerZ : 0u;
  // Voxels across each other at the corners of the squares, by the two words of a side or diagonal; and at the same x.
  const DeviceWord toY = UndecidedCorners(own, b, joinedY) & innerY;
  const DeviceWord toZ = UndecidedCorners(own, d, joinedZ) & innerZ;
  const DeviceWord toBoth = UndecidedCorners(own, c, links.Across()) & innerBoth;
  const DeviceWord between = UndecidedCorners(b, d, turned.Across()) & innerBoth;
  const DeviceWord straight = UndecidedStraight(links, own, c);
  const DeviceWord straightBetween = UndecidedStraight(turned, b, d);
  if (!__any_sync(AllLanes, (toY | toZ | toBoth | between | straight | straightBetween) != 0))
  {
    return true;
  }
  const auto count = static_cast<unsigned>(2 * (__popc(toY) + __popc(toZ) + __popc(toBoth) + __popc(between)) +
                                           __popc(straight) + __popc(straightBetween));
  if (SumOfWarp(count) > TuningOf<Tuned::ListedLinks>)
  {
    return false;
  }
  ListEqual(memory, toY, 0, self, beforeY, areEqual);
  ListEqual(memory, toZ, 0, self, beforeZ, areEqual);
  ListEqual(memory, toBoth, straight, self, before, areEqual);
  ListEqual(memory, between, straightBetween, beforeY, beforeZ, areEqual);
  return true;
}

} // namespace brickccl::cuda

#endif
