#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include "BrickCCL/Cuda/Launch.cuh"

#include <algorithm>

namespace brickccl::cuda
{

namespace
{

__global__ void
LeastOwnKernel(std::int64_t voxels, const unsigned * own, const unsigned * seam, unsigned * least)
{
  for (std::int64_t i = ThreadIndex(); i < voxels; i += ThreadCount())
  {
    const unsigned label = own[i];
    if (label != 0)
    {
      unsigned * const place = least + (seam[i] - 1);
      // Most voxels find a lesser one there.
      if (__nv_atomic_load_n(place, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) > label)
      {
        atomicMin(place, label);
      }
    }
  }
}

/** Whether a pair is new to the set. Where its places are taken by others, it counts as new each time. */
__device__ inline bool
IsNew(unsigned long long * set, std::size_t size, unsigned long long pair)
{
  constexpr int probes = 16;
  std::size_t   slot = static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15ull >> 32);
  for (int i = 0; i < probes; ++i)
  {
    unsigned long long * const place = set + (slot + static_cast<std::size_t>(i)) % size;
    unsigned long long         found = __nv_atomic_load_n(place, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    if (found == 0)
    {
      found = atomicCAS(place, 0ull, pair);
      if (found == 0)
      {
        return true;
      }
    }
    if (found == pair)
    {
      return false;
    }
  }
  return true;
}

/** Lists the slab's labels, with the least one of their component of the seam, where these differ. */
__global__ void
FurtherOwnKernel(std::int64_t         voxels,
                 std::int64_t         rowLength,
                 const unsigned *     own,
                 const unsigned *     seam,
                 const unsigned *     least,
                 unsigned long long * set,
                 std::size_t          setSize,
                 unsigned long long * pairs,
                 std::size_t          capacity,
                 unsigned *           count)
{
  for (std::int64_t i = ThreadIndex(); i < voxels; i += ThreadCount())
  {
    const unsigned label = own[i];
    if (label == 0)
    {
      continue;
    }
    const unsigned other = least[seam[i] - 1];
    // The voxel before often tells the same.
    if (other == label || (i % rowLength != 0 && own[i - 1] == label && seam[i - 1] == seam[i]))
    {
      continue;
    }
    const unsigned long long pair = static_cast<unsigned long long>(label) << 32 | other;
    if (IsNew(set, setSize, pair))
    {
      const unsigned place = atomicAdd(count, 1u);
      if (place < capacity)
      {
        pairs[place] = pair;
      }
    }
  }
}

/** \param joined  the labels that are joined to earlier ones, ascending; behind them their numbers */
__global__ void
NumberSlabKernel(std::int64_t               components,
                 unsigned long long         firstNumber,
                 std::int64_t               joinedCount,
                 const unsigned long long * joined,
                 unsigned long long *       numbers)
{
  for (std::int64_t i = ThreadIndex(); i < components; i += ThreadCount())
  {
    const auto   label = static_cast<unsigned long long>(i) + 1;
    std::int64_t low = 0;
    std::int64_t high = joinedCount;
    while (low < high)
    {
      const std::int64_t middle = (low + high) / 2;
      if (joined[middle] < label)
      {
        low = middle + 1;
      }
      else
      {
        high = middle;
      }
    }
    const bool isJoined = low < joinedCount && joined[low] == label;
    numbers[i] = isJoined ? joined[joinedCount + low]
                          : firstNumber + static_cast<unsigned long long>(i) - static_cast<unsigned long long>(low);
  }
}

} // namespace

void
SeamOnDevice::QueueKernels()
{
  const auto components = static_cast<std::size_t>(m_Side.components);
  m_Pairs.Resize(m_Capacity);
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Least.Data(), 0xFF, components * sizeof(unsigned), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Set.Data(), 0, SetSize * sizeof(unsigned long long), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Count.Data(), 0, sizeof(unsigned), m_Stream));
  BRICKCCL_LAUNCH(LeastOwnKernel, ShapeFor(m_Voxels), m_Stream, m_Voxels, own.Data(), seam.Data(), m_Least.Data());
  BRICKCCL_LAUNCH(FurtherOwnKernel,
                  ShapeFor(m_Voxels),
                  m_Stream,
                  m_Voxels,
                  m_RowLength,
                  own.Data(),
                  seam.Data(),
                  m_Least.Data(),
                  m_Set.Data(),
                  SetSize,
                  m_Pairs.Data(),
                  m_Capacity,
                  m_Count.Data());
  BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(m_LeastOnHost.Data(),
                                      m_Least.Data(),
                                      components * sizeof(unsigned),
                                      cudaMemcpyDeviceToHost,
                                      m_Stream));
  BRICKCCL_CUDA_CHECK(
    cudaMemcpyAsync(m_Found.Data(), m_Count.Data(), sizeof(unsigned), cudaMemcpyDeviceToHost, m_Stream));
}

void
SeamOnDevice::Queue(std::int64_t voxels, std::int64_t rowLength, std::uint64_t components, cudaStream_t stream)
{
  const auto count = static_cast<std::size_t>(components);
  m_Least.Resize(count);
  m_Set.Resize(SetSize);
  m_Count.Resize(1);
  m_LeastOnHost.Resize(count);
  m_Voxels = voxels;
  m_RowLength = rowLength;
  m_Stream = stream;
  m_Side.further.clear();
  m_Side.least = m_LeastOnHost.Data();
  m_Side.components = components;
  if (count > 0)
  {
    QueueKernels();
  }
}

const SeamSide &
SeamOnDevice::Fetch()
{
  if (m_Side.components == 0)
  {
    return m_Side;
  }
  BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream));
  while (*m_Found.Data() > m_Capacity)
  {
    m_Capacity = *m_Found.Data();
    QueueKernels();
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream));
  }
  const std::size_t               found = *m_Found.Data();
  std::vector<unsigned long long> pairs(found);
  if (found > 0)
  {
    BRICKCCL_CUDA_CHECK(
      cudaMemcpyAsync(pairs.data(), m_Pairs.Data(), found * sizeof(pairs[0]), cudaMemcpyDeviceToHost, m_Stream));
    BRICKCCL_CUDA_CHECK(cudaStreamSynchronize(m_Stream));
  }
  for (const unsigned long long pair : pairs)
  {
    m_Side.further.emplace_back(static_cast<unsigned>(pair >> 32), static_cast<unsigned>(pair));
  }
  return m_Side;
}

void
JoinSides(const SeamSide & lower, const SeamSide & upper, std::size_t slab, SlabMerge & merge)
{
  for (const auto & [label, least] : lower.further)
  {
    merge.Join(slab, label, slab, least);
  }
  for (const auto & [label, least] : upper.further)
  {
    merge.Join(slab + 1, label, slab + 1, least);
  }
  unsigned lastLower = SeamSide::NoLabel;
  unsigned lastUpper = SeamSide::NoLabel;
  for (std::uint64_t i = 0; i < lower.components; ++i)
  {
    const unsigned a = lower.least[i];
    const unsigned b = upper.least[i];
    if (a != SeamSide::NoLabel && b != SeamSide::NoLabel && (a != lastLower || b != lastUpper))
    {
      merge.Join(slab, a, slab + 1, b);
      lastLower = a;
      lastUpper = b;
    }
  }
}

const unsigned long long *
SlabNumbers::Queue(const SlabMerge & merge, std::size_t slab, std::uint64_t components, cudaStream_t stream)
{
  const std::vector<JoinedLabel> & joined = merge.Joined(slab);
  const std::size_t                count = joined.size();
  m_Copied.Wait();
  m_Numbers.Resize(static_cast<std::size_t>(components) + 1);
  m_Joined.Resize(2 * count + 1);
  m_JoinedOnHost.Resize(2 * count + 1);
  for (std::size_t i = 0; i < count; ++i)
  {
    m_JoinedOnHost.Data()[i] = joined[i].label;
    m_JoinedOnHost.Data()[count + i] = joined[i].number;
  }
  if (count > 0)
  {
    BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(m_Joined.Data(),
                                        m_JoinedOnHost.Data(),
                                        2 * count * sizeof(unsigned long long),
                                        cudaMemcpyHostToDevice,
                                        stream));
  }
  m_Copied.Record(stream);
  const auto labels = static_cast<std::int64_t>(components);
  BRICKCCL_LAUNCH(NumberSlabKernel,
                  ShapeFor(labels),
                  stream,
                  labels,
                  merge.FirstNumber(slab),
                  static_cast<std::int64_t>(count),
                  m_Joined.Data(),
                  m_Numbers.Data());
  return m_Numbers.Data();
}

} // namespace brickccl::cuda
