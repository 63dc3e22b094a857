// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Measuring/Moments.h"
#include "BrickCCL/Tables/ColumnFormulas.h"

#include <cmath>
#include <string>

/** Moments, axes and what follows from them. MeasureComponents sums up the moments with the default columns. */
namespace brickccl
{

using namespace columns;

static const ShapeMeasures &
ShapeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return table.measures.Of<ShapeMeasures>()[component.place];
}

/** The ratio of the roots of two principal moments; 0 if the lower moment is 0. */
static double
MomentRatio(const ShapeMeasures & shape, int higher, int lower)
{
  const double below = shape.principalMoments[lower];
  return below == 0 ? 0 : std::sqrt(shape.principalMoments[higher] / below);
}

/** The side of a cube of this volume, in 1 to 4 dimensions. */
static double
DimensionRoot(int dimension, double volume)
{
  switch (dimension)
  {
  case 1:
    return volume;
  case 2:
    return std::sqrt(volume);
  case 3:
    return CubeRoot(volume);
  default:
    return std::sqrt(std::sqrt(volume));
  }
}

/** A diameter of the ellipsoid with the component's volume and axes in ratios of the moments' roots; 0 if one is 0. */
static double
EllipsoidDiameter(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  const ShapeMeasures & shape = ShapeOf(table, component);
  double                product = 1;
  for (int i = 0; i < table.extent.dimension; ++i)
  {
    product *= std::sqrt(shape.principalMoments[i]);
  }
  const double meanRoot = DimensionRoot(table.extent.dimension, product);
  return meanRoot == 0 ? 0
                       : BallDiameter(table.extent.dimension, VolumeOf(table, component)) *
                           std::sqrt(shape.principalMoments[axis]) / meanRoot;
}

constexpr double DegreesPerRadian = 180 / Pi;

/** The angle of the longest principal axis about z. */
static double
Azimuth(const ComponentTable & table, const ComponentMeasures & component)
{
  const auto & axis = ShapeOf(table, component).principalAxes[table.extent.dimension - 1];
  if (axis[0] == 0 && axis[1] == 0)
  {
    return 0;
  }
  // An axis and its opposite are the same.
  const double angle = std::atan2(axis[1], axis[0]) * DegreesPerRadian;
  return angle > 90 ? angle - 180 : angle <= -90 ? angle + 180 : angle;
}

/** The angle between the longest principal axis and the plane of x and y. */
static double
Inclination(const ComponentTable & table, const ComponentMeasures & component)
{
  const auto & axis = ShapeOf(table, component).principalAxes[2];
  return std::atan2(std::abs(axis[2]), std::sqrt(axis[0] * axis[0] + axis[1] * axis[1])) * DegreesPerRadian;
}

static void
AddMoments(ColumnList & columns)
{
  const int dimension = columns.Dimension();
  for (int i = 0; i < dimension; ++i)
  {
    for (int j = i; j < dimension; ++j)
    {
      columns.Add(std::string("covariance_") + AxisNames[i] + AxisNames[j] + "_mm2",
                  "covariance of the voxel centers' coordinates in LPS (divided by their number)",
                  MergeRule::Recomputed,
                  [i, j](Table t, Component c) { return ShapeOf(t, c).covariance[i][j]; });
    }
  }
  columns.AddPrincipal("principal_moment_",
                       "_mm2",
                       "eigenvalue of the covariance, ascending; 0 across lines and planes",
                       "PrincipalMoments",
                       "",
                       MergeRule::Recomputed,
                       &ShapeMeasures::principalMoments);
  for (int i = 0; i < dimension; ++i)
  {
    columns.AddAxes("principal_axis_" + std::to_string(i + 1) + "_",
                    "",
                    "direction of this axis in LPS (unit vector); its largest element is positive",
                    "PrincipalAxes (signs may differ)",
                    "",
                    MergeRule::Recomputed,
                    [i](Table t, Component c, int axis) { return ShapeOf(t, c).principalAxes[i][axis]; });
  }
}

static void
AddEllipsoid(ColumnList & columns)
{
  const int dimension = columns.Dimension();
  columns.AddPrincipal("axis_length_",
                       "_mm",
                       "length of the axis of the ellipsoid (in 2-D the ellipse) with this moment: 2 sqrt((dimension + "
                       "2) x moment); for a ball, its diameter",
                       "",
                       "axis_minor_length (first) .. axis_major_length (last)",
                       MergeRule::Recomputed,
                       [](Table t, Component c, int i) {
                         return 2 * std::sqrt((t.extent.dimension + 2) * ShapeOf(t, c).principalMoments[i]);
                       });
  columns.AddPrincipal("ellipsoid_diameter_",
                       "_mm",
                       "diameter of the ellipsoid of the same volume and ratios of axes; 0 for lines and planes",
                       "EquivalentEllipsoidDiameter",
                       "",
                       MergeRule::Recomputed,
                       EllipsoidDiameter);
  if (dimension > 1)
  {
    columns.Add("elongation",
                "root of the ratio of the two largest principal moments; 0 for lines and single voxels",
                "Elongation",
                "",
                MergeRule::Recomputed,
                [dimension](Table t, Component c) { return MomentRatio(ShapeOf(t, c), dimension - 1, dimension - 2); });
    columns.Add("flatness",
                "root of the ratio of the two smallest principal moments; 0 for lines, planes and single voxels",
                "Flatness",
                "",
                MergeRule::Recomputed,
                [](Table t, Component c) { return MomentRatio(ShapeOf(t, c), 1, 0); });
  }
}

static void
AddAngles(ColumnList & columns)
{
  const int dimension = columns.Dimension();
  if (dimension == 2 || dimension == 3)
  {
    columns.Add(
      "azimuth_deg",
      "angle of the longest principal axis about z, from x towards y, above -90 and up to 90; 0 if there is none",
      "",
      dimension == 2 ? "orientation (radians, from the row axis)" : "",
      MergeRule::Recomputed,
      Azimuth,
      "deg");
  }
  if (dimension == 3)
  {
    columns.Add("inclination_deg",
                "angle between the longest principal axis and the plane of x and y, 0 to 90",
                MergeRule::Recomputed,
                Inclination,
                "deg");
  }
}

static void
AddShapeColumns(ColumnList & columns)
{
  AddMoments(columns);
  AddEllipsoid(columns);
  AddAngles(columns);
}

constexpr ColumnGroup groups::Shape = [] {
  ColumnGroup group;
  group.name = "shape";
  group.needsMoments = true;
  group.allowsPeriodic = true;
  group.addColumns = AddShapeColumns;
  group.merge = MergeMoments;
  return group;
}();

} // namespace brickccl
