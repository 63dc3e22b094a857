// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PICTURES_PLANE_H
#define BRICKCCL_PICTURES_PLANE_H

#include "BrickCCL/Pictures/Slice.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Samples values and labels of a plane, x fastest, as SampleSlice samples a slice.
 *  \param extent  has 2 dimensions
 *  \param view  of the axes 0 and 1. \throws Canceled. */
SlicePixels SamplePlane(const std::vector<float> &         gray,
                        const std::vector<std::uint64_t> & labels,
                        const Extent &                     extent,
                        const SliceView &                  view,
                        const HostContext &                context);

} // namespace brickccl

#endif
