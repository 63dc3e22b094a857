// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_RUNTIMEFUNCTIONS_H
#define BRICKCCL_TESTING_CUDAONHOST_RUNTIMEFUNCTIONS_H

/** The functions of CUDA's runtime that the host's code calls: memory, streams, events and devices. Memory of the
 * device is that of the host, and what goes on a stream is done at once. */

#include <cstddef>
#include <cstdlib>
#include <cstring>

enum cudaError_t
{
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600
};

enum cudaMemcpyKind
{
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};

using cudaStream_t = void *;
inline constexpr unsigned cudaStreamNonBlocking = 1;

struct cudaDeviceProp
{
  char        name[256];
  int         major;
  int         minor;
  std::size_t totalGlobalMem;
};

inline const char *
cudaGetErrorString(cudaError_t status)
{
  return status == cudaErrorMemoryAllocation ? "out of memory" : "invalid device ordinal";
}

inline cudaError_t
cudaGetLastError()
{
  return cudaSuccess;
}

inline cudaError_t
cudaMalloc(void ** place, std::size_t bytes)
{
  // As aligned as a device's memory is, with nothing behind the last byte asked for.
  return posix_memalign(place, 256, bytes == 0 ? 1 : bytes) == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

inline cudaError_t
cudaFree(void * place)
{
  std::free(place);
  return cudaSuccess;
}

inline cudaError_t
cudaMallocHost(void ** place, std::size_t bytes)
{
  return cudaMalloc(place, bytes);
}

inline cudaError_t
cudaFreeHost(void * place)
{
  return cudaFree(place);
}

enum cudaMemoryType
{
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice
};

struct cudaPointerAttributes
{
  cudaMemoryType type;
  int            device;
};

inline cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes * attributes, const void *)
{
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = 0;
  return cudaSuccess;
}

inline cudaError_t
cudaMemcpyAsync(void * to, const void * from, std::size_t bytes, cudaMemcpyKind, cudaStream_t)
{
  // For 0 bytes pointers may be null, which memcpy does not allow.
  if (bytes != 0)
  {
    std::memcpy(to, from, bytes);
  }
  return cudaSuccess;
}

inline cudaError_t
cudaMemcpyPeerAsync(void * to, int, const void * from, int, std::size_t bytes, cudaStream_t stream)
{
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

inline cudaError_t
cudaMemcpy(void * to, const void * from, std::size_t bytes, cudaMemcpyKind kind)
{
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

inline cudaError_t
cudaMemsetAsync(void * place, int value, std::size_t bytes, cudaStream_t)
{
  if (bytes != 0)
  {
    std::memset(place, value, bytes);
  }
  return cudaSuccess;
}

inline cudaError_t
cudaDeviceGetStreamPriorityRange(int * lowest, int * highest)
{
  *lowest = 0;
  *highest = 0;
  return cudaSuccess;
}

inline cudaError_t
cudaStreamCreateWithFlags(cudaStream_t * stream, unsigned)
{
  *stream = nullptr;
  return cudaSuccess;
}

inline cudaError_t
cudaStreamCreateWithPriority(cudaStream_t * stream, unsigned, int)
{
  *stream = nullptr;
  return cudaSuccess;
}

inline cudaError_t
cudaStreamDestroy(cudaStream_t)
{
  return cudaSuccess;
}

inline cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
  return cudaSuccess;
}

inline cudaError_t
cudaDeviceSynchronize()
{
  return cudaSuccess;
}

using cudaEvent_t = void *;
inline constexpr unsigned cudaEventDisableTiming = 2;

inline cudaError_t
cudaEventCreateWithFlags(cudaEvent_t * event, unsigned)
{
  *event = nullptr;
  return cudaSuccess;
}

inline cudaError_t
cudaEventCreate(cudaEvent_t * event)
{
  *event = nullptr;
  return cudaSuccess;
}

/** Nothing takes time here. */
inline cudaError_t
cudaEventElapsedTime(float * milliseconds, cudaEvent_t, cudaEvent_t)
{
  *milliseconds = 0;
  return cudaSuccess;
}

inline cudaError_t
cudaEventDestroy(cudaEvent_t)
{
  return cudaSuccess;
}

inline cudaError_t
cudaEventRecord(cudaEvent_t, cudaStream_t)
{
  return cudaSuccess;
}

inline cudaError_t
cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
  return cudaSuccess;
}

inline cudaError_t
cudaEventSynchronize(cudaEvent_t)
{
  return cudaSuccess;
}

inline cudaError_t
cudaEventQuery(cudaEvent_t)
{
  return cudaSuccess;
}

namespace brickccl::cuda::onhost
{
/** The machine that tests simulate: devices, and their free memory. */
inline int         deviceCount = 1;
inline std::size_t freeMemory = std::size_t{ 1 } << 32;

inline thread_local int currentDevice = 0;
} // namespace brickccl::cuda::onhost

inline cudaError_t
cudaGetDeviceCount(int * count)
{
  *count = brickccl::cuda::onhost::deviceCount;
  return cudaSuccess;
}

inline cudaError_t
cudaGetDevice(int * device)
{
  *device = brickccl::cuda::onhost::currentDevice;
  return cudaSuccess;
}

inline cudaError_t
cudaSetDevice(int device)
{
  if (device < 0 || device >= brickccl::cuda::onhost::deviceCount)
  {
    return cudaErrorInvalidDevice;
  }
  brickccl::cuda::onhost::currentDevice = device;
  return cudaSuccess;
}

inline cudaError_t
cudaMemGetInfo(std::size_t * available, std::size_t * all)
{
  *available = *all = brickccl::cuda::onhost::freeMemory;
  return cudaSuccess;
}

inline cudaError_t
cudaGetDeviceProperties(cudaDeviceProp * properties, int)
{
  std::strcpy(properties->name, "the kernels on the host, for tests");
  properties->major = properties->minor = 0;
  properties->totalGlobalMem = 0;
  return cudaSuccess;
}

#endif
