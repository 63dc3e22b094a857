#ifndef BRICKCCL_LABELS_RELABELONDEVICE_CUH
#define BRICKCCL_LABELS_RELABELONDEVICE_CUH

#include "BrickCCL/Cuda/Sort.cuh"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>

/** New numbers for components on the device, as Labels/Relabel.h gives them on the host. */
namespace brickccl::cuda
{

/** Memory for them, kept between calls. */
struct RelabelMemory
{
  /** By label - 1. */
  DeviceBuffer<unsigned long long> sizes;
  /** By label - 1, 0 for those that go. */
  DeviceBuffer<unsigned long long> numbers;
  /** Of how many components that stay each one is preceded. */
  DeviceBuffer<unsigned long long> keptBefore;
  /** Sizes that 32 bits hold are sorted as such. */
  SortMemory<unsigned>           narrow;
  SortMemory<unsigned long long> wide;
  DeviceBuffer<unsigned char>    scratch;
  /** How many stay. A kernel writes it, and the host reads it after `numbered`, while the stream goes on. */
  PinnedValue<unsigned long long> kept;
  Event                           numbered;

  std::size_t
  CapacityBytes() const
  {
    return sizes.CapacityBytes() + numbers.CapacityBytes() + keptBefore.CapacityBytes() + narrow.CapacityBytes() +
           wide.CapacityBytes() + scratch.CapacityBytes();
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

/** Queues the numbers of the components for which `keeps` is not 0, from 1 on in their order. \param keeps  by label -
 *  1, on the device */
void NumberKept(std::uint64_t components, const unsigned char * keeps, RelabelMemory & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
