#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEROWBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/FarVoxels.cuh"
#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/MergeBorders.cuh"

/** Unions of components across the borders of bricks, where values decide. */
namespace brickccl::cuda
{

/** Voxels beside a border along x, of all rows of a brick. */
template <typename TProblem>
struct EndVoxels
{
  using Pixel = typename TProblem::Pixel;

  /** Their values, or where they lie if they have several channels. */
  std::conditional_t<TProblem::isOneChannel, Pixel, const Pixel *> voxels[BorderEnds::bundles];

  __device__ void
  Set(int bundle, const Pixel * voxel)
  {
    if constexpr (TProblem::isOneChannel)
    {
      voxels[bundle] = *voxel;
    }
    else
    {
      voxels[bundle] = voxel;
    }
  }
  __device__ const Pixel *
  At(int bundle) const
  {
    if constexpr (TProblem::isOneChannel)
    {
      return voxels + bundle;
    }
    else
    {
      return voxels[bundle];
    }
  }
};

/** Links along the axes alone lead straight across. */
template <bool VAlongAxes>
using RowBorderRole = BorderRole<VAlongAxes ? 1 : 3>;

/** The first voxel of this lane's word of the brick or the one that faces it, if the volume has it. */
template <typename TProblem, int VParts>
__device__ inline const typename TProblem::Pixel *
FirstVoxel(const TProblem & problem, const BorderRole<VParts> & role, bool isOther)
{
  const BundleGrid & grid = problem.grid;
  const int          step = role.lane / WordsPerBrickRow;
  const int          back = isOther ? -1 : 0;
  const std::int64_t y = (role.place.y << grid.bundlesShiftY) + (role.side == AlongZ ? step : back);
  const std::int64_t z = (role.place.z << grid.bundlesShiftZ) + (role.side == AlongZ ? back : step);
  const std::int64_t word = role.place.x * WordsPerBrickRow + role.lane % WordsPerBrickRow;
  return problem.VoxelAt(z * grid.extent.size[1] + y, word * BitsPerDeviceWord);
}

/** The bits of a word's first and last run, and the runs' components among those of all bricks. Most words have no
 *  others. */
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
  /** Bits at which these runs and those of another word are one component.
   *  \param areFirst whether no word has more than one of them */
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

/** What a warp has in shared memory for a border along z or y where values decide. */
template <bool VAlongAxes, bool VTellsFar>
struct RowBorderWords : BorderWords<RowLayout, RowBorderRole<VAlongAxes>::parts>
{
  using Role = RowBorderRole<VAlongAxes>;

  /** Where links lead to the bundles beside. */
  EndRuns endRuns[VAlongAxes ? 1 : Role::words];
  /** Where voxels may be of two kinds. */
  FarBits far[VTellsFar ? Role::words : 1];
};

/** What a lane reads of voxels of two kinds at a border along z or y: of its word, the one that faces it, and one of
 * the bundles beside, if it has any. */
template <typename TRole>
struct BorderFar
{
  FarBits own;
  FarBits other;
  FarBits edge;

  /** Starts to read them. */
  __device__ void
  Fetch(const BundleGrid & grid, const FarArrays & arrays, const TRole & role)
  {
    const auto fetch = [&](int at) {
      BrickWord  word;
      const bool alongY = role.side == AlongY;
      const int  end = (alongY ? 2 : 0) + (at >= TRole::others ? 1 : 0);
      return role.Locate(grid, at, word)
             ? arrays.AtEnd(word.brick, end)[alongY ? role.lane : word.local % WordsPerLayer]
             : FarBits{};
    };
    own = fetch(role.Facing(false));
    other = fetch(role.Facing(true));
    edge = role.hasEdge ? fetch(role.Edge()) : FarBits{};
  }
  /** To be followed by a barrier. */
  __device__ void
  Store(const TRole & role, FarBits (&far)[TRole::words]) const
  {
    far[role.Facing(false)] = own;
    far[role.Facing(true)] = other;
    if (role.hasEdge)
    {
      far[role.Edge()] = edge;
    }
  }
};

/** What a warp has in shared memory for a border along x where values decide. */
template <typename TProblem>
struct RowBorderEnds : BorderEnds
{
  EndVoxels<TProblem> leftVoxels;
  EndVoxels<TProblem> rightVoxels;

  /** Reads a row's voxels beside the border along x, if it lies in the volume. */
  __device__ void
  ReadEnds(const TProblem & problem, const BrickPlace & place, int bundle)
  {
    const BundleGrid & grid = problem.grid;
    const std::int64_t row = grid.RowOf((place.y << grid.bundlesShiftY) + (bundle & grid.MaskY()),
                                        (place.z << grid.bundlesShiftZ) + (bundle >> grid.bundlesShiftY),
                                        0);
    if (row >= 0)
    {
      const auto * const voxel = problem.VoxelAt(row, std::int64_t{ place.x } * VoxelsPerBrickRow);
      leftVoxels.Set(bundle, voxel - problem.Channels());
      rightVoxels.Set(bundle, voxel);
    }
  }
};

/** As UniteEnds, one lane per row. */
template <typename TProblem, bool VAlongAxes>
__device__ inline void
UniteRowEnds(const TProblem &                problem,
             const BrickArrays &             bricks,
             int                             bundle,
             const RowBorderEnds<TProblem> & ends,
             UnionsSeen &                    seen)
{
  const BundleGrid & grid = problem.grid;
  const auto         hasLeft = [&](int of) { return (ends.bits[of] & 1u) != 0; };
  const auto         hasRight = [&](int of) { return (ends.bits[of] & 16u) != 0; };
  const auto         meets = [&](int of) {
    return hasLeft(of) && hasRight(of) && problem.AreJoined(ends.rightVoxels.At(of), ends.leftVoxels.At(of));
  };
  if (ends.bits[bundle] == 0)
  {
    return;
  }
  const bool ownMeets = meets(bundle);
  if (ownMeets)
  {
    seen.Unite(bricks, ends.right[bundle], ends.left[bundle]);
  }
  // Diagonal links within the same bricks' rows; those to other bricks are the other warps'.
#pragma unroll 1
  for (int n = 0; n < (VAlongAxes ? 0 : BackwardBundles); ++n)
  {
    const int y = (bundle & grid.MaskY()) + BackwardStepY(n);
    const int z = (bundle >> grid.bundlesShiftY) + BackwardStepZ(n);
    if (!problem.HasDiagonals(n) || y < 0 || y > grid.MaskY() || z < 0)
    {
      continue;
    }
    // A way over three sides says as much as the diagonal.
    const int  other = (z << grid.bundlesShiftY) + y;
    const bool otherMeets = meets(other);
    const bool leftsMeet =
      hasLeft(bundle) && hasLeft(other) && problem.AreJoined(ends.leftVoxels.At(bundle), ends.leftVoxels.At(other));
    const bool rightsMeet =
      hasRight(bundle) && hasRight(other) && problem.AreJoined(ends.rightVoxels.At(bundle), ends.rightVoxels.At(other));
    if (hasRight(bundle) && hasLeft(other) && !(ownMeets && leftsMeet) && !(rightsMeet && otherMeets) &&
        problem.AreJoined(ends.rightVoxels.At(bundle), ends.leftVoxels.At(other)))
    {
      seen.Unite(bricks, ends.right[bundle], ends.left[other]);
    }
    if (hasLeft(bundle) && hasRight(other) && !(ownMeets && rightsMeet) && !(leftsMeet && otherMeets) &&
        problem.AreJoined(ends.leftVoxels.At(bundle), ends.rightVoxels.At(other)))
    {
      seen.Unite(bricks, ends.left[bundle], ends.right[other]);
    }
  }
}

template <typename TProblem, bool VAlongAxes>
__global__ void
__launch_bounds__(BorderThreads, VAlongAxes ? 16 : 10)
  MergeRowBordersKernel(const __grid_constant__ TProblem    problem,
                        const __grid_constant__ BrickArrays bricks,
                        const __grid_constant__ FarArrays   farArrays)
{
  using Role = RowBorderRole<VAlongAxes>;
  constexpr bool tellsFar = TellsFar<TProblem, VAlongAxes>;
  using Words = RowBorderWords<VAlongAxes, tellsFar>;
  __shared__ BorderMemory<Words, RowBorderEnds<TProblem>> memory;
  const BundleGrid &                                      grid = problem.grid;
  const Role                                              role(grid);
  memory.seen.Clear();
  __syncthreads();
  WaitForEarlierKernels();
  if (!role.HasBorder())
  {
    return;
  }
  if (role.side == AlongX)
  {
    RowBorderEnds<TProblem> & ends = memory.of[role.warp].ends;
    const auto                readVoxels = [&](int bundle) { ends.ReadEnds(problem, role.place, bundle); };
    MergeEnds<RowLayout>(bricks, role.brick, ends, readVoxels, [&](int bundle) {
      UniteRowEnds<TProblem, VAlongAxes>(problem, bricks, bundle, ends, memory.seen);
    });
    return;
  }
  Words & ofWarp = memory.of[role.warp].words;
  bool    isFar = false;
  if constexpr (tellsFar)
  {
    BorderFar<Role> far;
    far.Fetch(grid, farArrays, role);
    isFar = farArrays.limits->areKnown;
    ReadBorder<RowLayout>(grid, bricks, role, ofWarp);
    far.Store(role, ofWarp.far);
    __syncwarp();
  }
  else
  {
    ReadBorder<RowLayout>(grid, bricks, role, ofWarp);
  }
  if (!bricks.Fit())
  {
    return;
  }
  BackwardWords<Role::parts>          same = {};
  BackwardWords<Role::parts>          left = {};
  BackwardWords<Role::parts>          right = {};
  const BorderWord<RowLayout> * const words = ofWarp.words;
  const auto                          window = [&](int at) {
    const BorderWord<RowLayout> & word = words[at];
    const BitWindow<DeviceWord>   bits = word.Window().Row(0);
    const BitWindow<DeviceWord>   starts = { word.starts, 0, word.StartsAfter() ? 1u : 0u };
    return RunWindow{ bits.word, starts.word, bits.Left(), bits.Right(), starts.Right() };
  };
  EndRuns * const endRuns = ofWarp.endRuns;
  bool            areFirst = true;
  if constexpr (!VAlongAxes)
  {
    EndRuns own, other;
    EndRuns edge = {};
    own.Fetch(bricks, words[role.Facing(false)]);
    other.Fetch(bricks, words[role.Facing(true)]);
    if (role.hasEdge)
    {
      edge.Fetch(bricks, words[role.Edge()]);
      endRuns[role.Edge()] = edge;
    }
    endRuns[role.Facing(false)] = own;
    endRuns[role.Facing(true)] = other;
    areFirst = __any_sync(AllLanes, (own.bits[1] | other.bits[1] | edge.bits[1]) != 0) == 0;
    __syncwarp();
  }
  // What is known from within a brick.
  const auto areOne = [&](int at, int other) { return endRuns[at].SharedWith(endRuns[other], areFirst); };
  DeviceWord joinedFacing = 0;
  // Bits at which a part's links are known by way of the word that faces either of theirs. All lanes must call.
  const auto impliedBy = [&](int part) {
    const int        a = role.From(part);
    const int        b = role.To(part);
    const int        laneOfB = Role::LaneOf(b);
    const DeviceWord joinedThere = __shfl_sync(AllLanes, joinedFacing, laneOfB);
    if (!role.HasLinks(part))
    {
      return 0u;
    }
    const DeviceWord byA = joinedFacing & areOne(Role::OppositeOf(a), b);
    return Role::IsLane(laneOfB) ? byA | (joinedThere & areOne(a, Role::OppositeOf(b))) : byA;
  };
  // Whether a part's links are to be looked for: not where two rows are alike and joined all along.
  const auto isOpen = [&](int part, DeviceWord implied) {
    if (!role.HasLinks(part))
    {
      return false;
    }
    const RunWindow from = window(role.From(part));
    const RunWindow to = window(role.To(part));
    const bool      hasParted = !TProblem::isTransitive && (from.starts & from.left) != 0;
    return from.foreground != 0 &&
           (hasParted || implied != from.foreground || implied != to.foreground || from.starts != to.starts);
  };
  // All lanes must call, those that have nothing to look for with `has` false.
  const auto find = [&](int part, bool has, DeviceWord implied) {
    const int       a = role.From(part);
    const int       b = role.To(part);
    const RunWindow from = has ? window(a) : RunWindow{};
    const RunWindow to = has ? window(b) : RunWindow{};
    // The rows of the warp's lanes: of the brick, or those that face them.
    const bool                      areOthers = a != role.Facing(false);
    const auto * const              voxel = FirstVoxel(problem, role, areOthers);
    const ReaderOf<TProblem>        rows(problem,
                                  role.place.x * WordsPerBrickRow,
                                  (role.place.y << grid.bundlesShiftY) - (areOthers ? 1 : 0),
                                  role.place.z << grid.bundlesShiftZ,
                                  role.side == AlongY);
    const int                       n = role.BackwardBundle(part);
    const VoxelComparison<TProblem> compare(problem, rows, voxel, n);
    const DeviceWord                parted = isFar && has ? ofWarp.far[a].PartedFrom(ofWarp.far[b]) : 0u;
    StraightLinks                   found = FindStraight(compare, from, to, { has ? implied : 0u, parted });
    if (part == 0)
    {
      joinedFacing = found.joined;
      if constexpr (!VAlongAxes)
      {
        const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, joinedFacing, WordsPerBrickRow);
        if (found.same != 0 && role.lane >= WordsPerBrickRow)
        {
          const DeviceWord goesOn = from.foreground & to.foreground & ~(from.starts | to.starts);
          const DeviceWord known = areOne(a, a - WordsPerBrickRow) & joinedBefore & areOne(b, b - WordsPerBrickRow);
          found.same = WithoutImpliedPairs(found.same, goesOn, known);
        }
      }
    }
    if (has)
    {
      same.Set(part, found.same);
    }
    if constexpr (!VAlongAxes)
    {
      if (problem.HasDiagonals(n))
      {
        BundleLinks<DeviceWord> open = OpenAcross<TProblem::isTransitive>(from, to, found.joined);
        if (isFar)
        {
          open = open.Without(ofWarp.far[a].PartedAcross(ofWarp.far[b]));
        }
        const BundleLinks<DeviceWord> across = FindAcross(compare, open);
        if (has)
        {
          left.Set(part, across.left);
          right.Set(part, across.right);
        }
      }
    }
  };
  // Straight links, then those to the bundles beside at either side (low and high). Most often no lane has both of
  // these to look for, so that along z, where all lead from the brick's own words, one look does for both.
  DeviceWord impliedLow = 0;
  DeviceWord impliedHigh = 0;
  bool       isOpenLow = false;
  bool       isOpenHigh = false;
#pragma unroll 1
  for (int look = 0; look < Role::parts; ++look)
  {
    if (look == 1)
    {
      impliedLow = impliedBy(1);
      impliedHigh = impliedBy(2);
      isOpenLow = isOpen(1, impliedLow);
      isOpenHigh = isOpen(2, impliedHigh);
    }
    const bool looksAtBoth = look > 0 && role.side == AlongZ && !__any_sync(AllLanes, isOpenLow && isOpenHigh);
    const bool isHigh = look == 2 || (looksAtBoth && isOpenHigh);
    const bool has = look == 0 || (isHigh ? isOpenHigh : isOpenLow);
    if (__any_sync(AllLanes, has))
    {
      find(look == 0 ? 0 : isHigh ? 2 : 1, has, isHigh ? impliedHigh : impliedLow);
    }
    if (looksAtBoth)
    {
      break;
    }
  }
  UniteLinks<RowLayout>(grid, bricks, role, ofWarp, memory.seen, same, left, right);
}

} // namespace brickccl::cuda

#endif
