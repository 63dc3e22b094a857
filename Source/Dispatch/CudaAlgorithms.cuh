#ifndef BRICKCCL_DISPATCH_CUDAALGORITHMS_CUH
#define BRICKCCL_DISPATCH_CUDAALGORITHMS_CUH

#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"
#include "BrickCCL/Algorithms/DirectionalSearch/DirectionalSearch.cuh"
#include "BrickCCL/Algorithms/HawickLabelEquivalence/HawickLabelEquivalence.cuh"
#include "BrickCCL/Algorithms/LabelEquivalence/LabelEquivalence.cuh"
#include "BrickCCL/Algorithms/LinkPropagation/LinkPropagation.cuh"
#include "BrickCCL/Algorithms/RowColumnUnification/RowColumnUnification.cuh"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.cuh"
#include "BrickCCL/Algorithms/TileMerging/TileMerging.cuh"
#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Measuring/SumComponents.cuh"

#include <memory>
#include <string>
#include <vector>

/** The algorithms on CUDA devices behind one interface, and the table of their names. */
namespace brickccl
{

/** An algorithm with the memory that it keeps between calls. */
class CudaAlgorithm
{
public:
  virtual ~CudaAlgorithm() = default;
  /** \return N. May write the label map at once if `labels` is not null; says so in `isWritten`. */
  virtual std::uint64_t Label(const cuda::DeviceProblem & problem,
                              const OptionValues &        options,
                              void *                      labels,
                              LabelType                   type,
                              bool &                      isWritten,
                              cudaStream_t                stream) = 0;
  /** Writes the label map of the last problem. */
  virtual void Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) = 0;
  /** Brings the labels of the last problem to the host. */
  virtual void Download(const cuda::DeviceProblem &              problem,
                        cuda::DeviceBuffer<unsigned long long> & firstRuns,
                        RunVolume &                              result,
                        cuda::StagedCopy &                       staged,
                        const HostContext &                      context,
                        cudaStream_t                             stream) = 0;
  /** Queues the sums of the default columns over the last problem's components. */
  virtual void        Sum(const cuda::DeviceProblem &            problem,
                          std::uint64_t                          components,
                          cuda::DeviceBuffer<CompactShapeSums> & sums,
                          cudaStream_t                           stream) = 0;
  virtual std::size_t CapacityBytes() const = 0;

  /** What only algorithms on voxels tell; see CudaLabeler. */
  virtual int
  Iterations() const
  {
    return 0;
  }
  virtual cuda::StageClock *
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
};

class BundleAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem,
        const OptionValues &,
        void *       labels,
        LabelType    type,
        bool &       isWritten,
        cudaStream_t stream) override
  {
    isWritten = labels != nullptr;
    return cuda::BundleMerging(problem, m_Memory, labels, type, stream);
  }
  void
  Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    cuda::WriteLabels(problem, m_Memory, labels, type, stream);
  }
  void
  Download(const cuda::DeviceProblem &              problem,
           cuda::DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                              result,
           cuda::StagedCopy &                       staged,
           const HostContext &                      context,
           cudaStream_t                             stream) override
  {
    cuda::LabelRuns(problem, m_Memory, stream);
    cuda::DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const cuda::DeviceProblem &            problem,
      std::uint64_t                          components,
      cuda::DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                           stream) override
  {
    cuda::SumComponents(problem, m_Memory, components, sums, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.CapacityBytes();
  }

private:
  cuda::BundleMergingMemory m_Memory;
};

/** An algorithm whose nodes are voxels; `VUnite` leaves each voxel's root in the memory. */
template <typename TIndex,
          void (*VUnite)(const cuda::DeviceProblem &, cuda::VoxelMemory<TIndex> &, const OptionValues &, cudaStream_t)>
class VoxelAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem,
        const OptionValues &        options,
        void *,
        LabelType,
        bool &,
        cudaStream_t stream) override
  {
    m_Memory.clock.Start(stream);
    VUnite(problem, m_Memory, options, stream);
    return cuda::NumberVoxels(problem.image.extent, m_Memory, stream);
  }
  void
  Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    cuda::WriteVoxelLabels(problem.image.extent, m_Memory, labels, type, stream);
  }
  void
  Download(const cuda::DeviceProblem &              problem,
           cuda::DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                              result,
           cuda::StagedCopy &                       staged,
           const HostContext &                      context,
           cudaStream_t                             stream) override
  {
    cuda::LabelVoxelRuns(problem, m_Memory, stream);
    cuda::DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const cuda::DeviceProblem &            problem,
      std::uint64_t                          components,
      cuda::DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                           stream) override
  {
    cuda::LabelVoxelRuns(problem, m_Memory, stream);
    cuda::SumRuns(problem.image.extent, m_Memory.table, components, sums, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.CapacityBytes() + m_Collected.CapacityBytes();
  }
  int
  Iterations() const override
  {
    return m_Memory.iterations;
  }
  cuda::StageClock *
  Clock() override
  {
    return &m_Memory.clock;
  }
  void
  QueueMoments(const Extent & extent, std::uint64_t components, const std::string &, cudaStream_t stream) override
  {
    cuda::CollectProperties(extent, m_Memory, components, m_Collected, stream);
  }
  std::vector<ComponentMoments>
  FetchMoments(const Extent & extent, std::uint64_t components, cudaStream_t stream) override
  {
    const int                       axes = m_Collected.arrays.axes;
    const auto                      count = static_cast<std::size_t>(components);
    std::vector<TIndex>             voxels(count);
    std::vector<unsigned long long> sums(count * static_cast<std::size_t>(m_Collected.arrays.Terms(axes)));
    const auto                      fetch = [&](auto & to, const auto * from) {
      BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(to[0]), cudaMemcpyDeviceToHost, stream));
    };
    fetch(voxels, m_Collected.arrays.counts);
    fetch(sums, m_Collected.arrays.sums);
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(stream));
    std::vector<ComponentMoments> moments(count);
    for (std::size_t i = 0; i < count; ++i)
    {
      moments[i].dimension = axes == 0 ? 0 : extent.dimension;
      moments[i].voxelCount = voxels[i];
      for (int term = 0; term < m_Collected.arrays.Terms(axes); ++term)
      {
        const std::uint64_t sum = sums[static_cast<std::size_t>(term) * count + i];
        if (term < axes)
        {
          moments[i].indexSum[term] = sum;
        }
        else
        {
          moments[i].products.products[term - axes] = sum;
        }
      }
    }
    return moments;
  }

private:
  cuda::VoxelMemory<TIndex>    m_Memory;
  cuda::PropertyBuffer<TIndex> m_Collected;
};

template <typename TIndex>
class RunAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem, const OptionValues &, void *, LabelType, bool &, cudaStream_t stream)
    override
  {
    return cuda::RunMerging(problem, m_Memory, stream);
  }
  void
  Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    cuda::ExpandRuns(problem.image.extent, m_Memory.table, labels, type, stream);
  }
  void
  Download(const cuda::DeviceProblem &              problem,
           cuda::DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                              result,
           cuda::StagedCopy &                       staged,
           const HostContext &                      context,
           cudaStream_t                             stream) override
  {
    cuda::DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const cuda::DeviceProblem &            problem,
      std::uint64_t                          components,
      cuda::DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                           stream) override
  {
    cuda::SumRuns(problem.image.extent, m_Memory.table, components, sums, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.table.CapacityBytes() + m_Memory.rank.CapacityBytes();
  }

private:
  cuda::RunMergingMemory<TIndex> m_Memory;
};

template <typename TAlgorithm>
std::unique_ptr<CudaAlgorithm>
Make()
{
  return std::make_unique<TAlgorithm>();
}

/** The CUDA side of the rows of Algorithms(): one for node numbers of 32 bits, one for those of 64, or null if 32 always
 *  suffice. */
struct CudaRow
{
  const char * name;
  std::unique_ptr<CudaAlgorithm> (*narrow)();
  std::unique_ptr<CudaAlgorithm> (*wide)();
};

/** The row of an algorithm on voxels. */
#define BRICKCCL_VOXEL_ROW(name, ...)                                                                                  \
  {                                                                                                                    \
    name, Make<VoxelAlgorithm<unsigned, __VA_ARGS__>>, Make<VoxelAlgorithm<unsigned long long, __VA_ARGS__>>           \
  }
#define BRICKCCL_DIRECTIONAL_ROW(name, variant)                                                                        \
  {                                                                                                                    \
    name, Make<VoxelAlgorithm<unsigned, cuda::UniteByDirectionalSearch<unsigned, cuda::DirectionalVariant::variant>>>, \
      Make<VoxelAlgorithm<unsigned long long,                                                                          \
                          cuda::UniteByDirectionalSearch<unsigned long long, cuda::DirectionalVariant::variant>>>      \
  }

inline constexpr CudaRow cudaRows[] = {
  { "BundleMerging", Make<BundleAlgorithm>, nullptr },
  { "RunMerging", Make<RunAlgorithm<unsigned>>, Make<RunAlgorithm<unsigned long long>> },
  BRICKCCL_VOXEL_ROW("BrickMerging", cuda::UniteByBrickMerging),
  BRICKCCL_VOXEL_ROW("TileMerging", cuda::UniteByTileMerging),
  BRICKCCL_VOXEL_ROW("LabelEquivalence", cuda::UniteByLabelEquivalence),
  BRICKCCL_VOXEL_ROW("HawickLabelEquivalence", cuda::UniteByHawickLabelEquivalence),
  BRICKCCL_VOXEL_ROW("LinkPropagation", cuda::UniteByLinkPropagation),
  BRICKCCL_VOXEL_ROW("RowColumnUnification", cuda::UniteByRowColumnUnification),
  BRICKCCL_DIRECTIONAL_ROW("DirectionalSearch", SearchAll),
  BRICKCCL_DIRECTIONAL_ROW("Hybrid1", SearchAllAndSweep),
  BRICKCCL_DIRECTIONAL_ROW("Hybrid2", SearchAllAndBacktrack),
  BRICKCCL_DIRECTIONAL_ROW("Hybrid3", SearchEarlierAndBacktrack),
};

#undef BRICKCCL_VOXEL_ROW
#undef BRICKCCL_DIRECTIONAL_ROW

} // namespace brickccl

#endif
