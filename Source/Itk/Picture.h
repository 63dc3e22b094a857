#ifndef BRICKCCL_ITK_PICTURE_H
#define BRICKCCL_ITK_PICTURE_H

#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Files/ImageFile.h"

#include <cstdint>
#include <string>

namespace brickccl
{

/** Writes a PNG with the orthogonal slices through the largest component (in 2-D, the image): the gray values of
 *  `background` with the labels laid over them in colours that differ from label to label. Voxels keep their physical
 *  proportions; z points up.
 *  \param labels  the label map, of the background's extent.
 *  \throws Unsupported unless there are 2 or 3 dimensions; Error if the file cannot be written. */
void WritePicture(const std::string &    path,
                  const LoadedImage &    background,
                  const void *           labels,
                  LabelType              labelType,
                  const ComponentTable & table);

} // namespace brickccl

#endif
