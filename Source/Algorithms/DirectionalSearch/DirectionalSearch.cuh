#ifndef BRICKCCL_ALGORITHMS_DIRECTIONALSEARCH_DIRECTIONALSEARCH_CUH
#define BRICKCCL_ALGORITHMS_DIRECTIONALSEARCH_DIRECTIONALSEARCH_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Voxels/VoxelForest.cuh"

namespace brickccl::cuda
{

/** The steps that alternate. */
enum class DirectionalVariant
{
  /** M8DLS alone: searches along all directions. */
  SearchAll,
  /** Hybrid1: M8DLS and Hawick's multi-pass kernel C. */
  SearchAllAndSweep,
  /** Hybrid2: M8DLS and label backtracking. */
  SearchAllAndBacktrack,
  /** Hybrid3: backtracking and S4DLS, which searches the later directions only where the earlier ones have no
   *  neighbour. */
  SearchEarlierAndBacktrack
};

/** Directional label search and its hybrids (Soh et al., HYBRID3, 2015) for up to 3 dimensions, every connectivity and
 *  criterion. Every voxel takes the smallest label on the straight lines of linked voxels that lead away from it. That
 *  alternates with another step until nothing changes.
 *
 *  Afterwards `memory.parent` holds the first voxel of each foreground voxel's component. */
template <typename TIndex, DirectionalVariant VVariant>
void UniteByDirectionalSearch(const Problem &       problem,
                              VoxelMemory<TIndex> & memory,
                              const OptionValues &  options,
                              cudaStream_t          stream);

} // namespace brickccl::cuda

#endif
