// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"

#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/MergeSquares.h"
#include "BrickCCL/Runs/NumberRoots.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace brickccl
{

namespace
{

/** Unites the runs of rows with the runs of earlier rows. */
template <typename TIndex>
class SlabMerger
{
public:
  SlabMerger(const RowLinks & links, const Connectivity & connectivity, const RunVolume & volume)
    : m_Volume(volume)
    , m_Extent(volume.GetExtent())
    , m_UsesY(connectivity.Has({ 0, 1, 0, 0 }))
    , m_Rows(volume, links)
  {
    // Squares are known only for plain neighborhoods.
    if (!links.FollowForeground() && connectivity.IsPlain())
    {
      m_Squares.emplace(volume, links, connectivity);
    }
    for (const RowStep & step : RowSteps(connectivity.BackwardRows(), m_Extent))
    {
      m_Farthest = std::max(m_Farthest, step.distance);
      const bool isOfSquare = step.offset.step[MaximumDimension - 2] == 0;
      if (!m_Squares || !isOfSquare)
      {
        m_Steps.push_back(step);
      }
    }
  }

  /** The largest distance from a row to an earlier row that it can have links to. */
  std::int64_t
  Farthest() const
  {
    return m_Farthest;
  }

  /** Calls `unite` for links of the first `count` rows of [begin, end) to rows where `wants(row, otherRow)` is true. */
  template <typename TWants, typename TUnite>
  void
  Merge(std::int64_t begin, std::int64_t end, std::int64_t count, const TWants & wants, TUnite unite)
  {
    const auto isOwn = [=](std::int64_t row, std::int64_t other) {
      return row >= begin && row < end && wants(row, other);
    };
    RowPosition position(m_Extent, begin);
    for (std::int64_t row = begin; row < std::min(end, begin + count); ++row, position.Advance(m_Extent))
    {
      if (m_Squares)
      {
        m_Squares->Merge(row, position, isOwn, unite);
      }
      for (const RowStep & step : m_Steps)
      {
        const std::int64_t other = row - step.distance;
        if (wants(row, other) && step.ExistsFrom(position, m_Extent))
        {
          // Links along y imply a link along z wherever the two rows before these have one.
          const bool isRound = m_UsesY && position.at[0] > 0 && IsAlongZ(step);
          m_Rows.Merge(row,
                       other,
                       step.offset.diagonal,
                       isRound ? m_Volume.Foreground(row - 1) : nullptr,
                       isRound ? m_Volume.Foreground(other - 1) : nullptr,
                       unite);
        }
      }
    }
    if (m_Squares && end < m_Extent.RowCount() && count > end - begin)
    {
      // The diagonal of the last row belongs to the square of the next row.
      m_Squares->Merge(end, position, isOwn, unite);
    }
    m_Rows.UnitePostponed(unite);
    if (m_Squares)
    {
      m_Squares->UnitePostponed(isOwn, unite);
    }
  }

private:
  static bool
  IsAlongZ(const RowStep & step)
  {
    return step.offset.step[0] == 0 && step.offset.step[1] != 0 && step.offset.step[2] == 0;
  }

  const RunVolume &                   m_Volume;
  const Extent &                      m_Extent;
  bool                                m_UsesY;
  RowMerger<TIndex>                   m_Rows;
  std::optional<SquareMerger<TIndex>> m_Squares;
  std::vector<RowStep>                m_Steps;
  std::int64_t                        m_Farthest = 0;
};

/** Unites the touching runs of each slab on its own, then those across the seams between slabs. */
template <typename TIndex>
void
UniteRuns(const RowLinks &     links,
          const Connectivity & connectivity,
          const HostContext &  context,
          const RunVolume &    volume,
          TIndex *             parent)
{
  const Chunks slabs = RowChunks(volume.GetExtent(), context);

  ParallelFor(slabs.count, context.Part(0, 0.9), [&](std::int64_t slab) {
    SlabMerger<TIndex>  merger(links, connectivity, volume);
    const std::int64_t  begin = slabs.Begin(slab);
    const std::int64_t  end = slabs.End(slab);
    const std::uint64_t first = volume.FirstRun(begin);
    std::iota(parent + first, parent + volume.FirstRun(end), static_cast<TIndex>(first));
    merger.Merge(
      begin,
      end,
      end - begin + 1,
      [begin](std::int64_t, std::int64_t other) { return other >= begin; },
      [parent](TIndex a, TIndex b) { Unite(parent, a, b); });
  });

  ParallelFor(slabs.count, context.Part(0.9, 1), [&](std::int64_t slab) {
    SlabMerger<TIndex> merger(links, connectivity, volume);
    const std::int64_t begin = slabs.Begin(slab);
    merger.Merge(
      begin,
      slabs.End(slab),
      merger.Farthest() + 1,
      [begin](std::int64_t, std::int64_t other) { return other < begin; },
      [parent](TIndex a, TIndex b) { UniteShared(parent, a, b); });
  });
}

std::uint64_t
LabelRuns(const RowLinks &     links,
          const Extent &       extent,
          const Connectivity & connectivity,
          const HostContext &  context,
          bool                 alwaysWide,
          RunVolume &          result)
{
  const bool     fromValues = !links.FollowForeground();
  const bool     isDiagonal = connectivity.Rank() > 1;
  const bool     isPlain = connectivity.IsPlain();
  const LinkAxes axes{ connectivity.Uses(0),
                       isPlain && connectivity.Uses(1),
                       isPlain && connectivity.Uses(2),
                       fromValues,
                       isDiagonal };
  FindRuns(links, extent, axes, context.Part(0, 0.3), result);
  result.ResizeLabels(alwaysWide || result.RunCount() >= RunVolume::MaximumNarrowRuns);
  return result.VisitLabels([&](auto * parent) {
    UniteRuns(links, connectivity, context.Part(0.3, 0.9), result, parent);
    return NumberRoots(FirstRunsOf(result, RowChunks(extent, context)), context.Part(0.9, 1), parent);
  });
}

} // namespace

std::uint64_t
LabelByRunMerging(const RowLinks &     links,
                  const Extent &       extent,
                  const Connectivity & connectivity,
                  const HostContext &  context,
                  RunVolume &          result)
{
  return LabelRuns(links, extent, connectivity, context, false, result);
}

std::uint64_t
testing::LabelByWideRunMerging(const RowLinks &     links,
                               const Extent &       extent,
                               const Connectivity & connectivity,
                               const HostContext &  context,
                               RunVolume &          result)
{
  return LabelRuns(links, extent, connectivity, context, true, result);
}

std::vector<Algorithm>
RunMergingRows()
{
  return { { "RunMerging",
             "bit-packed rows, runs united a word at a time",
             { [](const RowLinks &     links,
                  const Extent &       extent,
                  const Connectivity & connectivity,
                  const OptionValues &,
                  const HostContext & context,
                  RunVolume & result) { return LabelByRunMerging(links, extent, connectivity, context, result); },
               SupportsAll,
               nullptr,
               true },
             { SupportsAll, BRICKCCL_IF_CUDA(cuda::MakeRunMerging) },
             {} } };
}

} // namespace brickccl
