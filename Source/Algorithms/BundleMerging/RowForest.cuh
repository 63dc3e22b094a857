#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWFOREST_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_ROWFOREST_CUH

#include "BrickCCL/Algorithms/BundleMerging/BrickSolver.cuh"

/** The steps of BrickSolver for SolveRowsKernel, which is no agent yet. */
namespace brickccl::cuda
{

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
  LinkList<VCount, VCount == BackwardBundles ? 3 : 1> links(BackwardLinks<VCount>{ same, left, right });
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
    const BackwardLinks<VCount> rest = links.Rest();
    same = rest.same;
    left = rest.left;
    right = rest.right;
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

} // namespace brickccl::cuda

#endif
