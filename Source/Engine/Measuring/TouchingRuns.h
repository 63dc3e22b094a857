// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace brickccl
{

/** Whether runs that touch always have the same label, so that neighboring foreground voxels are in one component. True
 *  at once if the volume has it (RunVolume::TouchingAreJoined), else it checks runs. With rank 1, only faces count. */
bool TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context, int rank = MaximumDimension);

/** The nearest of other components that were looked at, with the smallest label of equally near ones. */
struct Nearest
{
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static constexpr bool          IsExact = true;

  double        square = std::numeric_limits<double>::infinity();
  std::uint64_t label = none;

  void
  Offer(double otherSquare, std::uint64_t other)
  {
    if (otherSquare < square || (otherSquare == square && other < label))
    {
      square = otherSquare;
      label = other;
    }
  }
  void
  Merge(const Nearest & other)
  {
    Offer(other.square, other.label);
  }
};

struct NearComponents
{
  /** The pairs that share voxel faces, ordered by their labels. */
  std::vector<Contact> contacts;
  /** By component, the nearest one among rows near each other. Below the squared distance `reach` none is nearer. */
  UninitializedVector<Nearest> nearest;
  double                       reach = std::numeric_limits<double>::infinity();
};

/** Compares the components 1..components of near rows, in an image without periodic axes. \throws Canceled */
NearComponents FindNearComponents(const RunVolume &   volume,
                                  std::uint64_t       components,
                                  const HostContext & context,
                                  const Geometry &    geometry);

} // namespace brickccl
