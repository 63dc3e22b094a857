#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_COUNTBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_COUNTBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Measuring/SumComponents.cuh"

/** The sizes of components, from what is kept of bricks. */
namespace brickccl::cuda
{

/** Adds the voxels of one brick per block to the sizes, one word per thread. A component's voxels are counted in the
 *  brick before they go to global memory. \param sizes  by label - 1 */
template <typename TLayout>
__global__ void
__launch_bounds__(WordsPerBrick)
  CountBricksKernel(const __grid_constant__ BrickArrays bricks, unsigned long long * __restrict__ sizes)
{
  constexpr unsigned most = WordsPerBrick * TLayout::runsPerWord;
  __shared__ uint4   counts[most / 4];
  auto * const       countOf = reinterpret_cast<unsigned *>(counts);
  const auto         self = static_cast<unsigned>(threadIdx.x);
  const std::size_t  index = std::size_t{ blockIdx.x } * WordsPerBrick + self;
  const auto         kept = bricks.Kept<TLayout>(index);
  const auto         rows = TLayout::Rows(kept);
  const DeviceWord   united = rows.United();
  const DeviceWord   before = __shfl_up_sync(AllLanes, united, 1);
  const DeviceWord   starts = TLayout::Starts(kept, self % WordsPerBrickRow > 0 ? before : 0u);
  for (unsigned i = self; i < most / 4; i += WordsPerBrick)
  {
    counts[i] = make_uint4(0, 0, 0, 0);
  }
  if (__syncthreads_or(united != 0) == 0)
  {
    return;
  }
  const BrickBase base = bricks.bases[blockIdx.x];
  const unsigned  runsBefore = united != 0 ? bricks.runsBefore[index] : 0u;
  // Runs side by side mostly belong to one component.
  unsigned own = 0;
  unsigned ownCount = 0;
  for (DeviceWord rest = united; rest != 0;)
  {
    const int        low = LowestBit(rest);
    const DeviceWord run = RunFrom(united, starts, low);
    const unsigned   component = __ldg(bricks.componentOfRun + base.run + RunAt(runsBefore, starts, low));
    if (component != own && ownCount != 0)
    {
      atomicAdd(countOf + own, ownCount);
      ownCount = 0;
    }
    own = component;
#pragma unroll
    for (int r = 0; r < TLayout::rowCount; ++r)
    {
      ownCount += static_cast<unsigned>(__popc(rows.rows[r] & run));
    }
    rest &= ~run;
  }
  if (ownCount != 0)
  {
    atomicAdd(countOf + own, ownCount);
  }
  __syncthreads();
  for (unsigned component = self; component < most; component += WordsPerBrick)
  {
    const unsigned count = countOf[component];
    if (count != 0)
    {
      // What a filter dropped has no label.
      if (const unsigned label = __ldg(bricks.parent + base.component + component); label != 0)
      {
        atomicAdd(sizes + (label - 1), static_cast<unsigned long long>(count));
      }
    }
  }
}

} // namespace brickccl::cuda

#endif
