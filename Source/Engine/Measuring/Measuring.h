// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_MEASURING_H
#define BRICKCCL_MEASURING_MEASURING_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{

struct ColumnGroup;

/** A set of groups of columns that are measured only on request, by name:
 *
 *  - `place`: first voxel, filled share of the bounding box, sides of the image that the component touches
 *  - `shape`: moments, axes and measures from them
 *  - `feret`: Feret diameter, enclosing ball, oriented box
 *  - `hull`: volume of the convex hull, solidity, least caliper width
 *  - `geodesic`: longest path within the component; slow for thick components
 *  - `skeleton`: size, length, branches and ends of the skeleton
 *  - `surface`: surface and measures from it
 *  - `topology`: Euler numbers
 *  - `inscribed`: largest inscribed ball
 *  - `thickness`: mean local thickness; slow for thick components
 *  - `neighbors`: distance to the nearest component, contacts
 *  - `intensity`: distribution of intensities; needs an intensity image
 *
 *  Initially empty. */
class ColumnGroups
{
public:
  /** The names of all groups, separated by ", ". */
  static std::string Names();

  /** The groups with these names; the name of a column means its group. \param names  separated by commas. \throws
   *  InvalidArgument for another name; the message lists the groups. */
  static ColumnGroups FromNames(const std::string & names);

  /** The groups that were requested for a table. */
  static ColumnGroups Of(const ComponentTable & table);

  /** Adds a group. \throws InvalidArgument for an unknown name. */
  void Add(const std::string & name);

  /** Adds a custom group, which must outlive all tables that have it. Its columns come last. */
  void Add(const ColumnGroup & group);

  /** Whether a group is in the set. */
  bool Has(const std::string & name) const;

  /** The groups of the set, in the order of their columns. */
  const std::vector<const ColumnGroup *> &
  List() const
  {
    return m_Groups;
  }

  /** \throws Unsupported for a group that is not available in this dimension. */
  void CheckDimension(int dimension) const;

  bool
  operator==(const ColumnGroups & other) const
  {
    return m_Groups == other.m_Groups;
  }
  bool
  operator!=(const ColumnGroups & other) const
  {
    return !(*this == other);
  }

private:
  void AddGroupOfColumn(const std::string & column);

  std::vector<const ColumnGroup *> m_Groups;
};

/** All columns of tables for images of a dimension.
 *  \param dimension  from 1 to 4
 *  \param sliceAxis  the axis across which slices were labeled separately, if they were */
std::vector<ComponentColumn> AllColumns(int dimension, const std::optional<int> & sliceAxis = std::nullopt);

/** The names of the columns of all dimensions and of slices, each with its group. The most usual dimension comes
 *  first. */
std::vector<std::pair<std::string, std::string>> AllColumnNames();

/** Columns to measure, and additional images. All images have the labels' extent and one channel. */
struct MeasureOptions
{
  /** Image for the intensity columns. */
  std::optional<ImageView> intensity;
  /** A mask of the inspected part, neither 0 nor NaN inside, for distances to the part's surface. */
  std::optional<ImageView> part;
  /** Gives each component the value of its first voxel, for images whose neighbors of equal value were joined. */
  std::optional<ImageView> classes;
  /** Numbers of parts and of zones, whole and not negative; 0 is outside. A component is in the one with most of its
   *  voxels. */
  std::optional<ImageView> parts;
  std::optional<ImageView> zones;
  /** The labels that a split divided into objects. The parent of an object is the label of its first voxel. */
  std::optional<ImageView> parents;
  /** Whether columns of intensities leave out values that are NaN. */
  bool ignoresNaN = false;
  /** Columns in addition to the default ones. */
  ColumnGroups groups;

  MeasureOptions() = default;
  MeasureOptions(const ImageView & intensityImage)
    : intensity(intensityImage)
  {}
  MeasureOptions(const std::optional<ImageView> & intensityImage, const ColumnGroups & columnGroups)
    : intensity(intensityImage)
    , groups(columnGroups)
  {}
};

/** Measures an existing label image: every nonzero value is the label of one component, connected or not. The rows of
 *  the table have these labels, ascending.
 *  \param labels    of any scalar type, one channel
 *  \param geometry  spacing, origin and direction, for the physical columns; by default voxels of 1 mm
 *  \param options   what to measure in addition to the default columns
 *  \param threads   the number of CPU threads; 0: all. The table does not depend on it
 *  \param hooks     for progress and canceling
 *  \throws InvalidArgument if a label is negative or not a whole number, or if another image does not fit;
 *  Unsupported for groups that are not available in this dimension; Canceled. */
ComponentTable MeasureLabelImage(const ImageView &      labels,
                                 const Geometry &       geometry = {},
                                 const MeasureOptions & options = {},
                                 int                    threads = 0,
                                 const ProgressHooks &  hooks = {});

// The structs of the groups of columns in ComponentTable::measures, one for each component.

/** Group `shape`: second moments of the voxels' centers in physical space (mm^2), divided by their number, as in
 *  itk::ShapeLabelMapFilter. The group `feret` has them, too. All are NaN for a component of a periodic image that
 *  cannot be unwrapped. */
struct ShapeMeasures
{
  double covariance[MaximumDimension][MaximumDimension] = {};
  /** The eigenvalues of the covariance, ascending. A value below the rounding error of the largest one is 0. */
  double principalMoments[MaximumDimension] = {};
  /** Their unit vectors, one per row. In each, the element of the largest magnitude is positive. */
  double principalAxes[MaximumDimension][MaximumDimension] = {};
};

/** Group `feret`: the size of the component in mm. For up to 3 dimensions. */
struct ExtentMeasures
{
  /** The largest distance between two voxel centers, as in itk::ShapeLabelMapFilter; 0 for a single voxel. */
  double feretDiameter = 0;
  /** The smallest ball (in 2-D disk) around all voxels as boxes; its center is a physical point. */
  double enclosingDiameter = 0;
  double enclosingCenter[MaximumDimension] = {};
  /** The box along the principal axes around all voxels, as in itk::ShapeLabelMapFilter: its sides along these axes,
   *  by ascending moments, and its center. */
  double orientedSize[MaximumDimension] = {};
  double orientedCenter[MaximumDimension] = {};
};

/** Group `hull`: the convex hull of the voxels as boxes. For up to 3 dimensions. */
struct HullMeasures
{
  /** Its size in voxels: exact, then rounded once. */
  double voxels = 0;
  /** The least distance of two parallel planes (in 2-D lines) around it, in mm. */
  double width = 0;
};

/** Group `geodesic`. For up to 3 dimensions. */
struct GeodesicMeasures
{
  /** The longest of the shortest paths between the centers of two voxels of the component in mm, in steps to all
   *  neighbors that belong to it (in 3-D 26). Pieces that do not touch have no path between them. */
  double diameter = 0;
};

/** Group `skeleton`: what the thinning by Lee, Kashyap and Chu (Building skeleton models via 3-D medial surface/axis
 *  thinning algorithms, 1994) leaves of the component. For up to 3 dimensions. */
struct SkeletonMeasures
{
  std::uint64_t voxels = 0;
  /** The steps between its voxels in mm; where voxels with three or more neighbors (junctions) meet, only steps
   *  of a shortest tree count, as in skan. */
  double length = 0;
  /** The pieces of its voxels with one or two neighbors. */
  std::uint64_t branches = 0;
  /** The voxels with one neighbor. */
  std::uint64_t ends = 0;
};

/** Group `surface`: the surface; faces on the image's border count. For up to 3 dimensions. */
struct SurfaceMeasures
{
  /** By Crofton's formula in all directions to neighbors (in 2-D the perimeter), see CroftonWeights. */
  double crofton = 0;
  /** The surface of a ball of the component's volume that Crofton's formula misses: a chord that is shorter than a step
   *  contains the center of a voxel in some places only. */
  double missed = 0;
  /** The area of the voxels' faces. */
  double faces = 0;
};

/** Group `topology`: Euler numbers, pieces - tunnels + cavities (in 2-D pieces - holes). For up to 3 dimensions. */
struct TopologyMeasures
{
  /** For voxels as closed boxes that join wherever they touch: full connectivity. */
  std::int64_t eulerFull = 0;
  /** For voxels that join through faces only. */
  std::int64_t eulerFace = 0;
};

/** Groups `inscribed` and `thickness`: the thickness of the component in mm. The image's border bounds components.
 *  For up to 3 dimensions. */
struct ThicknessMeasures
{
  /** The diameter of the largest ball around a voxel center that fits into the component's voxels as boxes. */
  double inscribedDiameter = 0;
  /** The index of the voxel at the center of this ball; the first one if there are several. */
  std::int64_t inscribedCenter[MaximumDimension] = {};
  /** Only with the group `thickness`: the mean over the voxels of the diameter of the largest such ball that contains
   *  the voxel center (Hildebrand and Rueegsegger, A new method for the model-independent assessment of thickness in
   *  three-dimensional images, 1997). The largest of these diameters is the inscribed diameter. */
  double meanLocal = 0;
};

/** Group `neighbors`: the relation of the component to the others. */
struct NeighborMeasures
{
  /** Surface-to-surface distance (voxels as boxes) to the nearest other component, in mm; 0 if they touch, NaN if
   *  there is no other. */
  double distance = 0;
  /** The label of that component, the smallest of several; 0 if there is no other. */
  std::uint64_t nearest = 0;
  /** The number of components that share voxel faces with it, and the area of these faces. */
  std::uint64_t touching = 0;
  double        contactArea = 0;
};

/** The percentages of DistributionMeasures::percentiles. */
inline constexpr int Percentages[5] = { 5, 10, 50, 90, 95 };

/** Group `intensity`: the distribution of the intensities under the component. All are NaN if one intensity is NaN. */
struct DistributionMeasures
{
  /** Third and fourth central moment over the third and fourth power of the sample's standard deviation, the latter
   *  less 3, as in itk::StatisticsLabelMapFilter; 0 if all intensities are the same. */
  double skewness = 0;
  double kurtosis = 0;
  /** Exact; between two ranks by linear interpolation (the default of numpy.percentile). */
  double percentiles[5] = {};
  /** Mean index of the voxels, weighted by their intensities; NaN if the intensities sum up to 0. */
  double weightedCentroid[MaximumDimension] = {};
};

/** With an image of classes: the value of the component's voxels, as wide as its type needs. */
struct ClassValue
{
  std::variant<std::uint64_t, std::int64_t, double> value;
};

/** With an image of parts or of zones: the number of the one that the component is in; 0 if it is in none. */
struct PartNumber
{
  std::uint64_t number = 0;
};
struct ZoneNumber
{
  std::uint64_t number = 0;
};

/** With an image of parents: the label that the object is a part of. */
struct ParentLabel
{
  std::uint64_t label = 0;
};

/** The numbers of parts or zones that components have voxels of, ascending, and how many. */
template <typename TNumber>
struct NumberVoxels
{
  std::uint64_t number = 0;
  std::uint64_t voxels = 0;
};

/** With a mask of the part: the distance from the component to the part's surface in mm; NaN if the part has none. */
struct PartDistance
{
  double distance = 0;
};

} // namespace brickccl

#endif
