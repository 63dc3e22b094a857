// SPDX-License-Identifier: Apache-2.0
// Times labeling in device memory, and the memory floor. Times are the median of 20 runs after a warm-up, by
// CUDA events. They include consecutive uint32 labels in raster order and the number of components.
//
//   brickccl-gpu-benchmark [--repeat N] [--connectivity N] [--only TEXT] [--noise] [--size N ...] [--kinds N]
//     [--large-voxels N] [--slices N] [--flat N] [--extent NX NY NZ] [--random N DENSITY GRAIN] [--mask FILE NX NY NZ]
//     [--segments FILE NX NY NZ] [--host N] [--live N]
//
// Options that narrow the choice come first: --only times the inputs whose names hold TEXT. A mask's file has one byte
// per voxel. A file of segments has four; segments are labeled by equal values.
//
// Prints comma-separated lines: input, extent, connectivity, algorithm, milliseconds, times the floor, components,
// scratch bytes per voxel.

#include "FurtherTimes.cuh"
#include "HostTimes.cuh"
#include "LiveTimes.cuh"
#include "Patterns.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace
{

using namespace brickccl;
using namespace brickccl::benchmark;

/** A cube of an extent in a text. */
Extent
CubeOf(const char * size)
{
  return { std::atoll(size), std::atoll(size), std::atoll(size) };
}

struct Average
{
  double sum[4] = {};
  double worst[4] = {};
  int    count = 0;
};

template <typename T>
void
Benchmark(const std::string &    name,
          const Extent &         extent,
          const std::vector<T> & voxels,
          Average *              average = nullptr,
          const Criterion &      criterion = Criterion::Foreground(),
          int                    channels = 1)
{
  if (!IsWanted(name))
  {
    return;
  }
  T *        image = nullptr;
  unsigned * labels = nullptr;
  Check(cudaMalloc(&image, voxels.size() * sizeof(T) + 64));
  Check(cudaMalloc(&labels, static_cast<std::size_t>(extent.VoxelCount()) * 4 + 64));
  Check(cudaMemcpy(image, voxels.data(), voxels.size() * sizeof(T), cudaMemcpyHostToDevice));
  const float floor = MedianMilliseconds(
    [&] { LaunchFloor(sizeof(T) * static_cast<std::size_t>(channels), image, labels, extent.VoxelCount()); });
  std::printf("%s,%s,0,floor,%.4f,1,0,0\n", name.c_str(), extent.ToString().c_str(), floor);
  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    const Connectivity connectivity(extent.dimension, rank);
    if (onlyConnectivity != 0 && connectivity.NeighborCount() != onlyConnectivity)
    {
      continue;
    }
    bool isDefault = true;
    // The papers' algorithms have a benchmark of their own (PaperBenchmark.cu).
    for (const std::string & algorithm : { "BundleMerging", "RunMerging", "BrickMerging" })
    {
      if (!AlgorithmRunsOnCuda(algorithm, extent, criterion, connectivity))
      {
        continue;
      }
      CudaLabeler   labeler(0);
      std::uint64_t components = 0;
      const float   time = MedianMilliseconds([&] {
        components = labeler.LabelOnDevice(algorithm,
                                           ImageView(static_cast<const T *>(image), extent, channels),
                                           criterion,
                                           {},
                                           connectivity,
                                           labels,
                                           LabelType::UInt32);
      });
      std::printf("%s,%s,%d,%s,%.4f,%.2f,%llu,%.3f\n",
                  name.c_str(),
                  extent.ToString().c_str(),
                  connectivity.NeighborCount(),
                  algorithm.c_str(),
                  time,
                  time / floor,
                  static_cast<unsigned long long>(components),
                  static_cast<double>(labeler.ScratchBytes()) / static_cast<double>(extent.VoxelCount()));
      if (average == nullptr && isDefault && channels == 1)
      {
        TimeAfterLabeling<T>(name, extent, image, criterion, connectivity, labels, floor, time);
      }
      isDefault = false;
      if (average != nullptr)
      {
        average->sum[rank] += time / floor;
        average->worst[rank] = std::max<double>(average->worst[rank], time / floor);
      }
      if (average != nullptr || onlyConnectivity != 0)
      {
        break; // the default is the first that supports the problem
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

/** Times noise of every density at one grain, and prints the mean. */
void
BenchmarkNoise(const Extent & extent, int grain)
{
  Average average;
  for (const double density : { 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95 })
  {
    char name[64];
    std::snprintf(name, sizeof(name), "random %.2f grain %d", density, grain);
    Benchmark(name, extent, MakeRandom(extent, density, grain, 1), &average);
  }
  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    if (average.sum[rank] == 0)
    {
      continue; // left out by --connectivity
    }
    std::printf("mean over densities grain %d,%s,%d,%s,,%.2f (worst %.2f),,\n",
                grain,
                extent.ToString().c_str(),
                Connectivity(extent.dimension, rank).NeighborCount(),
                ListAlgorithms().front().name.c_str(),
                average.sum[rank] / average.count,
                average.worst[rank]);
  }
}

/** Cubes, each of one value from 1 to `values`. */
template <typename T>
std::vector<T>
MakeSegments(const Extent & extent, int grain, unsigned values)
{
  std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  std::size_t    i = 0;
  for (std::int64_t z = 0; z < extent.size[2]; ++z)
  {
    for (std::int64_t y = 0; y < extent.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < extent.size[0]; ++x)
      {
        const auto     cell = static_cast<unsigned>((z / grain * 1031 + y / grain) * 1033 + x / grain);
        const unsigned mixed = (cell ^ (cell >> 15)) * 0x2C1B3C6Du;
        voxels[i++] = static_cast<T>(1 + ((mixed ^ (mixed >> 12)) * 0x297A2D39u >> 8) % values);
      }
    }
  }
  return voxels;
}

std::string
NameOf(const std::string & file)
{
  return file.substr(file.rfind('/') + 1);
}

template <typename T>
std::vector<T>
ReadVoxels(const std::string & file, const Extent & extent)
{
  std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  const auto     bytes = static_cast<std::streamsize>(voxels.size() * sizeof(T));
  if (!std::ifstream(file, std::ios::binary).read(reinterpret_cast<char *>(voxels.data()), bytes))
  {
    std::fprintf(stderr,
                 "'%s' has less than %lld bytes, or cannot be read\n",
                 file.c_str(),
                 static_cast<long long>(bytes));
    std::exit(1);
  }
  return voxels;
}

/** Times pixel types and criteria other than masks. */
void
BenchmarkKinds(const Extent & extent)
{
  const auto                balls = MakeBalls(extent, 0.2, 1);
  std::vector<std::int16_t> scan(balls.size());
  unsigned                  noise = 1;
  for (std::size_t i = 0; i < balls.size(); ++i)
  {
    noise = noise * 1664525u + 1013904223u;
    scan[i] = static_cast<std::int16_t>((balls[i] ? 1000 : -800) + static_cast<int>(noise >> 25) - 64);
  }
  Benchmark("int16 balls; range 200..3000", extent, scan, nullptr, Criterion::InRange(200, 3000));
  Benchmark("int16 balls; tolerance 130", extent, scan, nullptr, Criterion::Tolerance(130));
  Benchmark("int16 balls; tolerance 60", extent, scan, nullptr, Criterion::Tolerance(60));
  for (const int grain : { 4, 16, 64 })
  {
    Benchmark("uint8 segments of grain " + std::to_string(grain),
              extent,
              MakeSegments<std::uint8_t>(extent, grain, 20),
              nullptr,
              Criterion::EqualValue(0));
    Benchmark("uint32 segments of grain " + std::to_string(grain),
              extent,
              MakeSegments<std::uint32_t>(extent, grain, 100000),
              nullptr,
              Criterion::EqualValue(0));
  }
  if (IsWanted("uint8 Voronoi cells") || IsWanted("uint32 Voronoi cells"))
  {
    const auto                cells = MakeVoronoi(extent, 40, 1);
    std::vector<std::uint8_t> classes(cells.size());
    std::transform(cells.begin(), cells.end(), classes.begin(), [](std::uint32_t cell) { return 1 + cell * 7 % 20; });
    Benchmark("uint8 Voronoi cells", extent, classes, nullptr, Criterion::EqualValue(0));
    Benchmark("uint32 Voronoi cells", extent, cells, nullptr, Criterion::EqualValue(0));
  }
}

/** Times voxels of eight bytes, and of four channels of one byte. */
void
BenchmarkLargeVoxels(const Extent & extent)
{
  for (const int grain : { 4, 64 })
  {
    Benchmark("uint64 segments of grain " + std::to_string(grain),
              extent,
              MakeSegments<std::uint64_t>(extent, grain, 100000),
              nullptr,
              Criterion::EqualValue(0));
  }
  const auto                balls = MakeBalls(extent, 0.2, 1);
  std::vector<double>       scan(balls.size());
  std::vector<std::uint8_t> colors(4 * balls.size());
  for (std::size_t i = 0; i < balls.size(); ++i)
  {
    scan[i] = (balls[i] ? 1000 : -800) + static_cast<int>(HashOf(1, i) % 128) - 64;
    for (std::size_t c = 0; c < 4; ++c)
    {
      colors[4 * i + c] = static_cast<std::uint8_t>((balls[i] ? 200 : 60) + HashOf(1, 4 * i + c) % 16);
    }
  }
  Benchmark("float64 balls; tolerance 130", extent, scan, nullptr, Criterion::Tolerance(130));
  for (const int tolerance : { 12, 16 })
  {
    Benchmark("4 x uint8 balls; tolerance " + std::to_string(tolerance),
              extent,
              colors,
              nullptr,
              Criterion::Tolerance(tolerance),
              4);
  }
}

/** Times slices of masks and of other pixels. */
void
BenchmarkSlices(const Extent & extent)
{
  const auto                balls = MakeBalls(extent, 0.2, 1);
  std::vector<std::int16_t> scan(balls.size());
  for (std::size_t i = 0; i < balls.size(); ++i)
  {
    scan[i] = static_cast<std::int16_t>((balls[i] ? 1000 : -800) + static_cast<int>(HashOf(1, i) % 128) - 64);
  }
  TimeSlices("balls 0.2", extent, balls);
  TimeSlices("int16 balls; range 200..3000", extent, scan, Criterion::InRange(200, 3000));
  TimeSlices("int16 balls; tolerance 130", extent, scan, Criterion::Tolerance(130));
  TimeSlices("uint8 segments of grain 16",
             extent,
             MakeSegments<std::uint8_t>(extent, 16, 20),
             Criterion::EqualValue(0));
  TimeSlices("uint32 Voronoi cells", extent, MakeVoronoi(extent, 40, 1), Criterion::EqualValue(0));
  for (const double density : { 0.1, 0.2, 0.3, 0.5, 0.7 })
  {
    char name[64];
    std::snprintf(name, sizeof(name), "random %.2f grain 1", density);
    TimeSlices(name, extent, MakeRandom(extent, density, 1, 1));
  }
}

/** Times a mask from a file, and its slices. */
void
BenchmarkMask(const char * const * arguments)
{
  const Extent extent{ std::atoll(arguments[1]), std::atoll(arguments[2]), std::atoll(arguments[3]) };
  const auto   voxels = ReadVoxels<std::uint8_t>(arguments[0], extent);
  Benchmark(NameOf(arguments[0]), extent, voxels);
  TimeSlices(NameOf(arguments[0]), extent, voxels);
}

/** Times segments from a file, joined by equal values. */
template <typename T>
void
BenchmarkSegments(const char * const * arguments)
{
  const Extent extent{ std::atoll(arguments[1]), std::atoll(arguments[2]), std::atoll(arguments[3]) };
  Benchmark(NameOf(arguments[0]), extent, ReadVoxels<T>(arguments[0], extent), nullptr, Criterion::EqualValue(0));
}

void
BenchmarkNoises(const Extent & extent)
{
  for (const int grain : { 1, 2, 4, 8, 16 })
  {
    BenchmarkNoise(extent, grain);
  }
}

void
BenchmarkVolumes(const Extent & extent, bool noise)
{
  Benchmark("balls 0.2", extent, MakeBalls(extent, 0.2, 1));
  Benchmark("full", extent, MakeRandom(extent, 1, 1, 1));
  Benchmark("empty", extent, MakeRandom(extent, 0, 1, 1));
  Benchmark("spiral", extent, MakeSpiral(extent));
  Benchmark("Hilbert curve", extent, MakeHilbertCurve(extent));
  if (noise)
  {
    BenchmarkNoises(extent);
  }
}

void
BenchmarkPlanes(long long size)
{
  const Extent extent{ size, size };
  Benchmark("discs 0.2", extent, MakeBalls(extent, 0.2, 1));
  Benchmark("full", extent, MakeRandom(extent, 1, 1, 1));
  Benchmark("spiral", extent, MakeSpiral(extent));
  Benchmark("Hilbert curve", extent, MakeHilbertCurve(extent));
  BenchmarkNoises(extent);
}

} // namespace

int
main(int argc, char ** argv)
{
  if (const ResolvedDevice found = ResolveDevice({ Device::Kind::Cuda, 0 }); found.device.kind != Device::Kind::Cuda)
  {
    std::fprintf(stderr, "%s\n", found.remark.c_str());
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
    else if (argument == "--only" && i + 1 < argc)
    {
      onlyInput = argv[++i];
    }
    else if (argument == "--noise")
    {
      noise = true;
    }
    else if (argument == "--size" && i + 1 < argc)
    {
      BenchmarkVolumes(CubeOf(argv[++i]), noise);
    }
    else if (argument == "--kinds" && i + 1 < argc)
    {
      BenchmarkKinds(CubeOf(argv[++i]));
    }
    else if (argument == "--large-voxels" && i + 1 < argc)
    {
      BenchmarkLargeVoxels(CubeOf(argv[++i]));
    }
    else if (argument == "--slices" && i + 1 < argc)
    {
      BenchmarkSlices(CubeOf(argv[++i]));
    }
    else if (argument == "--host" && i + 1 < argc)
    {
      BenchmarkHost(CubeOf(argv[++i]));
    }
    else if (argument == "--live" && i + 1 < argc)
    {
      BenchmarkLive(CubeOf(argv[++i]));
    }
    else if (argument == "--flat" && i + 1 < argc)
    {
      BenchmarkPlanes(std::atoll(argv[++i]));
    }
    else if (argument == "--extent" && i + 3 < argc)
    {
      const Extent extent{ std::atoll(argv[i + 1]), std::atoll(argv[i + 2]), std::atoll(argv[i + 3]) };
      Benchmark("balls 0.2", extent, MakeBalls(extent, 0.2, 1));
      i += 3;
    }
    else if (argument == "--random" && i + 3 < argc)
    {
      const Extent extent = CubeOf(argv[i + 1]);
      Benchmark("random " + std::string(argv[i + 2]) + " grain " + argv[i + 3],
                extent,
                MakeRandom(extent, std::atof(argv[i + 2]), std::atoi(argv[i + 3]), 1));
      i += 3;
    }
    else if (argument == "--mask" && i + 4 < argc)
    {
      BenchmarkMask(argv + i + 1);
      i += 4;
    }
    else if (argument == "--segments" && i + 4 < argc)
    {
      BenchmarkSegments<std::uint32_t>(argv + i + 1);
      i += 4;
    }
    else if (argument == "--classes" && i + 4 < argc)
    {
      BenchmarkSegments<std::uint8_t>(argv + i + 1);
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
