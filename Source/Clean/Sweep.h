#ifndef BRICKCCL_CLEAN_SWEEP_H
#define BRICKCCL_CLEAN_SWEEP_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Progress.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl
{

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
 *
 *  From one threshold to the next the foreground grows. On the CPU, few voxels that enter are added to the components
 *  that are there, by a union-find (GrowingComponents.h); where many enter, the foreground is labeled anew, which takes
 *  0.3 ns for each voxel of the image instead of 60 to 100 ns for each that enters. What is less is found beforehand
 *  (SweepPlan.h; measured in Testing/Benchmarks/JOURNAL.md). On several threads the thresholds are parted among them.
 *  \throws InvalidArgument, Unsupported, Cancelled, std::bad_alloc. */
std::vector<SweepStep> Sweep(const ImageView & image, const SweepOptions & options);

} // namespace brickccl

#endif
