#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH

#include "BrickCCL/Runs/RunTable.cuh"

namespace brickccl::cuda
{

/** Memory of BundleMerging, kept between calls; its README.md says what each part is and what it takes. */
struct BundleMergingMemory
{
  RunTable<unsigned>           table;
  DeviceBuffer<DeviceWord>     starts;
  DeviceBuffer<unsigned short> carried;
  DeviceBuffer<unsigned short> componentOfRun;
  DeviceBuffer<unsigned>       firstComponent;
  DeviceBuffer<unsigned>       parent;
  DeviceBuffer<unsigned>       firstVoxel;
  DeviceBuffer<DeviceWord>     isFirst;
  DeviceBuffer<unsigned>       firstsBefore;
  DeviceBuffer<unsigned>       componentCount;
  /** Components of bricks that there was room for in the last call. */
  std::size_t capacity = 0;

  std::size_t
  CapacityBytes() const
  {
    return table.CapacityBytes() + starts.CapacityBytes() + carried.CapacityBytes() + componentOfRun.CapacityBytes() +
           firstComponent.CapacityBytes() + parent.CapacityBytes() + firstVoxel.CapacityBytes() +
           isFirst.CapacityBytes() + firstsBefore.CapacityBytes() + componentCount.CapacityBytes();
  }
};

/** Labels a problem that CudaAlgorithmOffers says it labels: bundles of rows as runs of their united bits, solved brick by brick in shared memory,
 *  merged across the bricks' borders, numbered by first voxels. \return N. */
std::uint64_t BundleMerging(const DeviceProblem & problem, BundleMergingMemory & memory, cudaStream_t stream);

/** Writes the label map of the last problem to device memory. */
void WriteLabels(const DeviceProblem &       problem,
                 const BundleMergingMemory & memory,
                 void *                      labels,
                 LabelType                   type,
                 cudaStream_t                stream);

/** Finds the runs of the last problem and labels them in `memory.table`, for transfer to the host. */
void LabelRuns(const DeviceProblem & problem, BundleMergingMemory & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
