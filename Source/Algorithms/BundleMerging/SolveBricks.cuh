#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SOLVEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** Turns pixels into bits, bits into runs and runs into components, brick by brick. */
namespace brickccl::cuda
{

/** The forest of a brick's runs in shared memory. Parents lie in the lower half of a word, so that a root can keep its
 *  first voxel in the upper half: RootBit and the voxel's place in the brick. */
struct BrickForestAccess : BlockAccess
{
  __device__ static unsigned
  Load(const unsigned * place)
  {
    return BlockAccess::Load(place) & 0xFFFFu;
  }
};

template <Bundling VBundling>
struct BrickMemory
{
  /** Between bundles there are more links to unite, and FirstLinks and ShortenPaths do not keep all paths short. */
  using UnionAccess = std::conditional_t<VBundling == Bundling::Rows, ShortPathsAccess, BlockAccess>;

  static constexpr int RowCount = RowsOf(VBundling);
  static constexpr int RunsPerBrick = WordsPerBrick * BundleLayout<VBundling>::runsPerWord;

  union
  {
    /** Used until all links are united. */
    struct
    {
      RowWords<RowCount> rows[WordsPerBrick];
      DeviceWord         starts[WordsPerBrick];
      /** Bits of rows: bits 0-3 are those before the word in its brick, bits 4-7 those behind it. From bit 16 on stands
       *  the number of runs before the word. */
      unsigned edgesAndRuns[WordsPerBrick];
      /** Pairs of runs to unite, two runs in a word. */
      unsigned pairs[LayersPerBrick][64];
      /** The bits whose run is linked to the run at the same x in the bundle before along y, and along z. */
      DeviceWord joinedY[WordsPerBrick];
      DeviceWord joinedZ[WordsPerBrick];
    };
    /** Used then: the component in the brick of each root. */
    unsigned short componentOf[RunsPerBrick];
  };
  unsigned  forest[RunsPerBrick];
  unsigned  runsOfLayer[LayersPerBrick];
  unsigned  components;
  BrickBase base;
  bool      fits;

  __device__ unsigned
  RunAt(int at, int x) const
  {
    return cuda::RunAt(edgesAndRuns[at] >> 16, starts[at], x);
  }
  __device__ unsigned
  RunWith(int at, DeviceWord bit) const
  {
    return cuda::RunWith(edgesAndRuns[at] >> 16, starts[at], bit);
  }
  /** A word with the bits beside it in its brick. */
  __device__ BundleWindow<DeviceWord, RowCount>
             Window(int at) const
  {
    const RowWords<RowCount>           words = rows[at];
    BundleWindow<DeviceWord, RowCount> window;
#pragma unroll
    for (int r = 0; r < RowCount; ++r)
    {
      window.rows[r] = words.rows[r];
    }
    const unsigned edges = edgesAndRuns[at];
    window.before = edges & 0xFu;
    window.after = edges >> 4 & 0xFu;
    return window;
  }
};

inline constexpr unsigned RootBit = 0x80000000u;

__device__ inline unsigned
RootWord(unsigned run, unsigned voxelInBrick)
{
  return RootBit | voxelInBrick << 16 | run;
}

/** Turns pixels into bits: one word of all rows of a bundle. */
template <typename T, int N>
__device__ inline RowWords<N>
PackRows(const T *            voxels,
         const VoxelRule<T> & rule,
         const BundleGrid &   grid,
         const DeviceWord *   mask,
         std::int64_t         maskWordsPerRow,
         int                  word,
         int                  bundleY,
         int                  bundleZ)
{
  RowWords<N>    bits = {};
  const unsigned x = static_cast<unsigned>(word) * BitsPerDeviceWord;
  const unsigned rowLength = grid.rowLength;
  if (x >= rowLength)
  {
    return bits;
  }
  if (sizeof(T) == 1 && rule.channels == 1 && rowLength % 16 == 0 && reinterpret_cast<std::uintptr_t>(voxels) % 16 == 0)
  {
    // Two rows are loaded first, so that their latencies overlap. More rows would take too many registers.
    constexpr int together = N < 2 ? N : 2;
    const bool    isWhole = rowLength - x >= BitsPerDeviceWord;
#pragma unroll
    for (int first = 0; first < N; first += together)
    {
      bool  hasRow[together];
      uint4 halves[together][2];
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        unsigned row = 0;
        hasRow[r] = grid.HasRow(bundleY, bundleZ, first + r, row);
        const auto * place = reinterpret_cast<const uint4 *>(voxels + (hasRow[r] ? row * rowLength + x : 0u));
        halves[r][0] = place[0];
        halves[r][1] = place[isWhole ? 1 : 0];
      }
#pragma unroll
      for (int r = 0; r < together; ++r)
      {
        const uint4    low = halves[r][0];
        const uint4    high = halves[r][1];
        const unsigned words[8] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
        if constexpr (sizeof(T) == 1)
        {
          bits.rows[first + r] = hasRow[r] ? PackBytes(words, rule.foreground) & (isWhole ? 0xFFFFFFFFu : 0xFFFFu) : 0u;
        }
      }
    }
  }
  else
  {
#pragma unroll 1
    for (int r = 0; r < N; ++r)
    {
      const std::int64_t row = grid.RowOf(bundleY, bundleZ, r);
      const DeviceWord   packed = row < 0 ? 0u : PackWord(voxels, rule, grid.extent, row, x);
#pragma unroll
      for (int k = 0; k < N; ++k)
      {
        bits.rows[k] = k == r ? packed : bits.rows[k];
      }
    }
  }
  if (mask != nullptr)
  {
    for (int r = 0; r < N; ++r)
    {
      const std::int64_t row = grid.RowOf(bundleY, bundleZ, r);
      bits.rows[r] &= row < 0 ? 0u : mask[row * maskWordsPerRow + word];
    }
  }
  return bits;
}

/** The first bit of `bits` in each stretch from one start up to the next. Bits before the first start are dropped. */
__device__ inline DeviceWord
FirstOfStretches(DeviceWord bits, DeviceWord starts)
{
  // A carry runs from the start to the first bit, and through stretches without a bit.
  const DeviceWord none = ~bits;
  return ((none + (starts & none)) | starts) & bits;
}

/** Makes a run's first link along y, or else along z, its parent. It needs no atomic, since only the run's own thread
 *  writes there yet. Few runs have only links across.
 *  \param otherWord  the number in the brick of the word at the same x of the n-th backward bundle */
template <typename TMemory, int VCount, typename TOtherWord>
__device__ inline void
FirstLinks(TMemory &               memory,
           DeviceWord              starts,
           unsigned                runsBefore,
           BackwardWords<VCount> & same,
           const TOtherWord &      otherWord)
{
  const DeviceWord alongY = FirstOfStretches(same.of[0], starts);
  const DeviceWord alongZ = FirstOfStretches(same.of[1], starts);
  const int        toY = otherWord(0);
  const int        toZ = otherWord(1);
  unsigned         next = runsBefore;
  for (DeviceWord rest = starts; rest != 0; ++next)
  {
    const DeviceWord start = rest & (0u - rest);
    rest ^= start;
    const DeviceWord run = (rest & (0u - rest)) - start;
    const bool       isAlongY = (alongY & run) != 0;
    const DeviceWord link = (isAlongY ? alongY : alongZ) & run;
    memory.forest[next] = link != 0 ? memory.RunWith(isAlongY ? toY : toZ, link) : next;
    same.of[1] &= isAlongY ? ~0u : ~link;
  }
  same.of[0] &= ~alongY;
}

/** The number in the brick of the word at the same x of the n-th backward bundle. */
template <int VCount>
__device__ inline int
WordBefore(const BundleGrid & grid, int self, int n)
{
  const int below = self - (WordsPerBrickRow << grid.bundlesShiftY);
  if constexpr (VCount == 2)
  {
    return n == 0 ? self - WordsPerBrickRow : below;
  }
  // The steps along y in words, one byte for each n.
  constexpr auto step = [](int of) {
    return (static_cast<unsigned>(BackwardStepY(of) * WordsPerBrickRow) & 0xFFu) << of * 8;
  };
  constexpr unsigned steps = step(0) | step(1) | step(2) | step(3);
  static_assert(BackwardBundles == 4);
  return (n == 0 ? self : below) + static_cast<signed char>(steps >> n * 8);
}

/** Points runs several steps further up, so that later walks are short: first links lead from each row to the next.
 *  Roots are not written, so that other threads may unite them meanwhile. */
template <typename TMemory>
__device__ inline void
ShortenPaths(TMemory & memory, unsigned runs)
{
  for (unsigned run = threadIdx.x; run < runs; run += WordsPerBrick)
  {
    const unsigned parent = BlockAccess::Load(memory.forest + run);
    unsigned       up = parent;
#pragma unroll
    for (int step = 0; step < 5; ++step)
    {
      up = BlockAccess::Load(memory.forest + up);
    }
    if (parent != run && up != parent)
    {
      BlockAccess::Store(memory.forest + run, up);
    }
  }
}

/** The bits whose run is linked to that of the bundle before along z by way of the two bundles before along y. No link
 *  of these paths is left out because of a link along z of this bundle. \param joinedY  the word's own */
template <typename TMemory>
__device__ inline DeviceWord
ImpliedAlongZ(const TMemory & memory, const BundleGrid & grid, int self, DeviceWord joinedY)
{
  const int bundle = self / WordsPerBrickRow;
  if ((bundle & grid.MaskY()) == 0 || bundle >> grid.bundlesShiftY == 0)
  {
    return 0;
  }
  return joinedY & memory.joinedZ[self - WordsPerBrickRow] &
         memory.joinedY[self - (WordsPerBrickRow << grid.bundlesShiftY)];
}

/** The same for the n-th backward bundle, which is before this one along both y and z: by way of either bundle between.
 *  It must lie in the brick. */
template <typename TMemory>
__device__ inline DeviceWord
ImpliedAcross(const TMemory & memory, const BundleGrid & grid, int self, int n)
{
  const int below = self - (WordsPerBrickRow << grid.bundlesShiftY);
  // Links along y belong to the later one of two bundles.
  const int toLater = n == 2 ? 0 : WordsPerBrickRow;
  const int toBetween = BackwardStepY(n) * WordsPerBrickRow;
  return (memory.joinedY[self + toLater] & memory.joinedZ[self + toBetween]) |
         (memory.joinedZ[self] & memory.joinedY[below + toLater]);
}

/** Unites along the remaining links, at most `most` for each word. If there are few, the lanes of the warp share them.
 *  All lanes must call. */
template <typename TMemory, int VCount, typename TOtherWord>
__device__ inline void
UniteRest(TMemory &               memory,
          DeviceWord              starts,
          unsigned                runsBefore,
          BackwardWords<VCount> & same,
          BackwardWords<VCount> & left,
          BackwardWords<VCount> & right,
          const TOtherWord &      otherWord,
          unsigned                most = ~0u)
{
  static_assert(TMemory::RunsPerBrick <= 1 << 16);
  // Most often few links are left, all to the same x. A list would cost more than they do.
  if (most == ~0u)
  {
#pragma unroll 1
    for (int round = 0; round < 2 && __any_sync(AllLanes, same.Any() != 0); ++round)
    {
      int              n = 0;
      const DeviceWord link = same.Take(~0u, n);
      if (link != 0)
      {
        const int x = LowestBit(link);
        Unite<typename TMemory::UnionAccess>(memory.forest,
                                             RunAt(runsBefore, starts, x),
                                             memory.RunAt(otherWord(n), x));
      }
      __syncwarp();
    }
  }
  if (__any_sync(AllLanes, (same.Any() | left.Any() | right.Any()) != 0) == 0)
  {
    return;
  }
  // If links lead along y and z only, none of them leads to another x.
  LinkList<VCount, VCount == BackwardBundles ? 3 : 1> links(same, left, right);
  // The two runs of a link, in the halves of a word.
  const auto next = [&] {
    const int x = links.Next();
    // The words of a bundle's row follow each other, so that a word has the 32 voxels from its first one on.
    const auto to = static_cast<unsigned>(otherWord(links.To()) * BitsPerDeviceWord + x + links.Step());
    return RunAt(runsBefore, starts, x) << 16 |
           memory.RunAt(static_cast<int>(to / BitsPerDeviceWord), static_cast<int>(to % BitsPerDeviceWord));
  };
  const unsigned count = links.Count();
  ShareOut<IfMany::TakeOwn>(memory.pairs[threadIdx.x / 32], count < most ? count : most, next, [&](unsigned pair) {
    Unite<typename TMemory::UnionAccess>(memory.forest, pair >> 16, pair & 0xFFFFu);
  });
  if (most != ~0u)
  {
    links.Rest(same, left, right);
  }
}

/** The sum of the counts of all layers before a warp's layer. `all` gets the sum over all layers. All lanes must
 *  call. */
__device__ inline unsigned
BeforeLayer(const unsigned (&counts)[LayersPerBrick], int layer, unsigned & all)
{
  static_assert(LayersPerBrick == 8 && WordsPerBrick * BitsPerDeviceWord < 1 << 16);
  const int      lane = static_cast<int>(threadIdx.x % 32);
  const unsigned own = lane < LayersPerBrick ? counts[lane] : 0u;
  // Both sums are made at once, in the halves of a word.
  const unsigned sums = SumOfWarp(own | (lane < layer ? own << 16 : 0u));
  all = sums & 0xFFFFu;
  return sums >> 16;
}

/** Calls `take` with each run of a word that is a root, and with its start. */
template <typename TMemory, typename TTake>
__device__ inline void
ForRoots(const TMemory & memory, DeviceWord starts, unsigned run, const TTake & take)
{
  for (; starts != 0; starts &= starts - 1, ++run)
  {
    if ((memory.forest[run] & RootBit) != 0)
    {
      take(run, LowestBit(starts));
    }
  }
}

/** Reads, packs and solves one brick per block of WordsPerBrick threads. It also clears `marks`. */
template <typename T, Bundling VBundling>
__global__ void
__launch_bounds__(WordsPerBrick, VBundling == Bundling::Rows ? 8 : 6)
  SolveBricksKernel(const T *               voxels,
                    const __grid_constant__ VoxelRule<T> rule,
                    const __grid_constant__ BundleGrid   grid,
                    const DeviceWord *                   mask,
                    std::int64_t                         maskWordsPerRow,
                    const __grid_constant__ BrickArrays  bricks,
                    const __grid_constant__ FirstMarks   marks)
{
  __shared__ BrickMemory<VBundling> memory;
  constexpr int                     rowCount = RowsOf(VBundling);
  AllowNextKernel();

  const int         self = static_cast<int>(threadIdx.x);
  const int         lane = static_cast<int>(threadIdx.x % WordsPerLayer);
  const int         layer = static_cast<int>(threadIdx.x / WordsPerLayer);
  const int         word = static_cast<int>(threadIdx.x % WordsPerBrickRow);
  const int         bundle = static_cast<int>(threadIdx.x / WordsPerBrickRow);
  const int         y = bundle & grid.MaskY();
  const int         z = bundle >> grid.bundlesShiftY;
  const BrickPlace  place(grid, blockIdx.x);
  const int         atWord = place.x * WordsPerBrickRow + word;
  const int         bundleY = (place.y << grid.bundlesShiftY) + y;
  const int         bundleZ = (place.z << grid.bundlesShiftZ) + z;
  const std::size_t index = std::size_t{ blockIdx.x } * WordsPerBrick + static_cast<unsigned>(self);
  if (self == 0)
  {
    memory.components = 0;
  }

  const RowWords<rowCount> own =
    PackRows<T, rowCount>(voxels, rule, grid, mask, maskWordsPerRow, atWord, bundleY, bundleZ);
  reinterpret_cast<RowWords<rowCount> *>(bricks.bits)[index] = own;
  marks.ClearShare<rowCount>();
  const DeviceWord united = own.United();

  // The runs of united bits within the brick.
  const DeviceWord lastBefore = __shfl_up_sync(AllLanes, united, 1);
  const DeviceWord starts = BundleLayout<VBundling>::Starts(own, word > 0 ? lastBefore : 0u);
  const auto       runs = static_cast<unsigned>(__popc(starts));
  const unsigned   runsWith = SumOfLanes(runs);
  if (lane == WordsPerLayer - 1)
  {
    memory.runsOfLayer[layer] = runsWith;
  }
  memory.rows[self] = own;
  memory.starts[self] = starts;
  if (__syncthreads_or(united != 0) == 0)
  {
    return;
  }
  unsigned       runsOfBrick = 0;
  const unsigned runsBefore = runsWith - runs + BeforeLayer(memory.runsOfLayer, layer, runsOfBrick);
  // If links lead along the axes only, nobody asks for the bits beside a word.
  const unsigned edges = VBundling == Bundling::Rows ? 0u : EdgesBeside(own.FirstBits(), own.LastBits());
  memory.edgesAndRuns[self] = edges | runsBefore << 16;
  bricks.runsBefore[index] = static_cast<unsigned short>(runsBefore);
  __syncthreads();

  // The links to the bundles before this one, as far as these lie in the brick.
  constexpr int           backward = VBundling == Bundling::Rows ? 2 : BackwardBundles;
  BackwardWords<backward> same = {};
  BackwardWords<backward> left = {};
  BackwardWords<backward> right = {};
  // The bits whose run is linked to that of the n-th backward bundle.
  BackwardWords<backward> joined = {};
  const auto              otherWord = [&](int n) { return WordBefore<backward>(grid, self, n); };
  if (united != 0)
  {
    const BundleWindow<DeviceWord, rowCount> window = memory.Window(self);
#pragma unroll
    for (int n = 0; n < backward; ++n)
    {
      const int toY = y + BackwardStepY(n);
      if (toY < 0 || toY > grid.MaskY() || z + BackwardStepZ(n) < 0)
      {
        continue;
      }
      const auto              there = memory.Window(otherWord(n));
      BundleLinks<DeviceWord> links = LinksTo<VBundling>(n, window, there);
      if constexpr (VBundling == Bundling::Rows)
      {
        // Each stretch is joined all along.
        same.of[n] = links.same & ~(links.same << 1);
        joined.of[n] = links.same;
      }
      else if (links.Any())
      {
        links = WithoutRepeats(links, united, there.United());
        same.of[n] = links.same;
        left.of[n] = links.left;
        right.of[n] = links.right;
        joined.of[n] = JoinedBits(links, united & there.United());
      }
    }
  }
  memory.joinedY[self] = joined.of[0];
  memory.joinedZ[self] = joined.of[1];
  // Drops links of runs that go on from the word before and are linked there.
#pragma unroll
  for (int n = 0; n < backward; ++n)
  {
    same.of[n] &= ~BitBefore(joined.of[n]);
  }
  FirstLinks(memory, starts, runsBefore, same, otherWord);
  __syncthreads();
  ShortenPaths(memory, runsOfBrick);
#pragma unroll
  for (int n = 1; n < backward; ++n)
  {
    if (same.of[n] != 0)
    {
      same.of[n] =
        WithoutImplied(same.of[n],
                       joined.of[n],
                       n == 1 ? ImpliedAlongZ(memory, grid, self, joined.of[0]) : ImpliedAcross(memory, grid, self, n));
    }
  }
  UniteRest(memory, starts, runsBefore, same, left, right, otherWord);
  __syncthreads();

  // Numbers the components of the brick in any order. Their final order is that of their first voxels.
  constexpr bool rootIsFirst = VBundling == Bundling::Rows;
  for (unsigned first = threadIdx.x - threadIdx.x % 32; first < runsOfBrick; first += WordsPerBrick)
  {
    const unsigned run = first + static_cast<unsigned>(lane);
    const bool     isRun = run < runsOfBrick;
    const unsigned root = isRun ? PeekRoot<BrickForestAccess>(memory.forest, run) : ~0u;
    // Lanes whose walks end early wait here together.
    __syncwarp();
    const bool isRoot = root == run;
    if (isRoot)
    {
      memory.componentOf[run] = static_cast<unsigned short>(atomicAdd(&memory.components, 1u));
    }
    if (isRun)
    {
      BlockAccess::Store(memory.forest + run, isRoot ? RootWord(run, 0x7FFFu) : root);
    }
  }
  __syncthreads();
  if (self == 0)
  {
    memory.base = bricks.Claim(memory.components, runsOfBrick);
    memory.fits = bricks.HasComponents(memory.base, memory.components) && bricks.HasRuns(memory.base, runsOfBrick);
    bricks.bases[blockIdx.x] = memory.base;
  }
  // First voxels. If a bundle is a row, runs come in raster order, and a root is the first run of its component.
  // Otherwise a stretch of united bits gives the first voxel of its first row that has one. A voxel's place in the
  // brick has 7 bits for x, then those for y and z, so that places are in raster order.
  const int shiftZ = 7 + grid.rowsShiftY + grid.bundlesShiftY;
  if constexpr (!rootIsFirst)
  {
    const unsigned placeOfWord =
      static_cast<unsigned>(z << grid.rowsShiftZ << shiftZ | y << grid.rowsShiftY << 7 | word * BitsPerDeviceWord);
    for (DeviceWord rest = united; rest != 0;)
    {
      const int        x = LowestBit(rest);
      const DeviceWord carry = rest + (rest & (0u - rest));
      const DeviceWord stretch = rest & ~carry;
      rest &= carry;
      DeviceWord bits = own.rows[0] & stretch;
      unsigned   placeOfRow = placeOfWord;
#pragma unroll
      for (int r = 1; r < rowCount; ++r)
      {
        const bool isEmpty = bits == 0;
        placeOfRow = isEmpty ? placeOfWord + static_cast<unsigned>((r & 1) << 7 | (r >> 1) << shiftZ) : placeOfRow;
        bits = isEmpty ? own.rows[r] & stretch : bits;
      }
      const unsigned root = BlockAccess::Load(memory.forest + RunAt(runsBefore, starts, x)) & 0xFFFFu;
      const unsigned candidate = RootWord(root, placeOfRow + static_cast<unsigned>(LowestBit(bits)));
      if (BlockAccess::Load(memory.forest + root) > candidate)
      {
        atomicMin(memory.forest + root, candidate);
      }
    }
  }
  __syncthreads();
  if (!memory.fits)
  {
    return;
  }
  const auto setFirst = [&](unsigned component, unsigned voxel) {
    const unsigned id = memory.base.component + component;
    bricks.parent[id] = id;
    bricks.firstVoxel[id] = voxel;
  };
#pragma unroll 1
  for (unsigned run = static_cast<unsigned>(self); run < runsOfBrick; run += WordsPerBrick)
  {
    const unsigned       node = memory.forest[run];
    const unsigned short component = memory.componentOf[node & 0xFFFFu];
    bricks.componentOfRun[memory.base.run + run] = component;
    if (!rootIsFirst && (node & RootBit) != 0)
    {
      const unsigned placeInBrick = (node & ~RootBit) >> 16;
      const int rowZ = (place.z << grid.bundlesShiftZ << grid.rowsShiftZ) + static_cast<int>(placeInBrick >> shiftZ);
      const int rowY = (place.y << grid.bundlesShiftY << grid.rowsShiftY) +
                       static_cast<int>((placeInBrick >> 7) & ((1u << (shiftZ - 7)) - 1));
      const unsigned x = static_cast<unsigned>(place.x) * VoxelsPerBrickRow + (placeInBrick & 127u);
      setFirst(component, grid.NumberAt(x, rowY, rowZ));
    }
  }
  if constexpr (rootIsFirst)
  {
    const auto first = static_cast<unsigned>(atWord * BitsPerDeviceWord);
    ForRoots(memory, starts, runsBefore, [&](unsigned run, int x) {
      setFirst(memory.componentOf[run], grid.NumberAt(first + static_cast<unsigned>(x), bundleY, bundleZ));
    });
  }
}

} // namespace brickccl::cuda

#endif
