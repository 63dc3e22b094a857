// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/DeviceSplitter.h"

#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Splitting/SplitAgent.cuh"

#include <cstddef>
#include <new>
#include <vector>

namespace brickccl
{

/** The memory of a DeviceSplitter, and the host's side of its work. */
class DeviceSplitter::State
{
public:
  explicit State(int device)
    : device(device)
  {}

  /** Finds the squares, and calls `work(agent, result)` with the result's place on the device. */
  template <typename TResult, typename TWork>
  void
  Do(const ImageView &    labels,
     const DistanceUnit & unit,
     TResult *            result,
     const HostContext *  host,
     const TWork &        work)
  {
    const auto        count = static_cast<std::size_t>(labels.extent.VoxelCount());
    const std::size_t size = SizeOf(labels.type);
    const void *      voxels = labels.data;
    TResult *         written = result;
    m_Count = labels.extent.VoxelCount();
    if (host != nullptr)
    {
      m_Labels.Resize(count * size);
      m_Staged.Upload(m_Labels.Data(), labels.data, count * size, m_Stream.Get(), host->Part(0, 0.3));
      m_Result.Resize(count);
      voxels = m_Labels.Data();
      written = reinterpret_cast<TResult *>(m_Result.Data());
    }
    VisitLabels(labels, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      cuda::SplitAgent<T> agent{};
      agent.labels = static_cast<const T *>(voxels);
      FindSquares(labels.extent, unit, agent);
      work(agent, written);
    });
    if (host != nullptr)
    {
      m_Staged.Download(result, written, count * sizeof(TResult), m_Stream.Get(), host->Part(0.6, 1));
    }
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream.Get()));
  }

  template <typename TAgent>
  void
  WriteDistances(TAgent & agent, float * distances, double unit)
  {
    agent.distances = distances;
    agent.unit = unit;
    Run<cuda::WriteDistance>(agent, m_Count);
  }

  template <typename TAgent>
  Found
  Split(TAgent & agent, const Connectivity & connectivity, const IsLow & isLow, std::uint32_t * objects)
  {
    Found found;
    SetSteps(connectivity, agent);
    agent.entries = objects;
    FindBasins(agent, found.basins);
    const std::vector<Pass<std::uint32_t>> passes = FindPasses(agent, found.basins);
    found.objects = MergeBasins(found.basins, passes, isLow);
    // The heights are not needed any more.
    agent.numbers = agent.heights;
    BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(agent.numbers,
                                        found.objects.numbers.data(),
                                        m_Basins * sizeof(unsigned),
                                        cudaMemcpyHostToDevice,
                                        m_Stream.Get()));
    Run<cuda::NumberVoxel>(agent, m_Count);
    return found;
  }

  const int device;

private:
  template <typename TStep, typename TAgent>
  void
  Run(const TAgent & agent, std::int64_t count)
  {
    BRICKCCL_LAUNCH((cuda::StepKernel<TStep, TAgent>), cuda::ShapeFor(count), m_Stream.Get(), agent, count);
  }

  /** Collects what a step finds. `resize` makes room for a number; a step that finds more is done again. */
  template <typename TStep, typename TAgent, typename TResize>
  cuda::Count
  Collect(TAgent & agent, cuda::Count & room, const TResize & resize)
  {
    agent.found = Room(m_Found, 1);
    for (cuda::Count found = 0;; room = found + found / 8)
    {
      agent.room = room;
      resize();
      BRICKCCL_CUDA_CHECK(cudaMemsetAsync(agent.found, 0, sizeof(cuda::Count), m_Stream.Get()));
      Run<TStep>(agent, m_Count);
      found = Fetch<cuda::Count>(agent.found, 1).front();
      if (found <= room)
      {
        return found;
      }
    }
  }

  template <typename TOut, typename T>
  std::vector<TOut>
  Fetch(const T * values, std::size_t count)
  {
    std::vector<T> fetched(count);
    BRICKCCL_CUDA_CHECK(
      cudaMemcpyAsync(fetched.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost, m_Stream.Get()));
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream.Get()));
    return std::vector<TOut>(fetched.begin(), fetched.end());
  }

  template <typename T>
  T *
  Room(cuda::DeviceBuffer<T> & buffer, std::size_t count)
  {
    buffer.Resize(count + 1);
    return buffer.Data();
  }

  template <typename TKey, typename TValue>
  void
  Sort(TKey * keys, TValue * values, cuda::Count count)
  {
    cuda::CallThrust(m_Workspace, m_Stream.Get(), [&](const auto & policy) {
      thrust::stable_sort_by_key(policy, keys, keys + count, values);
    });
  }

  template <typename TAgent>
  void
  FindSquares(const Extent & extent, const DistanceUnit & unit, TAgent & agent)
  {
    unsigned * const buffers[] = { Room(m_Squares, static_cast<std::size_t>(m_Count)),
                                   Room(m_Spread, static_cast<std::size_t>(m_Count)) };
    int              at = 0;
    agent.stride = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
      agent.sizes[axis] = static_cast<unsigned>(extent.size[axis]);
      agent.weight = static_cast<unsigned>(unit.weights[axis]);
      agent.length = agent.weight != 0 ? agent.sizes[axis] : 1;
      agent.from = buffers[at];
      if (axis == 0)
      {
        agent.squares = buffers[at];
        Run<cuda::BeginSquare>(agent, m_Count);
      }
      else if (agent.weight != 0)
      {
        agent.squares = buffers[at = 1 - at];
        Run<cuda::SpreadSquare>(agent, m_Count);
      }
      agent.stride *= agent.sizes[axis];
    }
    agent.from = buffers[at];
  }

  template <typename TAgent>
  void
  SetSteps(const Connectivity & connectivity, TAgent & agent)
  {
    std::vector<NeighborOffset> offsets = connectivity.Offsets();
    offsets.insert(offsets.begin() + static_cast<std::ptrdiff_t>(offsets.size() / 2), NeighborOffset{});
    for (const NeighborOffset & offset : offsets)
    {
      const int k = agent.stepCount++;
      for (std::size_t axis = 3; axis-- > 0;)
      {
        agent.steps[k][axis] = static_cast<signed char>(offset[axis]);
        agent.stepsAway[k] = agent.stepsAway[k] * static_cast<int>(agent.sizes[axis]) + offset[axis];
      }
    }
  }

  template <typename TAgent>
  void
  FindBasins(TAgent & agent, Basins<std::uint32_t> & basins)
  {
    m_Basins = Collect<cuda::PointUphill>(agent, m_RoomForPeaks, [&] {
      agent.peaks = Room(m_Peaks, agent.room);
      agent.heights = Room(m_Heights, agent.room);
    });
    agent.firsts = Room(m_Firsts, m_Basins);
    Sort(agent.peaks, agent.heights, m_Basins);
    Run<cuda::NumberPeak>(agent, static_cast<std::int64_t>(m_Basins));
    Run<cuda::Climb>(agent, m_Count);
    basins.peaks = Fetch<std::int64_t>(agent.peaks, m_Basins);
    basins.heights = Fetch<std::uint32_t>(agent.heights, m_Basins);
  }

  /** Finds the passes in their order, and the first voxels of the basins. */
  template <typename TAgent>
  std::vector<Pass<std::uint32_t>>
  FindPasses(TAgent & agent, Basins<std::uint32_t> & basins)
  {
    const cuda::Count found = Collect<cuda::FindPasses>(agent, m_RoomForPasses, [&] {
      agent.pairs = Room(m_Pairs, agent.room);
      agent.lows = Room(m_Lows, agent.room);
    });
    // Each pair keeps its highest pass.
    Sort(agent.lows, agent.pairs, found);
    Sort(agent.pairs, agent.lows, found);
    std::size_t count = 0;
    cuda::CallThrust(m_Workspace, m_Stream.Get(), [&](const auto & policy) {
      const auto ends = thrust::unique_by_key(policy, agent.pairs, agent.pairs + found, agent.lows);
      count = static_cast<std::size_t>(ends.first - agent.pairs);
    });
    Sort(agent.lows, agent.pairs, count);
    basins.firsts = Fetch<std::int64_t>(agent.firsts, m_Basins);
    const auto                       pairs = Fetch<cuda::PassKey>(agent.pairs, count);
    const auto                       lows = Fetch<unsigned>(agent.lows, count);
    std::vector<Pass<std::uint32_t>> passes;
    for (std::size_t i = 0; i < count; ++i)
    {
      passes.push_back({ ~lows[i], static_cast<std::uint32_t>(pairs[i] >> 32), static_cast<std::uint32_t>(pairs[i]) });
    }
    return passes;
  }

  std::int64_t     m_Count = 0;
  cuda::Count      m_Basins = 0;
  cuda::Count      m_RoomForPeaks = 1u << 16;
  cuda::Count      m_RoomForPasses = 1u << 20;
  cuda::Stream     m_Stream;
  cuda::StagedCopy m_Staged;
  cuda::Workspace  m_Workspace;

  cuda::DeviceBuffer<unsigned char> m_Labels;
  cuda::DeviceBuffer<unsigned>      m_Squares, m_Spread, m_Result, m_Peaks, m_Heights, m_Firsts, m_Lows;
  cuda::DeviceBuffer<cuda::PassKey> m_Pairs, m_Found;
};

DeviceSplitter::DeviceSplitter(int device)
{
  const cuda::CurrentDevice current(device);
  m_State = std::make_unique<State>(device);
}

DeviceSplitter::~DeviceSplitter()
{
  const cuda::CurrentDevice current(m_State->device, std::nothrow);
  m_State.reset();
}

bool
DeviceSplitter::Supports(const ImageView & labels, const DistanceUnit & unit)
{
  constexpr auto most = static_cast<double>(UnknownSquare<std::uint32_t>);
  double         largest = 0;
  for (int axis = 0; axis < labels.extent.dimension; ++axis)
  {
    const auto length = static_cast<double>(labels.extent.size[axis]);
    largest += length * length * unit.weights[axis];
  }
  return labels.extent.dimension <= 3 && static_cast<double>(labels.extent.VoxelCount()) < most && unit.isWhole &&
         largest < most;
}

void
DeviceSplitter::Distances(const ImageView &    labels,
                          const DistanceUnit & unit,
                          float *              distances,
                          const HostContext *  host)
{
  const cuda::CurrentDevice current(m_State->device);
  m_State->Do(labels, unit, distances, host, [&](auto & agent, float * written) {
    m_State->WriteDistances(agent, written, unit.length);
  });
}

DeviceSplitter::Found
DeviceSplitter::Split(const ImageView &    labels,
                      const DistanceUnit & unit,
                      const Connectivity & connectivity,
                      const IsLow &        isLow,
                      std::uint32_t *      objects,
                      const HostContext *  host)
{
  const cuda::CurrentDevice current(m_State->device);
  Found                     found;
  m_State->Do(labels, unit, objects, host, [&](auto & agent, std::uint32_t * written) {
    found = m_State->Split(agent, connectivity, isLow, written);
  });
  return found;
}

} // namespace brickccl
