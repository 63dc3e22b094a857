#ifndef BRICKCCL_CLEAN_GROWINGCOMPONENTS_H
#define BRICKCCL_CLEAN_GROWINGCOMPONENTS_H

#include "BrickCCL/Clean/PaddedPlaces.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The components of a foreground to which voxels are added: how many there are, and how large the largest one is. A
 *  voxel that is added looks at its neighbours, and joins the sets of those that are foreground.
 *
 *  Memory: 3 bits for each voxel of the volume, and 256 bytes for each 64 voxels of a row of which at least one becomes
 *  foreground. */
class GrowingComponents
{
public:
  GrowingComponents(const Extent & extent, const Connectivity & connectivity, const PaddedPlaces & places);

  /** Begins with labeled components. \param sizes  their voxels, by label - 1 */
  void Start(const RunVolume & labeled, std::vector<std::uint64_t> sizes);

  /** Makes room for voxels that will be added. */
  void Expect(const std::uint32_t * begin, const std::uint32_t * end);
  /** Ends the calls of Expect, and writes the labels of the components that were there at the start. */
  void Prepare(const RunVolume & labeled);

  /** Adds voxels, of which none is foreground. */
  void Add(const std::uint32_t * begin, const std::uint32_t * end);

  std::uint64_t
  Components() const
  {
    return m_Components;
  }
  std::uint64_t
  Largest() const
  {
    return m_Largest;
  }
  std::uint64_t
  Voxels() const
  {
    return m_Voxels;
  }

private:
  using Node = std::uint32_t;

  /** Neighbours in one row: bit i of `steps` says that the voxel `offset` + i places on is one. */
  struct Neighbours
  {
    std::int64_t offset;
    Word         steps;
  };

  Node & NodeAt(std::int64_t place);
  Node   RootOf(Node node);
  void   PrefetchBits(std::int64_t place) const;
  void   PrefetchNodes(std::int64_t place);
  void   AddVoxel(std::int64_t place);
  Node   Unite(Node a, Node b);

  Extent                  m_Extent;
  PaddedPlaces            m_Places;
  std::vector<Neighbours> m_Neighbours;
  /** Whether neighbours along x are joined, so that of several in succession one is enough. */
  bool m_JoinsAlongX;

  /** A bit for each place that is foreground now, and that will be. */
  Buffer<Word> m_Foreground;
  Buffer<Word> m_Expected;
  /** For each word of places the block of nodes that it has. */
  Buffer<std::uint32_t> m_Block;
  /** 64 for each block, by place. */
  Buffer<Node> m_Nodes;

  std::vector<Node>          m_Parent;
  std::vector<std::uint64_t> m_Sizes;
  std::uint64_t              m_Components = 0;
  std::uint64_t              m_Largest = 0;
  std::uint64_t              m_Voxels = 0;
};

} // namespace brickccl

#endif
