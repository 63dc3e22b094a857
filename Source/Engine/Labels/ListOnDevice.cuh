// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_LISTONDEVICE_CUH
#define BRICKCCL_LABELS_LISTONDEVICE_CUH

#include "BrickCCL/Runs/RunTable.cuh"

/** The voxels of components, from labeled runs on the device. Label 0 means dropped by a filter. */
namespace brickccl::cuda
{

/** Memory for ListVoxels, kept between calls. */
template <typename TIndex>
struct RunListMemory
{
  /** For each run. */
  DeviceBuffer<long long> places;
  DeviceBuffer<TIndex>    lengths;
  /** The runs by label, and how many voxels come before each of them. */
  DeviceBuffer<unsigned> keys;
  DeviceBuffer<TIndex>   order;
  DeviceBuffer<TIndex>   voxelsBefore;
  Workspace              workspace;

  void
  Resize(std::size_t runs)
  {
    places.Resize(runs);
    lengths.Resize(runs);
    keys.Resize(runs);
    order.Resize(runs);
    voxelsBefore.Resize(runs);
  }
  std::size_t
  CapacityBytes() const
  {
    return places.CapacityBytes() + lengths.CapacityBytes() + keys.CapacityBytes() + order.CapacityBytes() +
           voxelsBefore.CapacityBytes() + workspace.CapacityBytes();
  }
};

struct ListMemory
{
  RunListMemory<unsigned>           narrow;
  RunListMemory<unsigned long long> wide;

  template <typename TIndex>
  RunListMemory<TIndex> &
  Of()
  {
    if constexpr (sizeof(TIndex) == 8)
    {
      return wide;
    }
    else
    {
      return narrow;
    }
  }
  std::size_t
  CapacityBytes() const
  {
    return narrow.CapacityBytes() + wide.CapacityBytes();
  }
};

/** Queues the sizes of the components 1..components, by label - 1. */
template <typename TIndex>
void CountVoxels(const Extent &           extent,
                 const RunTable<TIndex> & table,
                 std::uint64_t            components,
                 unsigned long long *     sizes,
                 cudaStream_t             stream);

/** Queues new labels: label k becomes numbers[k - 1], and 0 stays. */
template <typename TIndex>
void RenumberLabels(TIndex * labels, std::int64_t count, const unsigned long long * numbers, cudaStream_t stream);

/** Queues the voxels of the components 1..components, grouped by label and within each in raster order, as their
 *  numbers in the volume: the label lists of Ziegler and Rasmusson (Efficient Volume Segmentation on the GPU, GTC
 *  2010). Runs are sorted, not voxels. */
template <typename TIndex>
void ListVoxels(const Extent &           extent,
                const RunTable<TIndex> & table,
                std::uint64_t            components,
                long long *              voxels,
                ListMemory &             memory,
                cudaStream_t             stream);

} // namespace brickccl::cuda

#endif
