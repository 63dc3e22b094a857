// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_GEOMETRY_DISTANCETRANSFORM_H
#define BRICKCCL_GEOMETRY_DISTANCETRANSFORM_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstdint>

namespace brickccl
{

/** The squared distance (mm^2) from the center of every voxel of a component to the nearest voxel outside of the
 *  component, taken as a box. Everything beyond the image's border is outside. The distance is 0 for voxels of no
 *  component. It is exact except for the rounding to float. For images of up to 3 dimensions.
 *
 *  The transform goes axis by axis and takes the lower envelope of parabolas on each line (Felzenszwalb and
 *  Huttenlocher, Distance Transforms of Sampled Functions, Theory of Computing, 2012). Since the voxels outside are
 *  boxes, the envelope is read half a voxel to both sides. \param labels  a label for every voxel, x fastest. */
UninitializedVector<float> SquaredDistancesToOthers(const Extent &                             extent,
                                                    const Geometry &                           geometry,
                                                    const UninitializedVector<std::uint32_t> & labels,
                                                    const HostContext &                        context);

} // namespace brickccl

#endif
