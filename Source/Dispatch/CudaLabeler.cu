#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Algorithms/BrickMerging/BrickMerging.cuh"
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

const std::vector<std::string> &
CudaAlgorithms()
{
  static const std::vector<std::string> names = { "RunMerging", "BrickMerging" };
  return names;
}

class CudaLabeler::Implementation
{
public:
  explicit Implementation(int device)
    : m_Device(device)
  {
    const cuda::CurrentDevice current(device);
    m_Stream.emplace();
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

  cuda::DeviceBuffer<unsigned char>      image;
  cuda::DeviceBuffer<unsigned char>      mask;
  cuda::DeviceBuffer<unsigned long long> firstRuns;

  template <typename TIndex>
  static std::size_t
  Bytes(const Memories<TIndex> & memories)
  {
    const auto table = [](const cuda::RunTable<TIndex> & t) {
      return t.foreground.CapacityBytes() + t.starts.CapacityBytes() + t.runsBefore.CapacityBytes() +
             t.labelOfRun.CapacityBytes() + t.scratch.CapacityBytes();
    };
    return table(memories.runMerging.table) + memories.runMerging.rank.CapacityBytes() +
           table(memories.brickMerging.table) + memories.brickMerging.parent.CapacityBytes() +
           memories.brickMerging.rootsBefore.CapacityBytes();
  }

  std::size_t
  ScratchBytes() const
  {
    return Bytes(*m_Narrow) + (m_Wide ? Bytes(*m_Wide) : 0);
  }

private:
  int                                         m_Device;
  std::optional<cuda::Stream>                 m_Stream;
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

namespace
{

bool
IsBrickMerging(const std::string & algorithm)
{
  std::string valid = "Auto";
  for (const std::string & name : CudaAlgorithms())
  {
    valid += ", " + name;
  }
  if (algorithm != "Auto" && algorithm != "RunMerging" && algorithm != "BrickMerging")
  {
    throw InvalidArgument("algorithm '" + algorithm + "' does not run on CUDA devices; choose one of " + valid);
  }
  return algorithm == "BrickMerging";
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
  const bool          byBricks = IsBrickMerging(algorithm);
  CheckProblem(problem);
  Implementation & own = *m_Implementation;
  return own.Run(image.extent, [&](auto & memories) {
    const cudaStream_t stream = own.HostStream();
    problem.image = own.Upload(image, own.image);
    if (mask)
    {
      problem.mask = own.Upload(*mask, own.mask);
    }
    std::uint64_t components;
    auto *        table = &memories.runMerging.table;
    if (byBricks)
    {
      components = cuda::BrickMerging(problem, memories.brickMerging, stream);
      cuda::LabelRuns(problem, memories.brickMerging, stream);
      table = &memories.brickMerging.table;
    }
    else
    {
      components = cuda::RunMerging(problem, memories.runMerging, stream);
    }
    cuda::DownloadRuns(image.extent, *table, own.firstRuns, result, stream);
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
  const bool                byBricks = IsBrickMerging(algorithm);
  CheckProblem(problem);
  const auto on = static_cast<cudaStream_t>(stream);
  return m_Implementation->Run(image.extent, [&](auto & memories) {
    const std::uint64_t components = byBricks ? cuda::BrickMerging(problem, memories.brickMerging, on)
                                              : cuda::RunMerging(problem, memories.runMerging, on);
    if (components > MaximumLabel(type))
    {
      throw LabelOverflow(std::to_string(components) + " components do not fit label type " + NameOf(type) +
                          ", whose largest label is " + std::to_string(MaximumLabel(type)) + "; use " +
                          NameOf(SmallestLabelType(components)));
    }
    if (byBricks)
    {
      cuda::WriteLabels(image.extent, memories.brickMerging, labels, type, on);
    }
    else
    {
      cuda::ExpandRuns(image.extent, memories.runMerging.table, labels, type, on);
    }
    return components;
  });
}

} // namespace brickccl
