#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/BundleProblem.cuh"
#include "BrickCCL/Algorithms/BundleMerging/CountBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SlicesAlongX.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SumBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WriteBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WriteRows.cuh"

/** What is made of components: label maps, rows, sums and runs. */
namespace brickccl::cuda
{

void
WriteLabels(const Problem & problem, BundleMergingMemory & memory, void * labels, LabelType type, cudaStream_t stream)
{
  memory.isMapQueued = true;
  const BundleGrid grid = GridOf(problem);
  const LayerOrder order(grid);
  VisitLayout(problem, [&](auto layout) {
    VisitLabelType(type, [&](auto typeTag) {
      using Layout = decltype(layout);
      using TLabel = typename decltype(typeTag)::Type;
      if constexpr (Layout::rowCount < 4)
      {
        if (grid.axes == GridAxes::YThenZThenX)
        {
          BRICKCCL_LAUNCH((WriteSlicesAlongXKernel<Layout, TLabel>),
                          ShapeFor(WordGrid(grid.extent).words >> grid.rowsShiftY),
                          stream,
                          grid,
                          memory.Arrays(),
                          static_cast<TLabel *>(labels));
          return;
        }
      }
      BRICKCCL_LAUNCH_BLOCKS_EARLY((WriteBricksKernel<Layout, TLabel>),
                                   ShapeFor(std::int64_t{ order.layers } * WordsPerLayer, WordsPerBrick),
                                   stream,
                                   grid,
                                   order,
                                   memory.Arrays(),
                                   static_cast<TLabel *>(labels));
    });
  });
  memory.used.Record(stream);
}

void
WriteRows(const Problem &       problem,
          BundleMergingMemory & memory,
          std::int64_t          firstRow,
          std::int64_t          rows,
          unsigned *            labels,
          cudaStream_t          stream)
{
  memory.isMapQueued = true;
  const std::int64_t voxels = rows * problem.image.extent.RowLength();
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH(WriteRowsKernel<decltype(layout)>,
                    ShapeFor(voxels),
                    stream,
                    GridOf(problem),
                    memory.Arrays(),
                    static_cast<unsigned>(problem.image.extent.RowLength()),
                    firstRow,
                    voxels,
                    labels);
  });
  memory.used.Record(stream);
}

bool
CanWriteRowStarts(const Problem & problem)
{
  return GridOf(problem).axes != GridAxes::YThenZThenX;
}

void
WriteRowStarts(const Problem &       problem,
               BundleMergingMemory & memory,
               std::int64_t          firstRow,
               std::int64_t          rows,
               unsigned *            labels,
               DeviceWord *          places,
               cudaStream_t          stream)
{
  const auto         rowLength = static_cast<unsigned>(problem.image.extent.RowLength());
  const unsigned     wordsPerRow = (rowLength - 1) / BitsPerDeviceWord + 1;
  const std::int64_t words = rows * wordsPerRow;
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH(WriteRowStartsKernel<decltype(layout)>,
                    ShapeFor(words),
                    stream,
                    GridOf(problem),
                    memory.Arrays(),
                    rowLength,
                    wordsPerRow,
                    firstRow,
                    words,
                    labels,
                    places);
  });
  memory.used.Record(stream);
}

void
SumComponents(const Problem &                  problem,
              BundleMergingMemory &            memory,
              std::uint64_t                    components,
              DeviceBuffer<CompactShapeSums> & sums,
              cudaStream_t                     stream)
{
  const BundleGrid   grid = GridOf(problem);
  const auto         count = static_cast<std::int64_t>(components);
  const cudaStream_t own = memory.isMapQueued ? memory.sumStream.Get() : stream;
  if (memory.isMapQueued)
  {
    memory.numbered.MakeStreamWait(own);
  }
  if (own != memory.summedIn)
  {
    // Earlier sums may still be made in the other stream.
    memory.summed.MakeStreamWait(own);
    memory.summedIn = own;
  }
  sums.Resize(static_cast<std::size_t>(components));
  BRICKCCL_LAUNCH_EARLY(ClearSumsKernel<CompactShapeSums>, ShapeFor(count), own, sums.Data(), count);
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH_BLOCKS_EARLY(SumBricksKernel<decltype(layout)>,
                                 OneBlockPerBrick(grid, WordsPerBrick),
                                 own,
                                 grid,
                                 problem.image.extent,
                                 memory.Arrays(),
                                 sums.Data());
  });
  memory.summed.Record(own);
  if (memory.isMapQueued)
  {
    memory.summed.MakeStreamWait(stream);
  }
  memory.used.Record(stream);
}

void
CountComponents(const Problem &       problem,
                BundleMergingMemory & memory,
                std::uint64_t         components,
                unsigned long long *  sizes,
                cudaStream_t          stream)
{
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(sizes, 0, components * sizeof(*sizes), stream));
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH_BLOCKS(CountBricksKernel<decltype(layout)>,
                           OneBlockPerBrick(GridOf(problem), WordsPerBrick),
                           stream,
                           memory.Arrays(),
                           sizes);
  });
  memory.used.Record(stream);
}

void
LabelRuns(const Problem & problem, BundleMergingMemory & memory, cudaStream_t stream)
{
  const BundleGrid grid = GridOf(problem);
  const WordGrid   words(problem.image.extent);
  memory.table.foreground.Resize(static_cast<std::size_t>(words.words));
  VisitLayout(problem, [&](auto layout) {
    using Layout = decltype(layout);
    if (grid.axes == GridAxes::YThenZThenX)
    {
      PackForeground(problem, memory.table, stream);
    }
    else
    {
      BRICKCCL_LAUNCH(UnpackBricksKernel<Layout>,
                      ShapeFor(words.words),
                      stream,
                      grid,
                      memory.Arrays(),
                      words,
                      memory.table.foreground.Data());
    }
    FindRuns(problem, memory.table, stream);
    BRICKCCL_LAUNCH(LabelBrickRunsKernel<Layout>,
                    ShapeFor(words.words),
                    stream,
                    grid,
                    memory.Arrays(),
                    words,
                    memory.table.foreground.Data(),
                    memory.table.Starts(),
                    memory.table.runsBefore.Data(),
                    memory.table.labelOfRun.Data());
  });
  memory.used.Record(stream);
}

} // namespace brickccl::cuda
