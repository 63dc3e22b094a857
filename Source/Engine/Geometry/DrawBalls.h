// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The spacing of an axis along which balls do not reach. */
inline constexpr double FlatAxis = 1e30;

/** Balls of one size around voxels, in raster order. */
struct BallsOfSize
{
  /** The square of their radius. */
  float                     square;
  std::vector<std::int64_t> places;
};

/** Gives each voxel of an image of up to 3 dimensions the square of the largest ball that contains its center. The
 *  surface of a ball is outside. Voxels in no ball and voxels of value 0, which must not be in a ball, keep their
 *  values. The largest balls come first, and each voxel is set once. Voxels that are not yet set are bits, in blocks of
 *  8 x 8 x 8 voxels, and a bit for each block says whether any is left. So a ball whose voxels are all set costs
 *  little, which most balls of a distance transform are. Balls of thick parts are many and large: those without an
 *  unset voxel are found by the distances to unset voxels, and left out.
 *  \param balls  the largest first \throws Canceled */
void DrawBalls(std::vector<BallsOfSize> balls,
               const Extent &           extent,
               const double *           spacing,
               const HostContext &      context,
               float *                  squares);

/** Finds the balls of a distance transform that matter, the largest first: for most sizes, a ball whose voxels are all
 * in a larger ball around a neighbor of its center is left out. A table by the two sizes decides this (Rémy and Thiel
 *  2002, "Medial axis for chamfer distances: computing look-up tables and neighborhoods in 2D or 3D"; here for
 *  Euclidean distances of any spacing); sizes that are too rare for a table are asked for balls within balls instead.
 *  \param squares  the square of each voxel's ball, in up to 3 dimensions; 0 for none \throws Canceled */
std::vector<BallsOfSize>
FindRidge(const Extent & extent, const double * spacing, const HostContext & context, const float * squares);

} // namespace brickccl
