// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SKEWGEOMETRY_H
#define BRICKCCL_TESTING_SKEWGEOMETRY_H

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brickccl
{

inline Geometry
SkewGeometry()
{
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[1] = 1.25;
  geometry.spacing[2] = 3;
  geometry.origin[0] = -10;
  geometry.origin[1] = 20;
  geometry.origin[2] = 5;
  geometry.startIndex[0] = 7;
  geometry.startIndex[2] = -4;
  // A rotation by 30 degrees about z with a flipped z.
  const double c = std::sqrt(3.0) / 2;
  const double rotation[3][3] = { { c, -0.5, 0 }, { 0.5, c, 0 }, { 0, 0, -1 } };
  for (int row = 0; row < 3; ++row)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      geometry.direction[row][axis] = rotation[row][axis];
    }
  }
  return geometry;
}

} // namespace brickccl

#endif
