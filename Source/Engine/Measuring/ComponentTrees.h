// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

VoxelBox BoxOfRun(const RowPosition & position, std::int64_t begin, std::int64_t end);

/** Makes a tree of the runs of each component, in the order of the table's rows. */
BoundingBoxTrees
MakeComponentTrees(const RunVolume & volume, const HostContext & context, const ComponentTable & table);

/** A tree over the boxes of components, which leads to those near a box. */
class ComponentBoxTree
{
public:
  /** \param trees  of the runs of components, none empty \param spacing  must outlive this tree \throws Canceled */
  ComponentBoxTree(const BoundingBoxTrees & trees, const double * spacing, const HostContext & context);

  /** Calls `visit(component)` for each component near a box, near ones early. \param isHopeless  isHopeless(square,
   *  component): whether components at this squared distance or farther, from this one on, do not matter */
  template <typename TIsHopeless, typename TVisit>
  void
  Visit(const VoxelBox & box, TIsHopeless && isHopeless, TVisit && visit) const
  {
    if (!m_Nodes.empty())
    {
      Visit(0, box, isHopeless, visit);
    }
  }

private:
  struct Node
  {
    VoxelBox    bounds;
    std::size_t begin;
    std::size_t end;
    std::size_t earliest;
    std::size_t children[2] = { 0, 0 };
  };

  std::size_t Build(std::size_t begin, std::size_t end, StopPoint & stop);

  template <typename TIsHopeless, typename TVisit>
  void
  Visit(std::size_t index, const VoxelBox & box, TIsHopeless & isHopeless, TVisit & visit) const
  {
    const Node & node = m_Nodes[index];
    if (isHopeless(BoundingBoxTree::GapBetween(box, node.bounds, m_Spacing), node.earliest))
    {
      return;
    }
    if (node.children[0] == 0)
    {
      for (std::size_t i = node.begin; i < node.end; ++i)
      {
        visit(m_Components[i].place);
      }
      return;
    }
    const std::size_t left = node.children[0];
    const std::size_t right = node.children[1];
    const bool        leftFirst = BoundingBoxTree::GapBetween(box, m_Nodes[left].bounds, m_Spacing) <=
                           BoundingBoxTree::GapBetween(box, m_Nodes[right].bounds, m_Spacing);
    Visit(leftFirst ? left : right, box, isHopeless, visit);
    Visit(leftFirst ? right : left, box, isHopeless, visit);
  }

  struct Component
  {
    VoxelBox    bounds;
    std::size_t place;
  };

  const double *         m_Spacing;
  std::vector<Component> m_Components;
  std::vector<Node>      m_Nodes;
};

/** Rows of an image that come after each other, such as a slab. */
struct RowsOfImage
{
  const Extent & image;
  std::int64_t   first = 0;
  const double * spacing;
};

/** The same of such rows, where labels are 1 to `components`. */
BoundingBoxTrees MakeComponentTrees(const RunVolume &   volume,
                                    std::uint64_t       components,
                                    const RowsOfImage & rows,
                                    const HostContext & context);

/** A tree of the voxels outside the part that can be nearest to its voxels: those adjacent to the part, and all in the
 *  first and last rows of a part of the image that has more. */
BoundingBoxTrees MakeTreeBesidePart(const RunVolume & outside, const RowsOfImage & rows, const HostContext & context);

/** Lowers squared distances of components to those to the voxels of a tree. */
void LowerDistances(const BoundingBoxTrees & components,
                    const BoundingBoxTree &  beside,
                    const HostContext &      context,
                    std::vector<double> &    squares);

/** Gives a table that was measured without the part its distances, infinite if there are none; all are in the part. */
void SetPartDistances(const std::vector<double> & squares, std::uint64_t partVoxels, ComponentTable & table);

} // namespace brickccl
