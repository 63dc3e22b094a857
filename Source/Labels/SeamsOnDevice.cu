#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include "BrickCCL/Cuda/Launch.cuh"

#include <algorithm>

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
      if (labels[i] != 0 && (labels[i] != lastLabel || others[i] != lastOther))
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
                 std::size_t          capacity,
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
      if (place < capacity)
      {
        pairs[place] = pair;
      }
    }
  });
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
SeamOnDevice::Prepare(std::int64_t voxels, std::uint64_t components, cudaStream_t stream)
{
  const auto count = static_cast<std::size_t>(components);
  m_Voxels = voxels;
  m_Stream = stream;
  seam.Resize(static_cast<std::size_t>(voxels));
  m_Least.Resize(count);
  m_Set.Resize(SetSize);
  m_Count.Resize(1);
  m_LeastOnHost.Resize(count);
  m_Pairs.Resize(m_Capacity);
  m_Side.least = m_LeastOnHost.Data();
  m_Side.components = components;
  m_Side.further = m_Pairs.Data();
  m_Side.furtherCount = 0;
  if (count > 0)
  {
    Clear();
  }
}

void
SeamOnDevice::Clear()
{
  BRICKCCL_CUDA_CHECK(
    cudaMemsetAsync(m_Least.Data(), 0xFF, static_cast<std::size_t>(m_Side.components) * sizeof(unsigned), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Set.Data(), 0, SetSize * sizeof(unsigned long long), m_Stream));
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Count.Data(), 0, sizeof(unsigned), m_Stream));
}

void
SeamOnDevice::QueueKernels()
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
                  m_Capacity,
                  m_Count.Data());
  BRICKCCL_CUDA_CHECK(cudaMemcpyAsync(m_LeastOnHost.Data(),
                                      m_Least.Data(),
                                      static_cast<std::size_t>(m_Side.components) * sizeof(unsigned),
                                      cudaMemcpyDeviceToHost,
                                      m_Stream));
}

const SeamSide &
SeamOnDevice::Find()
{
  if (m_Side.components == 0)
  {
    return m_Side;
  }
  QueueKernels();
  std::size_t found = m_Found.Fetch(m_Count.Data(), m_Stream);
  while (found > m_Capacity)
  {
    m_Capacity = found;
    m_Pairs.Resize(m_Capacity);
    Clear();
    QueueKernels();
    found = m_Found.Fetch(m_Count.Data(), m_Stream);
  }
  m_Side.further = m_Pairs.Data();
  m_Side.furtherCount = found;
  return m_Side;
}

namespace
{

/** The joins within a slab that one side of a seam tells. */
void
JoinFurther(const SeamSide & side, std::size_t slab, std::int64_t part, std::int64_t parts, SlabMerge & merge)
{
  const Chunks chunks(static_cast<std::int64_t>(side.furtherCount), 1, parts);
  if (part < chunks.count)
  {
    std::for_each(side.further + chunks.Begin(part), side.further + chunks.End(part), [&](unsigned long long pair) {
      merge.Join(slab, pair >> 32, slab, pair & 0xFFFFFFFFull);
    });
  }
}

/** The joins of both slabs. */
void
JoinLeast(const SeamSide & lower,
          const SeamSide & upper,
          std::size_t      slab,
          std::int64_t     begin,
          std::int64_t     end,
          SlabMerge &      merge)
{
  unsigned lastLower = SeamSide::NoLabel;
  unsigned lastUpper = SeamSide::NoLabel;
  for (std::int64_t i = begin; i < end; ++i)
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

} // namespace

void
JoinSides(const std::vector<const SeamSide *> & sides, SlabMerge & merge, const HostContext & context)
{
  // Waking a thread takes as long as some hundred joins; looking at components that are joined already takes less.
  constexpr std::uint64_t joinsPerPart = 1024;
  constexpr std::uint64_t componentsPerJoin = 8;
  std::uint64_t           most = 0;
  for (const SeamSide * side : sides)
  {
    most = std::max(most, side->furtherCount + side->components / componentsPerJoin);
  }
  const auto parts = static_cast<std::int64_t>(std::clamp<std::uint64_t>(most / joinsPerPart, 1, 16));
  const auto seams = static_cast<std::int64_t>(sides.size() / 2);
  // Where there is little to do, waking threads takes longer.
  HostContext threads = context.Silent();
  threads.threads = parts == 1 ? 1 : context.threads;
  ParallelFor(seams * parts, threads, [&](std::int64_t i) {
    const auto         slab = static_cast<std::size_t>(i / parts);
    const std::int64_t part = i % parts;
    const SeamSide &   lower = *sides[2 * slab];
    const SeamSide &   upper = *sides[2 * slab + 1];
    JoinFurther(lower, slab, part, parts, merge);
    JoinFurther(upper, slab + 1, part, parts, merge);
    const Chunks chunks(static_cast<std::int64_t>(lower.components), 1, parts);
    if (part < chunks.count)
    {
      JoinLeast(lower, upper, slab, chunks.Begin(part), chunks.End(part), merge);
    }
  });
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
