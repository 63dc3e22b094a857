// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/BundleMerging/MergeBorders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/NumberComponents.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SlicesAlongX.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveBricks.cuh"
#include "BrickCCL/Criteria/RowLinks.h"

#include <algorithm>
#include <thread>
#include <type_traits>

namespace brickccl::cuda
{

namespace
{

/** Queues the kernels that number components in raster order. */
void
QueueNumbers(BundleMergingMemory & memory, cudaStream_t stream)
{
  const BrickArrays arrays = memory.Arrays();
  const FirstMarks  marks = memory.Marks();
  const auto        groups = static_cast<std::int64_t>(RowWordsOf(*memory.grid) / FirstMarks::wordsPerGroup);
  BRICKCCL_LAUNCH_EARLY(FlattenComponentsKernel, ShapeForUnknown(), stream, arrays);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(MarkFirstsKernel, ShapeForUnknown(), stream, arrays, marks);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(CountMarksBeforeKernel,
                               ShapeFor((groups - 1) / FirstMarks::groupsPerThread + 1),
                               stream,
                               arrays,
                               marks,
                               groups,
                               memory.report.Data());
  BRICKCCL_LAUNCH_EARLY(NumberComponentsKernel,
                        ShapeForUnknown(),
                        stream,
                        arrays,
                        marks,
                        memory.found.Data() + (1 - memory.turn));
}

/** Queues the kernel that finds the components of bricks where links follow the foreground.
 *  \param bits  of the mask, or of the foreground (BitsOfGrid) */
template <Bundling VBundling>
void
QueueBricks(const Problem & problem, const DeviceWord * bits, BundleMergingMemory & memory, cudaStream_t stream)
{
  const BundleGrid & grid = *memory.grid;
  const auto         queue = [&](auto bricks) {
    using Agent = BrickAgent<decltype(bricks)>;
    BRICKCCL_LAUNCH_BLOCKS(SolveBricksKernel<Agent>,
                           OneBlockPerBrick(grid, WordsPerBrick),
                           stream,
                           bricks,
                           MaskBits{ bits, WordGrid(grid.extent).wordsPerRow },
                           memory.Arrays(),
                           typename Agent::ForBorders{},
                           memory.Marks());
  };
  if constexpr (VBundling != Bundling::Squares)
  {
    if (grid.axes == GridAxes::YThenZThenX)
    {
      return queue(PackedProblem<VBundling>{ grid });
    }
  }
  VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    queue(BitProblem<T, VBundling>{ pixels, rule, grid });
  });
}

/** Queues all kernels of one call. \param problem  its image has the axes of the grid \param bits  from BitsOfGrid */
void
Queue(const Problem & problem, const DeviceWord * bits, BundleMergingMemory & memory, cudaStream_t stream)
{
  if (!memory.isNextFoundClear)
  {
    memory.found.Resize(2);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(memory.found.Data(), 0, 2 * sizeof(unsigned long long), stream));
  }
  // If anything here fails, it is not known what the counts are.
  memory.isNextFoundClear = false;
  memory.turn = 1 - memory.turn;
  *memory.report.Data() = BundleReport();
  VisitLayout(problem, [&](auto layout) {
    using Layout = decltype(layout);
    if constexpr (Layout::keepsStarts)
    {
      SolveAndMergeRows(problem, bits, memory, stream);
    }
    else
    {
      constexpr Bundling bundling = Layout::bundling;
      QueueBricks<bundling>(problem, bits, memory, stream);
      using Border = BitBorder<bundling>;
      BRICKCCL_LAUNCH_BLOCKS_EARLY(MergeBordersKernel<Border>,
                                   OneBlockPerBrick(*memory.grid, BorderThreads),
                                   stream,
                                   *memory.grid,
                                   memory.Arrays(),
                                   typename Border::ForBorders{});
    }
  });
  QueueNumbers(memory, stream);
  memory.isNextFoundClear = true;
  memory.numbered.Record(stream);
}

/** Waits for a kernel's report. The last kernels may still run then. */
BundleReport
AwaitReport(BundleMergingMemory & memory)
{
  // Asking the driver, which reports errors, takes longer than reading.
  constexpr unsigned            looksPerQuestion = 1024;
  const volatile BundleReport & report = *memory.report.Data();
  for (unsigned looks = 1; !report.IsThere(); ++looks)
  {
    if (looks % looksPerQuestion == 0)
    {
      if (memory.numbered.HasCome())
      {
        break;
      }
      std::this_thread::yield();
    }
  }
  memory.isReportPending = false;
  return { report.found, report.components };
}

/** Waits for what may still come of earlier calls. */
void
AwaitEarlierCalls(BundleMergingMemory & memory, cudaStream_t stream)
{
  if (memory.isReportPending)
  {
    // Kernels of a call that ended with an error may still report.
    BRICKCCL_CUDA_CHECK(cudaDeviceSynchronize());
    memory.isReportPending = false;
  }
  // The last call may have been on another stream.
  memory.numbered.MakeStreamWait(stream);
  memory.used.MakeStreamWait(stream);
}

/** Makes room for what is kept of all words of all bricks. */
void
MakeRoomForWords(const Problem & problem, BundleMergingMemory & memory)
{
  const BundleGrid & grid = *memory.grid;
  const auto         bricks = static_cast<std::size_t>(grid.bricks);
  const std::size_t  words = RowWordsOf(grid);
  VisitLayout(problem, [&](auto layout) {
    using Kept = typename decltype(layout)::Kept;
    memory.bits.Resize(bricks * WordsPerBrick * (sizeof(Kept) / sizeof(DeviceWord)));
  });
  memory.marks.Resize(words);
  memory.marksInGroup.Resize(words / FirstMarks::wordsPerGroup);
  memory.marksInPart.Resize(bricks * FirstMarks::partStep);
  memory.runsBefore.Resize(bricks * WordsPerBrick);
  memory.bases.Resize(bricks);
}

/** The problem with the axes of the grid. Where bits decide, only these are turned (BitsOfGrid). */
Problem
Turned(const Problem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  Problem turned = problem;
  if (memory.grid->axes == GridAxes::YThenZThenX && !problem.criterion.FollowsForeground())
  {
    turned.image = CopyYThenZThenX(problem.image, memory.imageAlongY, stream);
  }
  return turned;
}

/** The bits of a problem's mask in the rows of the grid; for slices orthogonal to x, where bits decide, the foreground
 * bits in the mask. Null if there is neither. */
const DeviceWord *
BitsOfGrid(const Problem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  const bool isTurned = memory.grid->axes == GridAxes::YThenZThenX;
  if (isTurned && problem.criterion.FollowsForeground())
  {
    const DeviceWord * mask = nullptr;
    if (problem.mask)
    {
      PackMask(problem, memory.table, stream);
      mask = memory.table.foreground.Data();
    }
    PackYThenZThenX(problem.image, problem.criterion, mask, memory.bitsAlongY, stream);
    return memory.bitsAlongY.Data();
  }
  if (!problem.mask)
  {
    return nullptr;
  }
  if (isTurned)
  {
    PackYThenZThenX(*problem.mask, Criterion::Foreground(0), nullptr, memory.bitsAlongY, stream);
    return memory.bitsAlongY.Data();
  }
  PackMask(problem, memory.table, stream);
  return memory.table.foreground.Data();
}

} // namespace

std::uint64_t
BundleAlgorithm::Label(const Problem &      problem,
                       const OptionValues & options,
                       void *               labels,
                       LabelType            type,
                       bool &               isWritten,
                       const Progress &,
                       cudaStream_t stream)
{
  isWritten = labels != nullptr;
  const auto write = [&] {
    if (labels != nullptr)
    {
      // The type has room for any number of components.
      Write(problem, labels, type, stream);
    }
  };
  return LabelThen(problem, options, write, stream);
}

std::uint64_t
BundleAlgorithm::LabelThen(const Problem & problem,
                           const OptionValues &,
                           const std::function<void()> & queueMore,
                           cudaStream_t                  stream)
{
  AwaitEarlierCalls(m_Memory, stream);
  m_Memory.grid = GridOf(problem);
  MakeRoomForWords(problem, m_Memory);
  // There is room enough for all but noise, which is then solved again.
  const auto words = static_cast<std::size_t>(m_Memory.grid->bricks) * WordsPerBrick;
  const auto mostRuns = static_cast<std::size_t>(ProblemTraits(problem).MaximumRunCount());
  const auto atLeast = [&](std::size_t capacity, std::size_t room) {
    return std::max(capacity, std::min(room + 1024, mostRuns));
  };
  auto componentRoom = atLeast(m_Memory.componentCapacity, words / TuningOf<Tuned::WordsPerComponent>);
  auto runRoom = atLeast(m_Memory.runCapacity, words * TuningOf<Tuned::RunsPerWord>);

  m_Memory.isMapQueued = false;
  const Problem            turned = Turned(problem, m_Memory, stream);
  const DeviceWord * const bits = BitsOfGrid(problem, m_Memory, stream);
  for (;;)
  {
    m_Memory.parent.Resize(componentRoom);
    m_Memory.firstVoxel.Resize(componentRoom);
    m_Memory.componentOfRun.Resize(runRoom);
    m_Memory.componentCapacity = componentRoom;
    m_Memory.runCapacity = runRoom;
    m_Memory.isReportPending = true;
    Queue(turned, bits, m_Memory, stream);
    queueMore();
    const BundleReport report = AwaitReport(m_Memory);
    const auto         components = static_cast<std::size_t>(report.found >> 32);
    const auto         runs = static_cast<std::size_t>(report.found & 0xFFFFFFFFu);
    if (components <= m_Memory.componentCapacity && runs <= m_Memory.runCapacity)
    {
      return report.components;
    }
    componentRoom = std::max(componentRoom, components);
    runRoom = std::max(runRoom, runs);
  }
}

void
BundleAlgorithm::Renumber(const Problem &, const unsigned long long * numbers, cudaStream_t stream)
{
  BRICKCCL_LAUNCH_EARLY(RenumberComponentsKernel, ShapeForUnknown(), stream, m_Memory.Arrays(), numbers);
  m_Memory.numbered.Record(stream);
}

std::size_t
BundleAlgorithm::CapacityBytes() const
{
  return m_Memory.CapacityBytes();
}

std::unique_ptr<CudaAlgorithm>
MakeBundleMerging(bool)
{
  return std::make_unique<BundleAlgorithm>();
}

} // namespace brickccl::cuda
