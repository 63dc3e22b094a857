// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/SlicesAlongX.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SumBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WriteBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/WriteRows.cuh"

/** The results from components: label maps, rows, sums and runs. */
namespace brickccl::cuda
{

void
BundleAlgorithm::Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream)
{
  m_Memory.isMapQueued = true;
  const BundleGrid & grid = *m_Memory.grid;
  const LayerOrder   order(grid);
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
                          m_Memory.Arrays(),
                          static_cast<TLabel *>(labels));
          return;
        }
      }
      BRICKCCL_LAUNCH_BLOCKS_EARLY((WriteBricksKernel<Layout, TLabel>),
                                   ShapeFor(std::int64_t{ order.layers } * WordsPerLayer, WordsPerBrick),
                                   stream,
                                   grid,
                                   order,
                                   m_Memory.Arrays(),
                                   static_cast<TLabel *>(labels));
    });
  });
  m_Memory.used.Record(stream);
}

void
BundleAlgorithm::WriteRows(const Problem & problem,
                           std::int64_t    firstRow,
                           std::int64_t    rows,
                           unsigned *      labels,
                           cudaStream_t    stream)
{
  m_Memory.isMapQueued = true;
  const std::int64_t voxels = rows * problem.image.extent.RowLength();
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH(WriteRowsKernel<decltype(layout)>,
                    ShapeFor(voxels),
                    stream,
                    *m_Memory.grid,
                    m_Memory.Arrays(),
                    static_cast<unsigned>(problem.image.extent.RowLength()),
                    firstRow,
                    voxels,
                    labels);
  });
  m_Memory.used.Record(stream);
}

bool
BundleAlgorithm::WriteRowStarts(const Problem & problem,
                                std::int64_t    firstRow,
                                std::int64_t    rows,
                                unsigned *      labels,
                                DeviceWord *    places,
                                cudaStream_t    stream)
{
  const BundleGrid & grid = *m_Memory.grid;
  if (grid.axes == GridAxes::YThenZThenX)
  {
    return false;
  }
  const auto         rowLength = static_cast<unsigned>(problem.image.extent.RowLength());
  const unsigned     wordsPerRow = (rowLength - 1) / BitsPerDeviceWord + 1;
  const std::int64_t words = rows * wordsPerRow;
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH(WriteRowStartsKernel<decltype(layout)>,
                    ShapeFor(words * PartOfWord::perWord),
                    stream,
                    grid,
                    m_Memory.Arrays(),
                    rowLength,
                    wordsPerRow,
                    firstRow,
                    words,
                    labels,
                    places);
  });
  m_Memory.used.Record(stream);
  return true;
}

void
BundleAlgorithm::Sum(const Problem &                  problem,
                     std::uint64_t                    components,
                     DeviceBuffer<CompactShapeSums> & sums,
                     cudaStream_t                     stream)
{
  const BundleGrid & grid = *m_Memory.grid;
  const auto         count = static_cast<std::int64_t>(components);
  const cudaStream_t own = m_Memory.isMapQueued ? m_Memory.sumStream.Get() : stream;
  if (m_Memory.isMapQueued)
  {
    m_Memory.numbered.MakeStreamWait(own);
  }
  if (own != m_Memory.summedIn)
  {
    // Earlier sums may still be made in the other stream.
    m_Memory.summed.MakeStreamWait(own);
    m_Memory.summedIn = own;
  }
  sums.Resize(static_cast<std::size_t>(components));
  BRICKCCL_LAUNCH_EARLY(ClearSumsKernel<CompactShapeSums>, ShapeFor(count), own, sums.Data(), count);
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH_BLOCKS_EARLY(SumBricksKernel<decltype(layout)>,
                                 OneBlockPerBrick(grid, WordsPerBrick),
                                 own,
                                 grid,
                                 problem.image.extent,
                                 m_Memory.Arrays(),
                                 sums.Data());
  });
  m_Memory.summed.Record(own);
  if (m_Memory.isMapQueued)
  {
    m_Memory.summed.MakeStreamWait(stream);
  }
  m_Memory.used.Record(stream);
}

void
BundleAlgorithm::Count(const Problem &      problem,
                       std::uint64_t        components,
                       unsigned long long * sizes,
                       cudaStream_t         stream)
{
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(sizes, 0, components * sizeof(*sizes), stream));
  VisitLayout(problem, [&](auto layout) {
    BRICKCCL_LAUNCH_BLOCKS(CountBricksKernel<decltype(layout)>,
                           OneBlockPerBrick(*m_Memory.grid, WordsPerBrick),
                           stream,
                           m_Memory.Arrays(),
                           sizes);
  });
  m_Memory.used.Record(stream);
}

void
BundleAlgorithm::LabelRuns(const Problem & problem, cudaStream_t stream)
{
  const BundleGrid & grid = *m_Memory.grid;
  const WordGrid     words(problem.image.extent);
  m_Memory.table.foreground.Resize(static_cast<std::size_t>(words.words));
  VisitLayout(problem, [&](auto layout) {
    using Layout = decltype(layout);
    if (grid.axes == GridAxes::YThenZThenX)
    {
      PackForeground(problem, m_Memory.table, stream);
    }
    else
    {
      BRICKCCL_LAUNCH(UnpackBricksKernel<Layout>,
                      ShapeFor(words.words),
                      stream,
                      grid,
                      m_Memory.Arrays(),
                      words,
                      m_Memory.table.foreground.Data());
    }
    FindRuns(problem, m_Memory.table, stream);
    BRICKCCL_LAUNCH(LabelBrickRunsKernel<Layout>,
                    ShapeFor(words.words),
                    stream,
                    grid,
                    m_Memory.Arrays(),
                    words,
                    m_Memory.table.foreground.Data(),
                    m_Memory.table.Starts(),
                    m_Memory.table.runsBefore.Data(),
                    m_Memory.table.labelOfRun.Data());
  });
  m_Memory.used.Record(stream);
}

void
BundleAlgorithm::Download(const Problem &                    problem,
                          DeviceBuffer<unsigned long long> & firstRuns,
                          RunVolume &                        result,
                          StagedCopy &                       staged,
                          const HostContext &                context,
                          cudaStream_t                       stream)
{
  LabelRuns(problem, stream);
  DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
}

void
BundleAlgorithm::List(const Problem & problem,
                      std::uint64_t   components,
                      long long *     voxels,
                      ListMemory &    memory,
                      cudaStream_t    stream)
{
  LabelRuns(problem, stream);
  ListVoxels(problem.image.extent, m_Memory.table, components, voxels, memory, stream);
}

} // namespace brickccl::cuda
