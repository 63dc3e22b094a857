// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_SEVERALGPUS_CUH
#define BRICKCCL_TESTING_GPU_SEVERALGPUS_CUH

#include "Timing.cuh"

#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/Stopwatch.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

/** Volumes on several GPUs, and what their buses and memories are capable of. */
namespace brickccl::benchmark
{

enum class Pattern
{
  /** Round shapes of many sizes, some 20 voxels wide, one voxel in five foreground. */
  Smooth,
  /** Independent voxels, three of ten foreground. */
  Noise
};

__host__ __device__ inline std::uint64_t
         Mix(std::uint64_t x)
{
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/** Factor of a voxel's label in the sum over a volume. */
__host__ __device__ inline std::uint64_t
         PlaceFactor(std::uint64_t place)
{
  return (place * 0x9E3779B97F4A7C15ull) | 1u;
}

/** A random number for a corner of a lattice, from 0 to 1. */
__device__ inline float
CornerValue(int x, int y, int z, unsigned seed)
{
  const std::uint64_t key =
    (static_cast<std::uint64_t>(z) << 42 ^ static_cast<std::uint64_t>(y) << 21 ^ static_cast<std::uint64_t>(x)) +
    (static_cast<std::uint64_t>(seed) << 58);
  return static_cast<float>(Mix(key + 0x9E3779B97F4A7C15ull) >> 40) * (1.0f / 16777216.0f);
}

/** Values between the corners of a lattice of this step. */
__device__ inline float
SmoothValue(int x, int y, int z, int step, unsigned seed)
{
  const int  cx = x / step, cy = y / step, cz = z / step;
  const auto blend = [step](int rest) {
    const float t = (static_cast<float>(rest) + 0.5f) / static_cast<float>(step);
    return t * t * (3 - 2 * t);
  };
  const float fx = blend(x % step), fy = blend(y % step), fz = blend(z % step);
  float       sum = 0;
  for (int corner = 0; corner < 8; ++corner)
  {
    const int   dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
    const float weight = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz);
    sum += weight * CornerValue(cx + dx, cy + dy, cz + dz, seed);
  }
  return sum;
}

/** Makes the voxels from `place` on of a volume. */
__global__ void
PatternKernel(std::uint8_t * voxels, long long count, long long place, int nx, int ny, Pattern pattern)
{
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
  {
    const long long at = place + i;
    if (pattern == Pattern::Noise)
    {
      voxels[i] = Mix(static_cast<std::uint64_t>(at) + 1) % 1000 < 300 ? 1 : 0;
      continue;
    }
    const int   x = static_cast<int>(at % nx);
    const int   y = static_cast<int>(at / nx % ny);
    const int   z = static_cast<int>(at / nx / ny);
    const float value = 0.75f * SmoothValue(x, y, z, 40, 1) + 0.25f * SmoothValue(x, y, z, 9, 2);
    voxels[i] = value > 0.61f ? 1 : 0;
  }
}

__global__ void
SumKernel(const std::uint32_t * labels, long long count, long long place, unsigned long long * sum)
{
  const long long    step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
  {
    own += PlaceFactor(static_cast<std::uint64_t>(place + i)) * labels[i];
  }
  for (int lanes = 16; lanes > 0; lanes /= 2)
  {
    own += __shfl_down_sync(0xFFFFFFFFu, own, static_cast<unsigned>(lanes));
  }
  if (threadIdx.x % 32 == 0)
  {
    atomicAdd(sum, own);
  }
}

inline void
FillDevice(std::uint8_t * voxels, long long count, long long place, const Extent & extent, Pattern pattern)
{
  PatternKernel<<<8192, 256>>>(voxels,
                               count,
                               place,
                               static_cast<int>(extent.size[0]),
                               static_cast<int>(extent.size[1]),
                               pattern);
  Check(cudaGetLastError());
}

/** Makes a volume on the first GPU by pieces, and brings it to the host. */
inline void
FillHost(std::uint8_t * image, const Extent & extent, Pattern pattern)
{
  constexpr long long piece = 1ll << 28;
  Check(cudaSetDevice(0));
  std::uint8_t * there = nullptr;
  std::uint8_t * locked = nullptr;
  Check(cudaMalloc(&there, piece));
  Check(cudaMallocHost(&locked, piece));
  for (long long begin = 0; begin < extent.VoxelCount(); begin += piece)
  {
    const long long count = std::min(piece, static_cast<long long>(extent.VoxelCount()) - begin);
    FillDevice(there, count, begin, extent, pattern);
    Check(cudaMemcpy(locked, there, static_cast<std::size_t>(count), cudaMemcpyDeviceToHost));
    const Chunks chunks(count, 1 << 20, 256);
    ParallelFor(chunks.count, {}, [&](std::int64_t chunk) {
      std::memcpy(image + begin + chunks.Begin(chunk),
                  locked + chunks.Begin(chunk),
                  static_cast<std::size_t>(chunks.End(chunk) - chunks.Begin(chunk)));
    });
  }
  Check(cudaFree(there));
  Check(cudaFreeHost(locked));
}

/** A volume on several GPUs, one slab on each, or more where a slab would have more than 2^32 voxels. */
class ResidentSlabs
{
public:
  ResidentSlabs(const Extent & extent, Pattern pattern, int gpus)
  {
    const std::int64_t perSlice = extent.size[0] * extent.size[1];
    const std::int64_t most = (std::int64_t{ 1 } << 32) / perSlice;
    const std::int64_t onEach = (extent.size[2] - 1) / gpus / most + 1;
    const Chunks       chunks(extent.size[2], 1, gpus * onEach);
    for (std::int64_t i = 0; i < chunks.count; ++i)
    {
      DeviceSlab slab;
      slab.device = static_cast<int>(i / onEach);
      Check(cudaSetDevice(slab.device));
      const std::int64_t slices = chunks.End(i) - chunks.Begin(i);
      const auto         voxels = static_cast<std::size_t>(slices * perSlice);
      std::uint8_t *     image = nullptr;
      void *             map = nullptr;
      cudaStream_t       stream = nullptr;
      Check(cudaMalloc(&image, voxels));
      Check(cudaMalloc(&map, voxels * sizeof(std::uint32_t)));
      Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      m_Places.push_back(chunks.Begin(i) * perSlice);
      FillDevice(image, static_cast<long long>(voxels), m_Places.back(), extent, pattern);
      Check(cudaDeviceSynchronize());
      slab.image = ImageView(static_cast<const std::uint8_t *>(image), { extent.size[0], extent.size[1], slices });
      slab.stream = stream;
      m_Images.push_back(image);
      slabs.push_back(slab);
      labels.push_back(map);
    }
  }
  ResidentSlabs(const ResidentSlabs &) = delete;
  ResidentSlabs & operator=(const ResidentSlabs &) = delete;
  ~ResidentSlabs()
  {
    for (std::size_t i = 0; i < slabs.size(); ++i)
    {
      Check(cudaSetDevice(slabs[i].device));
      Check(cudaFree(m_Images[i]));
      Check(cudaFree(labels[i]));
      Check(cudaStreamDestroy(static_cast<cudaStream_t>(slabs[i].stream)));
    }
    Check(cudaSetDevice(0));
  }

  void
  Wait() const
  {
    for (const DeviceSlab & slab : slabs)
    {
      Check(cudaSetDevice(slab.device));
      Check(cudaStreamSynchronize(static_cast<cudaStream_t>(slab.stream)));
    }
    Check(cudaSetDevice(0));
  }

  std::uint64_t
  Sum() const
  {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < slabs.size(); ++i)
    {
      Check(cudaSetDevice(slabs[i].device));
      unsigned long long * sum = nullptr;
      unsigned long long   own = 0;
      Check(cudaMalloc(&sum, sizeof(*sum)));
      Check(cudaMemset(sum, 0, sizeof(*sum)));
      SumKernel<<<2048, 256>>>(static_cast<const std::uint32_t *>(labels[i]),
                               slabs[i].image.extent.VoxelCount(),
                               m_Places[i],
                               sum);
      Check(cudaGetLastError());
      Check(cudaMemcpy(&own, sum, sizeof(own), cudaMemcpyDeviceToHost));
      Check(cudaFree(sum));
      all += own;
    }
    Check(cudaSetDevice(0));
    return all;
  }

  /** The time in which all GPUs at once read their voxels and write as many labels. */
  double
  FloorSeconds()
  {
    // It writes to memory of its own, so that the labels stay, and thus only to a part.
    constexpr std::int64_t part = std::int64_t{ 1 } << 28;
    double                 most = 0;
    for (const DeviceSlab & slab : slabs)
    {
      Check(cudaSetDevice(slab.device));
      const std::int64_t voxels = std::min(part, slab.image.extent.VoxelCount());
      unsigned *         map = nullptr;
      Check(cudaMalloc(&map, static_cast<std::size_t>(voxels) * sizeof(unsigned)));
      const float milliseconds = MedianMilliseconds([&] { LaunchFloor(1, slab.image.data, map, voxels); });
      Check(cudaFree(map));
      most = std::max(most,
                      static_cast<double>(milliseconds) * 1e-3 * static_cast<double>(slab.image.extent.VoxelCount()) /
                        static_cast<double>(voxels));
    }
    Check(cudaSetDevice(0));
    // Slabs of one GPU follow each other.
    return most * static_cast<double>(slabs.size()) / static_cast<double>(slabs.back().device + 1);
  }

  std::vector<DeviceSlab> slabs;
  std::vector<void *>     labels;

private:
  std::vector<std::uint8_t *> m_Images;
  std::vector<std::int64_t>   m_Places;
};

/** The bytes per second of copies between page-locked memory and GPUs, all GPUs at once. */
inline double
BusSpeed(int gpus, bool isUpload)
{
  constexpr std::size_t     bytes = std::size_t{ 1 } << 28;
  constexpr int             copies = 8;
  std::vector<void *>       there(static_cast<std::size_t>(gpus));
  std::vector<void *>       here(static_cast<std::size_t>(gpus));
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(gpus));
  for (std::size_t gpu = 0; gpu < there.size(); ++gpu)
  {
    Check(cudaSetDevice(static_cast<int>(gpu)));
    Check(cudaMalloc(&there[gpu], bytes));
    Check(cudaMallocHost(&here[gpu], bytes));
    std::memset(here[gpu], 1, bytes);
    Check(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
  }
  double best = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
  {
    Stopwatch clock;
    for (int copy = 0; copy < copies; ++copy)
    {
      for (std::size_t gpu = 0; gpu < there.size(); ++gpu)
      {
        Check(cudaSetDevice(static_cast<int>(gpu)));
        Check(isUpload ? cudaMemcpyAsync(there[gpu], here[gpu], bytes, cudaMemcpyHostToDevice, streams[gpu])
                       : cudaMemcpyAsync(here[gpu], there[gpu], bytes, cudaMemcpyDeviceToHost, streams[gpu]));
      }
    }
    for (std::size_t gpu = 0; gpu < there.size(); ++gpu)
    {
      Check(cudaSetDevice(static_cast<int>(gpu)));
      Check(cudaStreamSynchronize(streams[gpu]));
    }
    best = std::max(best, static_cast<double>(bytes) * copies * gpus / clock.Lap());
  }
  for (std::size_t gpu = 0; gpu < there.size(); ++gpu)
  {
    Check(cudaSetDevice(static_cast<int>(gpu)));
    Check(cudaFree(there[gpu]));
    Check(cudaFreeHost(here[gpu]));
    Check(cudaStreamDestroy(streams[gpu]));
  }
  Check(cudaSetDevice(0));
  return best;
}

/** The bytes per second that all threads of the host copy (counted once), and those that they write. */
inline void
MeasureHost(double & copied, double & written)
{
  constexpr std::size_t bytes = std::size_t{ 1 } << 32;
  Buffer<unsigned char> from;
  Buffer<unsigned char> to;
  from.Resize(bytes);
  to.Resize(bytes);
  const Chunks chunks(static_cast<std::int64_t>(bytes), 1 << 20, 4096);
  const auto   each = [&](const auto & work) {
    ParallelFor(chunks.count, {}, [&](std::int64_t chunk) {
      work(static_cast<std::size_t>(chunks.Begin(chunk)),
           static_cast<std::size_t>(chunks.End(chunk) - chunks.Begin(chunk)));
    });
  };
  for (int repeat = 0; repeat < 3; ++repeat)
  {
    Stopwatch clock;
    each([&](std::size_t begin, std::size_t size) { std::memset(from.Data() + begin, repeat, size); });
    written = static_cast<double>(bytes) / clock.Lap();
    each([&](std::size_t begin, std::size_t size) { std::memcpy(to.Data() + begin, from.Data() + begin, size); });
    copied = static_cast<double>(bytes) / clock.Lap();
  }
}

/** Prints what the buses and memories are capable of. */
inline void
PrintSpeeds(int gpus)
{
  cudaDeviceProp properties;
  Check(cudaGetDeviceProperties(&properties, 0));
  double copied = 0;
  double written = 0;
  MeasureHost(copied, written);
  std::printf("{\"gpu\": \"%s\", \"gpus\": %d, \"threads\": %d, \"host_copy_GBs\": %.1f, \"host_write_GBs\": %.1f",
              properties.name,
              gpus,
              EffectiveThreadCount(0),
              copied * 1e-9,
              written * 1e-9);
  for (int used = 1; used <= gpus; used *= 2)
  {
    std::printf(", \"upload_%d_GBs\": %.1f, \"download_%d_GBs\": %.1f",
                used,
                BusSpeed(used, true) * 1e-9,
                used,
                BusSpeed(used, false) * 1e-9);
  }
  int peer = 0;
  if (gpus > 1)
  {
    Check(cudaDeviceCanAccessPeer(&peer, 0, 1));
  }
  std::printf(", \"peer_access\": %d}\n", peer);
  std::fflush(stdout);
}

} // namespace brickccl::benchmark

#endif
