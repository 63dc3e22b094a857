#ifndef BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_CUH
#define BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) as printed: tiles of 16 x 16 pixels,
 * one thread per pixel, solved in shared memory; 16 tiles merged per block and level; borders flattened between levels;
 *  all flattened at the end. Images of 2 dimensions, or slices along z, of any extent; 4 and 8 neighbours, every
 *  criterion. Options: TileMergingOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByTileMerging(const Problem &       problem,
                        VoxelMemory<TIndex> & memory,
                        const OptionValues &  options,
                        cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
