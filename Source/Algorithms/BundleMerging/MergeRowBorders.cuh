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

/** Whether links lead to the bundles beside or not: one kernel for both. */
using RowBorderRole = BorderRole<3>;

/** What the warps at a brick's borders have in shared memory where values decide. */
template <typename TProblem>
struct RowBorderMemory : BorderMemory<RowLayout, RowBorderRole::parts>
{
  EndVoxels<TProblem> left;
  EndVoxels<TProblem> right;

  /** Reads a row's voxels beside the border along x, if it lies in the volume. */
  __device__ void
  ReadEnds(const TProblem & problem, const BrickPlace & place, int bundle)
  {
    const BundleGrid & grid = problem.grid;
    const std::int64_t row = grid.RowOf((place.y << grid.bundlesShiftY) + (bundle & grid.MaskY()),
                                        (place.z << grid.bundlesShiftZ) + (bundle >> grid.bundlesShiftY),
                                        0);
    if (row >= 0)
    {
      const auto * const voxel = problem.VoxelAt(row, std::int64_t{ place.x } * VoxelsPerBrickRow);
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
    memory.seen.Unite(bricks, ends.right[bundle], ends.left[bundle]);
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
      memory.seen.Unite(bricks, ends.right[bundle], ends.left[other]);
    }
    if (hasLeft(bundle) && hasRight(other) && !(ownMeets && rightsMeet) && !(leftsMeet && otherMeets) &&
        problem.AreJoined(memory.left.At(bundle), memory.right.At(other)))
    {
      memory.seen.Unite(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

template <typename TProblem>
__global__ void
__launch_bounds__(BorderThreads, 10)
  MergeRowBordersKernel(const __grid_constant__ TProblem problem, const __grid_constant__ BrickArrays bricks)
{
  __shared__ RowBorderMemory<TProblem> memory;
  const BundleGrid &                   grid = problem.grid;
  const RowBorderRole                  role(grid);
  memory.seen.Clear();
  __syncthreads();
  WaitForEarlierKernels();
  if (!role.HasBorder())
  {
    return;
  }
  if (role.side == AlongX)
  {
    memory.ReadEnds(problem, role.place, role.lane);
    memory.ReadEnds(problem, role.place, role.lane + 32);
    MergeEnds<RowLayout>(grid, bricks, role.place, memory.ends, [&](int bundle) {
      UniteRowEnds(problem, bricks, bundle, memory);
    });
    return;
  }
  ReadBorder<RowLayout>(grid, bricks, role, memory);
  if (!bricks.Fit())
  {
    return;
  }
  BackwardWords<RowBorderRole::parts> same = {};
  BackwardWords<RowBorderRole::parts> left = {};
  BackwardWords<RowBorderRole::parts> right = {};
  const auto                          window = [&](int at) {
    const BorderWord<RowLayout> & word = memory.words[role.side][at];
    return RunWindow{ word.Window().Row(0), word.starts, word.StartsAfter() };
  };
#pragma unroll 1
  for (int part = 0; part < (problem.count > 2 ? RowBorderRole::parts : 1); ++part)
  {
    const bool      has = role.HasLinks(part);
    const RunWindow from = has ? window(role.From(part)) : RunWindow{};
    const RunWindow to = has ? window(role.To(part)) : RunWindow{};
    if (!__any_sync(AllLanes, from.foreground.word != 0))
    {
      continue;
    }
    WordPlace    place;
    const auto * voxel = problem.voxels;
    if (role.Locate(grid, role.From(part), place))
    {
      const std::int64_t row = grid.RowOf(place.bundleY, place.bundleZ, 0);
      voxel = problem.VoxelAt(row, std::int64_t{ place.word } * BitsPerDeviceWord);
    }
    // The rows of the warp's lanes: of the brick, or those that face them.
    const bool                      areOthers = role.From(part) != role.Facing(false);
    const ReaderOf<TProblem>        rows(problem,
                                  role.place.x * WordsPerBrickRow,
                                  (role.place.y << grid.bundlesShiftY) - (areOthers ? 1 : 0),
                                  role.place.z << grid.bundlesShiftZ,
                                  role.side == AlongY);
    const VoxelComparison<TProblem> compare{ problem, voxel };
    const auto links = FindLinks(problem, rows, compare, role.BackwardBundle(part), from, to, 0).links;
    same.Set(part, links.same);
    left.Set(part, links.left);
    right.Set(part, links.right);
  }
  UniteLinks<RowLayout>(grid, bricks, role, memory, same, left, right);
}

} // namespace brickccl::cuda

#endif
