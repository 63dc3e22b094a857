#ifndef BRICKCCL_RUNS_FINDRUNS_H
#define BRICKCCL_RUNS_FINDRUNS_H

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <functional>
#include <vector>

namespace brickccl
{

/** Cuts a volume's rows into enough pieces that threads of different speed finish together. */
Chunks RowChunks(const Extent & extent, const HostContext & context);

/** Whether each voxel of a row is joined to the one at the same place of another row, as bits. `candidates` is room for
 *  the words of a row. */
void PackStraightLinks(const RowLinks &    links,
                       const RunVolume &   volume,
                       std::int64_t        row,
                       std::int64_t        other,
                       std::vector<Word> & candidates,
                       Word *              bits);

/** Finds the runs of every row: maximal lines of foreground voxels each joined to the one before it. `volume` gets
 * bits, starts and the number of every row's first run, and the links and numbers of runs before words that `axes`
 * asks for.
 *
 *  `afterRows(chunk, begin, end)` is called as soon as bits and starts of the rows [begin, end) are known, while their
 *  pixels are at hand: for the rows of each of RowChunks' chunks by one thread, in order, and so many at once that
 * their bits fit into simd::BoundWords, or one.
 *
 *  \throws Unsupported for rows of 2^32 voxels or more. */
void FindRuns(const RowLinks &                                                                      links,
              const Extent &                                                                        extent,
              const LinkAxes &                                                                      axes,
              const HostContext &                                                                   context,
              RunVolume &                                                                           volume,
              const std::function<void(std::int64_t chunk, std::int64_t begin, std::int64_t end)> & afterRows = {});

} // namespace brickccl

#endif
