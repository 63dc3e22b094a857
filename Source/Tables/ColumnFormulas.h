#ifndef BRICKCCL_TABLES_COLUMNFORMULAS_H
#define BRICKCCL_TABLES_COLUMNFORMULAS_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

/** What columns compute from what a table keeps. */
namespace brickccl::columns
{

inline constexpr double Pi = 3.14159265358979323846;

inline constexpr const char * AxisNames[MaximumDimension] = { "x", "y", "z", "t" };

inline double
VolumeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(table.extent.dimension);
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
    return std::cbrt(6 * volume / Pi);
  default:
    return 2 * std::sqrt(std::sqrt(2 * volume) / Pi);
  }
}

/** The range along a physical axis of the bounding box's corners, voxels taken as boxes around their centres. */
inline void
PhysicalBox(const ComponentTable & table, const ComponentMeasures & component, int axis, double & low, double & high)
{
  low = high = table.geometry.origin[axis];
  for (int step = 0; step < table.extent.dimension; ++step)
  {
    const double scale = table.geometry.direction[axis][step] * table.geometry.spacing[step];
    const double a = scale * (static_cast<double>(component.boxMinimum[step]) - 0.5);
    const double b = scale * (static_cast<double>(component.boxMaximum[step]) + 0.5);
    low += std::min(a, b);
    high += std::max(a, b);
  }
}

/** A coordinate of the physical point of an index. */
inline double
PhysicalPoint(const ComponentTable & table, const double (&index)[MaximumDimension], int axis)
{
  double value = table.geometry.origin[axis];
  for (int step = 0; step < table.extent.dimension; ++step)
  {
    value += table.geometry.direction[axis][step] * table.geometry.spacing[step] * index[step];
  }
  return value;
}

inline const ShapeMeasures &
ShapeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return table.shapes[component.place];
}

/** The ratio of two principal moments' roots; 0 where the lower one is. */
inline double
MomentRatio(const ShapeMeasures & shape, int higher, int lower)
{
  const double below = shape.principalMoments[lower];
  return below > 0 ? std::sqrt(shape.principalMoments[higher] / below) : 0;
}

/** Diameters of the ellipsoid of the component's volume whose axes are as the moments' roots; 0 where a moment is. */
inline double
EllipsoidDiameter(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  const ShapeMeasures & shape = ShapeOf(table, component);
  double                meanRoot = 1;
  for (int i = 0; i < table.extent.dimension; ++i)
  {
    meanRoot *= std::pow(shape.principalMoments[i], 0.5 / table.extent.dimension);
  }
  return meanRoot > 0 ? BallDiameter(table.extent.dimension, VolumeOf(table, component)) *
                          std::sqrt(shape.principalMoments[axis]) / meanRoot
                      : 0;
}

/** The share of the bounding box that the component fills. */
inline double
BoxFill(const ComponentTable & table, const ComponentMeasures & component)
{
  double box = 1;
  for (int axis = 0; axis < table.extent.dimension; ++axis)
  {
    box *= static_cast<double>(component.boxMaximum[axis] - component.boxMinimum[axis] + 1);
  }
  return static_cast<double>(component.voxelCount) / box;
}

/** The surface of the ball (the perimeter of the disc) of the component's volume, over the component's. */
inline double
Sphericity(const ComponentTable & table, const ComponentMeasures & component)
{
  const double diameter = BallDiameter(table.extent.dimension, VolumeOf(table, component));
  const double ball = table.extent.dimension == 1 ? 2
                    : table.extent.dimension == 2 ? Pi * diameter
                                                  : Pi * diameter * diameter;
  return ball / table.surfaces[component.place].crofton;
}

inline const ExtentMeasures &
ExtentOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return table.extents[component.place];
}

/** The index of the first voxel along an axis. */
inline std::int64_t
FirstVoxel(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  auto place = static_cast<std::int64_t>(component.firstVoxel);
  for (int before = 0; before < axis; ++before)
  {
    place /= table.extent.size[before];
  }
  return table.geometry.startIndex[axis] + place % table.extent.size[axis];
}

inline constexpr double DegreesPerRadian = 180 / Pi;

/** The angle of the longest principal axis about z. */
inline double
Azimuth(const ComponentTable & table, const ComponentMeasures & component)
{
  const auto & axis = ShapeOf(table, component).principalAxes[table.extent.dimension - 1];
  if (axis[0] == 0 && axis[1] == 0)
  {
    return 0;
  }
  // An axis has no front: its angle and that of its opposite are one.
  const double angle = std::atan2(axis[1], axis[0]) * DegreesPerRadian;
  return angle > 90 ? angle - 180 : angle <= -90 ? angle + 180 : angle;
}

/** The angle between the longest principal axis and the plane of x and y. */
inline double
Inclination(const ComponentTable & table, const ComponentMeasures & component)
{
  return std::asin(std::min(1.0, std::abs(ShapeOf(table, component).principalAxes[2][2]))) * DegreesPerRadian;
}

} // namespace brickccl::columns

#endif
