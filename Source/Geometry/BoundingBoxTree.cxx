#include "BrickCCL/Geometry/BoundingBoxTree.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cstdlib>
#include <vector>
#include <utility>

namespace brickccl
{

namespace
{

constexpr std::uint32_t LeafSize = 8;

/** The length of a box's longest side. */
double
LongestSide(const VoxelBox & box, const double * spacing, int & longestAxis)
{
  double longest = -1;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    const double side = static_cast<double>(box.high[axis] - box.low[axis]) * spacing[axis];
    if (side > longest)
    {
      longest = side;
      longestAxis = axis;
    }
  }
  return longest;
}

} // namespace

BoundingBoxTree::BoundingBoxTree(std::vector<VoxelBox> boxes, const double * spacing, const Progress & progress)
  : m_Boxes(std::move(boxes))
{
  if (m_Boxes.size() > std::numeric_limits<std::uint32_t>::max() / 2)
  {
    throw Unsupported("distances between sets of " + std::to_string(m_Boxes.size()) + " runs are not supported");
  }
  std::copy(spacing, spacing + MaximumDimension, m_Spacing);
  if (!m_Boxes.empty())
  {
    m_Nodes.reserve(m_Boxes.size() / 2 + 1);
    m_Nodes.push_back({ {}, 0, static_cast<std::uint32_t>(m_Boxes.size()) });
    // Children are added at the end, so that this loop visits them, too.
    for (std::uint32_t node = 0; node < m_Nodes.size(); ++node)
    {
      // The first nodes hold the most boxes.
      if (node < 256 || node % 256 == 0)
      {
        progress.Update(static_cast<double>(node) * LeafSize / static_cast<double>(2 * m_Boxes.size()));
      }
      Split(node);
    }
  }
}

void
BoundingBoxTree::Split(std::uint32_t node)
{
  const std::uint32_t begin = m_Nodes[node].begin;
  const std::uint32_t end = m_Nodes[node].end;
  VoxelBox            bounds = m_Boxes[begin];
  for (std::uint32_t i = begin + 1; i < end; ++i)
  {
    bounds.Include(m_Boxes[i]);
  }
  m_Nodes[node].bounds = bounds;
  int          axis = 0;
  const double longest = LongestSide(bounds, m_Spacing, axis);
  if (end - begin <= LeafSize || longest == 0)
  {
    return;
  }
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(
    m_Boxes.begin() + begin,
    m_Boxes.begin() + middle,
    m_Boxes.begin() + end,
    [axis](const VoxelBox & a, const VoxelBox & b) { return a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis]; });
  m_Nodes[node].child = static_cast<std::uint32_t>(m_Nodes.size());
  m_Nodes.push_back({ {}, begin, middle });
  m_Nodes.push_back({ {}, middle, end });
}

double
BoundingBoxTree::GapBetween(const VoxelBox & a, const VoxelBox & b, const double * spacing)
{
  double square = 0;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    const std::int64_t apart = std::max(a.low[axis] - b.high[axis], b.low[axis] - a.high[axis]);
    const double       gap = static_cast<double>(std::max<std::int64_t>(0, apart - 1)) * spacing[axis];
    square += gap * gap;
  }
  return square;
}

/** The largest squared distance that the centres of voxels of two boxes can have. */
double
BoundingBoxTree::ReachBetween(const VoxelBox & a, const VoxelBox & b) const
{
  double square = 0;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    const std::int64_t reach = std::max(std::abs(a.high[axis] - b.low[axis]), std::abs(b.high[axis] - a.low[axis]));
    const double       length = static_cast<double>(reach) * m_Spacing[axis];
    square += length * length;
  }
  return square;
}

double
BoundingBoxTree::LargestDistance() const
{
  double largest = 0;
  if (!IsEmpty())
  {
    SearchLargest(0, 0, largest);
  }
  return largest;
}

void
BoundingBoxTree::SearchLargest(std::uint32_t a, std::uint32_t b, double & largest) const
{
  const Node & first = m_Nodes[a];
  const Node & second = m_Nodes[b];
  if (ReachBetween(first.bounds, second.bounds) <= largest)
  {
    return;
  }
  if (first.child == 0 && second.child == 0)
  {
    for (std::uint32_t i = first.begin; i < first.end; ++i)
    {
      for (std::uint32_t j = second.begin; j < second.end; ++j)
      {
        largest = std::max(largest, ReachBetween(m_Boxes[i], m_Boxes[j]));
      }
    }
    return;
  }
  // The pairs of children that may lie farthest apart come first, so that the others need no look.
  struct Pair
  {
    double        reach;
    std::uint32_t a;
    std::uint32_t b;
  };
  std::vector<Pair> pairs;
  const bool        splitsFirst = first.child != 0;
  const bool        splitsSecond = second.child != 0;
  for (std::uint32_t i = 0; i < (splitsFirst ? 2u : 1u); ++i)
  {
    for (std::uint32_t j = 0; j < (splitsSecond ? 2u : 1u); ++j)
    {
      const std::uint32_t childA = splitsFirst ? first.child + i : a;
      const std::uint32_t childB = splitsSecond ? second.child + j : b;
      if (a != b || childA <= childB)
      {
        pairs.push_back({ ReachBetween(m_Nodes[childA].bounds, m_Nodes[childB].bounds), childA, childB });
      }
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair & x, const Pair & y) { return x.reach > y.reach; });
  for (const Pair & pair : pairs)
  {
    SearchLargest(pair.a, pair.b, largest);
  }
}

double
BoundingBoxTree::SmallestDistance(const BoundingBoxTree & a, const BoundingBoxTree & b, double limit)
{
  double smallest = limit;
  if (!a.IsEmpty() && !b.IsEmpty())
  {
    SearchSmallest(a, 0, b, 0, smallest);
  }
  return smallest;
}

void
BoundingBoxTree::SearchSmallest(const BoundingBoxTree & a,
                                std::uint32_t           nodeA,
                                const BoundingBoxTree & b,
                                std::uint32_t           nodeB,
                                double &                smallest)
{
  const Node & first = a.m_Nodes[nodeA];
  const Node & second = b.m_Nodes[nodeB];
  if (GapBetween(first.bounds, second.bounds, a.m_Spacing) >= smallest)
  {
    return;
  }
  if (first.child == 0 && second.child == 0)
  {
    for (std::uint32_t i = first.begin; i < first.end; ++i)
    {
      for (std::uint32_t j = second.begin; j < second.end; ++j)
      {
        smallest = std::min(smallest, GapBetween(a.m_Boxes[i], b.m_Boxes[j], a.m_Spacing));
      }
    }
    return;
  }
  // Splits the larger of the two and takes its nearer half first.
  int        axis = 0;
  const bool splitsFirst = second.child == 0 || (first.child != 0 && LongestSide(first.bounds, a.m_Spacing, axis) >=
                                                                       LongestSide(second.bounds, a.m_Spacing, axis));
  const std::uint32_t     child = splitsFirst ? first.child : second.child;
  const BoundingBoxTree & tree = splitsFirst ? a : b;
  const VoxelBox &        other = splitsFirst ? second.bounds : first.bounds;
  const bool              swap = GapBetween(tree.m_Nodes[child + 1].bounds, other, a.m_Spacing) <
                    GapBetween(tree.m_Nodes[child].bounds, other, a.m_Spacing);
  for (std::uint32_t i = 0; i < 2; ++i)
  {
    const std::uint32_t next = child + (swap ? 1 - i : i);
    SearchSmallest(a, splitsFirst ? next : nodeA, b, splitsFirst ? nodeB : next, smallest);
  }
}

} // namespace brickccl
