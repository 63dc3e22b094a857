// Times labeling in device memory beside the memory floor: CUDA events, median of 20 after a warm-up, consecutive
// raster-order uint32 labels and the number of components included.
//
//   brickccl-gpu-benchmark [--repeat N] [--connectivity N] [--noise] [--size N ...] [--random N DENSITY GRAIN] [--mask FILE NX NY NZ]
//
// Prints comma-separated lines: input, extent, connectivity, algorithm, milliseconds, times the floor, components,
// scratch bytes per voxel.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace
{

using namespace brickccl;

int repeats = 20;
/** Only this connectivity, if not 0, and only the default algorithm: for profiling. */
int onlyConnectivity = 0;

void
Check(cudaError_t status)
{
  if (status != cudaSuccess)
  {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

float
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

/** Reads 1 byte and writes 4 per voxel: 16 voxels per thread, stores past the caches. */
__global__ void
FloorKernel(const uint4 * in, uint4 * out, long long count)
{
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  // Four neighbouring threads share 16 bytes, so that a warp's stores are contiguous.
  const long long voxels4 = i;
  if (voxels4 < count)
  {
    const unsigned four = reinterpret_cast<const unsigned *>(in)[voxels4];
    __stcs(out + voxels4, make_uint4(four & 255u, four >> 8 & 255u, four >> 16 & 255u, four >> 24));
  }
}

struct Average
{
  double sum[4] = {};
  double worst[4] = {};
  int    count = 0;
};

void
Benchmark(const std::string & name, const Extent & extent, const std::vector<std::uint8_t> & voxels, Average * average = nullptr)
{
  unsigned char * image = nullptr;
  unsigned *      labels = nullptr;
  Check(cudaMalloc(&image, voxels.size() + 64));
  Check(cudaMalloc(&labels, voxels.size() * 4 + 64));
  Check(cudaMemcpy(image, voxels.data(), voxels.size(), cudaMemcpyHostToDevice));
  const long long quads = static_cast<long long>(voxels.size() / 4);
  const float     floor = MedianMilliseconds([&] {
    FloorKernel<<<static_cast<unsigned>((quads + 255) / 256), 256>>>(
      reinterpret_cast<const uint4 *>(image), reinterpret_cast<uint4 *>(labels), quads);
  });
  std::printf("%s,%s,0,floor,%.4f,1,0,0\n", name.c_str(), extent.ToString().c_str(), floor);
  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    const Connectivity connectivity(extent.dimension, rank);
    if (onlyConnectivity != 0 && connectivity.NeighbourCount() != onlyConnectivity)
    {
      continue;
    }
    for (const std::string & algorithm : CudaAlgorithms())
    {
      if ((average != nullptr || onlyConnectivity != 0) && algorithm != CudaAlgorithms().front())
      {
        continue;
      }
      CudaLabeler   labeler(0);
      std::uint64_t components = 0;
      const float   time = MedianMilliseconds([&] {
        components = labeler.LabelOnDevice(algorithm,
                                           ImageView(static_cast<const std::uint8_t *>(image), extent),
                                           Criterion::Foreground(),
                                           {},
                                           connectivity,
                                           labels,
                                           LabelType::UInt32);
      });
      std::printf("%s,%s,%d,%s,%.4f,%.2f,%llu,%.3f\n",
                  name.c_str(),
                  extent.ToString().c_str(),
                  connectivity.NeighbourCount(),
                  algorithm.c_str(),
                  time,
                  time / floor,
                  static_cast<unsigned long long>(components),
                  static_cast<double>(labeler.ScratchBytes()) / static_cast<double>(extent.VoxelCount()));
      if (average != nullptr)
      {
        average->sum[rank] += time / floor;
        average->worst[rank] = std::max<double>(average->worst[rank], time / floor);
      }
    }
  }
  if (average != nullptr)
  {
    ++average->count;
  }
  std::fflush(stdout);
  Check(cudaFree(image));
  Check(cudaFree(labels));
}

} // namespace

int
main(int argc, char ** argv)
{
  if (ResolveDevice({ Device::Kind::Cuda, 0 }).device.kind != Device::Kind::Cuda)
  {
    std::fprintf(stderr, "%s\n", ResolveDevice({ Device::Kind::Cuda, 0 }).remark.c_str());
    return 1;
  }
  std::printf("input,extent,connectivity,algorithm,milliseconds,times the floor,components,scratch bytes per voxel\n");
  bool noise = false;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    if (argument == "--repeat" && i + 1 < argc)
    {
      repeats = std::atoi(argv[++i]);
    }
    else if (argument == "--connectivity" && i + 1 < argc)
    {
      onlyConnectivity = std::atoi(argv[++i]);
    }
    else if (argument == "--noise")
    {
      noise = true;
    }
    else if (argument == "--size" && i + 1 < argc)
    {
      const long long size = std::atoll(argv[++i]);
      const Extent    extent{ size, size, size };
      Benchmark("balls 0.2", extent, MakeBalls(extent, 0.2, 1));
      Benchmark("full", extent, MakeRandom(extent, 1, 1, 1));
      Benchmark("empty", extent, MakeRandom(extent, 0, 1, 1));
      Benchmark("spiral", extent, MakeSpiral(extent));
      if (noise)
      {
        for (const int grain : { 1, 2, 4, 8, 16 })
        {
          Average average;
          for (const double density : { 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95 })
          {
            char name[64];
            std::snprintf(name, sizeof(name), "random %.2f grain %d", density, grain);
            Benchmark(name, extent, MakeRandom(extent, density, grain, 1), &average);
          }
          for (int rank = 1; rank <= 3; ++rank)
          {
            std::printf("mean over densities grain %d,%s,%d,%s,,%.2f (worst %.2f),,\n",
                        grain,
                        extent.ToString().c_str(),
                        Connectivity(3, rank).NeighbourCount(),
                        CudaAlgorithms().front().c_str(),
                        average.sum[rank] / average.count,
                        average.worst[rank]);
          }
        }
      }
    }
    else if (argument == "--random" && i + 3 < argc)
    {
      const long long size = std::atoll(argv[i + 1]);
      const Extent    extent{ size, size, size };
      Benchmark("random " + std::string(argv[i + 2]) + " grain " + argv[i + 3],
                extent,
                MakeRandom(extent, std::atof(argv[i + 2]), std::atoi(argv[i + 3]), 1));
      i += 3;
    }
    else if (argument == "--mask" && i + 4 < argc)
    {
      const std::string         file = argv[i + 1];
      const Extent              extent{ std::atoll(argv[i + 2]), std::atoll(argv[i + 3]), std::atoll(argv[i + 4]) };
      std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
      std::ifstream(file, std::ios::binary).read(reinterpret_cast<char *>(voxels.data()), static_cast<std::streamsize>(voxels.size()));
      Benchmark(file.substr(file.rfind('/') + 1), extent, voxels);
      i += 4;
    }
    else
    {
      std::fprintf(stderr, "unknown argument %s\n", argument.c_str());
      return 1;
    }
  }
  return 0;
}
