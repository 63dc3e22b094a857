// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/DeviceSplitter.h"

#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Splitting/SplitAgent.cuh"
#include "BrickCCL/Splitting/SquareAgent.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
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

  /** Calls `work(voxels, result)` with the places of both on the device. */
  template <typename TResult, typename TWork>
  void
  Do(const ImageView & labels, TResult * result, const HostContext * host, const TWork & work)
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
      work(static_cast<const T *>(voxels), written);
    });
    if (host != nullptr)
    {
      m_Staged.Download(result, written, count * sizeof(TResult), m_Stream.Get(), host->Part(0.6, 1));
    }
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream.Get()));
  }

  /** Finds the squares of distances, or writes the distances. \return the squares */
  template <typename T>
  const unsigned *
  FindSquares(const T * labels, const Extent & extent, const DistanceUnit & unit, float * distances)
  {
    // Most squares are small.
    const unsigned * const squares = FindSquaresAs<std::uint16_t>(labels, extent, unit, distances);
    return squares != nullptr ? squares : FindSquaresAs<std::uint32_t>(labels, extent, unit, distances);
  }

  template <typename T>
  Found
  Split(const T *            labels,
        const Extent &       extent,
        const DistanceUnit & unit,
        const Connectivity & connectivity,
        const IsLow &        isLow,
        std::uint32_t *      objects)
  {
    cuda::SplitAgent<T> agent{};
    agent.labels = labels;
    std::copy_n(extent.size, 3, agent.sizes);
    agent.from = FindSquares(labels, extent, unit, nullptr);
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

  /** \return null if a square is too large for its type. */
  template <typename TSquare, typename T>
  const unsigned *
  FindSquaresAs(const T * labels, const Extent & extent, const DistanceUnit & unit, float * distances)
  {
    using Agent = cuda::SquareAgent<T, TSquare>;
    Agent agent{};
    agent.labels = labels;
    for (int axis = 0; axis < 3; ++axis)
    {
      agent.sizes[axis] = static_cast<unsigned>(extent.size[axis]);
      agent.weights[axis] = static_cast<unsigned>(unit.weights[axis]);
    }
    agent.rows = static_cast<unsigned>(m_Count) / agent.sizes[0];
    agent.wordsPerRow = (agent.sizes[0] + 7) / 8 * 8 / Agent::PerWord;
    agent.bitsPerRow = (agent.sizes[0] + 31) / 32;
    const std::size_t bits = std::size_t{ agent.rows } * agent.bitsPerRow;
    for (std::size_t i = 0; i < 4; ++i)
    {
      agent.bits[i] = Room(m_Bits, 4 * bits) + i * bits;
    }
    agent.distances = distances;
    agent.unit = unit.length;
    agent.roots = Room(m_Roots, Agent::PerWord > 1 ? Agent::Most : 0);
    agent.isTooLarge = Room(m_Found, 1);
    BRICKCCL_CUDA_CHECK(cudaMemsetAsync(agent.isTooLarge, 0, sizeof(cuda::Count), m_Stream.Get()));
    if (distances != nullptr && Agent::PerWord > 1)
    {
      Run<cuda::FillRoots>(agent, Agent::Most);
    }
    const std::int64_t words = std::int64_t{ agent.rows } * agent.wordsPerRow;
    const auto         room = static_cast<std::size_t>(std::max(words, m_Count));
    unsigned *         buffers[] = { Room(m_Squares, room), Room(m_Spread, room) };
    Run<cuda::FindBits>(agent, static_cast<std::int64_t>(4 * bits));
    // The last axis writes the results; it is not x.
    const unsigned last = agent.weights[2] != 0 ? 2 : 1;
    for (unsigned axis = 0; axis <= last; ++axis)
    {
      agent.stride = axis == 2 ? agent.sizes[1] : 1;
      agent.length = agent.weights[axis] != 0 ? agent.sizes[axis] : 1;
      agent.weight = agent.weights[axis];
      agent.nextAxis = axis == last ? 3 : axis + 1;
      agent.from = buffers[0];
      agent.words = agent.squares = buffers[1];
      std::swap(buffers[0], buffers[1]);
      if (axis == 0)
      {
        Run<cuda::AlongRow>(agent, words * Agent::PerWord / 8);
      }
      else
      {
        Run<cuda::AcrossRows>(agent, agent.GroupThreads());
      }
    }
    const bool isTooLarge = Agent::PerWord > 1 && Fetch<cuda::Count>(agent.isTooLarge, 1).front() != 0;
    return isTooLarge ? nullptr : agent.squares;
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
  cuda::DeviceBuffer<unsigned>      m_Squares, m_Spread, m_Bits, m_Result, m_Peaks, m_Heights, m_Firsts, m_Lows;
  cuda::DeviceBuffer<float>         m_Roots;
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
  // Rows are filled up to eight voxels.
  const double filled = static_cast<double>(labels.extent.VoxelCount()) / static_cast<double>(labels.extent.size[0]) *
                        static_cast<double>((labels.extent.size[0] + 7) / 8 * 8);
  for (int axis = 0; axis < labels.extent.dimension; ++axis)
  {
    const auto length = static_cast<double>(labels.extent.size[axis]);
    largest += length * length * unit.weights[axis];
  }
  return labels.extent.dimension <= 3 && filled < most && unit.isWhole && largest < most;
}

void
DeviceSplitter::Distances(const ImageView &    labels,
                          const DistanceUnit & unit,
                          float *              distances,
                          const HostContext *  host)
{
  const cuda::CurrentDevice current(m_State->device);
  m_State->Do(labels, distances, host, [&](const auto * voxels, float * written) {
    m_State->FindSquares(voxels, labels.extent, unit, written);
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
  m_State->Do(labels, objects, host, [&](const auto * voxels, std::uint32_t * written) {
    found = m_State->Split(voxels, labels.extent, unit, connectivity, isLow, written);
  });
  return found;
}

} // namespace brickccl
