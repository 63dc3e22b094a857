// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_SEAMSONDEVICE_CUH
#define BRICKCCL_LABELS_SEAMSONDEVICE_CUH

#include "BrickCCL/Cuda/Runtime.cuh"

#include <cstddef>
#include <cstdint>

/** Which components of slabs on devices are one. Where two slabs meet, the last slice of one and the first slice of the
 *  other are labeled as a volume of two slices, the seam. A component of the seam joins all components of both slabs
 *  that it shares voxels with. It has all links between the slabs, so these joins are all there are. The device of each
 *  slab labels the seam for itself: that takes less than sending labels. */
namespace brickccl::cuda
{

/** One side of a seam: the components of its slab that meet components of the seam. It is in page-locked memory of the
 * host, which all devices read. */
struct SeamSide
{
  /** By label of the seam - 1 the least label of the slab that it meets; NoLabel where it meets none. */
  static constexpr unsigned NoLabel = 0xFFFFFFFFu;

  const unsigned * least = nullptr;
  unsigned         components = 0;
  /** Labels of the slab, in the upper half of each word, that are one with the least one of theirs, in the lower half.
   */
  const unsigned long long * further = nullptr;
  /** How many there are. If that is more than there is room for, some are missing. */
  const unsigned * furtherCount = nullptr;
  unsigned         furtherRoom = 0;
};

/** Sets the bits of `places` where labels are not 0: one for each voxel; each row begins with a word. */
void MarkForeground(const unsigned * labels,
                    std::int64_t     rows,
                    std::int64_t     rowLength,
                    unsigned *       places,
                    cudaStream_t     stream);

/** Labels of a slice at some voxels of each run along x, and where these are (DeviceLabeler::WriteRowStartsOnDevice).
 */
struct SliceLabels
{
  DeviceBuffer<unsigned> labels;
  DeviceBuffer<unsigned> places;

  void Resize(std::int64_t rows, std::int64_t rowLength);
};

/** Finds a side. It keeps its memory between calls. */
class SeamOnDevice
{
public:
  /** The labels of the slab's slice at the seam, and the seam's labels there. The caller makes room for both. */
  SliceLabels own;
  SliceLabels seam;

  /** Makes room for the results. \param components  of the seam */
  void Prepare(std::int64_t rows, std::int64_t rowLength, std::uint64_t components, cudaStream_t stream);

  /** Queues what finds it. Both kinds of labels are to be there when the stream comes here. */
  void QueueFind();

  /** The results, once the stream has reached this point. */
  const SeamSide &
  Found() const
  {
    return m_Side;
  }

  /** Whether there was room for all. If not, room is made, so that QueueFind can be called again. */
  bool HadRoom();

private:
  void Clear();

  /** Found pairs, so that each is reported only once, or nearly so. */
  static constexpr std::size_t SetSize = std::size_t{ 1 } << 18;

  /** The least labels, and behind them the number of pairs. */
  DeviceBuffer<unsigned>           m_Least;
  DeviceBuffer<unsigned long long> m_Set;
  std::int64_t                     m_Rows = 0;
  std::int64_t                     m_RowLength = 0;
  cudaStream_t                     m_Stream = nullptr;
  PinnedBuffer<unsigned>           m_LeastOnHost;
  /** The kernel writes them there itself: mostly they are few. */
  PinnedBuffer<unsigned long long> m_Pairs;
#ifdef BRICKCCL_CUDA_ON_HOST
  // So little that tests of small volumes need more.
  unsigned m_Room = 16;
#else
  unsigned m_Room = 1u << 16;
#endif
  SeamSide m_Side;
};

} // namespace brickccl::cuda

#endif
