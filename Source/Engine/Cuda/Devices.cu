// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cuda/Devices.h"

#include "BrickCCL/Cuda/Runtime.cuh"

#include <cstdio>

namespace brickccl::cuda
{

DeviceList
ListDevices()
{
  DeviceList        list;
  int               count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
  {
    (void)cudaGetLastError();
    list.reason = status == cudaErrorInsufficientDriver
                  ? "no NVIDIA driver, or one that is older than this build's CUDA"
                  : std::string("no usable NVIDIA GPU: ") + cudaGetErrorString(status);
    return list;
  }
  for (int device = 0; device < count; ++device)
  {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
    {
      char text[512];
      std::snprintf(text,
                    sizeof(text),
                    "cuda:%d: %s, compute capability %d.%d, %.1f GiB",
                    device,
                    properties.name,
                    properties.major,
                    properties.minor,
                    static_cast<double>(properties.totalGlobalMem) / (1 << 30));
      list.descriptions.emplace_back(text);
    }
  }
  return list;
}

void
PrepareDevice(int device)
{
  if (cudaSetDevice(device) != cudaSuccess || cudaFree(nullptr) != cudaSuccess)
  {
    (void)cudaGetLastError();
  }
}

std::size_t
FreeMemory(int device)
{
  const CurrentDevice current(device);
  std::size_t         available = 0;
  std::size_t         all = 0;
  BRICKCCL_CUDA_CHECK(cudaMemGetInfo(&available, &all));
  return available;
}

} // namespace brickccl::cuda
