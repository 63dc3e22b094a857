#ifndef BRICKCCL_RUNS_FINDRUNS_H
#define BRICKCCL_RUNS_FINDRUNS_H

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <functional>

namespace brickccl
{

/** Cuts a volume's rows into enough pieces that threads of different speed finish together. */
Chunks RowChunks(const Extent & extent, const HostContext & context);

/** Finds the runs of every row: maximal lines of foreground voxels each joined to the one before it. `volume` gets
 * bits, starts and the number of every row's first run, and the links that `axes` asks for.
 *
 *  `afterRow(chunk, row)` is called as soon as bits and starts of a row are known, while its pixels are at hand: for
 * the rows of each of RowChunks' chunks in order, by one thread.
 *
 *  \throws Unsupported for rows of 2^32 voxels or more. */
void FindRuns(const RowLinks &                                                  links,
              const Extent &                                                    extent,
              const LinkAxes &                                                  axes,
              const HostContext &                                               context,
              RunVolume &                                                       volume,
              const std::function<void(std::int64_t chunk, std::int64_t row)> & afterRow = {});

} // namespace brickccl

#endif
