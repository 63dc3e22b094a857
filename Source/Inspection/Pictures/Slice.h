// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Which slice of a volume is drawn, and with how many pixels. */
struct SliceView
{
  /** The axes that run to the right and down. */
  int across = 0;
  int down = 1;
  /** A voxel of the slice. Only its index along the third axis matters. */
  std::int64_t place[3] = {};
  /** The first voxel along the axes that run to the right and down, and the number of voxels; 0: up to the last one. */
  std::int64_t low[2] = {};
  std::int64_t size[2] = {};
  int          width = 1;
  int          height = 1;
  /** Whether the axis that runs down has its highest index on top. */
  bool isUpsideDown = false;
  /** Whether the axis that runs to the right has its highest index at the left. */
  bool isMirrored = false;
};

struct SlicePixels
{
  int width = 0;
  int height = 0;
  /** Where voxels are smaller than pixels, this is the mean of the voxels under a pixel, over all channels. Elsewhere
   *  it is interpolated linearly between the centers of voxels. NaN where no voxel is a finite number. */
  std::vector<double> gray;
  /** The most frequent label of the labeled voxels under a pixel; 0 if there are none. */
  std::vector<std::uint64_t> labels;
  /** The share (0 .. 1) of the voxels under a pixel that are labeled. */
  std::vector<float> coverage;
};

/** The largest number of voxels per axis, evenly spread, that a pixel uses. */
inline constexpr std::int64_t VoxelsPerPixel = 8;

/** Samples a slice. It looks only at the voxels that the pixels need; the label map is never made.
 *  \param image  has 1 to 3 dimensions
 *  \param labels  runs with labels, of the same extent
 *  \throws Canceled. */
SlicePixels
SampleSlice(const LoadedImage & image, const RunVolume & labels, const SliceView & view, const HostContext & context);

/** The label of a voxel of a row; 0 for background. */
std::uint64_t LabelAt(const RunVolume & labels, std::int64_t row, std::int64_t x);

/** Samples a volume on lines along the axis `fixed`: the highest gray value on each (the mean of channels), and the
 *  label of the first component. The pixels form a slice of these values.
 *  \param image  has 2 or 3 dimensions
 *  \param labels  runs with labels, of the same extent
 *  \throws Canceled. */
SlicePixels SampleProjection(const LoadedImage & image,
                             const RunVolume &   labels,
                             const SliceView &   view,
                             int                 fixed,
                             const HostContext & context);

} // namespace brickccl
