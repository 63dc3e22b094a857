// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_TOUCHINGRUNS_H
#define BRICKCCL_MEASURING_TOUCHINGRUNS_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

namespace brickccl
{

/** Whether it is known that runs that touch always have the same label; corners count. Then neighboring foreground
 *  voxels are neighbors within a component. The answer is true at once if the volume has it
 *  (RunVolume::TouchingAreJoined). Otherwise it checks the runs until two touch and differ. Images of four
 *  dimensions, labels of 64 bits and rows of 2^31 - 1 voxels or more give false without a check. */
bool TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context);

} // namespace brickccl

#endif
