// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <functional>
#include <vector>

namespace brickccl
{

/** Cuts the rows of a volume into enough chunks for threads of different speed to finish together. */
Chunks RowChunks(const Extent & extent, const HostContext & context);

/** Sets bit x if the voxels at x of a row and an earlier one are joined. `candidates` is room for a row's words. */
void PackStraightLinks(const RowLinks &    links,
                       const RunVolume &   volume,
                       std::int64_t        row,
                       std::int64_t        earlier,
                       std::vector<Word> & candidates,
                       Word *              bits);

/** Finds the runs of every row: maximal lines of foreground voxels, each joined to the one before it. `volume` gets
 *  the bits, the starts and the number of every row's first run, and the links and numbers of runs before words that
 *  `axes` asks for. `afterRows(chunk, begin, end)` is called as soon as the bits and starts of the rows [begin, end)
 *  are known, while their pixels are in the caches. One thread calls it for the rows of a chunk of RowChunks, in order.
 *  Each call has as many rows as fit into simd::BoundWords, or one row.
 *  \throws Unsupported for rows of 2^32 voxels or more. */
void FindRuns(const RowLinks &                                                                      links,
              const Extent &                                                                        extent,
              const LinkAxes &                                                                      axes,
              const HostContext &                                                                   context,
              RunVolume &                                                                           volume,
              const std::function<void(std::int64_t chunk, std::int64_t begin, std::int64_t end)> & afterRows = {});

} // namespace brickccl
