#ifndef BRICKCCL_ALGORITHMS_RUNMERGING_RUNMERGING_CUH
#define BRICKCCL_ALGORITHMS_RUNMERGING_RUNMERGING_CUH

#include "BrickCCL/Runs/RunTable.cuh"

namespace brickccl::cuda
{

/** Memory of RunMerging, kept between calls: 1/8 byte per voxel for bits (1/4 with starts of their own), 1/8 (1/4 for
 *  64-bit run numbers) for the number of runs before each word, and 8 (16) bytes per run. */
template <typename TIndex>
struct RunMergingMemory
{
  RunTable<TIndex>     table;
  DeviceBuffer<TIndex> rank;
};

/** Labels the runs of a problem on the device 1..N in raster order (`memory.table.labelOfRun`); the steps are those of
 *  the CPU's LabelByRunMerging. \return N. */
template <typename TIndex>
std::uint64_t RunMerging(const Problem & problem, RunMergingMemory<TIndex> & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
