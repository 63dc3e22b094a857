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

/** A lane of a warp that unites across a border along z or y. All lanes must call. */
template <Bundling VBundling>
class MaskBorder
{
public:
  static constexpr int parts = VBundling == Bundling::Rows ? 1 : 3;
  using Role = BorderRole<parts>;
  using Words = BorderWords<BundleLayout<VBundling>, parts>;

  __device__
  MaskBorder(const BundleGrid & grid, const BrickArrays & bricks, const Role & role, Words & memory)
    : m_Grid(grid)
    , m_Bricks(bricks)
    , m_Role(role)
    , m_Memory(memory)
  {}

  __device__ __forceinline__ void
  Unite(UnionsSeen & seen)
  {
    FindTouching();
#pragma unroll
    for (int part = 0; part < parts; ++part)
    {
      FindLinks(part);
    }
    const auto all = [](const BorderLink &) { return true; };
    UniteLinks(m_Grid, m_Bricks, m_Role, m_Memory, seen, m_Links, all);
  }

private:
  using Window = BundleWindow<DeviceWord, RowsOf(VBundling)>;

  /** Finds where the bundles of the lane touch those before them. */
  __device__ __forceinline__ void
  FindTouching()
  {
    const Window own = WindowAt(m_Role.Facing(false));
    const Window other = WindowAt(m_Role.Facing(true));
    if (m_Role.lane >= WordsPerBrickRow)
    {
      const auto touches = [&](const Window & a, const Window & b) {
        return m_Role.axis == AlongZ ? LinksTo<VBundling>(0, a, b).same : LinksTo<VBundling>(1, a, b).same;
      };
      m_TouchesBefore = touches(own, WindowAt(m_Role.Facing(false) - WordsPerBrickRow));
      m_OtherTouchesBefore = touches(other, WindowAt(m_Role.Facing(true) - WordsPerBrickRow));
    }
  }
  /** Finds the links of a part, after those of the parts before it, that others do not imply. */
  __device__ __forceinline__ void
  FindLinks(int part)
  {
    DeviceWord joined = 0;
    if (m_Role.HasLinks(part))
    {
      const Window            a = WindowAt(m_Role.From(part));
      const Window            b = WindowAt(m_Role.To(part));
      BundleLinks<DeviceWord> links = LinksTo<VBundling>(m_Role.BackwardBundle(part), a, b);
      links = links.Any() ? WithoutRepeats(links, a.United(), b.United()) : links;
      joined = JoinedBits(links, a.United() & b.United());
      m_Links.same.of[part] = links.same;
      m_Links.left.of[part] = links.left;
      m_Links.right.of[part] = links.right;
    }
    m_Links.same.of[part] &= ~BitBefore(joined);
    m_JoinedFacing = part == 0 ? joined : m_JoinedFacing;
    m_Links.same.of[part] = WithoutImplied(m_Links.same.of[part], joined, ImpliedBits(part));
  }
  /** The bits at which a part's runs are linked by way of others. */
  __device__ __forceinline__ DeviceWord
  ImpliedBits(int part) const
  {
    const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_JoinedFacing, WordsPerBrickRow);
    if (part == 0)
    {
      return m_TouchesBefore & joinedBefore & m_OtherTouchesBefore;
    }
    if (part == 1)
    {
      return (m_TouchesBefore & joinedBefore) | (m_JoinedFacing & m_OtherTouchesBefore);
    }
    if (m_Role.axis == AlongY)
    {
      return (m_JoinedFacing & m_TouchesBefore) | (m_OtherTouchesBefore & joinedBefore);
    }
    const DeviceWord touchesNext = __shfl_down_sync(AllLanes, m_TouchesBefore & m_JoinedFacing, WordsPerBrickRow);
    const DeviceWord otherTouchesNext = __shfl_down_sync(AllLanes, m_OtherTouchesBefore, WordsPerBrickRow);
    const bool       hasNext = m_Role.lane < WordsPerLayer - WordsPerBrickRow;
    return hasNext ? touchesNext | (m_JoinedFacing & otherTouchesNext) : 0u;
  }
  __device__ __forceinline__ Window
  WindowAt(int at) const
  {
    return m_Memory.words[at].Window();
  }

  const BundleGrid &   m_Grid;
  const BrickArrays &  m_Bricks;
  const Role &         m_Role;
  Words &              m_Memory;
  BackwardLinks<parts> m_Links = {};
  /** The bits at which a bundle of either brick touches the one before it there, which faces the bundle before the
   *  lane's. */
  DeviceWord m_TouchesBefore = 0;
  DeviceWord m_OtherTouchesBefore = 0;
  /** The bits at which the lane's bundle and the one that faces it are joined. */
  DeviceWord m_JoinedFacing = 0;
};

template <Bundling VBundling>
__global__ void
__launch_bounds__(BorderThreads,
                  VBundling == Bundling::Rows ? TuningOf<Tuned::BorderBlocksOfFaces> : TuningOf<Tuned::BorderBlocks>)
  MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  using Border = MaskBorder<VBundling>;
  __shared__ BorderMemory<typename Border::Words, BorderEnds> memory;
  memory.seen.Clear();
  __syncthreads();
  const typename Border::Role role(grid);
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
    MergeEnds<BundleLayout<VBundling>>(bricks, role.brick, ends, nothing, keepNothing, [&](int bundle) {
      UniteEnds<VBundling>(grid, bricks, bundle, ends, memory.seen);
    });
    return;
  }
  auto & ofWarp = memory.of[role.warp].words;
  ReadBorder(grid, bricks, role, ofWarp);
  if (bricks.Fit())
  {
    Border(grid, bricks, role, ofWarp).Unite(memory.seen);
  }
}

} // namespace brickccl::cuda

#endif
