// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"

#include <vector>

namespace brickccl
{

struct VoxelStep
{
  int step[3];
};

/** One of each two opposite steps to neighbors: 1, 4 or 13 steps in 1, 2 or 3 dimensions. Steps along x come first,
 *  then those that go up along y and z. \throws Unsupported for more dimensions. */
std::vector<VoxelStep> HalfNeighbors(int dimension);

/** The weights of Crofton's formula, one for each of HalfNeighbors. The surface (in 2-D the perimeter) of a component
 *  is about the sum over all steps of the weight times the number of the component's chords along the step: the number
 *  of its voxels less the number of its voxels whose neighbor by the step belongs to it as well. A direction represents
 *  all directions that are nearer to it than to any other. Its weight is their share of the unit sphere (circle), for
 *  the spacing of the voxels. Lehmann and Legland (Efficient N-Dimensional surface estimation using Crofton formula and
 *  run-length encoding, Insight Journal, 2012) do the same with the shares of cubic voxels for all spacings. */
std::vector<double> CroftonWeights(int dimension, const Geometry & geometry);

} // namespace brickccl
