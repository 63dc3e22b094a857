#ifndef BRICKCCL_MEASURING_TOUCHINGRUNS_H
#define BRICKCCL_MEASURING_TOUCHINGRUNS_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

namespace brickccl
{

/** Whether it is known that runs that touch, if only in a corner, always have the same label, in an image of up to 3
 *  dimensions; then neighbours among the foreground are neighbours within a component. True at once if the volume says
 *  so (RunVolume::TouchingAreJoined); else all runs are looked at until two are found that touch and differ. False
 *  without a look for labels of 64 bits and rows of 2^31 - 1 voxels or more. */
bool TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context);

} // namespace brickccl

#endif
