// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/JoinSlabs.cuh"

#include "BrickCCL/Criteria/PackWord.cuh"
#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Forest/ForestDevice.cuh"

#include <algorithm>
#include <cstring>

namespace brickccl::cuda
{

namespace
{

/** So many words of bits are counted together. */
constexpr unsigned WordsPerGroup = 32;
constexpr unsigned BitsPerGroup = BitsPerDeviceWord * WordsPerGroup;

std::size_t
GroupsOf(std::size_t nodes)
{
  return nodes / BitsPerGroup + 1;
}

/** The nodes of all slabs. */
struct Nodes
{
  unsigned * parent;
  /** A bit for each: whether it is joined to an earlier one. */
  unsigned * isJoined;
  /** The joined nodes of each group, and then those up to its end. */
  unsigned * joinedUpTo;
};

/** Whether no side found more pairs than it had room for. */
__device__ inline bool
HadRoom(const SlabNumbers::Side * sides, unsigned count)
{
  for (unsigned side = 0; side < count; ++side)
  {
    if (*sides[side].furtherCount > sides[side].there.furtherRoom)
    {
      return false;
    }
  }
  return true;
}

/** Calls `visit(label)` for the thread's share of the labels of a side, some of them several times. */
template <typename TVisit>
__device__ inline void
VisitLabels(const SlabNumbers::Side & side, const TVisit & visit)
{
  for (std::int64_t i = ThreadIndex(); i < side.there.components; i += ThreadCount())
  {
    if (const unsigned label = side.least[i]; label != SeamSide::NoLabel)
    {
      visit(label);
    }
  }
  // The least ones of these pairs are among those above.
  const unsigned count = *side.furtherCount;
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    visit(static_cast<unsigned>(side.further[i] >> 32));
  }
}

/** Copies the sides to this device, and makes each of their labels a root. A row of blocks does a side.
 *  All nodes that are united are such labels. */
__global__ void
FetchSidesKernel(const SlabNumbers::Side * sides, Nodes nodes)
{
  const SlabNumbers::Side side = sides[blockIdx.y];
  const unsigned          found = *side.there.furtherCount;
  const unsigned          count = found < side.there.furtherRoom ? found : side.there.furtherRoom;
  const auto              makeRoot = [&](unsigned label) {
    const unsigned node = side.firstNode + (label - 1);
    GlobalAccess::Store(nodes.parent + node, node);
  };
  if (ThreadIndex() == 0)
  {
    *side.furtherCount = found;
  }
  for (std::int64_t i = ThreadIndex(); i < side.there.components; i += ThreadCount())
  {
    const unsigned label = side.there.least[i];
    side.least[i] = label;
    if (label != SeamSide::NoLabel)
    {
      makeRoot(label);
    }
  }
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const unsigned long long pair = side.there.further[i];
    side.further[i] = pair;
    makeRoot(static_cast<unsigned>(pair >> 32));
  }
}

/** Unites what belongs together: a row of blocks within the slab of one side, and the first of two rows of a seam also
 *  from slab to slab. */
__global__ void
JoinLabelsKernel(const SlabNumbers::Side * sides, Nodes nodes)
{
  WaitForEarlierKernels();
  if (!HadRoom(sides, gridDim.y))
  {
    return;
  }
  const SlabNumbers::Side side = sides[blockIdx.y];
  const unsigned          pairs = *side.furtherCount;
  for (std::int64_t i = ThreadIndex(); i < pairs; i += ThreadCount())
  {
    const unsigned long long pair = side.further[i];
    Unite<GlobalAccess>(nodes.parent,
                        side.firstNode + (static_cast<unsigned>(pair >> 32) - 1),
                        side.firstNode + (static_cast<unsigned>(pair) - 1));
  }
  if (blockIdx.y % 2 != 0)
  {
    return;
  }
  const SlabNumbers::Side upper = sides[blockIdx.y + 1];
  for (std::int64_t i = ThreadIndex(); i < side.there.components; i += ThreadCount())
  {
    const unsigned a = side.least[i];
    const unsigned b = upper.least[i];
    if (a != SeamSide::NoLabel && b != SeamSide::NoLabel)
    {
      Unite<GlobalAccess>(nodes.parent, side.firstNode + (a - 1), upper.firstNode + (b - 1));
    }
  }
}

/** Points joined nodes at their roots, and marks them. */
__global__ void
MarkJoinedKernel(const SlabNumbers::Side * sides, Nodes nodes)
{
  WaitForEarlierKernels();
  if (!HadRoom(sides, gridDim.y))
  {
    return;
  }
  const SlabNumbers::Side side = sides[blockIdx.y];
  VisitLabels(side, [&](unsigned label) {
    const unsigned node = side.firstNode + (label - 1);
    const unsigned root = PeekRoot<GlobalAccess>(nodes.parent, node);
    if (root != node)
    {
      GlobalAccess::Store(nodes.parent + node, root);
      const unsigned bit = 1u << (node % BitsPerDeviceWord);
      if ((atomicOr(nodes.isJoined + node / BitsPerDeviceWord, bit) & bit) == 0)
      {
        atomicAdd(nodes.joinedUpTo + node / BitsPerGroup, 1u);
      }
    }
  });
}

/** Receives how many nodes are joined up to the end of each group. \param count  of the volume's components, in
 *  page-locked memory */
struct KeepJoinedUpTo
{
  unsigned *           joinedUpTo;
  std::int64_t         groups;
  unsigned             nodeCount;
  unsigned long long * count;

  __device__ void
  operator()(std::int64_t group, unsigned upTo) const
  {
    joinedUpTo[group] = upTo;
    if (group + 1 == groups)
    {
      *count = nodeCount - upTo;
    }
  }
};

/** The number of a root among all roots. */
__device__ inline unsigned
NumberOf(const Nodes & nodes, unsigned root)
{
  const unsigned group = root / BitsPerGroup;
  const unsigned inWord = root % BitsPerDeviceWord;
  unsigned       before = group > 0 ? nodes.joinedUpTo[group - 1] : 0u;
  for (unsigned word = group * WordsPerGroup; word < root / BitsPerDeviceWord; ++word)
  {
    before += static_cast<unsigned>(__popc(nodes.isJoined[word]));
  }
  before += static_cast<unsigned>(__popc(nodes.isJoined[root / BitsPerDeviceWord] & ((1u << inWord) - 1)));
  return root + 1 - before;
}

/** Where a side had too little room, nothing is joined and all numbers are too large: then they are the labels. */
__global__ void
NumberLabelsKernel(const SlabNumbers::Side * sides,
                   unsigned                  sideCount,
                   Nodes                     nodes,
                   unsigned                  firstNode,
                   std::int64_t              components,
                   unsigned long long *      numbers)
{
  WaitForEarlierKernels();
  const bool hadRoom = HadRoom(sides, sideCount);
  for (std::int64_t i = ThreadIndex(); i < components; i += ThreadCount())
  {
    const unsigned node = firstNode + static_cast<unsigned>(i);
    const bool     isJoined = (nodes.isJoined[node / BitsPerDeviceWord] >> (node % BitsPerDeviceWord) & 1u) != 0;
    numbers[i] = hadRoom ? NumberOf(nodes, isJoined ? nodes.parent[node] : node) : static_cast<unsigned>(i) + 1;
  }
}

} // namespace

void
SlabNumbers::MakeSides(const std::vector<const SeamSide *> & sides)
{
  std::size_t components = 0;
  std::size_t room = 0;
  m_Most = 0;
  for (const SeamSide * side : sides)
  {
    components += side->components;
    room += side->furtherRoom;
    m_Most = std::max<std::size_t>(m_Most, side->components);
  }
  m_Least.Resize(components + 1);
  m_Further.Resize(room + 1);
  m_FurtherCount.Resize(sides.size() + 1);
  m_SidesToSend.clear();
  components = 0;
  room = 0;
  for (std::size_t i = 0; i < sides.size(); ++i)
  {
    m_SidesToSend.push_back({ *sides[i],
                              m_Least.Data() + components,
                              m_Further.Data() + room,
                              m_FurtherCount.Data() + i,
                              static_cast<unsigned>(m_FirstNodes[(i + 1) / 2]) });
    components += sides[i]->components;
    room += sides[i]->furtherRoom;
  }
}

void
SlabNumbers::SendSides(cudaStream_t stream)
{
  const std::size_t count = m_SidesToSend.size();
  m_SidesOnHost.Resize(count + 1);
  m_Sides.Resize(count + 1);
  if (count > 0)
  {
    std::memcpy(m_SidesOnHost.Data(), m_SidesToSend.data(), count * sizeof(Side));
    BRICKCCL_CUDA_CHECK(
      cudaMemcpyAsync(m_Sides.Data(), m_SidesOnHost.Data(), count * sizeof(Side), cudaMemcpyHostToDevice, stream));
  }
}

void
SlabNumbers::Prepare(const std::vector<const SeamSide *> & sides,
                     const std::vector<std::uint64_t> &    components,
                     std::size_t                           own,
                     cudaStream_t                          stream)
{
  m_FirstNodes.assign(1, 0);
  for (const std::uint64_t count : components)
  {
    m_FirstNodes.push_back(m_FirstNodes.back() + count);
  }
  m_Own = own;
  MakeSides(sides);
  SendSides(stream);
  const auto        nodeCount = static_cast<std::size_t>(m_FirstNodes.back());
  const std::size_t groups = GroupsOf(nodeCount);
  const std::size_t words = groups + groups * WordsPerGroup;
  m_Parent.Resize(nodeCount + 1);
  m_Joined.Resize(words);
  m_Numbers.Resize(static_cast<std::size_t>(components[own]) + 1);
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(m_Joined.Data(), 0, words * sizeof(unsigned), stream));
}

const unsigned long long *
SlabNumbers::Queue(cudaStream_t stream)
{
  const auto        sideCount = static_cast<unsigned>(m_SidesToSend.size());
  const auto        nodeCount = static_cast<std::size_t>(m_FirstNodes.back());
  const std::size_t groups = GroupsOf(nodeCount);
  const Nodes       nodes{ m_Parent.Data(), m_Joined.Data() + groups, m_Joined.Data() };
  if (sideCount > 0)
  {
    // Pairs are mostly as many as components, or fewer.
    LaunchShape shape = ShapeFor(static_cast<std::int64_t>(std::clamp<std::size_t>(m_Most, 4096, 1u << 18)));
    shape.blocks.y = sideCount;
    BRICKCCL_LAUNCH(FetchSidesKernel, shape, stream, m_Sides.Data(), nodes);
    BRICKCCL_LAUNCH_EARLY(JoinLabelsKernel, shape, stream, m_Sides.Data(), nodes);
    BRICKCCL_LAUNCH_EARLY(MarkJoinedKernel, shape, stream, m_Sides.Data(), nodes);
  }
  unsigned * const     joined = nodes.joinedUpTo;
  const KeepJoinedUpTo keep{ joined,
                             static_cast<std::int64_t>(groups),
                             static_cast<unsigned>(nodeCount),
                             m_Count.Data() };
  CallThrust(m_Workspace, stream, [&](const auto & policy) {
    thrust::inclusive_scan(policy, joined, joined + groups, thrust::make_tabulate_output_iterator(keep));
  });
  m_Counted.Record(stream);
  const std::uint64_t firstNode = m_FirstNodes[m_Own];
  const auto          labels = static_cast<std::int64_t>(m_FirstNodes[m_Own + 1] - firstNode);
  BRICKCCL_LAUNCH_EARLY(NumberLabelsKernel,
                        ShapeFor(labels),
                        stream,
                        m_Sides.Data(),
                        sideCount,
                        nodes,
                        static_cast<unsigned>(firstNode),
                        labels,
                        m_Numbers.Data());
  return m_Numbers.Data();
}

std::uint64_t
SlabNumbers::WaitForCount()
{
  m_Counted.Wait();
  return *m_Count.Data();
}

} // namespace brickccl::cuda
