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

/** Whether runs that touch always have the same label, so that neighboring foreground voxels are in one component. True
 *  at once if the volume has it (RunVolume::TouchingAreJoined), else it checks runs. With rank 1, only faces count. */
bool TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context, int rank = MaximumDimension);

struct ComponentContacts
{
  /** The pairs that share voxel faces, ordered by their labels. */
  std::vector<Contact> faces;
  /** By component, the smallest other label that it touches with a face, an edge or a corner (distance 0); 0: none. */
  std::vector<std::uint64_t> smallestTouching;
};

/** Finds the contacts of the components 1..components, in an image without periodic axes. \throws Canceled */
ComponentContacts FindContacts(const RunVolume &   volume,
                               std::uint64_t       components,
                               const HostContext & context,
                               const Geometry &    geometry);

} // namespace brickccl
