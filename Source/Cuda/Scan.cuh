#ifndef BRICKCCL_CUDA_SCAN_CUH
#define BRICKCCL_CUDA_SCAN_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#ifdef BRICKCCL_CUDA_ON_HOST
#  include <numeric>
#else
#  include <cub/device/device_scan.cuh>
#endif

namespace brickccl::cuda
{

/** Sets out[i] = in[0] + ... + in[i - 1] for 0 <= i < count. `in` may be `out`. Scratch memory comes from `scratch`. */
template <typename T>
void
ExclusiveSum(const T * in, T * out, std::int64_t count, DeviceBuffer<unsigned char> & scratch, cudaStream_t stream)
{
#ifdef BRICKCCL_CUDA_ON_HOST
  (void)scratch;
  (void)stream;
  std::exclusive_scan(in, in + count, out, T{ 0 });
#else
  std::size_t bytes = 0;
  BRICKCCL_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count, stream));
  scratch.Resize(bytes);
  BRICKCCL_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch.Data(), bytes, in, out, count, stream));
#endif
}

} // namespace brickccl::cuda

#endif
