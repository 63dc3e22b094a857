// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/DeviceLabelerState.cuh"

#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Labels/SeamsOnDevice.cuh"
#include "BrickCCL/Tables/RowSums.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl
{

CudaLabeler::CudaLabeler(int device)
{
  // Its events belong to the device that is current when they are made.
  const cuda::CurrentDevice current(device);
  m_State = std::make_unique<State>(device);
}

CudaLabeler::~CudaLabeler()
{
  const cuda::CurrentDevice current(m_State->Device(), std::nothrow);
  m_State.reset();
}

int
CudaLabeler::Device() const
{
  return m_State->Device();
}

std::size_t
CudaLabeler::ScratchBytes() const
{
  return m_State->ScratchBytes();
}

std::size_t
DeviceLabeler::HeldBytes() const
{
  return m_State->ScratchBytes() + m_State->image.CapacityBytes() + m_State->mask.CapacityBytes() +
         m_State->firstRuns.CapacityBytes();
}

const DeviceLabeler::Times &
DeviceLabeler::LastTimes() const
{
  return m_State->times;
}

const std::string &
CudaLabeler::LastAlgorithm() const
{
  return m_State->lastAlgorithm;
}

int
DeviceLabeler::LastIterations() const
{
  return m_State->GetLast().Iterations();
}

void
DeviceLabeler::MeasureStages(bool on)
{
  m_State->MeasureStages(on);
}

std::vector<std::pair<std::string, double>>
DeviceLabeler::LastStages() const
{
  const cuda::StageClock * clock = m_State->GetLast().Clock();
  return clock != nullptr ? clock->Times() : std::vector<std::pair<std::string, double>>();
}

std::uint64_t
DeviceLabeler::Label(const AlgorithmChoice & asked,
                     const Problem &         hostProblem,
                     const HostContext &     context,
                     RunVolume &             result,
                     bool                    isOnDevice)
{
  // Shares of the progress; where a label map is written to disk, what comes later takes longer than all of this.
  constexpr double          uploaded = 0.45;
  constexpr double          labeled = 0.55;
  State &                   own = *m_State;
  const AlgorithmChoice     choice = own.Choose(asked, ProblemTraits(hostProblem));
  const cuda::CurrentDevice current(own.Device());
  const cudaStream_t        stream = own.HostStream();
  Problem                   problem = hostProblem;
  Stopwatch                 clock;
  problem.image = isOnDevice ? hostProblem.image : own.Upload(hostProblem.image, own.image, context.Part(0, uploaded));
  if (hostProblem.mask)
  {
    problem.mask = own.Upload(*hostProblem.mask, own.mask, context.Part(uploaded, uploaded));
  }
  own.times.upload = clock.Lap();
  cuda::CudaAlgorithm & chosen = own.Get(*choice.algorithm, problem.GetExtent());
  bool                  isWritten = false;
  const std::uint64_t   components = chosen.Label(problem,
                                                choice.options,
                                                nullptr,
                                                LabelType::UInt32,
                                                isWritten,
                                                context.Part(uploaded, labeled).progress,
                                                stream);
  own.times.label = clock.Lap();
  context.progress.Update(labeled);
  chosen.Download(problem, own.firstRuns, result, own.staged, context.Part(labeled, 1), stream);
  own.times.download = clock.Lap();
  context.progress.Update(1);
  own.lastProblem = problem;
  own.lastComponents = components;
  own.isRelabeled = false;
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
  const Problem             problem(image, criterion, mask, connectivity);
  State &                   own = *m_State;
  const cudaStream_t        on = static_cast<cudaStream_t>(stream);
  const ProblemTraits       traits(problem);
  const AlgorithmChoice     choice = own.Choose(ParseAlgorithm(algorithm), traits);
  const cuda::CurrentDevice current(own.Device());
  cuda::CudaAlgorithm &     chosen = own.Get(*choice.algorithm, problem.GetExtent());
  // Where no number of components is too large for the type, the map may be written before the number is known.
  const bool          holdsAny = MaximumLabel(type) >= static_cast<std::uint64_t>(traits.MaximumRunCount());
  bool                isWritten = false;
  const std::uint64_t components =
    chosen.Label(problem, choice.options, holdsAny ? labels : nullptr, type, isWritten, {}, on);
  if (labels != nullptr)
  {
    CheckLabelType(components, type);
  }
  if (labels != nullptr && !isWritten)
  {
    chosen.Write(problem, labels, type, on);
  }
  own.lastProblem = problem;
  own.lastComponents = components;
  own.isRelabeled = false;
  return components;
}

std::uint64_t
DeviceLabeler::LabelThen(const AlgorithmChoice &       asked,
                         const Problem &               problem,
                         const std::function<void()> & queueMore,
                         void *                        stream)
{
  State &                   own = *m_State;
  const AlgorithmChoice     choice = own.Choose(asked, ProblemTraits(problem));
  const cuda::CurrentDevice current(own.Device());
  cuda::CudaAlgorithm &     chosen = own.Get(*choice.algorithm, problem.GetExtent());
  // Later work uses the last labels. The number of components is not known then.
  own.lastProblem = problem;
  own.lastComponents = 0;
  own.isRelabeled = false;
  try
  {
    own.lastComponents = chosen.LabelThen(problem, choice.options, queueMore, static_cast<cudaStream_t>(stream));
  }
  catch (...)
  {
    own.lastProblem.reset();
    throw;
  }
  return own.lastComponents;
}

void
CudaLabeler::WriteOnDevice(void * labels, LabelType type, void * stream)
{
  State &               own = *m_State;
  cuda::CudaAlgorithm & algorithm = own.GetLast();
  CheckLabelType(own.lastComponents, type);
  const cuda::CurrentDevice current(own.Device());
  algorithm.Write(*own.lastProblem, labels, type, static_cast<cudaStream_t>(stream));
}

void
DeviceLabeler::WriteRowStartsOnDevice(std::int64_t firstRow,
                                      std::int64_t rows,
                                      unsigned *   labels,
                                      unsigned *   places,
                                      void *       stream)
{
  State &                   own = *m_State;
  cuda::CudaAlgorithm &     algorithm = own.GetLast();
  const Problem &           problem = *own.lastProblem;
  const cuda::CurrentDevice current(own.Device());
  const auto                on = static_cast<cudaStream_t>(stream);
  if (!algorithm.WriteRowStarts(problem, firstRow, rows, labels, places, on))
  {
    algorithm.WriteRows(problem, firstRow, rows, labels, on);
    cuda::MarkForeground(labels, rows, problem.image.extent.RowLength(), places, on);
  }
}

void
DeviceLabeler::NumberOnDevice(const unsigned long long * numbers, std::uint64_t highest, void * stream)
{
  State &                   own = *m_State;
  cuda::CudaAlgorithm &     algorithm = own.GetLast();
  const cuda::CurrentDevice current(own.Device());
  if (own.lastComponents > 0)
  {
    algorithm.Renumber(*own.lastProblem, numbers, static_cast<cudaStream_t>(stream));
  }
  own.lastComponents = highest;
  own.isRelabeled = true;
}

void
DeviceLabeler::LowerHighest(std::uint64_t highest)
{
  m_State->lastComponents = highest;
}

void
CudaLabeler::SizesOnDevice(std::uint64_t * sizes, void * stream)
{
  State &                   own = *m_State;
  cuda::CudaAlgorithm &     algorithm = own.GetLast();
  const cuda::CurrentDevice current(own.Device());
  algorithm.Count(*own.lastProblem,
                  own.lastComponents,
                  reinterpret_cast<unsigned long long *>(sizes),
                  static_cast<cudaStream_t>(stream));
}

std::uint64_t
CudaLabeler::RelabelOnDevice(const RelabelOptions & options, void * labels, LabelType type, void * stream)
{
  State & own = *m_State;
  return own.Renumber(labels, type, stream, [&](cuda::CudaAlgorithm & algorithm, cudaStream_t on) {
    own.relabeling.sizes.Resize(static_cast<std::size_t>(own.lastComponents));
    algorithm.Count(*own.lastProblem, own.lastComponents, own.relabeling.sizes.Data(), on);
    const auto voxels = static_cast<std::uint64_t>(own.lastProblem->GetExtent().VoxelCount());
    cuda::NumberBySize(own.lastComponents, options, voxels, own.relabeling, on);
  });
}

std::uint64_t
CudaLabeler::KeepOnDevice(const unsigned char * keeps, void * labels, LabelType type, void * stream)
{
  State & own = *m_State;
  return own.Renumber(labels, type, stream, [&](cuda::CudaAlgorithm &, cudaStream_t on) {
    cuda::NumberKept(own.lastComponents, keeps, own.relabeling, on);
  });
}

std::uint64_t
CudaLabeler::OffsetsOnDevice(std::int64_t * offsets, void * stream)
{
  State &                    own = *m_State;
  cuda::CudaAlgorithm &      algorithm = own.GetLast();
  const cuda::CurrentDevice  current(own.Device());
  const auto                 on = static_cast<cudaStream_t>(stream);
  unsigned long long * const sums = reinterpret_cast<unsigned long long *>(offsets);
  algorithm.Count(*own.lastProblem, own.lastComponents, sums, on);
  cuda::SumSizesBefore(own.lastComponents, sums, own.relabeling.workspace, on);
  return own.relabeling.kept.Fetch(sums + own.lastComponents, on);
}

void
CudaLabeler::ListOnDevice(std::int64_t * voxels, void * stream)
{
  static_assert(sizeof(long long) == sizeof(std::int64_t));
  State &                   own = *m_State;
  cuda::CudaAlgorithm &     algorithm = own.GetLast();
  const cuda::CurrentDevice current(own.Device());
  algorithm.List(*own.lastProblem,
                 own.lastComponents,
                 reinterpret_cast<long long *>(voxels),
                 own.lists,
                 static_cast<cudaStream_t>(stream));
}

void
CudaLabeler::MeasureOnDevice(void * stream)
{
  State &               own = *m_State;
  cuda::CudaAlgorithm & algorithm = own.GetLast();
  const Extent &        extent = own.lastProblem->image.extent;
  if (extent.dimension > 3 || *std::max_element(extent.size, extent.size + 3) >= 0x7fffffff)
  {
    throw Unsupported("an image of " + extent.ToString() +
                      " cannot be measured on CUDA devices, which need at most 3 dimensions and " +
                      "less than 2^31 voxels; label it into runs (Label) and measure those");
  }
  const cuda::CurrentDevice current(own.Device());
  algorithm.Sum(*own.lastProblem, own.lastComponents, own.sums, static_cast<cudaStream_t>(stream));
}

void
DeviceLabeler::MomentsOnDevice(void * stream)
{
  State &               own = *m_State;
  cuda::CudaAlgorithm & algorithm = own.GetLast();
  if (own.isRelabeled)
  {
    throw Unsupported("moments per voxel are available only before components are renumbered; then use the component "
                      "table (FetchTable)");
  }
  const cuda::CurrentDevice current(own.Device());
  algorithm.QueueMoments(own.lastProblem->image.extent,
                         own.lastComponents,
                         own.lastAlgorithm,
                         static_cast<cudaStream_t>(stream));
}

std::vector<ComponentMoments>
DeviceLabeler::FetchMoments(void * stream)
{
  State & own = *m_State;
  MomentsOnDevice(stream);
  const cuda::CurrentDevice current(own.Device());
  return own.GetLast().FetchMoments(own.lastProblem->image.extent,
                                    own.lastComponents,
                                    static_cast<cudaStream_t>(stream));
}

ComponentTable
CudaLabeler::FetchTable(const Geometry & geometry, void * stream)
{
  State & own = *m_State;
  MeasureOnDevice(stream);
  const cuda::CurrentDevice             current(own.Device());
  UninitializedVector<CompactShapeSums> sums(static_cast<std::size_t>(own.lastComponents));
  const cudaStream_t                    on = static_cast<cudaStream_t>(stream);
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
  table.components = MakeRows(table.extent, geometry, std::move(sums));
  return table;
}

} // namespace brickccl
