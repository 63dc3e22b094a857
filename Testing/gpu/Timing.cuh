// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_TIMING_CUH
#define BRICKCCL_TESTING_GPU_TIMING_CUH

#include "BrickCCL/BrickCCL.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

/** Times on a device, and what the options of the benchmark ask for. */
namespace brickccl::benchmark
{

inline int repeats = 20;
/** If it is not 0, only this connectivity and only the default algorithm are timed, for profiling. */
inline int onlyConnectivity = 0;
/** Only inputs whose names hold this text are timed. */
inline std::string onlyInput;

inline bool
IsWanted(const std::string & input)
{
  return input.find(onlyInput) != std::string::npos;
}

inline void
Check(cudaError_t status)
{
  if (status != cudaSuccess)
  {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

inline float
MedianMilliseconds(const std::function<void()> & work)
{
  cudaEvent_t begin, end;
  Check(cudaEventCreate(&begin));
  Check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < repeats + 3; ++i)
  {
    Check(cudaEventRecord(begin));
    work();
    Check(cudaEventRecord(end));
    Check(cudaEventSynchronize(end));
    float time = 0;
    Check(cudaEventElapsedTime(&time, begin, end));
    if (i >= 3)
    {
      times.push_back(time);
    }
  }
  Check(cudaEventDestroy(begin));
  Check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/** Four voxels of eight bytes. */
struct alignas(16) FourLarge
{
  unsigned long long x, y, z, w;
};

/** Reads the bytes of a pixel and writes 4 bytes per voxel. A thread does 4 voxels, and stores go past the caches. */
template <typename TQuad>
__global__ void
FloorKernel(const TQuad * in, uint4 * out, long long quads)
{
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < quads)
  {
    const TQuad four = in[i];
    const auto  low = [](auto value) { return static_cast<unsigned>(value); };
    __stcs(out + i, make_uint4(low(four.x), low(four.y), low(four.z), low(four.w)));
  }
}

inline void
LaunchFloor(std::size_t bytesPerVoxel, const void * in, unsigned * out, long long voxels)
{
  const long long quads = voxels / 4;
  const auto      blocks = static_cast<unsigned>((quads + 255) / 256);
  auto * const    to = reinterpret_cast<uint4 *>(out);
  switch (bytesPerVoxel)
  {
  case 1:
    FloorKernel<<<blocks, 256>>>(static_cast<const uchar4 *>(in), to, quads);
    break;
  case 2:
    FloorKernel<<<blocks, 256>>>(static_cast<const ushort4 *>(in), to, quads);
    break;
  case 8:
    FloorKernel<<<blocks, 256>>>(static_cast<const FourLarge *>(in), to, quads);
    break;
  default:
    FloorKernel<<<blocks, 256>>>(static_cast<const uint4 *>(in), to, quads);
  }
}

} // namespace brickccl::benchmark

#endif
