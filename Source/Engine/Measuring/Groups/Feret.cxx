// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Geometry/EnclosingBall.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/HullCorners.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Measuring/Moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

/** How far the component reaches: Feret diameter, enclosing ball and oriented box, all from its convex hull. */
namespace brickccl
{

namespace
{

using namespace columns;

using Point = std::array<double, 3>;

/** Fills the measures of components from the corners of their hulls; keeps memory from one component to the next. */
class ExtentFinisher
{
public:
  ExtentFinisher(const ComponentTable & table)
    : m_Table(table)
    , m_Shapes(table.measures.Of<ShapeMeasures>())
  {}

  /** Fills the measures of a component. \param hull  the corners of its hull, as HullReducer leaves them. */
  void
  Finish(std::size_t component, const std::vector<VoxelIndex> & hull, ExtentMeasures & measures)
  {
    const ComponentTable & table = m_Table;
    const int              dimension = table.extent.dimension;
    Point                  spacing{};
    std::copy_n(table.geometry.spacing, dimension, spacing.begin());
    Point halfSides{};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      halfSides[axis] = spacing[axis] / 2;
    }
    // Offsets from the first voxel lose nothing if the component is far from the origin.
    const VoxelIndex origin = hull.front();
    m_Offsets.clear();
    m_Points.clear();
    for (const VoxelIndex & voxel : hull)
    {
      Point offset;
      Point point;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        offset[axis] = static_cast<double>(voxel.at[axis] - origin.at[axis]);
        point[axis] = offset[axis] * spacing[axis];
      }
      m_Offsets.push_back(offset);
      m_Points.push_back(point);
    }
    measures.feretDiameter = std::sqrt(LargestDistance(hull, table.geometry.spacing));
    const Ball ball = SmallestEnclosingBall(m_Points, halfSides);
    measures.enclosingDiameter = 2 * std::sqrt(ball.squaredRadius);
    double center[MaximumDimension] = {};
    for (int axis = 0; axis < dimension; ++axis)
    {
      center[axis] = static_cast<double>(origin.at[axis]) +
                     ball.center[static_cast<std::size_t>(axis)] / table.geometry.spacing[axis];
    }
    table.geometry.IndexToPhysical(dimension, center, measures.enclosingCenter);
    FinishOrientedBox(m_Shapes[component], hull.front(), measures);
  }

private:
  /** Sets the box along the principal axes. \param first  the first corner of the hull */
  void
  FinishOrientedBox(const ShapeMeasures & shape, const VoxelIndex & first, ExtentMeasures & measures) const
  {
    const int        dimension = m_Table.extent.dimension;
    const Geometry & geometry = m_Table.geometry;
    double           middle[MaximumDimension] = {};
    for (int i = 0; i < dimension; ++i)
    {
      // The physical axis in steps along the image's own axes, and the place of the first voxel on it.
      Point  along{};
      double halfVoxel = 0;
      double place = 0;
      for (int axis = 0; axis < dimension; ++axis)
      {
        double component = 0;
        for (int row = 0; row < dimension; ++row)
        {
          component += shape.principalAxes[i][row] * geometry.direction[row][axis];
        }
        component *= geometry.spacing[axis];
        along[static_cast<std::size_t>(axis)] = component;
        halfVoxel += std::abs(component) / 2;
        place += shape.principalAxes[i][axis] * geometry.origin[axis] +
                 component * static_cast<double>(first.at[axis] + geometry.startIndex[axis]);
      }
      double low = 0;
      double high = 0;
      for (const Point & offset : m_Offsets)
      {
        const double length = along[0] * offset[0] + along[1] * offset[1] + along[2] * offset[2];
        low = std::min(low, length);
        high = std::max(high, length);
      }
      measures.orientedSize[i] = high - low + 2 * halfVoxel;
      for (int row = 0; row < dimension; ++row)
      {
        middle[row] += shape.principalAxes[i][row] * (place + (low + high) / 2);
      }
    }
    std::copy_n(middle, MaximumDimension, measures.orientedCenter);
  }

  /** The square of the largest distance between two voxels' centers. */
  double
  LargestDistance(const std::vector<VoxelIndex> & voxels, const double * spacing) const
  {
    // A tree pays where there are many pairs.
    constexpr std::size_t few = 48;
    if (voxels.size() > few)
    {
      UninitializedVector<VoxelBox> boxes;
      boxes.reserve(voxels.size());
      for (const VoxelIndex & voxel : voxels)
      {
        VoxelBox box;
        std::copy_n(voxel.at, 3, box.low);
        std::copy_n(voxel.at, 3, box.high);
        boxes.push_back(box);
      }
      return BoundingBoxTrees(std::move(boxes), spacing)[0].LargestDistance();
    }
    double largest = 0;
    for (std::size_t i = 0; i < m_Offsets.size(); ++i)
    {
      const Point own = m_Offsets[i];
      for (std::size_t j = i + 1; j < m_Offsets.size(); ++j)
      {
        // The tree rounds in the same way: differences of indices are exact.
        const double x = (own[0] - m_Offsets[j][0]) * spacing[0];
        const double y = (own[1] - m_Offsets[j][1]) * spacing[1];
        const double z = (own[2] - m_Offsets[j][2]) * spacing[2];
        largest = std::max(largest, x * x + y * y + z * z);
      }
    }
    return largest;
  }

  const ComponentTable &           m_Table;
  const MeasureList<ShapeMeasures> m_Shapes;
  /** The indices of a hull's voxels, counted from its first one, and these times the spacing. */
  std::vector<Point> m_Offsets;
  std::vector<Point> m_Points;
};

void
MeasureExtents(const GroupInput & input, ComponentTable & table)
{
  AddHullCorners(input.volume, input.context, table);
  MeasureHulls<ExtentMeasures, ExtentFinisher>(input.context, table);
}

void
MergeExtents(const MergeInput & input, ComponentTable & table)
{
  MergeMoments(input, table);
  MergeHullCorners(input, table);
  MeasureHulls<ExtentMeasures, ExtentFinisher>({ 1 }, table);
}

void
AddFeretColumns(ColumnList & columns)
{
  columns.Add("feret_diameter_mm",
              "largest distance between two voxel centers; 0 for a single voxel",
              "FeretDiameter (spacing applied)",
              "feret_diameter_max (of the contour)",
              MergeRule::Recomputed,
              &ExtentMeasures::feretDiameter);
  columns.Add("enclosing_sphere_diameter_mm",
              "diameter of the smallest ball (in 2-D disk) around all voxels as boxes",
              MergeRule::Recomputed,
              &ExtentMeasures::enclosingDiameter);
  columns.AddAxes("enclosing_sphere_",
                  "_mm",
                  "center of this ball in LPS",
                  MergeRule::Recomputed,
                  &ExtentMeasures::enclosingCenter);
  columns.AddPrincipal("oriented_box_size_",
                       "_mm",
                       "side along this principal axis of the oriented box around all voxels as boxes",
                       "OrientedBoundingBoxSize",
                       "",
                       MergeRule::Recomputed,
                       &ExtentMeasures::orientedSize);
  columns.AddAxes("oriented_box_",
                  "_mm",
                  "center of this box in LPS",
                  "OrientedBoundingBoxOrigin (its corner)",
                  "",
                  MergeRule::Recomputed,
                  &ExtentMeasures::orientedCenter);
}

} // namespace

constexpr ColumnGroup groups::Feret = [] {
  ColumnGroup group = GroupOnRequest("feret", AddFeretColumns, MeasureExtents, MergeExtents);
  group.needsMoments = true;
  return group;
}();

} // namespace brickccl
