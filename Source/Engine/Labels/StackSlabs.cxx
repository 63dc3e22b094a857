// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/StackSlabs.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/JoinComponents.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace brickccl
{

Extent
SlabCut::ExtentOf(std::size_t slab) const
{
  Extent extent = volume;
  extent.size[axis] = End(slab) - begins[slab];
  return extent;
}

std::int64_t
SlabCut::VoxelsPerSlice() const
{
  return volume.VoxelCount() / volume.size[axis];
}

std::int64_t
SlabCut::VoxelsBefore(std::size_t slab) const
{
  return begins[slab] * VoxelsPerSlice();
}

SlabCut
CutIntoSlabs(const Extent & volume, std::int64_t minimumCount, std::int64_t maximumVoxels)
{
  SlabCut cut;
  cut.volume = volume;
  for (int axis = 1; axis < volume.dimension; ++axis)
  {
    cut.axis = volume.size[axis] > 1 ? axis : cut.axis;
  }
  if (cut.axis == 0)
  {
    return cut;
  }
  const std::int64_t slices = volume.size[cut.axis];
  const std::int64_t maximumSlices = std::max<std::int64_t>(1, maximumVoxels / cut.VoxelsPerSlice());
  const std::int64_t count = std::min(slices, std::max(minimumCount, (slices - 1) / maximumSlices + 1));
  const Chunks       chunks(slices, 1, count);
  cut.begins.clear();
  for (std::int64_t slab = 0; slab < chunks.count; ++slab)
  {
    cut.begins.push_back(chunks.Begin(slab));
  }
  return cut;
}

namespace
{

/** Copies the bits of a slab's rows, and the numbers of the runs before them. */
void
CopyRows(const RunVolume & slab,
         std::int64_t      begin,
         std::int64_t      end,
         std::int64_t      rowsBefore,
         std::uint64_t     runsBefore,
         RunVolume &       result)
{
  const auto words = static_cast<std::size_t>(result.WordsPerRow() * (end - begin));
  std::memcpy(result.Foreground(rowsBefore + begin), slab.Foreground(begin), words * sizeof(Word));
  if (!result.StartsFollowForeground())
  {
    std::memcpy(result.StoredStarts(rowsBefore + begin), slab.StoredStarts(begin), words * sizeof(Word));
  }
  for (std::int64_t row = begin; row < end; ++row)
  {
    result.FirstRun(rowsBefore + row) = runsBefore + slab.FirstRun(row);
  }
}

/** Writes the labels of a slab's rows behind each other, after `change` gave them others. */
template <typename TLabel, typename TChange>
void
CopyLabels(const RunVolume & slab, std::int64_t begin, std::int64_t end, TLabel * labels, const TChange & change)
{
  slab.VisitLabels([&](const auto * own) {
    for (std::uint64_t run = slab.FirstRun(begin); run < slab.FirstRun(end); ++run)
    {
      labels[run] = change(static_cast<TLabel>(own[run]));
    }
  });
}

struct Piece
{
  std::size_t  slab;
  std::int64_t begin;
  std::int64_t end;
};

std::vector<Piece>
PiecesOf(const std::vector<RunVolume> & slabs, const HostContext & context)
{
  std::vector<Piece> pieces;
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
  {
    const Extent & extent = slabs[slab].GetExtent();
    const Chunks   chunks(extent.RowCount(), context.grain / extent.RowLength(), 256);
    for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
    {
      pieces.push_back({ slab, chunks.Begin(chunk), chunks.End(chunk) });
    }
  }
  return pieces;
}

} // namespace

std::uint64_t
StackSlabs(const SlabCut &                    cut,
           const RowLinks &                   links,
           const Connectivity &               connectivity,
           const std::vector<RunVolume> &     slabs,
           const std::vector<std::uint64_t> & components,
           const HostContext &                context,
           RunVolume &                        result)
{
  std::vector<std::int64_t>  rowsBefore;
  std::vector<std::uint64_t> runsBefore;
  std::vector<std::uint64_t> componentsBefore;
  std::int64_t               rows = 0;
  std::uint64_t              runs = 0;
  std::uint64_t              found = 0;
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
  {
    ThrowIf(slabs[slab].StartsFollowForeground() != slabs[0].StartsFollowForeground(),
            "slabs of one volume store run starts differently");
    rowsBefore.push_back(rows);
    runsBefore.push_back(runs);
    componentsBefore.push_back(found);
    rows += slabs[slab].GetExtent().RowCount();
    runs += slabs[slab].RunCount();
    found += components[slab];
  }
  result.Reset(cut.volume, slabs[0].StartsFollowForeground());
  const std::vector<Piece> pieces = PiecesOf(slabs, context);
  const auto               count = static_cast<std::int64_t>(pieces.size());
  ParallelFor(count, context.Part(0, 0.2), [&](std::int64_t i) {
    const Piece & piece = pieces[static_cast<std::size_t>(i)];
    CopyRows(slabs[piece.slab], piece.begin, piece.end, rowsBefore[piece.slab], runsBefore[piece.slab], result);
  });
  result.FirstRun(rows) = runs;
  result.ResizeLabels(runs >= RunVolume::MaximumNarrowRuns);
  const std::int64_t rowsPerSlice = cut.VoxelsPerSlice() / cut.volume.RowLength();
  const bool         areJoined = slabs.size() > 1 && connectivity.Uses(cut.axis);
  return result.VisitLabels([&](auto * labels) -> std::uint64_t {
    using Label = std::remove_pointer_t<decltype(labels)>;
    std::vector<Label> numbers;
    std::uint64_t      left = found;
    if (areJoined)
    {
      // Joining reads only the slices where slabs meet, so all other labels are read and written once.
      for (std::size_t slab = 0; slab < slabs.size(); ++slab)
      {
        const auto add = [before = static_cast<Label>(componentsBefore[slab])](Label label) { return label + before; };
        const std::int64_t slabRows = slabs[slab].GetExtent().RowCount();
        CopyLabels(slabs[slab], 0, rowsPerSlice, labels + runsBefore[slab], add);
        CopyLabels(slabs[slab], slabRows - rowsPerSlice, slabRows, labels + runsBefore[slab], add);
      }
      left = JoinSlabs(links, connectivity, cut.axis, cut.begins, found, context.Part(0.2, 0.5), result, numbers);
    }
    ParallelFor(count, context.Part(0.5, 1), [&](std::int64_t i) {
      const Piece & piece = pieces[static_cast<std::size_t>(i)];
      const auto    before = static_cast<Label>(componentsBefore[piece.slab]);
      Label *       to = labels + runsBefore[piece.slab];
      if (areJoined)
      {
        const Label * numberOf = numbers.data() + before;
        CopyLabels(slabs[piece.slab], piece.begin, piece.end, to, [=](Label label) { return numberOf[label]; });
      }
      else
      {
        CopyLabels(slabs[piece.slab], piece.begin, piece.end, to, [=](Label label) { return label + before; });
      }
    });
    return left;
  });
}

} // namespace brickccl
