#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNDECIDEDLINKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNDECIDEDLINKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"

/** Of equal values, the few links that those along the axes leave open: across squares no two of whose sides are known
 * to be equal. Where exactly one side is, the other voxels differ; where more are, they are linked. */
namespace brickccl::cuda
{

/** Bits at which two rows have voxels across each other, at x and at x - 1, that may be equal. What lies before the
 * word counts as open. \param joined bits at which the rows' runs are linked */
__device__ inline DeviceWord
OpenCorners(const RowWord & a, const RowWord & b, DeviceWord joined)
{
  const DeviceWord across = (a.foreground & b.Before()) | (a.Before() & b.foreground);
  return across & ~(a.GoesOn() | b.GoesOn() | joined | joined << 1);
}

/** Bits at which the rows of a square along y and z that lie side by side are linked: the first to the second (ab), the
 *  second to the third, and so on. */
struct SquareLinks
{
  DeviceWord ab;
  DeviceWord bc;
  DeviceWord cd;
  DeviceWord da;

  /** Bits at which the first row and the third are linked by way of another one. */
  __device__ DeviceWord
  Across() const
  {
    return (ab & bc) | (cd & da);
  }
  /** Bits at which the first and the third row may be equal and a pair of their runs begins, and none of these links
   * tells.
   */
  __device__ DeviceWord
  OpenAcross(const RowWord & a, const RowWord & c) const
  {
    return a.foreground & c.foreground & (a.starts | c.starts) & ~(ab | bc | cd | da);
  }
  /** As seen from the second row. */
  __device__ SquareLinks
  Turned() const
  {
    return { bc, cd, da, ab };
  }
};

/** Looks at what the square of a word's row and those before it along y and z, as far as they lie in the brick, leaves
 * open, if the warp has few such, and lists the pairs of runs that are linked. All lanes must call.
 *  \param own              the word
 *  \param joinedY, joinedZ  bits at which it is linked to those before it along y and z
 *  \param areEqual          whether the voxels at two places of the brick are equal: 32 for each word, in order
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
  const int         layer = self / WordsPerLayer;
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
  // Links across the brick's border along x are found there.
  const DeviceWord inner = LaneInRow() == 0 ? ~1u : ~0u;
  const DeviceWord innerY = hasY ? inner : 0u;
  const DeviceWord innerZ = hasZ ? inner : 0u;
  const DeviceWord innerBoth = problem.HasDiagonals(2) ? innerY & innerZ : 0u;
  const DeviceWord toY = OpenCorners(own, b, joinedY) & innerY;
  const DeviceWord toZ = OpenCorners(own, d, joinedZ) & innerZ;
  const DeviceWord toBoth = OpenCorners(own, c, links.Across()) & innerBoth;
  const DeviceWord between = OpenCorners(b, d, turned.Across()) & innerBoth;
  const DeviceWord straight = links.OpenAcross(own, c);
  const DeviceWord straightBetween = turned.OpenAcross(b, d);
  if (!__any_sync(AllLanes, (toY | toZ | toBoth | between | straight | straightBetween) != 0))
  {
    return true;
  }
  const int count =
    2 * (__popc(toY) + __popc(toZ) + __popc(toBoth) + __popc(between)) + __popc(straight) + __popc(straightBetween);
  constexpr unsigned capacity = sizeof(memory.pairs[0]) / sizeof(memory.pairs[0][0]);
  if (SumOfWarp(static_cast<unsigned>(count)) > capacity)
  {
    return false;
  }
  const auto isForeground = [&](unsigned place) {
    return (memory.RowAt(static_cast<int>(place / BitsPerDeviceWord)).foreground >> place % BitsPerDeviceWord & 1u) !=
           0;
  };
  const auto runAt = [&](unsigned place) {
    return memory.RunAt(static_cast<int>(place / BitsPerDeviceWord), static_cast<int>(place % BitsPerDeviceWord));
  };
  const auto look = [&](unsigned a, unsigned b) {
    if (isForeground(a) && isForeground(b) && areEqual(a, b))
    {
      memory.pairs[layer][atomicAdd(memory.listed + layer, 1u)] = runAt(a) << 16 | runAt(b);
    }
  };
  const auto lookAt = [&](DeviceWord atCorners, DeviceWord atSame, int a, int b) {
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
  };
  lookAt(toY, 0, self, beforeY);
  lookAt(toZ, 0, self, beforeZ);
  lookAt(toBoth, straight, self, before);
  lookAt(between, straightBetween, beforeY, beforeZ);
  return true;
}

} // namespace brickccl::cuda

#endif
