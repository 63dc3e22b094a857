#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/MergeBorders.cuh"

/** Unions of components across the borders of bricks, where values decide. */
namespace brickccl::cuda
{

/** A row's two voxels beside a border along x, and whether they are foreground. */
template <typename TProblem>
struct RowEnds
{
  WordPlace                        left;
  WordPlace                        right;
  const typename TProblem::Pixel * voxel;
  bool                             isLeft;
  bool                             isRight;

  __device__
  RowEnds(const TProblem & problem, const BrickArrays & bricks, int word, int bundleY, int bundleZ)
    : voxel(nullptr)
    , isLeft(false)
    , isRight(false)
  {
    if (right.Set(problem.grid, word, bundleY, bundleZ) && left.Set(problem.grid, word - 1, bundleY, bundleZ))
    {
      voxel = problem.VoxelAt(problem.grid.RowOf(bundleY, bundleZ, 0), std::int64_t{ word } * BitsPerDeviceWord);
      isLeft = bricks.Rows<RowLayout>(left.Index()).LastBits() != 0;
      isRight = bricks.Rows<RowLayout>(right.Index()).FirstBits() != 0;
    }
  }
};

/** Links across the lower border of a brick along x, one lane per row. */
template <typename TProblem>
__device__ inline void
MergeRowEnds(const TProblem & problem, const BrickArrays & bricks, const BorderRole & role, BorderMemory & memory)
{
  const int               channels = problem.Channels();
  const auto              areJoined = [&](const auto * a, const auto * b) { return problem.AreJoined(a, b); };
  const bool              fits = bricks.Fit();
  const RowEnds<TProblem> own(problem, bricks, role.word, role.bundleY, role.bundleZ);
  const bool              hasLeft = fits && own.isLeft;
  const bool              hasRight = fits && own.isRight;
  const bool              meets = hasLeft && hasRight && areJoined(own.voxel, own.voxel - channels);
  const unsigned          inLeft = hasLeft ? ComponentAt<RowLayout>(bricks, own.left, 31) : 0u;
  const unsigned          inRight = hasRight ? ComponentAt<RowLayout>(bricks, own.right, 0) : 0u;
  if (meets)
  {
    memory.UniteOnce(bricks, inRight, inLeft);
  }
  if (!hasLeft && !hasRight)
  {
    return;
  }
  // Diagonal links within the same bricks' rows; those to other bricks are the other warps'.
#pragma unroll 1
  for (int n = 0; n < problem.count; ++n)
  {
    if (!problem.HasDiagonals(n))
    {
      continue;
    }
    const RowEnds<TProblem> other(problem,
                                  bricks,
                                  role.word,
                                  role.bundleY + BackwardStepY(n),
                                  role.bundleZ + BackwardStepZ(n));
    if (other.voxel == nullptr || other.left.brick != own.left.brick)
    {
      continue;
    }
    // A way over three sides says as much as the diagonal.
    const bool otherMeets = other.isLeft && other.isRight && areJoined(other.voxel, other.voxel - channels);
    const bool leftsMeet = hasLeft && other.isLeft && areJoined(own.voxel - channels, other.voxel - channels);
    const bool rightsMeet = hasRight && other.isRight && areJoined(own.voxel, other.voxel);
    if (hasRight && other.isLeft && !(meets && leftsMeet) && !(rightsMeet && otherMeets) &&
        areJoined(own.voxel, other.voxel - channels))
    {
      memory.UniteOnce(bricks, inRight, ComponentAt<RowLayout>(bricks, other.left, 31));
    }
    if (hasLeft && other.isRight && !(meets && rightsMeet) && !(leftsMeet && otherMeets) &&
        areJoined(own.voxel - channels, other.voxel))
    {
      memory.UniteOnce(bricks, inLeft, ComponentAt<RowLayout>(bricks, other.right, 0));
    }
  }
}

template <typename TProblem>
__global__ void
__launch_bounds__(BorderRole::Threads(false, 2), 5)
  MergeRowBordersKernel(const __grid_constant__ TProblem problem, const __grid_constant__ BrickArrays bricks)
{
  __shared__ BorderMemory memory;
  const BundleGrid &      grid = problem.grid;
  const BorderRole        role(grid, problem.count == 2);
  memory.Clear();
  __syncthreads();
  WaitForEarlierKernels();
  if (role.n < 0)
  {
    if (role.isOurs)
    {
      MergeRowEnds(problem, bricks, role, memory);
    }
    return;
  }
  BorderWord<RowLayout>   a, b;
  const bool              has = FetchBoth(grid, bricks, role, a, b);
  BundleLinks<DeviceWord> links = {};
  if (__any_sync(AllLanes, has && a.window.rows[0] != 0))
  {
    const auto window = [has](const BorderWord<RowLayout> & of) {
      return has ? RunWindow{ of.window.Row(0), of.starts, of.startsAfter } : RunWindow{};
    };
    const int                step = static_cast<int>(threadIdx.x % 32) / WordsPerBrickRow;
    const ReaderOf<TProblem> rows(problem,
                                  role.place.x * WordsPerBrickRow,
                                  role.bundleY - (role.alongZ ? 0 : step),
                                  role.bundleZ - (role.alongZ ? step : 0),
                                  role.alongZ);
    const std::int64_t       row = grid.RowOf(role.bundleY, role.bundleZ, 0);
    const auto * const       voxel = problem.VoxelAt(row, std::int64_t{ role.word } * BitsPerDeviceWord);
    links =
      FindLinks(problem, rows, VoxelComparison<TProblem>{ problem, voxel }, role.n, window(a), window(b), 0).links;
  }
  UniteLinks(grid, bricks, memory, links, a, b);
}

} // namespace brickccl::cuda

#endif
