#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include "BrickCCL/Cuda/Launch.cuh"

namespace brickccl::cuda
{

namespace
{

/** So many neighbouring voxels belong to a thread. */
constexpr int VoxelsPerThread = 8;

/** Visits labels of the slab and of the seam in the thread's voxels, equal neighbours once. Components are mostly wide,
 *  and accesses of all threads to one place wait for each other. */
template <typename TVisit>
__device__ inline void
VisitLabelPairs(std::int64_t voxels, const unsigned * own, const unsigned * seam, const TVisit & visit)
{
  const std::int64_t groups = (voxels + VoxelsPerThread - 1) / VoxelsPerThread;
  for (std::int64_t group = ThreadIndex(); group < groups; group += ThreadCount())
  {
    const std::int64_t begin = group * VoxelsPerThread;
    unsigned           labels[VoxelsPerThread] = {};
    unsigned           others[VoxelsPerThread] = {};
    for (int i = 0; i < VoxelsPerThread; ++i)
    {
      if (begin + i < voxels)
      {
        labels[i] = own[begin + i];
        others[i] = seam[begin + i];
      }
    }
    unsigned lastLabel = 0;
    unsigned lastOther = 0;
    for (int i = 0; i < VoxelsPerThread; ++i)
    {
      // A voxel of the slab is one of the seam, unless the slab had no room for its components and is labeled again.
      if (labels[i] != 0 && others[i] != 0 && (labels[i] != lastLabel || others[i] != lastOther))
      {
        visit(labels[i], others[i]);
        lastLabel = labels[i];
        lastOther = others[i];
      }
    }
  }
}

__global__ void
LeastOwnKernel(std::int64_t voxels, const unsigned * own, const unsigned * seam, unsigned * least)
{
  VisitLabelPairs(voxels, own, seam, [least](unsigned label, unsigned other) {
    unsigned * const place = least + (other - 1);
    // Most voxels find a lesser one there.
    if (__nv_atomic_load_n(place, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) > label)
    {
      atomicMin(place, label);
    }
  });
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

/** Lists the slab's labels, with the least one of their component of the seam, where these differ.
 *  \param pairs  in page-locked memory of the host */
__global__ void
FurtherOwnKernel(std::int64_t         voxels,
                 const unsigned *     own,
                 const unsigned *     seam,
                 const unsigned *     least,
                 unsigned long long * set,
                 std::size_t          setSize,
                 unsigned long long * pairs,
                 unsigned             room,
                 unsigned *           count)
{
  VisitLabelPairs(voxels, own, seam, [=](unsigned label, unsigned other) {
    const unsigned first = least[other - 1];
    if (first == label)
    {
      return;
    }
    const unsigned long long pair = static_cast<unsigned long long>(label) << 32 | first;
    if (IsNew(set, setSize, pair))
    {
      const unsigned place = atomicAdd(count, 1u);
      if (place < room)
      {
        pairs[place] = pair;
      }
    }
  });
}

} // namespace

void
SeamOnDevice::Prepare(std::int64_t voxels, std::uint64_t components, cudaStream_t stream)
{
  // A seam has fewer than 2^32 runs of voxels, as any volume that is labeled into 32 bits.
  const auto count = static_cast<std::size_t>(components);
  m_Voxels = voxels;
  m_Stream = stream;
  m_Least.Resize(count + 1);
  m_Set.Resize(SetSize);
  m_LeastOnHost.Resize(count + 1);
  m_Pairs.Resize(m_Room);
  m_Side.least = m_LeastOnHost.Data();
  m_Side.components = static_cast<unsigned>(components);
  m_Side.further = m_Pairs.Data();
  m_Side.furtherCount = m_LeastOnHost.Data() + count;
  m_Side.furtherRoom = m_Room;
  Clear();
}

void
SeamOnDevice::Clear()
{
  const std::size_t count = m_Side.components;
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Least.Data(), 0xFF, count * sizeof(unsigned), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Least.Data() + count, 0, sizeof(unsigned), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Set.Data(), 0, SetSize * sizeof(unsigned long long), m_Stream));
}

void
SeamOnDevice::QueueFind()
{
  const std::size_t count = m_Side.components;
  if (count > 0)
  {
    // Groups of voxels, not voxels, are spread over threads.
    const auto shape = ShapeFor((m_Voxels + VoxelsPerThread - 1) / VoxelsPerThread);
    BRICKCCL_LAUNCH(LeastOwnKernel, shape, m_Stream, m_Voxels, own.Data(), seam.Data(), m_Least.Data());
    BRICKCCL_LAUNCH(FurtherOwnKernel,
                    shape,
                    m_Stream,
                    m_Voxels,
                    own.Data(),
                    seam.Data(),
                    m_Least.Data(),
                    m_Set.Data(),
                    SetSize,
                    m_Pairs.Data(),
                    m_Room,
                    m_Least.Data() + count);
  }
  BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(m_LeastOnHost.Data(),
                                      m_Least.Data(),
                                      (count + 1) * sizeof(unsigned),
                                      cudaMemcpyDeviceToHost,
                                      m_Stream));
}

bool
SeamOnDevice::HadRoom()
{
  const unsigned found = *m_Side.furtherCount;
  if (found <= m_Room)
  {
    return true;
  }
  m_Room = found;
  m_Pairs.Resize(m_Room);
  m_Side.further = m_Pairs.Data();
  m_Side.furtherRoom = m_Room;
  Clear();
  return false;
}

} // namespace brickccl::cuda
