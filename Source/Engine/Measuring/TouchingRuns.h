// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Whether runs that touch always have the same label. Then neighboring foreground voxels are neighbors
 *  within a component. The answer is true at once if the volume has it (RunVolume::TouchingAreJoined). Otherwise it
 * checks the runs until two touch and differ. By default, all neighbors count; with rank 1, only faces do. */
bool TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context, int rank = MaximumDimension);

/** Where components lie side by side. */
struct ComponentContacts
{
  /** The pairs that share voxel faces, ordered by their labels. */
  std::vector<Contact> faces;
  /** For each component the smallest label among the others that it touches with a face, an edge or a corner; 0 for
   *  none. Then nothing is between the two: their distance is 0. */
  std::vector<std::uint64_t> smallestTouching;
};

/** Finds the contacts of the components 1..components, in an image without periodic axes. \throws Canceled */
ComponentContacts FindContacts(const RunVolume &   volume,
                               std::uint64_t       components,
                               const HostContext & context,
                               const Geometry &    geometry);

} // namespace brickccl
