// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl::batch
{

/** A box of voxels, the reference volume of a rule (a reference area if it has one voxel along an axis). It slides
 *  over the image, voxel by voxel, always completely inside. */
struct ReferenceWindow
{
  /** The voxels along each axis: the whole number that is nearest to the reference length. */
  std::array<std::int64_t, 3> size = { 1, 1, 1 };

  /** \param side    the length of each side in mm
   *  \param across  the axis along which the window is one voxel thick; -1 for a volume
   *  \throws InvalidArgument if the window has less than half a voxel or is larger than the image. */
  ReferenceWindow(double side, int across, const Extent & extent, const Geometry & geometry);

  std::int64_t
  VoxelCount() const
  {
    return size[0] * size[1] * size[2];
  }
};

struct WorstPlace
{
  double value = 0;
  /** The window's first voxel, relative to the image's; of several places, the first one in raster order. */
  std::array<std::int64_t, 3> first = { 0, 0, 0 };
};

struct WindowContents
{
  /** Labels are places in `counts` from 1 on. */
  const RunVolume & runs;
  /** For each label, whether its component counts. */
  const std::vector<bool> & counts;
  HostContext               context;
};

/** The highest share of a window's voxels in counted components; nothing if none counts. \param part  if given, a mask
 *  of bytes: the share is relative to the part's voxels in the window, and a window counts only if at least `leastPart`
 *  (0 .. 1) of it is in the part \throws InvalidArgument if no window does so; Canceled. */
std::optional<WorstPlace> HighestShare(const WindowContents &           contents,
                                       const ReferenceWindow &          window,
                                       const std::optional<ImageView> & part = {},
                                       double                           leastPart = 0);

/** The highest number of counted components with a voxel in a window; nothing without any. \throws Canceled. */
std::optional<WorstPlace> HighestNumber(const WindowContents & contents, const ReferenceWindow & window);

/** Those that have a voxel in the window at a place, of the components that count: their labels. */
std::vector<std::uint64_t>
LabelsIn(const WindowContents & contents, const ReferenceWindow & window, const WorstPlace & place);

} // namespace brickccl::batch
