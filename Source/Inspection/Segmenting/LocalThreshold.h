// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_LOCALTHRESHOLD_H
#define BRICKCCL_SEGMENTING_LOCALTHRESHOLD_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <cstdint>

namespace brickccl
{

/** Compares each voxel with the material around it, for scans that are brighter in some places than in others.
 *
 *  Air are the values below a global threshold, material the others. A voxel's threshold is
 *  air + percent / 100 * (material - air), where `air` is the mean of all air in the histogram, rounded, and `material`
 *  is the mean of the material in a window around the voxel. The window reaches floor(window / (2 * spacing)) voxels to
 *  both sides along each axis and ends at the border of the image. All numbers are whole: values less the least one
 *  where the histogram has a bin for each, else numbers of bins.
 *
 *  \param found      Otsu's threshold, which separates air and material, with the method
 *  \param histogram  the one that it was found in
 *  \param mask       set to 1 for values at or above their threshold, else to 0
 *  \throws InvalidArgument for 4 dimensions, a window of 1 or of more than 255 voxels, and whole numbers beyond 2^53;
 *  Canceled. */
void CompareLocally(const ImageView &      image,
                    const Geometry &       geometry,
                    const Threshold &      found,
                    const ValueHistogram & histogram,
                    std::uint8_t *         mask,
                    const HostContext &    context);

} // namespace brickccl

#endif
