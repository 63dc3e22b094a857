// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_HOSTTIMES_CUH
#define BRICKCCL_TESTING_GPU_HOSTTIMES_CUH

#include "Timing.cuh"

#include "BrickCCL/Phantoms/Phantoms.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

/** Times of images and label maps in host memory. */
namespace brickccl::benchmark
{

inline double
MedianOnHost(const std::function<void()> & work)
{
  std::vector<double> times;
  for (int i = 0; i < repeats + 2; ++i)
  {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (i >= 2)
    {
      times.push_back(time.count());
    }
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/** Times an image and label map in host memory that is not page-locked. The time that as many bytes take to the device
 *  and back, between page-locked buffers, is printed beside it. */
inline void
BenchmarkHost(const Extent & extent)
{
  const auto            voxels = MakeBalls(extent, 0.2, 1);
  std::vector<unsigned> labels(voxels.size());
  unsigned char *       pinned = nullptr;
  unsigned char *       device = nullptr;
  Check(cudaMallocHost(&pinned, voxels.size() * 4));
  Check(cudaMalloc(&device, voxels.size() * 4));
  const double floor = MedianOnHost([&] {
    Check(cudaMemcpy(device, pinned, voxels.size(), cudaMemcpyHostToDevice));
    Check(cudaMemcpy(pinned, device, voxels.size() * 4, cudaMemcpyDeviceToHost));
  });
  Check(cudaFreeHost(pinned));
  Check(cudaFree(device));
  std::printf("balls 0.2; host to host,%s,0,bus,%.4f,1,0,0\n", extent.ToString().c_str(), floor);
  for (const Device::Kind kind : { Device::Kind::Cuda, Device::Kind::Cpu })
  {
    LabelOptions options;
    options.connectivity = Connectivity::Full(3);
    options.device = { kind, 0 };
    Labeling     labeling;
    const double time = MedianOnHost([&] {
      Label(ImageView(voxels.data(), extent), options, labeling);
      labeling.Write(labels.data(), LabelType::UInt32);
    });
    const double only = MedianOnHost([&] { Label(ImageView(voxels.data(), extent), options, labeling); });
    std::printf("balls 0.2; host to host%s,%s,26,%s,%.4f,%.2f,%llu,\n",
                kind == Device::Kind::Cpu ? " (CPU)" : "",
                extent.ToString().c_str(),
                labeling.AlgorithmName().c_str(),
                time,
                time / floor,
                static_cast<unsigned long long>(labeling.ComponentCount()));
    std::printf("balls 0.2; host to runs%s,%s,26,%s,%.4f,%.2f,%llu,\n",
                kind == Device::Kind::Cpu ? " (CPU)" : "",
                extent.ToString().c_str(),
                labeling.AlgorithmName().c_str(),
                only,
                only / floor,
                static_cast<unsigned long long>(labeling.ComponentCount()));
  }
}

} // namespace brickccl::benchmark

#endif
