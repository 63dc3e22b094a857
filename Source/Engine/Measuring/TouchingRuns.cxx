// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/TouchingRuns.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/MergeRows.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

namespace brickccl
{

/** Whether two runs of a row have different labels though one ends where the other begins. */
template <typename TLabel>
static bool
DifferInRow(const RunVolume & volume, std::int64_t row, const TLabel * labels)
{
  bool         differ = false;
  std::int64_t endBefore = -1;
  volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
    differ = differ || (begin == endBefore && labels[run] != labels[run - 1]);
    endBefore = end;
  });
  return differ;
}

bool
TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context, int rank)
{
  if (volume.TouchingAreJoined())
  {
    return true;
  }
  const Extent & extent = volume.GetExtent();
  // All foreground voxels that touch are linked, so that no pixel is read. Links that others imply are left out: if the
  // labels at both ends of the others are the same, theirs are.
  const std::uint8_t unread = 0;
  const auto         links = MakeRowLinks(ImageView(&unread, extent), Criterion::Foreground());
  const RowSteps     steps(Connectivity(extent.dimension, std::min(rank, extent.dimension)).BackwardRows(), extent);
  const Chunks       chunks = RowChunks(extent, context);
  std::atomic<bool>  differ = false;
  volume.VisitLabels([&](const auto * labels) {
    using Run = std::remove_cv_t<std::remove_pointer_t<decltype(labels)>>;
    ParallelFor(chunks.count, context.Quiet(), [&](std::int64_t chunk) {
      RowMerger<Run> merger(volume, *links);
      RowPosition    position(extent, chunks.Begin(chunk));
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk) && !differ; ++row, position.Advance(extent))
      {
        bool differHere = !volume.StartsFollowForeground() && DifferInRow(volume, row, labels);
        for (const RowStep & step : steps)
        {
          if (step.ExistsFrom(position, extent))
          {
            merger.Merge(row, row - step.distance, step.offset.diagonal, [&](Run a, Run b) {
              differHere = differHere || labels[a] != labels[b];
            });
          }
        }
        if (differHere)
        {
          differ = true;
        }
      }
    });
  });
  return !differ;
}

} // namespace brickccl
