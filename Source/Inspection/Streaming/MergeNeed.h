// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_MERGENEED_H
#define BRICKCCL_STREAMING_MERGENEED_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace brickccl
{

/** The additional memory for numbering per component of slabs: sorting needs up to four numbers, unwrapping
 *  up to 16 more. */
constexpr std::uint64_t
NumberingBytes(const PeriodicAxes & periodic)
{
  return periodic.HasAny() ? 160 : 32;
}

/** The memory for merging slabs. */
struct MergeNeed
{
  /** The components of all slabs. */
  std::uint64_t parts = 0;
  /** At most, with numbering. */
  std::uint64_t bytes = 0;
};

/** Computes it from records, one after the other, in little memory. \param record  of a slab; the slabs make up one
 *  volume in raster order */
MergeNeed
NeedOfMerging(std::size_t slabs, const std::function<Bytes(std::size_t slab)> & record, const PeriodicAxes & periodic);

/** The memory for merging tables, very probably an upper limit: the rows of slabs and of the volume, with the sums of
 *  the groups that are measured. \param parts       the components of all slabs \param components  the volume's
 *  components */
std::uint64_t BytesOfTables(const ColumnGroups & groups,
                            bool                 isPeriodic,
                            bool                 hasClasses,
                            bool                 hasIntensity,
                            std::uint64_t        parts,
                            std::uint64_t        components);

} // namespace brickccl

#endif
