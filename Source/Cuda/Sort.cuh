#ifndef BRICKCCL_CUDA_SORT_CUH
#define BRICKCCL_CUDA_SORT_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#ifdef BRICKCCL_CUDA_ON_HOST
#  include <algorithm>
#  include <numeric>
#  include <vector>
#else
#  include <cub/device/device_radix_sort.cuh>
#endif

namespace brickccl::cuda
{

/** Keys below a bound, each with a value, before and after sorting. */
template <typename T>
struct SortMemory
{
  DeviceBuffer<T>             keys;
  DeviceBuffer<T>             values;
  DeviceBuffer<T>             sortedKeys;
  DeviceBuffer<T>             sortedValues;
  DeviceBuffer<unsigned char> scratch;

  void
  Resize(std::size_t count)
  {
    keys.Resize(count);
    values.Resize(count);
    sortedKeys.Resize(count);
    sortedValues.Resize(count);
  }
  std::size_t
  CapacityBytes() const
  {
    return keys.CapacityBytes() + values.CapacityBytes() + sortedKeys.CapacityBytes() + sortedValues.CapacityBytes() +
           scratch.CapacityBytes();
  }
};

/** Sorts `count` keys, the smallest first, with their values. Equal ones keep their order.
 *  \param largest  no key is larger: only its bits are looked at */
template <typename T>
void
SortPairs(SortMemory<T> & memory, std::int64_t count, T largest, cudaStream_t stream)
{
  int bits = 1;
  while (bits < static_cast<int>(8 * sizeof(T)) && largest >> bits != 0)
  {
    ++bits;
  }
#ifdef BRICKCCL_CUDA_ON_HOST
  (void)stream;
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{ 0 });
  const T * const keys = memory.keys.Data();
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
  for (std::int64_t i = 0; i < count; ++i)
  {
    memory.sortedKeys.Data()[i] = keys[order[static_cast<std::size_t>(i)]];
    memory.sortedValues.Data()[i] = memory.values.Data()[order[static_cast<std::size_t>(i)]];
  }
#else
  const auto sort = [&](void * scratch, std::size_t & bytes) {
    BRICKCCL_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch,
                                                        bytes,
                                                        memory.keys.Data(),
                                                        memory.sortedKeys.Data(),
                                                        memory.values.Data(),
                                                        memory.sortedValues.Data(),
                                                        count,
                                                        0,
                                                        bits,
                                                        stream));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  memory.scratch.Resize(bytes);
  sort(memory.scratch.Data(), bytes);
#endif
}

} // namespace brickccl::cuda

#endif
