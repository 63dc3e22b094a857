// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_DISPATCH_DEVICELABELERSTATE_CUH
#define BRICKCCL_DISPATCH_DEVICELABELERSTATE_CUH

#include "BrickCCL/Algorithms/CudaAlgorithm.cuh"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Labels/RelabelOnDevice.cuh"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace brickccl
{

/** Whether node numbers of 32 bits suffice for every algorithm: at most one node per voxel. */
inline bool
FitsNarrow(const Extent & extent)
{
  return extent.VoxelCount() < std::int64_t{ std::numeric_limits<std::uint32_t>::max() };
}

/** \throws LabelOverflow if a label type is too small. */
inline void
CheckLabelType(std::uint64_t components, LabelType type)
{
  if (components > MaximumLabel(type))
  {
    throw LabelOverflow(std::to_string(components) + " components do not fit label type " + NameOf(type) +
                        ", whose largest label is " + std::to_string(MaximumLabel(type)) + "; use " +
                        NameOf(SmallestLabelType(components)));
  }
}

/** The state of a CudaLabeler between calls. */
class CudaLabeler::State
{
public:
  explicit State(int device)
    : m_Device(device)
  {
    m_Stream.emplace();
  }

  int
  Device() const
  {
    return m_Device;
  }

  /** The device side of an algorithm, for an extent; made when it is first asked for. */
  cuda::CudaAlgorithm &
  Get(const Algorithm & row, const Extent & extent)
  {
    const bool isWide = !FitsNarrow(extent);
    auto &     algorithm = m_Algorithms[{ &row, isWide }];
    if (!algorithm)
    {
      algorithm = row.cuda.make(isWide);
    }
    if (algorithm->Clock() != nullptr)
    {
      algorithm->Clock()->SwitchOn(m_MeasuresStages);
    }
    return *algorithm;
  }

  /** Chooses the algorithm for a problem on the device, and forgets what was labeled last. */
  AlgorithmChoice
  Choose(const AlgorithmChoice & asked, const ProblemTraits & traits)
  {
    lastProblem.reset();
    AlgorithmChoice choice = ChooseAlgorithm(asked, traits, Backend::Cuda);
    last = choice.algorithm;
    lastAlgorithm = choice.algorithm->name;
    return choice;
  }

  /** The algorithm that labeled last. \throws InvalidArgument if there is none. */
  cuda::CudaAlgorithm &
  GetLast()
  {
    if (!lastProblem)
    {
      throw InvalidArgument("nothing has been labeled on the device yet");
    }
    return Get(*last, lastProblem->image.extent);
  }

  /** Renumbers what was labeled last, by the numbers that `queueNumbers(algorithm, stream)` leaves in `relabeling`, and
   *  writes the label map if `labels` is not null. \return how many components stay */
  template <typename TQueueNumbers>
  std::uint64_t
  Renumber(void * labels, LabelType type, void * stream, const TQueueNumbers & queueNumbers)
  {
    cuda::CudaAlgorithm &     algorithm = GetLast();
    const cuda::CurrentDevice current(m_Device);
    const auto                on = static_cast<cudaStream_t>(stream);
    std::uint64_t             kept = 0;
    if (lastComponents > 0)
    {
      queueNumbers(algorithm, on);
      algorithm.Renumber(*lastProblem, relabeling.numbers.Data(), on);
    }
    // Where the type holds all components, the map need not wait for the number of those that stay.
    const bool holdsAny = labels != nullptr && lastComponents <= MaximumLabel(type);
    if (holdsAny)
    {
      algorithm.Write(*lastProblem, labels, type, on);
    }
    if (lastComponents > 0)
    {
      relabeling.numbered.Wait();
      kept = *relabeling.kept.Data();
    }
    lastComponents = kept;
    isRelabeled = true;
    if (labels != nullptr && !holdsAny)
    {
      CheckLabelType(kept, type);
      algorithm.Write(*lastProblem, labels, type, on);
    }
    return kept;
  }

  void
  MeasureStages(bool on)
  {
    m_MeasuresStages = on;
  }

  /** Copies an image to a buffer of the device. */
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

  /** The row of the algorithm that labeled last, and what it labeled. */
  const Algorithm *      last = nullptr;
  std::string            lastAlgorithm;
  std::optional<Problem> lastProblem;
  std::uint64_t          lastComponents = 0;
  /** Whether its components were given other numbers since. */
  bool                                   isRelabeled = false;
  cuda::DeviceBuffer<CompactShapeSums>   sums;
  cuda::DeviceBuffer<unsigned char>      image;
  cuda::DeviceBuffer<unsigned char>      mask;
  cuda::DeviceBuffer<unsigned long long> firstRuns;
  cuda::StagedCopy                       staged;
  cuda::RelabelMemory                    relabeling;
  cuda::ListMemory                       lists;
  DeviceLabeler::Times                   times;

  std::size_t
  ScratchBytes() const
  {
    std::size_t bytes = relabeling.CapacityBytes() + lists.CapacityBytes();
    for (const auto & [key, algorithm] : m_Algorithms)
    {
      bytes += algorithm->CapacityBytes();
    }
    return bytes;
  }

private:
  int                                                                                m_Device;
  bool                                                                               m_MeasuresStages = false;
  std::optional<cuda::Stream>                                                        m_Stream;
  std::map<std::pair<const Algorithm *, bool>, std::unique_ptr<cuda::CudaAlgorithm>> m_Algorithms;
};

} // namespace brickccl

#endif
