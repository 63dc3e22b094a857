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
  /** Of 1 to 3 dimensions. */
  const LoadedImage & background;
  /** The labels, of the background's extent. */
  const RunVolume & labels;
  /** Of these labels. */
  const ComponentTable & table;
  /** Whether the background's spacing is in mm; else lengths and sizes are told in pixels or voxels. */
  bool hasSpacing = true;
};

/** \throws Unsupported unless pictures show images of this extent: of 1 to 3 dimensions. */
void CheckPicture(const Extent & extent);

/** Writes a PNG of the orthogonal slices through the largest component, or of the only slice there is.
 *
 *  It shows the gray values of the background (see WindowOfPart) with the labels laid over them in colours that differ
 *  between neighbours (see LabelColours), the slices' positions (index, and mm from the first slice), marks where they
 *  cut each other, and a key (see PictureKey). Voxels keep their physical proportions; an axis that would be too thin
 *  to see is drawn wider, and the picture says so. z points up.
 *
 *  Of the voxels those in the slices alone are looked at, at most VoxelsPerPixel along each axis for a pixel. It needs
 *  no display and no fonts.
 *  \throws Unsupported as CheckPicture; Error if the file cannot be written; Cancelled. */
void WritePicture(const std::string & path, const PictureContents & contents, const HostContext & context);

} // namespace brickccl

#endif
