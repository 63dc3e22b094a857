#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNITEEQUALROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_UNITEEQUALROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BorderRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/UndecidedLinks.cuh"

/** Unions across borders along z and y, for equal values. */
namespace brickccl::cuda
{

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

/** Unites across a border along z or y, for equal values. All lanes must call. */
template <typename TProblem, bool VAlongAxes, typename TWords>
__device__ inline void
UniteEqualRows(const TProblem &                  problem,
               const BrickArrays &               bricks,
               const RowBorderRole<VAlongAxes> & role,
               const JoinedBefore &              before,
               TWords &                          memory,
               UnionsSeen &                      seen)
{
  using Role = RowBorderRole<VAlongAxes>;
  // More than these are better compared word by word.
  constexpr unsigned                  few = TuningOf<Tuned::FewOpenAtBorder>;
  constexpr int                       step = WordsPerBrickRow;
  const BundleGrid &                  grid = problem.grid;
  const BorderWord<RowLayout> * const words = memory.words;
  BackwardLinks<Role::parts>          found = {};
  StraightLinks                       facing = {};
  WithComparison(problem, role, 0, [&](const auto & compare) {
    facing = FindStraight(compare, WindowOf(words[role.From(0)]), WindowOf(words[role.To(0)]), {});
  });
  found.same.of[0] = facing.same;
  bool areMany = false;
  if constexpr (!VAlongAxes)
  {
    const bool hasBefore = role.lane >= step;
    const bool hasNext = role.lane < WordsPerLayer - step;
    const auto ofBefore = [&](DeviceWord word) {
      const DeviceWord there = __shfl_up_sync(AllLanes, word, step);
      return hasBefore ? there : 0u;
    };
    const auto ofNext = [&](DeviceWord word) {
      const DeviceWord there = __shfl_down_sync(AllLanes, word, step);
      return hasNext ? there : 0u;
    };
    // The square of the two words and those before them, from this one or from the one before it. At the lower end of a
    // brick nothing is kept of what is not there.
    const SquareLinks links = { hasBefore ? before.own : 0u,
                                ofBefore(facing.joined),
                                hasBefore ? before.other : 0u,
                                facing.joined };
    // The square of the two words and the next ones.
    const SquareLinks next = { ofNext(links.ab), ofNext(links.da), ofNext(links.cd), links.da };
    if (facing.same != 0)
    {
      const BorderWord<RowLayout> & own = words[role.Facing(false)];
      const BorderWord<RowLayout> & other = words[role.Facing(true)];
      const DeviceWord              goesOn = own.rows.rows[0] & other.rows.rows[0] & ~(own.starts | other.starts);
      found.same.of[0] = WithoutImpliedPairs(facing.same, goesOn, links.ab & links.bc & links.cd);
    }
    // Few other links are undecided. They are compared when they are united.
    unsigned count = 0;
#pragma unroll
    for (int part = 0; part < Role::parts; ++part)
    {
      if (role.HasLinks(part))
      {
        const SquareLinks square = part < 2 ? links : role.axis == AlongZ ? next : links.Turned();
        const RunWindow   from = WindowOf(words[role.From(part)]);
        const RunWindow   to = WindowOf(words[role.To(part)]);
        if (part > 0)
        {
          found.same.of[part] = UndecidedStraight(square, from, to);
          count += static_cast<unsigned>(__popc(found.same.of[part]));
        }
        if (problem.HasDiagonals(role.BackwardBundle(part)))
        {
          const BundleLinks<DeviceWord> undecided =
            UndecidedAcross<true>(from, to, part == 0 ? facing.joined : square.Across());
          found.left.of[part] = undecided.left;
          found.right.of[part] = undecided.right;
          count += static_cast<unsigned>(__popc(undecided.left) + __popc(undecided.right));
        }
      }
    }
    areMany = SumOfWarp(count) > few;
    if (areMany)
    {
#pragma unroll 1
      for (int part = 0; part < Role::parts; ++part)
      {
        WithComparison(problem, role, part, [&](const auto & compare) {
          if (part > 0)
          {
            found.same.Set(part, compare.JoinedTo(found.same.Get(part)));
          }
          const BundleLinks<DeviceWord> across =
            FindAcross(compare, { 0, found.left.Get(part), found.right.Get(part) });
          found.left.Set(part, across.left);
          found.right.Set(part, across.right);
        });
      }
    }
  }
  UniteLinks<RowLayout>(grid, bricks, role, memory, seen, found, [&](const BorderLink & link) {
    return link.IsFacing() || areMany ||
           problem.AreJoined(FirstVoxel(problem, role, link.From()) + link.X(),
                             FirstVoxel(problem, role, link.To()) + link.ToX());
  });
}

} // namespace brickccl::cuda

#endif
