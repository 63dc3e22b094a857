#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Measuring/GroupInput.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
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

/** A voxel whose ball lies within no ball of a neighbour. */
struct RidgeVoxel
{
  float        square;
  std::int64_t place;
};

/** The step from a voxel to a neighbour, and its length in mm. */
struct NeighbourStep
{
  std::int64_t step[3];
  double       distance;
};

/** The steps to all neighbours. */
std::vector<NeighbourStep>
StepsToNeighbours(int dimension, const Geometry & geometry)
{
  std::vector<NeighbourStep> steps;
  for (const VoxelStep & half : HalfNeighbours(dimension))
  {
    double square = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      const double length = half.step[axis] * geometry.spacing[axis];
      square += length * length;
    }
    for (const std::int64_t sign : { -1, 1 })
    {
      steps.push_back({ { sign * half.step[0], sign * half.step[1], sign * half.step[2] }, std::sqrt(square) });
    }
  }
  return steps;
}

/** Finds the voxels whose balls matter: a ball within that of a neighbour adds nothing to the local thickness. */
std::vector<RidgeVoxel>
FindRidge(const Extent &                     extent,
          const Geometry &                   geometry,
          const UninitializedVector<float> & squares,
          const HostContext &                context)
{
  const std::vector<NeighbourStep>     steps = StepsToNeighbours(extent.dimension, geometry);
  std::vector<std::vector<RidgeVoxel>> parts(static_cast<std::size_t>(extent.size[2]));
  // Says whether the ball of a neighbour holds the ball of the voxel at (x, y, z).
  const auto isHeld = [&](std::int64_t x, std::int64_t y, std::int64_t z, float square) {
    const double radius = std::sqrt(static_cast<double>(square));
    return std::any_of(steps.begin(), steps.end(), [&](const NeighbourStep & way) {
      const std::int64_t at[3] = { x + way.step[0], y + way.step[1], z + way.step[2] };
      for (int axis = 0; axis < 3; ++axis)
      {
        if (at[axis] < 0 || at[axis] >= extent.size[axis])
        {
          return false;
        }
      }
      const float other = squares[static_cast<std::size_t>((at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0])];
      return other > square && way.distance + radius <= std::sqrt(static_cast<double>(other));
    });
  };
  ParallelFor(extent.size[2], context, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < extent.size[1]; ++y)
    {
      const std::int64_t first = (z * extent.size[1] + y) * extent.size[0];
      for (std::int64_t x = 0; x < extent.size[0]; ++x)
      {
        const float square = squares[static_cast<std::size_t>(first + x)];
        if (square != 0 && !isHeld(x, y, z, square))
        {
          parts[static_cast<std::size_t>(z)].push_back({ square, first + x });
        }
      }
    }
  });
  StopPoint               stop(context);
  std::vector<RidgeVoxel> ridge;
  for (const auto & part : parts)
  {
    stop.Ask();
    ridge.insert(ridge.end(), part.begin(), part.end());
  }
  std::uint64_t compared = 0;
  std::sort(ridge.begin(), ridge.end(), [&](const RidgeVoxel & a, const RidgeVoxel & b) {
    stop.AskAt(++compared);
    return a.square != b.square ? a.square < b.square : a.place < b.place;
  });
  return ridge;
}

/** Replaces the squared distance of each voxel by that of the largest ball that holds the voxel's centre. Each ball
 *  lies within one component. Smaller balls are drawn first and larger ones over them. */
void
DrawBalls(const Extent &               extent,
          const Geometry &             geometry,
          const HostContext &          context,
          UninitializedVector<float> & squares)
{
  const std::vector<RidgeVoxel> ridge = FindRidge(extent, geometry, squares, context);
  const std::int64_t            rows = extent.RowCount();
  const Chunks                  slabs(rows,
                     1 + (std::int64_t{ 1 } << 16) / extent.RowLength(),
                     std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
  const double *                spacing = geometry.spacing;
  ParallelFor(slabs.count, context, [&](std::int64_t slab) {
    const std::int64_t firstZ = slabs.Begin(slab) / extent.size[1];
    const std::int64_t lastZ = (slabs.End(slab) - 1) / extent.size[1];
    for (const RidgeVoxel & voxel : ridge)
    {
      const double square = static_cast<double>(voxel.square);
      const double radius = std::sqrt(square);
      // The distance is rounded to single precision: a voxel on the surface counts as such whichever way that went.
      const double       inside = square * (1 - 1e-6);
      const std::int64_t x = voxel.place % extent.size[0];
      const std::int64_t y = voxel.place / extent.size[0] % extent.size[1];
      const std::int64_t z = voxel.place / extent.size[0] / extent.size[1];
      const auto         reach = [](double length, double step) { return static_cast<std::int64_t>(length / step); };
      const std::int64_t reachZ = reach(radius, spacing[2]);
      for (std::int64_t atZ = std::max(firstZ, z - reachZ); atZ <= std::min(lastZ, z + reachZ); ++atZ)
      {
        const double       dz = static_cast<double>(atZ - z) * spacing[2];
        const std::int64_t reachY = reach(std::sqrt(std::max(0.0, inside - dz * dz)), spacing[1]);
        const std::int64_t beginY = std::max(y - reachY, slabs.Begin(slab) - atZ * extent.size[1]);
        const std::int64_t endY = std::min(y + reachY + 1, slabs.End(slab) - atZ * extent.size[1]);
        for (std::int64_t atY = std::max<std::int64_t>(0, beginY); atY < std::min(extent.size[1], endY); ++atY)
        {
          const double dy = static_cast<double>(atY - y) * spacing[1];
          const double left = inside - dz * dz - dy * dy;
          if (left <= 0)
          {
            continue;
          }
          // Takes only voxels strictly within the ball: its surface touches voxels outside of the
          // component.
          std::int64_t reachX = reach(std::sqrt(left), spacing[0]);
          const double dx = static_cast<double>(reachX) * spacing[0];
          reachX -= dx * dx >= left ? 1 : 0;
          float * const row = squares.data() + (atZ * extent.size[1] + atY) * extent.size[0];
          std::fill(row + std::max<std::int64_t>(0, x - reachX),
                    row + std::min(extent.size[0], x + reachX + 1),
                    voxel.square);
        }
      }
    }
  });
}

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
  if (components > std::numeric_limits<std::uint32_t>::max())
  {
    throw Unsupported("thickness is measured of up to 4294967295 components, not of " + std::to_string(components));
  }
  UninitializedVector<float> squares;
  {
    UninitializedVector<std::uint32_t> labels = MakeUnset<std::uint32_t>(static_cast<std::size_t>(extent.VoxelCount()));
    ExpandLabels(volume, components, context, labels.data());
    squares = SquaredDistancesToOthers(extent, table.geometry, labels, context);
  }
  const auto innermost = AccumulateRuns<Innermost>(
    volume,
    components,
    context,
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
      measures.inscribedCentre[axis] = table.geometry.startIndex[axis] + rest % extent.size[axis];
      rest /= extent.size[axis];
    }
  }
  if (!table.HasGroup("thickness"))
  {
    table.measures.Set(std::move(thicknesses));
    return;
  }
  DrawBalls(extent, table.geometry, context, squares);
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
              "diameter of the largest ball (in 2-D the disc) around a voxel's centre that lies within the component's "
              "voxels, taken as boxes; the image's border bounds them; also the largest local thickness",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<ThicknessMeasures>()[c.place].inscribedDiameter; });
  columns.AddAxes(
    "inscribed_sphere_",
    "",
    "index of that voxel, the first of several",
    "",
    "",
    MergeRule::SecondLook,
    [](Table t, Component c, int axis) { return t.measures.Of<ThicknessMeasures>()[c.place].inscribedCentre[axis]; },
    "index");
}

void
AddThicknessColumns(ColumnList & columns)
{
  columns.Add("thickness_mean_mm",
              "mean over the voxels of the diameter of the largest such ball within which the voxel's centre lies",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<ThicknessMeasures>()[c.place].meanLocal; });
  columns.Add("thickness_max_mm",
              "largest of these diameters: that of the inscribed sphere",
              "",
              "",
              MergeRule::SecondLook,
              [](Table t, Component c) { return t.measures.Of<ThicknessMeasures>()[c.place].inscribedDiameter; });
}

} // namespace

namespace groups
{
extern constexpr ColumnGroup Inscribed = [] {
  ColumnGroup group;
  group.name = "inscribed";
  group.maximumDimension = 3;
  group.addColumns = AddInscribedColumns;
  group.measure = MeasureThickness;
  return group;
}();

extern constexpr ColumnGroup Thickness = [] {
  ColumnGroup group;
  group.name = "thickness";
  group.maximumDimension = 3;
  group.addColumns = AddThicknessColumns;
  group.measure = MeasureThickness;
  return group;
}();
} // namespace groups

} // namespace brickccl
