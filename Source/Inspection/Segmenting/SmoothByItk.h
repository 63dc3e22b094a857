// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_SMOOTHBYITK_H
#define BRICKCCL_SEGMENTING_SMOOTHBYITK_H

#include "BrickCCL/Segmenting/Smoothing.h"

namespace brickccl
{

/** The work of Smooth after its checks. \throws Unsupported in a build without ITK. */
void SmoothByItk(const ImageView &       image,
                 const Geometry &        geometry,
                 const SmoothingMethod & method,
                 void *                  smoothed,
                 const HostContext &     context);

} // namespace brickccl

#endif
