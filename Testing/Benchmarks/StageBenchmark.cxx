// SPDX-License-Identifier: Apache-2.0
// Times every stage of labeling on the CPU and the whole, by Google Benchmark:
//
//   brickccl-stage-benchmark [--benchmark_filter=Write.*] [--benchmark_format=csv] ...
//
// Arguments of each line: input (0 balls, 1 noise of density 0.5, 2 segments of 40 voxels), neighbors, threads.
// "items" are voxels.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <map>

namespace
{

using namespace brickccl;

const Extent extent{ 256, 256, 256 };

/** Voxels, criterion and links of an input; made when first asked for. */
struct BenchmarkProblem
{
  std::vector<std::uint8_t> voxels;
  Criterion                 criterion = Criterion::Foreground();
  std::unique_ptr<RowLinks> links;

  explicit BenchmarkProblem(std::int64_t input)
  {
    switch (input)
    {
    case 0:
      voxels = MakeBalls(extent, 0.2, 1);
      break;
    case 1:
      voxels = MakeRandom(extent, 0.5, 1, 1);
      break;
    default:
      criterion = Criterion::EqualValue();
      for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
      {
        const std::int64_t x = i % 256 / 40;
        const std::int64_t y = i / 256 % 256 / 40;
        const std::int64_t z = i / 65536 / 40;
        voxels.push_back(static_cast<std::uint8_t>(1 + (z * 49 + y * 7 + x) * 37 % 250));
      }
    }
    links = MakeRowLinks(ImageView(voxels.data(), extent), criterion);
  }

  static const BenchmarkProblem &
  Of(std::int64_t input)
  {
    static std::map<std::int64_t, BenchmarkProblem> problems;
    return problems.try_emplace(input, input).first->second;
  }
  static const BenchmarkProblem &
  Of(const benchmark::State & state)
  {
    return Of(state.range(0));
  }
};

Connectivity
ConnectivityOf(const benchmark::State & state)
{
  return Connectivity::FromNeighborCount(static_cast<int>(state.range(1)), 3);
}

HostContext
ContextOf(const benchmark::State & state)
{
  return { static_cast<int>(state.range(2)) };
}

void
CountVoxels(benchmark::State & state)
{
  state.SetItemsProcessed(state.iterations() * extent.VoxelCount());
}

/** Labeled runs, for the stages after labeling. */
std::uint64_t
LabelRuns(const benchmark::State & state, RunVolume & volume)
{
  const BenchmarkProblem & problem = BenchmarkProblem::Of(state);
  const Connectivity       connectivity = ConnectivityOf(state);
  const AlgorithmChoice    choice =
    ChooseAlgorithm({}, { extent, connectivity, problem.links->FollowForeground() }, Backend::Cpu);
  return choice.algorithm->cpu.label(*problem.links, extent, connectivity, choice.options, ContextOf(state), volume);
}

// Loops of Google Benchmark have a variable that is not read. NOLINTBEGIN(clang-analyzer-deadcode.DeadStores)
void
Copy(benchmark::State & state)
{
  const BenchmarkProblem &   problem = BenchmarkProblem::Of(state);
  std::vector<std::uint32_t> labels(problem.voxels.size());
  const HostContext          context = ContextOf(state);
  for (auto _ : state)
  {
    ParallelFor(extent.size[2], context, [&](std::int64_t z) {
      const std::int64_t plane = extent.size[0] * extent.size[1];
      std::copy_n(problem.voxels.data() + z * plane, plane, labels.data() + z * plane);
    });
    benchmark::ClobberMemory();
  }
  CountVoxels(state);
}

void
FindRunsStage(benchmark::State & state)
{
  const BenchmarkProblem & problem = BenchmarkProblem::Of(state);
  RunVolume                volume;
  for (auto _ : state)
  {
    FindRuns(*problem.links, extent, {}, ContextOf(state), volume);
  }
  CountVoxels(state);
}

void
LabelStage(benchmark::State & state, const Algorithm & algorithm)
{
  const BenchmarkProblem & problem = BenchmarkProblem::Of(state);
  const Connectivity       connectivity = ConnectivityOf(state);
  RunVolume                volume;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(algorithm.cpu.label(*problem.links, extent, connectivity, {}, ContextOf(state), volume));
  }
  CountVoxels(state);
}

void
Write(benchmark::State & state)
{
  RunVolume                  volume;
  const std::uint64_t        components = LabelRuns(state, volume);
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (auto _ : state)
  {
    ExpandLabels(volume, components, ContextOf(state), labels.data());
  }
  CountVoxels(state);
}

void
RelabelBySize(benchmark::State & state)
{
  RunVolume           volume;
  const std::uint64_t components = LabelRuns(state, volume);
  RelabelOptions      options;
  options.order = LabelOrder::Size;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(Relabel(volume, components, options, ContextOf(state)));
  }
  CountVoxels(state);
}

void
Measure(benchmark::State & state)
{
  RunVolume           volume;
  const std::uint64_t components = LabelRuns(state, volume);
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(
      MeasureComponents(volume, components, {}, MeasureOptions(), {}, ContextOf(state)).components.size());
  }
  CountVoxels(state);
}

void
Whole(benchmark::State & state)
{
  const BenchmarkProblem & problem = BenchmarkProblem::Of(state);
  LabelOptions             options;
  options.connectivity = ConnectivityOf(state);
  options.criterion = problem.criterion;
  options.threads = static_cast<int>(state.range(2));
  Labeling                   labeling;
  std::vector<std::uint32_t> labels(problem.voxels.size());
  for (auto _ : state)
  {
    Label(ImageView(problem.voxels.data(), extent), options, labeling);
    labeling.Write(labels.data());
  }
  CountVoxels(state);
}

// NOLINTEND(clang-analyzer-deadcode.DeadStores)

} // namespace

int
main(int argc, char ** argv)
{
  using Registered = benchmark::internal::Benchmark;
  const auto common = [](Registered * stage) {
    return stage->ArgNames({ "input", "neighbors", "threads" })->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  const auto forAll = [&](Registered * stage) { common(stage)->ArgsProduct({ { 0, 1, 2 }, { 6, 18, 26 }, { 1, 2 } }); };
  // These do not know of neighbors.
  common(benchmark::RegisterBenchmark("Copy", Copy))->ArgsProduct({ { 0 }, { 26 }, { 1, 2 } });
  common(benchmark::RegisterBenchmark("FindRuns", FindRunsStage))->ArgsProduct({ { 0, 1, 2 }, { 26 }, { 1, 2 } });
  for (const Algorithm & algorithm : Algorithms())
  {
    Registered * stage = nullptr;
    for (std::int64_t input = 0; input < 3; ++input)
    {
      for (const int neighbors : { 6, 18, 26 })
      {
        const ProblemTraits traits(extent,
                                   Connectivity::FromNeighborCount(neighbors, 3),
                                   BenchmarkProblem::Of(input).links->FollowForeground());
        if (algorithm.RunsOnCpu() && algorithm.cpu.supports(traits))
        {
          stage = stage != nullptr ? stage
                                   : common(benchmark::RegisterBenchmark(
                                       ("Label by " + std::string(algorithm.name)).c_str(),
                                       [&algorithm](benchmark::State & state) { LabelStage(state, algorithm); }));
          stage->Args({ input, neighbors, 1 })->Args({ input, neighbors, 2 });
        }
      }
    }
  }
  forAll(benchmark::RegisterBenchmark("RelabelBySize", RelabelBySize));
  forAll(benchmark::RegisterBenchmark("Measure", Measure));
  forAll(benchmark::RegisterBenchmark("Write", Write));
  forAll(benchmark::RegisterBenchmark("Whole", Whole));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
  {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
