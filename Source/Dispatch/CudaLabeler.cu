#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Tables/ComponentRows.h"
#include "BrickCCL/Dispatch/CudaAlgorithms.cuh"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

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
    const CudaRow & row =
      *std::find_if(std::begin(cudaRows), std::end(cudaRows), [&](const CudaRow & of) { return name == of.name; });
    const bool isNarrow = row.wide == nullptr || FitsNarrow(extent);
    auto &     algorithm = m_Algorithms[{ name, isNarrow }];
    if (!algorithm)
    {
      algorithm = isNarrow ? row.narrow() : row.wide();
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
  std::string         supporting = "Auto";
  bool                isKnown = asked.name == "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    if (algorithm.supportsOnCuda == nullptr)
    {
      continue;
    }
    const bool supports = algorithm.supportsOnCuda(problem.image.extent, problem.criterion, problem.connectivity);
    if (supports && (asked.name == algorithm.name || asked.name == "Auto"))
    {
      return { &algorithm, ParseOptions(asked.name, algorithm.options, asked.options) };
    }
    isKnown = isKnown || asked.name == algorithm.name;
    known += std::string(", ") + algorithm.name;
    supporting += supports ? std::string(", ") + algorithm.name : std::string();
  }
  if (isKnown)
  {
    throw Unsupported("algorithm " + asked.name + " does not label an image of " +
                      std::to_string(problem.image.extent.dimension) + " dimensions with connectivity " +
                      problem.connectivity.ToString() + " and criterion " + problem.criterion.ToString() +
                      " on CUDA devices; choose one of " + supporting);
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
  const bool holdsAny =
    MaximumLabel(type) >= static_cast<std::uint64_t>(MaximumRunCount(image.extent, criterion, connectivity));
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
  UninitializedVector<CompactShapeSums> sums(static_cast<std::size_t>(own.lastComponents));
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
