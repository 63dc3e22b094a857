// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_SMOOTHIMAGE_H
#define BRICKCCL_SEGMENTING_SMOOTHIMAGE_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Segmenting/Smoothing.h"

#include <utility>
#include <vector>

namespace brickccl
{

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

/** A copy of an image, smoothed by one filter after the other. */
inline LoadedImage
SmoothImage(const LoadedImage & image, const std::vector<SmoothingMethod> & methods, const HostContext & context)
{
  LoadedImage smoothed;
  for (std::size_t i = 0; i < methods.size(); ++i)
  {
    const LoadedImage & before = i == 0 ? image : smoothed;
    LoadedImage         next = EmptyCopy(before, SmoothedType(before.type, methods[i]));
    const auto          count = static_cast<double>(methods.size());
    Smooth(before.View(),
           before.geometry,
           methods[i],
           next.voxels.Resize(next.ByteCount()),
           context.Part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count));
    smoothed = std::move(next);
  }
  return smoothed;
}

} // namespace brickccl

#endif
