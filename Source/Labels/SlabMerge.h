#ifndef BRICKCCL_LABELS_SLABMERGE_H
#define BRICKCCL_LABELS_SLABMERGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace brickccl
{

/** A label of a slab whose component has an earlier label, of this slab or of one before. */
struct JoinedLabel
{
  std::uint64_t label;
  /** The component's number in the volume. */
  std::uint64_t number;
};

/** Numbers the components of a volume from those of its slabs, each of which has labels 1, 2, 3 ... in raster order.
 *  Its time goes with the number of joins, not with that of the components. */
class SlabMerge
{
public:
  /** \param components  those of each slab, in raster order of the slabs */
  explicit SlabMerge(const std::vector<std::uint64_t> & components);

  /** Says that two labels belong to one component. */
  void Join(std::size_t slab, std::uint64_t label, std::size_t otherSlab, std::uint64_t otherLabel);

  /** Numbers the components in raster order. No joins may follow. */
  void Finish();

  /** The following are there once Finish has returned. */

  std::uint64_t ComponentCount() const;
  /** The labels of a slab that were joined to earlier ones, ascending. Another label has the number
   *  `FirstNumber(slab) + label - 1`, less the number of joined labels of this slab before it. */
  const std::vector<JoinedLabel> & Joined(std::size_t slab) const;
  /** One more than the number of the volume's components that begin in earlier slabs. */
  std::uint64_t FirstNumber(std::size_t slab) const;

private:
  struct Free
  {
    void operator()(std::uint64_t * memory) const;
  };

  std::uint64_t RootOf(std::uint64_t node);

  /** The nodes are the labels of all slabs. A node's parent is an earlier one, or it is a root. */
  std::vector<std::uint64_t> m_FirstNode;
  /** 0 for a root, else one more than the parent. Most of it is never touched. */
  std::unique_ptr<std::uint64_t[], Free> m_ParentPlus1;
  /** The nodes that have a parent. */
  std::vector<std::uint64_t>            m_Joined;
  std::vector<std::vector<JoinedLabel>> m_JoinedOfSlab;
  std::vector<std::uint64_t>            m_FirstNumber;
};

} // namespace brickccl

#endif
