#include "BrickCCL/Labels/SlabMerge.h"

#include "BrickCCL/Forest/Forest.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace brickccl
{

void
SlabMerge::Free::operator()(std::uint64_t * memory) const
{
  std::free(memory);
}

SlabMerge::SlabMerge(const std::vector<std::uint64_t> & components)
{
  Reset(components);
}

void
SlabMerge::Reset(const std::vector<std::uint64_t> & components)
{
  VisitJoined(0, static_cast<std::int64_t>(m_HasParent.size()), [this](std::uint64_t node) {
    m_ParentPlus1[node] = 0;
  });
  m_FirstNode.assign(1, 0);
  for (const std::uint64_t count : components)
  {
    m_FirstNode.push_back(m_FirstNode.back() + count);
  }
  const auto nodes = static_cast<std::size_t>(m_FirstNode.back());
  m_HasParent.assign(nodes / BitsPerWord + 1, 0);
  if (nodes > m_Capacity)
  {
    m_ParentPlus1.reset();
    m_Capacity = 0;
    // The system gives cleared pages when they are touched.
    m_ParentPlus1.reset(static_cast<std::uint64_t *>(std::calloc(nodes, sizeof(std::uint64_t))));
    if (!m_ParentPlus1)
    {
      throw std::bad_alloc();
    }
    m_Capacity = nodes;
  }
}

template <typename TVisit>
void
SlabMerge::VisitJoined(std::int64_t beginWord, std::int64_t endWord, const TVisit & visit) const
{
  for (std::int64_t word = beginWord; word < endWord; ++word)
  {
    for (Word left = m_HasParent[static_cast<std::size_t>(word)]; left != 0; left &= left - 1)
    {
      visit(static_cast<std::uint64_t>(word * BitsPerWord + LowestBit(left)));
    }
  }
}

std::uint64_t
SlabMerge::RootOf(std::uint64_t node)
{
  std::uint64_t up = LoadShared(&m_ParentPlus1[node]);
  while (up != 0)
  {
    const std::uint64_t upper = LoadShared(&m_ParentPlus1[up - 1]);
    if (upper != 0)
    {
      StoreShared(&m_ParentPlus1[node], upper);
    }
    node = up - 1;
    up = upper;
  }
  return node;
}

void
SlabMerge::Join(std::size_t slab, std::uint64_t label, std::size_t otherSlab, std::uint64_t otherLabel)
{
  std::uint64_t a = m_FirstNode[slab] + label - 1;
  std::uint64_t b = m_FirstNode[otherSlab] + otherLabel - 1;
  for (std::uint64_t root = 0;; root = 0)
  {
    a = RootOf(a);
    b = RootOf(b);
    if (a == b)
    {
      return;
    }
    if (a > b)
    {
      std::swap(a, b);
    }
    if (__atomic_compare_exchange_n(&m_ParentPlus1[b], &root, a + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
      __atomic_fetch_or(&m_HasParent[b / BitsPerWord], Word{ 1 } << (b % BitsPerWord), __ATOMIC_RELAXED);
      return;
    }
  }
}

std::uint64_t
SlabMerge::JoinedBefore(std::uint64_t node) const
{
  const std::size_t word = node / BitsPerWord;
  const Word        before = (Word{ 1 } << (node % BitsPerWord)) - 1;
  return m_JoinedBeforeWord[word] + static_cast<std::uint64_t>(CountBits(m_HasParent[word] & before));
}

std::uint64_t
SlabMerge::NumberOf(std::uint64_t root) const
{
  // The components that begin before a root are the nodes before it that have no parent.
  return root - JoinedBefore(root) + 1;
}

void
SlabMerge::FillJoined(std::size_t slab, std::int64_t beginWord, std::int64_t endWord)
{
  const std::uint64_t begin = m_FirstNode[slab];
  const std::uint64_t joinedBefore = JoinedBefore(begin);
  VisitJoined(beginWord, endWord, [&](std::uint64_t node) {
    if (node >= begin && node < m_FirstNode[slab + 1])
    {
      m_JoinedOfSlab[slab][JoinedBefore(node) - joinedBefore] = { node - begin + 1, NumberOf(RootOf(node)) };
    }
  });
}

void
SlabMerge::Finish(const HostContext & context)
{
  m_JoinedBeforeWord.resize(m_HasParent.size());
  std::uint64_t joined = 0;
  for (std::size_t word = 0; word < m_HasParent.size(); ++word)
  {
    m_JoinedBeforeWord[word] = joined;
    joined += static_cast<std::uint64_t>(CountBits(m_HasParent[word]));
  }
  const std::size_t slabs = m_FirstNode.size() - 1;
  m_JoinedOfSlab.resize(slabs);
  m_FirstNumber.clear();
  for (std::size_t slab = 0; slab < slabs; ++slab)
  {
    m_FirstNumber.push_back(NumberOf(m_FirstNode[slab]));
    m_JoinedOfSlab[slab].resize(JoinedBefore(m_FirstNode[slab + 1]) - JoinedBefore(m_FirstNode[slab]));
  }
  m_FirstNumber.push_back(NumberOf(m_FirstNode[slabs]));
  // Waking threads takes as long as numbering a few thousand labels.
  constexpr std::uint64_t joinsPerThread = 2048;
  const auto              parts = static_cast<std::int64_t>(std::clamp<std::uint64_t>(joined / joinsPerThread, 1, 64));
  const Chunks            chunks(static_cast<std::int64_t>(m_HasParent.size()), 1, parts);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const std::int64_t begin = chunks.Begin(chunk);
    const std::int64_t end = chunks.End(chunk);
    for (std::size_t slab = 0; slab < slabs; ++slab)
    {
      // The words of the slab's nodes.
      const auto first = static_cast<std::int64_t>(m_FirstNode[slab] / BitsPerWord);
      const auto last = static_cast<std::int64_t>(m_FirstNode[slab + 1] / BitsPerWord) + 1;
      FillJoined(slab, std::max(begin, first), std::min(end, last));
    }
  });
}

std::uint64_t
SlabMerge::ComponentCount() const
{
  return m_FirstNumber.back() - 1;
}

const std::vector<JoinedLabel> &
SlabMerge::Joined(std::size_t slab) const
{
  return m_JoinedOfSlab[slab];
}

std::uint64_t
SlabMerge::FirstNumber(std::size_t slab) const
{
  return m_FirstNumber[slab];
}

} // namespace brickccl
