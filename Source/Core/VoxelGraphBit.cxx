#include "BrickCCL/Core/VoxelGraphBit.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace brickccl
{

namespace
{

/** The steps in the order of their bits. */
constexpr NeighbourOffset StepsOfPlane[] = { { 1 },    { -1 },    { 0, 1 },  { 0, -1 },
                                             { 1, 1 }, { -1, 1 }, { 1, -1 }, { -1, -1 } };
constexpr NeighbourOffset StepsOfVolume[] = { { 1 },         { -1 },        { 0, 1 },      { 0, -1 },     { 0, 0, 1 },
                                              { 0, 0, -1 },  { 1, 1 },      { -1, 1 },     { 1, -1 },     { -1, -1 },
                                              { 1, 0, 1 },   { -1, 0, 1 },  { 0, 1, 1 },   { 0, -1, 1 },  { 1, 0, -1 },
                                              { -1, 0, -1 }, { 0, 1, -1 },  { 0, -1, -1 }, { 1, 1, 1 },   { -1, 1, 1 },
                                              { 1, -1, 1 },  { -1, -1, 1 }, { 1, 1, -1 },  { -1, 1, -1 }, { 1, -1, -1 },
                                              { -1, -1, -1 } };

template <typename TSteps>
int
PlaceOf(const NeighbourOffset & step, const TSteps & steps)
{
  const auto found = std::find(std::begin(steps), std::end(steps), step);
  return found == std::end(steps) ? -1 : static_cast<int>(found - std::begin(steps));
}

} // namespace

int
VoxelGraphBit(const NeighbourOffset & step, int dimension)
{
  const int bit = dimension < 1 || dimension > 3 ? -1
                : dimension == 3                 ? PlaceOf(step, StepsOfVolume)
                                                 : PlaceOf(step, StepsOfPlane);
  if (bit < 0 || (dimension == 1 && bit > 1))
  {
    throw InvalidArgument("a voxel graph in " + std::to_string(dimension) + " dimensions has no bit for this step");
  }
  return bit;
}

} // namespace brickccl
