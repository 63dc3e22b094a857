#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Unions of components across the borders of bricks. */
namespace brickccl::cuda
{

/** A word of a bundle at a border, with what lies beside it and with what it takes to find its runs' components. */
template <int N>
struct BorderWord
{
  WordPlace                   place;
  BundleWindow<DeviceWord, N> window;
  DeviceWord                  starts;
  unsigned                    runsBefore;
  BrickBase                   base;

  /** \return false, with an empty window, if there is no such word. */
  __device__ bool
  Load(const BundleGrid & grid, const BrickArrays & bricks, int word, int bundleY, int bundleZ)
  {
    window = {};
    if (!place.Set(grid, word, bundleY, bundleZ))
    {
      return false;
    }
    const std::size_t index = place.Index();
    const RowWords<N> words = bricks.Bits<N>(index);
    const RowWords<N> none = {};
    const RowWords<N> left = word > 0 ? bricks.Bits<N>(place.LeftIndex()) : none;
    const RowWords<N> right = word + 1 < grid.bricksX * WordsPerBrickRow ? bricks.Bits<N>(place.RightIndex()) : none;
    runsBefore = bricks.runsBefore[index];
    base = bricks.bases[place.brick];
#pragma unroll
    for (int r = 0; r < N; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    window.before = left.LastBits();
    window.after = right.FirstBits();
    starts = StartsOf(words.United(), word % WordsPerBrickRow > 0 ? left.United() : 0u);
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
  const bool asOne = __shfl_up_sync(FullWarp, key, 1) == key && lane >= 1;
  const bool asFour = __shfl_up_sync(FullWarp, key, 4) == key && lane >= 4;
  if (has && !asOne && !asFour)
  {
    UniteComponents(bricks, a, b);
  }
}

/** Unites across all links from a word to the one at the same x in a bundle of another brick. All lanes must call. */
template <int N>
__device__ inline void
UniteLinks(const BundleGrid &              grid,
           const BrickArrays &             bricks,
           const BundleLinks<DeviceWord> & links,
           const BorderWord<N> &           a,
           const BorderWord<N> &           b)
{
  DeviceWord same = links.same;
  while (__any_sync(FullWarp, same != 0))
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
        UniteComponents(bricks, inA, isThere ? b.ComponentAt(bricks, to) : ComponentAt<N>(bricks, at, to & 31));
      }
    }
  }
}

inline constexpr int BorderThreads = 256;
inline constexpr int BorderBlocksPerBrick = 8 * 32 / BorderThreads;

/** Links across the lower border of a brick along x, one lane per bundle. */
template <Bundling VBundling>
__device__ inline void
MergeEnds(const BundleGrid & grid, const BrickArrays & bricks, int right, int y, int z)
{
  constexpr int rowCount = RowsOf(VBundling);
  WordPlace     atLeft, atRight;
  const bool    isBundle = atRight.Set(grid, right, y, z) && atLeft.Set(grid, right - 1, y, z) && bricks.Fit();
  const RowWords<rowCount> none = {};
  const RowWords<rowCount> leftWords = isBundle ? bricks.Bits<rowCount>(atLeft.Index()) : none;
  const RowWords<rowCount> rightWords = isBundle ? bricks.Bits<rowCount>(atRight.Index()) : none;
  const DeviceWord         endsLeft = leftWords.LastBits();
  const DeviceWord         beginsRight = rightWords.FirstBits();
  const bool               meets = endsLeft != 0 && beginsRight != 0;
  const unsigned           inRight = beginsRight != 0 ? ComponentAt<rowCount>(bricks, atRight, 0) : 0u;
  const unsigned           inLeft = endsLeft != 0 ? ComponentAt<rowCount>(bricks, atLeft, 31) : 0u;
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
    const RowWords<rowCount>           otherLeft = bricks.Bits<rowCount>(thereLeft.Index());
    const RowWords<rowCount>           otherRight = bricks.Bits<rowCount>(thereRight.Index());
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
      UniteComponents(bricks, inRight, ComponentAt<rowCount>(bricks, thereLeft, 31));
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
      UniteComponents(bricks, inLeft, ComponentAt<rowCount>(bricks, thereRight, 0));
    }
  }
}

/** Eight warps per brick. Three take the layer at its lower border along z to its backward bundles along
 * z; two the bundles at its lower border along y; one those at the upper border along y; two all at the lower border
 * along x. What crosses borders along z and y is the first three's. */
template <Bundling VBundling>
__global__ void
__launch_bounds__(BorderThreads, 6)
  MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  constexpr int    rowCount = RowsOf(VBundling);
  const int        role = static_cast<int>((blockIdx.x % BorderBlocksPerBrick * BorderThreads + threadIdx.x) / 32);
  const int        lane = static_cast<int>(threadIdx.x % 32);
  const BrickPlace place(grid, blockIdx.x / BorderBlocksPerBrick);
  const int        firstY = place.y << grid.bundlesShiftY;
  const int        firstZ = place.z << grid.bundlesShiftZ;
  if (role >= 6)
  {
    const int bundle = (role - 6) * 32 + lane;
    if (place.x > 0)
    {
      MergeEnds<VBundling>(grid,
                           bricks,
                           place.x * WordsPerBrickRow,
                           firstY + (bundle & grid.MaskY()),
                           firstZ + (bundle >> grid.bundlesShiftY));
    }
    return;
  }
  const bool acrossZ = role < 3;
  const int  n = acrossZ ? role + 1 : role == 3 ? 0 : role - 2;
  const bool hasBorder = acrossZ ? place.z > 0 : role < 5 ? place.y > 0 : place.y + 1 < grid.bricksY;
  if (!hasBorder || (VBundling == Bundling::Rows && n > 1))
  {
    return;
  }
  const int            step = lane / WordsPerBrickRow;
  const int            word = place.x * WordsPerBrickRow + lane % WordsPerBrickRow;
  const int            y = firstY + (acrossZ ? step : role < 5 ? 0 : grid.MaskY());
  const int            z = firstZ + (acrossZ ? 0 : step);
  const bool           isOurs = acrossZ || (step <= grid.MaskZ() && (step > 0 || BackwardStepZ(n) == 0));
  BorderWord<rowCount> a, b;
  const bool           has = isOurs && a.Load(grid, bricks, word, y, z) &&
                   b.Load(grid, bricks, word, y + BackwardStepY(n), z + BackwardStepZ(n));
  BundleLinks<DeviceWord> links = {};
  if (has && bricks.Fit())
  {
    links = LinksTo<VBundling>(n, a.window, b.window);
    links = links.Any() ? WithoutRepeats(links, a.window.United(), b.window.United()) : links;
  }
  UniteLinks<rowCount>(grid, bricks, links, a, b);
}

} // namespace brickccl::cuda

#endif
