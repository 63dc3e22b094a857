#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/Borders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowArrays.cuh"

/** Unions across borders along z and y, where values decide. */
namespace brickccl::cuda
{

/** With face connectivity all links lead straight across. */
template <bool VAlongAxes>
using RowBorderRole = BorderRole<VAlongAxes ? 1 : 3>;

/** The first voxel of a word of the border, if the volume has it. */
template <typename TProblem, int VParts>
__device__ inline const typename TProblem::Pixel *
FirstVoxel(const TProblem & problem, const BorderRole<VParts> & role, int at)
{
  using Role = BorderRole<VParts>;
  const BundleGrid & grid = problem.grid;
  const bool         isOther = at >= Role::others;
  const int          step = at / WordsPerBrickRow - (isOther ? Role::others / WordsPerBrickRow + 1 : 0);
  const int          back = isOther ? -1 : 0;
  const int          y = (role.place.y << grid.bundlesShiftY) + (role.axis == AlongZ ? step : back);
  const int          z = (role.place.z << grid.bundlesShiftZ) + (role.axis == AlongZ ? back : step);
  const int          word = role.place.x * WordsPerBrickRow + at % WordsPerBrickRow;
  const unsigned     row = grid.RowAt(static_cast<unsigned>(y), static_cast<unsigned>(z));
  return problem.VoxelAt(row * grid.rowLength + static_cast<unsigned>(word) * BitsPerDeviceWord);
}

/** A word of a border with the bits beside it. */
__device__ inline RunWindow
WindowOf(const BorderWord<RowLayout> & word)
{
  const BitWindow<DeviceWord> bits = word.Window().Row(0);
  const BitWindow<DeviceWord> starts = { word.starts, 0, word.StartsAfter() ? 1u : 0u };
  return { { bits.word, starts.word }, bits.Left(), bits.Right(), starts.Right() };
}

/** Calls `then` with the object that compares the voxels of a part's links. */
template <typename TProblem, typename TRole, typename TThen>
__device__ inline void
WithComparison(const TProblem & problem, const TRole & role, int part, const TThen & then)
{
  // The rows of the warp's lanes: rows of the brick, or rows that face them.
  const BundleGrid &       grid = problem.grid;
  const int                from = role.From(part);
  const bool               areOthers = from != role.Facing(false);
  const ReaderOf<TProblem> rows(problem,
                                role.place.x * WordsPerBrickRow,
                                (role.place.y << grid.bundlesShiftY) - (areOthers ? 1 : 0),
                                role.place.z << grid.bundlesShiftZ,
                                role.axis == AlongY);
  then(VoxelComparison<TProblem>(problem, rows, FirstVoxel(problem, role, from), role.BackwardBundle(part)));
}

/** The bits at which a lane's word at a border along z or y, and the word that faces it, are linked to those before
 *  them in their bricks. */
struct JoinedBefore
{
  DeviceWord own;
  DeviceWord other;

  /** Starts to read them. */
  template <typename TRole>
  __device__ void
  Fetch(const BundleGrid & grid, const BorderArrays<DeviceWord> & arrays, const TRole & role)
  {
    BrickWord facing;
    role.Locate(grid, role.Facing(true), facing);
    const int end = role.axis == AlongY ? 2 : 0;
    own = arrays.AtEnd(role.brick, end)[role.lane];
    other = arrays.AtEnd(facing.brick, end + 1)[role.lane];
  }
};

/** A lane of a warp that unites across a border along z or y, for equal values. All lanes must call. */
template <typename TProblem, bool VAlongAxes, typename TWords>
class EqualBorder
{
public:
  using Role = RowBorderRole<VAlongAxes>;

  __device__
  EqualBorder(const TProblem & problem, const BrickArrays & bricks, const Role & role, TWords & memory)
    : m_Problem(problem)
    , m_Bricks(bricks)
    , m_Role(role)
    , m_Memory(memory)
  {}

  __device__ __forceinline__ void
  Unite(const JoinedBefore & before, UnionsSeen & seen)
  {
    FindFacing();
    if constexpr (!VAlongAxes)
    {
      const SquareLinks links = SquareWithBefore(before);
      DropImplied(links);
      // Few other links are undecided. They are compared when they are united. Many are better compared word by word.
      m_AreMany = SumOfWarp(FindUndecided(links)) > TuningOf<Tuned::FewOpenAtBorder>;
      if (m_AreMany)
      {
        CompareWords();
      }
    }
    UniteLinks<RowLayout>(m_Problem.grid, m_Bricks, m_Role, m_Memory, seen, m_Links, [&](const BorderLink & link) {
      return link.IsFacing() || m_AreMany ||
             m_Problem.AreJoined(FirstVoxel(m_Problem, m_Role, link.From()) + link.X(),
                                 FirstVoxel(m_Problem, m_Role, link.To()) + link.ToX());
    });
  }

private:
  /** Finds the links to the word that faces the lane's. */
  __device__ __forceinline__ void
  FindFacing()
  {
    WithComparison(m_Problem, m_Role, 0, [&](const auto & compare) {
      m_Facing =
        FindStraight(compare, WindowOf(m_Memory.words[m_Role.From(0)]), WindowOf(m_Memory.words[m_Role.To(0)]), {});
    });
    m_Links.same.of[0] = m_Facing.same;
  }
  /** The square of the two words and those before them, from the lane's word or from the one before it. At the lower
   * end of a brick nothing is kept of what is not there. */
  __device__ __forceinline__ SquareLinks
  SquareWithBefore(const JoinedBefore & before) const
  {
    const bool       hasBefore = m_Role.lane >= WordsPerBrickRow;
    const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_Facing.joined, WordsPerBrickRow);
    return { hasBefore ? before.own : 0u,
             hasBefore ? joinedBefore : 0u,
             hasBefore ? before.other : 0u,
             m_Facing.joined };
  }
  /** The square of the two words and the next ones. */
  __device__ __forceinline__ SquareLinks
  SquareWithNext(const SquareLinks & links) const
  {
    const bool hasNext = m_Role.lane < WordsPerLayer - WordsPerBrickRow;
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
      const BorderWord<RowLayout> & own = m_Memory.words[m_Role.Facing(false)];
      const BorderWord<RowLayout> & other = m_Memory.words[m_Role.Facing(true)];
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
    for (int part = 0; part < Role::parts; ++part)
    {
      if (m_Role.HasLinks(part))
      {
        const SquareLinks square = part < 2 ? links : m_Role.axis == AlongZ ? next : links.Turned();
        const RunWindow   from = WindowOf(m_Memory.words[m_Role.From(part)]);
        const RunWindow   to = WindowOf(m_Memory.words[m_Role.To(part)]);
        if (part > 0)
        {
          m_Links.same.of[part] = UndecidedStraight(square, from, to);
          count += static_cast<unsigned>(__popc(m_Links.same.of[part]));
        }
        if (m_Problem.HasDiagonals(m_Role.BackwardBundle(part)))
        {
          const BundleLinks<DeviceWord> undecided =
            UndecidedAcross<true>(from, to, part == 0 ? m_Facing.joined : square.Across());
          m_Links.left.of[part] = undecided.left;
          m_Links.right.of[part] = undecided.right;
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
    for (int part = 0; part < Role::parts; ++part)
    {
      WithComparison(m_Problem, m_Role, part, [&](const auto & compare) {
        if (part > 0)
        {
          m_Links.same.Set(part, compare.JoinedTo(m_Links.same.Get(part)));
        }
        const BundleLinks<DeviceWord> across =
          FindAcross(compare, { 0, m_Links.left.Get(part), m_Links.right.Get(part) });
        m_Links.left.Set(part, across.left);
        m_Links.right.Set(part, across.right);
      });
    }
  }

  const TProblem &           m_Problem;
  const BrickArrays &        m_Bricks;
  const Role &               m_Role;
  TWords &                   m_Memory;
  StraightLinks              m_Facing = {};
  BackwardLinks<Role::parts> m_Links = {};
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
    bits[0] = foreground & ~(foreground + first) & ((later & (0u - later)) - 1);
    bits[1] = later != 0 ? foreground & ~(foreground + (1u << last)) : 0u;
    const auto componentAt = [&](int x) { return word.component + bricks.componentOfRun[word.RunAt(x)]; };
    components[0] = first != 0 ? componentAt(LowestBit(first)) : 0u;
    components[1] = later != 0 ? componentAt(last) : 0u;
  }
  /** The bits at which these runs and those of another word are one component.
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

/** What a lane reads of separated voxels at a border along z or y: those of its word, of the word that faces it, and of
 *  one of the bundles beside, if it has any. */
template <typename TRole>
struct BorderSeparation
{
  SeparationBits own;
  SeparationBits other;
  SeparationBits edge;

  /** Starts to read them. */
  __device__ void
  Fetch(const BundleGrid & grid, const SeparationArrays & arrays, const TRole & role)
  {
    const auto fetch = [&](int at) {
      BrickWord  word;
      const bool alongY = role.axis == AlongY;
      const int  end = (alongY ? 2 : 0) + (at >= TRole::others ? 1 : 0);
      return role.Locate(grid, at, word)
             ? arrays.faces.AtEnd(word.brick, end)[alongY ? role.lane : word.local % WordsPerLayer]
             : SeparationBits{};
    };
    own = fetch(role.Facing(false));
    other = fetch(role.Facing(true));
    edge = role.hasEdge ? fetch(role.Edge()) : SeparationBits{};
  }
  /** A barrier must follow. */
  __device__ void
  Store(const TRole & role, SeparationBits (&separation)[TRole::words]) const
  {
    separation[role.Facing(false)] = own;
    separation[role.Facing(true)] = other;
    if (role.hasEdge)
    {
      separation[role.Edge()] = edge;
    }
  }
};

/** A lane of a warp that unites across a border along z or y, with a tolerance. All lanes must call. */
template <typename TProblem, bool VAlongAxes, typename TWords>
class CloseBorder
{
public:
  using Role = RowBorderRole<VAlongAxes>;

  /** \param isSeparating  whether some voxels are known to be separated */
  __device__
  CloseBorder(const TProblem &    problem,
              const BrickArrays & bricks,
              const Role &        role,
              bool                isSeparating,
              TWords &            memory)
    : m_Problem(problem)
    , m_Bricks(bricks)
    , m_Role(role)
    , m_IsSeparating(isSeparating)
    , m_Memory(memory)
  {}

  __device__ __forceinline__ void
  Unite(UnionsSeen & seen)
  {
    if constexpr (!VAlongAxes)
    {
      FetchEndRuns();
    }
    FindLinks();
    const auto all = [](const BorderLink &) { return true; };
    UniteLinks<RowLayout>(m_Problem.grid, m_Bricks, m_Role, m_Memory, seen, m_Links, all);
  }

private:
  /** Reads the components of the words' first and last runs. */
  __device__ __forceinline__ void
  FetchEndRuns()
  {
    EndRuns * const endRuns = m_Memory.endRuns;
    EndRuns         own, other;
    EndRuns         edge = {};
    own.Fetch(m_Bricks, m_Memory.words[m_Role.Facing(false)]);
    other.Fetch(m_Bricks, m_Memory.words[m_Role.Facing(true)]);
    if (m_Role.hasEdge)
    {
      edge.Fetch(m_Bricks, m_Memory.words[m_Role.Edge()]);
      endRuns[m_Role.Edge()] = edge;
    }
    endRuns[m_Role.Facing(false)] = own;
    endRuns[m_Role.Facing(true)] = other;
    m_AreFirst = __any_sync(AllLanes, (own.bits[1] | other.bits[1] | edge.bits[1]) != 0) == 0;
    __syncwarp();
  }

  /** Straight links come first, then those to the bundles beside at either side (low and high). Most often no lane has
   *  both of these to look for. So along z, where all links lead from the brick's own words, one look does for both. */
  __device__ __forceinline__ void
  FindLinks()
  {
    DeviceWord impliedLow = 0;
    DeviceWord impliedHigh = 0;
    bool       isOpenLow = false;
    bool       isOpenHigh = false;
#pragma unroll 1
    for (int look = 0; look < Role::parts; ++look)
    {
      if (look == 1)
      {
        impliedLow = ImpliedBy(1);
        impliedHigh = ImpliedBy(2);
        isOpenLow = IsOpen(1, impliedLow);
        isOpenHigh = IsOpen(2, impliedHigh);
      }
      const bool looksAtBoth = look > 0 && m_Role.axis == AlongZ && !__any_sync(AllLanes, isOpenLow && isOpenHigh);
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
  /** The bits at which a part's links are implied by way of the word that faces either end. All lanes must call. */
  __device__ __forceinline__ DeviceWord
  ImpliedBy(int part) const
  {
    const int        a = m_Role.From(part);
    const int        b = m_Role.To(part);
    const int        laneOfB = Role::LaneOf(b);
    const DeviceWord joinedThere = __shfl_sync(AllLanes, m_JoinedFacing, laneOfB);
    if (!m_Role.HasLinks(part))
    {
      return 0u;
    }
    const DeviceWord byA = m_JoinedFacing & AreOne(Role::OppositeOf(a), b);
    return Role::IsLane(laneOfB) ? byA | (joinedThere & AreOne(a, Role::OppositeOf(b))) : byA;
  }
  /** Whether a part's links must be looked for. They need not where two rows are alike and joined all along. */
  __device__ __forceinline__ bool
  IsOpen(int part, DeviceWord implied) const
  {
    if (!m_Role.HasLinks(part))
    {
      return false;
    }
    const RunWindow from = WindowOf(m_Memory.words[m_Role.From(part)]);
    const RunWindow to = WindowOf(m_Memory.words[m_Role.To(part)]);
    const bool      hasSeparated = (from.starts & from.left) != 0;
    return from.foreground != 0 &&
           (hasSeparated || implied != from.foreground || implied != to.foreground || from.starts != to.starts);
  }
  /** Looks for a part's links. Lanes that have nothing to look for call with `has` false. */
  __device__ __forceinline__ void
  Look(int part, bool has, DeviceWord implied)
  {
    const int        a = m_Role.From(part);
    const int        b = m_Role.To(part);
    const RunWindow  from = has ? WindowOf(m_Memory.words[a]) : RunWindow{};
    const RunWindow  to = has ? WindowOf(m_Memory.words[b]) : RunWindow{};
    const DeviceWord separated =
      m_IsSeparating && has ? m_Memory.separation[a].SeparatedFrom(m_Memory.separation[b]) : 0u;
    WithComparison(m_Problem, m_Role, part, [&](const auto & compare) {
      StraightLinks found = FindStraight(compare, from, to, { has ? implied : 0u, separated });
      if (part == 0)
      {
        m_JoinedFacing = found.joined;
        if constexpr (!VAlongAxes)
        {
          const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_JoinedFacing, WordsPerBrickRow);
          if (found.same != 0 && m_Role.lane >= WordsPerBrickRow)
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
      if (!VAlongAxes && m_Problem.HasDiagonals(m_Role.BackwardBundle(part)))
      {
        BundleLinks<DeviceWord> undecided = UndecidedAcross<false>(from, to, found.joined);
        if (m_IsSeparating)
        {
          undecided = undecided.Without(m_Memory.separation[a].SeparatedAcross(m_Memory.separation[b]));
        }
        const BundleLinks<DeviceWord> across = FindAcross(compare, undecided);
        if (has)
        {
          m_Links.left.Set(part, across.left);
          m_Links.right.Set(part, across.right);
        }
      }
    });
  }
  /** The bits at which the runs of two words of a brick are known to be one component. */
  __device__ __forceinline__ DeviceWord
  AreOne(int at, int other) const
  {
    return m_Memory.endRuns[at].SharedWith(m_Memory.endRuns[other], m_AreFirst);
  }

  const TProblem &           m_Problem;
  const BrickArrays &        m_Bricks;
  const Role &               m_Role;
  bool                       m_IsSeparating;
  TWords &                   m_Memory;
  BackwardLinks<Role::parts> m_Links = {};
  /** The bits at which the word and the one that faces it are joined. */
  DeviceWord m_JoinedFacing = 0;
  /** Whether no word has more than one of its EndRuns. */
  bool m_AreFirst = true;
};

} // namespace brickccl::cuda

#endif
