#ifndef BRICKCCL_COMPONENTS_COMPONENTTABLE_H
#define BRICKCCL_COMPONENTS_COMPONENTTABLE_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace brickccl
{

/** Measures of the intensities under one component. NaN voxels make the sum, mean and deviation NaN and are left out
 *  of the extremes. */
struct IntensityMeasures
{
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  double mean = 0;
  /** Of the sample (divided by n - 1), 0 for a single voxel, as in itk::LabelStatisticsImageFilter. */
  double standardDeviation = 0;
};

/** Measures of one component. Indices count as in the image that was labeled, its region's start included. */
struct ComponentMeasures
{
  std::uint64_t label = 0;
  std::uint64_t voxelCount = 0;
  /** First and last index of the bounding box; both belong to it. */
  std::int64_t boxMinimum[MaximumDimension] = {};
  std::int64_t boxMaximum[MaximumDimension] = {};
  /** Mean index of the voxels. */
  double centroid[MaximumDimension] = {};
  bool   touchesBorder = false;

  IntensityMeasures intensity;
};

/** The components of a labeled image with what was measured of them, in the order of their labels. */
struct ComponentTable
{
  int      dimension = 0;
  Geometry geometry;
  /** The axis across which slices were labeled each on its own. */
  std::optional<int>             sliceAxis;
  bool                           hasIntensity = false;
  std::vector<ComponentMeasures> components;
};

/** One column of the table as it is written: how it is called and computed, in one place. */
struct ComponentColumn
{
  using Value = std::variant<std::uint64_t, std::int64_t, double>;

  /** With the unit at the end where there is one, for example `volume_mm3`. */
  std::string name;
  std::string description;
  /** The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty. */
  std::string itkName;
  std::string scikitImageName;

  std::function<Value(const ComponentTable &, const ComponentMeasures &)> value;
};

/** The columns that a table has: those of its dimension, a slice column if slices were labeled, intensity columns
 *  if there is an intensity image. */
std::vector<ComponentColumn> ColumnsOf(const ComponentTable & table);

/** Measures the components 1..components of a labeled volume from its runs.
 *  \param intensity  an image of the same extent with one channel; only voxels of components are read.
 *  \throws InvalidArgument for an intensity image that does not fit, Cancelled. */
ComponentTable MeasureComponents(const RunVolume &                volume,
                                 std::uint64_t                    components,
                                 const Geometry &                 geometry,
                                 const std::optional<ImageView> & intensity,
                                 const std::optional<int> &       sliceAxis,
                                 const HostContext &              context);

/** Measures an existing label image: every value but 0 is the label of one component, connected or not.
 *  \throws InvalidArgument if a label is negative or not a whole number. */
ComponentTable MeasureLabelImage(const ImageView &                labels,
                                 const Geometry &                 geometry,
                                 const std::optional<ImageView> & intensity,
                                 const HostContext &              context);

/** Writes a header line and one line per component; numbers as the shortest text that reads back the same. */
void WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes {"columns": {name: description ...}, "components": [{name: value ...} ...]}; NaN is null. */
void WriteJson(std::ostream & stream, const ComponentTable & table);

} // namespace brickccl

#endif
