// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/MergeRowBorders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveRows.cuh"

namespace brickccl::cuda
{

namespace
{

/** Makes room for what a problem's kernels keep of the ends of bricks. */
template <typename TProblem>
void
PrepareBorders(const TProblem & rows, BundleMergingMemory & memory)
{
  using T = typename TProblem::Pixel;
  const auto bricks = static_cast<std::size_t>(rows.grid.bricks);
  if constexpr (TProblem::keepsJoined)
  {
    memory.joinedBits.Resize(bricks * BorderArrays<DeviceWord>::perBrick);
  }
  if constexpr (TProblem::isTiled)
  {
    memory.endVoxels.Resize(bricks * EndArrays<T>::perBrick * sizeof(T));
  }
}

template <typename TProblem>
void
QueueRows(const TProblem & rows, const MaskBits & mask, BundleMergingMemory & memory, cudaStream_t stream)
{
  using T = typename TProblem::Pixel;
  using Border = std::conditional_t<TProblem::isTransitive, EqualBorder<TProblem>, CloseBorder<TProblem>>;
  PrepareBorders(rows, memory);
  const RowArrays<T> forBorders = { { memory.joinedBits.Data() }, { reinterpret_cast<T *>(memory.endVoxels.Data()) } };
  BRICKCCL_LAUNCH_BLOCKS(SolveBricksKernel<RowAgent<TProblem>>,
                         OneBlockPerBrick(rows.grid, WordsPerBrick),
                         stream,
                         rows,
                         mask,
                         memory.Arrays(),
                         forBorders,
                         memory.Marks());
  LaunchShape atBorders = OneBlockPerBrick(rows.grid, BorderThreads);
  atBorders.sharedPercent = Border::sharedPercent;
  BRICKCCL_LAUNCH_BLOCKS_EARLY(MergeBordersKernel<Border>, atBorders, stream, rows, memory.Arrays(), forBorders);
}

} // namespace

void
SolveAndMergeRows(const Problem & problem, const DeviceWord * mask, BundleMergingMemory & memory, cudaStream_t stream)
{
  const BundleGrid & grid = *memory.grid;
  const MaskBits     maskBits{ mask, WordGrid(grid.extent).wordsPerRow };
  VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * voxels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    const auto queue = [&](auto links, auto isOneChannel) {
      using Links = decltype(links);
      constexpr bool one = decltype(isOneChannel)::value;
      if (problem.connectivity.Rank() == 1)
      {
        QueueRows(RowProblem<T, Links, one, true>(voxels, rule, grid, problem.connectivity), maskBits, memory, stream);
      }
      else
      {
        QueueRows(RowProblem<T, Links, one, false>(voxels, rule, grid, problem.connectivity), maskBits, memory, stream);
      }
    };
    // Several channels may have to be equal, too, but that is rare: they are treated as with a tolerance.
    if (rule.channels > 1)
    {
      queue(CloseLinks{}, std::false_type());
    }
    else if (rule.IsEquality())
    {
      queue(EqualLinks{}, std::true_type());
    }
    else
    {
      queue(CloseLinks{}, std::true_type());
    }
  });
}

} // namespace brickccl::cuda
