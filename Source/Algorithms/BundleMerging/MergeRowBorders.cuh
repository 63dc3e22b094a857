#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/MergeBorders.cuh"

/** Unions of components across the borders of bricks, where values decide. */
namespace brickccl::cuda
{

/** Voxels beside a border along x, of all rows of a brick. */
template <typename TProblem>
struct EndVoxels
{
  using Pixel = typename TProblem::Pixel;

  /** Their values, or where they lie if they have several channels. */
  std::conditional_t<TProblem::isOneChannel, Pixel, const Pixel *> voxels[BorderEnds::bundles];

  __device__ void
  Set(int bundle, const Pixel * voxel)
  {
    if constexpr (TProblem::isOneChannel)
    {
      voxels[bundle] = *voxel;
    }
    else
    {
      voxels[bundle] = voxel;
    }
  }
  __device__ const Pixel *
  At(int bundle) const
  {
    if constexpr (TProblem::isOneChannel)
    {
      return voxels + bundle;
    }
    else
    {
      return voxels[bundle];
    }
  }
};

/** What the warps at a brick's borders have in shared memory where values decide. */
template <typename TProblem>
struct RowBorderMemory : BorderMemory
{
  EndVoxels<TProblem> left;
  EndVoxels<TProblem> right;

  /** Reads a row's voxels beside the border along x, if it lies in the volume. */
  __device__ void
  ReadEnds(const TProblem & problem, int bundle, int word, int bundleY, int bundleZ)
  {
    const std::int64_t row = problem.grid.RowOf(bundleY, bundleZ, 0);
    if (row >= 0)
    {
      const auto * const voxel = problem.VoxelAt(row, std::int64_t{ word } * BitsPerDeviceWord);
      left.Set(bundle, voxel - problem.Channels());
      right.Set(bundle, voxel);
    }
  }
};

/** As UniteEnds, one lane per row. */
template <typename TProblem>
__device__ inline void
UniteRowEnds(const TProblem & problem, const BrickArrays & bricks, int bundle, RowBorderMemory<TProblem> & memory)
{
  const BundleGrid & grid = problem.grid;
  const BorderEnds & ends = memory.ends;
  const auto         hasLeft = [&](int of) { return (ends.bits[of] & 1u) != 0; };
  const auto         hasRight = [&](int of) { return (ends.bits[of] & 16u) != 0; };
  const auto         meets = [&](int of) {
    return hasLeft(of) && hasRight(of) && problem.AreJoined(memory.right.At(of), memory.left.At(of));
  };
  if (ends.bits[bundle] == 0)
  {
    return;
  }
  const bool ownMeets = meets(bundle);
  if (ownMeets)
  {
    memory.UniteOnce(bricks, ends.right[bundle], ends.left[bundle]);
  }
  // Diagonal links within the same bricks' rows; those to other bricks are the other warps'.
#pragma unroll 1
  for (int n = 0; n < problem.count; ++n)
  {
    const int y = (bundle & grid.MaskY()) + BackwardStepY(n);
    const int z = (bundle >> grid.bundlesShiftY) + BackwardStepZ(n);
    if (!problem.HasDiagonals(n) || y < 0 || y > grid.MaskY() || z < 0)
    {
      continue;
    }
    // A way over three sides says as much as the diagonal.
    const int  other = (z << grid.bundlesShiftY) + y;
    const bool otherMeets = meets(other);
    const bool leftsMeet =
      hasLeft(bundle) && hasLeft(other) && problem.AreJoined(memory.left.At(bundle), memory.left.At(other));
    const bool rightsMeet =
      hasRight(bundle) && hasRight(other) && problem.AreJoined(memory.right.At(bundle), memory.right.At(other));
    if (hasRight(bundle) && hasLeft(other) && !(ownMeets && leftsMeet) && !(rightsMeet && otherMeets) &&
        problem.AreJoined(memory.right.At(bundle), memory.left.At(other)))
    {
      memory.UniteOnce(bricks, ends.right[bundle], ends.left[other]);
    }
    if (hasLeft(bundle) && hasRight(other) && !(ownMeets && rightsMeet) && !(leftsMeet && otherMeets) &&
        problem.AreJoined(memory.left.At(bundle), memory.right.At(other)))
    {
      memory.UniteOnce(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

template <typename TProblem>
__global__ void
__launch_bounds__(BorderRole::Threads(false), 5)
  MergeRowBordersKernel(const __grid_constant__ TProblem problem, const __grid_constant__ BrickArrays bricks)
{
  __shared__ RowBorderMemory<TProblem> memory;
  const BundleGrid &                   grid = problem.grid;
  const BorderRole                     role(grid, problem.count == 2);
  memory.Clear();
  __syncthreads();
  WaitForEarlierKernels();
  if (role.n < 0)
  {
    if (role.isOurs)
    {
      memory.ReadEnds(problem, role.bundle, role.word, role.bundleY, role.bundleZ);
      memory.ReadEnds(problem,
                      role.bundle + 32,
                      role.word,
                      role.bundleY + role.HalfY(grid),
                      role.bundleZ + role.HalfZ(grid));
    }
    MergeEnds<RowLayout>(grid, bricks, role, memory, [&](int bundle) {
      UniteRowEnds(problem, bricks, bundle, memory);
    });
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
