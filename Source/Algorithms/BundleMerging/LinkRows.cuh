#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_LINKROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Core/Connectivity.h"

/** Links between rows where values decide (equal values, tolerance): a row is a bundle of its own. */
namespace brickccl::cuda
{

/** The voxels of a problem, and which of the backward rows hold neighbours; a kernel argument.
 *  \tparam VTransitive whether joined voxels are those of one value, so that one voxel of a run answers for all of it
 */
template <typename T, bool VTransitive>
struct RowProblem
{
  using Pixel = T;
  static constexpr bool isTransitive = VTransitive;

  const T *    voxels;
  VoxelRule<T> rule;
  BundleGrid   grid;
  /** Of the BackwardBundles the first so many. */
  int count;
  /** Bit n: in the n-th, x - 1 and x + 1 are neighbours, too. */
  unsigned diagonals;
  /** Whether four voxels of a row can be read at once. */
  bool isAligned;

  RowProblem(const T *            image,
             const VoxelRule<T> & voxelRule,
             const BundleGrid &   bundleGrid,
             const Connectivity & connectivity)
    : voxels(image)
    , rule(voxelRule)
    , grid(bundleGrid)
    , count(connectivity.Rank() == 1 ? 2 : BackwardBundles)
    , diagonals(connectivity.Rank() == 1   ? 0x0u
                : connectivity.Rank() == 2 ? 0x3u
                                           : 0xFu)
    , isAligned(bundleGrid.extent.RowLength() % 4 == 0 &&
                reinterpret_cast<std::uintptr_t>(image) % (sizeof(T) < 4 ? 4 * sizeof(T) : 16) == 0)
  {}

  __device__ const T *
  VoxelAt(std::int64_t row, std::int64_t x) const
  {
    return voxels + (row * grid.extent.RowLength() + x) * rule.channels;
  }
  __device__ bool
  HasDiagonals(int n) const
  {
    return (diagonals >> n & 1u) != 0;
  }
};

/** Four voxels of one channel that lie side by side. */
template <typename T>
struct Quad
{
  T values[4];
};

/** Up to eight rows of a brick that a warp reads together, each lane four voxels of each row, so that memory is read
 *  as it lies; row r, at the warp's lanes 4 r to 4 r + 3, has its words in these lanes afterwards. */
template <typename TProblem>
class LayerRows
{
public:
  using T = typename TProblem::Pixel;

  /** Rows from a bundle on, along y or along z; `word` is the brick's first along x. */
  __device__
  LayerRows(const TProblem & problem, int word, int bundleY, int bundleZ, bool alongZ)
    : m_Problem(problem)
  {
    const Extent &     extent = problem.grid.extent;
    const std::int64_t rows = alongZ ? extent.size[2] - bundleZ : extent.size[1] - bundleY;
    const bool         isInside = bundleY < extent.size[1] && bundleZ < extent.size[2];
    const std::int64_t x = std::int64_t{ word } * BitsPerDeviceWord + Lane() * 4;
    const std::int64_t left = extent.RowLength() - x;
    m_Rows = !isInside ? 0 : rows < BundlesPerLayer ? static_cast<int>(rows) : BundlesPerLayer;
    m_Count = left < 0 ? 0 : left < 4 ? static_cast<int>(left) : 4;
    m_HasBefore = x > 0;
    m_HasAfter = left > 4;
    m_Row = bundleZ * extent.size[1] + bundleY;
    m_RowStep = alongZ ? extent.size[1] : 1;
    m_First = problem.voxels + m_Row * extent.RowLength() + x;
    m_Step = m_RowStep * extent.RowLength();
  }

  /** Foreground and starts of this lane's word, of which `wanted` leaves what it has. */
  __device__ RowLayout::Kept
             Pack(DeviceWord wanted) const
  {
    const auto & rule = m_Problem.rule.foreground;
    Votes        foreground = {};
    Votes        joined = {};
#pragma unroll 2
    for (int r = 0; r < m_Rows; ++r)
    {
      const Quad<T> quad = Load(m_First + r * m_Step);
      T             before = ValueOfLane(quad.values[3], -1);
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        foreground.Take(r, i, IsForeground(quad.values[i]));
        joined.Take(r, i, AreJoined(quad.values[i], before));
        before = quad.values[i];
      }
    }
    const DeviceWord bits = (foreground.Word() ^ (VotesAreInside && rule.outside ? 0xFFFFFFFFu : 0u)) & wanted;
    const DeviceWord bitsBefore = __shfl_up_sync(AllLanes, bits, 1);
    const DeviceWord carried = Lane() % WordsPerBrickRow > 0 ? bitsBefore >> 31 : 0u;
    return { { bits, bits & ~(joined.Word() & ((bits << 1) | carried)) } };
  }

  /** At which bits of this lane's word the voxel is joined to that at the same x of the row that lies so many rows
   *  further on; foreground is not asked for. */
  __device__ DeviceWord
  JoinedTo(std::int64_t rowsFurther) const
  {
    const std::int64_t further = rowsFurther * m_Problem.grid.extent.RowLength();
    Votes              same = {};
#pragma unroll 2
    for (int r = 0; r < m_Rows; ++r)
    {
      if (HasRow(r, rowsFurther))
      {
        const Quad<T> a = Load(m_First + r * m_Step);
        const Quad<T> b = Load(m_First + r * m_Step + further);
#pragma unroll
        for (int i = 0; i < 4; ++i)
        {
          same.Take(r, i, AreJoined(a.values[i], b.values[i]));
        }
      }
    }
    return same.Word();
  }

  /** The same for x - 1 and x + 1. */
  __device__ BundleLinks<DeviceWord>
             JoinedAcross(std::int64_t rowsFurther) const
  {
    const std::int64_t further = rowsFurther * m_Problem.grid.extent.RowLength();
    Votes              left = {};
    Votes              right = {};
    for (int r = 0; r < m_Rows; ++r)
    {
      if (!HasRow(r, rowsFurther))
      {
        continue;
      }
      const T * const other = m_First + r * m_Step + further;
      const Quad<T>   a = Load(m_First + r * m_Step);
      const Quad<T>   b = Load(other);
      T               values[6] = { ValueOfLane(b.values[3], -1), b.values[0], b.values[1], b.values[2], b.values[3],
                                    ValueOfLane(b.values[0], 1) };
      if (Lane() == 0 && m_HasBefore)
      {
        values[0] = other[-1];
      }
      if (Lane() == 31 && m_HasAfter)
      {
        values[5] = other[4];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        left.Take(r, i, AreJoined(a.values[i], values[i]));
        right.Take(r, i, AreJoined(a.values[i], values[i + 2]));
      }
    }
    return { 0, left.Word(), right.Word() };
  }

private:
  /** Votes of the warp on each of the lanes' four voxels, for this lane's row. */
  struct Votes
  {
    unsigned of[4];

    __device__ void
    Take(int row, int i, bool vote)
    {
      const unsigned votes = __ballot_sync(AllLanes, vote);
      of[i] = Lane() / WordsPerBrickRow == row ? votes : of[i];
    }
    /** This lane's word: eight lanes' votes on each of four voxels, with those on the others between them. */
    __device__ DeviceWord
    Word() const
    {
      DeviceWord word = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        unsigned bits = (of[i] >> (Lane() % WordsPerBrickRow * 8)) & 0xFFu;
        bits = (bits | bits << 12) & 0x000F000Fu;
        bits = (bits | bits << 6) & 0x03030303u;
        bits = (bits | bits << 3) & 0x11111111u;
        word |= bits << i;
      }
      return word;
    }
  };

  __device__ static int
  Lane()
  {
    return static_cast<int>(threadIdx.x % 32);
  }
  __device__ static T
  ValueOfLane(T value, int step)
  {
    using Shuffled = std::conditional_t<(sizeof(T) < sizeof(int)), int, T>;
    const auto own = static_cast<Shuffled>(value);
    return static_cast<T>(step < 0 ? __shfl_up_sync(AllLanes, own, 1) : __shfl_down_sync(AllLanes, own, 1));
  }
  /** Whether votes on foreground ask for the range alone, which integers are inside of or outside. */
  static constexpr bool VotesAreInside = std::is_integral_v<T>;

  __device__ bool
  IsForeground(T value) const
  {
    const auto & rule = m_Problem.rule.foreground;
    if constexpr (VotesAreInside)
    {
      return value >= rule.low && value <= rule.high;
    }
    else
    {
      return rule(value);
    }
  }
  __device__ bool
  AreJoined(T a, T b) const
  {
    return TProblem::isTransitive ? a == b : m_Problem.rule.difference(a, b);
  }
  __device__ bool
  HasRow(int r, std::int64_t rowsFurther) const
  {
    const std::int64_t row = m_Row + r * m_RowStep + rowsFurther;
    return row >= 0 && row < m_Problem.grid.extent.RowCount();
  }
  __device__ Quad<T>
             Load(const T * place) const
  {
    union
    {
      Quad<T>  quad;
      unsigned word;
      uint2    two;
      uint4    four[2];
    };
    four[0] = {};
    four[1] = {};
    if (!m_Problem.isAligned)
    {
#pragma unroll
      for (int i = 0; i < 4; ++i)
      {
        quad.values[i] = i < m_Count ? place[i] : T{};
      }
    }
    else if (m_Count > 0)
    {
      if constexpr (sizeof(T) == 1)
      {
        word = *reinterpret_cast<const unsigned *>(place);
      }
      else if constexpr (sizeof(T) == 2)
      {
        two = *reinterpret_cast<const uint2 *>(place);
      }
      else
      {
#pragma unroll
        for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        {
          four[i] = reinterpret_cast<const uint4 *>(place)[i];
        }
      }
    }
    return quad;
  }

  const TProblem & m_Problem;
  /** Of this lane in the first row. */
  const T *    m_First;
  std::int64_t m_Step;
  std::int64_t m_Row;
  std::int64_t m_RowStep;
  int          m_Rows;
  /** How many of this lane's voxels lie in the volume, and whether their neighbours along x do. */
  int  m_Count;
  bool m_HasBefore;
  bool m_HasAfter;
};

/** A word of a row: its foreground with the bits beside it, and where its runs start. */
struct RunWindow
{
  BitWindow<DeviceWord> foreground;
  DeviceWord            starts;
  /** Whether a run starts at the first bit of the next word. */
  bool startsAfter;
};

/** The links of a word, and the bits at which the runs of both rows are known to be linked. */
struct RowLinks
{
  BundleLinks<DeviceWord> links;
  DeviceWord              joined;
};

/** The bits of `candidates` that are links, asked for one by one. */
template <typename TIsLink>
__device__ inline DeviceWord
LinksAmong(DeviceWord candidates, const TIsLink & isLink)
{
  DeviceWord links = 0;
  for (; candidates != 0; candidates &= candidates - 1)
  {
    links |= isLink(LowestBit(candidates)) ? candidates & (0u - candidates) : 0u;
  }
  return links;
}

/** Compares voxels in memory. */
template <typename TProblem>
struct VoxelComparison
{
  using T = typename TProblem::Pixel;

  /** More voxels than this of a word are better looked at by the whole warp for all its words. */
  static constexpr int few = sizeof(T) <= 2 ? 20 : 6;

  const TProblem & problem;
  /** The voxel of the word's first bit. */
  const T * place;

  /** Of the candidates those whose voxel is joined to that of the other row at x + step.
   *  \param further how many voxels further on the other row has the same x */
  __device__ DeviceWord
  operator()(DeviceWord candidates, int, std::int64_t further, int step) const
  {
    const int          channels = problem.rule.channels;
    const std::int64_t distance = (further + step) * channels;
    if (channels > 1)
    {
      return LinksAmong(candidates, [&](int x) {
        return problem.rule.AreJoined(place + x * channels, place + x * channels + distance);
      });
    }
    return LinksAmong(candidates, [&](int x) {
      const T value = place[x];
      const T other = place[x + distance];
      return TProblem::isTransitive ? value == other : problem.rule.difference(value, other);
    });
  }
};

/** Links from a word of one row to another row: one or few for each pair of runs. No diagonal is looked at whose runs
 *  are known to be linked, and where one voxel answers for its run none of a pair of runs that was compared before. All
 *  lanes of a warp must call, those without a word with empty windows.
 *  \param rows    the rows of the warp's lanes
 *  \param compare as VoxelComparison
 *  \param n       which backward row
 *  \param implied bits at which the runs of both rows are known to be linked by way of other rows */
template <typename TProblem, typename TCompare>
__device__ inline RowLinks
FindLinks(const TProblem &            problem,
          const LayerRows<TProblem> & rows,
          const TCompare &            compare,
          int                         n,
          const RunWindow &           a,
          const RunWindow &           b,
          DeviceWord                  implied)
{
  constexpr bool isTransitive = TProblem::isTransitive;
  const auto     isMuch = [](DeviceWord one, DeviceWord other) {
    return __any_sync(AllLanes, __popc(one) + __popc(other) > TCompare::few);
  };
  const bool         isOneChannel = problem.rule.channels == 1;
  const std::int64_t rowsFurther = BackwardStepZ(n) * problem.grid.extent.size[1] + BackwardStepY(n);
  const std::int64_t further = rowsFurther * problem.grid.extent.RowLength();
  RowLinks           found = {};
  const DeviceWord   both = a.foreground.word & b.foreground.word;
  // A pair of runs begins where either run does; and goes on up to the next such bit, or to where either ends.
  const DeviceWord begins = both & (a.starts | b.starts);
  const DeviceWord goesOn = both & ~begins;
  const DeviceWord candidates = (isTransitive ? begins : both) & ~implied;
  const bool       byWarp = isOneChannel && isMuch(candidates, 0);
  const DeviceWord joined =
    implied | (byWarp ? candidates & rows.JoinedTo(rowsFurther) : compare(candidates, n, further, 0));
  // Of each pair the first link: a carry runs from its begin through the bits without.
  const DeviceWord none = both & ~joined;
  const DeviceWord from = isTransitive ? 0u : begins | (both & 1u);
  const DeviceWord firsts =
    (((none + (from & none)) & ~none) & joined) | (from & joined) | (isTransitive ? joined : 0u);
  const DeviceWord next = ((firsts | implied) << 1) & goesOn;
  found.links.same = firsts & ~implied;
  found.joined = firsts | implied | next | (goesOn & ~(goesOn + next));
  if (!problem.HasDiagonals(n))
  {
    return found;
  }
  const DeviceWord known = isTransitive ? both : found.joined;
  const DeviceWord beside = isTransitive ? 1u : 0u;
  // To x - 1: known if the run of b goes on to x, or that of a has come from x - 1; and mirrored.
  const DeviceWord left =
    a.foreground.word & b.foreground.Left() & ~(known & ~b.starts) & ~(((known << 1) | beside) & ~a.starts);
  const DeviceWord bGoesOn = ~((b.starts >> 1) | (b.startsAfter ? 0x80000000u : 0u));
  const DeviceWord aGoesOn = a.foreground.Right() & ~((a.starts >> 1) | (a.startsAfter ? 0x80000000u : 0u));
  const DeviceWord right =
    a.foreground.word & b.foreground.Right() & ~(known & bGoesOn) & ~(((known >> 1) | beside << 31) & aGoesOn);
  if (isOneChannel && isMuch(left, right))
  {
    const BundleLinks<DeviceWord> across = rows.JoinedAcross(rowsFurther);
    found.links.left = left & across.left;
    found.links.right = right & across.right;
  }
  else
  {
    found.links.left = compare(left, n, further, -1);
    found.links.right = compare(right, n, further, 1);
  }
  return found;
}

} // namespace brickccl::cuda

#endif
