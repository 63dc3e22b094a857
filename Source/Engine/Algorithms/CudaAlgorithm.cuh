// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_CUDAALGORITHM_CUH
#define BRICKCCL_ALGORITHMS_CUDAALGORITHM_CUH

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Cuda/StageClock.cuh"
#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Labels/ListOnDevice.cuh"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentSums.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brickccl::cuda
{

/** An algorithm on one CUDA device with the memory that it keeps between calls. Every problem's voxels are in memory of
 * that device. */
class CudaAlgorithm
{
public:
  virtual ~CudaAlgorithm() = default;

  /** \return N. May write the label map at once if `labels` is not null; then sets `isWritten`. \throws Canceled. */
  virtual std::uint64_t Label(const Problem &      problem,
                              const OptionValues & options,
                              void *               labels,
                              LabelType            type,
                              bool &               isWritten,
                              const Progress &     progress,
                              cudaStream_t         stream) = 0;
  /** Labels as well. `queueMore` is called before the host waits, where that can be, so that what it queues on the
   *  stream follows without a gap. It may be called again; then there were no labels yet. \return N */
  virtual std::uint64_t
  LabelThen(const Problem &               problem,
            const OptionValues &          options,
            const std::function<void()> & queueMore,
            cudaStream_t                  stream)
  {
    bool                isWritten = false;
    const std::uint64_t components = Label(problem, options, nullptr, LabelType::UInt32, isWritten, {}, stream);
    queueMore();
    return components;
  }
  /** Writes the label map of the last problem. */
  virtual void Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream) = 0;
  /** Writes the labels of some rows of the last problem. */
  virtual void
  WriteRows(const Problem & problem, std::int64_t firstRow, std::int64_t rows, unsigned * labels, cudaStream_t stream)
  {
    const Extent & extent = problem.image.extent;
    m_Whole.Resize(static_cast<std::size_t>(extent.VoxelCount()));
    Write(problem, m_Whole.Data(), LabelType::UInt32, stream);
    BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(labels,
                                        m_Whole.Data() + firstRow * extent.RowLength(),
                                        static_cast<std::size_t>(rows * extent.RowLength()) * sizeof(unsigned),
                                        cudaMemcpyDeviceToDevice,
                                        stream));
  }
  /** Writes them only at the first voxels of runs along x whose voxels are linked, and at some others, for which
   *  `places` gets bits: one for each voxel; each row begins with a word. \return whether the algorithm can do that */
  virtual bool
  WriteRowStarts(const Problem &, std::int64_t, std::int64_t, unsigned *, unsigned *, cudaStream_t)
  {
    return false;
  }
  /** Brings the labels of the last problem to the host. */
  virtual void Download(const Problem &                    problem,
                        DeviceBuffer<unsigned long long> & firstRuns,
                        RunVolume &                        result,
                        StagedCopy &                       staged,
                        const HostContext &                context,
                        cudaStream_t                       stream) = 0;
  /** Queues the sums of the default columns over the last problem's components. */
  virtual void Sum(const Problem &                  problem,
                   std::uint64_t                    components,
                   DeviceBuffer<CompactShapeSums> & sums,
                   cudaStream_t                     stream) = 0;
  /** Queues the sizes of the last problem's components, by label - 1. */
  virtual void
  Count(const Problem & problem, std::uint64_t components, unsigned long long * sizes, cudaStream_t stream) = 0;
  /** Queues new labels for the last problem's components: by label - 1, 0 for dropped ones. Later work sees these
   * labels. */
  virtual void Renumber(const Problem & problem, const unsigned long long * numbers, cudaStream_t stream) = 0;
  /** Queues the voxels of the last problem's components, grouped, in raster order. */
  virtual void        List(const Problem & problem,
                           std::uint64_t   components,
                           long long *     voxels,
                           ListMemory &    memory,
                           cudaStream_t    stream) = 0;
  virtual std::size_t CapacityBytes() const = 0;

  /** Functions only of algorithms whose nodes are voxels (Dispatch/DeviceLabeler.h). */
  virtual int
  Iterations() const
  {
    return 0;
  }
  virtual StageClock *
  Clock()
  {
    return nullptr;
  }
  virtual void
  QueueMoments(const Extent &, std::uint64_t, const std::string & algorithm, cudaStream_t)
  {
    throw Unsupported("algorithm " + algorithm + " does not sum properties voxel by voxel; its component table " +
                      "(FetchTable) has the same numbers");
  }
  virtual std::vector<ComponentMoments>
  FetchMoments(const Extent &, std::uint64_t, cudaStream_t)
  {
    return {};
  }

private:
  /** A label map for single rows, if an algorithm cannot write rows. */
  DeviceBuffer<unsigned> m_Whole;
};

} // namespace brickccl::cuda

#endif
