#ifndef BRICKCCL_LABELS_COMPONENTTILES_CUH
#define BRICKCCL_LABELS_COMPONENTTILES_CUH

#include "BrickCCL/Cuda/WarpSums.cuh"
#include "BrickCCL/Criteria/PackWord.cuh"

#include <cstdint>

/** Components by tiles, one a block, and the numbers of those that stay, in raster order. */
namespace brickccl::cuda
{

/** Components side by side that a block takes. A warp takes some of them side by side, so that a place before another
 *  one belongs to an earlier warp, or to an earlier round of the same warp, or to an earlier lane. */
struct ComponentTile
{
  static constexpr unsigned threads = 512;
  static constexpr unsigned warps = threads / 32;
  static constexpr unsigned rounds = 8;
  static constexpr unsigned size = threads * rounds;

  static std::int64_t
  CountOf(std::int64_t components)
  {
    return (components + size - 1) / size;
  }
  /** A block for each tile. */
  static LaunchShape
  ShapeOf(std::int64_t components)
  {
    return ShapeFor(CountOf(components) * threads, threads);
  }
  /** The component that this thread takes in a round. */
  __device__ static std::int64_t
  At(unsigned round)
  {
    return std::int64_t{ blockIdx.x } * size + (threadIdx.x / 32 * rounds + round) * 32 + threadIdx.x % 32;
  }
};

/** Sums over the threads of a block, in shared memory. */
struct TileSums
{
  unsigned ofWarps[ComponentTile::warps];

  /** The sum over the warps before this one, and over all of them. All threads must call; a barrier comes first. */
  __device__ unsigned
  Before(unsigned & all) const
  {
    const unsigned warp = threadIdx.x / 32;
    unsigned       before = 0;
    all = 0;
    __syncthreads();
#pragma unroll
    for (unsigned w = 0; w < ComponentTile::warps; ++w)
    {
      before += w < warp ? ofWarps[w] : 0u;
      all += ofWarps[w];
    }
    return before;
  }
};

/** Counts the components of each tile that stay. \param keeps  says whether component i stays */
template <typename TKeeps>
__global__ void
__launch_bounds__(ComponentTile::threads)
  CountKeptKernel(std::int64_t components, const __grid_constant__ TKeeps keeps, unsigned * inTile)
{
  __shared__ TileSums sums;
  WaitForEarlierKernels();
  unsigned own = 0;
#pragma unroll
  for (unsigned round = 0; round < ComponentTile::rounds; ++round)
  {
    const std::int64_t at = ComponentTile::At(round);
    own += at < components && keeps(at) ? 1 : 0;
  }
  const unsigned inWarp = SumOfWarp(own);
  if (threadIdx.x % 32 == 0)
  {
    sums.ofWarps[threadIdx.x / 32] = inWarp;
  }
  unsigned all;
  sums.Before(all);
  if (threadIdx.x == 0)
  {
    inTile[blockIdx.x] = all;
  }
}

/** Numbers the components that stay from 1 on; the others get 0. \param kept  receives how many stay */
template <typename TKeeps>
__global__ void
__launch_bounds__(ComponentTile::threads) NumberKeptKernel(std::int64_t                   components,
                                                           const __grid_constant__ TKeeps keeps,
                                                           const unsigned *               inTile,
                                                           unsigned long long *           numbers,
                                                           unsigned long long *           kept)
{
  constexpr unsigned  rounds = ComponentTile::rounds;
  __shared__ TileSums ofTiles;
  __shared__ TileSums ofOwn;
  WaitForEarlierKernels();
  const auto     lane = static_cast<int>(threadIdx.x % 32);
  const unsigned warp = threadIdx.x / 32;
  unsigned       inTiles = 0;
  for (unsigned tile = threadIdx.x; tile < blockIdx.x; tile += ComponentTile::threads)
  {
    inTiles += inTile[tile];
  }
  unsigned staying[rounds];
  unsigned own = 0;
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    const std::int64_t at = ComponentTile::At(round);
    staying[round] = __ballot_sync(AllLanes, at < components && keeps(at));
    own += static_cast<unsigned>(__popc(staying[round]));
  }
  const unsigned inTilesOfWarp = SumOfWarp(inTiles);
  if (lane == 0)
  {
    ofTiles.ofWarps[warp] = inTilesOfWarp;
    ofOwn.ofWarps[warp] = own;
  }
  unsigned before;
  unsigned all;
  ofTiles.Before(before);
  unsigned number = before + ofOwn.Before(all);
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    const std::int64_t at = ComponentTile::At(round);
    const unsigned     upTo = staying[round] & BitsUpToLane(lane);
    if (at < components)
    {
      numbers[at] = (staying[round] >> lane & 1) != 0 ? number + static_cast<unsigned>(__popc(upTo)) : 0;
    }
    number += static_cast<unsigned>(__popc(staying[round]));
  }
  if (threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x)
  {
    *kept = before + all;
  }
}

} // namespace brickccl::cuda

#endif
