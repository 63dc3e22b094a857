#include "BrickCCL/Tables/ColumnFormulas.h"
#include "BrickCCL/Tables/ColumnList.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

namespace brickccl
{

namespace
{

using namespace columns;

void
AddDefaultColumns(ColumnList & columns, const std::optional<int> & sliceAxis)
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
      "",
      "",
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
  columns.Add(SizeName(columns.Dimension()),
              "voxel count times the size of a voxel",
              "PhysicalSize",
              "area (with spacing)",
              MergeRule::Sum,
              VolumeOf);
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
    "last index of the bounding box (it belongs to the box)",
    "BoundingBox (index + size - 1)",
    "bbox (max - 1)",
    MergeRule::Maximum,
    [](Table, Component c, int axis) { return c.boxMaximum[axis]; },
    "index");
  columns.AddAxes("bbox_min_",
                  "_mm",
                  "lowest physical coordinate of the bounding box's corners, voxels taken as boxes",
                  "",
                  "",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) {
                    double low, high;
                    PhysicalBox(t, c, axis, low, high);
                    return low;
                  });
  columns.AddAxes("bbox_max_",
                  "_mm",
                  "highest physical coordinate of the bounding box's corners, voxels taken as boxes",
                  "",
                  "",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) {
                    double low, high;
                    PhysicalBox(t, c, axis, low, high);
                    return high;
                  });
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
                  "physical point of the centroid (spacing, origin and direction applied)",
                  "Centroid",
                  "centroid (with spacing)",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return PhysicalPoint(t, c.centroid, axis); });
  columns.Add("equivalent_spherical_diameter_mm",
              "diameter of the ball (in 2-D the disc) of the same volume",
              "2 * EquivalentSphericalRadius",
              "equivalent_diameter_area",
              MergeRule::Recomputed,
              [](Table t, Component c) { return BallDiameter(t.extent.dimension, VolumeOf(t, c)); });
  columns.Add("equivalent_spherical_radius_mm",
              "half of it",
              "EquivalentSphericalRadius",
              "",
              MergeRule::Recomputed,
              [](Table t, Component c) { return BallDiameter(t.extent.dimension, VolumeOf(t, c)) / 2; });
  columns.Add("touches_border",
              "1 if a voxel lies on the border of the image (of the slice, where slices are labeled)",
              "NumberOfPixelsOnBorder > 0",
              "",
              MergeRule::Recomputed,
              [](Table t, Component c) { return std::uint64_t{ t.SidesTouched(c) != 0 ? 1u : 0u }; });
}

void
AddPlaceColumns(ColumnList & columns)
{
  columns.AddAxes("first_voxel_",
                  "",
                  "index of the first voxel in raster order (x fastest)",
                  "",
                  "",
                  MergeRule::Recomputed,
                  FirstVoxel,
                  "index");
  columns.Add("bbox_fill",
              "share of the bounding box that the component fills",
              "",
              "extent",
              MergeRule::Recomputed,
              BoxFill);
  for (int side = 0; side < 2 * columns.Dimension(); ++side)
  {
    columns.Add(std::string("touches_") + AxisNames[side / 2] + (side % 2 == 0 ? "_min" : "_max"),
                "1 if a voxel lies on this side of the image",
                "",
                "",
                MergeRule::Recomputed,
                [side](Table t, Component c) { return std::uint64_t{ t.SidesTouched(c) >> side & 1u }; });
  }
}

void
AddShapeColumns(ColumnList & columns)
{
  const int dimension = columns.Dimension();
  for (int i = 0; i < dimension; ++i)
  {
    for (int j = i; j < dimension; ++j)
    {
      columns.Add(std::string("covariance_") + AxisNames[i] + AxisNames[j] + "_mm2",
                  "covariance of the voxel centres' physical coordinates (divided by their number)",
                  "",
                  "",
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
                       [](Table t, Component c, int i) { return ShapeOf(t, c).principalMoments[i]; });
  for (int i = 0; i < dimension; ++i)
  {
    columns.AddAxes("principal_axis_" + std::to_string(i + 1) + "_",
                    "",
                    "unit vector of this moment; its component of the largest magnitude is positive",
                    "PrincipalAxes (signs may differ)",
                    "",
                    MergeRule::Recomputed,
                    [i](Table t, Component c, int axis) { return ShapeOf(t, c).principalAxes[i][axis]; });
  }
  columns.AddPrincipal("axis_length_",
                       "_mm",
                       "length of the axis of the ellipsoid (in 2-D the ellipse) with this moment: twice the root of "
                       "(dimension + 2) x moment; a ball's diameter along all of them",
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
  if (dimension == 2 || dimension == 3)
  {
    columns.Add(
      "azimuth_deg",
      "angle of the longest principal axis about z, from x towards y, above -90 and up to 90; 0 where it has none",
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
                "",
                "",
                MergeRule::Recomputed,
                Inclination,
                "deg");
  }
}

void
AddFeretColumns(ColumnList & columns)
{
  columns.Add("feret_diameter_mm",
              "largest distance between two voxel centres; 0 for a single voxel",
              "FeretDiameter (spacing applied)",
              "feret_diameter_max (of the contour)",
              MergeRule::Recomputed,
              [](Table t, Component c) { return ExtentOf(t, c).feretDiameter; });
  columns.Add("enclosing_sphere_diameter_mm",
              "diameter of the smallest ball (in 2-D the disc) around all voxels, taken as boxes",
              "",
              "",
              MergeRule::Recomputed,
              [](Table t, Component c) { return ExtentOf(t, c).enclosingDiameter; });
  columns.AddAxes("enclosing_sphere_",
                  "_mm",
                  "physical point of its centre",
                  "",
                  "",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return ExtentOf(t, c).enclosingCentre[axis]; });
  columns.AddPrincipal("oriented_box_size_",
                       "_mm",
                       "side along this principal axis of the box along these axes around all voxels, taken as boxes",
                       "OrientedBoundingBoxSize",
                       "",
                       MergeRule::Recomputed,
                       [](Table t, Component c, int i) { return ExtentOf(t, c).orientedSize[i]; });
  columns.AddAxes("oriented_box_",
                  "_mm",
                  "physical point of that box's middle",
                  "OrientedBoundingBoxOrigin (its corner)",
                  "",
                  MergeRule::Recomputed,
                  [](Table t, Component c, int axis) { return ExtentOf(t, c).orientedCentre[axis]; });
}

void
AddSurfaceColumns(ColumnList & columns)
{
  const int                 dimension = columns.Dimension();
  static const char * const names[] = { "ends", "perimeter_mm", "surface_area_mm2" };
  static const char * const axesNames[] = { "ends_1", "perimeter_2_mm", "surface_area_3_mm2" };
  static const char * const faceNames[] = { "face_ends", "face_perimeter_mm", "face_area_mm2" };
  const bool                isFlat = dimension == 2;
  const auto                at = static_cast<std::size_t>(dimension - 1);
  columns.Add(names[at],
              isFlat ? "perimeter by Crofton's formula in 4 directions, weighted for the spacing"
                     : "surface by Crofton's formula in 13 directions, weighted for the spacing",
              "Perimeter (its weights are those of cubic voxels)",
              isFlat ? "perimeter_crofton" : "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.surfaces[c.place].crofton; });
  columns.Add(axesNames[at],
              isFlat ? "perimeter by Crofton's formula in the 2 directions of the axes: pi / 4 of the edges' length"
                     : "surface by Crofton's formula in the 3 directions of the axes: 2 / 3 of the faces' area",
              "",
              isFlat ? "perimeter_crofton (directions=2)" : "",
              MergeRule::SecondLook,
              [dimension](Table t, Component c) {
                const double share = dimension == 1 ? 1 : dimension == 2 ? Pi / 4 : 2.0 / 3;
                return share * t.surfaces[c.place].faces;
              });
  columns.Add(faceNames[at],
              "area of the voxels' faces (in 2-D length of their edges) that bound the component",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.surfaces[c.place].faces; });
  columns.Add(isFlat ? "circularity" : "sphericity",
              isFlat ? "4 pi area / perimeter^2: 1 for a disc"
                     : "surface of the ball of the same volume / surface: 1 for a ball",
              isFlat ? "Roundness^2" : "Roundness",
              "",
              MergeRule::SecondLook,
              [isFlat](Table t, Component c) {
                const double ratio = Sphericity(t, c);
                return isFlat ? ratio * ratio : ratio;
              });
  if (dimension == 3)
  {
    columns.Add("compactness",
                "36 pi volume^2 / surface^3: the sphericity's cube",
                "",
                "",
                MergeRule::SecondLook,
                [](Table t, Component c) { return std::pow(Sphericity(t, c), 3); });
  }
  columns.Add("roundness",
              isFlat ? "perimeter of the disc of the same area / perimeter" : "as ITK has it: the same as sphericity",
              "Roundness",
              "",
              MergeRule::SecondLook,
              Sphericity);
}

void
AddTopologyColumns(ColumnList & columns)
{
  const int                 dimension = columns.Dimension();
  static const char * const full[] = { "2", "8", "26" };
  static const char * const face[] = { "2", "4", "6" };
  const auto                at = static_cast<std::size_t>(dimension - 1);
  const std::string         holes = dimension == 3 ? "tunnels - cavities of a connected component: 1 - Euler number"
                                                   : "holes of a connected component: 1 - Euler number";
  const std::string         holesName = dimension == 3 ? "tunnels_less_cavities_" : "holes_";
  const auto                add = [&](const char * neighbours, const char * meaning, auto euler) {
    columns.Add(std::string("euler_number_") + neighbours,
                std::string(dimension == 3 ? "pieces - tunnels + cavities" : "pieces - holes") + ", " + meaning,
                "",
                "euler_number",
                MergeRule::SecondLook,
                [euler](Table t, Component c) { return t.topologies[c.place].*euler; });
    columns.Add(holesName + neighbours, holes, "", "", MergeRule::SecondLook, [euler](Table t, Component c) {
      return 1 - t.topologies[c.place].*euler;
    });
  };
  add(full[at], "voxels that touch in any way taken as joined", &TopologyMeasures::eulerFull);
  if (dimension > 1)
  {
    add(face[at], "voxels taken as joined through faces only", &TopologyMeasures::eulerFace);
  }
}

void
AddInscribedColumns(ColumnList & columns)
{
  columns.Add("inscribed_sphere_diameter_mm",
              "diameter of the largest ball (in 2-D the disc) around a voxel's centre that lies within the component's "
              "voxels, taken as boxes; the image's border bounds them; also the largest local thickness",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.thicknesses[c.place].inscribedDiameter; });
  columns.AddAxes(
    "inscribed_sphere_",
    "",
    "index of that voxel, the first of several",
    "",
    "",
    MergeRule::SecondLook,
    [](Table t, Component c, int axis) { return t.thicknesses[c.place].inscribedCentre[axis]; },
    "index");
}

void
AddThicknessColumns(ColumnList & columns)
{
  columns.Add("thickness_mean_mm",
              "mean over the voxels of the diameter of the largest such ball that holds the voxel's centre",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.thicknesses[c.place].meanLocal; });
  columns.Add("thickness_max_mm",
              "largest of these diameters: that of the inscribed sphere",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.thicknesses[c.place].inscribedDiameter; });
}

void
AddNeighbourColumns(ColumnList & columns)
{
  static const char * const contactNames[] = { "contact_ends",
                                               "contact_length_mm",
                                               "contact_area_mm2",
                                               "contact_volume_mm3" };
  columns.Add("nearest_distance_mm",
              "distance from surface to surface, voxels taken as boxes, to the nearest other component; 0 where they "
              "touch, not a number if there is no other",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.neighbours[c.place].distance; });
  columns.Add("nearest_label",
              "its label, the smallest of several; 0 if there is none",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.neighbours[c.place].nearest; });
  columns.Add("touching_count",
              "number of components with which it shares voxel faces",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.neighbours[c.place].touching; });
  columns.Add(contactNames[columns.Dimension() - 1],
              "area of these faces (in 2-D length of these edges)",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.neighbours[c.place].contactArea; });
}

void
AddIntensityColumns(ColumnList & columns)
{
  const auto add = [&](const char * name,
                       const char * description,
                       const char * itkName,
                       const char * scikitImageName,
                       MergeRule    merge,
                       double IntensityMeasures::*measure) {
    columns.Add(
      name,
      description,
      itkName,
      scikitImageName,
      merge,
      [measure](Table, Component c) { return c.intensity.*measure; },
      "intensity");
  };
  add("intensity_min", "lowest intensity", "Minimum", "intensity_min", MergeRule::Minimum, &IntensityMeasures::minimum);
  add("intensity_max",
      "highest intensity",
      "Maximum",
      "intensity_max",
      MergeRule::Maximum,
      &IntensityMeasures::maximum);
  add("intensity_mean", "mean intensity", "Mean", "intensity_mean", MergeRule::Recomputed, &IntensityMeasures::mean);
  add("intensity_std",
      "standard deviation of the sample (n - 1); 0 for one voxel",
      "StandardDeviation",
      "intensity_std (divides by n)",
      MergeRule::Recomputed,
      &IntensityMeasures::standardDeviation);
  add("intensity_sum", "sum of the intensities", "Sum", "", MergeRule::Sum, &IntensityMeasures::sum);
  columns.Add(
    "intensity_variance",
    "square of the standard deviation",
    "Variance",
    "",
    MergeRule::Recomputed,
    [](Table, Component c) { return c.intensity.standardDeviation * c.intensity.standardDeviation; },
    "intensity^2");
}

void
AddDistributionColumns(ColumnList & columns)
{
  columns.Add("intensity_skewness",
              "third central moment over the cube of the sample's standard deviation; 0 for equal intensities",
              "Skewness",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.distributions[c.place].skewness; });
  columns.Add("intensity_kurtosis",
              "fourth central moment over the fourth power of the deviation, less 3; 0 for equal intensities",
              "Kurtosis",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.distributions[c.place].kurtosis; });
  for (std::size_t i = 0; i < 5; ++i)
  {
    const std::string name = Percentages[i] == 50 ? "median" : "p" + std::to_string(Percentages[i]);
    columns.Add(
      "intensity_" + name,
      "exact percentile, linear between two ranks as numpy.percentile",
      name == "median" ? "Median (of a histogram)" : "",
      name == "median" ? "intensity_median" : "",
      MergeRule::SecondLook,
      [i](Table t, Component c) { return t.distributions[c.place].percentiles[i]; },
      "intensity");
  }
  columns.AddAxes(
    "weighted_centroid_",
    "",
    "mean index weighted by intensities",
    "",
    "centroid_weighted",
    MergeRule::SecondLook,
    [](Table t, Component c, int axis) { return t.distributions[c.place].weightedCentroid[axis]; },
    "index");
  columns.AddAxes(
    "weighted_centroid_",
    "_mm",
    "physical point of the weighted centroid",
    "CenterOfGravity",
    "centroid_weighted (with spacing)",
    MergeRule::SecondLook,
    [](Table t, Component c, int axis) { return PhysicalPoint(t, t.distributions[c.place].weightedCentroid, axis); });
}

void
AddPartColumns(ColumnList & columns)
{
  columns.Add("surface_distance_mm",
              "distance, voxels taken as boxes, to the nearest voxel outside of the part that was given as a mask; 0 "
              "where one touches the component or belongs to it; not a number if there is none",
              "",
              "",
              MergeRule::Minimum,
              [](Table t, Component c) { return t.partDistances[c.place]; });
}

/** A group that is measured where it is asked for, and how its columns are added. */
struct NamedGroup
{
  const char * name;
  bool ColumnGroups::*group;
  void (*add)(ColumnList &);
  int mostDimensions;
};

constexpr NamedGroup namedGroups[] = { { "place", &ColumnGroups::place, AddPlaceColumns, 4 },
                                       { "shape", &ColumnGroups::shape, AddShapeColumns, 4 },
                                       { "feret", &ColumnGroups::feret, AddFeretColumns, 3 },
                                       { "surface", &ColumnGroups::surface, AddSurfaceColumns, 3 },
                                       { "topology", &ColumnGroups::topology, AddTopologyColumns, 3 },
                                       { "inscribed", &ColumnGroups::inscribed, AddInscribedColumns, 3 },
                                       { "thickness", &ColumnGroups::thickness, AddThicknessColumns, 3 },
                                       { "neighbours", &ColumnGroups::neighbours, AddNeighbourColumns, 4 },
                                       { "intensity", &ColumnGroups::intensity, AddDistributionColumns, 4 } };

} // namespace

std::string
ColumnGroups::Names()
{
  std::string names;
  for (const NamedGroup & named : namedGroups)
  {
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  return names;
}

ColumnGroups
ColumnGroups::FromNames(const std::string & names)
{
  ColumnGroups       groups;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');)
  {
    const auto * const found = std::find_if(std::begin(namedGroups),
                                            std::end(namedGroups),
                                            [&](const NamedGroup & named) { return name == named.name; });
    if (found == std::end(namedGroups))
    {
      groups.AddGroupOfColumn(name);
      continue;
    }
    groups.*(found->group) = true;
  }
  return groups;
}

void
ColumnGroups::AddGroupOfColumn(const std::string & column)
{
  for (const int dimension : { 3, 2, 1, 4 })
  {
    for (const ComponentColumn & known : AllColumns(dimension))
    {
      if (known.name == column)
      {
        for (const NamedGroup & named : namedGroups)
        {
          this->*(named.group) = this->*(named.group) || known.group == named.name;
        }
        return;
      }
    }
  }
  throw InvalidArgument("'" + column + "' is no column and no group of columns; there are the groups " + Names() +
                        ", and the columns that `brickccl stats --list-columns` lists");
}

void
ColumnGroups::CheckDimension(int dimension) const
{
  for (const NamedGroup & named : namedGroups)
  {
    if (this->*(named.group) && dimension > named.mostDimensions)
    {
      throw Unsupported(std::string("the columns '") + named.name + "' are there for images of up to " +
                        std::to_string(named.mostDimensions) + " dimensions, not of " + std::to_string(dimension));
    }
  }
}

bool
ColumnGroups::operator==(const ColumnGroups & other) const
{
  return std::all_of(std::begin(namedGroups), std::end(namedGroups), [&](const NamedGroup & named) {
    return this->*(named.group) == other.*(named.group);
  });
}

std::string
NameOf(MergeRule rule)
{
  switch (rule)
  {
  case MergeRule::Label:
    return "numbered anew";
  case MergeRule::Sum:
    return "sum";
  case MergeRule::Minimum:
    return "minimum";
  case MergeRule::Maximum:
    return "maximum";
  case MergeRule::Recomputed:
    return "from merged sums";
  default:
    return "second look at the runs";
  }
}

const char *
SizeName(int dimension)
{
  static const char * const names[] = { "length_mm", "area_mm2", "volume_mm3", "hypervolume_mm4" };
  return names[dimension - 1];
}

unsigned
ComponentTable::SidesTouched(const ComponentMeasures & component) const
{
  const int acrossSlices = sliceAxis.value_or(-1);
  unsigned  sides = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const std::int64_t first = geometry.startIndex[axis];
    const std::int64_t last = first + extent.size[axis] - 1;
    if (first != last && axis != acrossSlices)
    {
      const unsigned lower = 1u << (2 * axis);
      sides |= component.boxMinimum[axis] == first ? lower : 0u;
      sides |= component.boxMaximum[axis] == last ? lower << 1 : 0u;
    }
  }
  return sides;
}

std::vector<ComponentColumn>
ColumnsOf(const ComponentTable & table)
{
  ColumnList columns(table.extent.dimension);
  AddDefaultColumns(columns, table.sliceAxis);
  if (table.hasPart)
  {
    AddPartColumns(columns);
  }
  if (table.hasIntensity)
  {
    AddIntensityColumns(columns);
  }
  for (const NamedGroup & named : namedGroups)
  {
    if (table.groups.*(named.group))
    {
      columns.BeginGroup(named.name);
      named.add(columns);
    }
  }
  return columns.Take();
}

std::vector<ComponentColumn>
AllColumns(int dimension)
{
  ComponentTable table;
  table.extent.dimension = dimension;
  table.hasIntensity = table.hasPart = true;
  for (const NamedGroup & named : namedGroups)
  {
    table.groups.*(named.group) = dimension <= named.mostDimensions;
  }
  return ColumnsOf(table);
}

} // namespace brickccl
