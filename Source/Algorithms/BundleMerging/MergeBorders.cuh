#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Unions of components across the borders of bricks. */
namespace brickccl::cuda
{

/** A word of a bundle at a border. */
template <int N>
struct BorderWord
{
  WordPlace                   place;
  BundleWindow<DeviceWord, N> window;

  /** Loads a word of a bundle; all zero if there is none. */
  __device__ bool
  Load(const BundleGrid & grid, const BrickArrays & bricks, int word, int bundleY, int bundleZ)
  {
    window = {};
    if (!place.Set(grid, word, bundleY, bundleZ))
    {
      return false;
    }
    const RowWords<N> words = bricks.Bits<N>(place.Index());
#pragma unroll
    for (int r = 0; r < N; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    return true;
  }
  /** Loads what lies beside the word. */
  __device__ void
  LoadSides(const BundleGrid & grid, const BrickArrays & bricks)
  {
    if (place.word > 0)
    {
      window.before = bricks.Bits<N>(place.LeftIndex()).LastBits();
    }
    if (place.word + 1 < grid.bricksX * WordsPerBrickRow)
    {
      window.after = bricks.Bits<N>(place.RightIndex()).FirstBits();
    }
  }
};

/** Unites two components for every lane of a warp that has them; most lanes of a border have the pair of the lane
 * before (the next word) or of the fourth before (the next bundle). */
__device__ inline void
UniteOfLanes(unsigned * parent, bool has, unsigned a, unsigned b)
{
  const int  lane = static_cast<int>(threadIdx.x % 32);
  const auto key = has ? static_cast<unsigned long long>(a) << 32 | b : ~0ull;
  const bool asOne = __shfl_up_sync(FullWarp, key, 1) == key && lane >= 1;
  const bool asFour = __shfl_up_sync(FullWarp, key, 4) == key && lane >= 4;
  if (has && !asOne && !asFour)
  {
    Unite<CachedAccess>(parent, a, b);
  }
}

/** Unites across all links from a word to the one at the same x in a bundle of another brick. All lanes must call. */
template <int N>
__device__ inline void
UniteLinks(const BundleGrid &              grid,
           const BrickArrays &             bricks,
           const BundleLinks<DeviceWord> & links,
           const WordPlace &               a,
           const WordPlace &               b)
{
  DeviceWord same = links.same;
  DeviceWord left = links.left;
  DeviceWord right = links.right;
  while (__any_sync(FullWarp, (same | left | right) != 0))
  {
    const bool has = (same | left | right) != 0;
    unsigned   componentA = 0;
    unsigned   componentB = 0;
    if (has)
    {
      DeviceWord & rest = same != 0 ? same : left != 0 ? left : right;
      const int    x = LowestBit(rest);
      int          xInB = same != 0 ? x : left != 0 ? x - 1 : x + 1;
      rest &= rest - 1;
      WordPlace at = b;
      if (xInB < 0 || xInB > 31)
      {
        at.Set(grid, b.word + (xInB < 0 ? -1 : 1), b.bundleY, b.bundleZ);
        xInB &= 31;
      }
      componentA = ComponentAt<N>(bricks, a, x);
      componentB = ComponentAt<N>(bricks, at, xInB);
    }
    UniteOfLanes(bricks.parent, has, componentA, componentB);
  }
}

inline constexpr int BorderThreads = 5 * 32;

/** One block of five warps per brick: the layer at its lower border along z, the bundles at its lower and at its upper
 *  border along y, and in two warps all bundles at its lower border along x. */
template <Bundling VBundling>
__global__ void
MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  constexpr int rowCount = RowsOf(VBundling);
  using Word = BorderWord<rowCount>;
  const int        role = static_cast<int>(threadIdx.x / 32);
  const int        lane = static_cast<int>(threadIdx.x % 32);
  const BrickPlace place(grid, blockIdx.x);
  if (!bricks.Fit())
  {
    return;
  }
  const int firstY = place.y << grid.bundlesShiftY;
  const int firstZ = place.z << grid.bundlesShiftZ;
  if (role < 3)
  {
    if ((role == 0 && place.z == 0) || (role == 1 && place.y == 0) || (role == 2 && place.y + 1 == grid.bricksY))
    {
      return;
    }
    const int  step = lane / WordsPerBrickRow;
    const int  word = place.x * WordsPerBrickRow + lane % WordsPerBrickRow;
    const int  y = role == 0 ? step : role == 1 ? 0 : grid.MaskY();
    const int  z = role == 0 ? 0 : step;
    Word       a;
    const bool hasA = z <= grid.MaskZ() && a.Load(grid, bricks, word, firstY + y, firstZ + z) && a.window.United() != 0;
    if (!__any_sync(FullWarp, hasA))
    {
      return;
    }
    if (hasA)
    {
      a.LoadSides(grid, bricks);
    }
#pragma unroll
    for (int n = 0; n < BackwardBundles; ++n)
    {
      const bool crosses = role == 0 ? BackwardStepZ(n) < 0 : role == 1 ? BackwardStepY(n) < 0 : BackwardStepY(n) > 0;
      if (!crosses || (VBundling == Bundling::Rows && n > 1))
      {
        continue;
      }
      // What crosses the border along z, too, is the first warp's.
      const bool              isOurs = hasA && (role == 0 || z > 0 || BackwardStepZ(n) == 0);
      Word                    b;
      BundleLinks<DeviceWord> links = {};
      if (isOurs && b.Load(grid, bricks, word, firstY + y + BackwardStepY(n), firstZ + z + BackwardStepZ(n)))
      {
        b.LoadSides(grid, bricks);
        links = LinksTo<VBundling>(n, a.window, b.window);
        links = links.Any() ? WithoutRepeats(links, a.window.United(), b.window.United()) : links;
      }
      UniteLinks<rowCount>(grid, bricks, links, a.place, b.place);
    }
    return;
  }
  if (place.x == 0)
  {
    return;
  }
  const int  bundle = (role - 3) * 32 + lane;
  const int  y = firstY + (bundle & grid.MaskY());
  const int  z = firstZ + (bundle >> grid.bundlesShiftY);
  const int  right = place.x * WordsPerBrickRow;
  Word       atLeft, atRight;
  const bool isBundle = atRight.Load(grid, bricks, right, y, z) && atLeft.Load(grid, bricks, right - 1, y, z);
  const bool endsLeft = isBundle && (atLeft.window.United() >> 31) != 0;
  const bool beginsRight = isBundle && (atRight.window.United() & 1u) != 0;
  const bool meets = endsLeft && beginsRight;
  UniteOfLanes(bricks.parent,
               meets,
               meets ? ComponentAt<rowCount>(bricks, atRight.place, 0) : 0u,
               meets ? ComponentAt<rowCount>(bricks, atLeft.place, 31) : 0u);
  if (VBundling == Bundling::Rows || (!endsLeft && !beginsRight))
  {
    return;
  }
  atRight.window.before = RowWords<rowCount>(bricks.Bits<rowCount>(atLeft.place.Index())).LastBits();
  atLeft.window.after = RowWords<rowCount>(bricks.Bits<rowCount>(atRight.place.Index())).FirstBits();
  // Diagonal links within the same bricks' bundles; those to other bricks are the other warps'.
#pragma unroll
  for (int n = 0; n < BackwardBundles; ++n)
  {
    Word thereLeft, thereRight;
    if (!thereLeft.Load(grid, bricks, right - 1, y + BackwardStepY(n), z + BackwardStepZ(n)) ||
        thereLeft.place.brick != atLeft.place.brick)
    {
      continue;
    }
    thereRight.Load(grid, bricks, right, thereLeft.place.bundleY, thereLeft.place.bundleZ);
    thereRight.window.before = bricks.Bits<rowCount>(thereLeft.place.Index()).LastBits();
    thereLeft.window.after = bricks.Bits<rowCount>(thereRight.place.Index()).FirstBits();
    if (beginsRight && (LinksTo<VBundling>(n, atRight.window, thereRight.window).left & 1u) != 0)
    {
      Unite<CachedAccess>(bricks.parent,
                          ComponentAt<rowCount>(bricks, atRight.place, 0),
                          ComponentAt<rowCount>(bricks, thereLeft.place, 31));
    }
    if (endsLeft && (LinksTo<VBundling>(n, atLeft.window, thereLeft.window).right >> 31) != 0)
    {
      Unite<CachedAccess>(bricks.parent,
                          ComponentAt<rowCount>(bricks, atLeft.place, 31),
                          ComponentAt<rowCount>(bricks, thereRight.place, 0));
    }
  }
}

} // namespace brickccl::cuda

#endif
