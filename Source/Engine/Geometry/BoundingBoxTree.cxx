// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/BoundingBoxTree.h"

#include "BrickCCL/Core/Error.h"

#include <cstdlib>
#include <utility>

namespace brickccl
{

constexpr std::uint32_t LeafSize = 8;

static double
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

BoundingBoxTrees::BoundingBoxTrees(UninitializedVector<VoxelBox> boxes,
                                   const double *                spacing,
                                   const HostContext &           context)
  : m_Boxes(std::move(boxes))
  , m_Begins{ 0, m_Boxes.size() }
{
  Build(spacing, context);
}

BoundingBoxTrees::BoundingBoxTrees(UninitializedVector<VoxelBox> boxes,
                                   std::vector<std::uint64_t>    begins,
                                   const double *                spacing,
                                   const HostContext &           context)
  : m_Boxes(std::move(boxes))
  , m_Begins(std::move(begins))
{
  Build(spacing, context);
}

void
BoundingBoxTrees::Build(const double * spacing, const HostContext & context)
{
  std::copy(spacing, spacing + MaximumDimension, m_Spacing);
  StopPoint     stop(context);
  std::uint64_t nodes = 0;
  m_FirstNodes.reserve(size());
  for (std::size_t set = 0; set < size(); ++set)
  {
    stop.AskAt(set);
    m_FirstNodes.push_back(nodes);
    // At the most, since a large node has halves of at least half a leaf.
    const std::uint64_t boxesOfSet = m_Begins[set + 1] - m_Begins[set];
    nodes += boxesOfSet == 0 ? 0 : boxesOfSet <= LeafSize ? 1 : boxesOfSet / 2;
  }
  m_Nodes = MakeUnset<Node>(static_cast<std::size_t>(nodes));
  const Chunks parts(static_cast<std::int64_t>(size()), 1, 256);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    for (std::int64_t set = parts.Begin(part); set < parts.End(part); ++set)
    {
      stop.AskAt(static_cast<std::uint64_t>(set));
      BuildTree(static_cast<std::size_t>(set), stop);
    }
  });
}

void
BoundingBoxTrees::BuildTree(std::size_t set, StopPoint & stop)
{
  const std::uint64_t count = m_Begins[set + 1] - m_Begins[set];
  ThrowIf<Unsupported>(count > std::numeric_limits<std::uint32_t>::max() / 2,
                       "distances between sets of " + std::to_string(count) + " runs are not supported");
  if (count == 0)
  {
    return;
  }
  VoxelBox * const boxes = m_Boxes.data() + m_Begins[set];
  Node * const     nodes = m_Nodes.data() + m_FirstNodes[set];
  nodes[0].begin = 0;
  nodes[0].end = static_cast<std::uint32_t>(count);
  std::uint32_t nodeCount = 1;
  // Children are added at the end, so that this loop visits them, too.
  for (std::uint32_t node = 0; node < nodeCount; ++node)
  {
    // The first nodes hold the most boxes.
    if (count > LeafSize && (node < 256 || node % 256 == 0))
    {
      stop.Ask();
    }
    nodeCount += Split(boxes, nodes, node, nodeCount) ? 2 : 0;
  }
}

/** Sets the bounds of a node and, if it is large, its two children, which are at `child`. */
bool
BoundingBoxTrees::Split(VoxelBox * boxes, Node * nodes, std::uint32_t node, std::uint32_t child) const
{
  const std::uint32_t begin = nodes[node].begin;
  const std::uint32_t end = nodes[node].end;
  VoxelBox            bounds = boxes[begin];
  for (std::uint32_t i = begin + 1; i < end; ++i)
  {
    bounds.Include(boxes[i]);
  }
  nodes[node].bounds = bounds;
  nodes[node].child = 0;
  int          axis = 0;
  const double longest = LongestSide(bounds, m_Spacing, axis);
  if (end - begin <= LeafSize || longest == 0)
  {
    return false;
  }
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(boxes + begin, boxes + middle, boxes + end, [axis](const VoxelBox & a, const VoxelBox & b) {
    return a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis];
  });
  nodes[node].child = child;
  nodes[child].begin = begin;
  nodes[child].end = nodes[child + 1].begin = middle;
  nodes[child + 1].end = end;
  return true;
}

/** The largest squared distance that the centers of voxels of two boxes can have. */
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
