// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VTK_COMPONENTSURFACES_H
#define BRICKCCL_VTK_COMPONENTSURFACES_H

#include "BrickCCL/Core/VolumeView.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl
{

/** A surface to look at: points and normals in mm, three numbers each, and triangles with normals outwards. */
struct Surface
{
  std::vector<float>        points;
  std::vector<float>        normals;
  std::vector<std::int32_t> triangles;
};

/** The source of a surface. */
struct SurfaceSource
{
  /** 3 dimensions, one channel. */
  ImageView labels;
  Geometry  geometry;
  /** The voxels that have this label are inside; without it, those that are not 0. */
  std::optional<std::uint64_t> label;
  /** The first and the last voxel of a box with all voxels inside; they count from the first voxel of the image. */
  std::int64_t low[3] = {};
  std::int64_t high[3] = {};
  /** The sides in voxels, 1 to MaximumVoxelsPerBlock, of the blocks that the surface is made from. */
  int block[3] = { 1, 1, 1 };
};

inline constexpr int MaximumVoxelsPerBlock = 8;

/** The surface half-way between inside and outside, for pictures. Every voxel inside stays inside of it, and no other
 *  voxel, if blocks are single voxels. Larger blocks count if they are at least half full, and in parts too thin to
 *  fill a block if they hold a voxel, so that cracks of one voxel stay. Edges are rounded within half a block, and
 *  normals are smooth. Points count from the first voxel, along physical axes. */
Surface MakeSurface(const SurfaceSource & source);

} // namespace brickccl

#endif
