#include "BrickCCL/Components/BoxTree.h"
#include "BrickCCL/Components/EnclosingBall.h"
#include "BrickCCL/Components/LabeledRuns.h"
#include "BrickCCL/Components/MeasureGroups.h"
#include "BrickCCL/Core/WideInteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace brickccl
{

namespace
{

struct LabeledVoxel
{
  std::uint64_t label;
  VoxelIndex    index;
};

/** Leaves of voxels that lie in one plane, sorted by `v` and then by `u`, only the corners of their convex hull:
 *  Andrew's monotone chain (1979), in integers. Keeps the order. */
class PlaneHull
{
public:
  PlaneHull(int u, int v)
    : m_U(u)
    , m_V(v)
  {}

  void
  AppendCorners(const VoxelIndex * voxels, std::size_t count, std::vector<VoxelIndex> & corners)
  {
    if (count <= 2)
    {
      corners.insert(corners.end(), voxels, voxels + count);
      return;
    }
    m_IsCorner.assign(count, false);
    for (const int side : { 1, -1 })
    {
      m_Chain.clear();
      for (std::size_t i = 0; i < count; ++i)
      {
        while (m_Chain.size() >= 2 &&
               Turn(voxels[m_Chain[m_Chain.size() - 2]], voxels[m_Chain.back()], voxels[i]) * side <= 0)
        {
          m_Chain.pop_back();
        }
        m_Chain.push_back(i);
      }
      for (const std::size_t i : m_Chain)
      {
        m_IsCorner[i] = true;
      }
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      if (m_IsCorner[i])
      {
        corners.push_back(voxels[i]);
      }
    }
  }

private:
  /** Its sign tells to which side the way from a by b to c turns. */
  int
  Turn(const VoxelIndex & a, const VoxelIndex & b, const VoxelIndex & c) const
  {
    const auto   difference = [](std::int64_t x, std::int64_t y) { return static_cast<Int128>(x - y); };
    const Int128 turn = difference(b.at[m_V], a.at[m_V]) * difference(c.at[m_U], a.at[m_U]) -
                        difference(b.at[m_U], a.at[m_U]) * difference(c.at[m_V], a.at[m_V]);
    return turn > 0 ? 1 : turn < 0 ? -1 : 0;
  }

  int                      m_U;
  int                      m_V;
  std::vector<bool>        m_IsCorner;
  std::vector<std::size_t> m_Chain;
};

/** The corners of the hulls of all components within one slice across z: of each row the ends count alone. */
void
CollectSliceCorners(const RunVolume & volume, std::int64_t slice, std::vector<LabeledVoxel> & corners)
{
  const std::int64_t        rows = volume.GetExtent().size[1];
  std::vector<LabeledVoxel> ends;
  std::vector<LabeledRun>   runs;
  for (std::int64_t y = 0; y < rows; ++y)
  {
    CollectLabeledRuns(volume, slice * rows + y, runs);
    std::stable_sort(runs.begin(), runs.end(), [](const LabeledRun & a, const LabeledRun & b) {
      return a.label < b.label;
    });
    for (std::size_t i = 0; i < runs.size();)
    {
      std::size_t last = i;
      while (last + 1 < runs.size() && runs[last + 1].label == runs[i].label)
      {
        ++last;
      }
      ends.push_back({ runs[i].label, { { runs[i].begin, y, slice } } });
      if (runs[last].end - 1 != runs[i].begin)
      {
        ends.push_back({ runs[i].label, { { runs[last].end - 1, y, slice } } });
      }
      i = last + 1;
    }
  }
  std::stable_sort(ends.begin(), ends.end(), [](const LabeledVoxel & a, const LabeledVoxel & b) {
    return a.label < b.label;
  });
  PlaneHull               hull(0, 1);
  std::vector<VoxelIndex> own;
  std::vector<VoxelIndex> kept;
  for (std::size_t i = 0; i < ends.size();)
  {
    const std::uint64_t label = ends[i].label;
    own.clear();
    kept.clear();
    for (; i < ends.size() && ends[i].label == label; ++i)
    {
      own.push_back(ends[i].index);
    }
    hull.AppendCorners(own.data(), own.size(), kept);
    for (const VoxelIndex & voxel : kept)
    {
      corners.push_back({ label, voxel });
    }
  }
}

/** Of voxels, those that are corners of the hulls of all planes across `axis`: no other one is a corner of the hull. */
void
KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis)
{
  const int  u = axis == 0 ? 1 : 0;
  const int  v = axis == 2 ? 1 : 2;
  const auto key = [=](const VoxelIndex & voxel) { return std::make_tuple(voxel.at[axis], voxel.at[v], voxel.at[u]); };
  std::sort(voxels.begin(), voxels.end(), [&](const VoxelIndex & a, const VoxelIndex & b) { return key(a) < key(b); });
  std::vector<VoxelIndex> kept;
  PlaneHull               hull(u, v);
  for (std::size_t begin = 0; begin < voxels.size();)
  {
    std::size_t end = begin;
    while (end < voxels.size() && voxels[end].at[axis] == voxels[begin].at[axis])
    {
      ++end;
    }
    hull.AppendCorners(voxels.data() + begin, end - begin, kept);
    begin = end;
  }
  voxels.swap(kept);
}

void
FinishOrientedBox(const ComponentTable & table, const ShapeMeasures & shape, ExtentMeasures & measures)
{
  const int        dimension = table.extent.dimension;
  const Geometry & geometry = table.geometry;
  double           middle[MaximumDimension] = {};
  for (int i = 0; i < dimension; ++i)
  {
    // The physical axis, along the image's own axes.
    double along[MaximumDimension] = {};
    double halfVoxel = 0;
    double atOrigin = 0;
    for (int row = 0; row < dimension; ++row)
    {
      atOrigin += shape.principalAxes[i][row] * geometry.origin[row];
    }
    for (int axis = 0; axis < dimension; ++axis)
    {
      for (int row = 0; row < dimension; ++row)
      {
        along[axis] += shape.principalAxes[i][row] * geometry.direction[row][axis] * geometry.spacing[axis];
      }
      halfVoxel += std::abs(along[axis]) / 2;
    }
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const VoxelIndex & voxel : measures.hull)
    {
      double place = 0;
      for (int axis = 0; axis < dimension; ++axis)
      {
        place += along[axis] * static_cast<double>(voxel.at[axis] + geometry.startIndex[axis]);
      }
      low = std::min(low, place);
      high = std::max(high, place);
    }
    measures.orientedSize[i] = high - low + 2 * halfVoxel;
    for (int row = 0; row < dimension; ++row)
    {
      middle[row] += shape.principalAxes[i][row] * ((low + high) / 2 + atOrigin);
    }
  }
  std::copy_n(middle, MaximumDimension, measures.orientedCentre);
}

} // namespace

void
FinishExtent(ComponentTable & table, std::size_t component)
{
  ExtentMeasures & measures = table.extents[component];
  const int        dimension = table.extent.dimension;
  for (int axis = dimension - 1; axis >= 0 && measures.hull.size() > 2; --axis)
  {
    KeepCornersOfPlanes(measures.hull, axis);
  }

  std::vector<VoxelBox>              boxes;
  std::vector<std::array<double, 3>> points;
  std::array<double, 3>              halfSides{};
  for (int axis = 0; axis < dimension; ++axis)
  {
    halfSides[static_cast<std::size_t>(axis)] = table.geometry.spacing[axis] / 2;
  }
  // From the first one on, so that places far from the origin lose nothing.
  const VoxelIndex origin = measures.hull.front();
  for (const VoxelIndex & voxel : measures.hull)
  {
    VoxelBox              box;
    std::array<double, 3> point{};
    std::copy_n(voxel.at, MaximumDimension, box.low);
    std::copy_n(voxel.at, MaximumDimension, box.high);
    for (int axis = 0; axis < dimension; ++axis)
    {
      point[static_cast<std::size_t>(axis)] =
        static_cast<double>(voxel.at[axis] - origin.at[axis]) * table.geometry.spacing[axis];
    }
    boxes.push_back(box);
    points.push_back(point);
  }
  measures.feretDiameter = std::sqrt(BoxTree(std::move(boxes), table.geometry.spacing).LargestDistance());
  const Ball ball = SmallestEnclosingBall(points, halfSides);
  measures.enclosingDiameter = 2 * std::sqrt(ball.squaredRadius);
  double centre[MaximumDimension] = {};
  for (int axis = 0; axis < dimension; ++axis)
  {
    centre[axis] =
      static_cast<double>(origin.at[axis]) + ball.centre[static_cast<std::size_t>(axis)] / table.geometry.spacing[axis];
  }
  table.geometry.IndexToPhysical(dimension, centre, measures.enclosingCentre);
  FinishOrientedBox(table, table.shapes[component], measures);
}

void
MeasureExtents(const RunVolume & volume, const HostContext & context, ComponentTable & table)
{
  const std::int64_t                     slices = volume.GetExtent().size[2];
  std::vector<std::vector<LabeledVoxel>> corners(static_cast<std::size_t>(slices));
  ParallelFor(slices, context, [&](std::int64_t slice) {
    CollectSliceCorners(volume, slice, corners[static_cast<std::size_t>(slice)]);
  });
  table.extents.assign(table.components.size(), {});
  for (std::vector<LabeledVoxel> & slice : corners)
  {
    for (const LabeledVoxel & voxel : slice)
    {
      table.extents[static_cast<std::size_t>(voxel.label - 1)].hull.push_back(voxel.index);
    }
    std::vector<LabeledVoxel>().swap(slice);
  }
  const Chunks parts(static_cast<std::int64_t>(table.extents.size()), 1, 256);
  ParallelFor(parts.count, context, [&](std::int64_t part) {
    for (std::int64_t c = parts.Begin(part); c < parts.End(part); ++c)
    {
      FinishExtent(table, static_cast<std::size_t>(c));
    }
  });
}

} // namespace brickccl
