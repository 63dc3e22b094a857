// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CUDA_RUNTIME_CUH
#define BRICKCCL_CUDA_RUNTIME_CUH

#include "BrickCCL/Core/Error.h"

// The host build of the kernels (Testing/CudaOnHost) puts a header of the same name first.
#include <cuda_runtime.h>

#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace brickccl::cuda
{

[[noreturn]] inline void
ThrowDeviceError(cudaError_t status, const char * call, const char * file, int line)
{
  std::string remedy;
  if (status == cudaErrorMemoryAllocation)
  {
    remedy = "; the device has too little free memory: label a smaller volume or use the CPU (--device cpu)";
  }
  else if (status == cudaErrorInsufficientDriver)
  {
    remedy = "; the NVIDIA driver is older than this build's CUDA: update the driver or use the CPU (--device cpu)";
  }
  else if (status == cudaErrorInvalidDevice || status == cudaErrorNoDevice)
  {
    remedy = "; `brickccl info` lists the devices";
  }
  throw DeviceError(std::string(call) + " failed: " + cudaGetErrorString(status) + remedy + " (" + file + ":" +
                    std::to_string(line) + ")");
}

/** Throws DeviceError unless a call of the CUDA runtime succeeds. */
#define BRICKCCL_CUDA_CHECK(call)                                                                                      \
  do                                                                                                                   \
  {                                                                                                                    \
    const cudaError_t brickcclStatus = (call);                                                                         \
    if (brickcclStatus != cudaSuccess)                                                                                 \
    {                                                                                                                  \
      (void)cudaGetLastError();                                                                                        \
      ::brickccl::cuda::ThrowDeviceError(brickcclStatus, #call, __FILE__, __LINE__);                                   \
    }                                                                                                                  \
  } while (false)

/** Device memory that grows when more is asked for, and never shrinks. Its contents do not survive growing. */
template <typename T>
class DeviceBuffer
{
public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer & operator=(const DeviceBuffer &) = delete;
  ~DeviceBuffer()
  {
    Release();
  }

  void
  Resize(std::size_t size)
  {
    if (size > m_Capacity)
    {
      Release();
      BRICKCCL_CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&m_Data), size * sizeof(T)));
      m_Capacity = size;
    }
#if defined(BRICKCCL_POISON_MEMORY) && defined(BRICKCCL_CUDA_ON_HOST)
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Data, 0x5A, CapacityBytes(), nullptr));
#endif
  }

  void
  Release()
  {
    if (m_Data != nullptr)
    {
      (void)cudaFree(m_Data);
      m_Data = nullptr;
    }
    m_Capacity = 0;
  }

  T *
  Data() const
  {
    return m_Data;
  }
  std::size_t
  CapacityBytes() const
  {
    return m_Capacity * sizeof(T);
  }

private:
  T *         m_Data = nullptr;
  std::size_t m_Capacity = 0;
};

/** The allocator of Thrust's temporary memory, which is kept for later calls. An algorithm takes it once. */
class Workspace
{
public:
  using value_type = char;

  char *
  allocate(std::size_t bytes)
  {
    if (m_IsTaken)
    {
      throw DeviceError("an algorithm of Thrust needs temporary memory twice; one place is kept for it");
    }
    m_Memory.Resize(bytes);
    m_IsTaken = true;
    return m_Memory.Data();
  }
  void
  deallocate(char *, std::size_t)
  {
    m_IsTaken = false;
  }
  std::size_t
  CapacityBytes() const
  {
    return m_Memory.CapacityBytes();
  }

private:
  DeviceBuffer<char> m_Memory;
  bool               m_IsTaken = false;
};

/** Page-locked memory of the host that grows when more is asked for. Its contents do not survive growing. */
template <typename T>
class PinnedBuffer
{
public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer &) = delete;
  PinnedBuffer & operator=(const PinnedBuffer &) = delete;
  ~PinnedBuffer()
  {
    (void)cudaFreeHost(m_Data);
  }

  void
  Resize(std::size_t size)
  {
    if (size > m_Capacity)
    {
      (void)cudaFreeHost(m_Data);
      m_Data = nullptr;
      m_Capacity = 0;
      BRICKCCL_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&m_Data), size * sizeof(T)));
      m_Capacity = size;
    }
  }

  T *
  Data() const
  {
    return m_Data;
  }

private:
  T *         m_Data = nullptr;
  std::size_t m_Capacity = 0;
};

/** A number on the device that the host reads through page-locked memory, so that the copy does not stall the
 *  stream. */
template <typename T>
class PinnedValue
{
public:
  PinnedValue()
  {
    BRICKCCL_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&m_Data), sizeof(T)));
  }
  PinnedValue(const PinnedValue &) = delete;
  PinnedValue & operator=(const PinnedValue &) = delete;
  ~PinnedValue()
  {
    (void)cudaFreeHost(m_Data);
  }

  /** Waits for the stream and returns the device's value. */
  T
  Fetch(const T * device, cudaStream_t stream)
  {
    BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(m_Data, device, sizeof(T), cudaMemcpyDeviceToHost, stream));
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(stream));
    return *m_Data;
  }

  /** Where a kernel may write the number itself. */
  T *
  Data() const
  {
    return m_Data;
  }

private:
  T * m_Data = nullptr;
};

/** A point in a stream that the host can wait for while the stream continues. */
class Event
{
public:
  Event()
  {
    BRICKCCL_CUDA_CHECK(cudaEventCreateWithFlags(&m_Event, cudaEventDisableTiming));
  }
  Event(const Event &) = delete;
  Event & operator=(const Event &) = delete;
  ~Event()
  {
    (void)cudaEventDestroy(m_Event);
  }

  void
  Record(cudaStream_t stream)
  {
    BRICKCCL_CUDA_CHECK(cudaEventRecord(m_Event, stream));
  }
  void
  Wait()
  {
    BRICKCCL_CUDA_CHECK(cudaEventSynchronize(m_Event));
  }
  /** Whether it has come. Does not wait. */
  bool
  HasCome() const
  {
    const cudaError_t status = cudaEventQuery(m_Event);
    if (status != cudaErrorNotReady)
    {
      BRICKCCL_CUDA_CHECK(status);
    }
    return status == cudaSuccess;
  }
  /** Makes what is queued on `stream` from now on wait for this event. */
  void
  MakeStreamWait(cudaStream_t stream)
  {
    BRICKCCL_CUDA_CHECK(cudaStreamWaitEvent(stream, m_Event, 0));
  }

private:
  cudaEvent_t m_Event = nullptr;
};

/** A stream of its own. */
class Stream
{
public:
  enum class Priority
  {
    Normal,
    /** Its blocks go before waiting blocks of other streams. */
    Highest
  };

  explicit Stream(Priority priority = Priority::Normal)
  {
    int lowest = 0;
    int highest = 0;
    BRICKCCL_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    BRICKCCL_CUDA_CHECK(
      cudaStreamCreateWithPriority(&m_Stream, cudaStreamNonBlocking, priority == Priority::Highest ? highest : lowest));
  }
  Stream(const Stream &) = delete;
  Stream & operator=(const Stream &) = delete;
  ~Stream()
  {
    (void)cudaStreamDestroy(m_Stream);
  }

  cudaStream_t
  Get() const
  {
    return m_Stream;
  }

private:
  cudaStream_t m_Stream = nullptr;
};

/** Makes a device current for as long as it lives. */
class CurrentDevice
{
public:
  explicit CurrentDevice(int device)
  {
    BRICKCCL_CUDA_CHECK(cudaGetDevice(&m_Previous));
    BRICKCCL_CUDA_CHECK(cudaSetDevice(device));
  }
  /** For destructors: memory returns to its device. Errors were reported before. */
  CurrentDevice(int device, std::nothrow_t) noexcept
  {
    (void)cudaGetDevice(&m_Previous);
    (void)cudaSetDevice(device);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice & operator=(const CurrentDevice &) = delete;
  ~CurrentDevice()
  {
    (void)cudaSetDevice(m_Previous);
  }

private:
  int m_Previous = 0;
};

} // namespace brickccl::cuda

#endif
