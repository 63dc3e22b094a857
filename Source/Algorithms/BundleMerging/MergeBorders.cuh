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
  /** Links along the axes alone do not ask for what lies beside. */
  static constexpr bool readsBeside = TLayout::bundling != Bundling::Rows || TLayout::keepsStarts;

  WordPlace                          place;
  BundleWindow<DeviceWord, rowCount> window;
  DeviceWord                         starts;
  /** Whether a run is known to start at the first bit of the next word. */
  bool      startsAfter;
  unsigned  runsBefore;
  BrickBase base;
  /** What is kept of the word, and of the one beside it in the next brick if it is at its brick's border along x. */
  typename TLayout::Kept kept;
  typename TLayout::Kept beside;

  /** Starts to read a word, that of this lane in its bundle's row, if there is one (`has`); Finish follows. So the
   * words of several places are read at once. */
  __device__ void
  Fetch(const BundleGrid & grid, const BrickArrays & bricks, bool has)
  {
    kept = {};
    beside = {};
    runsBefore = 0;
    base = {};
    if (has)
    {
      const int         inRow = place.word % WordsPerBrickRow;
      const std::size_t index = place.Index();
      kept = bricks.Kept<TLayout>(index);
      const bool hasLeft = inRow == 0 && place.word > 0;
      const bool hasRight = inRow == WordsPerBrickRow - 1 && place.word + 1 < grid.bricksX * WordsPerBrickRow;
      if (readsBeside && (hasLeft || hasRight))
      {
        beside = bricks.Kept<TLayout>(hasLeft ? place.LeftIndex() : place.RightIndex());
      }
      runsBefore = bricks.runsBefore[index];
      base = bricks.bases[place.brick];
    }
  }
  /** All lanes must call: those beside this one have the words beside its own. */
  __device__ void
  Finish()
  {
    const int                inRow = static_cast<int>(threadIdx.x) % WordsPerBrickRow;
    const bool               isFirst = inRow == 0;
    const bool               isLast = inRow == WordsPerBrickRow - 1;
    const RowWords<rowCount> words = TLayout::Rows(kept);
    const unsigned           lastBits = __shfl_up_sync(AllLanes, words.LastBits(), 1);
    const unsigned           firstBits = __shfl_down_sync(AllLanes, words.FirstBits(), 1);
#pragma unroll
    for (int r = 0; r < rowCount; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    window.before = isFirst ? TLayout::Rows(beside).LastBits() : lastBits;
    window.after = isLast ? TLayout::Rows(beside).FirstBits() : firstBits;
    starts = TLayout::Starts(kept, !isFirst && lastBits != 0 ? 1u << 31 : 0u);
    startsAfter = false;
    if constexpr (TLayout::keepsStarts)
    {
      const unsigned next = __shfl_down_sync(AllLanes, starts, 1);
      startsAfter = ((isLast ? TLayout::Starts(beside, 0) : next) & 1u) != 0;
    }
  }
  /** The run, among those of all bricks, that covers bit x. */
  __device__ unsigned
  RunAt(int x) const
  {
    return base.run + cuda::RunAt(runsBefore, starts, x);
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

/** What the warps of a block do at a brick's borders. Three take the layer at its lower border along z to its backward
 * bundles along z; two the bundles at its lower border along y; one those at the upper border along y; the last all at
 * the lower border along x. What crosses borders along z and y is the first three's. Where links go along the axes
 * alone, one is enough for z and one for y. */
struct BorderRole
{
  static constexpr int
  Threads(bool isStraight)
  {
    return 32 * (isStraight ? 3 : 7);
  }

  BrickPlace place;
  /** Which backward bundle; -1 at the border along x. */
  int n;
  /** At the border along x: which bundle of the brick, of two; the other one is the 32nd behind it. */
  int bundle;
  int bundleY;
  int bundleZ;
  int word;
  /** Whether the warp's bundles follow each other along z. */
  bool alongZ;
  /** Whether this lane has a bundle to merge. */
  bool isOurs;

  __device__
  BorderRole(const BundleGrid & grid, bool isStraight)
    : place(grid, blockIdx.x)
  {
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int role = !isStraight ? warp : warp == 0 ? 0 : warp == 1 ? 3 : warp + 4;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int firstY = place.y << grid.bundlesShiftY;
    const int firstZ = place.z << grid.bundlesShiftZ;
    if (role == 6)
    {
      bundle = lane;
      n = -1;
      bundleY = firstY + (bundle & grid.MaskY());
      bundleZ = firstZ + (bundle >> grid.bundlesShiftY);
      word = place.x * WordsPerBrickRow;
      alongZ = false;
      isOurs = place.x > 0;
      return;
    }
    bundle = 0;
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
  /** How many bundles further on the 32nd behind a bundle lies. */
  __device__ static int
  HalfY(const BundleGrid & grid)
  {
    return 32 & grid.MaskY();
  }
  __device__ static int
  HalfZ(const BundleGrid & grid)
  {
    return 32 >> grid.bundlesShiftY;
  }
};

/** Reads a word at a border and the one at the same x in the bundle that it is merged with. All lanes must call.
 *  \return whether there are these words */
template <typename TLayout>
__device__ inline bool
FetchBoth(const BundleGrid &    grid,
          const BrickArrays &   bricks,
          const BorderRole &    role,
          BorderWord<TLayout> & a,
          BorderWord<TLayout> & b)
{
  const int  y = role.bundleY + BackwardStepY(role.n);
  const int  z = role.bundleZ + BackwardStepZ(role.n);
  const bool has =
    role.isOurs && a.place.Set(grid, role.word, role.bundleY, role.bundleZ) && b.place.Set(grid, role.word, y, z);
  a.Fetch(grid, bricks, has);
  b.Fetch(grid, bricks, has);
  const bool fits = bricks.Fit();
  a.Finish();
  b.Finish();
  return has && fits;
}

/** Two runs that a link joins, or their components where these are known. */
struct BorderPair
{
  static constexpr unsigned noRun = 0xFFFFFFFFu;

  unsigned runA;
  unsigned runB;
  /** With a run what to add to its component in the brick. */
  unsigned componentA;
  unsigned componentB;
};

/** The ends of a brick's bundles at its lower border along x. */
struct BorderEnds
{
  static constexpr int bundles = WordsPerBrick / WordsPerBrickRow;

  /** Bits of each bundle's rows: 0 to 3 the last ones to the left of the border, 4 to 7 the first ones to its right. */
  unsigned char bits[bundles];
  /** Components of the runs there, among those of all bricks. */
  unsigned left[bundles];
  unsigned right[bundles];
};

/** What the warps at a brick's borders have in shared memory. */
struct BorderMemory
{
  static constexpr int seenBits = 8;

  BorderEnds ends;
  BorderPair pairs[6][64];
  /** Pairs of components that were united, each at the place that its hash says, until another one comes there. */
  unsigned long long seen[1 << seenBits];

  /** To be followed by a barrier. */
  __device__ void
  Clear()
  {
    for (unsigned i = threadIdx.x; i < 1u << seenBits; i += blockDim.x)
    {
      seen[i] = ~0ull;
    }
  }
  /** Unites two components. Most pairs of a border have been seen before. */
  __device__ void
  UniteOnce(const BrickArrays & bricks, unsigned a, unsigned b)
  {
    const auto     key = static_cast<unsigned long long>(a) << 32 | b;
    const unsigned hash = (a * 0x9E3779B1u ^ b * 0x85EBCA6Bu) >> (32 - seenBits);
    if (atomicExch(seen + hash, key) != key)
    {
      UniteComponents(bricks, a, b);
    }
  }
};

/** Unites across all links from a word to the one at the same x in a bundle of another brick: the lanes list their
 *  links' runs and then share them out evenly. All lanes must call. */
template <typename TLayout>
__device__ inline void
UniteLinks(const BundleGrid &              grid,
           const BrickArrays &             bricks,
           BorderMemory &                  memory,
           const BundleLinks<DeviceWord> & links,
           const BorderWord<TLayout> &     a,
           const BorderWord<TLayout> &     b)
{
  DeviceWord same = links.same;
  DeviceWord left = links.left;
  DeviceWord right = links.right;
  const auto next = [&] {
    if (same != 0)
    {
      const int x = LowestBit(same);
      same &= same - 1;
      return BorderPair{ a.RunAt(x), b.RunAt(x), a.base.component, b.base.component };
    }
    const bool   isLeft = left != 0;
    DeviceWord & rest = isLeft ? left : right;
    const int    x = LowestBit(rest);
    const int    to = isLeft ? x - 1 : x + 1;
    rest &= rest - 1;
    if (to >= 0 && to <= 31)
    {
      return BorderPair{ a.RunAt(x), b.RunAt(to), a.base.component, b.base.component };
    }
    WordPlace there;
    there.Set(grid, b.place.word + (isLeft ? -1 : 1), b.place.bundleY, b.place.bundleZ);
    return BorderPair{ a.RunAt(x), BorderPair::noRun, a.base.component, ComponentAt<TLayout>(bricks, there, to & 31) };
  };
  ShareOut<IfMany::TakeSome>(memory.pairs[threadIdx.x / 32],
                             static_cast<unsigned>(__popc(same) + __popc(left) + __popc(right)),
                             next,
                             [&](const BorderPair & pair) {
                               const unsigned inA = bricks.componentOfRun[pair.runA];
                               const unsigned inB =
                                 pair.runB != BorderPair::noRun ? bricks.componentOfRun[pair.runB] : 0u;
                               memory.UniteOnce(bricks, pair.componentA + inA, pair.componentB + inB);
                             });
}

/** The ends of one bundle, as they are read. */
template <typename TLayout>
struct BundleEnds
{
  typename TLayout::Kept      left;
  RowWords<TLayout::rowCount> beforeLeft;
  typename TLayout::Kept      right;
  unsigned                    runsLeft;
  unsigned                    runsRight;
  BrickBase                   baseLeft;
  BrickBase                   baseRight;

  /** Reads a bundle's last word of the brick before and first one of the brick; none if there are no such words. */
  __device__ void
  Fetch(const BundleGrid & grid, const BrickArrays & bricks, bool has, int word, int bundleY, int bundleZ)
  {
    WordPlace atLeft, atRight;
    left = {};
    beforeLeft = {};
    right = {};
    if (has && atRight.Set(grid, word, bundleY, bundleZ) && atLeft.Set(grid, word - 1, bundleY, bundleZ))
    {
      left = bricks.Kept<TLayout>(atLeft.Index());
      if constexpr (!TLayout::keepsStarts)
      {
        beforeLeft = bricks.Rows<TLayout>(atLeft.Index() - 1);
      }
      right = bricks.Kept<TLayout>(atRight.Index());
      runsLeft = bricks.runsBefore[atLeft.Index()];
      runsRight = bricks.runsBefore[atRight.Index()];
      baseLeft = bricks.bases[atLeft.brick];
      baseRight = bricks.bases[atRight.brick];
    }
  }
  __device__ void
  Store(const BrickArrays & bricks, bool fits, int bundle, BorderEnds & ends) const
  {
    const unsigned lasts = fits ? TLayout::Rows(left).LastBits() : 0u;
    const unsigned firsts = fits ? TLayout::Rows(right).FirstBits() : 0u;
    ends.bits[bundle] = static_cast<unsigned char>(lasts | firsts << 4);
    if (lasts != 0)
    {
      const DeviceWord starts = TLayout::Starts(left, beforeLeft.United());
      ends.left[bundle] = bricks.ComponentOf(baseLeft, RunAt(runsLeft, starts, 31));
    }
    if (firsts != 0)
    {
      ends.right[bundle] = bricks.ComponentOf(baseRight, runsRight);
    }
  }
};

/** Links across the lower border of a brick along x, one lane per bundle; diagonal ones within the same bricks: those
 * to other bricks are the other warps'. */
template <Bundling VBundling>
__device__ inline void
UniteEnds(const BundleGrid & grid, const BrickArrays & bricks, int bundle, BorderMemory & memory)
{
  const BorderEnds & ends = memory.ends;
  constexpr int      rowCount = RowsOf(VBundling);
  const unsigned     own = ends.bits[bundle];
  const unsigned     lasts = own & 0xFu;
  const unsigned     firsts = own >> 4;
  if (lasts != 0 && firsts != 0)
  {
    memory.UniteOnce(bricks, ends.right[bundle], ends.left[bundle]);
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
      memory.UniteOnce(bricks, ends.right[bundle], ends.left[other]);
    }
    if ((LinksTo<VBundling>(n, window(lasts, 31, 0, firsts), window(otherLasts, 31, 0, otherFirsts)).right >> 31) != 0)
    {
      memory.UniteOnce(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

/** As UniteLinks, across the lower border along x, by one warp with two bundles a lane.
 *  \param uniteEnds  called with each bundle when all ends are known */
template <typename TLayout, typename TUniteEnds>
__device__ inline void
MergeEnds(const BundleGrid &  grid,
          const BrickArrays & bricks,
          const BorderRole &  role,
          BorderMemory &      memory,
          const TUniteEnds &  uniteEnds)
{
  BundleEnds<TLayout> low, high;
  low.Fetch(grid, bricks, role.isOurs, role.word, role.bundleY, role.bundleZ);
  high.Fetch(grid, bricks, role.isOurs, role.word, role.bundleY + role.HalfY(grid), role.bundleZ + role.HalfZ(grid));
  const bool fits = bricks.Fit();
  low.Store(bricks, fits, role.bundle, memory.ends);
  high.Store(bricks, fits, role.bundle + 32, memory.ends);
  __syncwarp();
  uniteEnds(role.bundle);
  uniteEnds(role.bundle + 32);
}

template <Bundling VBundling>
__global__ void
__launch_bounds__(BorderRole::Threads(VBundling == Bundling::Rows), VBundling == Bundling::Rows ? 12 : 6)
  MergeBordersKernel(const __grid_constant__ BundleGrid grid, const __grid_constant__ BrickArrays bricks)
{
  __shared__ BorderMemory memory;
  memory.Clear();
  __syncthreads();
  const BorderRole role(grid, VBundling == Bundling::Rows);
  WaitForEarlierKernels();
  if (role.n < 0)
  {
    MergeEnds<BundleLayout<VBundling>>(grid, bricks, role, memory, [&](int bundle) {
      UniteEnds<VBundling>(grid, bricks, bundle, memory);
    });
    return;
  }
  BorderWord<BundleLayout<VBundling>> a, b;
  BundleLinks<DeviceWord>             links = {};
  if (FetchBoth(grid, bricks, role, a, b))
  {
    links = LinksTo<VBundling>(role.n, a.window, b.window);
    links = links.Any() ? WithoutRepeats(links, a.window.United(), b.window.United()) : links;
  }
  UniteLinks(grid, bricks, memory, links, a, b);
}

} // namespace brickccl::cuda

#endif
