// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Labels/UnwrapPieces.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace brickccl
{

/** An array that grows without moving its elements, so that it never takes the memory of two arrays. */
template <typename T>
class BlockArray
{
public:
  static constexpr std::uint64_t BlockSize = 1 << 16;
  static constexpr std::size_t   BlockBytes = static_cast<std::size_t>(BlockSize) * sizeof(T);

  void
  Append(const T & element)
  {
    if (m_Size % BlockSize == 0)
    {
      m_Blocks.push_back(std::make_unique<T[]>(BlockSize));
    }
    (*this)[m_Size++] = element;
  }
  T &
  operator[](std::uint64_t i)
  {
    return m_Blocks[static_cast<std::size_t>(i / BlockSize)][static_cast<std::size_t>(i % BlockSize)];
  }
  const T &
  operator[](std::uint64_t i) const
  {
    return m_Blocks[static_cast<std::size_t>(i / BlockSize)][static_cast<std::size_t>(i % BlockSize)];
  }
  std::uint64_t
  Size() const
  {
    return m_Size;
  }
  std::size_t
  MemoryBytes() const
  {
    return m_Blocks.size() * BlockBytes;
  }
  /** The memory per element for this many elements. */
  static std::size_t
  BytesFor(std::uint64_t elements)
  {
    return static_cast<std::size_t>((elements + BlockSize - 1) / BlockSize) * BlockBytes;
  }

private:
  std::vector<std::unique_ptr<T[]>> m_Blocks;
  std::uint64_t                     m_Size = 0;
};

/** Bricks' components as nodes, joined to the volume's components. Neither the order of joins nor threads matter. */
class PartForest
{
public:
  void
  Append(std::uint64_t firstVoxel, std::uint64_t voxels)
  {
    m_Nodes.Append({ m_Nodes.Size(), firstVoxel, voxels });
  }
  std::uint64_t
  Size() const
  {
    return m_Nodes.Size();
  }

  /** Joins two nodes, while other threads may join others. */
  void Join(std::uint64_t a, std::uint64_t b);
  /** Joins two nodes through ends of periodic axes. No other thread uses the forest. */
  void
  JoinThroughEnds(const EndLink & link)
  {
    m_EndLinks.Add(link);
  }

  /** Numbers the components of the volume; nothing can be joined afterwards. \param limits  on sizes, and the order
   *  \param report  holds what was dropped before; receives the rest \return how many components there are */
  std::uint64_t Number(const Extent &         volume,
                       const PeriodicAxes &   periodic,
                       const RelabelOptions & limits,
                       const HostContext &    context,
                       RelabelReport &        report);

  /** After Number, the number of the component that a node belongs to; 0 if that was dropped. */
  std::uint64_t
  NumberOf(std::uint64_t node) const
  {
    return m_Nodes[node].firstVoxel;
  }
  /** After Number with periodic axes, the place of a node in its component. */
  UnwrappedRow UnwrappedOf(std::uint64_t node) const;

  std::size_t
  MemoryBytes() const
  {
    return m_Nodes.MemoryBytes() + m_EndLinks.MemoryBytes() + m_Places.capacity() * sizeof(std::uint32_t) +
           m_Unwrapping.shifts.capacity() * (sizeof(Unwrapping::Shift) + 1);
  }
  /** The memory per node for this many nodes, without links through ends. */
  static std::size_t
  BytesFor(std::uint64_t nodes)
  {
    return BlockArray<Node>::BytesFor(nodes);
  }

private:
  struct Node
  {
    /** No later node than itself; a root is its own. */
    std::uint64_t parent = 0;
    /** For a root finally its component's value, and then the number. */
    std::uint64_t firstVoxel = 0;
    /** For a root finally its component's values. */
    std::uint64_t voxels = 0;
  };
  struct Parents;

  void                       Flatten(const HostContext & context);
  void                       SumUp(const HostContext & context);
  std::vector<std::uint64_t> ListRoots(const HostContext & context) const;
  void                       Unwrap(const HostContext & context, std::vector<std::uint64_t> & roots);

  BlockArray<Node> m_Nodes;
  EndLinks         m_EndLinks;
  Unwrapping       m_Unwrapping;
  /** By node its place in the unwrapping, if there are periodic axes. */
  std::vector<std::uint32_t> m_Places;
};

} // namespace brickccl
