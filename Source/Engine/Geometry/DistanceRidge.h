// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_GEOMETRY_DISTANCERIDGE_H
#define BRICKCCL_GEOMETRY_DISTANCERIDGE_H

#include "BrickCCL/Geometry/DrawBalls.h"

namespace brickccl
{

/** Finds the balls of a distance transform that matter: a ball all of whose voxels are in a larger ball around a
 *  neighbor of its center is left out, for most sizes. The others come in raster order.
 *
 *  Whether all voxels are in the neighbor's ball is known from the two sizes, by a table (Rémy and Thiel 2002, "Medial
 *  axis for chamfer distances: computing look-up tables and neighborhoods in 2D or 3D"; here for Euclidean distances
 * of any spacing). Sizes that are too rare for a table are asked for balls within balls instead. \param squares  the
 * square of each voxel's ball in an image of up to 3 dimensions; 0 for voxels without one \throws Canceled */
std::vector<VoxelBall>
FindRidge(const Extent & extent, const double * spacing, const HostContext & context, const float * squares);

} // namespace brickccl

#endif
