#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** The borders of bricks: which warp merges which border, what it reads there, and the unions of components that links
 *  join. */
namespace brickccl::cuda
{

/** A word of a bundle at a border, with what is needed to find its links and the components of its runs. */
template <typename TLayout>
struct BorderWord
{
  RowWords<TLayout::rowCount> rows;
  /** Bits of rows: bits 0 to 3 are those before the word, bits 4 to 7 those behind it. Bit 8 says whether a run is
   *  known to start there. */
  unsigned   beside;
  DeviceWord starts;
  /** The runs before the word, counted over all bricks. */
  unsigned runsBefore;
  /** What to add to the components of its runs in the brick. */
  unsigned   component;
  __device__ BundleWindow<DeviceWord, TLayout::rowCount>
             Window() const
  {
    BundleWindow<DeviceWord, TLayout::rowCount> window;
#pragma unroll
    for (int r = 0; r < TLayout::rowCount; ++r)
    {
      window.rows[r] = rows.rows[r];
    }
    window.before = beside & 0xFu;
    window.after = beside >> 4 & 0xFu;
    return window;
  }
  __device__ bool
  StartsAfter() const
  {
    return (beside >> 8 & 1u) != 0;
  }
  /** The run that covers bit x, numbered over all bricks. */
  __device__ unsigned
  RunAt(int x) const
  {
    return cuda::RunAt(runsBefore, starts, x);
  }
};

/** What a lane reads of a word. It is read first for several words, so that their latencies overlap. */
template <typename TLayout>
struct FetchedWord
{
  using Kept = typename TLayout::Kept;
  /** With face connectivity nobody asks for the bits beside a word. */
  static constexpr bool readsBeside = TLayout::bundling != Bundling::Rows || TLayout::keepsStarts;

  Kept kept;
  /** What is kept of the word beside it in the next brick, if the word is at its brick's border along x. */
  Kept      beside;
  unsigned  runsBefore;
  BrickBase base;

  /** Starts to read the word of this lane in its bundle's row, if `has` says that there is one. */
  __device__ void
  Fetch(const BrickArrays & bricks, bool has, const BrickWord & word, bool hasLeftBrick, bool hasRightBrick)
  {
    kept = {};
    beside = {};
    runsBefore = 0;
    base = {};
    if (has)
    {
      const int         inRow = word.local % WordsPerBrickRow;
      const std::size_t index = word.Index();
      kept = bricks.Kept<TLayout>(index);
      const bool hasLeft = inRow == 0 && hasLeftBrick;
      const bool hasRight = inRow == WordsPerBrickRow - 1 && hasRightBrick;
      if (readsBeside && (hasLeft || hasRight))
      {
        beside = bricks.Kept<TLayout>(word.Beside(hasLeft ? -1 : 1).Index());
      }
      runsBefore = bricks.runsBefore[index];
      base = bricks.bases[word.brick];
    }
  }
  /** All lanes must call: the lanes beside this one have the words beside its word. */
  __device__ BorderWord<TLayout>
             Finish() const
  {
    const int           inRow = static_cast<int>(threadIdx.x) % WordsPerBrickRow;
    const bool          isFirst = inRow == 0;
    const bool          isLast = inRow == WordsPerBrickRow - 1;
    BorderWord<TLayout> word;
    word.rows = TLayout::Rows(kept);
    const unsigned lastBits = __shfl_up_sync(AllLanes, word.rows.LastBits(), 1);
    const unsigned firstBits = __shfl_down_sync(AllLanes, word.rows.FirstBits(), 1);
    word.beside = (isFirst ? TLayout::Rows(beside).LastBits() : lastBits) |
                  (isLast ? TLayout::Rows(beside).FirstBits() : firstBits) << 4;
    word.starts = TLayout::Starts(kept, !isFirst && lastBits != 0 ? 1u << 31 : 0u);
    if constexpr (TLayout::keepsStarts)
    {
      const unsigned next = __shfl_down_sync(AllLanes, word.starts, 1);
      word.beside |= ((isLast ? TLayout::Starts(beside, 0) : next) & 1u) << 8;
    }
    word.runsBefore = base.run + runsBefore;
    word.component = base.component;
    return word;
  }
};

/** Unites two components. The order of roots is as good as random, so that trees stay shallow where many bricks in a
 *  row unite at once (Goel, Khanna, Larkin, Tarjan, Disjoint Set Union with Randomized Linking, 2014). */
__device__ inline void
UniteComponents(const BrickArrays & bricks, unsigned a, unsigned b)
{
  // Multiplication by an odd number permutes the numbers.
  Unite<CachedAccess>(bricks.parent, a, b, [](unsigned i, unsigned j) { return i * 0x9E3779B1u < j * 0x9E3779B1u; });
}

/** The borders of a brick that its block merges: those with the bricks before it. */
enum BorderAxis
{
  AlongZ,
  AlongY,
  AlongX
};

inline constexpr int BorderWarps = 3;
inline constexpr int BorderThreads = BorderWarps * 32;

/** The task of a warp at one of the lower borders of a brick. Links across the brick's edges belong to the border along
 *  z, or else to that along y. Borders along one axis follow each other, so that warps that run at the same time run
 *  the same code: different code would not stay in the instruction cache.
 *  \tparam VParts  1 if links lead straight across only, 3 if they also lead to the bundles beside in both
 *  directions */
template <int VParts>
struct BorderRole
{
  static constexpr int parts = VParts;
  /** The words of a border along z or y. First come the brick's own words, then those before them with one more bundle
   *  at either end. */
  static constexpr int others = WordsPerLayer;
  static constexpr int words = others + WordsPerLayer + 2 * WordsPerBrickRow;

  int        warp;
  int        lane;
  int        axis;
  unsigned   brick;
  BrickPlace place;
  /** Whether this lane also has a word of the bundles beside those that face the brick's. */
  bool hasEdge;

  /** For a launch with as many blocks of BorderWarps warps as there are bricks. */
  __device__ explicit BorderRole(const BundleGrid & grid)
    : warp(static_cast<int>(threadIdx.x / 32))
    , lane(static_cast<int>(threadIdx.x % 32))
    , axis(AxisOf(Number()))
    , brick(Number() - static_cast<unsigned>(axis) * gridDim.x)
    , place(grid, brick)
    , hasEdge(VParts > 1 && axis == AlongZ && lane < 2 * WordsPerBrickRow)
  {}
  /** Whether there is a brick at the other side to which links may lead. */
  __device__ bool
  HasBorder(const BundleGrid & grid) const
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
    return lane + (isOther ? others + WordsPerBrickRow : 0);
  }
  /** The number of this lane's word of the bundles beside those that face the brick's. */
  __device__ int
  Edge() const
  {
    return Facing(true) + (lane < WordsPerBrickRow ? -WordsPerBrickRow : WordsPerLayer - WordsPerBrickRow);
  }
  /** The word that faces another one. */
  __device__ static int
  OppositeOf(int at)
  {
    return at < others ? at + others + WordsPerBrickRow : at - others - WordsPerBrickRow;
  }
  /** The lane whose word, or whose facing word, this is, if there is one. */
  __device__ static int
  LaneOf(int at)
  {
    return at < others ? at : OppositeOf(at);
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
  /** Finds where a word of the border lies. \return false if there is no such brick or bundle */
  __device__ bool
  Locate(const BundleGrid & grid, int at, BrickWord & word) const
  {
    const bool isOther = at >= others;
    const int  step = at / WordsPerBrickRow - (isOther ? others / WordsPerBrickRow + 1 : 0);
    if (axis == AlongY)
    {
      const int bundle = (step << grid.bundlesShiftY) + (isOther ? grid.MaskY() : 0);
      word = { brick - static_cast<unsigned>(isOther ? grid.bricksX : 0),
               bundle * WordsPerBrickRow + at % WordsPerBrickRow };
      return step <= grid.MaskZ();
    }
    // One of the bundles beside, at either end, lies in a brick beside.
    const int bricksY = step < 0 ? -1 : step / BundlesPerLayer;
    const int further = bricksY * grid.bricksX - (isOther ? grid.bricksX * grid.bricksY : 0);
    const int inLayer = (step - bricksY * BundlesPerLayer) * WordsPerBrickRow + at % WordsPerBrickRow;
    word = { brick + static_cast<unsigned>(further), inLayer + (isOther ? WordsPerBrick - WordsPerLayer : 0) };
    return place.y + bricksY >= 0 && place.y + bricksY < grid.bricksY;
  }

private:
  /** The number of the warp among those of all blocks. */
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

/** The ends of a brick's bundles at its lower border along x. */
struct BorderEnds
{
  static constexpr int bundles = WordsPerBrick / WordsPerBrickRow;

  /** Bits of each bundle's rows: bits 0 to 3 are the last ones to the left of the border, bits 4 to 7 the first ones to
   *  its right. */
  unsigned char bits[bundles];
  /** The components of the runs there, numbered over all bricks. */
  unsigned left[bundles];
  unsigned right[bundles];
};

/** Pairs of components that a block has united, each in the slot of its hash until another pair takes the slot. Most
 *  pairs of a border occur again and again. */
struct UnionsSeen
{
  static constexpr int bits = TuningOf<Tuned::PairsSeenBits>;

  unsigned long long pairs[1 << bits];

  /** A barrier must follow. */
  __device__ void
  Clear()
  {
    for (unsigned i = threadIdx.x; i < 1u << bits; i += blockDim.x)
    {
      pairs[i] = ~0ull;
    }
  }
  __device__ void
  Unite(const BrickArrays & bricks, unsigned a, unsigned b)
  {
    const auto     key = static_cast<unsigned long long>(a) << 32 | b;
    const unsigned hash = (a * 0x9E3779B1u ^ b * 0x85EBCA6Bu) >> (32 - bits);
    if (atomicExch(pairs + hash, key) != key)
    {
      UniteComponents(bricks, a, b);
    }
  }
};

/** The shared memory of a warp at a border along z or y. */
template <typename TLayout, int VParts>
struct BorderWords
{
  static_assert(BorderRole<VParts>::words <= 128);

  BorderWord<TLayout> words[BorderRole<VParts>::words];
  BorderLink          links[TuningOf<Tuned::ListedBorderLinks>];
};

/** The shared memory of a warp at a border, and that of its block. */
template <typename TWords, typename TEnds>
struct BorderMemory
{
  UnionsSeen seen;
  union
  {
    TWords words;
    TEnds  ends;
  } of[BorderWarps];
};

/** Reads the words of a warp's border along z or y. All lanes must call. */
template <typename TLayout, int VParts>
__device__ inline void
ReadBorder(const BundleGrid &             grid,
           const BrickArrays &            bricks,
           const BorderRole<VParts> &     role,
           BorderWords<TLayout, VParts> & memory)
{
  const int            own = role.Facing(false);
  const int            other = role.Facing(true);
  const bool           hasLeft = role.place.x > 0;
  const bool           hasRight = role.place.x + 1 < grid.bricksX;
  BrickWord            word;
  FetchedWord<TLayout> atOwn, atOther, atEdge;
  atOwn.Fetch(bricks, role.Locate(grid, own, word), word, hasLeft, hasRight);
  atOther.Fetch(bricks, role.Locate(grid, other, word), word, hasLeft, hasRight);
  atEdge.Fetch(bricks, role.hasEdge && role.Locate(grid, role.Edge(), word), word, hasLeft, hasRight);
  BorderWord<TLayout> * const words = memory.words;
  words[own] = atOwn.Finish();
  words[other] = atOther.Finish();
  if (VParts > 1 && role.axis == AlongZ)
  {
    const BorderWord<TLayout> edge = atEdge.Finish();
    if (role.hasEdge)
    {
      words[role.Edge()] = edge;
    }
  }
  __syncwarp();
}

/** Unites across the links of a warp's border along z or y. The lanes list their links and then share them out evenly.
 *  All lanes must call.
 *  \param links   this lane's links, by parts
 *  \param isLink  decides whether a candidate is a link */
template <typename TLayout, int VParts, typename TIsLink>
__device__ inline void
UniteLinks(const BundleGrid &             grid,
           const BrickArrays &            bricks,
           const BorderRole<VParts> &     role,
           BorderWords<TLayout, VParts> & memory,
           UnionsSeen &                   seen,
           const BackwardLinks<VParts> &  links,
           const TIsLink &                isLink)
{
  const BorderWord<TLayout> * const words = memory.words;
  LinkList<VParts, VParts>          list(links);
  BackwardWords<VParts>             firsts;
#pragma unroll
  for (int part = 0; part < VParts; ++part)
  {
    firsts.of[part] = BorderLink(role.From(part), role.To(part), part).bits;
  }
  const auto next = [&] {
    const int x = list.Next();
    return BorderLink(firsts.Get(list.To()), x, list.Step());
  };
  ShareOut<IfMany::ListSome>(memory.links, list.Count(), next, [&](const BorderLink & link) {
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
      role.Locate(grid, at, word);
      inB = ComponentAt<TLayout>(bricks, word.Beside(beside), bit);
    }
    if (isLink(link))
    {
      seen.Unite(bricks, a.component + inA, firstOfB + inB);
    }
  });
}

/** The ends of one bundle while they are read. */
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
  /** Bits of rows as in BorderEnds. */
  unsigned bits;
  /** The components of the runs there, if there are any. */
  unsigned atLeft;
  unsigned atRight;

  /** Starts to read a bundle's last word in the brick before `brick` and its first word in `brick`. */
  __device__ void
  Fetch(const BrickArrays & bricks, unsigned brick, int bundle)
  {
    const BrickWord atRight(brick, bundle * WordsPerBrickRow);
    const BrickWord atLeft = atRight.Beside(-1);
    left = bricks.Kept<TLayout>(atLeft.Index());
    beforeLeft = {};
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
  /** Starts to read the components. */
  __device__ void
  FetchComponents(const BrickArrays & bricks, bool fits)
  {
    const unsigned lasts = fits ? TLayout::Rows(left).LastBits() : 0u;
    const unsigned firsts = fits ? TLayout::Rows(right).FirstBits() : 0u;
    bits = lasts | firsts << 4;
    atLeft = 0;
    atRight = 0;
    if (lasts != 0)
    {
      const DeviceWord starts = TLayout::Starts(left, beforeLeft.United());
      atLeft = bricks.ComponentOf(baseLeft, RunAt(runsLeft, starts, 31));
    }
    if (firsts != 0)
    {
      atRight = bricks.ComponentOf(baseRight, runsRight);
    }
  }
  __device__ void
  Store(int bundle, BorderEnds & ends) const
  {
    ends.bits[bundle] = static_cast<unsigned char>(bits);
    ends.left[bundle] = atLeft;
    ends.right[bundle] = atRight;
  }
};

/** Does what UniteLinks does, across the lower border along x. Each lane has two bundles.
 *  \param readMore   called with each bundle while its ends are read; starts further reads
 *  \param keepMore   called with each bundle and what `readMore` returned
 *  \param uniteEnds  called with each bundle when all ends are known */
template <typename TLayout, typename TReadMore, typename TKeepMore, typename TUniteEnds>
__device__ inline void
MergeEnds(const BrickArrays & bricks,
          unsigned            brick,
          BorderEnds &        ends,
          const TReadMore &   readMore,
          const TKeepMore &   keepMore,
          const TUniteEnds &  uniteEnds)
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

} // namespace brickccl::cuda

#endif
