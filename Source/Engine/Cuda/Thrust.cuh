// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_THRUST_CUH
#define BRICKCCL_CUDA_THRUST_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#ifdef BRICKCCL_CUDA_ON_HOST
#  include "ThrustOnHost.h"
#else
#  include <thrust/copy.h>
#  include <thrust/execution_policy.h>
#  include <thrust/for_each.h>
#  include <thrust/iterator/counting_iterator.h>
#  include <thrust/iterator/tabulate_output_iterator.h>
#  include <thrust/scan.h>
#  include <thrust/sequence.h>
#  include <thrust/sort.h>
#  include <thrust/system_error.h>
#  include <thrust/transform.h>
#  include <thrust/transform_scan.h>
#  include <thrust/unique.h>
#endif

#include <cstdint>

/** Algorithms of Thrust. Few sources include this header, since it takes seconds to compile. */
namespace brickccl::cuda
{

/** Calls `call(policy)`. Algorithms of Thrust with this policy are queued on the stream: they take temporary memory
 * from the workspace and wait for nothing. \throws DeviceError */
template <typename TCall>
void
CallThrust(Workspace & workspace, cudaStream_t stream, const TCall & call)
{
  try
  {
    call(thrust::cuda::par_nosync(workspace).on(stream));
  }
  catch (const thrust::system_error & error)
  {
    (void)cudaGetLastError();
    ThrowDeviceError(static_cast<cudaError_t>(error.code().value()), "an algorithm of Thrust", __FILE__, __LINE__);
  }
}

inline thrust::counting_iterator<std::int64_t>
CountFrom(std::int64_t first)
{
  return thrust::counting_iterator<std::int64_t>(first);
}

} // namespace brickccl::cuda

#endif
