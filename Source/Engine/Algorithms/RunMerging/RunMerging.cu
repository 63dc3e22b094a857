// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/RunMerging/RunMerging.cuh"

#include "BrickCCL/Algorithms/CudaAlgorithm.cuh"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Measuring/SumRuns.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

namespace brickccl::cuda
{

namespace
{

/** Unites the run of a[x] with the run of b for every bit x of `links`, as in RowMerger::UniteBits. */
template <typename TIndex>
__device__ void
UniteBits(DeviceWord links, DeviceWord startsA, TIndex countA, DeviceWord startsB, TIndex countB, TIndex * parent)
{
  for (; links != 0; links &= links - 1)
  {
    const DeviceWord upTo = links ^ (links - 1);
    Unite<CachedAccess>(parent,
                        static_cast<TIndex>(countA + static_cast<TIndex>(__popc(startsA & upTo)) - 1),
                        static_cast<TIndex>(countB + static_cast<TIndex>(__popc(startsB & upTo)) - 1));
  }
}

/** Whether a row has the neighboring row of a step. */
__device__ inline bool
HasRow(const RowStep & step, const Extent & extent, std::int64_t row)
{
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    const std::int64_t size = extent.size[axis];
    // All rows along an axis of size 1 are at 0 and need no division.
    const std::int64_t place = size == 1           ? 0
                             : row <= 0xFFFFFFFFll ? static_cast<unsigned>(row) % static_cast<unsigned>(size)
                                                   : row % size;
    row = size == 1 ? row : row <= 0xFFFFFFFFll ? static_cast<unsigned>(row) / static_cast<unsigned>(size) : row / size;
    const std::int64_t to = place + step.offset.step[axis - 1];
    if (to < 0 || to >= size)
    {
      return false;
    }
  }
  return true;
}

/** Unites the runs of a word (row a) with the runs that they touch in the rows b before it. RowMerger (MergeRows.h)
 *  explains which links are implied. Links outside the word, which could imply others, are not checked here. */
template <typename T, typename TIndex>
__global__ void
MergeKernel(const T *               voxels,
            const __grid_constant__ VoxelRule<T> rule,
            const __grid_constant__ WordGrid     grid,
            const __grid_constant__ RowSteps     steps,
            const DeviceWord *                   foreground,
            const DeviceWord *                   starts,
            const TIndex *                       runsBefore,
            TIndex *                             parent)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    const DeviceWord a = foreground[word];
    if (a == 0)
    {
      continue;
    }
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const bool         hasPrevious = wordOfRow > 0;
    const bool         hasNext = wordOfRow + 1 < grid.wordsPerRow;
    const DeviceWord   startsA = StartsOf(foreground, starts, word, wordOfRow);
    const TIndex       countA = runsBefore[word];
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    // If one voxel of a run answers for all of it, runs are compared only where they begin.
    const bool byRuns = rule.IsEquality();
    for (int s = 0; s < steps.count; ++s)
    {
      const RowStep & step = steps.steps[s];
      if (!HasRow(step, grid.extent, row))
      {
        continue;
      }
      const std::int64_t other = word - step.distance * grid.wordsPerRow;
      const std::int64_t distance = -step.distance * grid.extent.RowLength();
      const DeviceWord   b = foreground[other];
      const DeviceWord   bPrevious = hasPrevious && step.offset.diagonal ? foreground[other - 1] : 0u;
      const DeviceWord   bNext = hasNext && step.offset.diagonal ? foreground[other + 1] : 0u;
      const DeviceWord   fromLeft = (b << 1) | (bPrevious >> 31);
      const DeviceWord   fromRight = (b >> 1) | (bNext << 31);
      if ((a & (b | (step.offset.diagonal ? fromLeft | fromRight : 0u))) == 0)
      {
        continue;
      }
      const DeviceWord startsB = StartsOf(foreground, starts, other, wordOfRow);
      const TIndex     countB = runsBefore[other];
      const DeviceWord same =
        LinksOf(voxels, rule, voxel, distance, a & b & (byRuns ? startsA | startsB : 0xFFFFFFFFu));
      const DeviceWord sameKnown = byRuns ? 0u : (same << 1) & ~startsA & ~startsB;
      UniteBits(same & ~sameKnown, startsA, countA, startsB, countB, parent);
      if (!step.offset.diagonal)
      {
        continue;
      }
      // b[x - 1] and b[x + 1], with the starts of b moved to where the links begin.
      const DeviceWord startsBPrevious = hasPrevious ? StartsOf(foreground, starts, other - 1, wordOfRow - 1) : 0u;
      const DeviceWord startsBNext = hasNext ? StartsOf(foreground, starts, other + 1, wordOfRow + 1) : 0u;
      const DeviceWord startsBLeft = (startsB << 1) | (startsBPrevious >> 31);
      const DeviceWord startsBRight = (startsB >> 1) | (startsBNext << 31);
      const DeviceWord leftKnown = byRuns ? ~startsA | (b & ~startsB) : (same & ~startsB) | ((same << 1) & ~startsA);
      const DeviceWord left = LinksOf(voxels, rule, voxel, distance - 1, a & fromLeft & ~leftKnown);
      UniteBits(byRuns ? left : left & ~((left << 1) & ~startsA & ~startsBLeft),
                startsA,
                countA,
                startsBLeft,
                static_cast<TIndex>(countB - (startsBPrevious >> 31)),
                parent);
      // The right neighbor of the highest bit of row a is not looked at, so that its link may be united once more.
      const DeviceWord rightKnown = byRuns ? ((a & ~startsA) >> 1) | (fromRight & ~startsBRight)
                                           : (same & ~startsBRight) | ((same >> 1) & ~(startsA >> 1) & 0x7FFFFFFFu);
      const DeviceWord right = LinksOf(voxels, rule, voxel, distance + 1, a & fromRight & ~rightKnown);
      UniteBits(byRuns ? right : right & ~((right << 1) & ~startsA & ~startsBRight),
                startsA,
                countA,
                startsBRight,
                static_cast<TIndex>(countB + (startsB & 1u)),
                parent);
    }
  }
}

template <typename TIndex>
__global__ void
FlattenKernel(std::int64_t nodes, TIndex * parent)
{
  for (std::int64_t node = ThreadIndex(); node < nodes; node += ThreadCount())
  {
    GlobalAccess::Store(parent + node, PeekRoot<GlobalAccess>(parent, static_cast<TIndex>(node)));
  }
}

/** 1 for each root. */
template <typename TIndex>
struct CountRoots
{
  const TIndex * parent;

  __device__ TIndex
  operator()(std::int64_t node) const
  {
    return parent[node] == static_cast<TIndex>(node) ? 1 : 0;
  }
};

template <typename TIndex>
struct RankOf
{
  const TIndex * rank;

  __device__ TIndex
  operator()(TIndex root) const
  {
    return rank[root];
  }
};

} // namespace

template <typename TIndex>
std::uint64_t
RunMerging(const Problem & problem, RunMergingMemory<TIndex> & memory, cudaStream_t stream)
{
  RunTable<TIndex> & table = memory.table;
  const WordGrid     grid(problem.image.extent);
  PackForeground(problem, table, stream);
  FindRuns(problem, table, stream);
  if (table.runs == 0)
  {
    return 0;
  }
  TIndex * parent = table.labelOfRun.Data();
  CallThrust(table.workspace, stream, [&](const auto & policy) {
    thrust::sequence(policy, parent, parent + table.runs);
  });
  VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    BRICKCCL_LAUNCH((MergeKernel<T, TIndex>),
                    ShapeFor(grid.words),
                    stream,
                    pixels,
                    rule,
                    grid,
                    RowSteps(problem.connectivity.BackwardRows(), problem.image.extent),
                    table.foreground.Data(),
                    table.Starts(),
                    table.runsBefore.Data(),
                    parent);
  });
  BRICKCCL_LAUNCH(FlattenKernel<TIndex>, ShapeFor(table.runs), stream, table.runs, parent);
  // Sequential relabeling: the sum of the roots up to a root is its number (CUCCL, appendix C).
  memory.rank.Resize(static_cast<std::size_t>(table.runs));
  TIndex * const rank = memory.rank.Data();
  CallThrust(table.workspace, stream, [&](const auto & policy) {
    thrust::transform_inclusive_scan(policy,
                                     CountFrom(0),
                                     CountFrom(table.runs),
                                     rank,
                                     CountRoots<TIndex>{ parent },
                                     thrust::plus<TIndex>());
    thrust::transform(policy, parent, parent + table.runs, parent, RankOf<TIndex>{ rank });
  });
  return table.fetched.Fetch(rank + table.runs - 1, stream);
}

namespace
{

template <typename TIndex>
class RunAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const Problem & problem, const OptionValues &, void *, LabelType, bool &, const Progress &, cudaStream_t stream)
    override
  {
    return cuda::RunMerging(problem, m_Memory, stream);
  }
  void
  Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    ExpandRuns(problem.image.extent, m_Memory.table, labels, type, stream);
  }
  void
  Download(const Problem &                    problem,
           DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                        result,
           StagedCopy &                       staged,
           const HostContext &                context,
           cudaStream_t                       stream) override
  {
    DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const Problem &                  problem,
      std::uint64_t                    components,
      DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                     stream) override
  {
    SumRuns(problem.image.extent, m_Memory.table, components, sums, stream);
  }
  void
  Count(const Problem & problem, std::uint64_t components, unsigned long long * sizes, cudaStream_t stream) override
  {
    CountVoxels(problem.image.extent, m_Memory.table, components, sizes, stream);
  }
  void
  Renumber(const Problem &, const unsigned long long * numbers, cudaStream_t stream) override
  {
    RenumberLabels(m_Memory.table.labelOfRun.Data(), m_Memory.table.runs, numbers, stream);
  }
  void
  List(const Problem & problem, std::uint64_t components, long long * voxels, ListMemory & memory, cudaStream_t stream)
    override
  {
    ListVoxels(problem.image.extent, m_Memory.table, components, voxels, memory, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.table.CapacityBytes() + m_Memory.rank.CapacityBytes();
  }

private:
  RunMergingMemory<TIndex> m_Memory;
};

} // namespace

std::unique_ptr<CudaAlgorithm>
MakeRunMerging(bool isWide)
{
  if (isWide)
  {
    return std::make_unique<RunAlgorithm<unsigned long long>>();
  }
  return std::make_unique<RunAlgorithm<unsigned>>();
}

} // namespace brickccl::cuda
