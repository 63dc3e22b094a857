#include "BrickCCL/Measuring/CountRowMarks.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/MeasureGroups.h"
#include "BrickCCL/Measuring/CountPairs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace brickccl
{

namespace
{

/** Counts the pairs of neighbours that two rows of runs hold, -1, 0 and 1 apart along x; `add(label, counts)`. */
template <typename TAdd>
void
CountPairs(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b, TAdd add)
{
  for (std::size_t i = 0, first = 0; i < a.size(); ++i)
  {
    while (first < b.size() && b[first].end < a[i].begin)
    {
      ++first;
    }
    for (std::size_t j = first; j < b.size() && b[j].begin <= a[i].end; ++j)
    {
      if (a[i].label == b[j].label)
      {
        std::uint64_t counts[3];
        for (int step = -1; step <= 1; ++step)
        {
          const std::int64_t begin = std::max(a[i].begin + step, b[j].begin);
          const std::int64_t end = std::min(a[i].end + step, b[j].end);
          counts[step + 1] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, end - begin));
        }
        add(a[i].label, counts);
      }
    }
  }
}

/** The kind of pair that one of HalfNeighbours makes: those from one row to another stand side by side, for -1, 0 and 1
 *  along x. */
std::size_t
PairKindOf(std::size_t direction)
{
  const auto place = static_cast<int>(direction) - 1;
  return direction == 0 ? simd::PairKinds::Own : simd::PairKinds::Of(place / 3, place % 3 - 1);
}

/** How many voxels of a component have a neighbour in it, by PairKindOf; by rows of bits, if runs that touch have the
 *  same label. */
UninitializedVector<MarkCounts>
CountPairsByBits(const RunVolume &              volume,
                 const std::vector<VoxelStep> & steps,
                 const HostContext &            context,
                 std::uint64_t                  components)
{
  return CountAtRuns(volume, components, context, [&] {
    return [length = volume.GetExtent().RowLength(), &steps](const BitRows &          rows,
                                                             std::int64_t             y,
                                                             std::int64_t             z,
                                                             const simd::CountedRun * runs,
                                                             std::size_t              runCount) {
      const Word * others[simd::PairRows];
      std::fill_n(others, simd::PairRows, rows.Outside());
      for (std::size_t direction = 1, other = 0; direction < steps.size(); direction += 3, ++other)
      {
        others[other] = rows.At(y + steps[direction].step[1], z + steps[direction].step[2]);
      }
      simd::CountPairs(rows.At(y, z), others, length, runs, runCount);
    };
  });
}

/** The same by runs. */
UninitializedVector<MarkCounts>
CountPairsByRuns(const RunVolume &              volume,
                 const std::vector<VoxelStep> & steps,
                 const HostContext &            context,
                 std::uint64_t                  components)
{
  const Extent & extent = volume.GetExtent();
  return AccumulateRows<MarkCounts>(volume, components, context, [&] {
    return [&, rows = LabeledRows(volume)](auto & accumulators, std::int64_t row) mutable {
      const std::int64_t              z = row / extent.size[1];
      const std::int64_t              y = row - z * extent.size[1];
      const std::vector<LabeledRun> & own = rows.At(y, z);
      for (const LabeledRun & run : own)
      {
        accumulators[static_cast<std::size_t>(run.label - 1)].of[simd::PairKinds::Own] +=
          static_cast<std::uint64_t>(run.end - run.begin - 1);
      }
      for (std::size_t direction = 1; direction < steps.size(); direction += 3)
      {
        const auto &       step = steps[direction].step;
        const std::int64_t otherY = y + step[1];
        const std::int64_t otherZ = z + step[2];
        if (otherY < 0 || otherY >= extent.size[1] || otherZ >= extent.size[2])
        {
          continue;
        }
        CountPairs(own, rows.At(otherY, otherZ), [&](std::uint64_t label, const auto & counts) {
          std::uint64_t * const pairs = accumulators[static_cast<std::size_t>(label - 1)].of;
          for (std::size_t i = 0; i < 3; ++i)
          {
            pairs[PairKindOf(direction + i)] += counts[i];
          }
        });
      }
    };
  });
}

} // namespace

/** Surfaces from the chords of every component along the directions to its voxels' neighbours. */
void
MeasureSurfaces(const RunVolume & volume, bool touchingAreJoined, const HostContext & context, ComponentTable & table)
{
  const Extent &               extent = volume.GetExtent();
  const std::vector<VoxelStep> steps = HalfNeighbours(extent.dimension);
  const auto                   sums =
    (touchingAreJoined ? CountPairsByBits : CountPairsByRuns)(volume, steps, context, table.components.size());
  const std::vector<double> weights = CroftonWeights(extent.dimension, table.geometry);
  const double              voxel = table.geometry.VoxelVolume(extent.dimension);
  table.surfaces.resize(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    SurfaceMeasures & measures = table.surfaces[c];
    for (std::size_t direction = 0; direction < steps.size(); ++direction)
    {
      const auto & step = steps[direction].step;
      const auto   chords = static_cast<double>(table.components.VoxelCount(c) - sums[c].of[PairKindOf(direction)]);
      measures.crofton += weights[direction] * chords;
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        const bool isAxis = step[axis] == 1 && std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1;
        measures.faces += isAxis ? 2 * chords * voxel / table.geometry.spacing[axis] : 0;
      }
    }
  });
}

} // namespace brickccl
