#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/MergeBorders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/NumberComponents.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WriteBricks.cuh"

#include <algorithm>
#include <type_traits>

namespace brickccl::cuda
{

namespace
{

Bundling
BundlingFor(const Connectivity & connectivity)
{
  return connectivity.Rank() == 1 ? Bundling::Rows : connectivity.Rank() == 2 ? Bundling::Pairs : Bundling::Squares;
}

template <typename TFunction>
void
VisitBundling(Bundling bundling, TFunction && function)
{
  switch (bundling)
  {
  case Bundling::Rows:
    return function(std::integral_constant<Bundling, Bundling::Rows>{});
  case Bundling::Pairs:
    return function(std::integral_constant<Bundling, Bundling::Pairs>{});
  case Bundling::Squares:
    return function(std::integral_constant<Bundling, Bundling::Squares>{});
  }
}

/** A grid that fills any device, for kernels over a count that only the device knows. */
LaunchShape
ShapeForUnknown()
{
  return { dim3(1024), dim3(ThreadsPerBlock) };
}

LaunchShape
OneBlockPerBrick(const BundleGrid & grid, int threads)
{
  return ShapeFor(grid.bricks * threads, static_cast<unsigned>(threads));
}

std::size_t
WordsOf(const BundleGrid & grid, Bundling bundling)
{
  return static_cast<std::size_t>(grid.bricks) * WordsPerBrick * static_cast<std::size_t>(RowsOf(bundling));
}

/** Queues all kernels of one call. */
void
Queue(const DeviceProblem & problem,
      const BundleGrid &    grid,
      Bundling              bundling,
      const DeviceWord *    mask,
      BundleMergingMemory & memory,
      cudaStream_t          stream)
{
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(memory.found.Data(), 0, sizeof(unsigned long long), stream));
  const auto        groups = static_cast<std::int64_t>(WordsOf(grid, bundling) / MarkWordsPerGroup);
  const BrickArrays arrays = memory.Arrays();
  VisitBundling(bundling, [&](auto tag) {
    constexpr Bundling kind = decltype(tag)::value;
    VisitScalarType(problem.image.type, [&](auto typeTag) {
      using T = typename decltype(typeTag)::Type;
      BRICKCCL_LAUNCH_BLOCKS((SolveBricksKernel<T, kind>),
                             OneBlockPerBrick(grid, WordsPerBrick),
                             stream,
                             static_cast<const T *>(problem.image.data),
                             ToVoxelRule<T>(problem.criterion, problem.image.channels),
                             grid,
                             mask,
                             WordGrid(grid.extent).wordsPerRow,
                             arrays,
                             memory.marks.Data(),
                             memory.marksBefore.Data());
    });
    BRICKCCL_LAUNCH_BLOCKS(MergeBordersKernel<kind>,
                           ShapeFor(grid.bricks * BorderBlocksPerBrick * BorderThreads, BorderThreads),
                           stream,
                           grid,
                           arrays);
  });
  BRICKCCL_LAUNCH(FlattenComponentsKernel, ShapeForUnknown(), stream, arrays);
  BRICKCCL_LAUNCH(MarkFirstsKernel, ShapeForUnknown(), stream, arrays, memory.marks.Data(), memory.marksBefore.Data());
  ExclusiveSum(memory.marksBefore.Data(), memory.marksBefore.Data(), groups + 1, memory.table.scratch, stream);
  BRICKCCL_LAUNCH(NumberComponentsKernel,
                  ShapeForUnknown(),
                  stream,
                  arrays,
                  memory.marks.Data(),
                  memory.marksBefore.Data(),
                  groups,
                  memory.report.Data());
  memory.reported.Record(stream);
}

} // namespace

std::uint64_t
BundleMerging(const DeviceProblem & problem,
              BundleMergingMemory & memory,
              void *                labels,
              LabelType             type,
              cudaStream_t          stream)
{
  const Bundling    bundling = BundlingFor(problem.connectivity);
  const BundleGrid  grid(problem.image.extent, bundling);
  const auto        bricks = static_cast<std::size_t>(grid.bricks);
  const std::size_t words = WordsOf(grid, bundling);
  memory.bits.Resize(words);
  memory.marks.Resize(words);
  memory.marksBefore.Resize(words / MarkWordsPerGroup + 1);
  memory.runsBefore.Resize(bricks * WordsPerBrick);
  memory.bases.Resize(bricks);
  memory.found.Resize(1);
  // Room for one component and four runs of a brick in two words is enough for all but noise, which is solved again.
  memory.componentCapacity = std::max(memory.componentCapacity, bricks * WordsPerBrick / 2 + 1024);
  memory.runCapacity = std::max(memory.runCapacity, bricks * WordsPerBrick * 2 + 1024);

  const DeviceWord * mask = nullptr;
  if (problem.mask)
  {
    memory.table.foreground.Resize(static_cast<std::size_t>(WordGrid(grid.extent).words));
    PackForeground<unsigned>(*problem.mask, Criterion::Foreground(0), nullptr, memory.table.foreground.Data(), stream);
    mask = memory.table.foreground.Data();
  }
  for (;;)
  {
    memory.parent.Resize(memory.componentCapacity);
    memory.firstVoxel.Resize(memory.componentCapacity);
    memory.componentOfRun.Resize(memory.runCapacity);
    Queue(problem, grid, bundling, mask, memory, stream);
    if (labels != nullptr)
    {
      WriteLabels(problem, memory, labels, type, stream);
    }
    memory.reported.Wait();
    const BundleReport report = *memory.report.Data();
    const auto         components = static_cast<std::size_t>(report.found >> 32);
    const auto         runs = static_cast<std::size_t>(report.found & 0xFFFFFFFFu);
    if (components <= memory.componentCapacity && runs <= memory.runCapacity)
    {
      return report.components;
    }
    memory.componentCapacity = std::max(memory.componentCapacity, components);
    memory.runCapacity = std::max(memory.runCapacity, runs);
  }
}

void
WriteLabels(const DeviceProblem &       problem,
            const BundleMergingMemory & memory,
            void *                      labels,
            LabelType                   type,
            cudaStream_t                stream)
{
  const Bundling   bundling = BundlingFor(problem.connectivity);
  const BundleGrid grid(problem.image.extent, bundling);
  VisitBundling(bundling, [&](auto tag) {
    constexpr Bundling kind = decltype(tag)::value;
    VisitLabelType(type, [&](auto typeTag) {
      using TLabel = typename decltype(typeTag)::Type;
      BRICKCCL_LAUNCH_BLOCKS((WriteBricksKernel<kind, TLabel>),
                             OneBlockPerBrick(grid, WordsPerBrick),
                             stream,
                             grid,
                             memory.Arrays(),
                             static_cast<TLabel *>(labels));
    });
  });
}

void
LabelRuns(const DeviceProblem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  const Bundling   bundling = BundlingFor(problem.connectivity);
  const BundleGrid grid(problem.image.extent, bundling);
  const WordGrid   words(problem.image.extent);
  memory.table.foreground.Resize(static_cast<std::size_t>(words.words));
  VisitBundling(bundling, [&](auto tag) {
    constexpr int rows = RowsOf(decltype(tag)::value);
    BRICKCCL_LAUNCH(UnpackBricksKernel<rows>,
                    ShapeFor(words.words),
                    stream,
                    grid,
                    memory.Arrays(),
                    words,
                    memory.table.foreground.Data());
    FindRuns(problem, memory.table, stream);
    BRICKCCL_LAUNCH(LabelBrickRunsKernel<rows>,
                    ShapeFor(words.words),
                    stream,
                    grid,
                    memory.Arrays(),
                    words,
                    memory.table.foreground.Data(),
                    memory.table.runsBefore.Data(),
                    memory.table.labelOfRun.Data());
  });
}

} // namespace brickccl::cuda
