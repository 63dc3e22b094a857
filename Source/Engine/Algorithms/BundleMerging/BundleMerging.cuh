// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowArrays.cuh"
#include "BrickCCL/Algorithms/CudaAlgorithm.cuh"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Runs/RunTable.cuh"

#include <functional>
#include <optional>

/** BundleMerging's data and work on a device, and the choice of its bricks. */
namespace brickccl::cuda
{

/** The memory of BundleMerging, kept between calls. KERNELS.md has who writes and who reads each part. */
struct BundleMergingMemory
{
  /** The layout of the last problem's rows in bricks. It is decided once for each problem. */
  std::optional<BundleGrid> grid;

  RunTable<unsigned>               table;
  DeviceBuffer<DeviceWord>         bits;
  DeviceBuffer<unsigned short>     runsBefore;
  DeviceBuffer<unsigned short>     componentOfRun;
  DeviceBuffer<BrickBase>          bases;
  DeviceBuffer<unsigned long long> found;
  DeviceBuffer<unsigned>           parent;
  DeviceBuffer<unsigned>           firstVoxel;
  DeviceBuffer<DeviceWord>         marks;
  DeviceBuffer<unsigned>           marksInGroup;
  DeviceBuffer<unsigned>           marksInPart;
  DeviceBuffer<DeviceWord>         joinedBits;
  DeviceBuffer<unsigned char>      endVoxels;
  /** Copies for slices orthogonal to x: of the image where values decide, and of bits. */
  DeviceBuffer<unsigned char> imageAlongY;
  DeviceBuffer<DeviceWord>    bitsAlongY;
  PinnedValue<BundleReport>   report;
  /** The components of the last problem are there. */
  Event numbered;
  /** The queued reads of them are done. */
  Event used;
  /** Whether a report may still arrive after an error that ended the wait for it. */
  bool isReportPending = false;
  /** Whether a label map may still have to be written there. Sums wait for instructions and the map waits for memory,
   *  so both are made at the same time. */
  bool   isMapQueued = false;
  Stream sumStream{ Stream::Priority::Highest };
  /** The last sums are there, and the stream in which they were made. */
  Event        summed;
  cudaStream_t summedIn = nullptr;
  /** Which of two counts the last problem took. Its last kernel clears the other one for the next problem. */
  int  turn = 0;
  bool isNextFoundClear = false;
  /** So many components and runs of bricks have room. */
  std::size_t componentCapacity = 0;
  std::size_t runCapacity = 0;

  std::size_t
  CapacityBytes() const
  {
    return table.CapacityBytes() + bits.CapacityBytes() + runsBefore.CapacityBytes() + componentOfRun.CapacityBytes() +
           bases.CapacityBytes() + found.CapacityBytes() + parent.CapacityBytes() + firstVoxel.CapacityBytes() +
           marks.CapacityBytes() + marksInGroup.CapacityBytes() + marksInPart.CapacityBytes() +
           joinedBits.CapacityBytes() + endVoxels.CapacityBytes() + imageAlongY.CapacityBytes() +
           bitsAlongY.CapacityBytes();
  }

  BrickArrays
  Arrays() const
  {
    return { bits.Data(),
             runsBefore.Data(),
             componentOfRun.Data(),
             bases.Data(),
             found.Data() + turn,
             parent.Data(),
             firstVoxel.Data(),
             static_cast<unsigned>(componentCapacity),
             static_cast<unsigned>(runCapacity) };
  }
  FirstMarks
  Marks() const
  {
    return { marks.Data(), marksInGroup.Data(), marksInPart.Data() };
  }
};

/** The CUDA side of BundleMerging, with what it keeps between calls. README.md says how it works. The number of
 *  components comes while the last kernel still runs, and what is queued on the labels follows it without a gap.
 *
 *  A problem has up to 3 dimensions. It may have up to 2^32 voxels, 2^31 - 256 along y or z and 2^32 - 1 along x, and
 *  fewer than 2^32 runs (MaximumRunCount). Slices on their own have at least 16 rows. */
class BundleAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t Label(const Problem &      problem,
                      const OptionValues & options,
                      void *               labels,
                      LabelType            type,
                      bool &               isWritten,
                      const Progress &     progress,
                      cudaStream_t         stream) override;
  std::uint64_t LabelThen(const Problem &               problem,
                          const OptionValues &          options,
                          const std::function<void()> & queueMore,
                          cudaStream_t                  stream) override;
  void          Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream) override;
  void          WriteRows(const Problem & problem,
                          std::int64_t    firstRow,
                          std::int64_t    rows,
                          unsigned *      labels,
                          cudaStream_t    stream) override;
  /** Rows of the problem must be rows of the grid. */
  bool WriteRowStarts(const Problem & problem,
                      std::int64_t    firstRow,
                      std::int64_t    rows,
                      unsigned *      labels,
                      DeviceWord *    places,
                      cudaStream_t    stream) override;
  void Download(const Problem &                    problem,
                DeviceBuffer<unsigned long long> & firstRuns,
                RunVolume &                        result,
                StagedCopy &                       staged,
                const HostContext &                context,
                cudaStream_t                       stream) override;
  /** Sums run concurrently with the problem's label map, if `stream` may still have to write it. Later work on `stream`
   * waits for them. */
  void Sum(const Problem &                  problem,
           std::uint64_t                    components,
           DeviceBuffer<CompactShapeSums> & sums,
           cudaStream_t                     stream) override;
  void
  Count(const Problem & problem, std::uint64_t components, unsigned long long * sizes, cudaStream_t stream) override;
  void        Renumber(const Problem & problem, const unsigned long long * numbers, cudaStream_t stream) override;
  void        List(const Problem & problem,
                   std::uint64_t   components,
                   long long *     voxels,
                   ListMemory &    memory,
                   cudaStream_t    stream) override;
  std::size_t CapacityBytes() const override;

private:
  /** Finds the runs of the last problem and labels them in the memory's table. */
  void LabelRuns(const Problem & problem, cudaStream_t stream);

  BundleMergingMemory m_Memory;
};

/** Queues the kernels that solve and merge bricks where values decide. */
void
SolveAndMergeRows(const Problem & problem, const DeviceWord * mask, BundleMergingMemory & memory, cudaStream_t stream);

/** Calls `function(layout)` with the layout of what is kept of a problem's words. */
template <typename TFunction>
void
VisitLayout(const Problem & problem, TFunction && function)
{
  if (!problem.criterion.FollowsForeground())
  {
    return function(RowLayout{});
  }
  switch (problem.connectivity.Rank())
  {
  case 1:
    return function(BundleLayout<Bundling::Rows>{});
  case 2:
    return function(BundleLayout<Bundling::Pairs>{});
  default:
    return function(BundleLayout<Bundling::Squares>{});
  }
}

inline BundleGrid
GridOf(const Problem & problem)
{
  Bundling bundling = Bundling::Rows;
  VisitLayout(problem, [&](auto layout) { bundling = decltype(layout)::bundling; });
  return { problem.image.extent, problem.connectivity, bundling };
}

/** A grid that fills any device, for kernels over a count that only the device knows. */
inline LaunchShape
ShapeForUnknown()
{
  return { dim3(TuningOf<Tuned::BlocksOfUnknownCount>), dim3(ThreadsPerBlock) };
}

} // namespace brickccl::cuda

#endif
