#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNDECIDEDLINKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNDECIDEDLINKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"

/** The few links between equal values that links along the axes leave undecided. They lie across squares of which no
 *  two sides are known to be equal. If exactly one side is equal, the other voxels differ. If more sides are, they are
 *  linked. */
namespace brickccl::cuda
{

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

/** Decides what the sides of a square leave undecided, if the warp has few such links, and lists the pairs of runs that
 *  are linked. The square has the word's row and those before it along y and z, as far as they lie in the brick. All
 *  lanes must call.
 *  \param own               the word
 *  \param joinedY, joinedZ  the bits at which it is linked to those before it along y and z
 *  \param areEqual          whether two voxels of the brick are equal; each word has 32 voxels, in order
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
  // Links across the brick's border along x are found at that border.
  const DeviceWord inner = LaneInRow() == 0 ? ~1u : ~0u;
  const DeviceWord innerY = hasY ? inner : 0u;
  const DeviceWord innerZ = hasZ ? inner : 0u;
  const DeviceWord innerBoth = problem.HasDiagonals(2) ? innerY & innerZ : 0u;
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
