#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/CudaAlgorithm.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleProblem.cuh"
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

/** Queues all kernels of one call. \param problem  its image and mask have the axes of the grid */
void
Queue(const Problem &       problem,
      const BundleGrid &    grid,
      const DeviceWord *    mask,
      BundleMergingMemory & memory,
      cudaStream_t          stream)
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
  const BrickArrays arrays = memory.Arrays();
  const FirstMarks  marks = memory.Marks();
  const auto        groups = static_cast<std::int64_t>(RowWordsOf(grid) / FirstMarks::wordsPerGroup);
  VisitLayout(problem, [&](auto layout) {
    using Layout = decltype(layout);
    if constexpr (Layout::keepsStarts)
    {
      SolveAndMergeRows(problem, grid, mask, memory, stream);
    }
    else
    {
      constexpr Bundling bundling = Layout::bundling;
      VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
        using T = typename std::decay_t<decltype(rule)>::Pixel;
        using Agent = BrickAgent<BitProblem<T, bundling>>;
        BRICKCCL_LAUNCH_BLOCKS(SolveBricksKernel<Agent>,
                               OneBlockPerBrick(grid, WordsPerBrick),
                               stream,
                               typename Agent::Problem{ pixels, rule, grid },
                               MaskBits{ mask, WordGrid(grid.extent).wordsPerRow },
                               arrays,
                               typename Agent::ForBorders{},
                               marks);
      });
      using Border = BitBorder<bundling>;
      BRICKCCL_LAUNCH_BLOCKS_EARLY(MergeBordersKernel<Border>,
                                   OneBlockPerBrick(grid, BorderThreads),
                                   stream,
                                   grid,
                                   arrays,
                                   typename Border::ForBorders{});
    }
  });
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
  memory.isNextFoundClear = true;
  memory.numbered.Record(stream);
}

/** Waits for what a kernel tells the host. The last kernels may still run then. */
BundleReport
AwaitReport(BundleMergingMemory & memory)
{
  // Asking the driver, which tells of errors, takes longer than to look.
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

} // namespace

std::uint64_t
BundleMerging(const Problem &               problem,
              BundleMergingMemory &         memory,
              const std::function<void()> & queueMore,
              cudaStream_t                  stream)
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

  const BundleGrid  grid = GridOf(problem);
  const auto        bricks = static_cast<std::size_t>(grid.bricks);
  const std::size_t words = RowWordsOf(grid);
  std::size_t       keptWords = words;
  VisitLayout(problem, [&](auto layout) {
    using Layout = decltype(layout);
    keptWords = bricks * WordsPerBrick * (sizeof(typename Layout::Kept) / sizeof(DeviceWord));
  });
  memory.bits.Resize(keptWords);
  memory.marks.Resize(words);
  memory.marksInGroup.Resize(words / FirstMarks::wordsPerGroup);
  memory.marksInPart.Resize(bricks * FirstMarks::partStep);
  memory.runsBefore.Resize(bricks * WordsPerBrick);
  memory.bases.Resize(bricks);
  // There is room enough for all but noise, which is then solved again.
  const auto mostRuns = static_cast<std::size_t>(ProblemTraits(problem).MaximumRunCount());
  const auto atLeast = [&](std::size_t capacity, std::size_t room) {
    return std::max(capacity, std::min(room + 1024, mostRuns));
  };
  auto componentRoom = atLeast(memory.componentCapacity, bricks * WordsPerBrick / TuningOf<Tuned::WordsPerComponent>);
  auto runRoom = atLeast(memory.runCapacity, bricks * WordsPerBrick * TuningOf<Tuned::RunsPerWord>);

  memory.isMapQueued = false;
  Problem read = problem;
  if (grid.axes == GridAxes::YThenZThenX)
  {
    read.image = CopyYThenZThenX(problem.image, memory.imageAlongY, stream);
    read.mask = problem.mask ? std::optional(CopyYThenZThenX(*problem.mask, memory.maskAlongY, stream)) : std::nullopt;
  }
  const DeviceWord * mask = nullptr;
  if (read.mask)
  {
    memory.table.foreground.Resize(static_cast<std::size_t>(WordGrid(grid.extent).words));
    PackForeground<unsigned>(*read.mask, Criterion::Foreground(0), nullptr, memory.table.foreground.Data(), stream);
    mask = memory.table.foreground.Data();
  }
  for (;;)
  {
    memory.parent.Resize(componentRoom);
    memory.firstVoxel.Resize(componentRoom);
    memory.componentOfRun.Resize(runRoom);
    memory.componentCapacity = componentRoom;
    memory.runCapacity = runRoom;
    memory.isReportPending = true;
    Queue(read, grid, mask, memory, stream);
    queueMore();
    const BundleReport report = AwaitReport(memory);
    const auto         components = static_cast<std::size_t>(report.found >> 32);
    const auto         runs = static_cast<std::size_t>(report.found & 0xFFFFFFFFu);
    if (components <= memory.componentCapacity && runs <= memory.runCapacity)
    {
      return report.components;
    }
    componentRoom = std::max(componentRoom, components);
    runRoom = std::max(runRoom, runs);
  }
}

void
RenumberComponents(BundleMergingMemory & memory, const unsigned long long * numbers, cudaStream_t stream)
{
  BRICKCCL_LAUNCH_EARLY(RenumberComponentsKernel, ShapeForUnknown(), stream, memory.Arrays(), numbers);
  memory.numbered.Record(stream);
}

namespace
{

class BundleAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const Problem & problem,
        const OptionValues &,
        void *    labels,
        LabelType type,
        bool &    isWritten,
        const Progress &,
        cudaStream_t stream) override
  {
    isWritten = labels != nullptr;
    const auto write = [&] {
      if (labels != nullptr)
      {
        // The type has room for any number of components.
        cuda::WriteLabels(problem, m_Memory, labels, type, stream);
      }
    };
    return cuda::BundleMerging(problem, m_Memory, write, stream);
  }
  std::uint64_t
  LabelThen(const Problem & problem,
            const OptionValues &,
            const std::function<void()> & queueMore,
            cudaStream_t                  stream) override
  {
    return cuda::BundleMerging(problem, m_Memory, queueMore, stream);
  }
  void
  Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    cuda::WriteLabels(problem, m_Memory, labels, type, stream);
  }
  void
  WriteRows(const Problem & problem, std::int64_t firstRow, std::int64_t rows, unsigned * labels, cudaStream_t stream)
    override
  {
    cuda::WriteRows(problem, m_Memory, firstRow, rows, labels, stream);
  }
  bool
  WriteRowStarts(const Problem & problem,
                 std::int64_t    firstRow,
                 std::int64_t    rows,
                 unsigned *      labels,
                 unsigned *      places,
                 cudaStream_t    stream) override
  {
    const bool can = cuda::CanWriteRowStarts(problem);
    if (can)
    {
      cuda::WriteRowStarts(problem, m_Memory, firstRow, rows, labels, places, stream);
    }
    return can;
  }
  void
  Download(const Problem &                    problem,
           DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                        result,
           StagedCopy &                       staged,
           const HostContext &                context,
           cudaStream_t                       stream) override
  {
    cuda::LabelRuns(problem, m_Memory, stream);
    DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const Problem &                  problem,
      std::uint64_t                    components,
      DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                     stream) override
  {
    cuda::SumComponents(problem, m_Memory, components, sums, stream);
  }
  void
  Count(const Problem & problem, std::uint64_t components, unsigned long long * sizes, cudaStream_t stream) override
  {
    cuda::CountComponents(problem, m_Memory, components, sizes, stream);
  }
  void
  Renumber(const Problem &, const unsigned long long * numbers, cudaStream_t stream) override
  {
    cuda::RenumberComponents(m_Memory, numbers, stream);
  }
  void
  List(const Problem & problem, std::uint64_t components, long long * voxels, ListMemory & memory, cudaStream_t stream)
    override
  {
    cuda::LabelRuns(problem, m_Memory, stream);
    ListVoxels(problem.image.extent, m_Memory.table, components, voxels, memory, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.CapacityBytes();
  }

private:
  BundleMergingMemory m_Memory;
};

} // namespace

std::unique_ptr<CudaAlgorithm>
MakeBundleMerging(bool)
{
  return std::make_unique<BundleAlgorithm>();
}

} // namespace brickccl::cuda
