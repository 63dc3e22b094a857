// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Segmenting/Smoothing.h"

#include <utility>
#include <vector>

namespace brickccl
{

struct RigidMotion;

/** An image of the same extent and geometry without voxels. */
inline LoadedImage
EmptyCopy(const LoadedImage & image, ScalarType type)
{
  LoadedImage copy;
  copy.type = type;
  copy.extent = image.extent;
  copy.geometry = image.geometry;
  copy.spacingSource = image.spacingSource;
  copy.files = image.files;
  return copy;
}

/** Samples an image of one channel and at most 3 dimensions at the voxel centers of another grid, linearly: as floats,
 *  or doubles where float cannot hold the values; NaN more than half a voxel outside of the image.
 *  \param motion  if given, it leads from the grid's points to the image's, and the nearest voxel is taken
 *  \throws InvalidArgument if it is NaN everywhere; Unsupported in a build without ITK; Canceled. */
LoadedImage ResampleImage(const LoadedImage & image,
                          const LoadedImage & grid,
                          const HostContext & context,
                          const RigidMotion * motion = nullptr);

/** A copy of an image, smoothed by one filter after the other. */
inline LoadedImage
SmoothImage(const LoadedImage & image, const std::vector<SmoothingMethod> & methods, const HostContext & context)
{
  LoadedImage smoothed;
  for (const SmoothingMethod & method : methods)
  {
    const LoadedImage & before = &method == methods.data() ? image : smoothed;
    LoadedImage         next = EmptyCopy(before, SmoothedType(before.type, method));
    Smooth(before.View(), before.geometry, method, next.voxels.Resize(next.ByteCount()), context);
    smoothed = std::move(next);
  }
  return smoothed;
}

/** Replaces each box of `most` voxels along x, y and z by a voxel with their mean: of whole numbers exact and rounded
 *  to the nearest one, halves up. At the far ends a box has the voxels that are left. Spacing and origin follow, with a
 *  note. \throws InvalidArgument for several channels, and for images with segments. */
void Downsample(LoadedImage & image, int most, const HostContext & context);

} // namespace brickccl
