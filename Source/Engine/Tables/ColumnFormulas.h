// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Geometry/DoubleDouble.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cmath>

namespace brickccl::columns
{

inline constexpr double Pi = 3.14159265358979323846;

inline double
VolumeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(table.extent.dimension);
}

/** The cube root, the same on all systems: std::cbrt differs in the last digits, and one step of Newton's method in
 *  twice the precision rounds it to the nearest number. */
inline double
CubeRoot(double number)
{
  const double root = std::cbrt(number);
  const auto   square = DoubleDouble::ProductOf(root, root);
  const auto   cube = DoubleDouble::ProductOf(square.high, root);
  const double rest = ((number - cube.high) - cube.low - square.low * root) / (3 * square.high);
  return std::isfinite(rest) ? root + rest : root;
}

/** The diameter of the ball (interval, disc, sphere, 4-ball) of a volume. */
inline double
BallDiameter(int dimension, double volume)
{
  switch (dimension)
  {
  case 1:
    return volume;
  case 2:
    return 2 * std::sqrt(volume / Pi);
  case 3:
    return CubeRoot(6 * volume / Pi);
  default:
    return 2 * std::sqrt(std::sqrt(2 * volume) / Pi);
  }
}

/** A coordinate of the physical point of an index. A NaN in the index matters only to coordinates that depend on it. */
inline double
PhysicalPoint(const ComponentTable & table, const double (&index)[MaximumDimension], int axis)
{
  double value = table.geometry.origin[axis];
  for (int step = 0; step < table.extent.dimension; ++step)
  {
    const double perIndex = table.geometry.direction[axis][step] * table.geometry.spacing[step];
    value += perIndex == 0 && std::isnan(index[step]) ? 0 : perIndex * index[step];
  }
  return value;
}

} // namespace brickccl::columns
