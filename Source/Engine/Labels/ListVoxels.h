// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Runs/RunVolume.h"

namespace brickccl
{

/** The lists of a labeled volume of `components` components, on the context's threads; the same for any number of them.
 *  Takes 8 bytes per foreground voxel, and while it works 8 per component and thread.
 *  \throws Canceled, std::bad_alloc. */
LabelLists ListVoxels(const RunVolume & volume, std::uint64_t components, const HostContext & context = {});

/** The runs of the rows [begin, end), in raster order, on the calling thread. */
std::vector<LabelRun> ListRuns(const RunVolume & volume, std::int64_t begin, std::int64_t end);

/** The number of foreground voxels, whatever their labels. */
std::uint64_t CountForeground(const RunVolume & volume, const HostContext & context = {});

/** Counts the voxels of the region of a volume that was labeled within a mask: those where the mask is not 0, and holes
 *  that were filled where it is. */
void CountRegion(const ImageView & mask, const HostContext & context, RunVolume & volume);

} // namespace brickccl
