#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.cuh"
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
  virtual std::uint64_t
  Label(const cuda::DeviceProblem & problem, void * labels, LabelType type, bool & isWritten, cudaStream_t stream) = 0;
  /** Writes the label map of the last problem. */
  virtual void Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) = 0;
  /** Brings the labels of the last problem to the host. */
  virtual void        Download(const cuda::DeviceProblem &              problem,
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
};

class BundleAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem, void * labels, LabelType type, bool & isWritten, cudaStream_t stream)
    override
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

template <typename TIndex>
class BrickAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem, void *, LabelType, bool &, cudaStream_t stream) override
  {
    return cuda::BrickMerging(problem, m_Memory, stream);
  }
  void
  Write(const cuda::DeviceProblem & problem, void * labels, LabelType type, cudaStream_t stream) override
  {
    cuda::WriteLabels(problem.image.extent, m_Memory, labels, type, stream);
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
    cuda::LabelRuns(problem, m_Memory, stream);
    cuda::SumRuns(problem.image.extent, m_Memory.table, components, sums, stream);
  }
  std::size_t
  CapacityBytes() const override
  {
    return m_Memory.table.CapacityBytes() + m_Memory.parent.CapacityBytes() + m_Memory.rootsBefore.CapacityBytes();
  }

private:
  cuda::BrickMergingMemory<TIndex> m_Memory;
};

template <typename TIndex>
class RunAlgorithm : public CudaAlgorithm
{
public:
  std::uint64_t
  Label(const cuda::DeviceProblem & problem, void *, LabelType, bool &, cudaStream_t stream) override
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

constexpr CudaRow cudaRows[] = {
  { "BundleMerging", Make<BundleAlgorithm>, nullptr },
  { "RunMerging", Make<RunAlgorithm<unsigned>>, Make<RunAlgorithm<unsigned long long>> },
  { "BrickMerging", Make<BrickAlgorithm<unsigned>>, Make<BrickAlgorithm<unsigned long long>> },
};

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
    return *algorithm;
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

namespace
{

/** The algorithm that a name stands for. \throws InvalidArgument or Unsupported, which say what there is. */
std::string
ChooseAlgorithm(const std::string & name, const cuda::DeviceProblem & problem)
{
  std::string known = "Auto";
  std::string offering = "Auto";
  bool        isKnown = name == "Auto";
  for (const std::string & algorithm : CudaAlgorithms())
  {
    const bool offers = CudaAlgorithmOffers(algorithm, problem.image.extent, problem.criterion, problem.connectivity);
    if (offers && (name == algorithm || name == "Auto"))
    {
      return algorithm;
    }
    isKnown = isKnown || name == algorithm;
    known += ", " + algorithm;
    offering += offers ? ", " + algorithm : "";
  }
  if (isKnown)
  {
    throw Unsupported("algorithm " + name + " does not label an image of " +
                      std::to_string(problem.image.extent.dimension) + " dimensions with connectivity " +
                      problem.connectivity.ToString() + " and criterion " + problem.criterion.ToString() +
                      " on CUDA devices; choose one of " + offering);
  }
  throw InvalidArgument("algorithm '" + name + "' does not run on CUDA devices; choose one of " + known);
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
  own.lastAlgorithm = ChooseAlgorithm(algorithm, problem);
  const cuda::CurrentDevice current(own.Device());
  const cudaStream_t        stream = own.HostStream();
  problem.image = own.Upload(image, own.image, context);
  if (mask)
  {
    problem.mask = own.Upload(*mask, own.mask, context);
  }
  CudaAlgorithm &     chosen = own.Get(own.lastAlgorithm, image.extent);
  bool                isWritten = false;
  const std::uint64_t components = chosen.Label(problem, nullptr, LabelType::UInt32, isWritten, stream);
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
  own.lastAlgorithm = ChooseAlgorithm(algorithm, problem);
  const cuda::CurrentDevice current(own.Device());
  CudaAlgorithm &           chosen = own.Get(own.lastAlgorithm, image.extent);
  // Where no number of components is too large for the type, the map may be written before the number is known.
  const bool          holdsAny = MaximumLabel(type) >= static_cast<std::uint64_t>(image.extent.VoxelCount());
  bool                isWritten = false;
  const std::uint64_t components = chosen.Label(problem, holdsAny ? labels : nullptr, type, isWritten, on);
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
  if (!own.lastProblem)
  {
    throw InvalidArgument("nothing has been labeled on the device that could be measured");
  }
  const Extent & extent = own.lastProblem->image.extent;
  if (extent.dimension > 3 || *std::max_element(extent.size, extent.size + 3) >= 0x7fffffff)
  {
    throw Unsupported("an image of " + extent.ToString() + " is not measured on CUDA devices: at most 3 dimensions of " +
                      "less than 2^31 voxels are; label it into runs (Label) and measure those");
  }
  const cuda::CurrentDevice current(own.Device());
  own.Get(own.lastAlgorithm, extent)
    .Sum(*own.lastProblem, own.lastComponents, own.sums, static_cast<cudaStream_t>(stream));
}

ComponentTable
CudaLabeler::FetchTable(const Geometry & geometry, const HostContext & context, void * stream)
{
  Implementation & own = *m_Implementation;
  MeasureOnDevice(stream);
  const cuda::CurrentDevice     current(own.Device());
  std::vector<CompactShapeSums> sums(static_cast<std::size_t>(own.lastComponents));
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
  FinishShapes(sums, context, table);
  return table;
}

} // namespace brickccl
