// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/ComponentBoxTree.h"

#include <algorithm>

namespace brickccl
{

ComponentBoxTree::ComponentBoxTree(const BoundingBoxTrees & trees, const double * spacing, const HostContext & context)
  : m_Spacing(spacing)
  , m_Components(trees.size())
{
  StopPoint stop(context);
  for (std::size_t i = 0; i < trees.size(); ++i)
  {
    stop.AskAt(i);
    m_Components[i] = { trees[i].Bounds(), i };
  }
  if (!m_Components.empty())
  {
    Build(0, m_Components.size(), stop);
  }
}

std::size_t
ComponentBoxTree::Build(std::size_t begin, std::size_t end, StopPoint & stop)
{
  const std::size_t node = m_Nodes.size();
  stop.AskAt(node * 16);
  VoxelBox bounds = m_Components[begin].bounds;
  for (std::size_t i = begin + 1; i < end; ++i)
  {
    bounds.Include(m_Components[i].bounds);
  }
  m_Nodes.push_back({ bounds, begin, end });
  if (end - begin > 4)
  {
    int axis = 0;
    for (int other = 1; other < MaximumDimension; ++other)
    {
      const auto side = [&](int a) { return static_cast<double>(bounds.high[a] - bounds.low[a]) * m_Spacing[a]; };
      axis = side(other) > side(axis) ? other : axis;
    }
    const auto        at = [&](std::size_t i) { return m_Components.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end), [&](const Component & first, const Component & second) {
      return first.bounds.low[axis] + first.bounds.high[axis] < second.bounds.low[axis] + second.bounds.high[axis];
    });
    const std::size_t left = Build(begin, middle, stop);
    const std::size_t right = Build(middle, end, stop);
    m_Nodes[node].children[0] = left;
    m_Nodes[node].children[1] = right;
  }
  return node;
}

} // namespace brickccl
