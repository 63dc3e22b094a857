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
    m_IsCorner.assign(count, 0);
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
        m_IsCorner[i] = 1;
      }
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      if (m_IsCorner[i] != 0)
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

  int                        m_U;
  int                        m_V;
  std::vector<unsigned char> m_IsCorner;
  std::vector<std::size_t>   m_Chain;
};

/** Voxels of components: those of the i-th one that was met lie before ends[i], from ends[i - 1] on. */
struct ComponentVoxels
{
  std::vector<std::uint64_t> labels;
  std::vector<std::size_t>   ends;
  std::vector<VoxelIndex>    voxels;
};

/** Finds the corners of the hulls of components within slices across z: of each row the ends count alone. */
class SliceCorners
{
public:
  SliceCorners(const RunVolume & volume, std::size_t components)
    : m_Volume(volume)
    , m_PlaceOf(components, none)
  {}

  void
  Collect(std::int64_t slice, ComponentVoxels & corners)
  {
    m_Rows.clear();
    m_Chains.clear();
    const std::int64_t rows = m_Volume.GetExtent().size[1];
    for (std::int64_t y = 0; y < rows; ++y)
    {
      CollectLabeledRuns(m_Volume, slice * rows + y, m_Runs);
      for (const LabeledRun & run : m_Runs)
      {
        AddRun(y, run, corners.labels);
      }
    }
    std::vector<VoxelIndex> & own = m_Voxels;
    for (const Chain & chain : m_Chains)
    {
      own.clear();
      for (std::size_t i = chain.first; i != none; i = m_Rows[i].next)
      {
        const Row & row = m_Rows[i];
        own.push_back({ { row.low, row.y, slice } });
        if (row.high != row.low)
        {
          own.push_back({ { row.high, row.y, slice } });
        }
      }
      m_Hull.AppendCorners(own.data(), own.size(), corners.voxels);
      corners.ends.push_back(corners.voxels.size());
    }
    for (const std::uint64_t label : corners.labels)
    {
      m_PlaceOf[static_cast<std::size_t>(label - 1)] = none;
    }
  }

private:
  static constexpr std::size_t none = ~std::size_t{ 0 };

  /** The outermost voxels of a component in a row, and its next row. */
  struct Row
  {
    std::int64_t y;
    std::int64_t low;
    std::int64_t high;
    std::size_t  next;
  };
  struct Chain
  {
    std::size_t first;
    std::size_t last;
  };

  void
  AddRun(std::int64_t y, const LabeledRun & run, std::vector<std::uint64_t> & labels)
  {
    std::size_t & place = m_PlaceOf[static_cast<std::size_t>(run.label - 1)];
    if (place != none && m_Rows[m_Chains[place].last].y == y)
    {
      m_Rows[m_Chains[place].last].high = run.end - 1;
      return;
    }
    const std::size_t row = m_Rows.size();
    m_Rows.push_back({ y, run.begin, run.end - 1, none });
    if (place == none)
    {
      place = m_Chains.size();
      m_Chains.push_back({ row, row });
      labels.push_back(run.label);
      return;
    }
    m_Rows[m_Chains[place].last].next = row;
    m_Chains[place].last = row;
  }

  const RunVolume & m_Volume;
  PlaneHull         m_Hull{ 0, 1 };
  /** Of each component its chain of rows in this slice. */
  std::vector<std::size_t> m_PlaceOf;
  std::vector<Row>         m_Rows;
  std::vector<Chain>       m_Chains;
  std::vector<LabeledRun>  m_Runs;
  std::vector<VoxelIndex>  m_Voxels;
};

/** Of voxels, those that are corners of the hulls of all planes across `axis`: no other one is a corner of the hull. */
void
KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis)
{
  const int  u = axis == 0 ? 1 : 0;
  const int  v = axis == 2 ? 1 : 2;
  const auto key = [=](const VoxelIndex & voxel) { return std::make_tuple(voxel.at[axis], voxel.at[v], voxel.at[u]); };
  const auto isBefore = [&](const VoxelIndex & a, const VoxelIndex & b) { return key(a) < key(b); };
  if (!std::is_sorted(voxels.begin(), voxels.end(), isBefore))
  {
    std::sort(voxels.begin(), voxels.end(), isBefore);
  }
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
  const std::int64_t           slices = volume.GetExtent().size[2];
  std::vector<ComponentVoxels> corners(static_cast<std::size_t>(slices));
  const Chunks                 chunks(slices, 1, 4 * EffectiveThreadCount(context.threads));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    SliceCorners ofSlices(volume, table.components.size());
    for (std::int64_t slice = chunks.Begin(chunk); slice < chunks.End(chunk); ++slice)
    {
      ofSlices.Collect(slice, corners[static_cast<std::size_t>(slice)]);
    }
  });
  std::vector<std::size_t> counts(table.components.size(), 0);
  const auto               forVoxels = [](const ComponentVoxels & slice, auto function) {
    for (std::size_t i = 0, begin = 0; i < slice.labels.size(); begin = slice.ends[i++])
    {
      function(static_cast<std::size_t>(slice.labels[i] - 1), begin, slice.ends[i]);
    }
  };
  for (const ComponentVoxels & slice : corners)
  {
    forVoxels(slice, [&](std::size_t c, std::size_t begin, std::size_t end) { counts[c] += end - begin; });
  }
  table.extents.assign(table.components.size(), {});
  for (std::size_t c = 0; c < counts.size(); ++c)
  {
    table.extents[c].hull.reserve(counts[c]);
  }
  for (ComponentVoxels & slice : corners)
  {
    forVoxels(slice, [&](std::size_t c, std::size_t begin, std::size_t end) {
      std::vector<VoxelIndex> & hull = table.extents[c].hull;
      hull.insert(hull.end(), slice.voxels.data() + begin, slice.voxels.data() + end);
    });
    slice = ComponentVoxels();
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
