#ifndef BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_CUH
#define BRICKCCL_ALGORITHMS_BRICKMERGING_BRICKMERGING_CUH

#include "BrickCCL/Runs/RunTable.cuh"

namespace brickccl::cuda
{

/** Memory of BrickMerging, kept between calls: beside the table of runs one index per voxel, and 1/8 byte per voxel
 *  (1/4 for 64-bit indices) to number the components. */
template <typename TIndex>
struct BrickMergingMemory
{
  RunTable<TIndex>     table;
  DeviceBuffer<TIndex> parent;
  DeviceBuffer<TIndex> rootsBefore;
};

/** The tile merging of Stava and Benes (GPU Computing Gems Emerald, chapter 35) for tiles and bricks, any extent of 1
 *  to 3 dimensions, every connectivity and criterion: each brick is solved in shared memory; bricks are merged across
 *  their borders, level by level, two by two along every axis; between levels the labels of the next borders are
 *  flattened; at the end every voxel is. The number of launches follows from the extent, and the host waits for
 *  nothing until the number of components is read.
 *
 *  Afterwards `memory.parent` holds the labels 1..N in raster order, 0 for background. \return N.
 *  \throws Unsupported for 4 dimensions. */
template <typename TIndex>
std::uint64_t BrickMerging(const DeviceProblem & problem, BrickMergingMemory<TIndex> & memory, cudaStream_t stream);

/** Copies the labels of BrickMerging to a label map of the given type. */
template <typename TIndex>
void WriteLabels(const Extent &                     extent,
                 const BrickMergingMemory<TIndex> & memory,
                 void *                             labels,
                 LabelType                          type,
                 cudaStream_t                       stream);

/** Finds the runs of the problem and gives them the labels of their voxels, for transfer to the host. */
template <typename TIndex>
void LabelRuns(const DeviceProblem & problem, BrickMergingMemory<TIndex> & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
