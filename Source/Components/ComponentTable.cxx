#include "BrickCCL/Components/ComponentTable.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <sstream>

namespace brickccl
{

namespace
{

constexpr double Pi = 3.14159265358979323846;

const char * const AxisNames[MaximumDimension] = { "x", "y", "z", "t" };

double
VolumeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(table.dimension);
}

/** The diameter of the ball (interval, disc, sphere, 4-ball) of a volume. */
double
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
void
PhysicalBox(const ComponentTable & table, const ComponentMeasures & component, int axis, double & low, double & high)
{
  low = high = table.geometry.origin[axis];
  for (int step = 0; step < table.dimension; ++step)
  {
    const double scale = table.geometry.direction[axis][step] * table.geometry.spacing[step];
    const double a = scale * (static_cast<double>(component.boxMinimum[step]) - 0.5);
    const double b = scale * (static_cast<double>(component.boxMaximum[step]) + 0.5);
    low += std::min(a, b);
    high += std::max(a, b);
  }
}

/** A coordinate of the physical point of an index. */
double
PhysicalPoint(const ComponentTable & table, const double (&index)[MaximumDimension], int axis)
{
  double value = table.geometry.origin[axis];
  for (int step = 0; step < table.dimension; ++step)
  {
    value += table.geometry.direction[axis][step] * table.geometry.spacing[step] * index[step];
  }
  return value;
}

const ShapeMeasures &
ShapeOf(const ComponentTable & table, const ComponentMeasures & component)
{
  return table.shapes[component.place];
}

/** The ratio of two principal moments' roots; 0 where the lower one is. */
double
MomentRatio(const ShapeMeasures & shape, int higher, int lower)
{
  const double below = shape.principalMoments[lower];
  return below > 0 ? std::sqrt(shape.principalMoments[higher] / below) : 0;
}

/** Diameters of the ellipsoid of the component's volume whose axes are as the moments' roots; 0 where a moment is. */
double
EllipsoidDiameter(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  const ShapeMeasures & shape = ShapeOf(table, component);
  double                meanRoot = 1;
  for (int i = 0; i < table.dimension; ++i)
  {
    meanRoot *= std::pow(shape.principalMoments[i], 0.5 / table.dimension);
  }
  return meanRoot > 0 ? BallDiameter(table.dimension, VolumeOf(table, component)) *
                          std::sqrt(shape.principalMoments[axis]) / meanRoot
                      : 0;
}

/** The share of the bounding box that the component fills. */
double
BoxFill(const ComponentTable & table, const ComponentMeasures & component)
{
  double box = 1;
  for (int axis = 0; axis < table.dimension; ++axis)
  {
    box *= static_cast<double>(component.boxMaximum[axis] - component.boxMinimum[axis] + 1);
  }
  return static_cast<double>(component.voxelCount) / box;
}

/** The surface of the ball (the perimeter of the disc) of the component's volume, over the component's. */
double
Sphericity(const ComponentTable & table, const ComponentMeasures & component)
{
  const double diameter = BallDiameter(table.dimension, VolumeOf(table, component));
  const double ball = table.dimension == 1 ? 2 : table.dimension == 2 ? Pi * diameter : Pi * diameter * diameter;
  return ball / component.surface;
}

void
AddSurfaceColumns(int dimension, std::vector<ComponentColumn> & columns)
{
  using Table = const ComponentTable &;
  using Component = const ComponentMeasures &;
  using Value = ComponentColumn::Value;
  static const char * const names[] = { "ends", "perimeter_mm", "surface_area_mm2" };
  static const char * const faceNames[] = { "face_ends", "face_perimeter_mm", "face_area_mm2" };
  const bool                isFlat = dimension == 2;
  columns.push_back({ names[dimension - 1],
                      isFlat ? "perimeter by Crofton's formula in 4 directions"
                             : "surface by Crofton's formula in 13 directions, weighted for the spacing",
                      "Perimeter (its weights are those of cubic voxels)",
                      isFlat ? "perimeter_crofton" : "",
                      [](Table, Component c) { return Value{ c.surface }; } });
  columns.push_back({ faceNames[dimension - 1],
                      "area of the voxels' faces (in 2-D length of their edges) that bound the component",
                      "",
                      "",
                      [](Table, Component c) { return Value{ c.faceSurface }; } });
  columns.push_back({ isFlat ? "circularity" : "sphericity",
                      isFlat ? "4 pi area / perimeter^2: 1 for a disc"
                             : "surface of the ball of the same volume / surface: 1 for a ball",
                      isFlat ? "Roundness^2" : "Roundness",
                      "",
                      [isFlat](Table t, Component c) {
                        const double ratio = Sphericity(t, c);
                        return Value{ isFlat ? ratio * ratio : ratio };
                      } });
  if (dimension == 3)
  {
    columns.push_back(
      { "compactness", "36 pi volume^2 / surface^3: the sphericity's cube", "", "", [](Table t, Component c) {
         return Value{ std::pow(Sphericity(t, c), 3) };
       } });
  }
}

void
AddDistributionColumns(int dimension, std::vector<ComponentColumn> & columns)
{
  using Table = const ComponentTable &;
  using Component = const ComponentMeasures &;
  using Value = ComponentColumn::Value;
  columns.push_back({ "intensity_skewness",
                      "third central moment over the cube of the sample's standard deviation; 0 for equal intensities",
                      "Skewness",
                      "",
                      [](Table t, Component c) { return Value{ t.distributions[c.place].skewness }; } });
  columns.push_back({ "intensity_kurtosis",
                      "fourth central moment over the fourth power of the deviation, less 3; 0 for equal intensities",
                      "Kurtosis",
                      "",
                      [](Table t, Component c) { return Value{ t.distributions[c.place].kurtosis }; } });
  for (std::size_t i = 0; i < 5; ++i)
  {
    const std::string name = Percentages[i] == 50 ? "median" : "p" + std::to_string(Percentages[i]);
    columns.push_back({ "intensity_" + name,
                        "exact percentile, linear between two ranks as numpy.percentile",
                        name == "median" ? "Median (of a histogram)" : "",
                        name == "median" ? "intensity_median" : "",
                        [i](Table t, Component c) { return Value{ t.distributions[c.place].percentiles[i] }; } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back(
      { std::string("weighted_centroid_") + AxisNames[axis],
        "mean index weighted by intensities",
        "",
        "centroid_weighted",
        [axis](Table t, Component c) { return Value{ t.distributions[c.place].weightedCentroid[axis] }; } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("weighted_centroid_") + AxisNames[axis] + "_mm",
                        "physical point of the weighted centroid",
                        "CenterOfGravity",
                        "centroid_weighted (with spacing)",
                        [axis](Table t, Component c) {
                          return Value{ PhysicalPoint(t, t.distributions[c.place].weightedCentroid, axis) };
                        } });
  }
}

void
AddPlaceColumns(int dimension, std::vector<ComponentColumn> & columns)
{
  using Table = const ComponentTable &;
  using Component = const ComponentMeasures &;
  using Value = ComponentColumn::Value;
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("first_voxel_") + AxisNames[axis],
                        "index of the first voxel in raster order (x fastest)",
                        "",
                        "",
                        [axis](Table, Component c) { return Value{ c.firstVoxel[axis] }; } });
  }
  columns.push_back(
    { "bbox_fill", "share of the bounding box that the component fills", "", "extent", [](Table t, Component c) {
       return Value{ BoxFill(t, c) };
     } });
  for (int side = 0; side < 2 * dimension; ++side)
  {
    columns.push_back({ std::string("touches_") + AxisNames[side / 2] + (side % 2 == 0 ? "_min" : "_max"),
                        "1 if a voxel lies on this side of the image",
                        "",
                        "",
                        [side](Table, Component c) { return Value{ std::uint64_t{ c.sidesTouched >> side & 1u } }; } });
  }
}

void
AddShapeColumns(int dimension, std::vector<ComponentColumn> & columns)
{
  using Table = const ComponentTable &;
  using Component = const ComponentMeasures &;
  using Value = ComponentColumn::Value;
  for (int i = 0; i < dimension; ++i)
  {
    for (int j = i; j < dimension; ++j)
    {
      columns.push_back({ std::string("covariance_") + AxisNames[i] + AxisNames[j] + "_mm2",
                          "covariance of the voxel centres' physical coordinates (divided by their number)",
                          "",
                          "",
                          [i, j](Table t, Component c) { return Value{ ShapeOf(t, c).covariance[i][j] }; } });
    }
  }
  for (int i = 0; i < dimension; ++i)
  {
    columns.push_back({ "principal_moment_" + std::to_string(i + 1) + "_mm2",
                        "eigenvalue of the covariance, ascending",
                        "PrincipalMoments",
                        "",
                        [i](Table t, Component c) { return Value{ ShapeOf(t, c).principalMoments[i] }; } });
  }
  for (int i = 0; i < dimension; ++i)
  {
    for (int axis = 0; axis < dimension; ++axis)
    {
      columns.push_back({ "principal_axis_" + std::to_string(i + 1) + "_" + AxisNames[axis],
                          "unit vector of this moment; its component of the largest magnitude is positive",
                          "PrincipalAxes (signs may differ)",
                          "",
                          [i, axis](Table t, Component c) { return Value{ ShapeOf(t, c).principalAxes[i][axis] }; } });
    }
  }
  for (int i = 0; i < dimension; ++i)
  {
    const bool isMajor = i == dimension - 1;
    columns.push_back({ "axis_length_" + std::to_string(i + 1) + "_mm",
                        "length of the axis of the ellipsoid with this moment (a ball's diameter along all of them)",
                        "",
                        isMajor  ? "axis_major_length"
                        : i == 0 ? "axis_minor_length"
                                 : "",
                        [i](Table t, Component c) {
                          return Value{ 2 * std::sqrt((t.dimension + 2) * ShapeOf(t, c).principalMoments[i]) };
                        } });
  }
  for (int i = 0; i < dimension; ++i)
  {
    columns.push_back({ "ellipsoid_diameter_" + std::to_string(i + 1) + "_mm",
                        "diameter of the ellipsoid of the same volume and ratios of axes; 0 for lines and planes",
                        "EquivalentEllipsoidDiameter",
                        "",
                        [i](Table t, Component c) { return Value{ EllipsoidDiameter(t, c, i) }; } });
  }
  if (dimension > 1)
  {
    columns.push_back({ "elongation",
                        "root of the ratio of the two largest principal moments; 0 for lines and single voxels",
                        "Elongation",
                        "",
                        [dimension](Table t, Component c) {
                          return Value{ MomentRatio(ShapeOf(t, c), dimension - 1, dimension - 2) };
                        } });
    columns.push_back(
      { "flatness",
        "root of the ratio of the two smallest principal moments; 0 for lines, planes and single voxels",
        "Flatness",
        "",
        [](Table t, Component c) { return Value{ MomentRatio(ShapeOf(t, c), 1, 0) }; } });
  }
}

/** The shortest text that reads back as the same number. */
template <typename T>
void
AppendNumber(std::string & text, T value)
{
  char       digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text.append(digits, end);
}

void
AppendValue(std::string & text, const ComponentColumn::Value & value, const char * notFinite)
{
  std::visit(
    [&](auto number) {
      if constexpr (std::is_same_v<decltype(number), double>)
      {
        if (!std::isfinite(number) && notFinite)
        {
          text += notFinite;
          return;
        }
      }
      AppendNumber(text, number);
    },
    value);
}

} // namespace

namespace
{

struct NamedGroup
{
  const char * name;
  bool ColumnGroups::*group;
};

constexpr NamedGroup namedGroups[] = { { "intensity", &ColumnGroups::intensity },
                                       { "place", &ColumnGroups::place },
                                       { "shape", &ColumnGroups::shape },
                                       { "surface", &ColumnGroups::surface } };

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
      throw InvalidArgument("'" + name + "' is no group of columns; there are: " + Names() +
                            " (the others are always there)");
    }
    groups.*(found->group) = true;
  }
  return groups;
}

bool
ColumnGroups::operator==(const ColumnGroups & other) const
{
  return std::all_of(std::begin(namedGroups), std::end(namedGroups), [&](const NamedGroup & named) {
    return this->*(named.group) == other.*(named.group);
  });
}

std::vector<ComponentColumn>
ColumnsOf(const ComponentTable & table)
{
  using Table = const ComponentTable &;
  using Component = const ComponentMeasures &;
  using Value = ComponentColumn::Value;
  const int                    dimension = table.dimension;
  std::vector<ComponentColumn> columns;

  columns.push_back({ "label", "number of the component in the label map", "Label", "label", [](Table, Component c) {
                       return Value{ c.label };
                     } });
  if (table.sliceAxis)
  {
    const int axis = *table.sliceAxis;
    columns.push_back({ "slice",
                        std::string("index of the slice along ") + AxisNames[axis] + " that holds the component",
                        "",
                        "",
                        [axis](Table, Component c) { return Value{ c.boxMinimum[axis] }; } });
  }
  columns.push_back({ "voxel_count", "number of voxels", "NumberOfPixels", "num_pixels", [](Table, Component c) {
                       return Value{ c.voxelCount };
                     } });
  static const char * const sizeNames[] = { "length_mm", "area_mm2", "volume_mm3", "hypervolume_mm4" };
  columns.push_back({ sizeNames[dimension - 1],
                      "voxel count times the size of a voxel",
                      "PhysicalSize",
                      "area (with spacing)",
                      [](Table t, Component c) { return Value{ VolumeOf(t, c) }; } });
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("bbox_min_") + AxisNames[axis],
                        "first index of the bounding box",
                        "BoundingBox (index)",
                        "bbox (min)",
                        [axis](Table, Component c) { return Value{ c.boxMinimum[axis] }; } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("bbox_max_") + AxisNames[axis],
                        "last index of the bounding box (it belongs to the box)",
                        "BoundingBox (index + size - 1)",
                        "bbox (max - 1)",
                        [axis](Table, Component c) { return Value{ c.boxMaximum[axis] }; } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("bbox_min_") + AxisNames[axis] + "_mm",
                        "lowest physical coordinate of the bounding box's corners, voxels taken as boxes",
                        "",
                        "",
                        [axis](Table t, Component c) {
                          double low, high;
                          PhysicalBox(t, c, axis, low, high);
                          return Value{ low };
                        } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("bbox_max_") + AxisNames[axis] + "_mm",
                        "highest physical coordinate of the bounding box's corners, voxels taken as boxes",
                        "",
                        "",
                        [axis](Table t, Component c) {
                          double low, high;
                          PhysicalBox(t, c, axis, low, high);
                          return Value{ high };
                        } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("centroid_") + AxisNames[axis],
                        "mean index of the voxels",
                        "",
                        "centroid",
                        [axis](Table, Component c) { return Value{ c.centroid[axis] }; } });
  }
  for (int axis = 0; axis < dimension; ++axis)
  {
    columns.push_back({ std::string("centroid_") + AxisNames[axis] + "_mm",
                        "physical point of the centroid (spacing, origin and direction applied)",
                        "Centroid",
                        "centroid (with spacing)",
                        [axis](Table t, Component c) { return Value{ PhysicalPoint(t, c.centroid, axis) }; } });
  }
  columns.push_back({ "equivalent_spherical_diameter_mm",
                      "diameter of the ball (in 2-D the disc) of the same volume",
                      "2 * EquivalentSphericalRadius",
                      "equivalent_diameter_area",
                      [](Table t, Component c) { return Value{ BallDiameter(t.dimension, VolumeOf(t, c)) }; } });
  columns.push_back({ "touches_border",
                      "1 if a voxel lies on the border of the image (of the slice, where slices are labeled)",
                      "NumberOfPixelsOnBorder > 0",
                      "",
                      [](Table, Component c) { return Value{ std::uint64_t{ c.touchesBorder ? 1u : 0u } }; } });
  if (table.groups.place)
  {
    AddPlaceColumns(dimension, columns);
  }
  if (table.groups.shape)
  {
    AddShapeColumns(dimension, columns);
  }
  if (table.groups.surface)
  {
    AddSurfaceColumns(dimension, columns);
  }
  if (table.hasIntensity)
  {
    columns.push_back({ "intensity_min", "lowest intensity", "Minimum", "intensity_min", [](Table, Component c) {
                         return Value{ c.intensity.minimum };
                       } });
    columns.push_back({ "intensity_max", "highest intensity", "Maximum", "intensity_max", [](Table, Component c) {
                         return Value{ c.intensity.maximum };
                       } });
    columns.push_back({ "intensity_mean", "mean intensity", "Mean", "intensity_mean", [](Table, Component c) {
                         return Value{ c.intensity.mean };
                       } });
    columns.push_back({ "intensity_std",
                        "standard deviation of the sample (n - 1); 0 for one voxel",
                        "StandardDeviation",
                        "intensity_std (divides by n)",
                        [](Table, Component c) { return Value{ c.intensity.standardDeviation }; } });
    columns.push_back({ "intensity_sum", "sum of the intensities", "Sum", "", [](Table, Component c) {
                         return Value{ c.intensity.sum };
                       } });
  }
  if (table.groups.intensity)
  {
    AddDistributionColumns(dimension, columns);
  }
  return columns;
}

void
WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  const auto  columns = ColumnsOf(table);
  std::string line;
  for (const ComponentColumn & column : columns)
  {
    line += line.empty() ? column.name : delimiter + column.name;
  }
  stream << line << '\n';
  for (const ComponentMeasures & component : table.components)
  {
    line.clear();
    for (const ComponentColumn & column : columns)
    {
      if (!line.empty())
      {
        line += delimiter;
      }
      AppendValue(line, column.value(table, component), nullptr);
    }
    line += '\n';
    stream << line;
  }
}

void
WriteJson(std::ostream & stream, const ComponentTable & table)
{
  const auto columns = ColumnsOf(table);
  stream << "{\n  \"columns\": {";
  for (std::size_t i = 0; i < columns.size(); ++i)
  {
    stream << (i ? ",\n    \"" : "\n    \"") << columns[i].name << "\": \"" << columns[i].description << '"';
  }
  stream << "\n  },\n  \"components\": [";
  std::string line;
  for (std::size_t i = 0; i < table.components.size(); ++i)
  {
    line = i ? ",\n    {" : "\n    {";
    for (std::size_t k = 0; k < columns.size(); ++k)
    {
      line += (k ? ", \"" : "\"") + columns[k].name + "\": ";
      AppendValue(line, columns[k].value(table, table.components[i]), "null");
    }
    stream << line << '}';
  }
  stream << "\n  ]\n}\n";
}

} // namespace brickccl
