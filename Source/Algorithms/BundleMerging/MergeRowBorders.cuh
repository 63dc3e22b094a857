#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BorderRows.cuh"

/** Unions of components across the borders of bricks, where values decide. */
namespace brickccl::cuda
{

/** The value of a voxel beside a border along x. For several channels it is a pointer to the voxel. */
template <typename TProblem>
using EndVoxel = std::conditional_t<TProblem::isOneChannel, typename TProblem::Pixel, const typename TProblem::Pixel *>;

/** The voxels at both sides of the border in one row. */
template <typename TProblem>
struct EndPair
{
  EndVoxel<TProblem> left;
  EndVoxel<TProblem> right;
};

/** The voxels beside a border along x in all rows of a brick. */
template <typename TProblem>
struct EndVoxels
{
  using Pixel = typename TProblem::Pixel;

  EndVoxel<TProblem> voxels[BorderEnds::bundles];

  __device__ static EndVoxel<TProblem>
  Read(const Pixel * voxel)
  {
    if constexpr (TProblem::isOneChannel)
    {
      return *voxel;
    }
    else
    {
      return voxel;
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

/** The shared memory of a warp at a border along z or y, where values decide. */
template <bool VAlongAxes, bool VTransitive, bool VKnowsSeparation>
struct RowBorderWords : BorderWords<RowLayout, RowBorderRole<VAlongAxes>::parts>
{
  using Role = RowBorderRole<VAlongAxes>;

  /** For a tolerance, where links lead to the bundles beside. */
  EndRuns endRuns[VAlongAxes || VTransitive ? 1 : Role::words];
  /** Where separated voxels may be known. */
  SeparationBits separation[VKnowsSeparation ? Role::words : 1];
};

/** The shared memory of a warp at a border along x, where values decide. */
template <typename TProblem>
struct RowBorderEnds : BorderEnds
{
  EndVoxels<TProblem> leftVoxels;
  EndVoxels<TProblem> rightVoxels;

  /** Starts to read a row's voxels beside the border along x, if the row lies in the volume. */
  __device__ static EndPair<TProblem>
  ReadVoxels(const TProblem &                            problem,
             const EndArrays<typename TProblem::Pixel> & endArrays,
             unsigned                                    brick,
             const BrickPlace &                          place,
             int                                         bundle)
  {
    if constexpr (IsTiled<TProblem>)
    {
      return { endArrays.Lasts(brick - 1)[bundle], endArrays.Firsts(brick)[bundle] };
    }
    else
    {
      const BundleGrid & grid = problem.grid;
      const std::int64_t row = grid.RowOf((place.y << grid.bundlesShiftY) + (bundle & grid.MaskY()),
                                          (place.z << grid.bundlesShiftZ) + (bundle >> grid.bundlesShiftY),
                                          0);
      if (row < 0)
      {
        return {};
      }
      const auto * const voxel = problem.VoxelAt(row, std::int64_t{ place.x } * VoxelsPerBrickRow);
      return { EndVoxels<TProblem>::Read(voxel - problem.Channels()), EndVoxels<TProblem>::Read(voxel) };
    }
  }
  __device__ void
  Keep(int bundle, const EndPair<TProblem> & pair)
  {
    leftVoxels.voxels[bundle] = pair.left;
    rightVoxels.voxels[bundle] = pair.right;
  }
};

/** Does what UniteEnds does. Each lane has one row. */
template <typename TProblem, bool VAlongAxes>
__device__ inline void
UniteRowEnds(const TProblem &                problem,
             const BrickArrays &             bricks,
             int                             bundle,
             const RowBorderEnds<TProblem> & ends,
             UnionsSeen &                    seen)
{
  const BundleGrid & grid = problem.grid;
  const auto         hasLeft = [&](int of) { return (ends.bits[of] & 1u) != 0; };
  const auto         hasRight = [&](int of) { return (ends.bits[of] & 16u) != 0; };
  const auto         meets = [&](int of) {
    return hasLeft(of) && hasRight(of) && problem.AreJoined(ends.rightVoxels.At(of), ends.leftVoxels.At(of));
  };
  if (ends.bits[bundle] == 0)
  {
    return;
  }
  const bool ownMeets = meets(bundle);
  if (ownMeets)
  {
    seen.Unite(bricks, ends.right[bundle], ends.left[bundle]);
    if constexpr (TProblem::isTransitive)
    {
      // Voxels that are equal to either of these are linked to both.
      return;
    }
  }
  // Diagonal links stay within the rows of the same two bricks here. Links to other bricks belong to the other warps.
#pragma unroll 1
  for (int n = 0; n < (VAlongAxes ? 0 : BackwardBundles); ++n)
  {
    const int y = (bundle & grid.MaskY()) + BackwardStepY(n);
    const int z = (bundle >> grid.bundlesShiftY) + BackwardStepZ(n);
    if (!problem.HasDiagonals(n) || y < 0 || y > grid.MaskY() || z < 0)
    {
      continue;
    }
    // Links along three sides imply the diagonal.
    const int  other = (z << grid.bundlesShiftY) + y;
    const bool otherMeets = meets(other);
    bool       leftsMeet = true;
    bool       rightsMeet = true;
    if constexpr (!TProblem::isTransitive)
    {
      leftsMeet =
        hasLeft(bundle) && hasLeft(other) && problem.AreJoined(ends.leftVoxels.At(bundle), ends.leftVoxels.At(other));
      rightsMeet = hasRight(bundle) && hasRight(other) &&
                   problem.AreJoined(ends.rightVoxels.At(bundle), ends.rightVoxels.At(other));
    }
    if (hasRight(bundle) && hasLeft(other) && !(ownMeets && leftsMeet) && !(rightsMeet && otherMeets) &&
        problem.AreJoined(ends.rightVoxels.At(bundle), ends.leftVoxels.At(other)))
    {
      seen.Unite(bricks, ends.right[bundle], ends.left[other]);
    }
    if (hasLeft(bundle) && hasRight(other) && !(ownMeets && rightsMeet) && !(leftsMeet && otherMeets) &&
        problem.AreJoined(ends.leftVoxels.At(bundle), ends.rightVoxels.At(other)))
    {
      seen.Unite(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

/** So many blocks of the kernel shall fit on a multiprocessor. */
template <typename TProblem, bool VAlongAxes>
inline constexpr int RowBorderBlocks = VAlongAxes ? TuningOf<Tuned::RowBorderBlocksOfFaces>
                                     : TProblem::isTransitive && sizeof(typename TProblem::Pixel) == 1
                                       ? TuningOf<Tuned::RowBorderBlocksOfEqualBytes>
                                       : TuningOf<Tuned::RowBorderBlocks>;

/** The share of shared memory that the kernel asks for. Voxels and forest are read through the cache, which the driver
 *  would leave as small as the solving kernel needs it. */
template <typename TProblem, bool VAlongAxes>
inline constexpr int RowBorderShared = VAlongAxes                            ? TuningOf<Tuned::RowBorderSharedOfFaces>
                                     : KnowsSeparation<TProblem, VAlongAxes> ? TuningOf<Tuned::RowBorderSharedOfKinds>
                                     : TProblem::isTransitive                ? TuningOf<Tuned::RowBorderSharedOfEqual>
                                                                             : TuningOf<Tuned::RowBorderShared>;

template <typename TProblem, bool VAlongAxes>
__global__ void
__launch_bounds__(BorderThreads, RowBorderBlocks<TProblem, VAlongAxes>)
  MergeRowBordersKernel(const __grid_constant__ TProblem    problem,
                        const __grid_constant__ BrickArrays bricks,
                        const __grid_constant__ RowArrays<typename TProblem::Pixel> ofBorders)
{
  using Role = RowBorderRole<VAlongAxes>;
  constexpr bool knowsSeparation = KnowsSeparation<TProblem, VAlongAxes>;
  using Words = RowBorderWords<VAlongAxes, TProblem::isTransitive, knowsSeparation>;
  __shared__ BorderMemory<Words, RowBorderEnds<TProblem>> memory;
  const BundleGrid &                                      grid = problem.grid;
  const Role                                              role(grid);
  memory.seen.Clear();
  __syncthreads();
  WaitForEarlierKernels();
  if (!role.HasBorder(grid))
  {
    return;
  }
  if (role.axis == AlongX)
  {
    RowBorderEnds<TProblem> & ends = memory.of[role.warp].ends;
    const auto                readVoxels = [&](int bundle) {
      return ends.ReadVoxels(problem, ofBorders.ends, role.brick, role.place, bundle);
    };
    const auto keepVoxels = [&](int bundle, const EndPair<TProblem> & pair) { ends.Keep(bundle, pair); };
    MergeEnds<RowLayout>(bricks, role.brick, ends, readVoxels, keepVoxels, [&](int bundle) {
      UniteRowEnds<TProblem, VAlongAxes>(problem, bricks, bundle, ends, memory.seen);
    });
    return;
  }
  Words &      ofWarp = memory.of[role.warp].words;
  bool         isSeparating = false;
  JoinedBefore before = {};
  if constexpr (KeepsJoined<TProblem, VAlongAxes>)
  {
    before.Fetch(grid, ofBorders.joined, role);
  }
  if constexpr (knowsSeparation)
  {
    BorderSeparation<Role> separation;
    separation.Fetch(grid, ofBorders.separation, role);
    isSeparating = ofBorders.separation.limits->areKnown;
    ReadBorder<RowLayout>(grid, bricks, role, ofWarp);
    separation.Store(role, ofWarp.separation);
    __syncwarp();
  }
  else
  {
    ReadBorder<RowLayout>(grid, bricks, role, ofWarp);
  }
  if (!bricks.Fit())
  {
    return;
  }
  if constexpr (TProblem::isTransitive)
  {
    EqualBorder<TProblem, VAlongAxes, Words>(problem, bricks, role, ofWarp).Unite(before, memory.seen);
  }
  else
  {
    CloseBorder<TProblem, VAlongAxes, Words>(problem, bricks, role, isSeparating, ofWarp).Unite(memory.seen);
  }
}

} // namespace brickccl::cuda

#endif
