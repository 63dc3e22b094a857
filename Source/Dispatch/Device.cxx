#include "BrickCCL/Dispatch/Device.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Cuda/Devices.h"
#include "BrickCCL/Host/Parallel.h"

#include <charconv>

namespace brickccl
{

Device
Device::FromName(const std::string & name)
{
  if (name == "auto")
  {
    return { Kind::Auto, 0 };
  }
  if (name == "cpu")
  {
    return { Kind::Cpu, 0 };
  }
  if (name == "cuda")
  {
    return { Kind::Cuda, 0 };
  }
  const std::string prefix = "cuda:";
  if (name.compare(0, prefix.size(), prefix) == 0)
  {
    int          index = -1;
    const char * end = name.data() + name.size();
    const auto   parsed = std::from_chars(name.data() + prefix.size(), end, index);
    if (parsed.ec == std::errc{} && parsed.ptr == end && index >= 0)
    {
      return { Kind::Cuda, index };
    }
  }
  throw InvalidArgument("device '" + name + "' is unknown; choose auto, cpu, cuda or cuda:N with N from 0");
}

std::string
Device::ToString() const
{
  switch (kind)
  {
  case Kind::Auto:
    return "auto";
  case Kind::Cpu:
    return "cpu";
  case Kind::Cuda:
    break;
  }
  return "cuda:" + std::to_string(index);
}

namespace
{

/** The CUDA devices of this machine. They are asked for once. */
const cuda::DeviceList &
CudaDevices()
{
#ifdef BRICKCCL_USE_CUDA
  static const cuda::DeviceList list = cuda::ListDevices();
#else
  static const cuda::DeviceList list{ {}, "built without CUDA" };
#endif
  return list;
}

} // namespace

ResolvedDevice
ResolveDevice(const Device & requested)
{
  // Asking for CUDA devices takes a tenth of a second on machines that have some.
  const int count = requested.kind == Device::Kind::Cpu ? 0 : static_cast<int>(CudaDevices().descriptions.size());
  if (requested.kind == Device::Kind::Cpu || (requested.kind == Device::Kind::Auto && count == 0))
  {
    return { { Device::Kind::Cpu, 0 }, {} };
  }
  if (requested.index < count)
  {
    return { { Device::Kind::Cuda, requested.index }, {} };
  }
  const std::string why = count == 0 ? CudaDevices().reason
                                     : "the machine has " + std::to_string(count) + " CUDA device" +
                                         (count == 1 ? "" : "s") + ", numbered from 0";
  return { { Device::Kind::Cpu, 0 },
           "device " + requested.ToString() + " is not available (" + why + "); the CPU is used" };
}

std::future<void>
PrepareDevice([[maybe_unused]] const Device & requested)
{
#ifdef BRICKCCL_USE_CUDA
  if (requested.kind == Device::Kind::Cuda)
  {
    return std::async(std::launch::async, [requested] {
      if (ResolveDevice(requested).device.kind == Device::Kind::Cuda)
      {
        cuda::PrepareDevice(requested.index);
      }
    });
  }
#endif
  return {};
}

std::vector<std::string>
DescribeDevices()
{
  std::vector<std::string> lines = { "cpu: " + std::to_string(EffectiveThreadCount(0)) + " threads" };
  lines.insert(lines.end(), CudaDevices().descriptions.begin(), CudaDevices().descriptions.end());
  if (lines.size() == 1)
  {
    lines.push_back("cuda: none (" + CudaDevices().reason + ")");
  }
  return lines;
}

} // namespace brickccl
