// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_BRICKCOUNTS_H
#define BRICKCCL_BRICKS_BRICKCOUNTS_H

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Measuring/LocalCounts.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Sums over the neighboring voxels of components. For a single brick they may be below 0 (modulo 2^64). */
struct BrickCounts
{
  /** The checksum of the record of the brick. */
  std::uint64_t record = 0;
  /** Labels of the volume, ascending, and the sums of each. */
  std::vector<std::uint64_t>      labels;
  UninitializedVector<MarkCounts> pairs;
  std::vector<TopologyMeasures>   euler;

  /** Adds the sums of components, or takes them away. */
  void
  Add(const UninitializedVector<MarkCounts> & otherPairs, const std::vector<TopologyMeasures> & otherEuler, bool adds);
};

Bytes       WriteCounts(const BrickCounts & counts);
BrickCounts ReadCounts(BytesView bytes);

} // namespace brickccl

#endif
