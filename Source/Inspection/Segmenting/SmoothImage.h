// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_SMOOTHIMAGE_H
#define BRICKCCL_SEGMENTING_SMOOTHIMAGE_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Segmenting/Smoothing.h"

namespace brickccl
{

/** A smoothed copy of an image. */
inline LoadedImage
SmoothImage(const LoadedImage & image, const SmoothingMethod & method, const HostContext & context)
{
  LoadedImage smoothed;
  smoothed.type = SmoothedType(image.type, method);
  smoothed.extent = image.extent;
  smoothed.geometry = image.geometry;
  smoothed.spacingSource = image.spacingSource;
  smoothed.files = image.files;
  Smooth(image.View(), image.geometry, method, smoothed.voxels.Resize(smoothed.ByteCount()), context);
  return smoothed;
}

} // namespace brickccl

#endif
