#ifndef BRICKCCL_CLEAN_ENTERINGVOXELS_H
#define BRICKCCL_CLEAN_ENTERINGVOXELS_H

#include "BrickCCL/Clean/PaddedPlaces.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The voxels that become foreground from one threshold to the next. Thresholds are taken in the order in which the
 *  foreground grows; their numbers in this order are called turns. Turn 0 has the smallest foreground, whose voxels are
 *  not listed. */
class EnteringVoxels
{
public:
  /** Extents with more places are not taken, since places have 32 bits here. */
  static constexpr std::int64_t MaximumPlaces = std::int64_t{ 1 } << 32;

  /** Estimates the voxels of each turn from some of the rows. The parameters are those of the constructor. */
  static std::vector<std::uint64_t>
  Estimate(const ImageView & image, const std::vector<double> & thresholds, bool below, const HostContext & context);

  /** Counts the voxels of each turn.
   *  \param image       of one channel
   *  \param thresholds  ascending
   *  \param below       whether voxels at or below a threshold are foreground; otherwise those at or above */
  EnteringVoxels(const ImageView &           image,
                 const std::vector<double> & thresholds,
                 bool                        below,
                 const HostContext &         context)
    : EnteringVoxels(image, thresholds, below, context, 1)
  {}

  /** How many voxels become foreground at a turn from 1 on. */
  std::uint64_t
  Count(int turn) const
  {
    return m_Counts[static_cast<std::size_t>(turn)];
  }

  /** Lists the places of the voxels of some turns. */
  void List(const std::vector<bool> & isListed, const PaddedPlaces & places, const HostContext & context);

  /** The places of the voxels of a turn that was listed, ascending. */
  const std::uint32_t *
  Begin(int turn) const
  {
    return m_Places.Data() + m_First[static_cast<std::size_t>(turn)];
  }
  const std::uint32_t *
  End(int turn) const
  {
    return m_Places.Data() + m_First[static_cast<std::size_t>(turn) + 1];
  }

private:
  template <typename T>
  class Turns;

  /** Counts in one of `every` rows. */
  EnteringVoxels(const ImageView &           image,
                 const std::vector<double> & thresholds,
                 bool                        below,
                 const HostContext &         context,
                 std::int64_t                every);

  /** Calls `visit(chunk, row, x, turn)` for the voxels of one of `every` rows that enter, chunk by chunk in parallel.
   */
  template <typename TVisit>
  void ForEach(const HostContext & context, std::int64_t every, TVisit visit) const;

  ImageView           m_Image;
  std::vector<double> m_Thresholds;
  bool                m_Below;
  Chunks              m_Chunks;

  /** By chunk and turn the number of voxels, later the place in m_Places of the next one. */
  std::vector<std::vector<std::uint64_t>> m_OfChunk;
  /** By turn the number of voxels. */
  std::vector<std::uint64_t> m_Counts;
  /** By turn the place in m_Places of the first voxel. */
  std::vector<std::uint64_t> m_First;
  Buffer<std::uint32_t>      m_Places;
};

} // namespace brickccl

#endif
