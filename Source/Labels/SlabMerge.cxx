#include "BrickCCL/Labels/SlabMerge.h"

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
  : m_FirstNode(1, 0)
{
  for (const std::uint64_t count : components)
  {
    m_FirstNode.push_back(m_FirstNode.back() + count);
  }
  // The system gives cleared pages when they are touched.
  const auto nodes = static_cast<std::size_t>(m_FirstNode.back()) + 1;
  m_ParentPlus1.reset(static_cast<std::uint64_t *>(std::calloc(nodes, sizeof(std::uint64_t))));
  if (!m_ParentPlus1)
  {
    throw std::bad_alloc();
  }
}

std::uint64_t
SlabMerge::RootOf(std::uint64_t node)
{
  while (m_ParentPlus1[node] != 0)
  {
    const std::uint64_t parent = m_ParentPlus1[node] - 1;
    if (m_ParentPlus1[parent] != 0)
    {
      m_ParentPlus1[node] = m_ParentPlus1[parent];
    }
    node = parent;
  }
  return node;
}

void
SlabMerge::Join(std::size_t slab, std::uint64_t label, std::size_t otherSlab, std::uint64_t otherLabel)
{
  std::uint64_t a = RootOf(m_FirstNode[slab] + label - 1);
  std::uint64_t b = RootOf(m_FirstNode[otherSlab] + otherLabel - 1);
  if (a == b)
  {
    return;
  }
  if (a > b)
  {
    std::swap(a, b);
  }
  m_ParentPlus1[b] = a + 1;
  m_Joined.push_back(b);
}

void
SlabMerge::Finish()
{
  std::sort(m_Joined.begin(), m_Joined.end());
  // The components that begin before a root are the nodes before it that have no parent.
  const auto numberOf = [this](std::uint64_t root) {
    const auto before = std::lower_bound(m_Joined.begin(), m_Joined.end(), root) - m_Joined.begin();
    return root - static_cast<std::uint64_t>(before) + 1;
  };
  const std::size_t slabs = m_FirstNode.size() - 1;
  m_JoinedOfSlab.assign(slabs, {});
  auto next = m_Joined.begin();
  for (std::size_t slab = 0; slab < slabs; ++slab)
  {
    m_FirstNumber.push_back(numberOf(m_FirstNode[slab]));
    for (; next != m_Joined.end() && *next < m_FirstNode[slab + 1]; ++next)
    {
      m_JoinedOfSlab[slab].push_back({ *next - m_FirstNode[slab] + 1, numberOf(RootOf(*next)) });
    }
  }
  m_FirstNumber.push_back(numberOf(m_FirstNode[slabs]));
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
