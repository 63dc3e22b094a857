// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include "BrickCCL/Criteria/PackWord.cuh"
#include "BrickCCL/Cuda/Launch.cuh"

namespace brickccl::cuda
{

namespace
{

/** Labels of a slice, for kernels. */
struct SliceArrays
{
  const unsigned * labels;
  const unsigned * places;
};

/** The rows of a slice. */
struct SliceRows
{
  std::int64_t words;
  unsigned     wordsPerRow;
  unsigned     rowLength;

  SliceRows(std::int64_t rows, std::int64_t length)
    : words(rows * ((length - 1) / BitsPerDeviceWord + 1))
    , wordsPerRow(static_cast<unsigned>((length - 1) / BitsPerDeviceWord + 1))
    , rowLength(static_cast<unsigned>(length))
  {}
  /** The first voxel of a word. */
  __device__ std::int64_t
             VoxelOf(std::int64_t word) const
  {
    const std::int64_t row = word / wordsPerRow;
    return row * rowLength + (word - row * wordsPerRow) * BitsPerDeviceWord;
  }
};

__global__ void
MarkForegroundKernel(SliceRows rows, const unsigned * labels, unsigned * places)
{
  for (std::int64_t word = ThreadIndex(); word < rows.words; word += ThreadCount())
  {
    const std::int64_t first = rows.VoxelOf(word);
    const std::int64_t left = (word / rows.wordsPerRow + 1) * rows.rowLength - first;
    unsigned           bits = 0;
    for (unsigned i = 0; i < BitsPerDeviceWord && i < left; ++i)
    {
      bits |= labels[first + i] != 0 ? 1u << i : 0u;
    }
    places[word] = bits;
  }
}

/** Visits labels of the slab and of the seam where both are there. That is so at least once for each run of the slab
 *  along x, all of which is one component in both. A thread visits the bits of a part of a word (PartOfWord), equal
 *  neighbors once. */
template <typename TVisit>
__device__ inline void
VisitLabelPairs(const SliceRows & rows, const SliceArrays & own, const SliceArrays & seam, const TVisit & visit)
{
  for (std::int64_t i = ThreadIndex(); i < rows.words * PartOfWord::perWord; i += ThreadCount())
  {
    const PartOfWord   part(i);
    const std::int64_t first = rows.VoxelOf(part.word);
    unsigned           lastLabel = 0;
    unsigned           lastOther = 0;
    for (unsigned rest = own.places[part.word] & seam.places[part.word] & part.bits; rest != 0; rest &= rest - 1)
    {
      const int      bit = __ffs(static_cast<int>(rest)) - 1;
      const unsigned label = own.labels[first + bit];
      const unsigned other = seam.labels[first + bit];
      // If the slab had no room for its components, labels mean nothing here; it is labeled again.
      if (label != 0 && other != 0 && (label != lastLabel || other != lastOther))
      {
        visit(label, other);
        lastLabel = label;
        lastOther = other;
      }
    }
  }
}

__global__ void
LeastOwnKernel(SliceRows rows, SliceArrays own, SliceArrays seam, unsigned * least)
{
  VisitLabelPairs(rows, own, seam, [least](unsigned label, unsigned other) {
    unsigned * const place = least + (other - 1);
    // Most runs find a lesser one there.
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
FurtherOwnKernel(SliceRows            rows,
                 SliceArrays          own,
                 SliceArrays          seam,
                 const unsigned *     least,
                 unsigned long long * set,
                 std::size_t          setSize,
                 unsigned long long * pairs,
                 unsigned             room,
                 unsigned *           count)
{
  VisitLabelPairs(rows, own, seam, [=](unsigned label, unsigned other) {
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
MarkForeground(const unsigned * labels,
               std::int64_t     rows,
               std::int64_t     rowLength,
               unsigned *       places,
               cudaStream_t     stream)
{
  const SliceRows all(rows, rowLength);
  BRICKCCL_LAUNCH(MarkForegroundKernel, ShapeFor(all.words), stream, all, labels, places);
}

void
SliceLabels::Resize(std::int64_t rows, std::int64_t rowLength)
{
  labels.Resize(static_cast<std::size_t>(rows * rowLength));
  places.Resize(static_cast<std::size_t>(SliceRows(rows, rowLength).words));
}

void
SeamOnDevice::Prepare(std::int64_t rows, std::int64_t rowLength, std::uint64_t components, cudaStream_t stream)
{
  // A seam has fewer than 2^32 runs of voxels, as any volume that is labeled into 32 bits.
  const auto count = static_cast<std::size_t>(components);
  m_Rows = rows;
  m_RowLength = rowLength;
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
    const SliceRows   rows(m_Rows, m_RowLength);
    const SliceArrays ofSlab{ own.labels.Data(), own.places.Data() };
    const SliceArrays ofSeam{ seam.labels.Data(), seam.places.Data() };
    const auto        shape = ShapeFor(rows.words * PartOfWord::perWord);
    BRICKCCL_LAUNCH(LeastOwnKernel, shape, m_Stream, rows, ofSlab, ofSeam, m_Least.Data());
    BRICKCCL_LAUNCH(FurtherOwnKernel,
                    shape,
                    m_Stream,
                    rows,
                    ofSlab,
                    ofSeam,
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
