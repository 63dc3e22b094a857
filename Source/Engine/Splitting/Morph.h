// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Progress.h"

#include <cstdint>

namespace brickccl
{

enum class MorphOperation
{
  /** Background voxels get the label of the nearest labeled voxel within the radius; of several equally near ones, the
   *  smallest label. */
  Dilate,
  /** Voxels become background that have another label or the background within the radius. */
  Erode,
  /** Voxels stay that are in a ball of voxels of their label. Only voxels inside the image count. */
  Open,
  /** Background voxels get a label if every ball that holds them holds a voxel of this label; of several labels, the
   *  smallest. Everything beyond the image is background, but balls are flat along axes of one voxel. The radius is at
   *  most the longest side of the image. */
  Close
};

struct MorphOptions
{
  MorphOperation operation = MorphOperation::Dilate;
  /** The radius of the ball in mm: it holds the voxels whose centers are at most this far from its center. Distances
   *  count as equal if they differ by less than a ten-millionth. */
  double radius = 0;
  /** The ball is a disk in slices orthogonal to this axis; -1: it is a ball. */
  int sliceAxis = -1;
  /** The spacing of the image. */
  Geometry geometry;
  /** The number of threads; 0: all. */
  int           threads = 0;
  ProgressHooks progress;
};

struct MorphReport
{
  /** The voxels that became labeled, and those that became background. */
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};

/** Morphology with exact Euclidean balls, of a mask or of all labels at once. Labels keep their numbers. The result
 * does not depend on the number of threads. \param labels  an image of one channel; 0 is the background, every other
 * whole number below 2^32 a label \param result  other memory for an image of the same type \param options  the
 * operation, its radius, slices, spacing, threads and progress \throws InvalidArgument, Canceled, std::bad_alloc. */
MorphReport Morph(const ImageView & labels, void * result, const MorphOptions & options);

} // namespace brickccl
