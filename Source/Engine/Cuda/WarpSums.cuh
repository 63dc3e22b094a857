// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_WARPSUMS_CUH
#define BRICKCCL_CUDA_WARPSUMS_CUH

#include "BrickCCL/Cuda/Launch.cuh"

/** Sums over the lanes of a warp. */
namespace brickccl::cuda
{

/** The sum of `value` over this lane and those before it. All lanes must call. */
__device__ inline unsigned
SumOfLanes(unsigned value)
{
#pragma unroll
  for (int step = 1; step < 32; step *= 2)
  {
#if !defined(BRICKCCL_CUDA_ON_HOST) && defined(__CUDA_ARCH__)
    // The instruction says whether there is a lane so far before this one. The function does not.
    asm volatile("{\n"
                 ".reg .pred has;\n"
                 ".reg .u32 before;\n"
                 "shfl.sync.up.b32 before|has, %0, %1, 0, 0xFFFFFFFF;\n"
                 "@has add.u32 %0, %0, before;\n"
                 "}"
                 : "+r"(value)
                 : "r"(step));
#else
    const unsigned before = __shfl_up_sync(AllLanes, value, static_cast<unsigned>(step));
    value += static_cast<int>(threadIdx.x % 32) >= step ? before : 0u;
#endif
  }
  return value;
}

/** The sum of `value` over all lanes. All lanes must call. */
__device__ inline unsigned
SumOfWarp(unsigned value)
{
#if !defined(BRICKCCL_CUDA_ON_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(AllLanes, value);
#else
#  pragma unroll
  for (unsigned step = 1; step < 32; step *= 2)
  {
    value += __shfl_sync(AllLanes, value, static_cast<int>(threadIdx.x % 32 ^ step));
  }
  return value;
#endif
}

} // namespace brickccl::cuda

#endif
