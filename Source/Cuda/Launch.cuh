#ifndef BRICKCCL_CUDA_LAUNCH_CUH
#define BRICKCCL_CUDA_LAUNCH_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#include <cstdint>
#include <limits>

/** Launches a kernel and throws a DeviceError that names it if that fails. `kernel` in parentheses if it has commas.
 *  Kernels whose threads meet at a barrier go through BRICKCCL_LAUNCH_BLOCKS; the host build of the kernels runs the
 *  threads of the others one after the other. */
#ifdef BRICKCCL_CUDA_ON_HOST
#  define BRICKCCL_LAUNCH(kernel, shape, stream, ...)                                                                  \
    ::brickccl::cuda::onhost::RunThreads((shape).blocks, (shape).threads, [&] { kernel(__VA_ARGS__); })
#  define BRICKCCL_LAUNCH_BLOCKS(kernel, shape, stream, ...)                                                           \
    ::brickccl::cuda::onhost::RunBlocks((shape).blocks, (shape).threads, [&] { kernel(__VA_ARGS__); })
#else
#  define BRICKCCL_LAUNCH(kernel, shape, stream, ...)                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
      kernel<<<(shape).blocks, (shape).threads, 0, (stream)>>>(__VA_ARGS__);                                           \
      BRICKCCL_CUDA_CHECK_LAUNCH(#kernel);                                                                             \
    } while (false)
#  define BRICKCCL_LAUNCH_BLOCKS BRICKCCL_LAUNCH
#endif

#define BRICKCCL_CUDA_CHECK_LAUNCH(name)                                                                               \
  do                                                                                                                   \
  {                                                                                                                    \
    const cudaError_t brickcclStatus = cudaGetLastError();                                                             \
    if (brickcclStatus != cudaSuccess)                                                                                 \
    {                                                                                                                  \
      ::brickccl::cuda::ThrowDeviceError(brickcclStatus, "launch of " name, __FILE__, __LINE__);                       \
    }                                                                                                                  \
  } while (false)

namespace brickccl::cuda
{

struct LaunchShape
{
  dim3 blocks;
  dim3 threads;
};

inline constexpr unsigned ThreadsPerBlock = 256;

/** The mask of warp operations that all of a warp's lanes take part in. */
inline constexpr unsigned AllLanes = 0xFFFFFFFFu;

/** Enough threads for `count` elements, one each, or several each where the grid would be too large: kernels step by
 *  ThreadCount() from ThreadIndex(). */
inline LaunchShape
ShapeFor(std::int64_t count, unsigned threads = ThreadsPerBlock)
{
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t     blocks = (count + threads - 1) / threads;
  return { dim3(static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most)), dim3(threads) };
}

__device__ inline std::int64_t
ThreadIndex()
{
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline std::int64_t
ThreadCount()
{
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

} // namespace brickccl::cuda

#endif
