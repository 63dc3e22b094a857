// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Cuda/Devices.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace brickccl
{

/** Reads numbers from 0 that are separated by commas. \return nothing if the text is something else */
static std::optional<std::vector<int>>
ReadIndices(const std::string & text)
{
  std::vector<int>   indices;
  const char *       at = text.data();
  const char * const end = text.data() + text.size();
  for (;;)
  {
    int        index = -1;
    const auto parsed = std::from_chars(at, end, index);
    if (parsed.ec != std::errc{} || index < 0 || (parsed.ptr != end && *parsed.ptr != ','))
    {
      return std::nullopt;
    }
    indices.push_back(index);
    if (parsed.ptr == end)
    {
      return indices;
    }
    at = parsed.ptr + 1;
  }
}

Device
Device::FromName(const std::string & name)
{
  if (name == "auto" || name == "cpu" || name == "cuda")
  {
    return { name == "auto" ? Kind::Auto : name == "cpu" ? Kind::Cpu : Kind::Cuda, 0 };
  }
  const std::string prefix = "cuda:";
  if (name.compare(0, prefix.size(), prefix) == 0)
  {
    const std::string list = name.substr(prefix.size());
    if (list == "all")
    {
      return { Kind::Cuda, 0, {}, true };
    }
    if (const auto indices = ReadIndices(list))
    {
      const auto second = std::find_if(indices->begin(), indices->end(), [&](const int & one) {
        return std::find(indices->data(), &one, one) != &one;
      });
      if (second != indices->end())
      {
        throw InvalidArgument("device '" + name + "' names device " + std::to_string(*second) +
                              " twice; name each device once");
      }
      return { Kind::Cuda, indices->front(), { indices->begin() + 1, indices->end() } };
    }
  }
  // Only the letters of "gpu" are near to "cpu".
  const std::string meant = name == "gpu" || name == "GPU" ? " (did you mean 'cuda'?)"
                                                           : DidYouMean(name, { "auto", "cpu", "cuda", "cuda:all" });
  throw InvalidArgument("device '" + name + "' is unknown" + meant +
                        "; choose auto, cpu, cuda, cuda:N with N from 0, several as cuda:0,1, or cuda:all");
}

std::string
Device::ToString() const
{
  if (kind != Kind::Cuda || isAll)
  {
    return kind == Kind::Auto ? "auto" : kind == Kind::Cpu ? "cpu" : "cuda:all";
  }
  std::string name = "cuda:" + std::to_string(index);
  for (const int other : others)
  {
    name += "," + std::to_string(other);
  }
  return name;
}

std::vector<int>
Device::Indices() const
{
  std::vector<int> indices = { index };
  indices.insert(indices.end(), others.begin(), others.end());
  return indices;
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
  if (requested.isAll && count > 0)
  {
    std::vector<int> others(static_cast<std::size_t>(count) - 1);
    std::iota(others.begin(), others.end(), 1);
    return { { Device::Kind::Cuda, 0, others }, {} };
  }
  const std::vector<int> indices = requested.Indices();
  if (*std::max_element(indices.begin(), indices.end()) < count)
  {
    return { { Device::Kind::Cuda, requested.index, requested.others }, {} };
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
      const Device device = ResolveDevice(requested).device;
      if (device.kind == Device::Kind::Cuda)
      {
        std::vector<std::future<void>> others;
        for (const int other : device.others)
        {
          others.push_back(std::async(std::launch::async, cuda::PrepareDevice, other));
        }
        cuda::PrepareDevice(device.index);
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
