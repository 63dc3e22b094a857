#ifndef BRICKCCL_CRITERIA_VOXELVALUE_H
#define BRICKCCL_CRITERIA_VOXELVALUE_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <cmath>
#include <limits>

namespace brickccl
{

/** A number that somebody wrote, as an image of the type has it: 0.7 is no value of 32-bit floating-point voxels, and
 *  the nearest one is meant. */
inline Number
AsVoxelValue(const Number & number, ScalarType type)
{
  const bool isWithin = std::fabs(number.Nearest()) <= static_cast<double>(std::numeric_limits<float>::max());
  return type == ScalarType::Float32 && isWithin ? Number(static_cast<float>(number)) : number;
}

} // namespace brickccl

#endif
