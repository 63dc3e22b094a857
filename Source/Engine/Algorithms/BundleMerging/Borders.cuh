// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BorderWords.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** The borders of bricks: which warp merges which border, and the unions of components that links join. */
namespace brickccl::cuda
{

/** The borders of a brick: those with the bricks before it. */
enum BorderAxis
{
  AlongZ,
  AlongY,
  AlongX
};

inline constexpr int BorderWarps = 3;
inline constexpr int BorderThreads = BorderWarps * 32;

/** A link across a border along z or y, packed into one word. */
struct BorderLink
{
  unsigned bits;

  BorderLink() = default;
  /** The link between the first bits of two words of the border. */
  __device__
  BorderLink(int from, int to, int part)
    : bits(static_cast<unsigned>(from) % 128 << 5 | static_cast<unsigned>(to) % 128 << 12 | 1u << 19 |
           static_cast<unsigned>(part) << 21)
  {}
  /** \param first  the link between the first bits of the two words
   *  \param x      the bit in the first word
   *  \param step   the bit in the other word, less x */
  __device__
  BorderLink(unsigned first, int x, int step)
    : bits(first + static_cast<unsigned>(x + step * (1 << 19)))
  {}
  __device__ int
  X() const
  {
    return static_cast<int>(bits & 31u);
  }
  __device__ int
  From() const
  {
    return static_cast<int>(bits >> 5 & 127u);
  }
  __device__ int
  To() const
  {
    return static_cast<int>(bits >> 12 & 127u);
  }
  /** The bit in the other word, from -1 to 32. */
  __device__ int
  ToX() const
  {
    return X() + static_cast<int>(bits >> 19 & 3u) - 1;
  }
  /** Whether it leads straight across the border. */
  __device__ bool
  IsFacing() const
  {
    return bits >> 19 == 1;
  }
};

/** Unites two components of bricks. */
__device__ inline void
UniteComponents(const BrickArrays & bricks, unsigned a, unsigned b)
{
  // The order of roots is as good as random, so that trees stay shallow where many bricks in a row unite at once (Goel,
  // Khanna, Larkin, Tarjan, Disjoint Set Union with Randomized Linking, 2014). Multiplication by an odd number permutes
  // the numbers.
  const auto comesFirst = [](unsigned i, unsigned j) { return i * 0x9E3779B1u < j * 0x9E3779B1u; };
  Unite<CachedAccess>(bricks.parent, a, b, comesFirst);
}

/** The shared memory of a warp at a border along z or y. First come the brick's own words, then those before them with
 *  one more bundle at either end. */
template <typename TLayout>
struct BorderWords
{
  static constexpr int others = WordsPerLayer;
  static constexpr int count = others + WordsPerLayer + 2 * WordsPerBrickRow;
  static_assert(count <= 128);

  BorderWord<TLayout> words[count];
  BorderLink          links[TuningOf<Tuned::ListedBorderLinks>];
};

/** A lane of a warp at one of the lower borders of a brick. The agents of borders derive from it: what they read there,
 *  and how they unite, is the same for all problems. Links across the brick's edges belong to the border along z, or
 *  else to that along y. Borders along one axis follow each other, so that warps that run at the same time run the same
 *  code: different code would not stay in the instruction cache.
 *  \tparam VParts  1 if links only lead straight across, 3 if they also lead to the next bundles in both directions
 *  \tparam TWords, TEnds  the shared memory of a warp at a border along z or y, and at one along x */
template <typename TLayout, int VParts, typename TWords, typename TEnds>
class BorderAgent
{
public:
  /** The shared memory of a block. */
  struct Memory
  {
    union
    {
      TWords words;
      TEnds  ends;
    } of[BorderWarps];
  };

  /** For a launch with as many blocks of BorderWarps warps as there are bricks. */
  __device__
  BorderAgent(const BundleGrid & bundleGrid, const BrickArrays & arrays, Memory & ofBlock)
    : grid(bundleGrid)
    , bricks(arrays)
    , memory(ofBlock)
    , warp(static_cast<int>(threadIdx.x / 32))
    , lane(static_cast<int>(threadIdx.x % 32))
    , axis(AxisOf(Number()))
    , brick(Number() - static_cast<unsigned>(axis) * gridDim.x)
    , place(bundleGrid, brick)
    , hasEdge(VParts > 1 && axis == AlongZ && lane < 2 * WordsPerBrickRow)
  {}

  /** Waits for the bricks. \return whether the warp has a border */
  __device__ __forceinline__ bool
  Begin()
  {
    WaitForEarlierKernels();
    return HasBorder();
  }
  __device__ bool
  Fit() const
  {
    return bricks.Fit();
  }
  __device__ bool
  IsAlongX() const
  {
    return axis == AlongX;
  }
  /** Unites across the links of a border along z or y. All lanes must call. */
  __device__ __forceinline__ void
  UniteLinks()
  {
    UniteLinks(OfWarp(), [](const BorderLink &) { return true; });
  }

protected:
  using Words = BorderWords<TLayout>;
  static constexpr int parts = VParts;

  const BundleGrid &  grid;
  const BrickArrays & bricks;
  Memory &            memory;
  int                 warp;
  int                 lane;
  int                 axis;
  unsigned            brick;
  BrickPlace          place;
  /** Whether this lane also has a word of the bundles next to those that face the brick's. */
  bool hasEdge;
  /** This lane's links, by parts. */
  BackwardLinks<VParts> m_Links = {};

  /** The warp's shared memory at a border along z or y. */
  __device__ TWords &
  OfWarp() const
  {
    return memory.of[warp].words;
  }
  /** Whether there is a brick at the other side to which links may lead. */
  __device__ bool
  HasBorder() const
  {
    return (axis == AlongX ? place.x : axis == AlongY ? place.y : grid.joinsSlices ? place.z : 0) > 0;
  }
  /** The backward bundle to which the links of a part lead. */
  __device__ int
  BackwardBundle(int part) const
  {
    return part > 0 ? part + 1 : axis == AlongZ ? 1 : 0;
  }
  /** The number, among the border's words, of this lane's word of the brick or of the word that faces it. */
  __device__ int
  Facing(bool isOther) const
  {
    return lane + (isOther ? Words::others + WordsPerBrickRow : 0);
  }
  /** The number of this lane's word of the bundles next to those that face the brick's. */
  __device__ int
  Edge() const
  {
    return Facing(true) + (lane < WordsPerBrickRow ? -WordsPerBrickRow : WordsPerLayer - WordsPerBrickRow);
  }
  /** The word that faces another one. */
  __device__ static int
  OppositeOf(int at)
  {
    return at < Words::others ? at + Words::others + WordsPerBrickRow : at - Words::others - WordsPerBrickRow;
  }
  /** The lane whose word, or whose facing word, this is, if there is one. */
  __device__ static int
  LaneOf(int at)
  {
    return at < Words::others ? at : OppositeOf(at);
  }
  __device__ static bool
  IsLane(int lane)
  {
    return lane >= 0 && lane < WordsPerLayer;
  }
  /** The word from which this lane's links of a part lead. */
  __device__ int
  From(int part) const
  {
    return Facing(axis == AlongY && part == 2);
  }
  __device__ int
  To(int part) const
  {
    return part == 0      ? Facing(true)
         : part == 1      ? Facing(true) - WordsPerBrickRow
         : axis == AlongZ ? Facing(true) + WordsPerBrickRow
                          : Facing(false) - WordsPerBrickRow;
  }
  /** Whether the border has links of a part. */
  __device__ bool
  HasLinks(int part) const
  {
    return part == 0 || axis == AlongZ || lane >= WordsPerBrickRow;
  }
  /** Finds the position of a word of the border. \return false if there is no such brick or bundle */
  __device__ bool
  Locate(int at, BrickWord & word) const
  {
    const bool isOther = at >= Words::others;
    const int  step = at / WordsPerBrickRow - (isOther ? Words::others / WordsPerBrickRow + 1 : 0);
    if (axis == AlongY)
    {
      const int bundle = (step << grid.bundlesShiftY) + (isOther ? grid.MaskY() : 0);
      word = { brick - static_cast<unsigned>(isOther ? grid.bricksX : 0),
               bundle * WordsPerBrickRow + at % WordsPerBrickRow };
      return step <= grid.MaskZ();
    }
    // One of the next bundles, at either end, is in the next brick.
    const int bricksY = step < 0 ? -1 : step / BundlesPerLayer;
    const int further = bricksY * grid.bricksX - (isOther ? grid.bricksX * grid.bricksY : 0);
    const int inLayer = (step - bricksY * BundlesPerLayer) * WordsPerBrickRow + at % WordsPerBrickRow;
    word = { brick + static_cast<unsigned>(further), inLayer + (isOther ? WordsPerBrick - WordsPerLayer : 0) };
    return place.y + bricksY >= 0 && place.y + bricksY < grid.bricksY;
  }
  /** The bundle of the same brick that is the n-th backward one of a bundle, or -1 if it is in another brick. */
  __device__ int
  BundleBefore(int bundle, int n) const
  {
    const int y = (bundle & grid.MaskY()) + BackwardStepY(n);
    const int z = (bundle >> grid.bundlesShiftY) + BackwardStepZ(n);
    return y < 0 || y > grid.MaskY() || z < 0 ? -1 : (z << grid.bundlesShiftY) + y;
  }

  /** Reads the words of a border along z or y. All lanes must call. */
  __device__ __forceinline__ void
  ReadWords(Words & ofWarp) const
  {
    const int            own = Facing(false);
    const int            other = Facing(true);
    const bool           hasLeft = place.x > 0;
    const bool           hasRight = place.x + 1 < grid.bricksX;
    BrickWord            word;
    FetchedWord<TLayout> atOwn, atOther, atEdge;
    atOwn.Fetch(bricks, Locate(own, word), word, hasLeft, hasRight);
    atOther.Fetch(bricks, Locate(other, word), word, hasLeft, hasRight);
    atEdge.Fetch(bricks, hasEdge && Locate(Edge(), word), word, hasLeft, hasRight);
    BorderWord<TLayout> * const words = ofWarp.words;
    words[own] = atOwn.Finish();
    words[other] = atOther.Finish();
    if (VParts > 1 && axis == AlongZ)
    {
      const BorderWord<TLayout> edge = atEdge.Finish();
      if (hasEdge)
      {
        words[Edge()] = edge;
      }
    }
    __syncwarp();
  }

  /** Unites across those links of a border along z or y that `isLink` takes. The lanes list their links and then share
   *  them out evenly. All lanes must call. */
  template <typename TIsLink>
  __device__ __forceinline__ void
  UniteLinks(Words & ofWarp, const TIsLink & isLink)
  {
    const BorderWord<TLayout> * const words = ofWarp.words;
    LinkList<VParts, VParts>          list(m_Links);
    BackwardWords<VParts>             firsts;
#pragma unroll
    for (int part = 0; part < VParts; ++part)
    {
      firsts.of[part] = BorderLink(From(part), To(part), part).bits;
    }
    const auto next = [&] {
      const int x = list.Next();
      return BorderLink(firsts.Get(list.To()), x, list.Step());
    };
    ShareOut<IfMany::ListSome>(ofWarp.links, list.Count(), next, [&](const BorderLink & link) {
      // All reads are started before the first one is waited for.
      const BorderWord<TLayout> & a = words[link.From()];
      const unsigned              inA = bricks.componentOfRun[a.RunAt(link.X())];
      // The words of a row lie side by side.
      const int      at = link.To();
      const int      to = link.ToX();
      const int      beside = to >> 5;
      const unsigned inRow = static_cast<unsigned>(at % WordsPerBrickRow + beside);
      const int      bit = to & 31;
      unsigned       inB;
      unsigned       firstOfB = 0;
      if (inRow < WordsPerBrickRow)
      {
        const BorderWord<TLayout> & b = words[at + beside];
        firstOfB = b.component;
        inB = bricks.componentOfRun[b.RunAt(bit)];
      }
      else
      {
        // The border has not read that word.
        BrickWord word;
        Locate(at, word);
        inB = ComponentAt<TLayout>(bricks, word.Beside(beside), bit);
      }
      if (isLink(link))
      {
        UniteComponents(bricks, a.component + inA, firstOfB + inB);
      }
    });
  }

  /** Does the same across a border along x. Each lane has two bundles.
   *  \param readMore   called with each bundle while its ends are read; starts further reads
   *  \param keepMore   called with each bundle and what `readMore` returned
   *  \param uniteEnds  called with each bundle when all ends are known */
  template <typename TReadMore, typename TKeepMore, typename TUniteEnds>
  __device__ __forceinline__ void
  ReadAndUniteEnds(BorderEnds &       ends,
                   const TReadMore &  readMore,
                   const TKeepMore &  keepMore,
                   const TUniteEnds & uniteEnds) const
  {
    static_assert(BorderEnds::bundles == 64);
    const int           first = static_cast<int>(threadIdx.x % 32);
    const int           second = first + 32;
    BundleEnds<TLayout> low, high;
    low.Fetch(bricks, brick, first);
    high.Fetch(bricks, brick, second);
    const bool fits = bricks.Fit();
    const auto lowMore = readMore(first);
    const auto highMore = readMore(second);
    low.FetchComponents(bricks, fits);
    high.FetchComponents(bricks, fits);
    low.Store(first, ends);
    high.Store(second, ends);
    keepMore(first, lowMore);
    keepMore(second, highMore);
    __syncwarp();
    // Both bundles run the same code: twice as much would not stay in the instruction cache.
#pragma unroll 1
    for (int bundle = first; bundle < BorderEnds::bundles; bundle += 32)
    {
      uniteEnds(bundle);
      __syncwarp();
    }
  }

private:
  /** The number of the warp in all blocks. */
  __device__ static unsigned
  Number()
  {
    return blockIdx.x * BorderWarps + threadIdx.x / 32;
  }
  __device__ static int
  AxisOf(unsigned number)
  {
    static_assert(BorderWarps == 3);
    return number < gridDim.x ? AlongZ : number < 2 * gridDim.x ? AlongY : AlongX;
  }
};

/** Merges the lower borders of all bricks, one per warp. There are as many blocks of BorderWarps warps as bricks; a
 *  block's warps mostly have borders along one axis of several bricks. TBorder is BitBorder, EqualBorder or
 * CloseBorder, which define the phases. */
template <typename TBorder>
__global__ void
__launch_bounds__(BorderThreads, TBorder::blocks)
  MergeBordersKernel(const __grid_constant__ typename TBorder::Problem    problem,
                     const __grid_constant__ BrickArrays                  bricks,
                     const __grid_constant__ typename TBorder::ForBorders forBorders)
{
  __shared__ typename TBorder::Memory memory;
  TBorder                             border(problem, bricks, forBorders, memory);
  if (!border.Begin())
  {
    return;
  }
  if (border.IsAlongX())
  {
    border.MergeEnds();
    return;
  }
  border.Read();
  if (border.Fit())
  {
    border.FindLinks();
    border.UniteLinks();
  }
}

} // namespace brickccl::cuda

#endif
