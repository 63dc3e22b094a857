// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The voxels begin <= x < end of a row, which belong to one component. */
struct LabeledRun
{
  std::int64_t  begin;
  std::int64_t  end;
  std::uint64_t label;
};

/** Collects the runs of a row's components in order. Touching runs of one component become one, even if not linked. */
inline void
CollectLabeledRuns(const RunVolume & volume, std::int64_t row, std::vector<LabeledRun> & runs)
{
  runs.clear();
  if (volume.FirstRun(row) == volume.FirstRun(row + 1))
  {
    return;
  }
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

/** Calls `visit(row, run)` for the runs of the rows [begin, end), in order. */
template <typename TVisit>
void
ForEachLabeledRun(const RunVolume & volume, std::int64_t begin, std::int64_t end, TVisit visit)
{
  std::vector<LabeledRun> runs;
  for (std::int64_t row = begin; row < end; ++row)
  {
    CollectLabeledRuns(volume, row, runs);
    for (const LabeledRun & run : runs)
    {
      visit(row, run);
    }
  }
}

/** Runs of rows requested in nearly raster order, and of y and z neighbors. Up to 3-D, each row is collected once. */
class LabeledRows
{
public:
  explicit LabeledRows(const RunVolume & volume)
    : m_Volume(volume)
    , m_Rows(static_cast<std::size_t>(3 * (volume.GetExtent().size[2] > 1 ? volume.GetExtent().size[1] : 1)))
  {}

  /** The runs of a row. They are valid until a row three slices away (in 2-D three rows) is asked for. */
  const std::vector<LabeledRun> &
  At(std::int64_t row)
  {
    Row & place = m_Rows[static_cast<std::size_t>(row) % m_Rows.size()];
    if (place.row != row)
    {
      place.row = row;
      CollectLabeledRuns(m_Volume, row, place.runs);
    }
    return place.runs;
  }

private:
  struct Row
  {
    std::int64_t            row = -1;
    std::vector<LabeledRun> runs;
  };

  const RunVolume & m_Volume;
  std::vector<Row>  m_Rows;
};

} // namespace brickccl
