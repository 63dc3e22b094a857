// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_WORDLINKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_WORDLINKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** The links that words have to others, and how the lanes of a warp share them out. */
namespace brickccl::cuda
{

/** The number of this lane's word in its row of the brick. */
__device__ inline int
LaneInRow()
{
  return static_cast<int>(threadIdx.x) % WordsPerBrickRow;
}

/** The last bit of the word before this lane's in its row of the brick, as bit 0. All lanes must call. */
__device__ inline DeviceWord
BitBefore(DeviceWord word)
{
  const DeviceWord before = __shfl_up_sync(AllLanes, word, 1);
  return LaneInRow() > 0 ? before >> 31 : 0u;
}

/** The first bit of the word behind this lane's, as the last bit. */
__device__ inline DeviceWord
BitAfter(DeviceWord word)
{
  const DeviceWord after = __shfl_down_sync(AllLanes, word, 1);
  return LaneInRow() < WordsPerBrickRow - 1 ? after << 31 : 0u;
}

/** Bits of rows: bits 0-3 are those before this lane's word in its brick, bits 4-7 those behind it. All lanes must
 *  call. */
__device__ inline unsigned
EdgesBeside(unsigned firstBits, unsigned lastBits)
{
  const unsigned before = __shfl_up_sync(AllLanes, lastBits, 1);
  const unsigned after = __shfl_down_sync(AllLanes, firstBits, 1);
  return (LaneInRow() > 0 ? before : 0u) | (LaneInRow() < WordsPerBrickRow - 1 ? after << 4 : 0u);
}

/** The bits that are `known`, and the bits behind them as far as `goesOn` reaches. */
__device__ inline DeviceWord
SpreadAlong(DeviceWord known, DeviceWord goesOn)
{
  const DeviceWord next = (known << 1) & goesOn;
  return known | next | ToEnds(goesOn, next);
}

/** The same for the bits before them. A bit of `goesOn` continues from the bit before it. */
__device__ inline DeviceWord
SpreadBack(DeviceWord known, DeviceWord goesOn)
{
  return __brev(SpreadAlong(__brev(known), __brev(goesOn) << 1));
}

/** WithoutImplied of Runs/Bundle.h, for pairs of runs that may be adjacent.
 *  \param same     the word's links to one other row
 *  \param goesOn   the bits at which a pair of runs continues from the bit before
 *  \param implied  the bits at which other links join the two runs */
__device__ inline DeviceWord
WithoutImpliedPairs(DeviceWord same, DeviceWord goesOn, DeviceWord implied)
{
  return same & ~SpreadBack(implied, goesOn);
}

/** Finds links between bundles that follow the foreground, only from bits. EqualLinks and CloseLinks
 *  (LinkRows.cuh) are the ways where values decide. */
template <Bundling VBundling>
struct BitLinks
{
  using Window = BundleWindow<DeviceWord, RowsOf(VBundling)>;
  /** Bricks keep nothing for borders but their bits. Kernel argument. */
  struct ForBorders
  {};

  /** The links from a word of a bundle to the word of its n-th backward bundle, without repeats.
   *  \param joined  gets the bits at which they join the runs of both bundles */
  __device__ __forceinline__ static BundleLinks<DeviceWord>
             Find(int n, const Window & a, const Window & b, DeviceWord & joined)
  {
    BundleLinks<DeviceWord> links = LinksTo<VBundling>(n, a, b);
    joined = links.same;
    if constexpr (VBundling == Bundling::Rows)
    {
      // Each stretch is joined all along.
      links.same &= ~(links.same << 1);
    }
    else if (links.Any())
    {
      links = WithoutRepeats(links, a.United(), b.United());
      joined = JoinedBits(links, a.United() & b.United());
    }
    return links;
  }
};

/** The bits at which four bundles in a square along y and z are linked, side by side: the first to the second (ab), the
 *  second to the third, and so on. */
struct SquareLinks
{
  DeviceWord ab;
  DeviceWord bc;
  DeviceWord cd;
  DeviceWord da;

  __device__ DeviceWord
  Any() const
  {
    return ab | bc | cd | da;
  }
  /** The bits at which the first and the third bundle are linked by way of another one. */
  __device__ DeviceWord
  Across() const
  {
    return (ab & bc) | (cd & da);
  }
  /** The square as seen from the second bundle. */
  __device__ SquareLinks
  Turned() const
  {
    return { bc, cd, da, ab };
  }
};

/** The bits of one word for each of several other words, in registers. */
template <int VCount>
struct BackwardWords
{
  DeviceWord of[VCount];

  __device__ void
  Set(int n, DeviceWord word)
  {
#pragma unroll
    for (int k = 0; k < VCount; ++k)
    {
      of[k] = k == n ? word : of[k];
    }
  }
  __device__ DeviceWord
  Get(int n) const
  {
    DeviceWord word = of[0];
#pragma unroll
    for (int k = 1; k < VCount; ++k)
    {
      word = k == n ? of[k] : word;
    }
    return word;
  }
  __device__ DeviceWord
  Any() const
  {
    DeviceWord any = of[0];
#pragma unroll
    for (int k = 1; k < VCount; ++k)
    {
      any |= of[k];
    }
    return any;
  }
  __device__ unsigned
  Count() const
  {
    int count = 0;
#pragma unroll
    for (int k = 0; k < VCount; ++k)
    {
      count += __popc(of[k]);
    }
    return static_cast<unsigned>(count);
  }
  /** Takes the lowest bit of the first word that has any. `n` gets the number of that word.
   *  \return the bit, or 0 if there is none */
  __device__ DeviceWord
  Take(int & n)
  {
    DeviceWord found = 0;
    bool       isOf[VCount];
#pragma unroll
    for (int k = 0; k < VCount; ++k)
    {
      isOf[k] = found == 0 && of[k] != 0;
      n = isOf[k] ? k : n;
      found = isOf[k] ? of[k] : found;
    }
    found &= 0u - found;
#pragma unroll
    for (int k = 0; k < VCount; ++k)
    {
      if (isOf[k])
      {
        of[k] ^= found;
      }
    }
    return found;
  }
};

/** The links of a word to several other words: to the same x of each, to x - 1 and to x + 1. */
template <int VCount>
struct BackwardLinks
{
  BackwardWords<VCount> same;
  BackwardWords<VCount> left;
  BackwardWords<VCount> right;

  __device__ void
  Set(int n, const BundleLinks<DeviceWord> & links)
  {
    same.Set(n, links.same);
    SetAcross(n, links);
  }
  /** Sets the links to x - 1 and to x + 1 of the n-th word. */
  __device__ void
  SetAcross(int n, const BundleLinks<DeviceWord> & links)
  {
    left.Set(n, links.left);
    right.Set(n, links.right);
  }
  __device__ BundleLinks<DeviceWord>
             Across(int n) const
  {
    return { 0, left.Get(n), right.Get(n) };
  }
  __device__ DeviceWord
  Any() const
  {
    return same.Any() | left.Any() | right.Any();
  }
  __device__ unsigned
  Count() const
  {
    return same.Count() + left.Count() + right.Count();
  }
};

/** The links of a word to several others, one after the other: to the same x of each, then to x - 1, then to x + 1. A
 *  lane begins another word when it has finished one, so that lanes at different words run the same code.
 *  \tparam VSteps  1 if all links lead to the same x, otherwise 3 */
template <int VCount, int VSteps>
class LinkList
{
public:
  using Links = BackwardLinks<VCount>;

  __device__ explicit LinkList(const Links & links)
    : m_Words{}
  {
    static_assert(VCount <= 4);
#pragma unroll
    for (int n = 0; n < VCount; ++n)
    {
      m_Words[n] = links.same.of[n];
      if constexpr (VSteps > 1)
      {
        m_Words[4 + n] = links.left.of[n];
        m_Words[8 + n] = links.right.of[n];
      }
    }
#pragma unroll
    for (int i = 0; i < 4 * VSteps; ++i)
    {
      m_Left |= m_Words[i] != 0 ? 1u << i : 0u;
      m_Count += static_cast<unsigned>(__popc(m_Words[i]));
    }
  }

  __device__ unsigned
  Count() const
  {
    return m_Count;
  }
  /** The bit of the next link. There must be one. */
  __device__ int
  Next()
  {
    if (m_Bits == 0)
    {
      m_At = LowestBit(m_Left);
      m_Left &= m_Left - 1;
      m_Bits = Word();
    }
    const int x = LowestBit(m_Bits);
    m_Bits &= m_Bits - 1;
    return x;
  }
  /** The number of the other word to which it leads. */
  __device__ int
  To() const
  {
    return VSteps == 1 ? m_At : m_At & 3;
  }
  /** The step along x of the link: 0, -1 or 1. */
  __device__ int
  Step() const
  {
    return VSteps == 1 ? 0 : m_At >= 8 ? 1 : -(m_At >> 2);
  }

private:
  /** The word that was begun. It is chosen by the bits of its number, since registers have no index. */
  __device__ DeviceWord
  Word() const
  {
    DeviceWord fours[VSteps];
#pragma unroll
    for (int i = 0; i < VSteps; ++i)
    {
      const DeviceWord low = (m_At & 1) != 0 ? m_Words[4 * i + 1] : m_Words[4 * i];
      const DeviceWord high = (m_At & 1) != 0 ? m_Words[4 * i + 3] : m_Words[4 * i + 2];
      fours[i] = (m_At & 2) != 0 ? high : low;
    }
    return VSteps == 1 || m_At < 4 ? fours[0] : m_At < 8 ? fours[1 % VSteps] : fours[2 % VSteps];
  }

  DeviceWord m_Words[4 * VSteps];
  /** The bits of the word that was begun that were not taken. */
  DeviceWord m_Bits = 0;
  int        m_At = 0;
  /** Which words have links and were not begun. */
  unsigned m_Left = 0;
  unsigned m_Count = 0;
};

/** Handling of lanes with more entries than a list holds. The list takes some of each lane at a time. Or each lane
 *  takes all of its own, one after the other, so that each sees what the earlier ones did. */
enum class IfMany
{
  ListSome,
  TakeOwn
};

/** The lanes of a warp list their entries and share them out evenly. All lanes must call.
 *  \param count  how many entries this lane has
 *  \param next   returns this lane's next entry
 *  \param take   called with an entry of any lane */
template <IfMany VIfMany, typename TEntry, int VCapacity, typename TNext, typename TTake>
__device__ inline void
ShareOut(TEntry (&entries)[VCapacity], unsigned count, const TNext & next, const TTake & take)
{
  constexpr unsigned ofEachLane = VCapacity / 32;
  static_assert(ofEachLane > 0);
  const unsigned lane = threadIdx.x % 32;
  while (__any_sync(AllLanes, count != 0))
  {
    unsigned listed = count;
    unsigned upTo = SumOfLanes(listed);
    unsigned all = __shfl_sync(AllLanes, upTo, 31);
    if (all > VCapacity)
    {
      if constexpr (VIfMany == IfMany::TakeOwn)
      {
        for (; count != 0; --count)
        {
          take(next());
        }
        continue;
      }
      listed = count < ofEachLane ? count : ofEachLane;
      upTo = SumOfLanes(listed);
      all = __shfl_sync(AllLanes, upTo, 31);
    }
    count -= listed;
    for (unsigned at = upTo - listed; listed != 0; ++at, --listed)
    {
      entries[at] = next();
    }
    __syncwarp();
    for (unsigned first = 0; first < all; first += 32)
    {
      if (first + lane < all)
      {
        take(entries[first + lane]);
      }
      // Lanes that have finished wait here together.
      __syncwarp();
    }
  }
}

} // namespace brickccl::cuda

#endif
