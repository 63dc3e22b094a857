#ifndef BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_CUH
#define BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) as printed. Tiles of 16 x 16 pixels are
 *  solved in shared memory, one thread per pixel. At each level a block merges 16 tiles. Between levels the borders are
 *  flattened, and at the end all pixels. Images of 2 dimensions, or slices along z, of any extent; 4 and 8 neighbours,
 *  every criterion. Options: TileMergingOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByTileMerging(const Problem &       problem,
                        VoxelMemory<TIndex> & memory,
                        const OptionValues &  options,
                        cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
