// SPDX-License-Identifier: Apache-2.0
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

/** Which holes to fill. A hole is a component of the background that has no voxel at the border of the image. The
 *  border is at both ends of each axis along which the background has neighbors, except for axes of one voxel. */
struct HoleOptions
{
  /** The neighbors of background voxels; the dual of the objects' connectivity (Connectivity::Dual) if not given. If
   *  it does not use an axis, each slice along that axis has its own holes and border. */
  std::optional<Connectivity> connectivity;
  /** Larger holes are not filled. */
  std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  /** Holes with more volume (mm^3; area in slices and 2-D) are not filled. Needs the geometry. */
  double maximumVolume = std::numeric_limits<double>::infinity();

  /** The largest number of voxels of a hole to fill. \throws InvalidArgument for an invalid volume. */
  std::uint64_t MaximumVoxels(const Connectivity & ofBackground, const Geometry & geometry) const;
};

/** How to clean a segmentation. Voxels keep the value of their class; nothing is smoothed. The steps run in this
 *  order. A component consists of connected voxels of one class (EqualValue). */
struct CleanOptions
{
  /** The connectivity of the classes; face connectivity of the image's dimension if not given. */
  std::optional<Connectivity> connectivity;
  /** Axes along which opposite ends of the image are neighbors. Holes then have no voxel at the ends of the other
   *  axes, of which one must have more than one voxel. */
  PeriodicAxes periodic;
  /** The background value, which removed voxels get. */
  Number background = 0;
  /** The classes to clean; all if empty. */
  std::vector<Number> values;

  /** 1. Components with fewer voxels, or with less volume (mm^3; area in slices and 2-D), become background. */
  std::uint64_t minimumSize = 0;
  double        minimumVolume = 0;
  /** 2. Keep only this many of the largest components of each class; 0: all. Equal sizes are in raster order. */
  std::uint64_t largest = 0;
  /** 3. A hole is filled by the class around it. If there are several classes around it, or if the class is not one
   *  of `values`, the hole stays. */
  std::optional<HoleOptions> holes;

  /** Whether the report counts the components even if none can be removed. This needs a labeling. */
  bool countComponents = true;

  /** Spacing of the image, for volumes. */
  Geometry geometry;
  Device   device;
  /** The number of threads; 0: all. */
  int           threads = 0;
  ProgressHooks progress;
};

/** The changes of a class. */
struct CleanedClass
{
  Number value = 0;
  /** The numbers before cleaning. Both are 0 if components were not counted. */
  std::uint64_t components = 0;
  std::uint64_t voxels = 0;

  std::uint64_t removedComponents = 0;
  std::uint64_t removedVoxels = 0;
  std::uint64_t filledHoles = 0;
  std::uint64_t filledVoxels = 0;
};

struct CleanReport
{
  /** The classes by ascending value: the requested ones with voxels, if components were counted; otherwise the
   *  classes that filled holes. */
  std::vector<CleanedClass> classes;
  /** The `values` without voxels, if components were counted. */
  std::vector<Number> missing;

  /** The sums over the classes; the value is 0. */
  CleanedClass Total() const;
};

/** Cleans a segmentation: an image of one channel in which every value except the background is a class. NaN belongs
 *  to no class and stays. `output` is memory for the voxels of `segmentation`, in the same type; it may be the voxels
 *  of `segmentation` themselves, but must not overlap them otherwise. After an exception, its contents are undefined.
 *  \throws InvalidArgument, Unsupported, Canceled, std::bad_alloc. */
CleanReport Clean(const ImageView & segmentation, void * output, const CleanOptions & options);

/** Fills the holes of a mask or a segmentation: Clean with `options.holes` (all holes if not set); the report does
 *  not count components. A label map is a segmentation whose classes are its labels. */
CleanReport FillHoles(const ImageView & segmentation, void * output, CleanOptions options = {});

/** Filters of components before the limits on sizes, in this order. Dropped components become background. */
struct ComponentFilter
{
  /** Fills holes of the foreground; all other voxels are background. With the criterion Foreground, holes become
   *  foreground before labeling, so objects in a hole join their surroundings. Otherwise a hole gets the label of the
   *  component that it shares most faces with; of equal ones, the one whose first voxel comes first in raster order.
   *  Along periodic axes an image has no border; if all are periodic, or the criterion compares values, holes of
   *  periodic images are refused. */
  std::optional<HoleOptions> holes;
  /** Components stay if they contain one of these voxels, given as indices in the image (x fastest). */
  std::optional<std::vector<std::int64_t>> seeds;
  /** Components stay if they have no voxel at the border, which is at both ends of each axis along which voxels have
   *  neighbors, except for axes of one voxel. */
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
  /** Seeds outside all components. */
  std::uint64_t seedsInBackground = 0;
  /** The number of components found, and the numbers that each step removed from the rest. */
  std::uint64_t components = 0;
  std::uint64_t removedWithoutSeed = 0;
  std::uint64_t removedAtBorder = 0;
  std::uint64_t removedNotTouching = 0;
};

/** As Label, with a filter before the limits on sizes and the order of `options`. With holes, labeling runs on the CPU.
 *  \throws InvalidArgument, also for a seed outside the image; Unsupported, Canceled, std::bad_alloc. */
ComponentFilterReport
Label(const ImageView & image, const LabelOptions & options, const ComponentFilter & filter, Labeling & result);

/** The thresholds: `steps` equally spaced ones from `from` to `to`, including both. */
struct SweepOptions
{
  double from = 0;
  double to = 0;
  int    steps = 64;
  /** Whether voxels below a threshold are foreground, instead of at or above it. NaN is never foreground. */
  bool below = false;
  /** Whether a threshold is rounded to the image's type, as for a number that somebody wrote: 0.7 is not a value of
   *  32-bit floating-point voxels. Otherwise it is compared as a double. */
  bool asVoxelValues = false;
  /** Face connectivity of the image's dimension if not given. */
  std::optional<Connectivity> connectivity;
  /** Axes along which opposite ends of the image are neighbors. */
  PeriodicAxes periodic;
  /** Voxels where this image of the same extent is 0 are not foreground. */
  std::optional<ImageView> mask;
  Device                   device;
  /** The number of threads; 0: all. */
  int           threads = 0;
  ProgressHooks progress;

  static constexpr int MaximumSteps = 65536;

  /** The thresholds, ascending. \throws InvalidArgument unless from < to, both finite, and 2 to MaximumSteps steps. */
  std::vector<double> Thresholds() const;
};

/** The result of labeling the foreground of a threshold. */
struct SweepStep
{
  double        threshold = 0;
  std::uint64_t components = 0;
  /** Voxels of the largest component. */
  std::uint64_t largest = 0;
  /** Voxels of the foreground. */
  std::uint64_t voxels = 0;
};

/** The components of every threshold's foreground, by ascending thresholds, without label maps.
 *  \throws InvalidArgument, Unsupported, Canceled, std::bad_alloc. */
std::vector<SweepStep> Sweep(const ImageView & image, const SweepOptions & options);

} // namespace brickccl

#endif
