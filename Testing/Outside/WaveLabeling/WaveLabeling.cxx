// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Algorithms/Algorithm.h"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <deque>
#include <vector>

/** An algorithm from outside of the tree, as Source/README.md says how to add one: this folder and its name in
 *  BRICKCCL_EXTRA_ALGORITHMS. The conformance suite then tests it, `brickccl info` lists it and `--algorithm` takes it.
 */
namespace brickccl
{

namespace
{

/** Waves spread from each voxel that no wave has reached yet. Slow and plain: one thread, 8 bytes per voxel. */
std::uint64_t
LabelByWaves(const RowLinks &     links,
             const Extent &       extent,
             const Connectivity & connectivity,
             const OptionValues &,
             const HostContext & context,
             RunVolume &         result)
{
  LinkAxes axes;
  axes.x = connectivity.Uses(0);
  FindRuns(links, extent, axes, context.Part(0, 0.5), result);
  const std::int64_t length = extent.RowLength();
  const auto         isForeground = [&](std::int64_t place) {
    const std::int64_t x = place % length;
    return (result.Foreground(place / length)[x / BitsPerWord] >> (x % BitsPerWord) & 1u) != 0;
  };

  std::vector<std::uint64_t> labels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  std::uint64_t              count = 0;
  std::deque<std::int64_t>   wave;
  const auto                 reach = [&](std::int64_t from, std::int64_t to) {
    if (labels[static_cast<std::size_t>(to)] == 0 && isForeground(to) && links.AreJoined(from, to))
    {
      labels[static_cast<std::size_t>(to)] = count;
      wave.push_back(to);
    }
  };
  const RowOffsets rows = connectivity.BackwardRows();
  for (std::int64_t first = 0; first < extent.VoxelCount(); ++first)
  {
    if (labels[static_cast<std::size_t>(first)] != 0 || !isForeground(first))
    {
      continue;
    }
    labels[static_cast<std::size_t>(first)] = ++count;
    for (wave.push_back(first); !wave.empty(); wave.pop_front())
    {
      const std::int64_t place = wave.front();
      const std::int64_t x = place % length;
      const RowPosition  position(extent, place / length);
      const auto         reachRow = [&](std::int64_t toRow, bool diagonal) {
        const std::int64_t reachAlongX = diagonal ? 1 : 0;
        for (std::int64_t step = -reachAlongX; step <= reachAlongX; ++step)
        {
          if (x + step >= 0 && x + step < length)
          {
            reach(place, toRow * length + x + step);
          }
        }
      };
      for (const std::int64_t step : { -1, 1 })
      {
        if (connectivity.Uses(0) && x + step >= 0 && x + step < length)
        {
          reach(place, place + step);
        }
      }
      for (const RowOffset & offset : rows)
      {
        for (const int sign : { -1, 1 })
        {
          std::int64_t toRow = 0;
          std::int64_t stride = 1;
          bool         isInside = true;
          for (int axis = 1; axis < MaximumDimension; ++axis)
          {
            const std::int64_t at = position.at[axis - 1] + sign * offset.step[axis - 1];
            isInside = isInside && at >= 0 && at < extent.size[axis];
            toRow += at * stride;
            stride *= extent.size[axis];
          }
          if (isInside)
          {
            reachRow(toRow, offset.diagonal);
          }
        }
      }
    }
  }

  result.ResizeLabels(true);
  result.VisitLabels([&](auto * ofRuns) {
    using Label = std::remove_reference_t<decltype(*ofRuns)>;
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      result.ForEachRun(row, [&](std::int64_t begin, std::int64_t, std::uint64_t run) {
        ofRuns[run] = static_cast<Label>(labels[static_cast<std::size_t>(row * length + begin)]);
      });
    }
  });
  context.progress.Update(1);
  return count;
}

} // namespace

std::vector<Algorithm>
WaveLabelingRows()
{
  return { { "WaveLabeling", "waves from each voxel that none has reached", { LabelByWaves, SupportsAll }, {}, {} } };
}

} // namespace brickccl
