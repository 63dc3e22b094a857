#ifndef BRICKCCL_PICTURES_PICTURE_H
#define BRICKCCL_PICTURES_PICTURE_H

#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <string>

namespace brickccl
{

/** What a picture shows. */
struct PictureContents
{
  /** An image of 1 to 3 dimensions. */
  const LoadedImage & background;
  /** The labels. They have the background's extent. */
  const RunVolume & labels;
  /** The table of these labels. */
  const ComponentTable & table;
  /** Whether the background's spacing is in mm. If not, lengths and sizes are given in pixels or voxels. */
  bool hasSpacing = true;
};

/** \throws Unsupported unless pictures can show images of this extent: those of 1 to 3 dimensions. */
void CheckPicture(const Extent & extent);

/** Writes a PNG of the orthogonal slices through the largest component, or of the only slice that there is.
 *
 *  The picture shows the gray values of the background (see WindowOfPart), and over them the labels in colours that
 *  differ between neighbours (see LabelColours). It also shows the slices' positions (index, and mm from the first
 *  slice), marks where the slices cut each other, and a key (see PictureKey). Voxels keep their physical proportions.
 *  An axis that would be too thin to see is drawn wider, and the picture says so. z points up.
 *
 *  Only voxels in the slices are looked at, at most VoxelsPerPixel along each axis for a pixel. No display and no fonts
 *  are needed.
 *  \throws Unsupported as CheckPicture does; Error if the file cannot be written; Cancelled. */
void WritePicture(const std::string & path, const PictureContents & contents, const HostContext & context);

} // namespace brickccl

#endif
