// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_LAUNCH_CUH
#define BRICKCCL_CUDA_LAUNCH_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

/** Launches a kernel and throws a DeviceError that names it if that fails. Put `kernel` in parentheses if it has
 *  commas. Kernels whose threads meet at a barrier go through BRICKCCL_LAUNCH_BLOCKS. The host build of the kernels
 *  runs the threads of other kernels one after the other. */
#ifdef BRICKCCL_CUDA_ON_HOST
#  define BRICKCCL_LAUNCH(kernel, shape, stream, ...)                                                                  \
    ::brickccl::cuda::onhost::RunThreads((shape).blocks, (shape).threads, [&] { kernel(__VA_ARGS__); })
#  define BRICKCCL_LAUNCH_BLOCKS(kernel, shape, stream, ...)                                                           \
    ::brickccl::cuda::onhost::RunBlocks((shape).blocks, (shape).threads, [&] { kernel(__VA_ARGS__); })
#  define BRICKCCL_LAUNCH_EARLY BRICKCCL_LAUNCH
#  define BRICKCCL_LAUNCH_BLOCKS_EARLY BRICKCCL_LAUNCH_BLOCKS
#else
#  define BRICKCCL_LAUNCH(kernel, shape, stream, ...)                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
      kernel<<<(shape).blocks, (shape).threads, 0, (stream)>>>(__VA_ARGS__);                                           \
      BRICKCCL_CUDA_CHECK_LAUNCH(#kernel);                                                                             \
    } while (false)
#  define BRICKCCL_LAUNCH_BLOCKS BRICKCCL_LAUNCH
// The kernel may start before the one ahead of it in the stream has ended, where device and build can do that. Its
// threads call WaitForEarlierKernels() before they read or write global memory.
#  define BRICKCCL_LAUNCH_EARLY(kernel, shape, stream, ...)                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
      static ::brickccl::cuda::OverlapSupport brickcclSupport;                                                         \
      const auto                              brickcclKernel = kernel;                                                 \
      const bool brickcclMayOverlap = brickcclSupport.Of(reinterpret_cast<const void *>(brickcclKernel));              \
      BRICKCCL_CUDA_CHECK_STATUS(                                                                                      \
        #kernel,                                                                                                       \
        ::brickccl::cuda::LaunchEarly(brickcclKernel, brickcclMayOverlap, shape, stream, __VA_ARGS__));                \
    } while (false)
#  define BRICKCCL_LAUNCH_BLOCKS_EARLY BRICKCCL_LAUNCH_EARLY
#endif

#define BRICKCCL_CUDA_CHECK_LAUNCH(name) BRICKCCL_CUDA_CHECK_STATUS(name, cudaGetLastError())

#define BRICKCCL_CUDA_CHECK_STATUS(name, status)                                                                       \
  do                                                                                                                   \
  {                                                                                                                    \
    const cudaError_t brickcclStatus = (status);                                                                       \
    if (brickcclStatus != cudaSuccess)                                                                                 \
    {                                                                                                                  \
      (void)cudaGetLastError();                                                                                        \
      ::brickccl::cuda::ThrowDeviceError(brickcclStatus, "launch of " name, __FILE__, __LINE__);                       \
    }                                                                                                                  \
  } while (false)

namespace brickccl::cuda
{

struct LaunchShape
{
  dim3 blocks;
  dim3 threads;
  /** How much of a multiprocessor's memory an early launch asks for as shared memory, in percent of the maximum. The
   *  rest is first-level cache. If it is negative, the driver chooses. */
  int sharedPercent = -1;
};

inline constexpr unsigned ThreadsPerBlock = 256;

/** The mask of warp operations with all lanes of a warp. */
inline constexpr unsigned AllLanes = 0xFFFFFFFFu;

/** Enough threads for `count` elements, one element each. Where the grid would be too large, a thread takes several:
 *  kernels step by ThreadCount() from ThreadIndex(). */
inline LaunchShape
ShapeFor(std::int64_t count, unsigned threads = ThreadsPerBlock)
{
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t     blocks = (count + threads - 1) / threads;
  return { dim3(static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most)), dim3(threads) };
}

#ifndef BRICKCCL_CUDA_ON_HOST
/** Knows on which devices a kernel was compiled to wait for earlier kernels itself: on those of compute capability 9.0
 *  and above, if the build has code for them. */
class OverlapSupport
{
public:
  bool
  Of(const void * kernel)
  {
    int device = 0;
    BRICKCCL_CUDA_CHECK(cudaGetDevice(&device));
    std::atomic<int> * const known = device < MaximumDevices ? m_Known + device : nullptr;
    if (known != nullptr && *known != Unknown)
    {
      return *known == Yes;
    }
    cudaFuncAttributes attributes;
    BRICKCCL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    const bool canWait = attributes.ptxVersion >= 90 && attributes.binaryVersion >= 90;
    if (known != nullptr)
    {
      *known = canWait ? Yes : No;
    }
    return canWait;
  }

private:
  enum Answer
  {
    Unknown,
    No,
    Yes
  };
  static constexpr int MaximumDevices = 16;

  std::atomic<int> m_Known[MaximumDevices] = {};
};

template <typename... TParameters, typename... TArguments>
cudaError_t
LaunchEarly(void (*kernel)(TParameters...),
            bool                mayOverlap,
            const LaunchShape & shape,
            cudaStream_t        stream,
            TArguments &&... arguments)
{
  cudaLaunchAttribute attributes[2] = {};
  unsigned            count = 0;
  if (mayOverlap)
  {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.sharedPercent >= 0)
  {
    attributes[count].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    attributes[count++].val.sharedMemCarveout = static_cast<unsigned>(shape.sharedPercent);
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelEx(&config, kernel, std::forward<TArguments>(arguments)...);
}
#endif

/** Lets the next kernel start as soon as this one leaves room, if the next one was launched early. */
__device__ inline void
AllowNextKernel()
{
#if !defined(BRICKCCL_CUDA_ON_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/** Waits until all kernels before this one in the stream have ended. A kernel that is launched early calls it before it
 *  touches global memory. */
__device__ inline void
WaitForEarlierKernels()
{
  AllowNextKernel();
#if !defined(BRICKCCL_CUDA_ON_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
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
