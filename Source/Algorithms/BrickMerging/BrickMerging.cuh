#ifndef BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_CUH
#define BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) for tiles and bricks: any extent of 1
 *  to 3 dimensions, every connectivity and criterion. Each brick is solved in shared memory. Bricks are merged across
 *  their borders, level by level, two by two along every axis. Between levels the labels at the next borders are
 *  flattened, and at the end those of all voxels. The number of launches follows from the extent, and the host waits
 *  for nothing.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByBrickMerging(const Problem &       problem,
                         VoxelMemory<TIndex> & memory,
                         const OptionValues &  options,
                         cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
