// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** A box of voxels, from `low` up to and with `high`. */
struct VoxelBox
{
  std::int64_t low[MaximumDimension] = {};
  std::int64_t high[MaximumDimension] = {};

  void
  Include(const VoxelBox & other)
  {
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      low[axis] = std::min(low[axis], other.low[axis]);
      high[axis] = std::max(high[axis], other.high[axis]);
    }
  }
};

/** A set of boxes of voxels (runs, single voxels) in BoundingBoxTrees, which must live as long. The tree halves the
 *  set again and again along its longest side, so that a search for a distance within the set, or between two sets,
 *  visits few boxes. Distances are squared, in the unit of the spacing. */
class BoundingBoxTree
{
public:
  bool
  IsEmpty() const
  {
    return m_IsEmpty;
  }
  const VoxelBox &
  Bounds() const
  {
    return m_Nodes[0].bounds;
  }

  /** The largest squared distance between the centers of two voxels of the set; 0 for less than two. */
  double LargestDistance() const;

  /** The smallest squared distance between voxels, taken as boxes, of two sets; `limit` if it is not below that. */
  static double SmallestDistance(const BoundingBoxTree & a, const BoundingBoxTree & b, double limit);

  /** The smallest squared distance that voxels, taken as boxes, of two boxes of voxels can have. */
  static double
  GapBetween(const VoxelBox & a, const VoxelBox & b, const double * spacing)
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

private:
  friend class BoundingBoxTrees;

  struct Node
  {
    VoxelBox      bounds;
    std::uint32_t begin;
    std::uint32_t end;
    /** The first of two children, which are side by side in the list; 0 for a leaf. */
    std::uint32_t child;
  };

  BoundingBoxTree(bool isEmpty, const VoxelBox * boxes, const Node * nodes, const double * spacing)
    : m_IsEmpty(isEmpty)
    , m_Boxes(boxes)
    , m_Nodes(nodes)
    , m_Spacing(spacing)
  {}

  double      ReachBetween(const VoxelBox & a, const VoxelBox & b) const;
  void        SearchLargest(std::uint32_t a, std::uint32_t b, double & largest) const;
  static void SearchSmallest(const BoundingBoxTree & a,
                             std::uint32_t           nodeA,
                             const BoundingBoxTree & b,
                             std::uint32_t           nodeB,
                             double &                smallest);

  bool             m_IsEmpty;
  const VoxelBox * m_Boxes;
  const Node *     m_Nodes;
  const double *   m_Spacing;
};

/** The trees of a set of boxes, or of many sets, which lie one behind the other in memory. */
class BoundingBoxTrees
{
public:
  /** Takes the boxes of one set and puts them in another order. \throws Canceled */
  BoundingBoxTrees(UninitializedVector<VoxelBox> boxes, const double * spacing, const HostContext & context = { 1 });

  /** Takes the boxes of many sets and reorders each set. \throws Canceled
   *  \param begins  the first box of each set, and the number of boxes */
  BoundingBoxTrees(UninitializedVector<VoxelBox> boxes,
                   std::vector<std::uint64_t>    begins,
                   const double *                spacing,
                   const HostContext &           context);

  std::size_t
  size() const
  {
    return m_Begins.size() - 1;
  }

  std::size_t
  MemoryBytes() const
  {
    return m_Boxes.capacity() * sizeof(VoxelBox) + m_Nodes.capacity() * sizeof(Node);
  }

  BoundingBoxTree
  operator[](std::size_t set) const
  {
    return { m_Begins[set] == m_Begins[set + 1],
             m_Boxes.data() + m_Begins[set],
             m_Nodes.data() + m_FirstNodes[set],
             m_Spacing };
  }

private:
  using Node = BoundingBoxTree::Node;

  void Build(const double * spacing, const HostContext & context);
  void BuildTree(std::size_t set, StopPoint & stop);
  bool Split(VoxelBox * boxes, Node * nodes, std::uint32_t node, std::uint32_t child) const;

  double                        m_Spacing[MaximumDimension];
  UninitializedVector<VoxelBox> m_Boxes;
  std::vector<std::uint64_t>    m_Begins;
  std::vector<std::uint64_t>    m_FirstNodes;
  UninitializedVector<Node>     m_Nodes;
};

} // namespace brickccl
