#ifndef BRICKCCL_CLEAN_CLEAN_H
#define BRICKCCL_CLEAN_CLEAN_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Progress.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

/** Which holes are filled. A hole is a component of the background that has no voxel at the border of the image. The
 *  border lies at both ends of each axis along which the background has neighbours, but for axes of one voxel. */
struct HoleOptions
{
  /** The neighbours of background voxels. If it is not given, the dual of the objects' connectivity
   *  (Connectivity::Dual). Where it leaves out an axis, each slice along that axis has its own holes and border. */
  std::optional<Connectivity> connectivity;
  /** Larger holes stay as they are. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  /** Holes of more volume (mm^3; area in slices and 2-D) stay as they are. It needs the geometry. */
  double maximumVolume = std::numeric_limits<double>::infinity();

  /** The most voxels of a hole that is filled. \throws InvalidArgument for a volume without meaning. */
  std::uint64_t MaximumVoxels(const Connectivity & ofBackground, const Geometry & geometry) const;
};

/** What is done to a segmentation. Voxels keep the value of their class; nothing is smoothed. The steps are done in
 * this order. A component is one of EqualValue: voxels of one class that are connected. */
struct CleanOptions
{
  /** The connectivity of the classes. If it is not given, face connectivity of the image's dimension. */
  std::optional<Connectivity> connectivity;
  /** The axes along which the image goes on with its other end. Holes then have no voxel at the ends of the other axes,
   *  of which one must have more than one voxel. */
  PeriodicAxes periodic;
  /** The value that belongs to no class. Voxels that are removed get it. */
  Number background = 0;
  /** The classes that lose components and fill holes. If it is empty, all do. */
  std::vector<Number> values;

  /** 1. Components of fewer voxels, or of less volume (mm^3; area in 2-D), become background. */
  std::uint64_t minimumSize = 0;
  double        minimumVolume = 0;
  /** 2. Of each class, only so many of the largest components stay; 0: all. Of equal ones, the first in raster order.
   */
  std::uint64_t largest = 0;
  /** 3. A hole is filled by the class that all voxels have with which it shares faces. If there are several such
   *  classes, or if the class is not one of `values`, the hole stays. */
  std::optional<HoleOptions> holes;

  /** Whether the report counts the components of the classes where none can be removed. It takes a labeling. */
  bool countComponents = true;

  /** Spacing of the image, for volumes. */
  Geometry geometry;
  Device   device;
  /** The number of threads; 0 stands for all. */
  int           threads = 0;
  ProgressHooks progress;
};

/** What was done to a class. */
struct CleanedClass
{
  Number value = 0;
  /** What there was before. Both are 0 if components were not counted. */
  std::uint64_t components = 0;
  std::uint64_t voxels = 0;

  std::uint64_t removedComponents = 0;
  std::uint64_t removedVoxels = 0;
  std::uint64_t filledHoles = 0;
  std::uint64_t filledVoxels = 0;
};

struct CleanReport
{
  /** The classes by ascending value: those that were asked for and have voxels, if components were counted; else those
   *  that filled holes. */
  std::vector<CleanedClass> classes;
  /** Those of `values` that no voxel has, if components were counted. */
  std::vector<Number> missing;

  /** The sums over the classes; the value is 0. */
  CleanedClass Total() const;
};

/** Cleans a segmentation: an image of one channel in which every value but the background is a class. NaN belongs to
 *  no class and stays. `output` is room for the voxels of `segmentation`, in the same type; it may be the voxels of
 * `segmentation` themselves, but must not overlap them otherwise. After an exception, what it holds is not defined.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
CleanReport Clean(const ImageView & segmentation, void * output, const CleanOptions & options);

/** Fills the holes of a mask or a segmentation: Clean with `options.holes` (all holes, if it is not set), whose report
 *  counts no components. A label map is a segmentation whose classes are its labels. */
CleanReport FillHoles(const ImageView & segmentation, void * output, CleanOptions options = {});

/** What is done to components before the limits on sizes apply, in this order. Components that do not stay become
 *  background. */
struct ComponentFilter
{
  /** Fills holes of the foreground. The background is every voxel that takes no part. Where neighbours are joined by
   * the criterion Foreground, holes become foreground before labeling: whatever lies in a hole is joined to what is
   * around it. Otherwise a hole gets the label of the component that it shares the most faces with; of those that share
   *  equally many, the one whose first voxel comes first in raster order. Along periodic axes an image has no border;
   * if all are periodic, or the criterion compares values, holes of periodic images are refused. */
  std::optional<HoleOptions> holes;
  /** Components stay if they contain one of these voxels, given by their places in the image (x fastest). */
  std::optional<std::vector<std::int64_t>> seeds;
  /** Components stay if they have no voxel at the border. It lies at both ends of each axis along which voxels have
   *  neighbours, but for axes of one voxel. */
  bool clearBorder = false;
  /** Components stay if they have a voxel where this image is not 0. It has the same extent. NaN counts as 0. */
  std::optional<ImageView> touching;

  bool
  KeepsEverything() const
  {
    return !holes && !seeds && !clearBorder && !touching;
  }
};

struct ComponentFilterReport
{
  std::uint64_t filledHoles = 0;
  std::uint64_t filledVoxels = 0;
  /** Seeds that lie in no component. */
  std::uint64_t seedsInBackground = 0;
  /** The components that were found, and those that each step removed of what the steps before it left. */
  std::uint64_t components = 0;
  std::uint64_t removedWithoutSeed = 0;
  std::uint64_t removedAtBorder = 0;
  std::uint64_t removedNotTouching = 0;
};

/** As Label, with a filter before the limits on sizes and the order of `options`. With holes, labeling is done on the
 *  CPU.
 *  \throws InvalidArgument, also for a seed outside of the image; Unsupported, Cancelled, std::bad_alloc. */
ComponentFilterReport
Label(const ImageView & image, const LabelOptions & options, const ComponentFilter & filter, Labeling & result);

/** Which thresholds are tried: `steps` of them from `from` to `to`, both among them, at equal distances. */
struct SweepOptions
{
  double from = 0;
  double to = 0;
  int    steps = 64;
  /** Whether voxels at or below a threshold are foreground; otherwise those at or above it. NaN never is. */
  bool below = false;
  /** Whether a threshold stands for the nearest value of the image's type, as a decimal number that somebody wrote
   * does: 0.7 is no value of 32-bit floating-point voxels. Else it is compared as the double that it is. */
  bool asVoxelValues = false;
  /** If it is not given, face connectivity of the image's dimension. */
  std::optional<Connectivity> connectivity;
  /** The axes along which the image goes on with its other end. */
  PeriodicAxes periodic;
  Device       device;
  /** The number of threads; 0 stands for all. */
  int           threads = 0;
  ProgressHooks progress;

  static constexpr int MaximumSteps = 65536;

  /** The thresholds, ascending. \throws InvalidArgument unless from < to, both finite, and 2 to MaximumSteps steps. */
  std::vector<double> Thresholds() const;
};

/** What labeling the foreground of a threshold would give. */
struct SweepStep
{
  double        threshold = 0;
  std::uint64_t components = 0;
  /** Voxels of the largest component. */
  std::uint64_t largest = 0;
  /** Voxels of the foreground. */
  std::uint64_t voxels = 0;
};

/** The components of every threshold's foreground, by ascending thresholds. No label map is made.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
std::vector<SweepStep> Sweep(const ImageView & image, const SweepOptions & options);

} // namespace brickccl

#endif
