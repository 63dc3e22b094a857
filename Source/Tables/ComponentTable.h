#ifndef BRICKCCL_TABLES_COMPONENTTABLE_H
#define BRICKCCL_TABLES_COMPONENTTABLE_H

#include "BrickCCL/Tables/ComponentRows.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{

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

/** Second moments of one component, of its voxels' centres in physical space (mm^2), divided by their number, as
 *  itk::ShapeLabelMapFilter takes them. */
struct ShapeMeasures
{
  /** What the others follow from. */
  ProductSums products;
  double      covariance[MaximumDimension][MaximumDimension] = {};
  /** The covariance's eigenvalues, ascending; what is rounding beside the largest one is 0. */
  double principalMoments[MaximumDimension] = {};
  /** Unit vectors of these, one a row; of each the component of the largest magnitude is positive. */
  double principalAxes[MaximumDimension][MaximumDimension] = {};
};

/** How far one component reaches, in mm; of up to 3 dimensions. */
struct ExtentMeasures
{
  /** The largest distance between two voxel centres, as in itk::ShapeLabelMapFilter; 0 for a single voxel. */
  double feretDiameter = 0;
  /** The smallest ball (in 2-D disc) around all voxels, taken as boxes; its centre is a physical point. */
  double enclosingDiameter = 0;
  double enclosingCentre[MaximumDimension] = {};
  /** The box along the principal axes around all voxels, as itk::ShapeLabelMapFilter has it: its sides along these
   *  axes, ascending moments, and its middle. */
  double orientedSize[MaximumDimension] = {};
  double orientedCentre[MaximumDimension] = {};
  /** Voxels whose convex hull is the component's, as indices from the first voxel of the buffer. */
  std::vector<VoxelIndex> hull;
};

/** Surface of one component; what lies on the image's border is surface, too. Of up to 3 dimensions. */
struct SurfaceMeasures
{
  /** By Crofton's formula in all directions to neighbours (in 2-D the perimeter), see CroftonWeights. */
  double crofton = 0;
  /** Of the voxels' faces. */
  double faces = 0;
};

/** Euler numbers of one component: pieces - tunnels + cavities (in 2-D pieces - holes). Of up to 3 dimensions. */
struct TopologyMeasures
{
  /** Of the voxels as closed boxes, which join wherever they touch: full connectivity. */
  std::int64_t eulerFull = 0;
  /** Of voxels that join through faces only. */
  std::int64_t eulerFace = 0;
};

/** How thick one component is, in mm; of up to 3 dimensions. The image's border bounds components. */
struct ThicknessMeasures
{
  /** Of the largest ball around a voxel's centre that lies within the component's voxels, taken as boxes. */
  double inscribedDiameter = 0;
  /** The index of that voxel, the first of several. */
  std::int64_t inscribedCentre[MaximumDimension] = {};
  /** Mean over the voxels of the diameter of the largest such ball that holds the voxel (Hildebrand and Rueegsegger, A
   * new method for the model-independent assessment of thickness in three-dimensional images, 1997); its largest value
   * is the inscribed diameter. Where it was asked for. */
  double meanLocal = 0;
};

/** How one component lies to the others. */
struct NeighbourMeasures
{
  /** From surface to surface, voxels taken as boxes, to the nearest other component, in mm; 0 where they touch, NaN if
   *  there is no other. The smallest label of several. */
  double        distance = 0;
  std::uint64_t nearest = 0;
  /** How many components it shares voxel faces with, and the area of these. */
  std::uint64_t touching = 0;
  double        contactArea = 0;
};

/** Two components that share voxel faces, the first with the lower label. */
struct Contact
{
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t faces = 0;
  /** Area of these (in 2-D length of these edges), in mm^2. */
  double area = 0;
};

/** Groups of columns that are measured only where they are asked for. */
struct ColumnGroups
{
  /** First voxel, fill of the bounding box, sides of the image that are touched. */
  bool place = false;
  /** Moments, axes and what follows from them. */
  bool shape = false;
  /** Feret diameter, enclosing ball, oriented box. */
  bool feret = false;
  /** Surface and what follows from it. */
  bool surface = false;
  /** Euler numbers. */
  bool topology = false;
  /** Inscribed ball. */
  bool inscribed = false;
  /** Mean local thickness; slow for thick components. */
  bool thickness = false;
  /** Distance to the nearest component, contacts. */
  bool neighbours = false;
  /** The distribution of intensities; needs an intensity image. */
  bool intensity = false;

  /** All that there are, with ", " between. */
  static std::string Names();

  /** From names of groups and of columns, which stand for their groups, with commas between them. \throws
   *  InvalidArgument, which lists the groups that there are. */
  static ColumnGroups FromNames(const std::string & names);

  /** \throws Unsupported for a group that images of this dimension do not have. */
  void CheckDimension(int dimension) const;

  bool operator==(const ColumnGroups & other) const;

private:
  void AddGroupOfColumn(const std::string & column);
};

/** What a mask of the inspected part says of it as a whole. */
struct PartTotals
{
  /** Voxels of the part, and those of them that belong to components. */
  std::uint64_t voxels = 0;
  std::uint64_t componentVoxels = 0;
};

/** The components of a labeled image with what was measured of them, in the order of their labels. */
struct ComponentTable
{
  Extent   extent;
  Geometry geometry;
  /** The axis across which slices were labeled each on its own. */
  std::optional<int> sliceAxis;
  bool               hasIntensity = false;
  bool               hasPart = false;
  ColumnGroups       groups;

  ComponentRows components;

  /** One for each component if they were asked for, else none. */
  std::vector<IntensitySums>        intensitySums;
  UninitializedVector<ShapeMeasures>        shapes;
  std::vector<ExtentMeasures>       extents;
  std::vector<SurfaceMeasures>      surfaces;
  std::vector<TopologyMeasures>     topologies;
  std::vector<ThicknessMeasures>    thicknesses;
  std::vector<NeighbourMeasures>    neighbours;
  std::vector<DistributionMeasures> distributions;
  /** Distances to the part's surface, mm. */
  std::vector<double> partDistances;
  PartTotals          partTotals;
  /** With the group `neighbours`: all pairs of components that share voxel faces, in the order of their labels. */
  std::vector<Contact> contacts;

  /** Bit 2 a: the component touches the image's lower side along axis a; bit 2 a + 1: the upper one. Axes of one voxel
   *  and the axis across slices have no sides. */
  unsigned SidesTouched(const ComponentMeasures & component) const;
};

/** What is measured, and in which images beside the labels. All have the labels' extent and one channel. */
struct MeasureOptions
{
  /** Its values under the components give the intensity columns. */
  std::optional<ImageView> intensity;
  /** A mask of the part that is inspected, not 0 inside: gives the distance to its surface. */
  std::optional<ImageView> part;
  ColumnGroups             groups;

  MeasureOptions() = default;
  MeasureOptions(const ImageView & intensityImage)
    : intensity(intensityImage)
  {}
  MeasureOptions(const std::optional<ImageView> & intensityImage, const ColumnGroups & columnGroups)
    : intensity(intensityImage)
    , groups(columnGroups)
  {}
};

/** How a column of a table that is merged from those of parts (MergeComponentTables) comes about. */
enum class MergeRule
{
  /** The label that the merged component gets. */
  Label,
  Sum,
  Minimum,
  Maximum,
  /** From sums, extremes or hulls that the tables keep and that are merged exactly. */
  Recomputed,
  /** Not from tables: it needs another look at the merged components' runs. */
  SecondLook
};

std::string NameOf(MergeRule rule);

/** One column of the table as it is written: how it is called and computed, in one place. */
struct ComponentColumn
{
  using Value = std::variant<std::uint64_t, std::int64_t, double>;

  /** With the unit at the end where there is one, for example `volume_mm3`. */
  std::string name;
  /** "mm", "mm^2", "mm^3", "index", "voxels", "intensity" or nothing. */
  std::string unit;
  /** What it is, with its formula. */
  std::string description;
  /** The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty. */
  std::string itkName;
  std::string scikitImageName;

  std::function<Value(const ComponentTable &, const ComponentMeasures &)> value;

  MergeRule merge = MergeRule::Recomputed;
  /** The group that it belongs to; empty for those that are always there. */
  std::string group;
};

/** The column of sizes: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4". */
const char * SizeName(int dimension);

/** The columns that a table has: those of its dimension, a slice column if slices were labeled, intensity columns
 *  if there is an intensity image, and those of the table's groups. */
std::vector<ComponentColumn> ColumnsOf(const ComponentTable & table);

/** Every column that tables of images of a dimension can have, but for the slice. */
std::vector<ComponentColumn> AllColumns(int dimension);

/** Measures the components 1..components of a labeled volume from its runs.
 *  \throws InvalidArgument for images that do not fit, Unsupported for groups that do not have the dimension,
 *  Cancelled. */
ComponentTable MeasureComponents(const RunVolume &          volume,
                                 std::uint64_t              components,
                                 const Geometry &           geometry,
                                 const MeasureOptions &     options,
                                 const std::optional<int> & sliceAxis,
                                 const HostContext &        context);

/** The same into an earlier table, the memory of whose rows is used again. After an exception the table is only good
 * for that. */
void MeasureComponents(const RunVolume &          volume,
                       std::uint64_t              components,
                       const Geometry &           geometry,
                       const MeasureOptions &     options,
                       const std::optional<int> & sliceAxis,
                       const HostContext &        context,
                       ComponentTable &           table);

/** Measures an existing label image: every value but 0 is the label of one component, connected or not.
 *  \throws InvalidArgument if a label is negative or not a whole number. */
ComponentTable MeasureLabelImage(const ImageView &      labels,
                                 const Geometry &       geometry,
                                 const MeasureOptions & options,
                                 const HostContext &    context);

/** The same; also hands out the runs, whose labels are places in the table, from 1 on. */
ComponentTable MeasureLabelImage(const ImageView &      labels,
                                 const Geometry &       geometry,
                                 const MeasureOptions & options,
                                 const HostContext &    context,
                                 RunVolume &            volume);

/** Gives a table whose labels are 1.. others, everywhere that it names them: labels[i] for i + 1, in ascending order.
 */
void SetLabels(ComponentTable & table, const std::vector<std::uint64_t> & labels);

/** Which labels of a merged table the components of its parts have, in the order of the parts' components. */
struct MergedLabels
{
  std::vector<std::uint64_t> ofFirst;
  std::vector<std::uint64_t> ofSecond;
};

/** The table of two parts of one image, boxes of it that do not overlap (bricks, slabs), from the tables of these.
 *
 *  Components are numbered in the raster order of their first voxels within the smallest box around both parts. All
 *  columns are what measuring that box at once gives: bit for bit, but for intensities that are not integers of at
 *  most 32 bits, the enclosing ball and the oriented box, which are the same to 1e-12. Those whose MergeRule is
 *  SecondLook are left out, with their groups.
 *  \param a       the table of the one part.
 *  \param b       the table of the other part.
 *  \param pairs   which component of `a` (its label) goes on as which of `b`; more than two can become one.
 *  \param labels  if given, receives the new labels.
 *  \throws InvalidArgument if the tables have different geometries or columns, or a label is in neither. */
ComponentTable MergeComponentTables(const ComponentTable &                                       a,
                                    const ComponentTable &                                       b,
                                    const std::vector<std::pair<std::uint64_t, std::uint64_t>> & pairs,
                                    MergedLabels *                                               labels = nullptr);

/** Writes a header line and one line per component; numbers as the shortest text that reads back the same. */
void WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes a header line and one line per pair of components that share voxel faces: both labels, the number of faces
 * and their area. */
void WriteContacts(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes {"columns": {name: description ...}, "totals": {name: value ...}, "components": [{name: value ...} ...]}; NaN
 *  is null. */
void WriteJson(std::ostream & stream, const ComponentTable & table);

} // namespace brickccl

#endif
