#ifndef BRICKCCL_GEOMETRY_CROFTON_H
#define BRICKCCL_GEOMETRY_CROFTON_H

#include "BrickCCL/Core/VolumeView.h"

#include <vector>

namespace brickccl
{

/** A step to a neighbouring voxel. */
struct VoxelStep
{
  int step[3];
};

/** One of each pair of opposite steps to neighbours: 1, 4 or 13 in 1, 2 or 3 dimensions; those along x, then those that
 *  go up along y and z. \throws Unsupported for more dimensions. */
std::vector<VoxelStep> HalfNeighbours(int dimension);

/** What a chord counts for in Crofton's formula, for each of HalfNeighbours: the surface (in 2-D the perimeter) of a
 *  component is about the sum over all steps of this weight times the number of its chords along the step, which are
 * its voxels less those whose neighbour by the step is one of its voxels, too.
 *
 *  A direction stands for those nearer to it than to any other: its weight is the share of the unit sphere (circle)
 * that they take, for the voxels' spacing. As by Lehmann and Legland, Efficient N-Dimensional surface estimation using
 * Crofton formula and run-length encoding, Insight Journal, 2012, who take the shares of cubic voxels for all. */
std::vector<double> CroftonWeights(int dimension, const Geometry & geometry);

} // namespace brickccl

#endif
