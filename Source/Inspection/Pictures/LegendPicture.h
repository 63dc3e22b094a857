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

/** A colour and what it stands for. */
struct LegendRow
{
  std::uint64_t label = 0;
  Colour        colour;
  std::string   text;
};

/** What a picture with a legend shows. */
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

/** Writes a PNG of one slice with the labels in the colours of the legend, which stands beside it with a scale bar.
 *  \throws Error if the file cannot be written; Cancelled. */
void WriteLegendPicture(const std::string & path, const LegendPicture & picture, const HostContext & context);

} // namespace brickccl

#endif
