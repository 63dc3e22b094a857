#ifndef BRICKCCL_COMPONENTS_LABELEDRUNS_H
#define BRICKCCL_COMPONENTS_LABELEDRUNS_H

#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** Voxels begin <= x < end of a row that belong to one component. */
struct LabeledRun
{
  std::int64_t  begin;
  std::int64_t  end;
  std::uint64_t label;
};

/** The runs of a row's components, in order; runs of one component that lie side by side without a link between them
 *  are one. */
inline void
CollectLabeledRuns(const RunVolume & volume, std::int64_t row, std::vector<LabeledRun> & runs)
{
  runs.clear();
  volume.VisitLabels([&](const auto * labels) {
    volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      const std::uint64_t label = labels[run];
      if (label == 0)
      {
        return;
      }
      if (!runs.empty() && runs.back().end == begin && runs.back().label == label)
      {
        runs.back().end = end;
      }
      else
      {
        runs.push_back({ begin, end, label });
      }
    });
  });
}

} // namespace brickccl

#endif
