// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SPLITTING_SPLIT_H
#define BRICKCCL_SPLITTING_SPLIT_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Progress.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

struct DistanceOptions
{
  /** Distances are within slices orthogonal to this axis; -1: in the whole image. */
  int sliceAxis = -1;
  /** The spacing of the image. */
  Geometry geometry;
  /** The number of threads; 0: all. */
  int           threads = 0;
  ProgressHooks progress;
  /** `Cuda` asks for a CUDA device. It takes images of up to 3 dimensions and fewer than 2^31 voxels whose spacings are
   *  multiples of a common length; the CPU does all others, and `Auto`. The results are the same. */
  Device device = {};
};

/** The Euclidean distance map of all labels at once: for every voxel the distance (mm) from its center to the nearest
 *  voxel center of another label, the background included; 0 in the background. The border of the image is not a
 *  border of objects. If no other label exists, the distance is infinite. The distances are exact before they are
 *  rounded to float: squares are whole numbers if the spacings are multiples of a common length, else sums of doubles
 *  in the order of the axes.
 *  \param labels  an image of one channel; 0 is the background, every other whole number a label
 *  \param distances  memory for one value for each voxel
 *  \param options  slices, spacing, threads, progress and device
 *  \return why another device than the requested one did it; else empty
 *  \throws InvalidArgument, Canceled, std::bad_alloc, cuda::DeviceError. */
std::string Distances(const ImageView & labels, float * distances, const DistanceOptions & options = {});

/** Where a wall is thinnest. */
struct ThinnestWall
{
  /** In mm; 0 if no voxel is in the middle of a wall. */
  double thickness = 0;
  /** The first voxel in raster order with this thickness in the middle of a wall; -1 if there is none. */
  std::int64_t place = -1;
};

/** The local thickness of all labels at once: for every voxel the diameter (mm) of the largest ball that fits into its
 *  label and holds the voxel's center; 0 in the background. Balls have their centers at voxel centers of the label, and
 *  reach to the nearest voxel of another label, the background included, taken as a box; their surface does not belong
 *  to them. Everything beyond the image is background. The columns of the group "thickness" are the mean and the
 *  largest value of this map in a component. Squares of distances are rounded to float, nothing else is.
 *
 *  A label is thin at edges and corners, too. A voxel is in the middle of a wall if its thickness is less than 1.5
 * times the diameter of the largest ball around its own center, so that the wall's sides meet at less than 39 degrees,
 * and if this is true for at least 3^(n - 1) of the 3^n voxels around it in n dimensions, so that a single rough voxel
 * is not a wall. \param labels  an image of one channel and up to 3 dimensions; 0 is the background, other whole
 * numbers are labels \param diameters  memory for one value for each voxel \param options  slices (with disks instead
 * of balls), spacing, threads and progress; the CPU does it \throws InvalidArgument, Canceled, std::bad_alloc. */
ThinnestWall WallThickness(const ImageView & labels, float * diameters, const DistanceOptions & options = {});

/** How far a peak must be above a pass to stay: in mm, in gray values, or in per cent of the peak. */
struct SplitHeight
{
  double value = 0;
  bool   isPercent = false;

  SplitHeight(double height, bool percent = false) // NOLINT(google-explicit-constructor): mostly a plain number
    : value(height)
    , isPercent(percent)
  {}
};

struct SplitOptions
{
  /** The neighbors of a voxel; all if not given. Within slices, each slice has its own distances and objects. */
  std::optional<Connectivity> connectivity;
  /** The axes along which the image repeats: distances and steps go through its ends. */
  PeriodicAxes periodic;
  /** Two objects are merged if the lower of their peaks is less than this above the highest pass between them: in mm,
   *  in gray values with `values`, or in per cent of the lower peak (above 0 and below 100, not with `values`). 0
   * merges only voxels of one plateau. If not given: 0.75 of the smallest spacing, and 0 with `values`. */
  std::optional<SplitHeight> height;
  /** Objects are separated along the dark valleys of this image instead of along necks. It has the same extent, one
   *  channel, and a type that doubles hold. */
  std::optional<ImageView> values;
  /** Markers: an image of the same extent and one channel, whose whole numbers from 1 to 2^32 - 1 are seeds. Each seed
   *  becomes one object and keeps its number. There is then no height. */
  std::optional<ImageView> seeds;
  /** The spacing of the image. */
  Geometry geometry;
  /** The number of threads; 0: all. */
  int           threads = 0;
  ProgressHooks progress;
  /** Whether SplitReport::curve is found; not with seeds. */
  bool findsCurve = false;
  /** As for distances. The CPU also does what has values, seeds or periodic axes, and curves. */
  Device device = {};
};

/** An object of a split. */
struct SplitObject
{
  /** Its number in the result. */
  std::uint32_t number = 0;
  /** The label that it is a part of. */
  std::uint64_t parent = 0;
  /** Its greatest distance in mm, or its greatest value. */
  double peak = 0;
};

struct SplitReport
{
  /** The labels that were split. */
  std::uint64_t parents = 0;
  /** The regions before the merging by height. */
  std::uint64_t basins = 0;
  /** The objects by ascending numbers. */
  std::vector<SplitObject> objects;
  /** The number of objects for all heights. An entry holds from its height, exclusive, to the height of the next entry.
   *  The first height is 0. */
  std::vector<std::pair<double, std::uint64_t>> curve;
  /** The seeds in the image, and the labeled voxels that no seed reaches. */
  std::uint64_t seeds = 0;
  std::uint64_t unreached = 0;
  /** Why another device than the requested one did it; else empty. */
  std::string deviceRemark;
};

/** Splits touching objects. Every voxel points at its neighbor of the same label with the greatest distance (of
 *  `Distances`), or at itself; of equal ones, at the first in raster order. Voxels whose pointers end in the same voxel
 *  are a basin, and this voxel is its peak. The pass between two neighboring voxels of different basins is the smaller
 *  of their distances. Two basins are merged if their lower peak is less than `options.height` above the highest pass
 *  between them, or no higher than it; the higher peak stays. Highest passes come first, equal ones in raster order of
 *  the peaks. The result does not depend on the number of threads. Squares that are whole are compared as such, also
 *  for whole per cents of a peak; other heights above passes are differences of correctly rounded square roots.
 *
 *  With `options.seeds`, voxels of seeds point at themselves, and all voxels that end in a seed are one basin. Two
 *  basins are merged unless both have a seed: each seed floods its label downwards from the highest pass, until it
 *  meets another. Voxels that no seed reaches become 0. A seed in several labels is one object of all of them.
 *
 *  Memory besides the two images for each voxel: 2 bytes if distances are below 256 times the common length of the
 *  spacings, else 4; 8 without a common length.
 *  \param labels   an image of one channel; 0 is the background, every other whole number a label, as in a mask
 *  \param objects  memory for one number for each voxel, which gets 1, 2, ... for the objects in raster order of their
 *                  first voxels, or the numbers of seeds
 *  \param options  the height, what is flooded, seeds, neighbors, spacing, threads, progress and device
 *  \throws InvalidArgument, Canceled, std::bad_alloc, cuda::DeviceError. */
SplitReport Split(const ImageView & labels, std::uint32_t * objects, const SplitOptions & options = {});

} // namespace brickccl

#endif
