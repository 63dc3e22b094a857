// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BorderRows.cuh"

/** Unions of components across borders along z and y, where values decide. */
namespace brickccl::cuda
{

/** A lane of a warp at a border, for equal values. */
template <typename TProblem>
class EqualBorder : public RowBorder<TProblem, BorderWords<RowLayout>>
{
  using Base = typename EqualBorder::RowBorder;

public:
  using Base::Base;

  /** Reads the words, and starts to read where they are linked to those before them in their bricks. */
  __device__ __forceinline__ void
  Read()
  {
    if constexpr (TProblem::keepsJoined)
    {
      BrickWord facing;
      Base::Locate(Base::Facing(true), facing);
      const int end = axis == AlongY ? 2 : 0;
      m_OwnBefore = m_ForBorders.joined.AtEnd(Base::brick, end)[lane];
      m_OtherBefore = m_ForBorders.joined.AtEnd(facing.brick, end + 1)[lane];
    }
    Base::ReadWords(Base::OfWarp());
  }
  __device__ __forceinline__ void
  FindLinks()
  {
    FindFacing();
    if constexpr (!isAlongAxes)
    {
      const SquareLinks links = SquareWithBefore();
      DropImplied(links);
      // Few other links are undecided. They are compared when they are united. Many are better compared word by word.
      m_AreMany = SumOfWarp(FindUndecided(links)) > TuningOf<Tuned::FewOpenAtBorder>;
      if (m_AreMany)
      {
        CompareWords();
      }
    }
  }
  __device__ __forceinline__ void
  UniteLinks()
  {
    Base::UniteLinks(Base::OfWarp(), [&](const BorderLink & link) {
      return link.IsFacing() || m_AreMany ||
             m_Problem.AreJoined(Base::FirstVoxel(link.From()) + link.X(), Base::FirstVoxel(link.To()) + link.ToX());
    });
  }

private:
  using Base::axis;
  using Base::bricks;
  using Base::isAlongAxes;
  using Base::lane;
  using Base::m_ForBorders;
  using Base::m_Links;
  using Base::m_Problem;
  using Base::parts;
  using typename Base::Links;
  using typename Base::Voxels;
  using typename Base::Words;

  /** Finds the links to the word that faces the lane's. */
  __device__ __forceinline__ void
  FindFacing()
  {
    m_Facing =
      Links::FindStraight(Base::VoxelsOfPart(0), Base::WindowAt(Base::From(0)), Base::WindowAt(Base::To(0)), {});
    m_Links.same.of[0] = m_Facing.same;
  }
  /** The square of the two words and those before them, from the lane's word or from the one before it. At the lower
   * end of a brick nothing is kept of what is not there. */
  __device__ __forceinline__ SquareLinks
  SquareWithBefore() const
  {
    const bool       hasBefore = lane >= WordsPerBrickRow;
    const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_Facing.joined, WordsPerBrickRow);
    return { hasBefore ? m_OwnBefore : 0u,
             hasBefore ? joinedBefore : 0u,
             hasBefore ? m_OtherBefore : 0u,
             m_Facing.joined };
  }
  /** The square of the two words and the next ones. */
  __device__ __forceinline__ SquareLinks
  SquareWithNext(const SquareLinks & links) const
  {
    const bool hasNext = lane < WordsPerLayer - WordsPerBrickRow;
    const auto ofNext = [&](DeviceWord word) {
      const DeviceWord there = __shfl_down_sync(AllLanes, word, WordsPerBrickRow);
      return hasNext ? there : 0u;
    };
    return { ofNext(links.ab), ofNext(links.da), ofNext(links.cd), links.da };
  }
  /** Leaves out links to the facing word that are implied by way of the two words before. */
  __device__ __forceinline__ void
  DropImplied(const SquareLinks & links)
  {
    if (m_Facing.same != 0)
    {
      const BorderWord<RowLayout> & own = Base::OfWarp().words[Base::Facing(false)];
      const BorderWord<RowLayout> & other = Base::OfWarp().words[Base::Facing(true)];
      const DeviceWord              goesOn = own.rows.rows[0] & other.rows.rows[0] & ~(own.starts | other.starts);
      m_Links.same.of[0] = WithoutImpliedPairs(m_Facing.same, goesOn, links.ab & links.bc & links.cd);
    }
  }
  /** Takes all links that nothing decides. \return how many there are */
  __device__ __forceinline__ unsigned
  FindUndecided(const SquareLinks & links)
  {
    const SquareLinks next = SquareWithNext(links);
    unsigned          count = 0;
#pragma unroll
    for (int part = 0; part < parts; ++part)
    {
      if (Base::HasLinks(part))
      {
        const SquareLinks square = part < 2 ? links : axis == AlongZ ? next : links.Turned();
        const RunWindow   from = Base::WindowAt(Base::From(part));
        const RunWindow   to = Base::WindowAt(Base::To(part));
        if (part > 0)
        {
          m_Links.same.of[part] = UndecidedStraight(square, from, to);
          count += static_cast<unsigned>(__popc(m_Links.same.of[part]));
        }
        if (m_Problem.HasDiagonals(Base::BackwardBundle(part)))
        {
          const BundleLinks<DeviceWord> undecided =
            Links::UndecidedAcross(from, to, part == 0 ? m_Facing.joined : square.Across());
          m_Links.SetAcross(part, undecided);
          count += static_cast<unsigned>(__popc(undecided.left) + __popc(undecided.right));
        }
      }
    }
    return count;
  }
  /** Decides them by whole words. */
  __device__ __forceinline__ void
  CompareWords()
  {
#pragma unroll 1
    for (int part = 0; part < parts; ++part)
    {
      const Voxels voxels = Base::VoxelsOfPart(part);
      if (part > 0)
      {
        m_Links.same.Set(part, voxels.JoinedTo(m_Links.same.Get(part)));
      }
      m_Links.SetAcross(part, FindAcross<Links>(voxels, m_Links.Across(part)));
    }
  }

  /** The bits at which the lane's word and the one that faces it are linked to those before them in their bricks. */
  DeviceWord    m_OwnBefore = 0;
  DeviceWord    m_OtherBefore = 0;
  StraightLinks m_Facing = {};
  /** Whether all links are decided already. */
  bool m_AreMany = false;
};

/** The bits of a word's first and last run, and the components of these runs, numbered over all bricks. Most words have
 *  no other runs. */
struct EndRuns
{
  DeviceWord bits[2];
  unsigned   components[2];

  /** Starts to read the components. */
  __device__ void
  Fetch(const BrickArrays & bricks, const BorderWord<RowLayout> & word)
  {
    const DeviceWord foreground = word.rows.rows[0];
    const DeviceWord first = foreground & (0u - foreground);
    const DeviceWord later = word.starts & ~(first | (first - 1));
    const int        last = 31 - __clz(static_cast<int>(later));
    bits[0] = ToEnds(foreground, first) & ((later & (0u - later)) - 1);
    bits[1] = later != 0 ? ToEnds(foreground, 1u << last) : 0u;
    const auto componentAt = [&](int x) { return word.component + bricks.componentOfRun[word.RunAt(x)]; };
    components[0] = first != 0 ? componentAt(LowestBit(first)) : 0u;
    components[1] = later != 0 ? componentAt(last) : 0u;
  }
  /** The bits at which these runs and the runs of another word are one component.
   *  \param areFirst  whether no word has more than one of these runs */
  __device__ DeviceWord
  SharedWith(const EndRuns & other, bool areFirst) const
  {
    const auto shared = [&](int i, int k) {
      return components[i] == other.components[k] ? bits[i] & other.bits[k] : 0u;
    };
    const DeviceWord first = shared(0, 0);
    return areFirst ? first : first | shared(0, 1) | shared(1, 0) | shared(1, 1);
  }
};

/** The shared memory of a warp at a border along z or y, with a tolerance. */
template <typename TProblem>
struct CloseBorderWords : BorderWords<RowLayout>
{
  /** For links to the next bundles. */
  EndRuns endRuns[TProblem::isAlongAxes ? 1 : BorderWords::count];
};

/** A lane of a warp at a border, with a tolerance. */
template <typename TProblem>
class CloseBorder : public RowBorder<TProblem, CloseBorderWords<TProblem>>
{
  using Base = typename CloseBorder::RowBorder;

public:
  using Base::Base;

  __device__ __forceinline__ void
  Read()
  {
    Base::ReadWords(Base::OfWarp());
  }
  /** Straight links come first, then links to the next bundles at either side (low and high). Usually no lane has both
   * of these. So along z, where all links start from the brick's own words, one search finds both. */
  __device__ __forceinline__ void
  FindLinks()
  {
    if constexpr (!isAlongAxes)
    {
      FetchEndRuns();
    }
    DeviceWord impliedLow = 0;
    DeviceWord impliedHigh = 0;
    bool       isOpenLow = false;
    bool       isOpenHigh = false;
#pragma unroll 1
    for (int look = 0; look < parts; ++look)
    {
      if (look == 1)
      {
        impliedLow = ImpliedBy(1);
        impliedHigh = ImpliedBy(2);
        isOpenLow = IsOpen(1, impliedLow);
        isOpenHigh = IsOpen(2, impliedHigh);
      }
      const bool looksAtBoth = look > 0 && axis == AlongZ && !__any_sync(AllLanes, isOpenLow && isOpenHigh);
      const bool isHigh = look == 2 || (looksAtBoth && isOpenHigh);
      const bool has = look == 0 || (isHigh ? isOpenHigh : isOpenLow);
      if (__any_sync(AllLanes, has))
      {
        Look(look == 0 ? 0 : isHigh ? 2 : 1, has, isHigh ? impliedHigh : impliedLow);
      }
      if (looksAtBoth)
      {
        break;
      }
    }
  }

private:
  using Base::axis;
  using Base::bricks;
  using Base::isAlongAxes;
  using Base::lane;
  using Base::m_ForBorders;
  using Base::m_Links;
  using Base::m_Problem;
  using Base::parts;
  using typename Base::Links;
  using typename Base::Voxels;
  using typename Base::Words;

  /** Reads the components of the words' first and last runs. */
  __device__ __forceinline__ void
  FetchEndRuns()
  {
    EndRuns * const endRuns = Base::OfWarp().endRuns;
    EndRuns         own, other;
    EndRuns         edge = {};
    own.Fetch(bricks, Base::OfWarp().words[Base::Facing(false)]);
    other.Fetch(bricks, Base::OfWarp().words[Base::Facing(true)]);
    if (Base::hasEdge)
    {
      edge.Fetch(bricks, Base::OfWarp().words[Base::Edge()]);
      endRuns[Base::Edge()] = edge;
    }
    endRuns[Base::Facing(false)] = own;
    endRuns[Base::Facing(true)] = other;
    m_AreFirst = __any_sync(AllLanes, (own.bits[1] | other.bits[1] | edge.bits[1]) != 0) == 0;
    __syncwarp();
  }

  /** The bits at which a part's links are implied by way of the word that faces either end. All lanes must call. */
  __device__ __forceinline__ DeviceWord
  ImpliedBy(int part) const
  {
    const int        a = Base::From(part);
    const int        b = Base::To(part);
    const int        laneOfB = Base::LaneOf(b);
    const DeviceWord joinedThere = __shfl_sync(AllLanes, m_JoinedFacing, laneOfB);
    if (!Base::HasLinks(part))
    {
      return 0u;
    }
    const DeviceWord byA = m_JoinedFacing & AreOne(Base::OppositeOf(a), b);
    return Base::IsLane(laneOfB) ? byA | (joinedThere & AreOne(a, Base::OppositeOf(b))) : byA;
  }
  /** Whether a part's links must be looked for. They need not where two rows are alike and joined all along. */
  __device__ __forceinline__ bool
  IsOpen(int part, DeviceWord implied) const
  {
    if (!Base::HasLinks(part))
    {
      return false;
    }
    const RunWindow from = Base::WindowAt(Base::From(part));
    const RunWindow to = Base::WindowAt(Base::To(part));
    const bool      hasSeparated = (from.starts & from.left) != 0;
    return from.foreground != 0 &&
           (hasSeparated || implied != from.foreground || implied != to.foreground || from.starts != to.starts);
  }
  /** Looks for a part's links. Lanes that have nothing to look for call with `has` false. */
  __device__ __forceinline__ void
  Look(int part, bool has, DeviceWord implied)
  {
    const int       a = Base::From(part);
    const int       b = Base::To(part);
    const RunWindow from = has ? Base::WindowAt(a) : RunWindow{};
    const RunWindow to = has ? Base::WindowAt(b) : RunWindow{};
    const Voxels    voxels = Base::VoxelsOfPart(part);
    StraightLinks   found = Links::FindStraight(voxels, from, to, { has ? implied : 0u, 0 });
    if (part == 0)
    {
      m_JoinedFacing = found.joined;
      if constexpr (!isAlongAxes)
      {
        const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_JoinedFacing, WordsPerBrickRow);
        if (found.same != 0 && lane >= WordsPerBrickRow)
        {
          const DeviceWord goesOn = from.foreground & to.foreground & ~(from.starts | to.starts);
          const DeviceWord known = AreOne(a, a - WordsPerBrickRow) & joinedBefore & AreOne(b, b - WordsPerBrickRow);
          found.same = WithoutImpliedPairs(found.same, goesOn, known);
        }
      }
    }
    if (has)
    {
      m_Links.same.Set(part, found.same);
    }
    if (!isAlongAxes && m_Problem.HasDiagonals(Base::BackwardBundle(part)))
    {
      const BundleLinks<DeviceWord> undecided = Links::UndecidedAcross(from, to, found.joined);
      const BundleLinks<DeviceWord> across = FindAcross<Links>(voxels, undecided);
      if (has)
      {
        m_Links.SetAcross(part, across);
      }
    }
  }
  /** The bits at which the runs of two words of a brick are known to be one component. */
  __device__ __forceinline__ DeviceWord
  AreOne(int at, int other) const
  {
    return Base::OfWarp().endRuns[at].SharedWith(Base::OfWarp().endRuns[other], m_AreFirst);
  }

  /** The bits at which the word and the one that faces it are joined. */
  DeviceWord m_JoinedFacing = 0;
  /** Whether no word has more than one of its EndRuns. */
  bool m_AreFirst = true;
};

} // namespace brickccl::cuda

#endif
