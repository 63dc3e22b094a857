// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_RUNBYTES_H
#define BRICKCCL_BRICKS_RUNBYTES_H

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Writes the runs of a labeled brick, whose labels are 1.. in raster order or 0. Runs of the label 0 are left out.
 *
 *  A run that is near to one of the row before, with the same label and bounds that differ by -4 to 3, takes 1 byte.
 *  Other runs have the gap before them, their length, and their label unless it is the expected one: the label of the
 *  first run of the row before that it overlaps, or else the next label that no row before has. Blocks of rows are
 *  written and read on their own, by threads. */
void WriteRuns(const RunVolume & volume, const HostContext & context, ByteWriter & writer);

/** Reads them with other labels: labels[i] instead of label i. \param labels  for 0 .. the brick's number of
 *  labels. \throws Error for damaged bytes. */
void ReadRuns(ByteReader &                       reader,
              const Extent &                     extent,
              const std::vector<std::uint64_t> & labels,
              const HostContext &                context,
              RunVolume &                        volume);

} // namespace brickccl

#endif
