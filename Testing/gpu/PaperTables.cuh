// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_GPU_PAPERTABLES_CUH
#define BRICKCCL_TESTING_GPU_PAPERTABLES_CUH

#include "PaperTimes.cuh"
#include "Patterns.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/** The tables and figures of the papers, except the one about ridge patterns. */
namespace brickccl::benchmark
{

// The paper "Connected component labeling on a 2D grid using CUDA".

inline const Method RowColumn{ "RC", "RowColumnUnification" };
inline const Method EquivalenceNsz{ "LE NSZ", "LabelEquivalence:flag=global" };
inline const Method EquivalenceSz{ "LE SZ", "LabelEquivalence:flag=global,properties=size" };
inline const Method Hawick{ "Hawick", "HawickLabelEquivalence" };

inline void
Kalentev1(Benchmark & benchmark)
{
  const Extent extent{ 1024, 1024 };
  const auto   row = [&](const std::string & name, const Pixels & pixels) {
    benchmark.Row("Kalentev 1",
                  name,
                  1024,
                  pixels,
                  extent,
                  Connectivity::Face(2),
                  { RowColumn, EquivalenceNsz, EquivalenceSz, Hawick, Default });
  };
  row("C1", DiscsWithNoise(1024, 10));
  row("C2", DiscsWithNoise(1024, 20));
  row("C3", DiscsWithNoise(1024, 50));
  row("C4", DiscsWithNoise(1024, 100));
  row("spiral", MakeSpiral(extent));
  row("random 0.5", MakeRandom(extent, 0.5, 1, 1));
  row("random 0.1", MakeRandom(extent, 0.1, 1, 1));
}

inline void
Kalentev2(Benchmark & benchmark)
{
  const Extent extent{ 2048, 2048 };
  for (const double occupancy : { 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99 })
  {
    benchmark.Row("Kalentev 2",
                  "random",
                  occupancy,
                  MakeRandom(extent, occupancy, 1, 1),
                  extent,
                  Connectivity::Face(2),
                  { EquivalenceNsz, EquivalenceSz, Default });
  }
}

inline void
Kalentev3(Benchmark & benchmark)
{
  for (const std::int64_t side : { 1024, 2048, 4096, 8128 })
  {
    const Extent extent{ side, side };
    benchmark.Row("Kalentev 3",
                  "random 0.5",
                  static_cast<double>(side),
                  MakeRandom(extent, 0.5, 1, 1),
                  extent,
                  Connectivity::Face(2),
                  { EquivalenceNsz, EquivalenceSz, Default });
  }
}

inline void
Kalentev4(Benchmark & benchmark)
{
  const Extent extent{ 2048, 2048 };
  const Pixels random = MakeRandom(extent, 0.5, 1, 1);
  for (const int threads : { 512, 256, 64, 16, 4, 1 })
  {
    std::vector<Method> methods = { EquivalenceNsz, EquivalenceSz };
    for (Method & method : methods)
    {
      method.algorithm += ",threads=" + std::to_string(threads);
    }
    benchmark.Row("Kalentev 4", "random 0.5", threads, random, extent, Connectivity::Face(2), methods);
  }
}

/** The paper about HYBRID3, tables 1 and 2. */
inline void
Soh(Benchmark & benchmark)
{
  const Extent              extent{ 320, 240 };
  const std::vector<Method> methods = { { "NSZ-LE", EquivalenceNsz.algorithm },
                                        { "M8DLS", "DirectionalSearch" },
                                        { "HYBRID1", "Hybrid1" },
                                        { "HYBRID2", "Hybrid2" },
                                        { "HYBRID3", "Hybrid3" },
                                        Default };
  const double              occupancies[] = { 0.07, 0.17, 0.27, 0.36, 0.46 };
  for (int i = 0; i < 5; ++i)
  {
    benchmark.Row("Soh 1",
                  "B" + std::to_string(i + 1),
                  occupancies[i],
                  MakeBalls(extent, occupancies[i], 1),
                  extent,
                  Connectivity::Full(2),
                  methods);
  }
  const auto row = [&](const char * name, double x, const Pixels & pixels) {
    benchmark.Row("Soh 1", name, x, pixels, extent, Connectivity::Full(2), methods);
  };
  row("Spiral", 0.5, MakeSpiral(extent));
  row("Random1", 0.1, MakeRandom(extent, 0.1, 1, 1));
  row("Random2", 0.5, MakeRandom(extent, 0.5, 1, 1));
}

/** Efficient Volume Segmentation on the GPU: times with links, master cells and both, by gather length. */
inline void
Ziegler(Benchmark & benchmark)
{
  struct Case
  {
    const char * name;
    Extent       extent;
    int          rank;
  };
  for (const Case & input : { Case{ "100by300 CU_4CON", Extent{ 100, 300 }, 1 },
                              Case{ "100by300 CU_8CON", Extent{ 100, 300 }, 2 },
                              Case{ "1Kby768 CU_4CON", Extent{ 1024, 768 }, 1 },
                              Case{ "1Kby768 CU_8CON", Extent{ 1024, 768 }, 2 },
                              Case{ "4Kby4K CU_4CON", Extent{ 4096, 4096 }, 1 },
                              Case{ "4Kby4K CU_8CON", Extent{ 4096, 4096 }, 2 },
                              Case{ "256x256x100 CU_6CON_3D", Extent{ 256, 256, 100 }, 1 } })
  {
    const Pixels        segments = LogSegments(input.extent);
    std::vector<Method> methods;
    for (const int gather : { 8, 32, 64, 128, 256, 4096 })
    {
      methods.push_back({ "links " + std::to_string(gather), "LinkPropagation:gather=" + std::to_string(gather) });
    }
    methods.push_back({ "links 128 without master", "LinkPropagation:gather=128,master=off" });
    methods.push_back({ "master without links", "LinkPropagation:max-gather=off" });
    methods.push_back({ "neither", "LinkPropagation:max-gather=off,master=off" });
    methods.push_back(Default);
    benchmark.Row("Ziegler",
                  input.name,
                  static_cast<double>(input.extent.VoxelCount()),
                  segments,
                  input.extent,
                  Connectivity(input.extent.dimension, input.rank),
                  methods,
                  Criterion::EqualValue(std::nullopt));
  }
}

/** The chapter "Connected Component Labeling in CUDA", figures 35.11 and 35.12. */
inline void
Stava(Benchmark & benchmark)
{
  const auto                criterion = Criterion::EqualValue();
  const Method              tiles{ "tile merging", "TileMerging" };
  const std::vector<Method> methods = { Hawick, tiles, { "BrickMerging", "BrickMerging" }, Default };
  const auto                image =
    [&](const std::string & name, const Pixels & pixels, const Extent & extent, const Connectivity & connectivity) {
      const auto   x = static_cast<double>(extent.size[0]);
      LabelOptions options;
      options.device = { Device::Kind::Cpu, 0 };
      options.threads = 1;
      options.criterion = criterion;
      options.connectivity = connectivity;
      std::vector<std::uint32_t> labels(pixels.size());
      std::vector<double>        times;
      Labeling                   labeling;
      for (int run = 0; run < 6; ++run)
      {
        const auto begin = std::chrono::steady_clock::now();
        Label(ImageView(pixels.data(), extent), options, labeling);
        labeling.Write(labels.data());
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      }
      Benchmark::Print("Stava 35.11", name, x, "CPU", Median(times), 0, 0);
      benchmark.Row("Stava 35.11", name, x, pixels, extent, connectivity, methods, criterion);
      const Measured measured = benchmark.Measure(tiles, extent, criterion, connectivity);
      for (const auto & [stage, milliseconds] : measured.stages)
      {
        Benchmark::Print("Stava 35.12", name, x, stage, milliseconds, 100 * milliseconds / measured.own, 0);
      }
    };
  // Cracks and knots are labeled slice by slice, as in the chapter, and in all slices at once.
  const Extent log{ 512, 512, 200 };
  Pixels       defects = LogSegments(log);
  std::replace(defects.begin(), defects.end(), std::uint8_t{ 2 }, std::uint8_t{ 0 });
  const auto slice = defects.begin() + 100 * 512 * 512;
  image("a: one slice", Pixels(slice, slice + 512 * 512), Extent{ 512, 512 }, Connectivity::Full(2));
  image("a: 200 slices", defects, log, Connectivity::Full(2).WithinSlices(2));
  for (const std::int64_t side : { 1024, 2048, 4096 })
  {
    const Extent extent{ side, side };
    image("b", FewDiscs(side), extent, Connectivity::Full(2));
    image("c", ManyDiscs(side, 2500, true), extent, Connectivity::Full(2));
    image("d", ManyDiscs(side, 250, false), extent, Connectivity::Full(2));
  }
}

} // namespace brickccl::benchmark

#endif
