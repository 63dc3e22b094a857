#ifndef BRICKCCL_LABELS_SEAMSONDEVICE_CUH
#define BRICKCCL_LABELS_SEAMSONDEVICE_CUH

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/SlabMerge.h"

#include <cstddef>
#include <cstdint>
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
  /** Labels of the slab, in the upper half of each word, that are one with the least one of theirs, in the lower half.
   */
  const unsigned long long * further = nullptr;
  std::size_t                furtherCount = 0;
};

/** Finds what a side tells. It keeps its memory between calls. */
class SeamOnDevice
{
public:
  /** The labels of the slab's slice at the seam, whose room the caller makes, and those of the seam there. */
  DeviceBuffer<unsigned> own;
  DeviceBuffer<unsigned> seam;

  /** Makes room for the labels of the seam. Both kinds are to be there when the stream comes to Find().
   *  \param voxels  of the slice
   *  \param components  those of the seam */
  void Prepare(std::int64_t voxels, std::uint64_t components, cudaStream_t stream);

  /** Waits for the stream. \return what was found; it is good until the next call */
  const SeamSide & Find();

private:
  void Clear();
  void QueueKernels();

  /** Pairs that were found, so that each is told once, or nearly so. */
  static constexpr std::size_t SetSize = std::size_t{ 1 } << 18;

  DeviceBuffer<unsigned>           m_Least;
  DeviceBuffer<unsigned long long> m_Set;
  DeviceBuffer<unsigned>           m_Count;
  PinnedValue<unsigned>            m_Found;
  std::int64_t                     m_Voxels = 0;
  cudaStream_t                     m_Stream = nullptr;
  PinnedBuffer<unsigned>           m_LeastOnHost;
  /** The kernel writes them there itself: mostly they are few. */
  PinnedBuffer<unsigned long long> m_Pairs;
  std::size_t                      m_Capacity = std::size_t{ 1 } << 16;
  SeamSide                         m_Side;
};

/** Joins what all sides tell: of each seam the lower slab's, then the upper one's. */
void JoinSides(const std::vector<const SeamSide *> & sides, SlabMerge & merge, const HostContext & context);

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
