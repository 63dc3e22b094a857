#include "BrickCCL/Dispatch/Device.h"

#include "BrickCCL/Core/Error.h"
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

ResolvedDevice
ResolveDevice(const Device & requested)
{
  ResolvedDevice resolved{ { Device::Kind::Cpu, 0 }, {} };
  if (requested.kind == Device::Kind::Cuda)
  {
    resolved.remark = "device " + requested.ToString() + " is not available (built without CUDA); the CPU is used";
  }
  return resolved;
}

std::vector<std::string>
DescribeDevices()
{
  return { "cpu: " + std::to_string(EffectiveThreadCount(0)) + " threads" };
}

} // namespace brickccl
