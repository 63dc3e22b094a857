#ifndef BRICKCCL_ALGORITHMS_ROWCOLUMNUNIFICATION_ROWCOLUMNUNIFICATION_CUH
#define BRICKCCL_ALGORITHMS_ROWCOLUMNUNIFICATION_ROWCOLUMNUNIFICATION_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** Row-Col Unify of Kalentev, Rai, Kemnitz and Schneider (Connected component labeling on a 2D grid using CUDA, 2011).
 *  The smallest label moves along rows, then along columns, then along the third axis, until nothing changes. Each time
 *  a reduction tree with an array of references in shared memory moves it. Face connectivity, up to 3 dimensions, every
 *  criterion, lines of any length.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByRowColumnUnification(const Problem &       problem,
                                 VoxelMemory<TIndex> & memory,
                                 const OptionValues &  options,
                                 cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
