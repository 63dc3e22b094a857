#ifndef BRICKCCL_LABELS_SLABMERGE_H
#define BRICKCCL_LABELS_SLABMERGE_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Host/Parallel.h"

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
 *  Nearly all of its time goes with the number of joins: of labels that are not joined it looks at one bit each. */
class SlabMerge
{
public:
  SlabMerge() = default;
  /** \param components  those of each slab, in raster order of the slabs */
  explicit SlabMerge(const std::vector<std::uint64_t> & components);

  /** Starts anew with these slabs. The memory is used again. */
  void Reset(const std::vector<std::uint64_t> & components);

  /** Says that two labels belong to one component. Several threads may say so at the same time. */
  void Join(std::size_t slab, std::uint64_t label, std::size_t otherSlab, std::uint64_t otherLabel);

  /** Numbers the components in raster order. No joins may follow. */
  void Finish(const HostContext & context = {});

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
  std::uint64_t JoinedBefore(std::uint64_t node) const;
  std::uint64_t NumberOf(std::uint64_t root) const;
  void          FillJoined(std::size_t slab, std::int64_t beginWord, std::int64_t endWord);
  template <typename TVisit>
  void VisitJoined(std::int64_t beginWord, std::int64_t endWord, const TVisit & visit) const;

  /** The nodes are the labels of all slabs. A node's parent is an earlier one, or it is a root. */
  std::vector<std::uint64_t> m_FirstNode;
  /** 0 for a root, else one more than the parent. Most of it is never touched. As in Forest.h, a root stops being one
   *  only by a compare-and-swap, and every other store replaces a parent by an ancestor; so threads may share it. */
  std::unique_ptr<std::uint64_t[], Free> m_ParentPlus1;
  std::size_t                            m_Capacity = 0;
  /** A bit for each node: whether it has a parent. Behind it one word more. */
  std::vector<Word> m_HasParent;
  /** How many nodes before each word of these bits have a parent. */
  std::vector<std::uint64_t>            m_JoinedBeforeWord;
  std::vector<std::vector<JoinedLabel>> m_JoinedOfSlab;
  std::vector<std::uint64_t>            m_FirstNumber;
};

} // namespace brickccl

#endif
