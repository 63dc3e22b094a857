#ifndef BRICKCCL_SEGMENTING_CLOSEMASK_H
#define BRICKCCL_SEGMENTING_CLOSEMASK_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>

namespace brickccl
{

/** Closes gaps of up to `width` mm in a mask of ones and zeros: the morphological closing by the offsets between voxels
 *  whose boxes lie at most half of `width` from the other's centre. Beyond the border of the image, the voxels at the
 *  border go on. For up to 3 dimensions. It holds 8 bytes for each voxel around the mask for a while.
 *  \throws InvalidArgument for a width that is negative, infinite or NaN. */
void CloseMask(std::uint8_t *      mask,
               const Extent &      extent,
               const Geometry &    geometry,
               double              width,
               const HostContext & context);

/** By how many voxels the box that it works on may reach beyond the mask along an axis, on each side. */
std::int64_t MarginOfClosing(double width, double spacing);

} // namespace brickccl

#endif
