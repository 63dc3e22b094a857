#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.cuh"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.cuh"

#include <limits>

namespace brickccl
{

namespace
{

/** The memory of every algorithm for one width of node numbers. */
template <typename TIndex>
struct Memories
{
  cuda::RunMergingMemory<TIndex>   runMerging;
  cuda::BrickMergingMemory<TIndex> brickMerging;
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
    m_Bundles.emplace();
    m_Narrow.emplace();
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

  /** Calls `work(memories)` with the memories of the width that the extent needs, on this labeler's device. */
  template <typename TWork>
  std::uint64_t
  Run(const Extent & extent, TWork && work)
  {
    const cuda::CurrentDevice current(m_Device);
    if (FitsNarrow(extent))
    {
      return work(*m_Narrow);
    }
    if (!m_Wide)
    {
      m_Wide.emplace();
    }
    return work(*m_Wide);
  }

  /** Copies an image to the device. */
  ImageView
  Upload(const ImageView & image, cuda::DeviceBuffer<unsigned char> & buffer)
  {
    const std::size_t bytes = static_cast<std::size_t>(image.extent.VoxelCount()) *
                              static_cast<std::size_t>(image.channels) * SizeOf(image.type);
    buffer.Resize(bytes);
    BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(buffer.Data(), image.data, bytes, cudaMemcpyHostToDevice, HostStream()));
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
  cuda::BundleMergingMemory &            BundleMemory() { return *m_Bundles; }
  cuda::DeviceBuffer<unsigned char>      image;
  cuda::DeviceBuffer<unsigned char>      mask;
  cuda::DeviceBuffer<unsigned long long> firstRuns;

  template <typename TIndex>
  static std::size_t
  Bytes(const Memories<TIndex> & memories)
  {
    return memories.runMerging.table.CapacityBytes() + memories.runMerging.rank.CapacityBytes() +
           memories.brickMerging.table.CapacityBytes() + memories.brickMerging.parent.CapacityBytes() +
           memories.brickMerging.rootsBefore.CapacityBytes();
  }

  std::size_t
  ScratchBytes() const
  {
    return m_Bundles->CapacityBytes() + Bytes(*m_Narrow) + (m_Wide ? Bytes(*m_Wide) : 0);
  }

private:
  int                                         m_Device;
  std::optional<cuda::Stream>                 m_Stream;
  std::optional<cuda::BundleMergingMemory>    m_Bundles;
  std::optional<Memories<unsigned>>           m_Narrow;
  std::optional<Memories<unsigned long long>> m_Wide;
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
    const bool offers =
      CudaAlgorithmOffers(algorithm, problem.image.extent, problem.criterion, problem.connectivity);
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
                   RunVolume &                      result)
{
  cuda::DeviceProblem problem{ image, mask, criterion, connectivity };
  CheckProblem(problem);
  Implementation & own = *m_Implementation;
  own.lastAlgorithm = ChooseAlgorithm(algorithm, problem);
  return own.Run(image.extent, [&](auto & memories) {
    const cudaStream_t stream = own.HostStream();
    problem.image = own.Upload(image, own.image);
    if (mask)
    {
      problem.mask = own.Upload(*mask, own.mask);
    }
    std::uint64_t components;
    if (own.lastAlgorithm == "BundleMerging")
    {
      components = cuda::BundleMerging(problem, own.BundleMemory(), stream);
      cuda::LabelRuns(problem, own.BundleMemory(), stream);
      cuda::DownloadRuns(image.extent, own.BundleMemory().table, own.firstRuns, result, stream);
    }
    else if (own.lastAlgorithm == "BrickMerging")
    {
      components = cuda::BrickMerging(problem, memories.brickMerging, stream);
      cuda::LabelRuns(problem, memories.brickMerging, stream);
      cuda::DownloadRuns(image.extent, memories.brickMerging.table, own.firstRuns, result, stream);
    }
    else
    {
      components = cuda::RunMerging(problem, memories.runMerging, stream);
      cuda::DownloadRuns(image.extent, memories.runMerging.table, own.firstRuns, result, stream);
    }
    return components;
  });
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
  own.lastAlgorithm = ChooseAlgorithm(algorithm, problem);
  const auto throwIfTooMany = [type](std::uint64_t components) {
    if (components > MaximumLabel(type))
    {
      throw LabelOverflow(std::to_string(components) + " components do not fit label type " + NameOf(type) +
                          ", whose largest label is " + std::to_string(MaximumLabel(type)) + "; use " +
                          NameOf(SmallestLabelType(components)));
    }
  };
  return own.Run(image.extent, [&](auto & memories) {
    std::uint64_t components;
    if (own.lastAlgorithm == "BundleMerging")
    {
      components = cuda::BundleMerging(problem, own.BundleMemory(), on);
      throwIfTooMany(components);
      cuda::WriteLabels(problem, own.BundleMemory(), labels, type, on);
    }
    else if (own.lastAlgorithm == "BrickMerging")
    {
      components = cuda::BrickMerging(problem, memories.brickMerging, on);
      throwIfTooMany(components);
      cuda::WriteLabels(image.extent, memories.brickMerging, labels, type, on);
    }
    else
    {
      components = cuda::RunMerging(problem, memories.runMerging, on);
      throwIfTooMany(components);
      cuda::ExpandRuns(image.extent, memories.runMerging.table, labels, type, on);
    }
    return components;
  });
}

} // namespace brickccl
