// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/VoxelAlgorithm.cuh"

#include "BrickCCL/Measuring/SumRuns.cuh"

namespace brickccl::cuda
{

namespace
{

template <typename TIndex>
class VoxelAlgorithm : public CudaAlgorithm
{
public:
  explicit VoxelAlgorithm(UniteVoxels<TIndex> unite)
    : m_Unite(unite)
  {}

  std::uint64_t
  Label(const Problem &      problem,
        const OptionValues & options,
        void *,
        LabelType,
        bool &,
        const Progress & progress,
        cudaStream_t     stream) override
  {
    m_Memory.progress = progress;
    m_Memory.clock.Start(stream);
    m_Unite(problem, m_Memory, options, stream);
    return NumberVoxels(problem.image.extent, m_Memory, stream);
  }
  void
  Write(const Problem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    WriteVoxelLabels(problem.image.extent, m_Memory, labels, type, stream);
  }
  void
  Download(const Problem &                    problem,
           DeviceBuffer<unsigned long long> & firstRuns,
           RunVolume &                        result,
           StagedCopy &                       staged,
           const HostContext &                context,
           cudaStream_t                       stream) override
  {
    LabelVoxelRuns(problem, m_Memory, stream);
    DownloadRuns(problem.image.extent, m_Memory.table, firstRuns, result, staged, context, stream);
  }
  void
  Sum(const Problem &                  problem,
      std::uint64_t                    components,
      DeviceBuffer<CompactShapeSums> & sums,
      cudaStream_t                     stream) override
  {
    LabelVoxelRuns(problem, m_Memory, stream);
    SumRuns(problem.image.extent, m_Memory.table, components, sums, stream);
  }
  void
  Count(const Problem & problem, std::uint64_t components, unsigned long long * sizes, cudaStream_t stream) override
  {
    LabelVoxelRuns(problem, m_Memory, stream);
    CountVoxels(problem.image.extent, m_Memory.table, components, sizes, stream);
  }
  void
  Renumber(const Problem & problem, const unsigned long long * numbers, cudaStream_t stream) override
  {
    RenumberLabels(m_Memory.parent.Data(), problem.image.extent.VoxelCount(), numbers, stream);
  }
  void
  List(const Problem & problem, std::uint64_t components, long long * voxels, ListMemory & memory, cudaStream_t stream)
    override
  {
    LabelVoxelRuns(problem, m_Memory, stream);
    ListVoxels(problem.image.extent, m_Memory.table, components, voxels, memory, stream);
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
  StageClock *
  Clock() override
  {
    return &m_Memory.clock;
  }
  void
  QueueMoments(const Extent & extent, std::uint64_t components, const std::string &, cudaStream_t stream) override
  {
    CollectProperties(extent, m_Memory, components, m_Collected, stream);
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
  UniteVoxels<TIndex>    m_Unite;
  VoxelMemory<TIndex>    m_Memory;
  PropertyBuffer<TIndex> m_Collected;
};

} // namespace

std::unique_ptr<CudaAlgorithm>
MakeVoxelAlgorithm(UniteVoxels<unsigned> narrow, UniteVoxels<unsigned long long> wide, bool isWide)
{
  if (isWide)
  {
    return std::make_unique<VoxelAlgorithm<unsigned long long>>(wide);
  }
  return std::make_unique<VoxelAlgorithm<unsigned>>(narrow);
}

} // namespace brickccl::cuda
