#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"
#include "BrickCCL/Algorithms/DirectionalSearch/DirectionalSearch.cuh"
#include "BrickCCL/Algorithms/HawickLabelEquivalence/HawickLabelEquivalence.cuh"
#include "BrickCCL/Algorithms/LabelEquivalence/LabelEquivalence.cuh"
#include "BrickCCL/Algorithms/LinkPropagation/LinkPropagation.cuh"
#include "BrickCCL/Algorithms/RowColumnUnification/RowColumnUnification.cuh"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.cuh"
#include "BrickCCL/Algorithms/TileMerging/TileMerging.cuh"
#include "BrickCCL/Components/MeasureGroups.h"
#include "BrickCCL/Components/SumComponents.cuh"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
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

/** The CUDA side of the rows of Algorithms(): one for node numbers of 32 bits, one for those of 64. */
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

constexpr CudaRow cudaRows[] = {
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

/** Whether node numbers of 32 bits suffice for every algorithm: at most one node per voxel. */
bool
FitsNarrow(const Extent & extent)
{
  return extent.VoxelCount() < std::int64_t{ std::numeric_limits<std::uint32_t>::max() };
}

} // namespace

class CudaLabeler::Implementation
{
public:
  explicit Implementation(int device)
    : m_Device(device)
  {
    const cuda::CurrentDevice current(device);
    m_Stream.emplace();
  }

  ~Implementation()
  {
    // Memory goes back to the device that it came from.
    (void)cudaSetDevice(m_Device);
  }

  int
  Device() const
  {
    return m_Device;
  }

  /** The algorithm of a name, for an extent; made when it is first asked for. */
  CudaAlgorithm &
  Get(const std::string & name, const Extent & extent)
  {
    const bool isNarrow = FitsNarrow(extent);
    auto &     algorithm = m_Algorithms[{ name, isNarrow }];
    for (const CudaRow & row : cudaRows)
    {
      if (!algorithm && name == row.name)
      {
        algorithm = isNarrow ? row.narrow() : row.wide();
      }
    }
    if (algorithm->Clock() != nullptr)
    {
      algorithm->Clock()->SwitchOn(m_MeasuresStages);
    }
    return *algorithm;
  }

  /** The algorithm that labeled last. \throws InvalidArgument if there is none. */
  CudaAlgorithm &
  GetLast()
  {
    if (!lastProblem)
    {
      throw InvalidArgument("nothing has been labeled on the device yet");
    }
    return Get(lastAlgorithm, lastProblem->image.extent);
  }

  void
  MeasureStages(bool on)
  {
    m_MeasuresStages = on;
  }

  /** Copies an image to the device. */
  ImageView
  Upload(const ImageView & image, cuda::DeviceBuffer<unsigned char> & buffer, const HostContext & context)
  {
    const std::size_t bytes = static_cast<std::size_t>(image.extent.VoxelCount()) *
                              static_cast<std::size_t>(image.channels) * SizeOf(image.type);
    buffer.Resize(bytes);
    staged.Upload(buffer.Data(), image.data, bytes, HostStream(), context);
    ImageView onDevice = image;
    onDevice.data = buffer.Data();
    return onDevice;
  }

  cudaStream_t
  HostStream() const
  {
    return m_Stream->Get();
  }

  std::string                            lastAlgorithm;
  std::optional<cuda::DeviceProblem>     lastProblem;
  std::uint64_t                          lastComponents = 0;
  cuda::DeviceBuffer<CompactShapeSums>   sums;
  cuda::DeviceBuffer<unsigned char>      image;
  cuda::DeviceBuffer<unsigned char>      mask;
  cuda::DeviceBuffer<unsigned long long> firstRuns;
  cuda::StagedCopy                       staged;

  std::size_t
  ScratchBytes() const
  {
    std::size_t bytes = 0;
    for (const auto & [key, algorithm] : m_Algorithms)
    {
      bytes += algorithm->CapacityBytes();
    }
    return bytes;
  }

private:
  int                                                                    m_Device;
  bool                                                                   m_MeasuresStages = false;
  std::optional<cuda::Stream>                                            m_Stream;
  std::map<std::pair<std::string, bool>, std::unique_ptr<CudaAlgorithm>> m_Algorithms;
};

CudaLabeler::CudaLabeler(int device)
  : m_Implementation(std::make_unique<Implementation>(device))
{}

CudaLabeler::~CudaLabeler() = default;

int
CudaLabeler::Device() const
{
  return m_Implementation->Device();
}

std::size_t
CudaLabeler::ScratchBytes() const
{
  return m_Implementation->ScratchBytes();
}

const std::string &
CudaLabeler::LastAlgorithm() const
{
  return m_Implementation->lastAlgorithm;
}

int
CudaLabeler::LastIterations() const
{
  return m_Implementation->GetLast().Iterations();
}

void
CudaLabeler::MeasureStages(bool on)
{
  m_Implementation->MeasureStages(on);
}

std::vector<std::pair<std::string, double>>
CudaLabeler::LastStages() const
{
  const cuda::StageClock * clock = m_Implementation->GetLast().Clock();
  return clock != nullptr ? clock->Times() : std::vector<std::pair<std::string, double>>();
}

namespace
{

/** The algorithm that a text stands for, and its options. \throws InvalidArgument or Unsupported, which say what there
 *  is. */
std::pair<const Algorithm *, OptionValues>
ChooseAlgorithm(const std::string & text, const cuda::DeviceProblem & problem)
{
  const AlgorithmText asked(text);
  std::string         known = "Auto";
  std::string         offering = "Auto";
  bool                isKnown = asked.name == "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    if (algorithm.offersOnCuda == nullptr)
    {
      continue;
    }
    const bool offers = algorithm.offersOnCuda(problem.image.extent, problem.criterion, problem.connectivity);
    if (offers && (asked.name == algorithm.name || asked.name == "Auto"))
    {
      return { &algorithm, ParseOptions(asked.name, algorithm.options, asked.options) };
    }
    isKnown = isKnown || asked.name == algorithm.name;
    known += std::string(", ") + algorithm.name;
    offering += offers ? std::string(", ") + algorithm.name : std::string();
  }
  if (isKnown)
  {
    throw Unsupported("algorithm " + asked.name + " does not label an image of " +
                      std::to_string(problem.image.extent.dimension) + " dimensions with connectivity " +
                      problem.connectivity.ToString() + " and criterion " + problem.criterion.ToString() +
                      " on CUDA devices; choose one of " + offering);
  }
  throw InvalidArgument("algorithm '" + asked.name + "' does not run on CUDA devices; choose one of " + known);
}

void
CheckProblem(const cuda::DeviceProblem & problem)
{
  problem.criterion.Validate();
  if (problem.mask && problem.mask->extent != problem.image.extent)
  {
    throw InvalidArgument("the mask has the extent " + problem.mask->extent.ToString() + " but the image " +
                          problem.image.extent.ToString() + "; they must be the same");
  }
  if (problem.connectivity.Dimension() != problem.image.extent.dimension)
  {
    throw InvalidArgument("the connectivity is one of " + std::to_string(problem.connectivity.Dimension()) +
                          " dimensions but the image has " + std::to_string(problem.image.extent.dimension));
  }
}

} // namespace

std::uint64_t
CudaLabeler::Label(const std::string &              algorithm,
                   const ImageView &                image,
                   const Criterion &                criterion,
                   const std::optional<ImageView> & mask,
                   const Connectivity &             connectivity,
                   RunVolume &                      result,
                   const HostContext &              context)
{
  cuda::DeviceProblem problem{ image, mask, criterion, connectivity };
  CheckProblem(problem);
  Implementation & own = *m_Implementation;
  own.lastProblem.reset();
  const auto [row, options] = ChooseAlgorithm(algorithm, problem);
  own.lastAlgorithm = row->name;
  const cuda::CurrentDevice current(own.Device());
  const cudaStream_t        stream = own.HostStream();
  problem.image = own.Upload(image, own.image, context);
  if (mask)
  {
    problem.mask = own.Upload(*mask, own.mask, context);
  }
  CudaAlgorithm &     chosen = own.Get(own.lastAlgorithm, image.extent);
  bool                isWritten = false;
  const std::uint64_t components = chosen.Label(problem, options, nullptr, LabelType::UInt32, isWritten, stream);
  chosen.Download(problem, own.firstRuns, result, own.staged, context, stream);
  own.lastProblem = problem;
  own.lastComponents = components;
  return components;
}

std::uint64_t
CudaLabeler::LabelOnDevice(const std::string &              algorithm,
                           const ImageView &                image,
                           const Criterion &                criterion,
                           const std::optional<ImageView> & mask,
                           const Connectivity &             connectivity,
                           void *                           labels,
                           LabelType                        type,
                           void *                           stream)
{
  const cuda::DeviceProblem problem{ image, mask, criterion, connectivity };
  CheckProblem(problem);
  Implementation &   own = *m_Implementation;
  const cudaStream_t on = static_cast<cudaStream_t>(stream);
  own.lastProblem.reset();
  const auto [row, options] = ChooseAlgorithm(algorithm, problem);
  own.lastAlgorithm = row->name;
  const cuda::CurrentDevice current(own.Device());
  CudaAlgorithm &           chosen = own.Get(own.lastAlgorithm, image.extent);
  // Where no number of components is too large for the type, the map may be written before the number is known.
  const bool          holdsAny = MaximumLabel(type) >= static_cast<std::uint64_t>(image.extent.VoxelCount());
  bool                isWritten = false;
  const std::uint64_t components = chosen.Label(problem, options, holdsAny ? labels : nullptr, type, isWritten, on);
  if (components > MaximumLabel(type))
  {
    throw LabelOverflow(std::to_string(components) + " components do not fit label type " + NameOf(type) +
                        ", whose largest label is " + std::to_string(MaximumLabel(type)) + "; use " +
                        NameOf(SmallestLabelType(components)));
  }
  if (!isWritten)
  {
    chosen.Write(problem, labels, type, on);
  }
  own.lastProblem = problem;
  own.lastComponents = components;
  return components;
}

void
CudaLabeler::MeasureOnDevice(void * stream)
{
  Implementation & own = *m_Implementation;
  CudaAlgorithm &  algorithm = own.GetLast();
  const Extent &   extent = own.lastProblem->image.extent;
  if (extent.dimension > 3 || *std::max_element(extent.size, extent.size + 3) >= 0x7fffffff)
  {
    throw Unsupported("an image of " + extent.ToString() +
                      " is not measured on CUDA devices: at most 3 dimensions of " +
                      "less than 2^31 voxels are; label it into runs (Label) and measure those");
  }
  const cuda::CurrentDevice current(own.Device());
  algorithm.Sum(*own.lastProblem, own.lastComponents, own.sums, static_cast<cudaStream_t>(stream));
}

void
CudaLabeler::MomentsOnDevice(void * stream)
{
  Implementation &          own = *m_Implementation;
  CudaAlgorithm &           algorithm = own.GetLast();
  const cuda::CurrentDevice current(own.Device());
  algorithm.QueueMoments(own.lastProblem->image.extent,
                         own.lastComponents,
                         own.lastAlgorithm,
                         static_cast<cudaStream_t>(stream));
}

std::vector<ComponentMoments>
CudaLabeler::FetchMoments(void * stream)
{
  Implementation & own = *m_Implementation;
  MomentsOnDevice(stream);
  const cuda::CurrentDevice current(own.Device());
  return own.GetLast().FetchMoments(own.lastProblem->image.extent,
                                    own.lastComponents,
                                    static_cast<cudaStream_t>(stream));
}

ComponentTable
CudaLabeler::FetchTable(const Geometry & geometry, void * stream)
{
  Implementation & own = *m_Implementation;
  MeasureOnDevice(stream);
  const cuda::CurrentDevice     current(own.Device());
  UnsetVector<CompactShapeSums> sums(static_cast<std::size_t>(own.lastComponents));
  const cudaStream_t            on = static_cast<cudaStream_t>(stream);
  BRICKCCL_CUDA_CHECK(
    cudaMemcpyAsync(sums.data(), own.sums.Data(), sums.size() * sizeof(CompactShapeSums), cudaMemcpyDeviceToHost, on));
  BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(on));
  ComponentTable table;
  table.extent = own.lastProblem->image.extent;
  table.geometry = geometry;
  for (int axis = 0; axis < table.extent.dimension; ++axis)
  {
    if (!own.lastProblem->connectivity.Uses(axis))
    {
      table.sliceAxis = axis;
    }
  }
  table.components = ComponentRows(table.extent, geometry, std::move(sums));
  return table;
}

} // namespace brickccl
