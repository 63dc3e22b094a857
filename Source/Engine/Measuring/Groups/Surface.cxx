// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/CountRowMarks.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/LocalCounts.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ColumnFormulas.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace brickccl
{

using namespace columns;

/** Calls `add(label, counts)` with the pairs of neighbors -1, 0 and 1 apart along x that two rows of runs hold. */
template <typename TAdd>
static void
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

/** The kind of pair of a step of HalfNeighbors. The steps -1, 0 and 1 along x to another row follow each other. */
static std::size_t
PairKindOf(std::size_t direction)
{
  const auto place = static_cast<int>(direction) - 1;
  return direction == 0 ? simd::PairKinds::Own : simd::PairKinds::Of(place / 3, place % 3 - 1);
}

/** Counts a component's voxels with neighbors in it, by PairKindOf, on rows of bits. Touching runs share a label. */
static UninitializedVector<MarkCounts>
CountPairsByBits(const RunVolume &              volume,
                 const std::vector<VoxelStep> & steps,
                 const HostContext &            context,
                 std::uint64_t                  components)
{
  const auto mark = [&](const BitRows & rows, std::int64_t y, std::int64_t z, simd::RowMarks marks) {
    const Word * others[simd::PairRows];
    std::fill_n(others, simd::PairRows, rows.Outside());
    for (std::size_t direction = 1, other = 0; direction < steps.size(); direction += 3, ++other)
    {
      others[other] = rows.At(y + steps[direction].step[1], z + steps[direction].step[2]);
    }
    simd::MarkPairs(rows.At(y, z), others, volume.WordsPerRow(), marks);
  };
  return CountRowMarks(volume, components, static_cast<int>(simd::PairKinds::Count), context, mark);
}

/** The same by runs, for any labels. */
static UninitializedVector<MarkCounts>
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
      const std::vector<LabeledRun> & own = rows.At(row);
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
        CountPairs(own, rows.At(otherZ * extent.size[1] + otherY), [&](std::uint64_t label, const auto & counts) {
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

/** The cross-section of a ball (the width of a disk) that lines along a step of this length miss, on average over the
 *  places of the ball. A chord contains the center of a voxel with the probability chord / length. */
static double
MissedSection(int dimension, double length, double radius)
{
  if (dimension == 3)
  {
    return length < 2 * radius ? Pi * length * length / 12 : Pi * radius * radius * (1 - 4 * radius / (3 * length));
  }
  const double half = std::min(length / 2, radius);
  const double height = std::sqrt(radius * radius - half * half);
  const double segment = radius * radius * std::atan2(half, height) - height * half;
  return dimension == 2 ? 2 * (radius - height) - 2 * segment / length : 0;
}

UninitializedVector<MarkCounts>
CountVoxelPairs(const RunVolume & volume, std::uint64_t components, const HostContext & context, bool touchingAreJoined)
{
  const auto countPairs = touchingAreJoined ? CountPairsByBits : CountPairsByRuns;
  return countPairs(volume, HalfNeighbors(volume.GetExtent().dimension), context, components);
}

void
SetSurfaces(const UninitializedVector<MarkCounts> & sums, const HostContext & context, ComponentTable & table)
{
  const Extent &               extent = table.extent;
  const std::vector<VoxelStep> steps = HalfNeighbors(extent.dimension);
  const std::vector<double>    weights = CroftonWeights(extent.dimension, table.geometry);
  const double                 voxel = table.geometry.VoxelVolume(extent.dimension);
  std::vector<double>          lengths;
  for (const VoxelStep & step : steps)
  {
    double square = 0;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      square += step.step[axis] * step.step[axis] * table.geometry.spacing[axis] * table.geometry.spacing[axis];
    }
    lengths.push_back(std::sqrt(square));
  }
  std::vector<SurfaceMeasures> surfaces(sums.size());
  ForComponents(sums.size(), context, [&](std::size_t c) {
    SurfaceMeasures & measures = surfaces[c];
    const double      radius = BallDiameter(extent.dimension, VolumeOf(table, table.components[c])) / 2;
    for (std::size_t direction = 0; direction < steps.size(); ++direction)
    {
      const auto & step = steps[direction].step;
      const auto   chords = static_cast<double>(table.components.VoxelCount(c) - sums[c].of[PairKindOf(direction)]);
      measures.crofton += weights[direction] * chords;
      measures.missed +=
        weights[direction] * lengths[direction] / voxel * MissedSection(extent.dimension, lengths[direction], radius);
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        const bool isAxis = step[axis] == 1 && std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1;
        measures.faces += isAxis ? 2 * chords * voxel / table.geometry.spacing[axis] : 0;
      }
    }
  });
  table.measures.Set(std::move(surfaces));
}

/** The surface of the ball (the perimeter of the disc) of the component's volume. */
static double
BallSurface(const ComponentTable & table, const ComponentMeasures & component)
{
  const double diameter = BallDiameter(table.extent.dimension, VolumeOf(table, component));
  return table.extent.dimension == 1 ? 2 : table.extent.dimension == 2 ? Pi * diameter : Pi * diameter * diameter;
}

/** The surface of the ball divided by the component's surface. No body has less surface than the ball of its volume. */
static double
Sphericity(const ComponentTable & table, const ComponentMeasures & component)
{
  const double surface =
    ValueOf(&SurfaceMeasures::crofton, table, component) + ValueOf(&SurfaceMeasures::missed, table, component);
  return std::min(1.0, BallSurface(table, component) / surface);
}

static void
AddSurfaceColumns(ColumnList & columns)
{
  const int                 dimension = columns.Dimension();
  static const char * const names[] = { "ends", "perimeter_mm", "surface_area_mm2" };
  static const char * const axesNames[] = { "ends_1", "perimeter_2_mm", "surface_area_3_mm2" };
  static const char * const faceNames[] = { "face_ends", "face_perimeter_mm", "face_area_mm2" };
  const bool                isFlat = dimension == 2;
  const auto                at = static_cast<std::size_t>(dimension - 1);
  columns.Add(names[at],
              isFlat ? "perimeter by Crofton's formula in 4 directions, weighted for the spacing"
                     : "surface by Crofton's formula in 13 directions, weighted for the spacing",
              "Perimeter (with weights for cubic voxels)",
              isFlat ? "perimeter_crofton" : "",
              MergeRule::SecondLook,
              &SurfaceMeasures::crofton);
  columns.Add(axesNames[at],
              isFlat ? "perimeter by Crofton's formula in the 2 directions of the axes: pi / 4 of the edges' length"
                     : "surface by Crofton's formula in the 3 directions of the axes: 2 / 3 of the faces' area",
              "",
              isFlat ? "perimeter_crofton (directions=2)" : "",
              MergeRule::SecondLook,
              [dimension](Table t, Component c) {
                const double share = dimension == 1 ? 1 : dimension == 2 ? Pi / 4 : 2.0 / 3;
                return share * ValueOf(&SurfaceMeasures::faces, t, c);
              });
  columns.Add(faceNames[at],
              "area of the voxels' faces (in 2-D length of their edges) that bound the component",
              MergeRule::SecondLook,
              &SurfaceMeasures::faces);
  columns.Add(isFlat ? "circularity" : "sphericity",
              isFlat ? "4 pi area / perimeter^2, at most 1, with short chords in the perimeter: 1 for a disk"
                     : "surface of a ball of the same volume / the component's surface with short chords, at most 1: 1 "
                       "for a ball",
              "",
              "",
              MergeRule::SecondLook,
              [isFlat](Table t, Component c) {
                const double ratio = Sphericity(t, c);
                return isFlat ? ratio * ratio : ratio;
              });
  if (dimension == 3)
  {
    columns.Add("compactness", "the cube of sphericity", MergeRule::SecondLook, [](Table t, Component c) {
      const double ratio = Sphericity(t, c);
      return ratio * ratio * ratio;
    });
  }
  columns.Add("roundness",
              isFlat ? "perimeter of the disk of the same area / perimeter"
                     : "as in ITK: surface of a ball of the same volume / surface_area_mm2",
              "Roundness",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return BallSurface(t, c) / ValueOf(&SurfaceMeasures::crofton, t, c); });
  columns.Add("opening_mm",
              isFlat ? "opening of a crack: 2 area / perimeter; its ends count"
                     : "opening of a crack: 2 volume / surface_area_mm2; its rim counts",
              MergeRule::SecondLook,
              [](Table t, Component c) { return 2 * VolumeOf(t, c) / ValueOf(&SurfaceMeasures::crofton, t, c); });
}

/** Surfaces come from the number of chords that every component has along the directions to neighbors. */
constexpr ColumnGroup groups::Surface =
  GroupOnRequest("surface", AddSurfaceColumns, [](const GroupInput & input, ComponentTable & table) {
    SetSurfaces(CountVoxelPairs(input.volume, table.components.size(), input.context, input.TouchingAreJoined()),
                input.context,
                table);
  });

} // namespace brickccl
