#ifndef BRICKCCL_ALGORITHMS_LINKPROPAGATION_LINKPROPAGATION_CUH
#define BRICKCCL_ALGORITHMS_LINKPROPAGATION_LINKPROPAGATION_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** Label propagation over precomputed links (Ziegler and Rasmusson, Efficient volume segmentation on the GPU, 2010) for
 *  up to 3 dimensions, every connectivity and criterion. For each voxel and direction it finds the number of linked
 *  voxels that follow, in doubling steps. Then every voxel gathers the smallest label of its neighbours, of the
 *  farthest linked voxel in each direction and of the voxel that its label came from, until nothing changes. Options:
 *  LinkPropagationOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByLinkPropagation(const Problem &       problem,
                            VoxelMemory<TIndex> & memory,
                            const OptionValues &  options,
                            cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
