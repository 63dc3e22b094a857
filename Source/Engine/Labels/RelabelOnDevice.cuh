// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_RELABELONDEVICE_CUH
#define BRICKCCL_LABELS_RELABELONDEVICE_CUH

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>

/** New numbers for components on the device, as Labels/Relabel.h gives them on the host. */
namespace brickccl::cuda
{

/** A component and its size in one word. Dropped components have size 0. */
struct SizedComponent
{
  static constexpr int indexBits = 18;
  /** So many components, and voxels in each, have room. */
  static constexpr std::int64_t  mostComponents = std::int64_t{ 1 } << indexBits;
  static constexpr std::uint64_t mostVoxels = (std::uint64_t{ 1 } << (64 - indexBits)) - 1;

  unsigned long long bits;

  __device__ unsigned long long
  Size() const
  {
    return bits >> indexBits;
  }
  __device__ unsigned
  Index() const
  {
    return static_cast<unsigned>(bits) & ((1u << indexBits) - 1);
  }
};

/** Memory for them, kept between calls. */
struct RelabelMemory
{
  /** By label - 1. */
  DeviceBuffer<unsigned long long> sizes;
  /** By label - 1, 0 for those that go. */
  DeviceBuffer<unsigned long long> numbers;
  /** By tile of components, how often each digit of their sizes occurs. */
  DeviceBuffer<unsigned>       inTiles;
  DeviceBuffer<SizedComponent> sized;
  /** If there are too many components for that order, they are sorted by keys of 4 or 8 bytes. */
  DeviceBuffer<unsigned char> keys;
  DeviceBuffer<unsigned>      order;
  Workspace                   workspace;
  /** The number of remaining components. A kernel writes it, and the host reads it after `numbered`, while the stream
   * continues. */
  PinnedValue<unsigned long long> kept;
  Event                           numbered;

  std::size_t
  CapacityBytes() const
  {
    return sizes.CapacityBytes() + numbers.CapacityBytes() + inTiles.CapacityBytes() + sized.CapacityBytes() +
           keys.CapacityBytes() + order.CapacityBytes() + workspace.CapacityBytes();
  }
};

/** Queues the numbers that the options give to components in raster order, whose sizes are in `memory.sizes`:
 *  `memory.numbers`, and in `memory.kept` how many stay once `memory.numbered` has come.
 *  \param largestSize  no component is larger */
void NumberBySize(std::uint64_t          components,
                  const RelabelOptions & options,
                  std::uint64_t          largestSize,
                  RelabelMemory &        memory,
                  cudaStream_t           stream);

/** Queues offsets[i] = sizes[0] + ... + sizes[i - 1] for 0 <= i <= components. `offsets` holds the sizes and has a
 * place more. */
void SumSizesBefore(std::uint64_t components, unsigned long long * offsets, Workspace & workspace, cudaStream_t stream);

/** Queues the numbers of the components for which `keeps` is not 0, from 1 on in their order. \param keeps  by label -
 *  1, on the device */
void NumberKept(std::uint64_t components, const unsigned char * keeps, RelabelMemory & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
