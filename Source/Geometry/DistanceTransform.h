#ifndef BRICKCCL_GEOMETRY_DISTANCETRANSFORM_H
#define BRICKCCL_GEOMETRY_DISTANCETRANSFORM_H

#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstdint>

namespace brickccl
{

/** For every voxel of a component the squared distance (mm^2) from its centre to the nearest voxel that is not of the
 *  component, taken as a box; what lies beyond the image's border is not. 0 for other voxels. Exact but for the
 * rounding to float. Of up to 3 dimensions.
 *
 *  Axis by axis, each line by its lower envelope of parabolas as by Felzenszwalb and Huttenlocher, Distance Transforms
 * of Sampled Functions, Theory of Computing, 2012; that the others are boxes makes it the envelope's values half a
 * voxel to both sides. \param labels  a label for every voxel, x fastest. */
UninitializedVector<float> SquaredDistancesToOthers(const Extent &                     extent,
                                            const Geometry &                   geometry,
                                            const UninitializedVector<std::uint32_t> & labels,
                                            const HostContext &                context);

} // namespace brickccl

#endif
