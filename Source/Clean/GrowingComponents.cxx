#include "BrickCCL/Clean/GrowingComponents.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace brickccl
{

namespace
{

void
Prefetch([[maybe_unused]] const void * place)
{
#if defined(__GNUC__)
  __builtin_prefetch(place);
#endif
}

} // namespace

GrowingComponents::GrowingComponents(const Extent &       extent,
                                     const Connectivity & connectivity,
                                     const PaddedPlaces & places)
  : m_Extent(extent)
  , m_Places(places)
  , m_JoinsAlongX(connectivity.Has({ 1, 0, 0, 0 }))
{
  for (int code = 0; code < 27; ++code)
  {
    const int    other[] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1 };
    std::int64_t offset = -1;
    Word         steps = 0;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      offset += other[axis - 1] * places.Stride(axis);
    }
    for (int x = -1; x <= 1; ++x)
    {
      steps |= connectivity.Has({ x, other[0], other[1], other[2] }) ? Word{ 1 } << (x + 1) : 0;
    }
    if (steps != 0)
    {
      m_Neighbours.push_back({ offset, steps });
    }
  }
  const auto words = static_cast<std::size_t>(places.Count() / BitsPerWord) + 1;
  m_Foreground.Resize(words);
  m_Expected.Resize(words);
  m_Block.Resize(words);
}

void
GrowingComponents::Start(const RunVolume & labeled, std::vector<std::uint64_t> sizes)
{
  std::fill_n(m_Foreground.Data(), m_Foreground.Size(), Word{ 0 });
  RowPosition row(m_Extent, 0);
  for (std::int64_t r = 0; r < m_Extent.RowCount(); ++r, row.Advance(m_Extent))
  {
    std::copy_n(labeled.Foreground(r), labeled.WordsPerRow(), m_Foreground.Data() + m_Places.OfRow(row) / BitsPerWord);
  }
  std::copy_n(m_Foreground.Data(), m_Foreground.Size(), m_Expected.Data());
  m_Sizes = std::move(sizes);
  m_Parent.resize(m_Sizes.size());
  std::iota(m_Parent.begin(), m_Parent.end(), Node{ 0 });
  m_Components = m_Sizes.size();
  m_Largest = m_Sizes.empty() ? 0 : *std::max_element(m_Sizes.begin(), m_Sizes.end());
  m_Voxels = std::accumulate(m_Sizes.begin(), m_Sizes.end(), std::uint64_t{ 0 });
}

void
GrowingComponents::Expect(const std::uint32_t * begin, const std::uint32_t * end)
{
  for (const std::uint32_t * place = begin; place != end; ++place)
  {
    m_Expected[*place / BitsPerWord] |= Word{ 1 } << (*place % BitsPerWord);
  }
}

void
GrowingComponents::Prepare(const RunVolume & labeled)
{
  std::uint32_t blocks = 0;
  for (std::size_t word = 0; word < m_Expected.Size(); ++word)
  {
    m_Block[word] = blocks;
    blocks += m_Expected[word] != 0 ? 1 : 0;
  }
  m_Nodes.Resize(static_cast<std::size_t>(blocks) * BitsPerWord);
  RowPosition row(m_Extent, 0);
  for (std::int64_t r = 0; r < m_Extent.RowCount(); ++r, row.Advance(m_Extent))
  {
    const std::int64_t first = m_Places.OfRow(row);
    labeled.ForEachRun(r, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      const auto node = static_cast<Node>(labeled.Label(run) - 1);
      while (begin < end)
      {
        const std::int64_t last = std::min(end, (begin / BitsPerWord + 1) * BitsPerWord);
        std::fill_n(&NodeAt(first + begin), last - begin, node);
        begin = last;
      }
    });
  }
}

GrowingComponents::Node &
GrowingComponents::NodeAt(std::int64_t place)
{
  return m_Nodes[static_cast<std::size_t>(m_Block[static_cast<std::size_t>(place / BitsPerWord)]) * BitsPerWord +
                 static_cast<std::size_t>(place % BitsPerWord)];
}

GrowingComponents::Node
GrowingComponents::RootOf(Node node)
{
  while (m_Parent[node] != node)
  {
    node = m_Parent[node] = m_Parent[m_Parent[node]];
  }
  return node;
}

GrowingComponents::Node
GrowingComponents::Unite(Node a, Node b)
{
  if (m_Sizes[a] < m_Sizes[b])
  {
    std::swap(a, b);
  }
  m_Parent[b] = a;
  m_Sizes[a] += m_Sizes[b];
  --m_Components;
  return a;
}

void
GrowingComponents::AddVoxel(std::int64_t place)
{
  constexpr Node None = ~Node{ 0 };
  Node           root = None;
  Node           seen = None;
  for (const Neighbours & neighbours : m_Neighbours)
  {
    const std::int64_t first = place + neighbours.offset;
    const auto         word = static_cast<std::size_t>(first / BitsPerWord);
    const auto         bit = static_cast<int>(first % BitsPerWord);
    Word bits = (m_Foreground[word] >> bit | m_Foreground[word + 1] << 1 << (BitsPerWord - 1 - bit)) & neighbours.steps;
    if (m_JoinsAlongX)
    {
      bits &= ~(bits << 1);
    }
    for (; bits != 0; bits &= bits - 1)
    {
      Node &     nodeThere = NodeAt(first + LowestBit(bits));
      const Node node = nodeThere;
      if (node == seen)
      {
        continue;
      }
      seen = node;
      const Node other = RootOf(node);
      if (other != node)
      {
        nodeThere = other;
      }
      root = root == None || root == other ? other : Unite(root, other);
    }
  }
  if (root == None)
  {
    root = static_cast<Node>(m_Parent.size());
    m_Parent.push_back(root);
    m_Sizes.push_back(0);
    ++m_Components;
  }
  m_Foreground[static_cast<std::size_t>(place / BitsPerWord)] |= Word{ 1 } << (place % BitsPerWord);
  NodeAt(place) = root;
  m_Largest = std::max(m_Largest, ++m_Sizes[root]);
}

void
GrowingComponents::PrefetchBits(std::int64_t place) const
{
  for (const Neighbours & neighbours : m_Neighbours)
  {
    const auto word = static_cast<std::size_t>((place + neighbours.offset + 1) / BitsPerWord);
    Prefetch(m_Foreground.Data() + word);
    Prefetch(m_Block.Data() + word);
  }
}

void
GrowingComponents::PrefetchNodes(std::int64_t place)
{
  for (const Neighbours & neighbours : m_Neighbours)
  {
    Prefetch(&NodeAt(place + neighbours.offset + 1));
  }
}

void
GrowingComponents::Add(const std::uint32_t * begin, const std::uint32_t * end)
{
  // The voxels of a turn lie far from each other. Waiting for memory takes most of the time without this.
  constexpr std::ptrdiff_t far = 24;
  constexpr std::ptrdiff_t near = 10;
  for (const std::uint32_t * place = begin; place != end; ++place)
  {
    if (end - place > far)
    {
      PrefetchBits(place[far]);
      PrefetchNodes(place[near]);
    }
    AddVoxel(*place);
  }
  m_Voxels += static_cast<std::uint64_t>(end - begin);
}

} // namespace brickccl
