#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/UndecidedLinks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowTile.cuh"
#include "BrickCCL/Algorithms/BundleMerging/SolveBricks.cuh"

/** Turns pixels into runs and runs into components, brick by brick, where values decide. */
namespace brickccl::cuda
{

/** A word of a brick, and the number of the brick's runs that start before it. With VKeepsBeside it has the bits beside
 *  it, too. */
template <bool VKeepsBeside>
struct alignas(VKeepsBeside ? 8 : 16) BrickRowWord
{
  std::conditional_t<VKeepsBeside, RunWindow, RowWord> row;
  unsigned                                             runsBefore;
};

/** A brick of rows in shared memory. */
template <typename TProblem>
struct RowBrickMemory
{
  static constexpr int  RunsPerBrick = WordsPerBrick * RowLayout::runsPerWord;
  static constexpr bool isTiled = IsTiled<TProblem>;
  using Rows = std::conditional_t<isTiled, TileRows<TProblem>, PlainRows<TProblem>>;
  using UnionAccess = BlockAccess;
  /** With equal values few links ask for the bits beside a word. */
  static constexpr bool keepsBeside = !TProblem::isTransitive;
  /** Whether all voxels of rows along y and z are compared, even those whose links may be implied. */
  static constexpr bool comparesBoth = isTiled && TProblem::isTransitive && sizeof(typename TProblem::Pixel) == 1;

  /** Behind the last word is an empty one. It stands for words outside of the brick. */
  BrickRowWord<keepsBeside> words[WordsPerBrick + 1];
  union
  {
    /** Used until links are found. */
    typename Rows::Storage voxels;
    /** Used then. Parents lie in the lower half. At the end the upper half of a root is RootBit and its component. */
    unsigned forest[RunsPerBrick];
  };
  unsigned countOfLayer[LayersPerBrick];
  /** The number of pairs of runs that each layer has listed while it looked for links. */
  unsigned listed[LayersPerBrick];
  union
  {
    /** Used with a tolerance until links are found. For the empty word nothing is separated. */
    SeparationBits separation[WordsPerBrick + 1];
    /** Used otherwise. */
    unsigned pairs[LayersPerBrick][64];
  };
  /** As in BrickMemory. Later joinedY holds the bits of the component that is most likely the largest. */
  DeviceWord joinedY[WordsPerBrick];
  DeviceWord joinedZ[WordsPerBrick];
  /** Whether a layer's rows are like those before them along y and z, and joined to them all along. */
  bool      isPlainLayer[LayersPerBrick];
  unsigned  components;
  BrickBase base;

  __device__ const RowWord &
  RowAt(int at) const
  {
    return words[at].row;
  }
  /** A word with the bits beside it in the brick. */
  __device__ RunWindow
  WindowAt(int at) const
  {
    if constexpr (keepsBeside)
    {
      return words[at].row;
    }
    else
    {
      const RowWord row = words[at].row;
      const int     inRow = at % WordsPerBrickRow;
      const RowWord before = inRow > 0 ? words[at - 1].row : RowWord{};
      const RowWord after = inRow < WordsPerBrickRow - 1 && at < WordsPerBrick ? words[at + 1].row : RowWord{};
      return { row,
               row.foreground << 1 | before.foreground >> 31,
               row.foreground >> 1 | after.foreground << 31,
               row.starts >> 1 | after.starts << 31 };
    }
  }
  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(words[at].runsBefore, words[at].row.starts, x);
  }
  __device__ unsigned
  RunWith(int at, DeviceWord bit) const
  {
    return cuda::RunWith(words[at].runsBefore, words[at].row.starts, bit);
  }
};

/** What straight links along y and z decide about the n-th backward row, which is before this one along both axes. They
 *  lead by way of either row between. With equal values they also decide where the two rows differ. The row must lie in
 *  the brick. */
template <typename TProblem>
__device__ inline KnownLinks
KnownAcross(const RowBrickMemory<TProblem> & memory, const BundleGrid & grid, int self, int n)
{
  const int below = self - (WordsPerBrickRow << grid.bundlesShiftY);
  // Links along y belong to the later one of two rows.
  const int        toLater = n == 2 ? 0 : WordsPerBrickRow;
  const int        toBetween = BackwardStepY(n) * WordsPerBrickRow;
  const DeviceWord ownY = memory.joinedY[self + toLater];
  const DeviceWord thenZ = memory.joinedZ[self + toBetween];
  const DeviceWord ownZ = memory.joinedZ[self];
  const DeviceWord thenY = memory.joinedY[below + toLater];
  KnownLinks       known = { (ownY & thenZ) | (ownZ & thenY), 0 };
  if constexpr (TProblem::isTransitive)
  {
    known.separated =
      (memory.RowAt(self + toBetween).foreground & (ownY ^ thenZ)) | (memory.RowAt(below).foreground & (ownZ ^ thenY));
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

/** The bits of a word whose runs belong to the component of the brick that is most likely the largest: two of three
 *  runs far apart belong to it. All runs must point at their roots. */
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

/** Keeps the components of a brick whose rows are all alike and joined all along: they are those of its first row.
 *  \param numberAt  gives the number in the volume of a voxel of this thread's word */
template <typename TMemory, typename TNumberAt>
__device__ inline void
KeepPlainBrick(const BrickArrays & bricks,
               TMemory &           memory,
               unsigned            runsBefore,
               DeviceWord          starts,
               unsigned            runsOfBrick,
               const TNumberAt &   numberAt)
{
  constexpr unsigned rows = WordsPerBrick / WordsPerBrickRow;
  const unsigned     components = runsOfBrick / rows;
  if (threadIdx.x == 0)
  {
    memory.base = bricks.Claim(components, runsOfBrick);
    bricks.bases[blockIdx.x] = memory.base;
  }
  __syncthreads();
  if (threadIdx.x < WordsPerBrickRow && bricks.HasComponents(memory.base, components))
  {
    unsigned id = memory.base.component + runsBefore;
    for (; starts != 0; starts &= starts - 1, ++id)
    {
      bricks.parent[id] = id;
      bricks.firstVoxel[id] = numberAt(LowestBit(starts));
    }
  }
  if (bricks.HasRuns(memory.base, runsOfBrick))
  {
    for (unsigned run = threadIdx.x; run < runsOfBrick; run += WordsPerBrick)
    {
      bricks.componentOfRun[memory.base.run + run] = static_cast<unsigned short>(run % components);
    }
  }
}

/** Reads and solves one brick per block of WordsPerBrick threads, as SolveBricksKernel does.
 *  \tparam VAlongAxes  whether only neighbours along the axes count */
template <typename TProblem, bool VAlongAxes>
__global__ void
__launch_bounds__(WordsPerBrick, RowBrickMemory<TProblem>::isTiled ? 5 : 4)
  SolveRowsKernel(const __grid_constant__ TProblem         problem,
                  const DeviceWord *                       mask,
                  std::int64_t                             maskWordsPerRow,
                  const __grid_constant__ BrickArrays      bricks,
                  const __grid_constant__ SeparationArrays separationArrays,
                  BorderArrays<DeviceWord>                 joinedArrays,
                  EndArrays<typename TProblem::Pixel>      endArrays,
                  const __grid_constant__ FirstMarks       marks)
{
  constexpr bool     knowsSeparation = KnowsSeparation<TProblem, VAlongAxes>;
  constexpr unsigned fewLinks = 4;
  constexpr unsigned manyLinks = 16;
  constexpr unsigned fewRuns = 4 * WordsPerLayer;
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
  const unsigned     x = static_cast<unsigned>(place.x * WordsPerBrickRow + word) * BitsPerDeviceWord;
  unsigned           rowNumber = 0;
  const bool         isInside = grid.HasRow(bundleY, bundleZ, 0, rowNumber) && x < grid.rowLength;
  const auto         numberAt = [&](int at) { return grid.NumberAt(x + static_cast<unsigned>(at), bundleY, bundleZ); };
  // A warp's lanes hold the layer's rows in turn.
  const typename Memory::Rows rows(problem,
                                   memory.voxels,
                                   place.x * WordsPerBrickRow,
                                   bundleY - lane / WordsPerBrickRow,
                                   bundleZ,
                                   problem.VoxelAt(rowNumber * grid.rowLength + x));
  if (self == 0)
  {
    memory.components = 0;
  }
  DeviceWord wanted = 0;
  if (isInside)
  {
    const unsigned left = grid.rowLength - x;
    wanted = left < BitsPerDeviceWord ? BitsUpToLane(static_cast<int>(left) - 1) : 0xFFFFFFFFu;
    wanted &= mask != nullptr ? mask[rowNumber * maskWordsPerRow + x / BitsPerDeviceWord] : 0xFFFFFFFFu;
  }
  SeparationLimits limits = {};
  if constexpr (knowsSeparation)
  {
    limits = *separationArrays.limits;
  }
  SeparationBits        separation = {};
  const RowLayout::Kept own = rows.template Pack<knowsSeparation>(wanted, limits, separation);
  const bool            isSeparating = knowsSeparation && limits.areKnown;
  if (isSeparating)
  {
    memory.separation[self] = separation;
    separationArrays.faces.Keep(grid, blockIdx.x, self, y, z, separation, separation);
  }
  if constexpr (Memory::isTiled)
  {
    if (word == 0)
    {
      endArrays.Firsts(blockIdx.x)[bundle] = memory.voxels.At(threadIdx.x, 0);
    }
    if (word == WordsPerBrickRow - 1)
    {
      endArrays.Lasts(blockIdx.x)[bundle] = memory.voxels.At(threadIdx.x, BitsPerDeviceWord - 1);
    }
  }
  const DeviceWord starts = own.rows[1];
  reinterpret_cast<RowLayout::Kept *>(bricks.bits)[index] = own;
  marks.ClearShare<1>();
  const auto     runs = static_cast<unsigned>(__popc(starts));
  const unsigned runsWith = SumOfLanes(runs);
  if (lane == WordsPerLayer - 1)
  {
    memory.countOfLayer[layer] = runsWith;
    memory.listed[layer] = 0;
  }
  if (__syncthreads_or(own.rows[0] != 0) == 0)
  {
    return;
  }
  unsigned       runsOfBrick = 0;
  const unsigned runsBefore = runsWith - runs + BeforeLayer(memory.countOfLayer, layer, runsOfBrick);
  const RowWord  row = { own.rows[0], starts };
  RunWindow      window = { row };
  if constexpr (Memory::keepsBeside)
  {
    const BitWindow<DeviceWord> bits = { own.rows[0], BitBefore(own.rows[0]), BitAfter(own.rows[0]) >> 31 };
    window = { row, bits.Left(), bits.Right(), starts >> 1 | BitAfter(starts) };
    memory.words[self] = { window, runsBefore };
  }
  else
  {
    memory.words[self] = { row, runsBefore };
  }
  if (self == 0)
  {
    memory.words[WordsPerBrick] = {};
  }
  bricks.runsBefore[index] = static_cast<unsigned short>(runsBefore);
  __syncthreads();

  // The links to the rows before this one, as far as these lie in the brick.
  constexpr int           backward = VAlongAxes ? 2 : BackwardBundles;
  BackwardWords<backward> same = {};
  BackwardWords<backward> left = {};
  BackwardWords<backward> right = {};
  constexpr int           rowWords = WordsPerBrickRow;
  const auto              otherWord = [&](int n) { return WordBefore<backward>(grid, self, n); };
  // Bit n says that the n-th backward row lies in the brick.
  unsigned reach = 0;
#pragma unroll
  for (int n = 0; n < backward; ++n)
  {
    const bool hasY = BackwardStepY(n) == 0 || (BackwardStepY(n) < 0 ? y > 0 : y < grid.MaskY());
    const bool hasZ = BackwardStepZ(n) == 0 || z > 0;
    reach |= hasY && hasZ ? 1u << n : 0u;
  }
  // The word of the n-th backward row, or the empty word if that row lies in another brick.
  const auto wordTo = [&](int n) { return (reach >> n & 1u) != 0 ? otherWord(n) : WordsPerBrick; };
  // Where this word's voxels are known to be separated from those of a word of the brick.
  const auto separatedFrom = [&](int to) {
    return isSeparating ? memory.separation[self].SeparatedFrom(memory.separation[to]) : 0u;
  };
  // Whether links across are listed already, so that they are not in these words.
  bool isListed = false;
  // The links along y and z come first.
  const bool isEmpty = !__any_sync(AllLanes, own.rows[0] != 0);
  DeviceWord joined[2] = {};
  bool       isPlain = !isEmpty;
  // If there is much code, several copies of it would not stay in the instruction cache.
  constexpr bool hasMuchCode = sizeof(typename TProblem::Pixel) == 2 && !TProblem::isTransitive;
  const auto     findStraight = [&](const auto & compareTo) {
    if constexpr (Memory::comparesBoth)
    {
      // All voxels of both rows are compared at once.
      if (!isEmpty)
      {
        const unsigned at[2] = { static_cast<unsigned>((reach & 1u) != 0 ? otherWord(0) : self),
                                 static_cast<unsigned>((reach & 2u) != 0 ? otherWord(1) : self) };
        rows.JoinedTo(at[0], at[1], joined[0], joined[1]);
        DeviceWord unlike = 0;
#pragma unroll
        for (int n = 0; n < 2; ++n)
        {
          const DeviceWord inBrick = (reach >> n & 1u) != 0 ? ~0u : 0u;
          const RowWord &  other = memory.RowAt(static_cast<int>(at[n]));
          joined[n] &= own.rows[0] & other.foreground & inBrick;
          same.of[n] = joined[n] & (starts | other.starts);
          unlike |= inBrick & ((joined[n] ^ own.rows[0]) | (joined[n] ^ other.foreground) | (starts ^ other.starts));
        }
        isPlain = unlike == 0;
      }
    }
    else
    {
      constexpr int unrolled = hasMuchCode ? 1 : 2;
#pragma unroll unrolled
      for (int n = 0; n < 2; ++n)
      {
        const bool isInBrick = (reach >> n & 1u) != 0;
        if (!isEmpty && __any_sync(AllLanes, isInBrick))
        {
          const int           to = wordTo(n);
          const RowWord &     other = memory.RowAt(to);
          const StraightLinks found = FindStraight(compareTo(n, to), row, other, { 0, separatedFrom(to) });
          same.Set(n, found.same);
          (n == 0 ? joined[0] : joined[1]) = found.joined;
          isPlain =
            isPlain &&
            (!isInBrick || (found.joined == own.rows[0] && other.foreground == own.rows[0] && other.starts == starts));
        }
      }
    }
    if constexpr (!TProblem::isTransitive)
    {
      isPlain = isPlain && (starts & window.left) == 0;
    }
    memory.joinedY[self] = joined[0];
    memory.joinedZ[self] = joined[1];
  };
  // With equal values few voxels must be compared. One piece of code does it for all rows.
  constexpr bool looksLast = TProblem::isTransitive;
  const auto     findDiagonal = [&](const auto & compareTo) {
    if constexpr (!Memory::keepsBeside)
    {
      window = memory.WindowAt(self);
    }
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
      const RunWindow & other = memory.WindowAt(to);
      DeviceWord        joinedTo = n == 0 ? joined[0] : joined[1];
      if (n >= 2)
      {
        KnownLinks known = isInBrick ? KnownAcross(memory, grid, self, n) : KnownLinks{};
        known.separated |= separatedFrom(to);
        const StraightLinks found = FindStraight(compareTo(n, to), window, other, known);
        same.Set(n, found.same);
        joinedTo = found.joined;
      }
      if (problem.HasDiagonals(n))
      {
        BundleLinks<DeviceWord> undecided = UndecidedAcross<TProblem::isTransitive>(window, other, joinedTo);
        if (isSeparating)
        {
          undecided = undecided.Without(memory.separation[self].SeparatedAcross(memory.separation[to]));
        }
        const BundleLinks<DeviceWord> across = looksLast ? undecided : FindAcross(compareTo(n, to), undecided);
        left.Set(n, across.left);
        right.Set(n, across.right);
      }
    }
    if (looksLast && __any_sync(AllLanes, (left.Any() | right.Any()) != 0))
    {
#pragma unroll 1
      for (int n = 0; n < backward; ++n)
      {
        const BundleLinks<DeviceWord> undecided = { 0, left.Get(n), right.Get(n) };
        if (__any_sync(AllLanes, (undecided.left | undecided.right) != 0))
        {
          const BundleLinks<DeviceWord> across = FindAcross(compareTo(n, wordTo(n)), undecided);
          left.Set(n, across.left);
          right.Set(n, across.right);
        }
      }
    }
  };
  // Where all rows that face each other are alike and joined all along, links across imply nothing new. It returns
  // whether the whole brick is so.
  const auto findAll = [&](const auto & compareTo) {
    findStraight(compareTo);
    if constexpr (KeepsJoined<TProblem, VAlongAxes>)
    {
      joinedArrays.Keep(grid, blockIdx.x, self, y, z, joined[0], joined[1]);
    }
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
        if constexpr (TProblem::isTransitive)
        {
          isListed = memory.countOfLayer[layer] <= fewRuns &&
                     ListUndecidedLinks(problem,
                                        memory,
                                        row,
                                        (reach & 1u) != 0,
                                        (reach & 2u) != 0,
                                        joined[0],
                                        joined[1],
                                        [&](unsigned a, unsigned b) { return rows.AreJoined(a, b); });
        }
        if (!isListed)
        {
          findDiagonal(compareTo);
        }
      }
      __syncthreads();
    }
    return false;
  };
  const bool isPlainBrick = findAll([&](int n, int to) { return rows.CompareTo(n, to); });
  if (isPlainBrick)
  {
    return KeepPlainBrick(bricks, memory, runsBefore, starts, runsOfBrick, numberAt);
  }
  FirstLinks(memory, starts, runsBefore, same, otherWord);
  if (same.of[1] != 0)
  {
    const RowWord & other = memory.RowAt(wordTo(1));
    same.of[1] = WithoutImpliedPairs(same.of[1],
                                     own.rows[0] & other.foreground & ~(starts | other.starts),
                                     ImpliedAlongZ(memory, grid, self, memory.joinedY[self]));
  }
  // Where many links are left, short paths to the roots pay off. Where most words have very many links (noise), some of
  // them join most runs to one component; links within that component are then left out.
  const unsigned linksLeft = same.Count() + left.Count() + right.Count();
  bool           isCrowded = false;
  if (__syncthreads_or(linksLeft > fewLinks) != 0)
  {
    FlattenRuns(memory, self, runsOfBrick);
    isCrowded = __syncthreads_count(linksLeft > manyLinks) > WordsPerBrick / 4;
  }
  else
  {
    ShortenPaths(memory, runsOfBrick);
  }
  if (isListed)
  {
    const unsigned listed = memory.listed[layer];
    for (unsigned i = static_cast<unsigned>(lane); i < listed; i += 32)
    {
      const unsigned pair = memory.pairs[layer][i];
      Unite<typename Memory::UnionAccess>(memory.forest, pair >> 16, pair & 0xFFFFu);
    }
    __syncwarp();
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
  if (isListed && !isCrowded)
  {
    BackwardWords<2> alongAxes = { same.of[0], same.of[1] };
    BackwardWords<2> none = {};
    UniteRest(memory, starts, runsBefore, alongAxes, none, none, otherWord);
  }
  else
  {
    UniteRest(memory, starts, runsBefore, same, left, right, otherWord);
  }
  // Numbers are claimed before they are needed, so that no thread waits for memory.
  const BrickBase forRuns = self == 0 ? bricks.Claim(0, runsOfBrick) : BrickBase{};
  __syncthreads();

  // Numbers the components of the brick in any order. Their final order is that of their first voxels.
  for (unsigned first = threadIdx.x - static_cast<unsigned>(lane); first < runsOfBrick; first += WordsPerBrick)
  {
    const unsigned run = first + static_cast<unsigned>(lane);
    const bool     isRun = run < runsOfBrick;
    const unsigned root = isRun ? PeekRoot<BrickForestAccess>(memory.forest, run) : ~0u;
    // Lanes whose walks end early wait here together.
    __syncwarp();
    const bool     isRoot = root == run;
    const unsigned component = isRoot ? atomicAdd(&memory.components, 1u) : 0u;
    if (isRun)
    {
      BlockAccess::Store(memory.forest + run, isRoot ? RootWord(run, component) : root);
    }
  }
  if (self == 0)
  {
    memory.base.run = forRuns.run;
  }
  __syncthreads();
  const BrickBase forComponents = self == 0 ? bricks.Claim(memory.components, 0) : BrickBase{};
  const auto      componentOf = [](unsigned node) { return (node & ~RootBit) >> 16; };
  if (bricks.HasRuns(memory.base, runsOfBrick))
  {
    for (unsigned i = static_cast<unsigned>(self); i < runsOfBrick; i += WordsPerBrick)
    {
      const unsigned node = memory.forest[i];
      bricks.componentOfRun[memory.base.run + i] =
        static_cast<unsigned short>(componentOf((node & RootBit) != 0 ? node : memory.forest[node]));
    }
  }
  if (self == 0)
  {
    memory.base.component = forComponents.component;
    bricks.bases[blockIdx.x] = memory.base;
  }
  __syncthreads();
  if (bricks.HasComponents(memory.base, memory.components))
  {
    ForRoots(memory, starts, runsBefore, [&](unsigned run, int at) {
      const unsigned id = memory.base.component + componentOf(memory.forest[run]);
      bricks.parent[id] = id;
      bricks.firstVoxel[id] = numberAt(at);
    });
  }
}

} // namespace brickccl::cuda

#endif
