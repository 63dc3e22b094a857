#include "BrickCCL/Cuda/EarlyUpload.h"

#include "BrickCCL/Cuda/Devices.h"
#include "BrickCCL/Cuda/StagedCopy.cuh"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace brickccl::cuda
{

const EarlyUploadTuning &
EarlyUploadTuning::Usual()
{
#ifdef BRICKCCL_CUDA_ON_HOST
  static constexpr EarlyUploadTuning tuning = { 1, 5, "no device" };
#else
  static constexpr EarlyUploadTuning tuning = {
    std::size_t{ 1 } << 28,
    5,
    "an H100's context is ready after 0.2 to 0.3 s; files of 1024^3 voxels to runs take 0.85 to 0.94 times as long "
    "where one or two threads decompress, and as long as before with 16, which are done earlier; the room is "
    "computed: a voxel of a byte takes up to 3 more for labeling, of 85 % of the memory "
    "(Testing/Benchmarks/DECISIONS.md)"
  };
#endif
  return tuning;
}

class EarlyUpload::State
{
public:
  State(std::shared_ptr<ArrivingBytes> bytes, std::function<int()> device, const EarlyUploadTuning & tuning)
    : m_Bytes(std::move(bytes))
    , m_AskDevice(std::move(device))
    , m_Tuning(tuning)
  {
    try
    {
      m_Thread = std::thread([this] { Run(); });
    }
    catch (const std::system_error &)
    {
      // Without a thread nothing is copied.
    }
  }

  ~State()
  {
    Stop();
    Free();
  }

  Place
  Finish(int device, const void * data, std::size_t size)
  {
    Stop();
    const bool isRight = std::exchange(m_IsThere, false) && device == m_Device && m_Bytes->Are(data, size);
    return isRight ? Place{ m_OnDevice->buffer.Data(), m_Sent } : Place();
  }

  std::size_t
  Sent() const
  {
    return m_Sent;
  }

private:
  struct OnDevice
  {
    DeviceBuffer<unsigned char> buffer;
    StagedCopy                  staged;
    Stream                      stream;
  };

  void
  Free()
  {
    if (m_OnDevice)
    {
      const CurrentDevice current(m_Device, std::nothrow);
      m_OnDevice.reset();
    }
  }

  void
  Stop()
  {
    m_Bytes->Stop();
    if (m_Thread.joinable())
    {
      m_Thread.join();
    }
  }

  void
  Run()
  {
    try
    {
      const std::size_t size = m_Bytes->AwaitSize();
      const int         device = size < m_Tuning.leastBytes ? -1 : m_AskDevice();
      if (device < 0 || FreeMemory(device) / m_Tuning.roomInBytes < size)
      {
        return;
      }
      m_Device = device;
      const CurrentDevice current(device);
      m_OnDevice.emplace();
      m_OnDevice->buffer.Resize(size);
      m_IsThere = CopyAll();
    }
    catch (...)
    {
      // What uploads the bytes instead meets the same failure, if it lasts, and tells of it.
      Free();
    }
  }

  /** \return whether all that was sent has arrived */
  bool
  CopyAll()
  {
    constexpr std::size_t mostAtOnce = std::size_t{ 1 } << 24;
    // The other threads decompress.
    const HostContext  alone = { 1 };
    const cudaStream_t stream = m_OnDevice->stream.Get();
    std::size_t        taken = 0;
    do
    {
      const std::size_t begin = m_Sent;
      taken = m_Bytes->Take(begin, mostAtOnce, [&](const std::byte * bytes, std::size_t count) {
        m_OnDevice->staged.Upload(m_OnDevice->buffer.Data() + begin, bytes, count, stream, alone);
      });
      m_Sent = begin + taken;
    } while (taken > 0);
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(stream));
    return true;
  }

  std::shared_ptr<ArrivingBytes> m_Bytes;
  std::function<int()>           m_AskDevice;
  const EarlyUploadTuning        m_Tuning;
  std::atomic<std::size_t>       m_Sent{ 0 };
  /** What follows belongs to the thread until it has ended. */
  int                     m_Device = -1;
  std::optional<OnDevice> m_OnDevice;
  bool                    m_IsThere = false;
  std::thread             m_Thread;
};

EarlyUpload::EarlyUpload(std::shared_ptr<ArrivingBytes> bytes,
                         std::function<int()>           device,
                         const EarlyUploadTuning &      tuning)
  : m_State(std::make_unique<State>(std::move(bytes), std::move(device), tuning))
{}

EarlyUpload::~EarlyUpload() = default;

EarlyUpload::Place
EarlyUpload::Place::Part(std::size_t begin, std::size_t size) const
{
  return data == nullptr ? Place() : Place{ data + begin, std::min(size, uploaded - std::min(uploaded, begin)) };
}

EarlyUpload::Place
EarlyUpload::Finish(int device, const void * data, std::size_t size)
{
  return m_State->Finish(device, data, size);
}

std::size_t
EarlyUpload::Sent() const
{
  return m_State->Sent();
}

} // namespace brickccl::cuda
