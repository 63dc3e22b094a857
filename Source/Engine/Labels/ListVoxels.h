// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Runs/RunVolume.h"

namespace brickccl
{

/** The lists of a labeled volume of `components` components, the same for any number of threads. Takes 8 bytes per
 *  foreground voxel, and while it works 8 per component and thread. \throws Canceled, std::bad_alloc. */
LabelLists ListVoxels(const RunVolume & volume, std::uint64_t components, const HostContext & context = {});

/** The runs of the rows [begin, end), in raster order, on the calling thread. */
std::vector<LabelRun> ListRuns(const RunVolume & volume, std::int64_t begin, std::int64_t end);

/** The number of foreground voxels, whatever their labels. */
std::uint64_t CountForeground(const RunVolume & volume, const HostContext & context = {});

/** Counts the region of a volume labeled within a mask: voxels where it is not 0, and filled holes where it is 0. */
void CountRegion(const ImageView & mask, const HostContext & context, RunVolume & volume);

} // namespace brickccl
