// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Tables/ComponentTable.h"

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

SurfaceSource SourceOf(const ImageView & labels, const Geometry & geometry, const ComponentMeasures & component);

struct BlockCounts
{
  std::int64_t               size[3] = {};
  std::vector<std::uint16_t> counts;
};

/** \param margin  this many empty blocks are around the box */
BlockCounts CountInBlocks(const SurfaceSource & source, std::int64_t margin);

/** The surface half-way between inside and outside, for pictures. Every voxel inside stays inside of it, and no other
 *  voxel, if blocks are single voxels. Larger blocks count if they are at least half full, and in parts too thin to
 *  fill a block if they hold a voxel, so that cracks of one voxel stay. Edges are rounded within half a block, and
 *  normals are smooth. Points count from the first voxel, along physical axes. */
Surface MakeSurface(const SurfaceSource & source);

struct ColoredSurface
{
  Surface surface;
  /** Red, green and blue of each point; empty if all points have one color. */
  std::vector<unsigned char> colors;
};

struct SurfaceView
{
  /** Unit vectors along physical axes: to the right and up in the picture, and towards the eye. */
  double right[3] = {};
  double up[3] = {};
  double toEye[3] = {};
  double center[3] = {};
  /** The radius of everything around the center. */
  double radius = 1;
  /** The size of a pixel in mm. */
  double pixelSize = 1;
  int    width = 1;
  int    height = 1;
};

/** Draws opaque components and, around them, a transparent part; either may be empty. The display must be ready.
 *  \return red, green and blue of each pixel, row by row from the top. \throws Unsupported without OpenGL. */
std::vector<unsigned char> DrawScene(const ColoredSurface & components,
                                     const ColoredSurface & part,
                                     const SurfaceView &    view,
                                     const Color &          ground);

} // namespace brickccl
