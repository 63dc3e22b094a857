#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Unions of components across the borders of bricks. */
namespace brickccl::cuda
{

/** A word of a bundle at a border, with what lies beside it and with what it takes to find its runs' components. */
template <typename TLayout>
struct BorderWord
{
  static constexpr int rowCount = TLayout::rowCount;

  WordPlace                          place;
  BundleWindow<DeviceWord, rowCount> window;
  DeviceWord                         starts;
  /** Whether a run is known to start at the first bit of the next word. */
  bool      startsAfter;
  unsigned  runsBefore;
  BrickBase base;

  /** \return false, with an empty window, if there is no such word. */
  __device__ bool
  Load(const BundleGrid & grid, const BrickArrays & bricks, int word, int bundleY, int bundleZ)
  {
    window = {};
    if (!place.Set(grid, word, bundleY, bundleZ))
    {
      return false;
    }
    const std::size_t        index = place.Index();
    const auto               kept = bricks.Kept<TLayout>(index);
    const RowWords<rowCount> words = TLayout::Rows(kept);
    const RowWords<rowCount> none = {};
    const RowWords<rowCount> left = word > 0 ? bricks.Rows<TLayout>(place.LeftIndex()) : none;
    const bool               hasRight = word + 1 < grid.bricksX * WordsPerBrickRow;
    const auto               right = hasRight ? bricks.Kept<TLayout>(place.RightIndex()) : typename TLayout::Kept{};
    runsBefore = bricks.runsBefore[index];
    base = bricks.bases[place.brick];
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    window.before = left.LastBits();
    window.after = TLayout::Rows(right).FirstBits();
    starts = TLayout::Starts(kept, word % WordsPerBrickRow > 0 ? left.United() : 0u);
    startsAfter = TLayout::keepsStarts && (TLayout::Starts(right, 0) & 1u) != 0;
    return true;
  }
  /** The component, among those of all bricks, that covers bit x. */
  __device__ unsigned
  ComponentAt(const BrickArrays & bricks, int x) const
  {
    return base.component + bricks.componentOfRun[base.run + RunAt(runsBefore, starts, x)];
  }
};

/** Unites two components. Roots in an order as good as random, so that trees stay shallow where many bricks in a row
 *  unite at once (Goel, Khanna, Larkin, Tarjan, Disjoint Set Union with Randomized Linking, 2014). */
__device__ inline void
UniteComponents(const BrickArrays & bricks, unsigned a, unsigned b)
{
  // Multiplication by an odd number permutes the numbers.
  Unite<CachedAccess>(bricks.parent, a, b, [](unsigned i, unsigned j) { return i * 0x9E3779B1u < j * 0x9E3779B1u; });
}

/** Unites two components for every lane of a warp that has them; most lanes of a border have the pair of the lane
 * before (the next word) or of the fourth before (the next bundle). */
__device__ inline void
UniteOfLanes(const BrickArrays & bricks, bool has, unsigned a, unsigned b)
{
  const int  lane = static_cast<int>(threadIdx.x % 32);
  const auto key = has ? static_cast<unsigned long long>(a) << 32 | b : ~0ull;
  const bool asOne = __shfl_up_sync(AllLanes, key, 1) == key && lane >= 1;
  const bool asFour = __shfl_up_sync(AllLanes, key, 4) == key && lane >= 4;
  if (has && !asOne && !asFour)
  {
    UniteComponents(bricks, a, b);
  }
}

/** Unites across all links from a word to the one at the same x in a bundle of another brick. All lanes must call. */
template <typename TLayout>
__device__ inline void
UniteLinks(const BundleGrid &              grid,
           const BrickArrays &             bricks,
           const BundleLinks<DeviceWord> & links,
           const BorderWord<TLayout> &     a,
           const BorderWord<TLayout> &     b)
{
  DeviceWord same = links.same;
  while (__any_sync(AllLanes, same != 0))
  {
    const int      x = LowestBit(same);
    const unsigned inA = same != 0 ? a.ComponentAt(bricks, x) : 0u;
    const unsigned inB = same != 0 ? b.ComponentAt(bricks, x) : 0u;
    UniteOfLanes(bricks, same != 0, inA, inB);
    same &= same - 1;
  }
  for (DeviceWord rest = links.left | links.right; rest != 0; rest &= rest - 1)
  {
    const int      x = LowestBit(rest);
    const unsigned inA = a.ComponentAt(bricks, x);
#pragma unroll 1
    for (int step = -1; step <= 1; step += 2)
    {
      if (((step < 0 ? links.left : links.right) >> x & 1u) != 0)
      {
        WordPlace  at = b.place;
        const int  to = x + step;
        const bool isThere = to >= 0 && to <= 31;
        if (!isThere)
        {
          at.Set(grid, b.place.word + step, b.place.bundleY, b.place.bundleZ);
        }
        UniteComponents(bricks, inA, isThere ? b.ComponentAt(bricks, to) : ComponentAt<TLayout>(bricks, at, to & 31));
      }
    }
  }
}

/** What the eight warps of a brick do at its borders. Three take the layer at its lower border along z to its backward
 * bundles along z; two the bundles at its lower border along y; one those at the upper border along y; two all at the
 * lower border along x. What crosses borders along z and y is the first three's. */
struct BorderRole
{
  static constexpr int Threads = 256;

  BrickPlace place;
  /** Which backward bundle; -1 at the border along x. */
  int n;
  int bundleY;
  int bundleZ;
  int word;
  /** Whether the warp's bundles follow each other along z. */
  bool alongZ;
  /** Whether this lane has a bundle to merge. */
  bool isOurs;

  __device__ explicit BorderRole(const BundleGrid & grid)
    : place(grid, blockIdx.x)
  {
    const int role = static_cast<int>(threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int firstY = place.y << grid.bundlesShiftY;
    const int firstZ = place.z << grid.bundlesShiftZ;
    if (role >= 6)
    {
      const int bundle = (role - 6) * 32 + lane;
      n = -1;
      bundleY = firstY + (bundle & grid.MaskY());
      bundleZ = firstZ + (bundle >> grid.bundlesShiftY);
      word = place.x * WordsPerBrickRow;
      alongZ = false;
      isOurs = place.x > 0;
      return;
    }
    const bool acrossZ = role < 3;
    const int  step = lane / WordsPerBrickRow;
    n = acrossZ ? role + 1 : role == 3 ? 0 : role - 2;
    bundleY = firstY + (acrossZ ? step : role < 5 ? 0 : grid.MaskY());
    bundleZ = firstZ + (acrossZ ? 0 : step);
    word = place.x * WordsPerBrickRow + lane % WordsPerBrickRow;
    alongZ = !acrossZ;
    const bool hasBorder = acrossZ ? place.z > 0 : role < 5 ? place.y > 0 : place.y + 1 < grid.bricksY;
    isOurs = hasBorder && (acrossZ || (step <= grid.MaskZ() && (step > 0 || BackwardStepZ(n) == 0)));
  }
};

/** Links across the lower border of a brick along x, one lane per bundle. */
template <Bundling VBundling>
__device__ inline void
MergeEnds(const BundleGrid & grid, const BrickArrays & bricks, int right, int y, int z)
{
  using Layout = BundleLayout<VBundling>;
  constexpr int rowCount = Layout::rowCount;
  WordPlace     atLeft, atRight;
  const bool    isBundle = atRight.Set(grid, right, y, z) && atLeft.Set(grid, right - 1, y, z) && bricks.Fit();
  const RowWords<rowCount> none = {};
  const RowWords<rowCount> leftWords = isBundle ? bricks.Rows<Layout>(atLeft.Index()) : none;
  const RowWords<rowCount> rightWords = isBundle ? bricks.Rows<Layout>(atRight.Index()) : none;
  const DeviceWord         endsLeft = leftWords.LastBits();
  const DeviceWord         beginsRight = rightWords.FirstBits();
  const bool               meets = endsLeft != 0 && beginsRight != 0;
  const unsigned           inRight = beginsRight != 0 ? ComponentAt<Layout>(bricks, atRight, 0) : 0u;
  const unsigned           inLeft = endsLeft != 0 ? ComponentAt<Layout>(bricks, atLeft, 31) : 0u;
  UniteOfLanes(bricks, meets, inRight, inLeft);
  // Diagonal links within the same bricks' bundles; those to other bricks are the other warps'.
  const bool hasDiagonals = VBundling != Bundling::Rows && (endsLeft != 0 || beginsRight != 0);
#pragma unroll 1
  for (int n = 0; n < BackwardBundles && hasDiagonals; ++n)
  {
    WordPlace thereLeft, thereRight;
    if (!thereLeft.Set(grid, right - 1, y + BackwardStepY(n), z + BackwardStepZ(n)) || thereLeft.brick != atLeft.brick)
    {
      continue;
    }
    thereRight.Set(grid, right, thereLeft.bundleY, thereLeft.bundleZ);
    const RowWords<rowCount>           otherLeft = bricks.Rows<Layout>(thereLeft.Index());
    const RowWords<rowCount>           otherRight = bricks.Rows<Layout>(thereRight.Index());
    BundleWindow<DeviceWord, rowCount> a = {};
    BundleWindow<DeviceWord, rowCount> b = {};
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      a.rows[r] = rightWords.rows[r];
      b.rows[r] = otherRight.rows[r];
    }
    a.before = endsLeft;
    b.before = otherLeft.LastBits();
    if ((LinksTo<VBundling>(n, a, b).left & 1u) != 0)
    {
      UniteComponents(bricks, inRight, ComponentAt<Layout>(bricks, thereLeft, 31));
    }
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      a.rows[r] = leftWords.rows[r];
      b.rows[r] = otherLeft.rows[r];
    }
    a.after = beginsRight;
    b.after = otherRight.FirstBits();
    if ((LinksTo<VBundling>(n, a, b).right >> 31) != 0)
    {
      UniteComponents(bricks, inLeft, ComponentAt<Layout>(bricks, thereRight, 0));
    }
  }
}

template <Bundling VBundling>
__global__ void
__launch_bounds__(BorderRole::Threads, 6)
  MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  using Layout = BundleLayout<VBundling>;
  const BorderRole role(grid);
  if (role.n < 0)
  {
    if (role.isOurs)
    {
      MergeEnds<VBundling>(grid, bricks, role.word, role.bundleY, role.bundleZ);
    }
    return;
  }
  if (VBundling == Bundling::Rows && role.n > 1)
  {
    return;
  }
  BorderWord<Layout> a, b;
  const bool         has =
    role.isOurs && a.Load(grid, bricks, role.word, role.bundleY, role.bundleZ) &&
    b.Load(grid, bricks, role.word, role.bundleY + BackwardStepY(role.n), role.bundleZ + BackwardStepZ(role.n));
  BundleLinks<DeviceWord> links = {};
  if (has && bricks.Fit())
  {
    links = LinksTo<VBundling>(role.n, a.window, b.window);
    links = links.Any() ? WithoutRepeats(links, a.window.United(), b.window.United()) : links;
  }
  UniteLinks(grid, bricks, links, a, b);
}

} // namespace brickccl::cuda

#endif
