#ifndef BRICKCCL_LABELS_SEAMSONDEVICE_CUH
#define BRICKCCL_LABELS_SEAMSONDEVICE_CUH

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Labels/SlabMerge.h"

#include <cstdint>
#include <utility>
#include <vector>

/** Which components of slabs on devices are one. Where two slabs meet, the last slice of one and the first slice of the
 *  other are labeled as a volume of two slices, the seam. A component of the seam joins all components of both slabs
 *  that it shares voxels with. It has all links between the slabs, so these joins are all there are. The device of each
 *  slab labels the seam for itself: that takes less than sending labels. */
namespace brickccl::cuda
{

/** What one side of a seam tells: the components of its slab that components of the seam meet. */
struct SeamSide
{
  /** By label of the seam - 1 the least label of the slab that it meets; NoLabel where it meets none. */
  static constexpr unsigned NoLabel = 0xFFFFFFFFu;

  const unsigned * least = nullptr;
  std::uint64_t    components = 0;
  /** Labels of the slab that are one with the least one of theirs. */
  std::vector<std::pair<unsigned, unsigned>> further;
};

/** Finds what a side tells. It keeps its memory between calls. */
class SeamOnDevice
{
public:
  /** The labels of the slab's slice at the seam, and those of the seam there. */
  DeviceBuffer<unsigned> own;
  DeviceBuffer<unsigned> seam;

  /** Queues finding, behind what writes both kinds of labels on the stream.
   *  \param voxels  of the slice
   *  \param components  those of the seam */
  void Queue(std::int64_t voxels, std::int64_t rowLength, std::uint64_t components, cudaStream_t stream);

  /** Waits for the stream. \return what was found; it is good until the next call */
  const SeamSide & Fetch();

private:
  void QueueKernels();

  /** Pairs that were found, so that each is told once, or nearly so. */
  static constexpr std::size_t SetSize = std::size_t{ 1 } << 18;

  DeviceBuffer<unsigned>           m_Least;
  DeviceBuffer<unsigned long long> m_Set;
  DeviceBuffer<unsigned long long> m_Pairs;
  DeviceBuffer<unsigned>           m_Count;
  PinnedValue<unsigned>            m_Found;
  std::int64_t                     m_Voxels = 0;
  std::int64_t                     m_RowLength = 0;
  cudaStream_t                     m_Stream = nullptr;
  PinnedBuffer<unsigned>           m_LeastOnHost;
  std::size_t                      m_Capacity = std::size_t{ 1 } << 16;
  SeamSide                         m_Side;
};

/** Joins what both sides of a seam tell. */
void JoinSides(const SeamSide & lower, const SeamSide & upper, std::size_t slab, SlabMerge & merge);

/** Memory for the numbers of a slab's labels, kept between calls. */
class SlabNumbers
{
public:
  /** Queues the numbers in the volume of the labels 1..components of a slab. \return them, by label - 1 */
  const unsigned long long *
  Queue(const SlabMerge & merge, std::size_t slab, std::uint64_t components, cudaStream_t stream);

private:
  DeviceBuffer<unsigned long long> m_Numbers;
  /** Labels, and behind them their numbers. */
  DeviceBuffer<unsigned long long> m_Joined;
  PinnedBuffer<unsigned long long> m_JoinedOnHost;
  /** When the last copy from there is done. */
  Event m_Copied;
};

} // namespace brickccl::cuda

#endif
