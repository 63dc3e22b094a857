#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveBricks.cuh"

/** Pixels to runs to components, brick by brick, where values decide. */
namespace brickccl::cuda
{

/** A brick of rows in shared memory. */
struct RowBrickMemory
{
  static constexpr int RunsPerBrick = WordsPerBrick * RowLayout::runsPerWord;

  DeviceWord     foreground[WordsPerBrick];
  DeviceWord     starts[WordsPerBrick];
  unsigned short runsBefore[WordsPerBrick];
  /** Values of runs where one voxel answers for all; then parents; then the roots' components. */
  unsigned forest[RunsPerBrick];
  unsigned countOfLayer[LayersPerBrick];
  unsigned pairs[LayersPerBrick][64];
  /** As in BrickMemory; joinedY is later the bits of what is the largest component in all likelihood. */
  DeviceWord joinedY[WordsPerBrick];
  DeviceWord joinedZ[WordsPerBrick];
  /** Whether a layer's rows are like those before them along y and z, and joined to them all along. */
  bool      isPlainLayer[LayersPerBrick];
  BrickBase base;
  bool      fits;

  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(runsBefore[at], starts[at], x);
  }
  __device__ RunWindow
  Window(int at) const
  {
    const int word = at % WordsPerBrickRow;
    RunWindow window = { { foreground[at], 0, 0 }, starts[at], false };
    if (word > 0)
    {
      window.foreground.before = foreground[at - 1] >> 31;
    }
    if (word < WordsPerBrickRow - 1)
    {
      window.foreground.after = foreground[at + 1] & 1u;
      window.startsAfter = (starts[at + 1] & 1u) != 0;
    }
    return window;
  }
};

/** A number that is the same for equal values alone. */
template <typename T>
__device__ inline unsigned
KeyOf(T value)
{
  static_assert(sizeof(T) == sizeof(unsigned));
  if constexpr (std::is_floating_point_v<T>)
  {
    return __float_as_uint(value == 0 ? 0.0f : value);
  }
  else
  {
    return static_cast<unsigned>(value);
  }
}

/** Compares the values of runs, which stand in the place of the forest. */
template <typename TOtherWord>
struct KeyComparison
{
  static constexpr bool isAtHand = true;

  const RowBrickMemory & memory;
  unsigned               runsBefore;
  DeviceWord             starts;
  const TOtherWord &     otherWord;

  /** As VoxelComparison's. */
  __device__ bool
  operator()(int x, int n, std::int64_t, int step) const
  {
    const int to = x + step;
    const int toWord = otherWord(n) + (step == 0 ? 0 : to >> 5);
    return memory.forest[cuda::RunAt(runsBefore, starts, x)] == memory.forest[memory.RunAt(toWord, to & 31)];
  }
};

/** Points all runs of a brick at their roots. */
__device__ inline void
FlattenRuns(RowBrickMemory & memory, int self, unsigned runsOfBrick)
{
  for (unsigned i = static_cast<unsigned>(self); i < runsOfBrick; i += WordsPerBrick)
  {
    BlockAccess::Store(memory.forest + i, PeekRoot<BlockAccess>(memory.forest, i));
  }
}

/** The bits of a word whose runs belong to what is the largest component of the brick in all likelihood, where all runs
 * point at their roots: one that two of three runs far apart belong to. */
__device__ inline DeviceWord
BitsInLargest(const RowBrickMemory & memory, const RowLayout::Kept & own, unsigned runsBefore, unsigned runsOfBrick)
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
__device__ inline void
KeepPlainBrick(const BrickArrays & bricks,
               RowBrickMemory &    memory,
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

/** Reads and solves one brick per block of WordsPerBrick threads; as SolveBricksKernel. */
template <typename TProblem>
__global__ void
__launch_bounds__(WordsPerBrick, 4) SolveRowsKernel(const __grid_constant__ TProblem    problem,
                                                    const DeviceWord *                  mask,
                                                    std::int64_t                        maskWordsPerRow,
                                                    const __grid_constant__ BrickArrays bricks,
                                                    const __grid_constant__ FirstMarks  marks)
{
  constexpr unsigned        fewLinks = 4;
  constexpr unsigned        manyLinks = 16;
  __shared__ RowBrickMemory memory;
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
  const ReaderOf<TProblem> rows(problem, place.x * WordsPerBrickRow, bundleY - lane / WordsPerBrickRow, bundleZ, false);
  DeviceWord               wanted = 0;
  if (isInside)
  {
    const std::int64_t left = grid.extent.RowLength() - x;
    wanted = left < BitsPerDeviceWord ? BitsUpToLane(static_cast<int>(left) - 1) : 0xFFFFFFFFu;
    wanted &= mask != nullptr ? mask[row * maskWordsPerRow + x / BitsPerDeviceWord] : 0xFFFFFFFFu;
  }
  const RowLayout::Kept own = rows.Pack(wanted);
  const DeviceWord      starts = own.rows[1];
  reinterpret_cast<RowLayout::Kept *>(bricks.bits)[index] = own;
  marks.ClearShare<1>();
  const auto     runs = static_cast<unsigned>(__popc(starts));
  const unsigned runsWith = SumOfLanes(runs, lane);
  if (lane == WordsPerLayer - 1)
  {
    memory.countOfLayer[layer] = runsWith;
  }
  memory.foreground[self] = own.rows[0];
  memory.starts[self] = starts;
  if (__syncthreads_or(own.rows[0] != 0) == 0)
  {
    return;
  }
  unsigned       runsOfBrick = 0;
  const unsigned runsBefore = runsWith - runs + BeforeLayer(memory.countOfLayer, layer, runsOfBrick);
  memory.runsBefore[self] = static_cast<unsigned short>(runsBefore);
  bricks.runsBefore[index] = static_cast<unsigned short>(runsBefore);
  __syncthreads();

  // Links to the rows before this one, as far as they lie in the brick.
  using T = typename TProblem::Pixel;
  BackwardWords<BackwardBundles> same = {};
  BackwardWords<BackwardBundles> left = {};
  BackwardWords<BackwardBundles> right = {};
  const T * const                voxel = problem.VoxelAt(row, x);
  constexpr int                  rowWords = WordsPerBrickRow;
  const int                      below = self - (rowWords << grid.bundlesShiftY);
  const auto                     otherWord = [&](int n) {
    return self + (BackwardStepZ(n) * (1 << grid.bundlesShiftY) + BackwardStepY(n)) * rowWords;
  };
  // Bits whose run is known to be linked to that of the n-th row by way of one of the two rows between.
  const auto impliedTo = [&](int n) {
    const int between = n == 2 ? self : self + rowWords;
    const int last = n == 2 ? self - rowWords : between;
    return (memory.joinedY[between] & memory.joinedZ[last]) |
           (memory.joinedZ[self] & memory.joinedY[n == 2 ? below : below + rowWords]);
  };
  // The links along y and z alone, first.
  const bool isEmpty = !__any_sync(AllLanes, own.rows[0] != 0);
  DeviceWord joined[2] = {};
  bool       isPlain = !isEmpty;
  const auto findStraight = [&](const auto & compare) {
    const RunWindow window = memory.Window(self);
#pragma unroll
    for (int n = 0; n < 2; ++n)
    {
      const int  toY = y + BackwardStepY(n);
      const bool isInBrick = toY >= 0 && z + BackwardStepZ(n) >= 0;
      if (!isEmpty && __any_sync(AllLanes, isInBrick))
      {
        const RunWindow     other = isInBrick ? memory.Window(otherWord(n)) : RunWindow{};
        const StraightLinks found = FindStraight(problem, rows, compare, n, window, other, 0);
        same.of[n] = found.same;
        joined[n] = found.joined;
        isPlain = isPlain && (!isInBrick || (found.joined == own.rows[0] && other.foreground.word == own.rows[0] &&
                                             other.starts == starts));
      }
    }
    if constexpr (!TProblem::isTransitive)
    {
      isPlain = isPlain && (starts & window.foreground.Left()) == 0;
    }
    memory.joinedY[self] = joined[0];
    memory.joinedZ[self] = joined[1];
  };
  const auto findDiagonal = [&](const auto & compare) {
    // Of much code, four times as much would not stay in the instruction cache.
    constexpr int   unrolled = sizeof(T) == 2 && !TProblem::isTransitive ? 1 : BackwardBundles;
    const RunWindow window = memory.Window(self);
#pragma unroll unrolled
    for (int n = 0; n < BackwardBundles; ++n)
    {
      const int  toY = y + BackwardStepY(n);
      const bool isInBrick = toY >= 0 && toY <= grid.MaskY() && z + BackwardStepZ(n) >= 0;
      if (!__any_sync(AllLanes, isInBrick))
      {
        continue;
      }
      const RunWindow other = isInBrick ? memory.Window(otherWord(n)) : RunWindow{};
      DeviceWord      joinedTo = n == 0 ? joined[0] : joined[1];
      if (n >= 2)
      {
        const StraightLinks found =
          FindStraight(problem, rows, compare, n, window, other, isInBrick ? impliedTo(n) : 0u);
        same.Set(n, found.same);
        joinedTo = found.joined;
      }
      if (problem.HasDiagonals(n))
      {
        const BundleLinks<DeviceWord> across = FindAcross(problem, rows, compare, n, window, other, joinedTo);
        left.Set(n, across.left);
        right.Set(n, across.right);
      }
    }
  };
  // Where all rows that face each other are alike and joined all along, links across say nothing new. Says whether the
  // whole brick is so.
  const auto findAll = [&](const auto & compare) {
    findStraight(compare);
    const bool isPlainLayer = __any_sync(AllLanes, !isPlain) == 0;
    if (lane == 0)
    {
      memory.isPlainLayer[layer] = isPlainLayer;
    }
    if (__syncthreads_or(!isPlain) == 0)
    {
      return true;
    }
    if (problem.count > 2)
    {
      if (!isEmpty && !(isPlainLayer && (z == 0 || memory.isPlainLayer[layer - 1])))
      {
        findDiagonal(compare);
      }
      __syncthreads();
    }
    return false;
  };
  bool isPlainBrick;
  // Smaller values are in the first-level cache, larger ones do not fit.
  if constexpr (TProblem::isTransitive && sizeof(T) == sizeof(unsigned))
  {
    unsigned run = runsBefore;
    for (DeviceWord rest = starts; rest != 0; rest &= rest - 1, ++run)
    {
      memory.forest[run] = KeyOf(voxel[LowestBit(rest)]);
    }
    __syncthreads();
    isPlainBrick = findAll(KeyComparison<decltype(otherWord)>{ memory, runsBefore, starts, otherWord });
  }
  else
  {
    isPlainBrick = findAll(VoxelComparison<TProblem>{ problem, voxel });
  }
  if (isPlainBrick)
  {
    return KeepPlainBrick(bricks, memory, runsBefore, starts, runsOfBrick, row * grid.extent.RowLength() + x);
  }
  FirstLinks(memory, starts, runsBefore, same, otherWord);
  same.of[1] &= ~ImpliedAlongZ(memory, grid, self, memory.joinedY[self]);
  // Where many links are left, short ways to the roots pay. Where most words have very many (noise), some of them join
  // most runs to one component, and links within that are left out then.
  const unsigned linksLeft = same.Count() + left.Count() + right.Count();
  bool           isCrowded = false;
  if (__syncthreads_or(linksLeft > fewLinks) != 0)
  {
    FlattenRuns(memory, self, runsOfBrick);
    isCrowded = __syncthreads_count(linksLeft > manyLinks) > WordsPerBrick / 4;
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
    for (int n = 0; n < BackwardBundles; ++n)
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

  // Roots are their components' first runs, so components are numbered in raster order of the brick.
  DeviceWord roots = 0;
  unsigned   run = runsBefore;
  for (DeviceWord rest = starts; rest != 0; rest &= rest - 1, ++run)
  {
    const unsigned root = PeekRoot<BlockAccess>(memory.forest, run);
    if (root == run)
    {
      roots |= rest & (0u - rest);
    }
    BlockAccess::Store(memory.forest + run, root);
  }
  const unsigned components = static_cast<unsigned>(__popc(roots));
  const unsigned componentsWith = SumOfLanes(components, lane);
  if (lane == WordsPerLayer - 1)
  {
    memory.countOfLayer[layer] = componentsWith;
  }
  __syncthreads();
  unsigned componentsOfBrick = 0;
  unsigned component = componentsWith - components + BeforeLayer(memory.countOfLayer, layer, componentsOfBrick);
  if (self == 0)
  {
    ClaimPlaces(bricks, memory, componentsOfBrick, runsOfBrick);
  }
  __syncthreads();
  if (!memory.fits)
  {
    return;
  }
  const std::int64_t firstVoxel = row * grid.extent.RowLength() + x;
  for (; roots != 0; roots &= roots - 1, ++component)
  {
    const int      x = LowestBit(roots);
    const unsigned id = memory.base.component + component;
    memory.forest[cuda::RunAt(runsBefore, starts, x)] = RootBit | component;
    bricks.parent[id] = id;
    bricks.firstVoxel[id] = static_cast<unsigned>(firstVoxel + x);
  }
  __syncthreads();
  for (unsigned i = static_cast<unsigned>(self); i < runsOfBrick; i += WordsPerBrick)
  {
    const unsigned node = memory.forest[i];
    bricks.componentOfRun[memory.base.run + i] =
      static_cast<unsigned short>((node & RootBit) != 0 ? node : memory.forest[node]);
  }
}

} // namespace brickccl::cuda

#endif
