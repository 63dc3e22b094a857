// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_RESAMPLEIMAGE_H
#define BRICKCCL_SEGMENTING_RESAMPLEIMAGE_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

namespace brickccl
{

/** Samples an image of one channel and at most 3 dimensions at the voxel centers of another grid, linearly. The result
 *  has floats, or doubles for values that float cannot hold; it is NaN more than half a voxel outside of the image.
 *  \throws InvalidArgument if it is NaN everywhere; Unsupported in a build without ITK; Canceled. */
LoadedImage ResampleImage(const LoadedImage & image, const LoadedImage & grid, const HostContext & context);

} // namespace brickccl

#endif
