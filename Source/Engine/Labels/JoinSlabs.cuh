// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_JOINSLABS_CUH
#define BRICKCCL_LABELS_JOINSLABS_CUH

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl::cuda
{

/** Joins the components of all slabs by their seams, on the device of one slab, and numbers that slab's components.
 * Each slab's device does this for itself, so that nothing waits for the host. It keeps its memory between calls. */
class SlabNumbers
{
public:
  /** Labels of all slabs are nodes with numbers of 32 bits. */
  static constexpr std::uint64_t MaximumNodes = 0xFFFFFFFFu;

  /** Queues work that need not wait for the sides. \param sides  for each seam the lower slab's, then the upper one's
   * \param components  of all slabs, MaximumNodes at most together */
  void Prepare(const std::vector<const SeamSide *> & sides,
               const std::vector<std::uint64_t> &    components,
               std::size_t                           own,
               cudaStream_t                          stream);

  /** Queues the rest. The sides are read when the stream reaches this point.
   *  \return the numbers in the volume of the labels of slab `own`, by label - 1, in memory of the device. If a side
   *  had too little room, they are the labels. */
  const unsigned long long * Queue(cudaStream_t stream);

  /** Waits until the volume's components are counted. \return how many there are */
  std::uint64_t WaitForCount();

  /** A side in device-readable memory, and copies of its data. */
  struct Side
  {
    SeamSide             there;
    unsigned *           least;
    unsigned long long * further;
    unsigned *           furtherCount;
    /** The node of label 1 of the side's slab. */
    unsigned firstNode;
  };

private:
  void MakeSides(const std::vector<const SeamSide *> & sides);
  void SendSides(cudaStream_t stream);

  std::vector<Side>                m_SidesToSend;
  PinnedBuffer<Side>               m_SidesOnHost;
  DeviceBuffer<Side>               m_Sides;
  DeviceBuffer<unsigned>           m_Least;
  DeviceBuffer<unsigned long long> m_Further;
  DeviceBuffer<unsigned>           m_FurtherCount;
  DeviceBuffer<unsigned>           m_Parent;
  /** For each group of nodes how many up to its end are joined to earlier ones; behind that a bit for each node. */
  DeviceBuffer<unsigned>           m_Joined;
  Workspace                        m_Workspace;
  DeviceBuffer<unsigned long long> m_Numbers;
  PinnedValue<unsigned long long>  m_Count;
  Event                            m_Counted;
  /** The components of the largest side, and the room for pairs of all of them. */
  std::size_t m_Most = 0;
  /** The nodes before each slab; after the last one the total. */
  std::vector<std::uint64_t> m_FirstNodes;
  std::size_t                m_Own = 0;
};

} // namespace brickccl::cuda

#endif
