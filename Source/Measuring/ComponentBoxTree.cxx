#include "BrickCCL/Measuring/ComponentBoxTree.h"

#include <algorithm>

namespace brickccl
{

ComponentBoxTree::ComponentBoxTree(const std::vector<BoundingBoxTree> & trees, const double * spacing)
  : m_Trees(trees)
  , m_Spacing(spacing)
  , m_Order(trees.size())
{
  for (std::size_t i = 0; i < m_Order.size(); ++i)
  {
    m_Order[i] = i;
  }
  if (!m_Order.empty())
  {
    Build(0, m_Order.size());
  }
}

std::size_t
ComponentBoxTree::Build(std::size_t begin, std::size_t end)
{
  const std::size_t node = m_Nodes.size();
  m_Nodes.push_back({ m_Trees[m_Order[begin]].Bounds(), begin, end });
  for (std::size_t i = begin; i < end; ++i)
  {
    m_Nodes[node].bounds.Include(m_Trees[m_Order[i]].Bounds());
  }
  if (end - begin > 4)
  {
    const VoxelBox bounds = m_Nodes[node].bounds;
    int            axis = 0;
    for (int other = 1; other < MaximumDimension; ++other)
    {
      const auto side = [&](int a) { return static_cast<double>(bounds.high[a] - bounds.low[a]) * m_Spacing[a]; };
      axis = side(other) > side(axis) ? other : axis;
    }
    const auto        at = [&](std::size_t i) { return m_Order.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
      const VoxelBox & first = m_Trees[a].Bounds();
      const VoxelBox & second = m_Trees[b].Bounds();
      return first.low[axis] + first.high[axis] < second.low[axis] + second.high[axis];
    });
    const std::size_t left = Build(begin, middle);
    const std::size_t right = Build(middle, end);
    m_Nodes[node].children[0] = left;
    m_Nodes[node].children[1] = right;
  }
  return node;
}

} // namespace brickccl
