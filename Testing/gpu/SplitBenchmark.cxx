// SPDX-License-Identifier: Apache-2.0
// Times distance maps and splits of touching balls in memory of a CUDA device, beside the CPU's.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Splitting/DeviceSplitter.h"
#include "BrickCCL/Splitting/Splitter.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace
{

/** The median of some calls in ms. The first one makes room and does not count. */
template <typename TCall>
double
MedianOf(int repeats, const TCall & call)
{
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i)
  {
    const auto begin = std::chrono::steady_clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin() + 1, times.end());
  return times[1 + static_cast<std::size_t>(repeats) / 2];
}

/** Ends the program with a message if a call of the CUDA runtime fails. */
void
Require(cudaError_t status)
{
  if (status != cudaSuccess)
  {
    std::cerr << cudaGetErrorString(status) << '\n';
    std::exit(1);
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  using namespace brickccl;
  const std::int64_t               side = argc > 1 ? std::atoll(argv[1]) : 512;
  const Extent                     extent{ side, side, side };
  const auto                       count = static_cast<std::size_t>(extent.VoxelCount());
  const double                     density = argc > 2 ? std::atof(argv[2]) : 0.5;
  const std::vector<unsigned char> balls = MakeBalls(extent, density, 1);
  std::vector<std::uint32_t>       objects(count);
  std::vector<std::uint32_t>       ofDevice(count);
  void *                           labels = nullptr;
  void *                           result = nullptr;
  Require(cudaMalloc(&labels, count));
  Require(cudaMalloc(&result, 4 * count));
  Require(cudaMemcpy(labels, balls.data(), count, cudaMemcpyHostToDevice));
  DeviceSplitter     splitter(0);
  const DistanceUnit unit(DistanceTo::Centers, extent, {}, ~0u);
  const ImageView    image(static_cast<const std::uint8_t *>(labels), extent);
  const double distances = MedianOf(9, [&] { splitter.Distances(image, unit, static_cast<float *>(result), nullptr); });
  std::size_t  found = 0;
  const double split = MedianOf(9, [&] {
    found =
      splitter
        .Split(image, unit, Connectivity::Full(3), LowPeak(0.75, unit), static_cast<std::uint32_t *>(result), nullptr)
        .objects.highest.size();
  });
  Require(cudaMemcpy(ofDevice.data(), result, 4 * count, cudaMemcpyDeviceToHost));
  SplitReport  report;
  SplitOptions options;
  const double onCpu = MedianOf(1, [&] { report = Split(ImageView(balls.data(), extent), objects.data(), options); });
  options.device = { Device::Kind::Cuda, 0 };
  const bool   isEqual = objects == ofDevice;
  const double fromHost = MedianOf(3, [&] { Split(ImageView(balls.data(), extent), objects.data(), options); });
  std::cout << side << "^3 balls, density " << density << ": " << found << " objects of " << report.basins
            << " basins; distances " << distances << " ms, split " << split << " ms in device memory; " << fromHost
            << " ms from and to the host; the CPU " << onCpu << " ms; " << (isEqual ? "equal" : "DIFFERENT") << '\n';
  return isEqual && found == report.objects.size() ? 0 : 1;
}
