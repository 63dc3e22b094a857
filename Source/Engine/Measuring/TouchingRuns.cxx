// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/TouchingRuns.h"

#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Measuring/TouchingLists.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** Up to this many runs, three rows are compared with another row at once. */
constexpr std::uint64_t fewRuns = simd::RunListPadding;

/** The bounds of the runs of some consecutive rows: those that the volume keeps, or else a list of its own. */
class RunBoundLists
{
public:
  /** Sets the rows [begin, end). */
  void
  Collect(const RunVolume & volume, std::int64_t begin, std::int64_t end)
  {
    m_FirstRun = volume.FirstRun(begin);
    if (volume.Bounds().AreKept())
    {
      m_Bounds = { volume.Bounds().Begins() + m_FirstRun, volume.Bounds().Ends() + m_FirstRun };
      return;
    }
    const std::size_t room = volume.FirstRun(end) - m_FirstRun + simd::RunListPadding;
    if (room > m_Begins.size())
    {
      m_Begins.resize(room);
      m_Ends.resize(room);
    }
    m_Bounds = { m_Begins.data(), m_Ends.data() };
    for (std::int64_t row = begin; row < end; ++row)
    {
      if (volume.FirstRun(row) != volume.FirstRun(row + 1))
      {
        volume.ForEachRun(row, [&](std::int64_t first, std::int64_t last, std::uint64_t run) {
          m_Begins[run - m_FirstRun] = static_cast<std::int32_t>(first);
          m_Ends[run - m_FirstRun] = static_cast<std::int32_t>(last);
        });
      }
    }
  }

  /** The runs of the rows [begin, end). */
  simd::RunList
  Of(const RunVolume & volume, const std::uint32_t * labels, std::int64_t begin, std::int64_t end) const
  {
    const std::uint64_t run = volume.FirstRun(begin);
    return { m_Bounds.begins + (run - m_FirstRun),
             m_Bounds.ends + (run - m_FirstRun),
             labels + run,
             static_cast<std::int64_t>(volume.FirstRun(end) - run),
             end - begin == 1 };
  }

private:
  static_assert(simd::RunListPadding <= std::min(RunLabels::Padding, StoredBounds::Padding),
                "bounds and labels are read past the last run");

  struct Bounds
  {
    const std::int32_t * begins = nullptr;
    const std::int32_t * ends = nullptr;
  };

  std::uint64_t m_FirstRun = 0;
  /** The bounds of the first run. */
  Bounds                    m_Bounds;
  std::vector<std::int32_t> m_Begins;
  std::vector<std::int32_t> m_Ends;
};

/** Whether two runs of a row have different labels though one ends where the other begins. */
bool
DifferInRow(const simd::RunList & runs)
{
  for (std::int64_t i = 1; i < runs.count; ++i)
  {
    if (runs.ends[i - 1] == runs.begins[i] && runs.labels[i - 1] != runs.labels[i])
    {
      return true;
    }
  }
  return false;
}

/** Whether runs of some rows of one slice touch runs with other labels: in these rows, in the row before them, or in
 *  the slice before. It uses both lists as memory; with `hasBehind`, the second already holds the slice before. */
bool
DifferInSlice(const RunVolume &     volume,
              const std::uint32_t * labels,
              std::int64_t          begin,
              std::int64_t          end,
              bool                  hasBehind,
              RunBoundLists &       own,
              RunBoundLists &       behind)
{
  const std::int64_t rows = volume.GetExtent().size[1];
  const std::int64_t slice = begin / rows * rows;
  own.Collect(volume, std::max(slice, begin - 1), end);
  if (slice > 0 && !hasBehind)
  {
    behind.Collect(volume, std::max(slice, begin - 1) - rows, std::min(slice + rows, end + 1) - rows);
  }
  for (std::int64_t row = begin; row < end; ++row)
  {
    if (volume.FirstRun(row) == volume.FirstRun(row + 1))
    {
      continue;
    }
    simd::RunList others[simd::TouchingRows];
    int           count = 0;
    const auto    add = [&](const RunBoundLists & lists, std::int64_t first, std::int64_t last) {
      if (volume.FirstRun(first) != volume.FirstRun(last))
      {
        others[count++] = lists.Of(volume, labels, first, last);
      }
    };
    if (row > slice)
    {
      add(own, row - 1, row);
    }
    if (slice > 0)
    {
      const std::int64_t first = std::max(row - 1, slice) - rows;
      const std::int64_t last = std::min(row + 2, slice + rows) - rows;
      if (volume.FirstRun(last) - volume.FirstRun(first) <= fewRuns)
      {
        add(behind, first, last);
      }
      else
      {
        for (std::int64_t other = first; other < last; ++other)
        {
          add(behind, other, other + 1);
        }
      }
    }
    const simd::RunList runs = own.Of(volume, labels, row, row + 1);
    if ((!volume.StartsFollowForeground() && DifferInRow(runs)) || simd::TouchAndDiffer(runs, others, count))
    {
      return true;
    }
  }
  return false;
}

bool
TouchingAreSame(const RunVolume & volume, const std::uint32_t * labels, const HostContext & context)
{
  const Extent &    extent = volume.GetExtent();
  const Chunks      chunks = RowChunks(extent, context);
  std::atomic<bool> differ = false;
  ParallelFor(chunks.count, context.Quiet(), [&](std::int64_t chunk) {
    RunBoundLists own;
    RunBoundLists behind;
    bool          hasBehind = false;
    for (std::int64_t begin = chunks.Begin(chunk); begin < chunks.End(chunk) && !differ;)
    {
      const std::int64_t slice = begin / extent.size[1] * extent.size[1];
      const std::int64_t end = std::min(chunks.End(chunk), slice + extent.size[1]);
      if (DifferInSlice(volume, labels, begin, end, hasBehind, own, behind))
      {
        differ = true;
      }
      // A whole slice is the slice before of the next one.
      hasBehind = begin == slice;
      std::swap(own, behind);
      begin = end;
    }
  });
  return !differ;
}

} // namespace

bool
TouchingRunsAreJoined(const RunVolume & volume, const HostContext & context)
{
  if (volume.TouchingAreJoined())
  {
    return true;
  }
  return volume.VisitLabels([&](const auto * labels) {
    if constexpr (sizeof(*labels) == sizeof(std::uint32_t))
    {
      return volume.GetExtent().dimension <= 3 &&
             volume.GetExtent().RowLength() <= std::numeric_limits<std::int32_t>::max() &&
             TouchingAreSame(volume, labels, context);
    }
    return false;
  });
}

} // namespace brickccl
