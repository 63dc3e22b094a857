// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Measuring/RowMarks.h"
#include "BrickCCL/Runs/OwnRow.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The number of voxels of a component for each kind of mark or neighbor. */
struct MarkCounts
{
  static constexpr bool IsExact = true;

  std::uint64_t of[simd::MarkKinds] = {};

  void
  Merge(const MarkCounts & other)
  {
    for (std::size_t kind = 0; kind < simd::MarkKinds; ++kind)
    {
      of[kind] += other.of[kind];
    }
  }
};

/** The bits of rows of an image of up to 3 dimensions, and of rows of zeros outside of it. */
class BitRows
{
public:
  explicit BitRows(const RunVolume & volume)
    : m_Volume(volume)
  {
    m_Zeros.Resize(volume.WordsPerRow());
  }

  const Word *
  Outside() const
  {
    return m_Zeros.Data();
  }

  const Word *
  At(std::int64_t y, std::int64_t z) const
  {
    const Extent & extent = m_Volume.GetExtent();
    return y < 0 || y >= extent.size[1] || z < 0 || z >= extent.size[2] ? Outside()
                                                                        : m_Volume.Foreground(z * extent.size[1] + y);
  }

private:
  static_assert(simd::MarkWords <= StoredBits::PaddingWords, "bits are read past the first and last row");

  const RunVolume & m_Volume;
  OwnRow            m_Zeros;
};

/** Counts the marks under the runs of every component. `mark(rows, y, z, marks)` sets the marks of row y in slice z;
 *  `rows` gives it the rows that it looks at. For images of up to 3 dimensions. */
template <typename TMark>
UninitializedVector<MarkCounts>
CountRowMarks(const RunVolume & volume, std::uint64_t components, int kinds, const HostContext & context, TMark mark)
{
  const std::int64_t stride = (volume.WordsPerRow() + simd::MarkWords - 1) / simd::MarkWords * simd::MarkWords;
  return AccumulateRows<MarkCounts>(volume, components, context, [&] {
    return [&,
            words = std::vector<Word>(static_cast<std::size_t>(kinds * stride)),
            rows = BitRows(volume),
            runs = std::vector<simd::CountedRun>()](auto & accumulators, std::int64_t row) mutable {
      runs.clear();
      volume.VisitLabels([&](const auto * labels) {
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          if (labels[run] != 0)
          {
            runs.push_back({ begin, end, accumulators[static_cast<std::size_t>(labels[run] - 1)].of });
          }
        });
      });
      const simd::RowMarks marks{ words.data(), stride };
      const std::int64_t   z = row / volume.GetExtent().size[1];
      mark(rows, row - z * volume.GetExtent().size[1], z, marks);
      simd::CountMarks(runs.data(), runs.size(), marks, kinds);
    };
  });
}

} // namespace brickccl
