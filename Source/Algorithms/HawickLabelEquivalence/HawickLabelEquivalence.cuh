#ifndef BRICKCCL_ALGORITHMS_HAWICKLABELEQUIVALENCE_HAWICKLABELEQUIVALENCE_CUH
#define BRICKCCL_ALGORITHMS_HAWICKLABELEQUIVALENCE_HAWICKLABELEQUIVALENCE_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The label equivalence of Hawick, Leist and Playne (Parallel graph component labelling with GPUs and CUDA, Parallel
 *  Computing 36, 2010) for up to 3 dimensions, every connectivity and criterion. It has labels beside an array of
 *  references. Scan, analysis and labeling repeat until a scan finds nothing.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByHawickLabelEquivalence(const Problem &       problem,
                                   VoxelMemory<TIndex> & memory,
                                   const OptionValues &  options,
                                   cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
