// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PICTURES_LEGENDPICTURE_H
#define BRICKCCL_PICTURES_LEGENDPICTURE_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** A color and its meaning. */
struct LegendRow
{
  std::uint64_t label = 0;
  Color         color;
  std::string   text;
};

/** The contents of a picture with a legend. */
struct LegendPicture
{
  /** A slice: an image of 2 dimensions, or of 3 with one voxel along z. */
  const LoadedImage & background;
  /** Labels of the same extent, each of which has a row in the legend. */
  const RunVolume &        labels;
  std::vector<LegendRow>   legend;
  std::vector<std::string> title;
  /** Whether the background's spacing is in mm. */
  bool hasSpacing = true;
};

/** Writes a PNG of one slice with the labels in the colors of the legend, which is next to it with a scale bar.
 *  \throws Error if the file cannot be written; Canceled. */
void WriteLegendPicture(const std::string & path, const LegendPicture & picture, const HostContext & context);

} // namespace brickccl

#endif
