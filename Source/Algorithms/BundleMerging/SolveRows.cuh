#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/RowTile.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveBricks.cuh"

/** Pixels to runs to components, brick by brick, where values decide. */
namespace brickccl::cuda
{

/** A brick of rows in shared memory. */
template <typename TProblem>
struct RowBrickMemory
{
  static constexpr int  RunsPerBrick = WordsPerBrick * RowLayout::runsPerWord;
  static constexpr bool isTiled = TProblem::isOneChannel && sizeof(typename TProblem::Pixel) <= 4;
  using Rows = std::conditional_t<isTiled, TileRows<TProblem>, PlainRows<TProblem>>;
  using UnionAccess = BlockAccess;

  /** Words with what is beside them in the brick, and how many of the brick's runs start before. */
  struct alignas(8) Word
  {
    RunWindow window;
    unsigned  runsBefore;
  };
  /** Behind the last one an empty one, for what lies outside of the brick. */
  Word words[WordsPerBrick + 1];
  union
  {
    /** Until links are found. */
    typename Rows::Storage voxels;
    /** Then: parents in the lower half; of a root RootBit and its component in the upper half, in the end. */
    unsigned forest[RunsPerBrick];
  };
  unsigned countOfLayer[LayersPerBrick];
  union
  {
    /** Until links are found; of the empty one they say nothing. */
    FarBits far[WordsPerBrick + 1];
    /** Then. */
    unsigned pairs[LayersPerBrick][64];
  };
  /** As in BrickMemory; joinedY is later the bits of what is the largest component in all likelihood. */
  DeviceWord joinedY[WordsPerBrick];
  DeviceWord joinedZ[WordsPerBrick];
  /** Whether a layer's rows are like those before them along y and z, and joined to them all along. */
  bool      isPlainLayer[LayersPerBrick];
  unsigned  components;
  BrickBase base;
  bool      fits;

  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(words[at].runsBefore, words[at].window.starts, x);
  }
};

/** What straight links along y and z say of the n-th backward row, before this one along both: by way of either row
 * between, of which equal values tell, too, where the two rows differ. It must lie in the brick. */
template <typename TProblem>
__device__ inline KnownLinks
KnownAcross(const RowBrickMemory<TProblem> & memory, const BundleGrid & grid, int self, int n)
{
  const int below = self - (WordsPerBrickRow << grid.bundlesShiftY);
  // Links along y are those of the later one of two rows.
  const int        toLater = n == 2 ? 0 : WordsPerBrickRow;
  const int        toBetween = BackwardStepY(n) * WordsPerBrickRow;
  const DeviceWord ownY = memory.joinedY[self + toLater];
  const DeviceWord thenZ = memory.joinedZ[self + toBetween];
  const DeviceWord ownZ = memory.joinedZ[self];
  const DeviceWord thenY = memory.joinedY[below + toLater];
  KnownLinks       known = { (ownY & thenZ) | (ownZ & thenY), 0 };
  if constexpr (TProblem::isTransitive)
  {
    known.parted = (memory.words[self + toBetween].window.foreground & (ownY ^ thenZ)) |
                   (memory.words[below].window.foreground & (ownZ ^ thenY));
  }
  return known;
}

/** Points all runs of a brick at their roots. */
template <typename TMemory>
__device__ inline void
FlattenRuns(TMemory & memory, int self, unsigned runsOfBrick)
{
  for (unsigned i = static_cast<unsigned>(self); i < runsOfBrick; i += WordsPerBrick)
  {
    BlockAccess::Store(memory.forest + i, PeekRoot<BlockAccess>(memory.forest, i));
  }
}

/** The bits of a word whose runs belong to what is the largest component of the brick in all likelihood, where all runs
 * point at their roots: one that two of three runs far apart belong to. */
template <typename TMemory>
__device__ inline DeviceWord
BitsInLargest(const TMemory & memory, const RowLayout::Kept & own, unsigned runsBefore, unsigned runsOfBrick)
{
  const unsigned one = memory.forest[runsOfBrick / 4];
  const unsigned other = memory.forest[runsOfBrick * 3 / 4];
  const unsigned root = one == other ? one : memory.forest[runsOfBrick / 2];
  DeviceWord     bits = runsBefore > 0 && memory.forest[runsBefore - 1] == root ? 0xFFFFFFFFu : 0u;
  unsigned       run = runsBefore;
  for (DeviceWord rest = own.rows[1]; rest != 0; rest &= rest - 1, ++run)
  {
    const DeviceWord from = rest | (0u - rest);
    bits = memory.forest[run] == root ? bits | from : bits & ~from;
  }
  return bits & own.rows[0];
}

/** Keeps the components of a brick whose rows are all alike and joined all along: those of its first row.
 *  \param firstVoxel of this thread's word */
template <typename TMemory>
__device__ inline void
KeepPlainBrick(const BrickArrays & bricks,
               TMemory &           memory,
               unsigned            runsBefore,
               DeviceWord          starts,
               unsigned            runsOfBrick,
               std::int64_t        firstVoxel)
{
  constexpr unsigned rows = WordsPerBrick / WordsPerBrickRow;
  const unsigned     components = runsOfBrick / rows;
  if (threadIdx.x == 0)
  {
    ClaimPlaces(bricks, memory, components, runsOfBrick);
  }
  __syncthreads();
  if (!memory.fits)
  {
    return;
  }
  if (threadIdx.x < WordsPerBrickRow)
  {
    unsigned id = memory.base.component + runsBefore;
    for (; starts != 0; starts &= starts - 1, ++id)
    {
      bricks.parent[id] = id;
      bricks.firstVoxel[id] = static_cast<unsigned>(firstVoxel + LowestBit(starts));
    }
  }
  for (unsigned run = threadIdx.x; run < runsOfBrick; run += WordsPerBrick)
  {
    bricks.componentOfRun[memory.base.run + run] = static_cast<unsigned short>(run % components);
  }
}

/** Reads and solves one brick per block of WordsPerBrick threads; as SolveBricksKernel.
 *  \tparam VAlongAxes whether neighbours along the axes alone count */
template <typename TProblem, bool VAlongAxes>
__global__ void
__launch_bounds__(WordsPerBrick, RowBrickMemory<TProblem>::isTiled ? 5 : 4)
  SolveRowsKernel(const __grid_constant__ TProblem    problem,
                  const DeviceWord *                  mask,
                  std::int64_t                        maskWordsPerRow,
                  const __grid_constant__ BrickArrays bricks,
                  const __grid_constant__ FarArrays   farArrays,
                  const __grid_constant__ FirstMarks  marks)
{
  constexpr bool     tellsFar = TellsFar<TProblem, VAlongAxes>;
  constexpr unsigned fewLinks = 4;
  constexpr unsigned manyLinks = 16;
  using Memory = RowBrickMemory<TProblem>;
  __shared__ Memory memory;
  AllowNextKernel();
  const BundleGrid & grid = problem.grid;
  const int          self = static_cast<int>(threadIdx.x);
  const int          lane = self % WordsPerLayer;
  const int          layer = self / WordsPerLayer;
  const int          word = self % WordsPerBrickRow;
  const int          bundle = self / WordsPerBrickRow;
  const int          y = bundle & grid.MaskY();
  const int          z = bundle >> grid.bundlesShiftY;
  const BrickPlace   place(grid, blockIdx.x);
  const std::size_t  index = std::size_t{ blockIdx.x } * WordsPerBrick + static_cast<unsigned>(self);
  const int          bundleY = (place.y << grid.bundlesShiftY) + y;
  const int          bundleZ = (place.z << grid.bundlesShiftZ) + z;
  const std::int64_t row = grid.RowOf(bundleY, bundleZ, 0);
  const std::int64_t x = std::int64_t{ place.x * WordsPerBrickRow + word } * BitsPerDeviceWord;
  const bool         isInside = row >= 0 && x < grid.extent.RowLength();
  // A warp's lanes hold the layer's rows in turn.
  const typename Memory::Rows rows(problem,
                                   memory.voxels,
                                   place.x * WordsPerBrickRow,
                                   bundleY - lane / WordsPerBrickRow,
                                   bundleZ,
                                   problem.VoxelAt(row, x));
  if (self == 0)
  {
    memory.components = 0;
  }
  DeviceWord wanted = 0;
  if (isInside)
  {
    const std::int64_t left = grid.extent.RowLength() - x;
    wanted = left < BitsPerDeviceWord ? BitsUpToLane(static_cast<int>(left) - 1) : 0xFFFFFFFFu;
    wanted &= mask != nullptr ? mask[row * maskWordsPerRow + x / BitsPerDeviceWord] : 0xFFFFFFFFu;
  }
  FarLimits limits = {};
  if constexpr (tellsFar)
  {
    limits = *farArrays.limits;
  }
  FarBits               far = {};
  const RowLayout::Kept own = rows.template Pack<tellsFar>(wanted, limits, far);
  const bool            isFar = tellsFar && limits.areKnown;
  if (isFar)
  {
    memory.far[self] = far;
    farArrays.Keep(grid, blockIdx.x, self, y, z, far);
  }
  const DeviceWord starts = own.rows[1];
  reinterpret_cast<RowLayout::Kept *>(bricks.bits)[index] = own;
  marks.ClearShare<1>();
  const auto     runs = static_cast<unsigned>(__popc(starts));
  const unsigned runsWith = SumOfLanes(runs);
  if (lane == WordsPerLayer - 1)
  {
    memory.countOfLayer[layer] = runsWith;
  }
  if (__syncthreads_or(own.rows[0] != 0) == 0)
  {
    return;
  }
  unsigned                    runsOfBrick = 0;
  const unsigned              runsBefore = runsWith - runs + BeforeLayer(memory.countOfLayer, layer, runsOfBrick);
  const BitWindow<DeviceWord> bits = { own.rows[0], BitBefore(own.rows[0]), BitAfter(own.rows[0]) >> 31 };
  const RunWindow             window = { bits.word, starts, bits.Left(), bits.Right(), starts >> 1 | BitAfter(starts) };
  memory.words[self] = { window, runsBefore };
  if (self == 0)
  {
    memory.words[WordsPerBrick] = {};
  }
  bricks.runsBefore[index] = static_cast<unsigned short>(runsBefore);
  __syncthreads();

  // Links to the rows before this one, as far as they lie in the brick.
  constexpr int           backward = VAlongAxes ? 2 : BackwardBundles;
  BackwardWords<backward> same = {};
  BackwardWords<backward> left = {};
  BackwardWords<backward> right = {};
  constexpr int           rowWords = WordsPerBrickRow;
  const auto              otherWord = [&](int n) { return WordBefore<backward>(grid, self, n); };
  // Bit n: the n-th lies in the brick.
  unsigned reach = 0;
#pragma unroll
  for (int n = 0; n < backward; ++n)
  {
    const bool hasY = BackwardStepY(n) == 0 || (BackwardStepY(n) < 0 ? y > 0 : y < grid.MaskY());
    const bool hasZ = BackwardStepZ(n) == 0 || z > 0;
    reach |= hasY && hasZ ? 1u << n : 0u;
  }
  // The n-th, or, if it lies in another brick, an empty one.
  const auto wordTo = [&](int n) { return (reach >> n & 1u) != 0 ? otherWord(n) : WordsPerBrick; };
  // Where this word's voxels are known to be too far from those of a word of the brick.
  const auto partedFrom = [&](int to) { return isFar ? memory.far[self].PartedFrom(memory.far[to]) : 0u; };
  // The links along y and z alone, first.
  const bool isEmpty = !__any_sync(AllLanes, own.rows[0] != 0);
  DeviceWord joined[2] = {};
  bool       isPlain = !isEmpty;
  // Of much code, several times as much would not stay in the instruction cache.
  constexpr bool hasMuchCode = sizeof(typename TProblem::Pixel) == 2 && !TProblem::isTransitive;
  const auto     findStraight = [&](const auto & compareTo) {
    constexpr int unrolled = hasMuchCode ? 1 : 2;
#pragma unroll unrolled
    for (int n = 0; n < 2; ++n)
    {
      const bool isInBrick = (reach >> n & 1u) != 0;
      if (!isEmpty && __any_sync(AllLanes, isInBrick))
      {
        const int           to = wordTo(n);
        const RunWindow &   other = memory.words[to].window;
        const StraightLinks found = FindStraight(compareTo(n, to), window, other, { 0, partedFrom(to) });
        same.Set(n, found.same);
        (n == 0 ? joined[0] : joined[1]) = found.joined;
        isPlain =
          isPlain &&
          (!isInBrick || (found.joined == own.rows[0] && other.foreground == own.rows[0] && other.starts == starts));
      }
    }
    if constexpr (!TProblem::isTransitive)
    {
      isPlain = isPlain && (starts & window.left) == 0;
    }
    memory.joinedY[self] = joined[0];
    memory.joinedZ[self] = joined[1];
  };
  // Of equal values few voxels have to be looked at: for all rows by one piece of code.
  constexpr bool looksLast = TProblem::isTransitive;
  const auto     findDiagonal = [&](const auto & compareTo) {
    constexpr int unrolled = hasMuchCode ? 1 : backward;
#pragma unroll unrolled
    for (int n = 0; n < backward; ++n)
    {
      const bool isInBrick = (reach >> n & 1u) != 0;
      if (!__any_sync(AllLanes, isInBrick))
      {
        continue;
      }
      const int         to = wordTo(n);
      const RunWindow & other = memory.words[to].window;
      DeviceWord        joinedTo = n == 0 ? joined[0] : joined[1];
      if (n >= 2)
      {
        KnownLinks known = isInBrick ? KnownAcross(memory, grid, self, n) : KnownLinks{};
        known.parted |= partedFrom(to);
        const StraightLinks found = FindStraight(compareTo(n, to), window, other, known);
        same.Set(n, found.same);
        joinedTo = found.joined;
      }
      if (problem.HasDiagonals(n))
      {
        BundleLinks<DeviceWord> open = OpenAcross<TProblem::isTransitive>(window, other, joinedTo);
        if (isFar)
        {
          open = open.Without(memory.far[self].PartedAcross(memory.far[to]));
        }
        const BundleLinks<DeviceWord> across = looksLast ? open : FindAcross(compareTo(n, to), open);
        left.Set(n, across.left);
        right.Set(n, across.right);
      }
    }
    if (looksLast && __any_sync(AllLanes, (left.Any() | right.Any()) != 0))
    {
#pragma unroll 1
      for (int n = 0; n < backward; ++n)
      {
        const BundleLinks<DeviceWord> open = { 0, left.Get(n), right.Get(n) };
        if (__any_sync(AllLanes, (open.left | open.right) != 0))
        {
          const BundleLinks<DeviceWord> across = FindAcross(compareTo(n, wordTo(n)), open);
          left.Set(n, across.left);
          right.Set(n, across.right);
        }
      }
    }
  };
  // Where all rows that face each other are alike and joined all along, links across say nothing new. Says whether the
  // whole brick is so.
  const auto findAll = [&](const auto & compareTo) {
    findStraight(compareTo);
    const bool isPlainLayer = __any_sync(AllLanes, !isPlain) == 0;
    if (lane == 0)
    {
      memory.isPlainLayer[layer] = isPlainLayer;
    }
    if (__syncthreads_or(!isPlain) == 0)
    {
      return true;
    }
    if constexpr (!VAlongAxes)
    {
      if (!isEmpty && !(isPlainLayer && (z == 0 || memory.isPlainLayer[layer - 1])))
      {
        findDiagonal(compareTo);
      }
      __syncthreads();
    }
    return false;
  };
  const bool isPlainBrick = findAll([&](int n, int to) { return rows.CompareTo(n, to); });
  if (isPlainBrick)
  {
    return KeepPlainBrick(bricks, memory, runsBefore, starts, runsOfBrick, row * grid.extent.RowLength() + x);
  }
  FirstLinks(memory, starts, runsBefore, same, otherWord);
  if (same.of[1] != 0)
  {
    const RunWindow & other = memory.words[wordTo(1)].window;
    same.of[1] = WithoutImpliedPairs(same.of[1],
                                     own.rows[0] & other.foreground & ~(starts | other.starts),
                                     ImpliedAlongZ(memory, grid, self, memory.joinedY[self]));
  }
  // Where many links are left, short ways to the roots pay. Where most words have very many (noise), some of them join
  // most runs to one component, and links within that are left out then.
  const unsigned linksLeft = same.Count() + left.Count() + right.Count();
  bool           isCrowded = false;
  if (__syncthreads_or(linksLeft > fewLinks) != 0)
  {
    FlattenRuns(memory, self, runsOfBrick);
    isCrowded = __syncthreads_count(linksLeft > manyLinks) > WordsPerBrick / 4;
  }
  else
  {
    ShortenWays(memory, runsOfBrick);
  }
  if (isCrowded)
  {
    UniteRest(memory, starts, runsBefore, same, left, right, otherWord, fewLinks);
    __syncthreads();
    FlattenRuns(memory, self, runsOfBrick);
    __syncthreads();
    const DeviceWord inLargest = BitsInLargest(memory, own, runsBefore, runsOfBrick);
    memory.joinedY[self] = inLargest;
    __syncthreads();
#pragma unroll
    for (int n = 0; n < backward; ++n)
    {
      if ((same.of[n] | left.of[n] | right.of[n]) != 0)
      {
        const int        to = otherWord(n);
        const DeviceWord other = memory.joinedY[to];
        const DeviceWord before = to % rowWords > 0 ? memory.joinedY[to - 1] >> 31 : 0u;
        const DeviceWord after = to % rowWords < rowWords - 1 ? memory.joinedY[to + 1] << 31 : 0u;
        same.of[n] &= ~(inLargest & other);
        left.of[n] &= ~(inLargest & (other << 1 | before));
        right.of[n] &= ~(inLargest & (other >> 1 | after));
      }
    }
  }
  UniteRest(memory, starts, runsBefore, same, left, right, otherWord);
  __syncthreads();

  // Components of the brick, in any order: their final order is that of their first voxels.
  for (unsigned first = threadIdx.x - static_cast<unsigned>(lane); first < runsOfBrick; first += WordsPerBrick)
  {
    const unsigned run = first + static_cast<unsigned>(lane);
    const bool     isRun = run < runsOfBrick;
    const unsigned root = isRun ? PeekRoot<BrickForestAccess>(memory.forest, run) : ~0u;
    // Lanes whose walks end early wait here, not each on its own.
    __syncwarp();
    const bool     isRoot = root == run;
    const unsigned component = isRoot ? atomicAdd(&memory.components, 1u) : 0u;
    if (isRun)
    {
      BlockAccess::Store(memory.forest + run, isRoot ? RootWord(run, component) : root);
    }
  }
  __syncthreads();
  if (self == 0)
  {
    ClaimPlaces(bricks, memory, memory.components, runsOfBrick);
  }
  __syncthreads();
  if (!memory.fits)
  {
    return;
  }
  const std::int64_t firstVoxel = row * grid.extent.RowLength() + x;
  const auto         componentOf = [](unsigned node) { return (node & ~RootBit) >> 16; };
  ForRoots(memory, starts, runsBefore, [&](unsigned run, int at) {
    const unsigned id = memory.base.component + componentOf(memory.forest[run]);
    bricks.parent[id] = id;
    bricks.firstVoxel[id] = static_cast<unsigned>(firstVoxel + at);
  });
  for (unsigned i = static_cast<unsigned>(self); i < runsOfBrick; i += WordsPerBrick)
  {
    const unsigned node = memory.forest[i];
    bricks.componentOfRun[memory.base.run + i] =
      static_cast<unsigned short>(componentOf((node & RootBit) != 0 ? node : memory.forest[node]));
  }
}

} // namespace brickccl::cuda

#endif
