// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Measuring/CountRowMarks.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <vector>

/** The parts of surfaces and Euler numbers: sums over neighboring voxels. Each is a sum over all windows of 2 voxels
 *  along each axis, also those that reach over the border, and a window without voxels adds nothing. So the sum over
 *  two boxes that have one layer of voxels in common is the sum over both, minus the sum over the layer. */
namespace brickccl
{

/** For each of the components 1..components and each kind of simd::PairKinds the voxels with such a neighbor in it,
 *  in an image of up to 3 dimensions. \param touchingAreJoined  as TouchingRunsAreJoined returns */
UninitializedVector<MarkCounts> CountVoxelPairs(const RunVolume &   volume,
                                                std::uint64_t       components,
                                                const HostContext & context,
                                                bool                touchingAreJoined);

/** Sets the SurfaceMeasures of a table from what CountVoxelPairs counts. */
void SetSurfaces(const UninitializedVector<MarkCounts> & sums, const HostContext & context, ComponentTable & table);

/** The Euler numbers of the components 1..components of an image of up to 3 dimensions. */
std::vector<TopologyMeasures> CountEulerNumbers(const RunVolume &   volume,
                                                std::uint64_t       components,
                                                const HostContext & context,
                                                bool                touchingAreJoined);

} // namespace brickccl
