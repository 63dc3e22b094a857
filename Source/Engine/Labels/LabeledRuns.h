// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_LABELS_LABELEDRUNS_H
#define BRICKCCL_LABELS_LABELEDRUNS_H

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

/** Collects the runs of a row's components in order. Runs of one component that touch without a link between them
 *  become one. */
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

/** The runs of rows that are asked for in nearly raster order, and of their neighbors along y and z. The image has up
 *  to 3 dimensions. Each row is collected once. */
class LabeledRows
{
public:
  explicit LabeledRows(const RunVolume & volume)
    : m_Volume(volume)
    , m_CountY(volume.GetExtent().size[1])
    , m_Rows(static_cast<std::size_t>(3 * m_CountY))
  {}

  /** The runs of row y of slice z. They are valid until a row three slices away is asked for. */
  const std::vector<LabeledRun> &
  At(std::int64_t y, std::int64_t z)
  {
    const std::int64_t row = z * m_CountY + y;
    Row &              place =
      m_Rows[static_cast<std::uint64_t>(z) % 3 * static_cast<std::uint64_t>(m_CountY) + static_cast<std::uint64_t>(y)];
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
  std::int64_t      m_CountY;
  std::vector<Row>  m_Rows;
};

} // namespace brickccl

#endif
