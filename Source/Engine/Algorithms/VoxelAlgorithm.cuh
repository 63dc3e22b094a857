// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_VOXELALGORITHM_CUH
#define BRICKCCL_ALGORITHMS_VOXELALGORITHM_CUH

#include "BrickCCL/Algorithms/CudaAlgorithm.cuh"
#include "BrickCCL/Voxels/VoxelForest.cuh"

#include <memory>

namespace brickccl::cuda
{

/** The step of an algorithm whose nodes are voxels: leaves each foreground voxel's root, the first voxel of its
 *  component, in `memory.parent`. */
template <typename TIndex>
using UniteVoxels =
  void (*)(const Problem & problem, VoxelMemory<TIndex> & memory, const OptionValues & options, cudaStream_t stream);

/** An algorithm made from that step: numbering, label maps, runs, sums and moments are the same for all of them.
 *  \param isWide  whether numbers of voxels need 64 bits */
std::unique_ptr<CudaAlgorithm>
MakeVoxelAlgorithm(UniteVoxels<unsigned> narrow, UniteVoxels<unsigned long long> wide, bool isWide);

} // namespace brickccl::cuda

#endif
