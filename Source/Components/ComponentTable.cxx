#include "BrickCCL/Components/ComponentTable.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>

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

double
PhysicalCentroid(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  double value = table.geometry.origin[axis];
  for (int step = 0; step < table.dimension; ++step)
  {
    value += table.geometry.direction[axis][step] * table.geometry.spacing[step] * component.centroid[step];
  }
  return value;
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
                        [axis](Table t, Component c) { return Value{ PhysicalCentroid(t, c, axis) }; } });
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
