// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_GEOMETRY_PHYSICALTOINDEX_H
#define BRICKCCL_GEOMETRY_PHYSICALTOINDEX_H

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/VolumeView.h"

#include <cmath>
#include <utility>

namespace brickccl
{

/** The continuous index of a physical point, counted from the first voxel of the buffer: the inverse of
 *  Geometry::IndexToPhysical. \throws InvalidArgument if the axes do not span the space. */
inline void
PhysicalToIndex(const Geometry & geometry, int dimension, const double * point, double * index)
{
  // Gaussian elimination with the largest pivots; the last column is the right-hand side.
  double rows[MaximumDimension][MaximumDimension + 1];
  for (int row = 0; row < dimension; ++row)
  {
    for (int axis = 0; axis < dimension; ++axis)
    {
      rows[row][axis] = geometry.direction[row][axis] * geometry.spacing[axis];
    }
    rows[row][dimension] = point[row] - geometry.origin[row];
  }
  for (int column = 0; column < dimension; ++column)
  {
    int pivot = column;
    for (int row = column + 1; row < dimension; ++row)
    {
      pivot = std::fabs(rows[row][column]) > std::fabs(rows[pivot][column]) ? row : pivot;
    }
    if (!(std::fabs(rows[pivot][column]) > 0))
    {
      throw InvalidArgument("the axes of the image do not span the space, so a point has no index in it");
    }
    std::swap(rows[pivot], rows[column]);
    for (int row = 0; row < dimension; ++row)
    {
      const double factor = row == column ? 0 : rows[row][column] / rows[column][column];
      for (int i = column; i <= dimension; ++i)
      {
        rows[row][i] -= factor * rows[column][i];
      }
    }
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    index[axis] = rows[axis][dimension] / rows[axis][axis] - static_cast<double>(geometry.startIndex[axis]);
  }
}

} // namespace brickccl

#endif
