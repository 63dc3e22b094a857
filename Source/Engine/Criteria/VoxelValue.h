// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <limits>
#include <type_traits>

namespace brickccl
{

/** A user's number, rounded to the image's type: 0.7 is not a value of floating-point voxels, so the nearest one is
 *  used. */
inline Number
AsVoxelValue(const Number & number, ScalarType type)
{
  return VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      constexpr T largest = std::numeric_limits<T>::max();
      return number >= -largest && number <= largest ? Number(static_cast<T>(number)) : number;
    }
    else
    {
      return number;
    }
  });
}

} // namespace brickccl
