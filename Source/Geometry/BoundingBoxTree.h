#ifndef BRICKCCL_GEOMETRY_BOUNDINGBOXTREE_H
#define BRICKCCL_GEOMETRY_BOUNDINGBOXTREE_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Progress.h"

#include <algorithm>
#include <cstdint>
#include <limits>
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

/** A set of boxes of voxels (runs, single voxels). The tree halves the set again and again along its longest side, so
 *  that a search for a distance within the set, or between two sets, looks at few boxes. Distances are squared, in the
 *  unit of `spacing`. */
class BoundingBoxTree
{
public:
  BoundingBoxTree() = default;
  /** Takes the boxes and puts them in another order. \throws Cancelled */
  BoundingBoxTree(std::vector<VoxelBox> boxes, const double * spacing, const Progress & progress = {});

  bool
  IsEmpty() const
  {
    return m_Boxes.empty();
  }
  const VoxelBox &
  Bounds() const
  {
    return m_Nodes.front().bounds;
  }

  /** The largest squared distance between the centres of two voxels of the set; 0 for less than two. */
  double LargestDistance() const;

  /** The smallest squared distance between voxels, taken as boxes, of two sets; `limit` if it is not below that. */
  static double SmallestDistance(const BoundingBoxTree & a, const BoundingBoxTree & b, double limit);

  /** The smallest squared distance that voxels, taken as boxes, of two boxes of voxels can have. */
  static double GapBetween(const VoxelBox & a, const VoxelBox & b, const double * spacing);

private:
  struct Node
  {
    VoxelBox      bounds;
    std::uint32_t begin;
    std::uint32_t end;
    /** The first of two children, which lie side by side in the list; 0 for a leaf. */
    std::uint32_t child = 0;
  };

  void        Split(std::uint32_t node);
  double      ReachBetween(const VoxelBox & a, const VoxelBox & b) const;
  void        SearchLargest(std::uint32_t a, std::uint32_t b, double & largest) const;
  static void SearchSmallest(const BoundingBoxTree & a,
                             std::uint32_t           nodeA,
                             const BoundingBoxTree & b,
                             std::uint32_t           nodeB,
                             double &                smallest);

  double                m_Spacing[MaximumDimension] = { 1, 1, 1, 1 };
  std::vector<VoxelBox> m_Boxes;
  std::vector<Node>     m_Nodes;
};

} // namespace brickccl

#endif
