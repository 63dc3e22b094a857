// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_RUNMERGING_RUNMERGING_CUH
#define BRICKCCL_ALGORITHMS_RUNMERGING_RUNMERGING_CUH

#include "BrickCCL/Runs/RunTable.cuh"

namespace brickccl::cuda
{

/** The memory of RunMerging, kept between calls: 1/8 byte per voxel for bits (1/4 with stored starts), 1/8 (1/4 for
 *  64-bit numbers of runs) for the number of runs before each word, and 8 (16) bytes per run. */
template <typename TIndex>
struct RunMergingMemory
{
  RunTable<TIndex>     table;
  DeviceBuffer<TIndex> rank;
};

/** Labels the runs of a problem on the device 1..N in raster order (`memory.table.labelOfRun`). The steps are the same
 * as in LabelByRunMerging on the CPU. \return N. */
template <typename TIndex>
std::uint64_t RunMerging(const Problem & problem, RunMergingMemory<TIndex> & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
