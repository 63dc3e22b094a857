#ifndef BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_CUH
#define BRICKCCL_ALGORITHMS_LABELEQUIVALENCE_LABELEQUIVALENCE_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The label equivalence of Kalentev, Rai, Kemnitz and Schneider (Connected component labeling on a 2D grid using CUDA,
 *  2011) for up to 3 dimensions, every connectivity and criterion. Labels are references. *Scan* writes the smallest
 *  label of a voxel and its neighbours to the cell to which its label refers. *Analysis* follows references to their
 *  end. Both repeat until a scan finds nothing. Options: LabelEquivalenceOptions().
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex>
void UniteByLabelEquivalence(const Problem &       problem,
                             VoxelMemory<TIndex> & memory,
                             const OptionValues &  options,
                             cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
