#include "BrickCCL/Components/AccumulateRuns.h"
#include "BrickCCL/Components/Crofton.h"
#include "BrickCCL/Components/LabeledRuns.h"
#include "BrickCCL/Components/MeasureGroups.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace brickccl
{

namespace
{

/** How many voxels of a component have a neighbour in it, for each of HalfNeighbours. */
struct NeighbourSums
{
  static constexpr bool IsExact = true;

  std::uint64_t pairs[13] = {};

  void
  Merge(const NeighbourSums & other)
  {
    for (std::size_t i = 0; i < 13; ++i)
    {
      pairs[i] += other.pairs[i];
    }
  }
};

/** Counts the pairs of neighbours that two rows of runs hold, `step` along x apart. */
template <typename TAdd>
void
CountPairs(const std::vector<LabeledRun> & a, const std::vector<LabeledRun> & b, int step, TAdd add)
{
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();)
  {
    const std::int64_t begin = std::max(a[i].begin + step, b[j].begin);
    const std::int64_t end = std::min(a[i].end + step, b[j].end);
    if (begin < end && a[i].label == b[j].label)
    {
      add(a[i].label, static_cast<std::uint64_t>(end - begin));
    }
    (a[i].end + step < b[j].end ? i : j) += 1;
  }
}

} // namespace

/** Surfaces from the chords of every component along the directions to its voxels' neighbours. */
void
MeasureSurfaces(const RunVolume & volume, const HostContext & context, ComponentTable & table)
{
  const Extent &               extent = volume.GetExtent();
  const std::vector<VoxelStep> steps = HalfNeighbours(extent.dimension);
  const auto                   sums =
    AccumulateRows<NeighbourSums>(volume,
                                  table.components.size(),
                                  context,
                                  [&](std::vector<NeighbourSums> & accumulators, std::int64_t row) {
                                    thread_local std::vector<LabeledRun> own;
                                    thread_local std::vector<LabeledRun> other;
                                    CollectLabeledRuns(volume, row, own);
                                    for (const LabeledRun & run : own)
                                    {
                                      accumulators[static_cast<std::size_t>(run.label - 1)].pairs[0] +=
                                        static_cast<std::uint64_t>(run.end - run.begin - 1);
                                    }
                                    const RowPosition position(extent, row);
                                    for (std::size_t direction = 1; direction < steps.size(); ++direction)
                                    {
                                      const auto & step = steps[direction].step;
                                      const auto   y = position.at[0] + step[1];
                                      const auto   z = position.at[1] + step[2];
                                      if (y < 0 || y >= extent.size[1] || z >= extent.size[2])
                                      {
                                        continue;
                                      }
                                      if (step[0] == -1)
                                      {
                                        CollectLabeledRuns(volume, row + step[2] * extent.size[1] + step[1], other);
                                      }
                                      CountPairs(own, other, step[0], [&](std::uint64_t label, std::uint64_t count) {
                                        accumulators[static_cast<std::size_t>(label - 1)].pairs[direction] += count;
                                      });
                                    }
                                  });
  const std::vector<double> weights = CroftonWeights(extent.dimension, table.geometry);
  const double              voxel = table.geometry.VoxelVolume(extent.dimension);
  table.surfaces.resize(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    SurfaceMeasures & measures = table.surfaces[c];
    for (std::size_t direction = 0; direction < steps.size(); ++direction)
    {
      const auto & step = steps[direction].step;
      const auto   chords = static_cast<double>(table.components[c].voxelCount - sums[c].pairs[direction]);
      measures.crofton += weights[direction] * chords;
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        const bool isAxis = step[axis] == 1 && std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1;
        measures.faces += isAxis ? 2 * chords * voxel / table.geometry.spacing[axis] : 0;
      }
    }
  }
}

} // namespace brickccl
