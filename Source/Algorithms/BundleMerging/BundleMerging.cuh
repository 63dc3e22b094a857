#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BUNDLEMERGING_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowArrays.cuh"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Runs/RunTable.cuh"

#include <functional>

namespace brickccl::cuda
{

/** The memory of BundleMerging, kept between calls. README.md says what each part is and what it takes. */
struct BundleMergingMemory
{
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
  DeviceBuffer<SeparationLimits>   separationLimits;
  DeviceBuffer<SeparationBits>     separationBits;
  DeviceBuffer<DeviceWord>         joinedBits;
  DeviceBuffer<unsigned char>      endVoxels;
  /** Copies for slices orthogonal to x. */
  DeviceBuffer<unsigned char> imageAlongY;
  DeviceBuffer<unsigned char> maskAlongY;
  PinnedValue<BundleReport>   report;
  /** The components of the last problem are there. */
  Event numbered;
  /** What was queued to read them has done so. */
  Event used;
  /** Whether a report may still come for which nobody has waited, since an error came between. */
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
           separationLimits.CapacityBytes() + separationBits.CapacityBytes() + joinedBits.CapacityBytes() +
           endVoxels.CapacityBytes() + imageAlongY.CapacityBytes() + maskAlongY.CapacityBytes();
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

/** Labels a problem of up to 3 dimensions. It may have up to 2^32 voxels, 2^31 - 256 along y or z and 2^32 - 1 along x,
 *  and fewer than 2^32 runs (MaximumRunCount). Slices on their own must lie orthogonally to y or z.
 *
 *  Bundles of rows, or rows where values decide, become runs of their united bits. Bricks are solved in shared memory
 *  and merged across their borders. Components are numbered by their first voxels. `queueMore` may queue work on the
 *  labels. It is called before the host waits for the number of components, and again if there was no room for them;
 *  then there were no labels. \return N */
std::uint64_t BundleMerging(const Problem &               problem,
                            BundleMergingMemory &         memory,
                            const std::function<void()> & queueMore,
                            cudaStream_t                  stream);

/** Queues the kernels that solve and merge bricks where values decide. */
void SolveAndMergeRows(const Problem &       problem,
                       const BundleGrid &    grid,
                       const DeviceWord *    mask,
                       BundleMergingMemory & memory,
                       cudaStream_t          stream);

/** Writes the label map of the last problem to device memory. */
void
WriteLabels(const Problem & problem, BundleMergingMemory & memory, void * labels, LabelType type, cudaStream_t stream);

/** Writes the labels of some rows of the last problem. */
void WriteRows(const Problem &       problem,
               BundleMergingMemory & memory,
               std::int64_t          firstRow,
               std::int64_t          rows,
               unsigned *            labels,
               cudaStream_t          stream);

/** Writes the labels of some rows of the last problem where runs of linked voxels start, and at the beginnings of
 * words. Rows of the problem must be rows of the grid (CanWriteRowStarts). \param places  a bit for each voxel, which
 * says where labels are written; each row begins with a word */
void WriteRowStarts(const Problem &       problem,
                    BundleMergingMemory & memory,
                    std::int64_t          firstRow,
                    std::int64_t          rows,
                    unsigned *            labels,
                    DeviceWord *          places,
                    cudaStream_t          stream);
bool CanWriteRowStarts(const Problem & problem);

/** Queues the sums of the default columns over the components of the last problem, of which there are `components`.
 *  They are made beside the label map of that problem, if `stream` may still have to write it. What is queued on
 *  `stream` later waits for them. */
void SumComponents(const Problem &                  problem,
                   BundleMergingMemory &            memory,
                   std::uint64_t                    components,
                   DeviceBuffer<CompactShapeSums> & sums,
                   cudaStream_t                     stream);

/** Queues the sizes of the components of the last problem, by label - 1. */
void CountComponents(const Problem &       problem,
                     BundleMergingMemory & memory,
                     std::uint64_t         components,
                     unsigned long long *  sizes,
                     cudaStream_t          stream);

/** Queues new labels for the components of the last problem: by label - 1, 0 for those that go. */
void RenumberComponents(BundleMergingMemory & memory, const unsigned long long * numbers, cudaStream_t stream);

/** Finds the runs of the last problem and labels them in `memory.table`, for transfer to the host. */
void LabelRuns(const Problem & problem, BundleMergingMemory & memory, cudaStream_t stream);

} // namespace brickccl::cuda

#endif
