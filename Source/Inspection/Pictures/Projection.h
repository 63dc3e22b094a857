// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PICTURES_PROJECTION_H
#define BRICKCCL_PICTURES_PROJECTION_H

#include "BrickCCL/Pictures/Slice.h"

namespace brickccl
{

/** Samples a volume on lines along the axis `fixed`: the highest gray value on each (the mean of channels), and the
 *  label of the first component. The pixels form a slice of these values.
 *  \param image  has 2 or 3 dimensions
 *  \param labels  runs with labels, of the same extent
 *  \throws Canceled. */
SlicePixels SampleProjection(const LoadedImage & image,
                             const RunVolume &   labels,
                             const SliceView &   view,
                             int                 fixed,
                             const HostContext & context);

} // namespace brickccl

#endif
