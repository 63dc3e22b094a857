// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/SumRuns.cuh"

#include "BrickCCL/Measuring/SumComponents.cuh"

namespace brickccl::cuda
{

template <typename TIndex>
void
SumRuns(const Extent &                   extent,
        const RunTable<TIndex> &         table,
        std::uint64_t                    components,
        DeviceBuffer<CompactShapeSums> & sums,
        cudaStream_t                     stream)
{
  const WordGrid grid(extent);
  sums.Resize(static_cast<std::size_t>(components));
  BRICKCCL_LAUNCH(ClearSumsKernel<CompactShapeSums>,
                  ShapeFor(static_cast<std::int64_t>(components)),
                  stream,
                  sums.Data(),
                  static_cast<std::int64_t>(components));
  const std::int64_t warpsPerRow = (grid.wordsPerRow - 1) / WordsPerWarp + 1;
  BRICKCCL_LAUNCH_BLOCKS(SumRunsKernel<TIndex>,
                         ShapeFor(warpsPerRow * extent.RowCount() * WordsPerWarp),
                         stream,
                         grid,
                         table.foreground.Data(),
                         table.Starts(),
                         table.runsBefore.Data(),
                         table.labelOfRun.Data(),
                         sums.Data());
}

template void
SumRuns(const Extent &, const RunTable<unsigned> &, std::uint64_t, DeviceBuffer<CompactShapeSums> &, cudaStream_t);
template void SumRuns(const Extent &,
                      const RunTable<unsigned long long> &,
                      std::uint64_t,
                      DeviceBuffer<CompactShapeSums> &,
                      cudaStream_t);

} // namespace brickccl::cuda
