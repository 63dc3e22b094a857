// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BRICKSOLVER_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BRICKSOLVER_CUH

#include "BrickCCL/Algorithms/BundleMerging/WordLinks.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

/** The steps that solve a brick in shared memory, whatever decides which voxels are joined. */
namespace brickccl::cuda
{

/** The forest of a brick's runs in shared memory. Parents are in the lower half of a word, so that a root can keep more
 * in the upper half: RootBit and 15 bits. */
struct BrickForestAccess : BlockAccess
{
  __device__ static unsigned
  Load(const unsigned * place)
  {
    return BlockAccess::Load(place) & 0xFFFFu;
  }
};

inline constexpr unsigned RootBit = 0x80000000u;

/** The word of the forest of a root that keeps a number of 15 bits. */
__device__ inline unsigned
RootWord(unsigned run, unsigned kept)
{
  return RootBit | kept << 16 | run;
}

/** The number that a root's word keeps. */
__device__ inline unsigned
KeptOfRoot(unsigned word)
{
  return (word & ~RootBit) >> 16;
}

/** The bits of a mask, row by row of the image. It is a kernel argument. */
struct MaskBits
{
  /** Null if there is no mask. */
  const DeviceWord * words;
  std::int64_t       wordsPerRow;

  __device__ DeviceWord
  Of(std::int64_t row, unsigned word) const
  {
    return words[row * wordsPerRow + word];
  }
  /** The bits of a word inside the volume and the mask. \param x  the word's first voxel, in the volume */
  __device__ DeviceWord
  Wanted(const BundleGrid & grid, std::int64_t row, unsigned x) const
  {
    const unsigned   left = grid.rowLength - x;
    const DeviceWord inside = left < BitsPerDeviceWord ? BitsUpToLane(static_cast<int>(left) - 1) : 0xFFFFFFFFu;
    return inside & (words != nullptr ? Of(row, x / BitsPerDeviceWord) : 0xFFFFFFFFu);
  }
};

/** A thread of the block that solves a brick. It has one word of the brick, and the agents derive from it: what they do
 *  with a word's runs once it is packed is the same for all problems. TMemory is the agent's shared memory. It has the
 *  forest and what FirstLinks, UniteLeft and others ask for by name. */
struct BrickSolver
{
  const BundleGrid &  grid;
  const BrickArrays & bricks;
  BrickPlace          place;
  /** The number of the word in the brick, in its layer, and in its row. */
  int self;
  int lane;
  int word;
  /** The layer that the warp has. */
  int layer;
  /** The position of the word's bundle in the brick, and in the volume. */
  int y;
  int z;
  int bundleY;
  int bundleZ;
  /** The number of the word in all bricks. */
  std::size_t index;
  /** The x of the word's first voxel in the grid. */
  unsigned firstX;
  /** The starts of the word's runs, the number of the brick's runs before them, and the number of all runs of the
   * brick. */
  DeviceWord starts = 0;
  unsigned   runsBefore = 0;
  unsigned   runsOfBrick = 0;

  __device__
  BrickSolver(const BundleGrid & bundleGrid, const BrickArrays & arrays)
    : grid(bundleGrid)
    , bricks(arrays)
    , place(bundleGrid, blockIdx.x)
    , self(static_cast<int>(threadIdx.x))
    , lane(static_cast<int>(threadIdx.x % WordsPerLayer))
    , word(static_cast<int>(threadIdx.x % WordsPerBrickRow))
    , layer(static_cast<int>(threadIdx.x / WordsPerLayer))
    , y(static_cast<int>(threadIdx.x / WordsPerBrickRow) & bundleGrid.MaskY())
    , z(static_cast<int>(threadIdx.x / WordsPerBrickRow) >> bundleGrid.bundlesShiftY)
    , bundleY((place.y << bundleGrid.bundlesShiftY) + y)
    , bundleZ((place.z << bundleGrid.bundlesShiftZ) + z)
    , index(std::size_t{ blockIdx.x } * WordsPerBrick + threadIdx.x)
    , firstX(static_cast<unsigned>(place.x * WordsPerBrickRow + word) * BitsPerDeviceWord)
  {}

  /** Counts the runs of the word, and keeps the number of the warp's runs. A barrier must follow before NumberRuns.
   *  All lanes must call. */
  __device__ __forceinline__ void
  CountRuns(unsigned (&runsOfLayer)[LayersPerBrick])
  {
    const auto     runs = static_cast<unsigned>(__popc(starts));
    const unsigned runsWith = SumOfLanes(runs);
    if (lane == WordsPerLayer - 1)
    {
      runsOfLayer[layer] = runsWith;
    }
    runsBefore = runsWith - runs;
  }
  /** Numbers the runs of the brick. All lanes must call. */
  __device__ __forceinline__ void
  NumberRuns(const unsigned (&runsOfLayer)[LayersPerBrick])
  {
    static_assert(LayersPerBrick == 8 && WordsPerBrick * BitsPerDeviceWord < 1 << 16);
    const unsigned own = lane < LayersPerBrick ? runsOfLayer[lane] : 0u;
    // The sums over the layers before and over all are made at once, in the halves of a word.
    const unsigned sums = SumOfWarp(own | (lane < layer ? own << 16 : 0u));
    runsOfBrick = sums & 0xFFFFu;
    runsBefore += sums >> 16;
    bricks.runsBefore[index] = static_cast<unsigned short>(runsBefore);
  }

  /** Whether the n-th backward bundle is in the brick. */
  __device__ __forceinline__ bool
  HasBefore(int n) const
  {
    const bool hasY = BackwardStepY(n) == 0 || (BackwardStepY(n) < 0 ? y > 0 : y < grid.MaskY());
    const bool hasZ = BackwardStepZ(n) == 0 || z > 0;
    return hasY && hasZ;
  }
  /** The number in the brick of the word at the same x of the n-th of this many backward bundles. */
  template <int VCount>
  __device__ __forceinline__ int
  WordBefore(int n) const
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

  /** Makes a run's first link along y, or else along z, its parent. It needs no atomic, since only the run's own thread
   *  writes there yet. Few runs have only links across. These links are taken out of `same`. */
  template <typename TMemory, int VCount>
  __device__ __forceinline__ void
  FirstLinks(TMemory & memory, BackwardWords<VCount> & same) const
  {
    const DeviceWord alongY = FirstOfStretches(same.of[0], starts);
    const DeviceWord alongZ = FirstOfStretches(same.of[1], starts);
    const int        toY = WordBefore<VCount>(0);
    const int        toZ = WordBefore<VCount>(1);
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

  /** Points runs several steps further up, so that later walks are short: first links lead from each row to the next.
   *  Roots are not written, so that other threads may unite them meanwhile. */
  template <typename TMemory>
  __device__ __forceinline__ void
  ShortenPaths(TMemory & memory) const
  {
    for (unsigned run = threadIdx.x; run < runsOfBrick; run += WordsPerBrick)
    {
      const unsigned parent = BlockAccess::Load(memory.forest + run);
      unsigned       up = parent;
#pragma unroll
      for (int step = 1; step < TuningOf<Tuned::PathSteps>; ++step)
      {
        up = BlockAccess::Load(memory.forest + up);
      }
      if (parent != run && up != parent)
      {
        BlockAccess::Store(memory.forest + run, up);
      }
    }
  }

  /** Points all runs of the brick at their roots. */
  template <typename TMemory>
  __device__ __forceinline__ void
  PointAtRoots(TMemory & memory) const
  {
    for (unsigned run = static_cast<unsigned>(self); run < runsOfBrick; run += WordsPerBrick)
    {
      BlockAccess::Store(memory.forest + run, PeekRoot<BlockAccess>(memory.forest, run));
    }
  }
  /** Shortens the paths to the roots, the more the more links are left. \param left  how many links the word has left
   */
  template <typename TMemory>
  __device__ __forceinline__ void
  PreparePaths(TMemory & memory, unsigned left) const
  {
    if (__syncthreads_or(left > TuningOf<Tuned::FewLinks>) == 0)
    {
      ShortenPaths(memory);
      return;
    }
    PointAtRoots(memory);
    __syncthreads();
  }

  /** The bits whose run is linked to the run of the bundle before along z through the two bundles before along y. No
   * link of these paths is omitted because of a link along z of this bundle. \param joinedY  the word's own */
  template <typename TMemory>
  __device__ __forceinline__ DeviceWord
  ImpliedAlongZ(const TMemory & memory, DeviceWord joinedY) const
  {
    if (y == 0 || z == 0)
    {
      return 0;
    }
    return joinedY & memory.joinedZ[self - WordsPerBrickRow] &
           memory.joinedY[self - (WordsPerBrickRow << grid.bundlesShiftY)];
  }

  /** The links of the square that has this bundle and, across from it, the n-th backward bundle, which is before this
   * one along both y and z. It must be in the brick. */
  template <typename TMemory>
  __device__ __forceinline__ SquareLinks
  SquareTo(const TMemory & memory, int n) const
  {
    const int below = self - (WordsPerBrickRow << grid.bundlesShiftY);
    // Links along y belong to the later one of two bundles.
    const int toLater = n == 2 ? 0 : WordsPerBrickRow;
    const int toBetween = BackwardStepY(n) * WordsPerBrickRow;
    return { memory.joinedY[self + toLater],
             memory.joinedZ[self + toBetween],
             memory.joinedY[below + toLater],
             memory.joinedZ[self] };
  }

  /** Unites along the links that are left. If there are few, the lanes of the warp share them. All lanes must call. */
  template <typename TMemory, int VCount>
  __device__ __forceinline__ void
  UniteLeft(TMemory & memory, BackwardLinks<VCount> & links) const
  {
    static_assert(TMemory::RunsPerBrick <= 1 << 16);
    // Most often few links are left, all to the same x. A list would cost more than they do.
#pragma unroll 1
    for (int round = 0; round < TuningOf<Tuned::LinksBesideList> && __any_sync(AllLanes, links.same.Any() != 0);
         ++round)
    {
      int              n = 0;
      const DeviceWord link = links.same.Take(n);
      if (link != 0)
      {
        const int x = LowestBit(link);
        Unite<typename TMemory::UnionAccess>(memory.forest,
                                             RunAt(runsBefore, starts, x),
                                             memory.RunAt(WordBefore<VCount>(n), x));
      }
      __syncwarp();
    }
    if (__any_sync(AllLanes, links.Any() != 0) == 0)
    {
      return;
    }
    // If links lead along y and z only, none of them leads to another x.
    LinkList<VCount, VCount == BackwardBundles ? 3 : 1> list(links);
    // The two runs of a link, in the halves of a word.
    const auto next = [&] {
      const int x = list.Next();
      // The words of a bundle's row follow each other, so that a word has the 32 voxels from its first one on.
      const auto to = static_cast<unsigned>(WordBefore<VCount>(list.To()) * BitsPerDeviceWord + x + list.Step());
      return RunAt(runsBefore, starts, x) << 16 |
             memory.RunAt(static_cast<int>(to / BitsPerDeviceWord), static_cast<int>(to % BitsPerDeviceWord));
    };
    ShareOut<IfMany::TakeOwn>(memory.pairs[layer], list.Count(), next, [&](unsigned pair) {
      Unite<typename TMemory::UnionAccess>(memory.forest, pair >> 16, pair & 0xFFFFu);
    });
  }

  /** Unites the pairs of runs that the layer has listed. */
  template <typename TMemory>
  __device__ __forceinline__ void
  UniteListed(TMemory & memory) const
  {
    const unsigned listed = memory.listed[layer];
    for (unsigned i = static_cast<unsigned>(lane); i < listed; i += 32)
    {
      const unsigned pair = memory.pairs[layer][i];
      Unite<typename TMemory::UnionAccess>(memory.forest, pair >> 16, pair & 0xFFFFu);
    }
    __syncwarp();
  }
  /** Numbers the components of the brick in any order. Their final order follows their first voxels. All runs then
   *  point at their roots. All lanes must call.
   *  \param keep  called with a root and its component; returns what the root's word keeps */
  template <typename TMemory, typename TKeep>
  __device__ __forceinline__ void
  NumberRoots(TMemory & memory, const TKeep & keep) const
  {
    for (unsigned first = static_cast<unsigned>(layer) * 32; first < runsOfBrick; first += WordsPerBrick)
    {
      const unsigned run = first + static_cast<unsigned>(lane);
      const bool     isRun = run < runsOfBrick;
      const unsigned root = isRun ? PeekRoot<BrickForestAccess>(memory.forest, run) : ~0u;
      // Lanes whose walks end early wait here together.
      __syncwarp();
      const bool     isRoot = root == run;
      const unsigned kept = isRoot ? keep(run, atomicAdd(&memory.components, 1u)) : 0u;
      if (isRun)
      {
        BlockAccess::Store(memory.forest + run, isRoot ? RootWord(run, kept) : root);
      }
    }
  }

  /** The number in the volume of a voxel of the word, where a bundle is a row. */
  __device__ __forceinline__ unsigned
  NumberAt(int x) const
  {
    return grid.NumberAt(firstX + static_cast<unsigned>(x), bundleY, bundleZ);
  }
  /** Makes a component, numbered over all bricks, a root with this first voxel. */
  __device__ __forceinline__ void
  SetFirst(unsigned component, unsigned voxel) const
  {
    bricks.parent[component] = component;
    bricks.firstVoxel[component] = voxel;
  }

  /** Calls `take` with each root among the word's runs, and with its first bit. */
  template <typename TMemory, typename TTake>
  __device__ __forceinline__ void
  ForRoots(const TMemory & memory, const TTake & take) const
  {
    unsigned run = runsBefore;
    for (DeviceWord rest = starts; rest != 0; rest &= rest - 1, ++run)
    {
      if ((memory.forest[run] & RootBit) != 0)
      {
        take(run, LowestBit(rest));
      }
    }
  }

  /** Claims numbers for a brick whose rows are all alike and joined all along, and writes its results: its components
   * equal the components of its first row. */
  template <typename TMemory>
  __device__ __forceinline__ void
  PublishAlike(TMemory & memory) const
  {
    constexpr unsigned rows = WordsPerBrick / WordsPerBrickRow;
    const unsigned     components = runsOfBrick / rows;
    if (self == 0)
    {
      memory.base = bricks.Claim(components, runsOfBrick);
      bricks.bases[blockIdx.x] = memory.base;
    }
    __syncthreads();
    if (threadIdx.x < WordsPerBrickRow && bricks.HasComponents(memory.base, components))
    {
      unsigned id = memory.base.component + runsBefore;
      for (DeviceWord rest = starts; rest != 0; rest &= rest - 1, ++id)
      {
        SetFirst(id, NumberAt(LowestBit(rest)));
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
};

/** Reads and solves one brick per block of WordsPerBrick threads. It also clears `marks`. TAgent is a BrickAgent or a
 *  RowAgent, which say what the phases are in their bricks. */
template <typename TAgent>
__global__ void
__launch_bounds__(WordsPerBrick, TAgent::blocks)
  SolveBricksKernel(const __grid_constant__ typename TAgent::Problem    problem,
                    const __grid_constant__ MaskBits                    mask,
                    const __grid_constant__ BrickArrays                 bricks,
                    const __grid_constant__ typename TAgent::ForBorders forBorders,
                    const __grid_constant__ FirstMarks                  marks)
{
  __shared__ typename TAgent::Memory memory;
  AllowNextKernel();
  TAgent agent(problem, mask, bricks, forBorders, memory);
  agent.Pack(marks);
  if (agent.FindRuns() && agent.FindLinks())
  {
    agent.UniteRuns();
    agent.Number();
    agent.Publish();
  }
}

} // namespace brickccl::cuda

#endif
