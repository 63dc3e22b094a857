#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/Borders.cuh"

/** Unions of components across the borders of bricks, where links follow the foreground. */
namespace brickccl::cuda
{

/** Unites across the lower border of a brick along x; each lane has one bundle. Diagonal links stay within the same two
 *  bricks here. Links to other bricks belong to the other warps. */
template <Bundling VBundling>
__device__ inline void
UniteEnds(const BundleGrid & grid, const BrickArrays & bricks, int bundle, const BorderEnds & ends, UnionsSeen & seen)
{
  constexpr int  rowCount = RowsOf(VBundling);
  const unsigned own = ends.bits[bundle];
  const unsigned lasts = own & 0xFu;
  const unsigned firsts = own >> 4;
  if (lasts != 0 && firsts != 0)
  {
    seen.Unite(bricks, ends.right[bundle], ends.left[bundle]);
  }
  if (VBundling == Bundling::Rows || own == 0)
  {
    return;
  }
  // Windows of one bit: to the right of the border, then to its left.
  const auto window = [](unsigned rows, int at, unsigned before, unsigned after) {
    BundleWindow<DeviceWord, rowCount> of;
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      of.rows[r] = (rows >> r & 1u) << at;
    }
    of.before = before;
    of.after = after;
    return of;
  };
#pragma unroll
  for (int n = 0; n < BackwardBundles; ++n)
  {
    const int y = (bundle & grid.MaskY()) + BackwardStepY(n);
    const int z = (bundle >> grid.bundlesShiftY) + BackwardStepZ(n);
    if (y < 0 || y > grid.MaskY() || z < 0)
    {
      continue;
    }
    const int      other = (z << grid.bundlesShiftY) + y;
    const unsigned otherLasts = ends.bits[other] & 0xFu;
    const unsigned otherFirsts = ends.bits[other] >> 4;
    if ((LinksTo<VBundling>(n, window(firsts, 0, lasts, 0), window(otherFirsts, 0, otherLasts, 0)).left & 1u) != 0)
    {
      seen.Unite(bricks, ends.right[bundle], ends.left[other]);
    }
    if ((LinksTo<VBundling>(n, window(lasts, 31, 0, firsts), window(otherLasts, 31, 0, otherFirsts)).right >> 31) != 0)
    {
      seen.Unite(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

template <Bundling VBundling>
__global__ void
__launch_bounds__(BorderThreads,
                  VBundling == Bundling::Rows ? TuningOf<Tuned::BorderBlocksOfFaces> : TuningOf<Tuned::BorderBlocks>)
  MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  using Layout = BundleLayout<VBundling>;
  constexpr int parts = VBundling == Bundling::Rows ? 1 : 3;
  constexpr int rowCount = RowsOf(VBundling);
  __shared__ BorderMemory<BorderWords<Layout, parts>, BorderEnds> memory;
  memory.seen.Clear();
  __syncthreads();
  const BorderRole<parts> role(grid);
  WaitForEarlierKernels();
  if (!role.HasBorder(grid))
  {
    return;
  }
  if (role.axis == AlongX)
  {
    BorderEnds & ends = memory.of[role.warp].ends;
    const auto   nothing = [](int) { return 0; };
    const auto   keepNothing = [](int, int) {};
    MergeEnds<Layout>(bricks, role.brick, ends, nothing, keepNothing, [&](int bundle) {
      UniteEnds<VBundling>(grid, bricks, bundle, ends, memory.seen);
    });
    return;
  }
  BorderWords<Layout, parts> & ofWarp = memory.of[role.warp].words;
  ReadBorder(grid, bricks, role, ofWarp);
  if (!bricks.Fit())
  {
    return;
  }
  const auto                               window = [&](int at) { return ofWarp.words[at].Window(); };
  const BundleWindow<DeviceWord, rowCount> own = window(role.Facing(false));
  const BundleWindow<DeviceWord, rowCount> other = window(role.Facing(true));
  // The bits at which a bundle of either brick touches the one before it there, which faces the bundle before the
  // lane's.
  DeviceWord touchesBefore = 0;
  DeviceWord otherTouchesBefore = 0;
  if (role.lane >= WordsPerBrickRow)
  {
    const auto touches = [&](const auto & a, const auto & b) {
      return role.axis == AlongZ ? LinksTo<VBundling>(0, a, b).same : LinksTo<VBundling>(1, a, b).same;
    };
    touchesBefore = touches(own, window(role.Facing(false) - WordsPerBrickRow));
    otherTouchesBefore = touches(other, window(role.Facing(true) - WordsPerBrickRow));
  }
  BackwardLinks<parts> found = {};
  DeviceWord           joinedFacing = 0;
#pragma unroll
  for (int part = 0; part < parts; ++part)
  {
    DeviceWord joined = 0;
    if (role.HasLinks(part))
    {
      const auto              a = window(role.From(part));
      const auto              b = window(role.To(part));
      BundleLinks<DeviceWord> links = LinksTo<VBundling>(role.BackwardBundle(part), a, b);
      links = links.Any() ? WithoutRepeats(links, a.United(), b.United()) : links;
      joined = JoinedBits(links, a.United() & b.United());
      found.same.of[part] = links.same;
      found.left.of[part] = links.left;
      found.right.of[part] = links.right;
    }
    found.same.of[part] &= ~BitBefore(joined);
    joinedFacing = part == 0 ? joined : joinedFacing;
    const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, joinedFacing, WordsPerBrickRow);
    DeviceWord       implied = 0;
    if (part == 0)
    {
      implied = touchesBefore & joinedBefore & otherTouchesBefore;
    }
    else if (part == 1)
    {
      implied = (touchesBefore & joinedBefore) | (joinedFacing & otherTouchesBefore);
    }
    else if (role.axis == AlongY)
    {
      implied = (joinedFacing & touchesBefore) | (otherTouchesBefore & joinedBefore);
    }
    else
    {
      const DeviceWord touchesNext = __shfl_down_sync(AllLanes, touchesBefore & joinedFacing, WordsPerBrickRow);
      const DeviceWord otherTouchesNext = __shfl_down_sync(AllLanes, otherTouchesBefore, WordsPerBrickRow);
      const bool       hasNext = role.lane < WordsPerLayer - WordsPerBrickRow;
      implied = hasNext ? touchesNext | (joinedFacing & otherTouchesNext) : 0u;
    }
    found.same.of[part] = WithoutImplied(found.same.of[part], joined, implied);
  }
  const auto all = [](const BorderLink &) { return true; };
  UniteLinks(grid, bricks, role, ofWarp, memory.seen, found, all);
}

} // namespace brickccl::cuda

#endif
