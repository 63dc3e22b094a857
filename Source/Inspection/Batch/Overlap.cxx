// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Overlap.h"

#include "BrickCCL/Labels/LabeledRuns.h"

#include <algorithm>
#include <vector>

namespace brickccl::batch
{

CommonVoxels
CountCommon(const RunVolume & a, const RunVolume & b)
{
  CommonVoxels            common;
  std::vector<LabeledRun> first;
  std::vector<LabeledRun> second;
  for (std::int64_t row = 0; row < a.GetExtent().RowCount(); ++row)
  {
    CollectLabeledRuns(a, row, first);
    CollectLabeledRuns(b, row, second);
    for (std::size_t i = 0, k = 0; i < first.size() && k < second.size();)
    {
      const std::int64_t begin = std::max(first[i].begin, second[k].begin);
      const std::int64_t end = std::min(first[i].end, second[k].end);
      if (begin < end)
      {
        common[{ first[i].label, second[k].label }] += static_cast<std::uint64_t>(end - begin);
      }
      first[i].end < second[k].end ? ++i : ++k;
    }
  }
  return common;
}

} // namespace brickccl::batch
