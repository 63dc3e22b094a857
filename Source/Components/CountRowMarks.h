#ifndef BRICKCCL_COMPONENTS_COUNTROWMARKS_H
#define BRICKCCL_COMPONENTS_COUNTROWMARKS_H

#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Simd/RowMarks.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** How many voxels of a component have marks of each kind. */
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

  /** Row y of slice z. */
  const Word *
  At(std::int64_t y, std::int64_t z) const
  {
    const Extent & extent = m_Volume.GetExtent();
    return y < 0 || y >= extent.size[1] || z < 0 || z >= extent.size[2] ? m_Zeros.Data()
                                                                        : m_Volume.Foreground(z * extent.size[1] + y);
  }

private:
  static_assert(simd::MarkWords <= RunVolume::PaddingWords, "bits are read past the first and last row");

  const RunVolume & m_Volume;
  OwnRow            m_Zeros;
};

/** Counts the marks under the runs of every component: `mark(rows, y, z, marks)` sets those of row y in slice z, with
 *  `rows` for the rows that it looks at. Where HasVectors(), for images of up to 3 dimensions. */
template <typename TMark>
UnsetVector<MarkCounts>
CountRowMarks(const RunVolume & volume, std::uint64_t components, int kinds, const HostContext & context, TMark mark)
{
  return AccumulateRows<MarkCounts>(volume, components, context, [&] {
    const std::int64_t stride = (volume.WordsPerRow() + simd::MarkWords - 1) / simd::MarkWords * simd::MarkWords;
    return [&,
            kinds,
            stride,
            rows = BitRows(volume),
            words = std::vector<Word>(static_cast<std::size_t>(kinds * stride)),
            runs = std::vector<simd::MarkedRun>()](auto & accumulators, std::int64_t row) mutable {
      const std::int64_t   z = row / volume.GetExtent().size[1];
      const std::int64_t   y = row - z * volume.GetExtent().size[1];
      const simd::RowMarks marks{ words.data(), stride };
      mark(rows, y, z, marks);
      runs.clear();
      volume.VisitLabels([&](const auto * labels) {
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          if (labels[run] != 0)
          {
            runs.push_back({ begin, end, accumulators[static_cast<std::size_t>(labels[run] - 1)].of });
          }
        });
      });
      simd::CountMarks(runs.data(), runs.size(), marks, kinds);
    };
  });
}

} // namespace brickccl

#endif
