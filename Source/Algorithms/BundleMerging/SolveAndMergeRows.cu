#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"

#include "BrickCCL/Algorithms/BundleMerging/MergeRowBorders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveRows.cuh"

namespace brickccl::cuda
{

void
SolveAndMergeRows(const Problem &       problem,
                  const BundleGrid &    grid,
                  const DeviceWord *    mask,
                  BundleMergingMemory & memory,
                  cudaStream_t          stream)
{
  VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * voxels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    const auto queueFor = [&](const auto & rows, auto alongAxes) {
      using Problem = std::decay_t<decltype(rows)>;
      constexpr bool isAlongAxes = decltype(alongAxes)::value;
      constexpr bool knowsSeparation = KnowsSeparation<Problem, isAlongAxes>;
      if constexpr (knowsSeparation)
      {
        memory.separationLimits.Resize(1);
        memory.separationBits.Resize(static_cast<std::size_t>(grid.bricks) * BorderArrays<SeparationBits>::perBrick);
        BRICKCCL_LAUNCH_BLOCKS(FindSeparationLimitsKernel<T>,
                               (LaunchShape{ dim3(1), dim3(NeighbourSamples<T>::Maximum) }),
                               stream,
                               voxels,
                               grid.extent.VoxelCount(),
                               grid.extent.RowLength(),
                               rule,
                               memory.separationLimits.Data());
      }
      if constexpr (KeepsJoined<Problem, isAlongAxes>)
      {
        memory.joinedBits.Resize(static_cast<std::size_t>(grid.bricks) * BorderArrays<DeviceWord>::perBrick);
      }
      if constexpr (IsTiled<Problem>)
      {
        memory.endVoxels.Resize(static_cast<std::size_t>(grid.bricks) * EndArrays<T>::perBrick * sizeof(T));
      }
      const RowArrays<T> ofBorders = { { memory.separationLimits.Data(), { memory.separationBits.Data() } },
                                       { memory.joinedBits.Data() },
                                       { reinterpret_cast<T *>(memory.endVoxels.Data()) } };
      BRICKCCL_LAUNCH_BLOCKS((SolveRowsKernel<Problem, isAlongAxes>),
                             OneBlockPerBrick(grid, WordsPerBrick),
                             stream,
                             rows,
                             MaskBits{ mask, WordGrid(grid.extent).wordsPerRow },
                             memory.Arrays(),
                             ofBorders,
                             memory.Marks());
      LaunchShape atBorders = OneBlockPerBrick(grid, BorderThreads);
      atBorders.sharedPercent = RowBorderShared<Problem, isAlongAxes>;
      BRICKCCL_LAUNCH_BLOCKS_EARLY((MergeRowBordersKernel<Problem, isAlongAxes>),
                                   atBorders,
                                   stream,
                                   rows,
                                   memory.Arrays(),
                                   ofBorders);
    };
    const auto queue = [&](const auto & rows) {
      problem.connectivity.Rank() == 1 ? queueFor(rows, std::true_type()) : queueFor(rows, std::false_type());
    };
    // Several channels may have to be equal, too, but that is rare: they are treated as with a tolerance.
    if (rule.channels > 1)
    {
      queue(RowProblem<T, false, false>(voxels, rule, grid, problem.connectivity));
    }
    else if (rule.IsEquality())
    {
      queue(RowProblem<T, true, true>(voxels, rule, grid, problem.connectivity));
    }
    else
    {
      queue(RowProblem<T, false, true>(voxels, rule, grid, problem.connectivity));
    }
  });
}

} // namespace brickccl::cuda
