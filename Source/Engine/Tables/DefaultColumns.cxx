// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Tables/ColumnFormulas.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace brickccl::columns
{

/** The range of the bounding box's corners along a physical axis, with voxels taken as boxes around their centers. */
static std::pair<double, double>
PhysicalBox(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  double low = table.geometry.origin[axis];
  double high = low;
  for (int step = 0; step < table.extent.dimension; ++step)
  {
    const double scale = table.geometry.direction[axis][step] * table.geometry.spacing[step];
    const double a = scale * (static_cast<double>(component.boxMinimum[step]) - 0.5);
    const double b = scale * (static_cast<double>(component.boxMaximum[step]) + 0.5);
    low += std::min(a, b);
    high += std::max(a, b);
  }
  return { low, high };
}

/** How many dimensions a component can extend along. */
static int
ComponentDimension(int dimension, const std::optional<int> & sliceAxis)
{
  return sliceAxis ? dimension - 1 : dimension;
}

/** The size of a component: its volume, or its area in a slice of a volume. */
static double
SizeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  double size = static_cast<double>(component.voxelCount);
  if (!table.sliceAxis)
  {
    return VolumeOf(table, component);
  }
  for (int axis = 0; axis < table.extent.dimension; ++axis)
  {
    size *= axis == *table.sliceAxis ? 1.0 : table.geometry.spacing[axis];
  }
  return size;
}

/** The diameter of the ball, or of the disc in a slice, of the same size. */
static double
EquivalentDiameter(const ComponentTable & table, const ComponentMeasures & component)
{
  return BallDiameter(ComponentDimension(table.extent.dimension, table.sliceAxis), SizeOf(table, component));
}

static void
AddSizes(ColumnList & columns, const std::optional<int> & sliceAxis)
{
  columns.Add("label",
              "number of the component in the label map",
              "Label",
              "label",
              MergeRule::Label,
              [](Table, Component c) { return c.label; });
  if (sliceAxis)
  {
    const int axis = *sliceAxis;
    columns.Add(
      "slice",
      std::string("index of the slice along ") + AxisNames[axis] + " that holds the component",
      MergeRule::Minimum,
      [axis](Table, Component c) { return c.boxMinimum[axis]; },
      "index");
  }
  columns.Add(
    "voxel_count",
    "number of voxels",
    "NumberOfPixels",
    "num_pixels",
    MergeRule::Sum,
    [](Table, Component c) { return c.voxelCount; },
    "voxels");
  columns.Add(SizeName(ComponentDimension(columns.Dimension(), sliceAxis)),
              sliceAxis ? "voxel count times the size of a voxel within the slice"
                        : "voxel count times the size of a voxel",
              "PhysicalSize",
              "area (with spacing)",
              MergeRule::Sum,
              SizeOf);
}

static void
AddBoundingBoxes(ColumnList & columns)
{
  columns.AddAxes(
    "bbox_min_",
    "",
    "first index of the bounding box",
    "BoundingBox (index)",
    "bbox (min)",
    MergeRule::Minimum,
    [](Table, Component c, int axis) { return c.boxMinimum[axis]; },
    "index");
  columns.AddAxes(
    "bbox_max_",
    "",
    "last index of the bounding box (included)",
    "BoundingBox (index + size - 1)",
    "bbox (max - 1)",
    MergeRule::Maximum,
    [](Table, Component c, int axis) { return c.boxMaximum[axis]; },
    "index");
  columns.AddAxes("bbox_min_",
                  "_mm",
                  "lowest coordinate (LPS) of the bounding box, including voxel size",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return PhysicalBox(t, c, axis).first; });
  columns.AddAxes("bbox_max_",
                  "_mm",
                  "highest coordinate (LPS) of the bounding box, including voxel size",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return PhysicalBox(t, c, axis).second; });
}

static void
AddCenters(ColumnList & columns, const std::optional<int> & sliceAxis)
{
  columns.AddAxes(
    "centroid_",
    "",
    "mean index of the voxels",
    "",
    "centroid",
    MergeRule::Recomputed,
    [](Table, Component c, int axis) { return c.centroid[axis]; },
    "index");
  columns.AddAxes("centroid_",
                  "_mm",
                  "centroid in LPS (with spacing, origin and direction)",
                  "Centroid",
                  "centroid (with spacing)",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return PhysicalPoint(t, c.centroid, axis); });
  // For 2-D images the names are ITK's, too.
  const bool        isDisc = sliceAxis && columns.Dimension() == 3;
  const std::string name = isDisc ? "equivalent_circular_" : "equivalent_spherical_";
  columns.Add(name + "diameter_mm",
              isDisc ? "diameter of the disk of the same area"
                     : "diameter of the ball of the same volume (in 2-D: of the disc of the same area)",
              "2 * EquivalentSphericalRadius",
              "equivalent_diameter_area",
              MergeRule::Recomputed,
              EquivalentDiameter);
  columns.Add(name + "radius_mm",
              "half of this diameter",
              "EquivalentSphericalRadius",
              "",
              MergeRule::Recomputed,
              [](Table t, Component c) { return EquivalentDiameter(t, c) / 2; });
  columns.Add("touches_border",
              "1 if a voxel is on the border of the image (of the slice if slices are labeled)",
              "NumberOfPixelsOnBorder > 0",
              "",
              MergeRule::Recomputed,
              [](Table t, Component c) { return std::uint64_t{ t.TouchesBorder(c) ? 1u : 0u }; });
}

/** Adds the columns that every table has, the column of slices if `sliceAxis` is given, and one per periodic axis. */
static void
AddDefaultColumns(ColumnList & columns, const std::optional<int> & sliceAxis, const PeriodicAxes & periodic)
{
  AddSizes(columns, sliceAxis);
  AddBoundingBoxes(columns);
  AddCenters(columns, sliceAxis);
  for (int axis = 0; axis < columns.Dimension(); ++axis)
  {
    if (periodic.Has(axis))
    {
      columns.Add(std::string("wraps_") + AxisNames[axis],
                  "1 if the component meets its own copy along this periodic axis and cannot be unwrapped",
                  MergeRule::Recomputed,
                  [axis](Table, Component c) { return std::uint64_t{ std::isnan(c.centroid[axis]) ? 1u : 0u }; });
    }
  }
}

} // namespace brickccl::columns

namespace brickccl
{

std::string
NameOf(MergeRule rule)
{
  return rule == MergeRule::Label      ? "renumbered"
       : rule == MergeRule::Sum        ? "sum"
       : rule == MergeRule::Minimum    ? "minimum"
       : rule == MergeRule::Maximum    ? "maximum"
       : rule == MergeRule::Recomputed ? "from merged sums"
                                       : "needs the runs again";
}

const char *
SizeName(int dimension)
{
  static const char * const names[MaximumDimension] = { "length_mm", "area_mm2", "volume_mm3", "hypervolume_mm4" };
  ThrowIf<InvalidArgument>(dimension < 1 || dimension > MaximumDimension,
                           "a size is not available in " + std::to_string(dimension) + " dimensions; 1 to " +
                             std::to_string(MaximumDimension) + " have one");
  return names[dimension - 1];
}

/** The columns of a joined table: each value comes from the part that has the row. */
static std::vector<ComponentColumn>
ColumnsOfParts(const ComponentTable & table)
{
  std::vector<std::size_t> ends;
  for (const ComponentTable & part : table.parts)
  {
    ends.push_back((ends.empty() ? 0 : ends.back()) + part.components.size());
  }
  std::vector<ComponentColumn> columns = ColumnsOf(table.parts.front());
  for (ComponentColumn & column : columns)
  {
    column.value = [ends, own = column.value](const ComponentTable & all, const ComponentMeasures & row) {
      const auto part = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), row.place) - ends.begin());
      const ComponentRows & rows = all.parts[part].components;
      return own(all.parts[part], rows[row.place + rows.size() - ends[part]]);
    };
  }
  columns::ColumnList segment(table.extent.dimension);
  segment.Add("segment",
              "number of the segment over all images, which is its label in `brickccl merge`",
              MergeRule::Label,
              [](const ComponentTable &, const ComponentMeasures & row) { return row.label; });
  columns.insert(columns.begin() + 1, segment.Take().front());
  return columns;
}

std::vector<ComponentColumn>
ColumnsOf(const ComponentTable & table)
{
  if (!table.parts.empty())
  {
    return ColumnsOfParts(table);
  }
  columns::ColumnList list(table.extent.dimension);
  columns::AddDefaultColumns(list, table.sliceAxis, table.periodic);
  for (const ColumnGroup * const group : table.groups)
  {
    list.BeginGroup(group->name);
    group->addColumns(list);
  }
  return list.Take();
}

} // namespace brickccl
