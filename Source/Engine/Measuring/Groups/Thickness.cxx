// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DistancesOfRows.h"
#include "BrickCCL/Geometry/DrawBalls.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/** The largest ball within the component, and how thick it is on average. */
namespace brickccl
{

namespace
{

using namespace columns;

/** The voxel with the largest distance to all other components; the first of several in raster order. */
struct Innermost
{
  static constexpr bool IsExact = true;

  float        square = -1;
  std::int64_t place = 0;

  void
  Merge(const Innermost & other)
  {
    const bool isBefore = other.square == square && other.place < place;
    *this = other.square > square || isBefore ? other : *this;
  }
};

struct DiameterSum
{
  static constexpr bool IsExact = false;

  double sum = 0;

  void
  Merge(const DiameterSum & other)
  {
    sum += other.sum;
  }
};

void
MeasureThickness(const GroupInput & input, ComponentTable & table)
{
  if (table.measures.Has<ThicknessMeasures>())
  {
    return;
  }
  const RunVolume &   volume = input.volume;
  const HostContext & context = input.context;
  const Extent &      extent = volume.GetExtent();
  const std::uint64_t components = table.components.size();
  ThrowIf<Unsupported>(components > std::numeric_limits<std::uint32_t>::max(),
                       "thickness supports up to 4294967295 components, not " + std::to_string(components));
  UninitializedVector<std::uint32_t> labels;
  if (!input.TouchingAreJoined() && !TouchingRunsAreJoined(volume, context, 1))
  {
    labels = MakeUnset<std::uint32_t>(static_cast<std::size_t>(extent.VoxelCount()));
    ExpandLabels(volume, components, context.Quiet(), labels.data());
  }
  const auto expand = [&](std::int64_t row, std::uint32_t * room) {
    ExpandRows(volume, row, row + 1, room);
    return room;
  };
  auto squares = SquaredDistancesOfRows(extent,
                                        table.geometry,
                                        expand,
                                        context.Part(0, 0.3),
                                        labels.empty() ? nullptr : labels.data());
  labels = UninitializedVector<std::uint32_t>();
  const auto innermost = AccumulateRuns<Innermost>(
    volume,
    components,
    context.Quiet(),
    [&](Innermost & best, std::int64_t row, const RowPosition &, std::int64_t begin, std::int64_t end) {
      const std::int64_t first = row * extent.RowLength();
      for (std::int64_t place = first + begin; place < first + end; ++place)
      {
        const float square = squares[static_cast<std::size_t>(place)];
        best = square > best.square ? Innermost{ square, place } : best;
      }
    });
  std::vector<ThicknessMeasures> thicknesses(static_cast<std::size_t>(components));
  for (std::size_t c = 0; c < innermost.size(); ++c)
  {
    ThicknessMeasures & measures = thicknesses[c];
    measures.inscribedDiameter = 2 * std::sqrt(static_cast<double>(innermost[c].square));
    std::int64_t rest = innermost[c].place;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      measures.inscribedCenter[axis] = table.geometry.startIndex[axis] + rest % extent.size[axis];
      rest /= extent.size[axis];
    }
  }
  if (!table.HasGroup("thickness"))
  {
    table.measures.Set(std::move(thicknesses));
    return;
  }
  // Each ball is within one component.
  std::vector<BallsOfSize> balls = FindRidge(extent, table.geometry.spacing, context.Part(0.3, 0.5), squares.data());
  DrawBalls(std::move(balls), extent, table.geometry.spacing, context.Part(0.5, 0.95), squares.data());
  const auto sums = AccumulateRuns<DiameterSum>(
    volume,
    components,
    context,
    [&](DiameterSum & sum, std::int64_t row, const RowPosition &, std::int64_t begin, std::int64_t end) {
      const std::int64_t first = row * extent.RowLength();
      for (std::int64_t place = first + begin; place < first + end; ++place)
      {
        sum.sum += 2 * std::sqrt(static_cast<double>(squares[static_cast<std::size_t>(place)]));
      }
    });
  for (std::size_t c = 0; c < sums.size(); ++c)
  {
    thicknesses[c].meanLocal = sums[c].sum / static_cast<double>(table.components.VoxelCount(c));
  }
  table.measures.Set(std::move(thicknesses));
}

void
AddInscribedColumns(ColumnList & columns)
{
  columns.Add("inscribed_sphere_diameter_mm",
              "diameter of the largest ball (in 2-D disk) around a voxel center that fits into the component (voxels "
              "as boxes, up to the image's border); also the largest local thickness",
              MergeRule::SecondLook,
              &ThicknessMeasures::inscribedDiameter);
  columns.AddAxes("inscribed_sphere_",
                  "",
                  "index of the voxel at the center of this ball; the first one if there are several",
                  MergeRule::SecondLook,
                  &ThicknessMeasures::inscribedCenter,
                  "index");
}

void
AddThicknessColumns(ColumnList & columns)
{
  columns.Add("thickness_mean_mm",
              "mean local thickness: the mean, over all voxels, of the diameter of the largest such ball that contains "
              "the voxel's center",
              MergeRule::SecondLook,
              &ThicknessMeasures::meanLocal);
  columns.Add("thickness_max_mm",
              "largest of these diameters, equal to the inscribed sphere",
              MergeRule::SecondLook,
              &ThicknessMeasures::inscribedDiameter);
}

} // namespace

constexpr ColumnGroup groups::Inscribed = GroupOnRequest("inscribed", AddInscribedColumns, MeasureThickness);

constexpr ColumnGroup groups::Thickness = GroupOnRequest("thickness", AddThicknessColumns, MeasureThickness);

} // namespace brickccl
