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

/** Second moments of one component, of its voxels' centres in physical space (mm^2), divided by their number, as
 *  itk::ShapeLabelMapFilter takes them. */
struct ShapeMeasures
{
  double covariance[MaximumDimension][MaximumDimension] = {};
  /** The covariance's eigenvalues, ascending; what is rounding beside the largest one is 0. */
  double principalMoments[MaximumDimension] = {};
  /** Unit vectors of these, one a row; of each the component of the largest magnitude is positive. */
  double principalAxes[MaximumDimension][MaximumDimension] = {};
};

/** How the intensities under one component are distributed. All are NaN where one of them is. */
struct DistributionMeasures
{
  /** Third and fourth central moment over the third and fourth power of the sample's standard deviation, the latter
   * less 3, as itk::StatisticsLabelMapFilter has them; 0 where all intensities are the same. */
  double skewness = 0;
  double kurtosis = 0;
  /** Exact, between two ranks by linear interpolation (the default of numpy.percentile): 5, 10, 50, 90, 95 %. */
  double percentiles[5] = {};
  /** Mean index of the voxels, weighted by their intensities; NaN where these sum up to 0. */
  double weightedCentroid[MaximumDimension] = {};
};

/** The percentages of DistributionMeasures::percentiles. */
inline constexpr int Percentages[5] = { 5, 10, 50, 90, 95 };

/** Groups of columns that are measured only where they are asked for. */
struct ColumnGroups
{
  /** The distribution of intensities; needs an intensity image. */
  bool intensity = false;
  /** Moments, axes and what follows from them. */
  bool shape = false;
  /** Surface and what follows from it; of up to 3 dimensions. */
  bool surface = false;
  /** First voxel, fill of the bounding box, sides of the image that are touched. */
  bool place = false;

  /** All that there are, with ", " between. */
  static std::string Names();

  /** From names with commas between them. \throws InvalidArgument, which lists the names that there are. */
  static ColumnGroups FromNames(const std::string & names);

  bool operator==(const ColumnGroups & other) const;
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
  /** The first voxel in raster order (x fastest), where places were asked for. */
  std::int64_t firstVoxel[MaximumDimension] = {};
  bool         touchesBorder = false;
  /** Bit 2 a: the component touches the image's lower side along axis a; bit 2 a + 1: the upper one. */
  unsigned sidesTouched = 0;

  /** Where the surface was asked for: its area (in 2-D the perimeter) by Crofton's formula, see CroftonWeights, and
   * that of the voxels' faces, physical. What lies on the image's border is surface, too. */
  double surface = 0;
  double faceSurface = 0;

  IntensityMeasures intensity;
  /** Where the table's `shapes` and `distributions` have this component's. */
  std::size_t place = 0;
};

/** The components of a labeled image with what was measured of them, in the order of their labels. */
struct ComponentTable
{
  int      dimension = 0;
  Geometry geometry;
  /** The axis across which slices were labeled each on its own. */
  std::optional<int>             sliceAxis;
  bool                           hasIntensity = false;
  ColumnGroups                   groups;
  std::vector<ComponentMeasures> components;
  /** One for each component if they were asked for, else none. */
  std::vector<ShapeMeasures>        shapes;
  std::vector<DistributionMeasures> distributions;
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
 *  if there is an intensity image, and those of the table's groups. */
std::vector<ComponentColumn> ColumnsOf(const ComponentTable & table);

/** Measures the components 1..components of a labeled volume from its runs.
 *  \param intensity  an image of the same extent with one channel; only voxels of components are read.
 *  \throws InvalidArgument for an intensity image that does not fit, Cancelled. */
ComponentTable MeasureComponents(const RunVolume &                volume,
                                 std::uint64_t                    components,
                                 const Geometry &                 geometry,
                                 const std::optional<ImageView> & intensity,
                                 const std::optional<int> &       sliceAxis,
                                 const HostContext &              context,
                                 const ColumnGroups &             groups = {});

/** Measures an existing label image: every value but 0 is the label of one component, connected or not.
 *  \throws InvalidArgument if a label is negative or not a whole number. */
ComponentTable MeasureLabelImage(const ImageView &                labels,
                                 const Geometry &                 geometry,
                                 const std::optional<ImageView> & intensity,
                                 const HostContext &              context,
                                 const ColumnGroups &             groups = {});

/** Writes a header line and one line per component; numbers as the shortest text that reads back the same. */
void WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes {"columns": {name: description ...}, "components": [{name: value ...} ...]}; NaN is null. */
void WriteJson(std::ostream & stream, const ComponentTable & table);

} // namespace brickccl

#endif
