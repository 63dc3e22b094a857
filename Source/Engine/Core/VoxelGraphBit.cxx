// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Connectivity.h"

#include "BrickCCL/Core/Error.h"

#include <cstddef>
#include <string>

namespace brickccl
{

constexpr int None = -1;

/** The bits of the steps -1, 0 and 1 along x, then y, then z. */
constexpr int BitsOfVolume[] = { 25, 17, 24, 15, 5,  14, 23, 16, 22, 9,  3,  8,  1, None,
                                 0,  7,  2,  6,  21, 13, 20, 11, 4,  10, 19, 12, 18 };
constexpr int BitsOfPlane[] = { 7, 3, 6, 1, None, 0, 5, 2, 4 };

/** Whether the step leads to a neighbor along the first axes. */
static bool
IsBetweenNeighbors(const NeighborOffset & step, int dimension)
{
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    const int maximum = axis < dimension ? 1 : 0;
    if (step[static_cast<std::size_t>(axis)] < -maximum || step[static_cast<std::size_t>(axis)] > maximum)
    {
      return false;
    }
  }
  return true;
}

static int
BitOf(const NeighborOffset & step, int dimension)
{
  if (dimension < 1 || dimension > 3 || !IsBetweenNeighbors(step, dimension))
  {
    return None;
  }
  const int place = 3 * step[1] + step[0] + 4;
  return dimension == 3 ? BitsOfVolume[9 * (step[2] + 1) + place] : BitsOfPlane[place];
}

int
VoxelGraphBit(const NeighborOffset & step, int dimension)
{
  const int bit = BitOf(step, dimension);
  if (bit == None)
  {
    throw InvalidArgument("a voxel graph in " + std::to_string(dimension) + " dimensions has no bit for this step");
  }
  return bit;
}

} // namespace brickccl
