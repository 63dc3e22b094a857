#ifndef BRICKCCL_CLEAN_FILTERCOMPONENTS_H
#define BRICKCCL_CLEAN_FILTERCOMPONENTS_H

#include "BrickCCL/Clean/CleanOptions.h"
#include "BrickCCL/Dispatch/Label.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl
{

/** What is done to components before the limits on sizes apply, in this order. Components that do not stay become
 *  background. */
struct ComponentFilter
{
  /** Fills holes of the foreground. The background is every voxel that takes no part. Where neighbours are joined by
   * the criterion Foreground, holes become foreground before labeling: whatever lies in a hole is joined to what is
   * around it. Otherwise a hole gets the label of the component that it shares the most faces with; of those that share
   *  equally many, the one whose first voxel comes first in raster order. */
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

} // namespace brickccl

#endif
