// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"

namespace brickccl
{

/** The slowest axis of more than one voxel, along which an image is read in parts; 0 if there is none. */
inline int
AxisOfParts(const Extent & image)
{
  int axis = image.dimension - 1;
  while (axis > 0 && image.size[axis] == 1)
  {
    --axis;
  }
  return axis;
}

} // namespace brickccl
