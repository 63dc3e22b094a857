#ifndef BRICKCCL_CORE_VOXELGRAPHBIT_H
#define BRICKCCL_CORE_VOXELGRAPHBIT_H

#include "BrickCCL/Core/Connectivity.h"

namespace brickccl
{

/** The bit of a voxel graph that stands for a step, from 0 on, in the order of cc3d: an axis comes before the next one
 *  and up before down; first the faces, then the edges of the plane x y, then those upwards along z, those downwards,
 * then the corners.
 *
 *       0 +x   1 -x   2 +y   3 -y   4 +z   5 -z
 *       6 +x+y   7 -x+y   8 +x-y   9 -x-y
 *      10 +x+z  11 -x+z  12 +y+z  13 -y+z  14 +x-z  15 -x-z  16 +y-z  17 -y-z
 *      18 +x+y+z  19 -x+y+z  20 +x-y+z  21 -x-y+z  22 +x+y-z  23 -x+y-z  24 +x-y-z  25 -x-y-z
 *
 *  In one and two dimensions the steps that are left keep their order: 4 +x+y, 5 -x+y, 6 +x-y, 7 -x-y.
 *  \throws InvalidArgument for what is no step between neighbours in 1 to 3 dimensions. */
int VoxelGraphBit(const NeighbourOffset & step, int dimension);

} // namespace brickccl

#endif
