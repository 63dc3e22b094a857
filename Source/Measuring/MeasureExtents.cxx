#include "BrickCCL/Measuring/AccumulateRuns.h"
#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Geometry/EnclosingBall.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/MeasureGroups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** Its sign tells to which side the way from a by b to c turns, in a plane (u, v). Exact: no image has 2^62 voxels. */
std::int64_t
Turn(std::int64_t au,
     std::int64_t av,
     std::int64_t bu,
     std::int64_t bv,
     std::int64_t cu,
     std::int64_t cv)
{
  return (bv - av) * (cu - au) - (bu - au) * (cv - av);
}

/** Leaves of voxels that lie in one plane, sorted by `v` and then by `u`, only the corners of their convex hull:
 *  Andrew's monotone chain (1979), in integers. Keeps the order. */
class PlaneHull
{
public:
  void
  AppendCorners(int u, int v, const VoxelIndex * voxels, std::size_t count, std::vector<VoxelIndex> & corners)
  {
    if (count <= 2)
    {
      corners.insert(corners.end(), voxels, voxels + count);
      return;
    }
    // Of voxels with the same v, the first alone can lie on the side of small u, and the last on the other one.
    const auto isNew = [=](std::size_t i, std::size_t beside) { return voxels[i].at[v] != voxels[beside].at[v]; };
    m_IsCorner.assign(count, 0);
    for (const int side : { 1, -1 })
    {
      m_Chain.clear();
      for (std::size_t i = 0; i < count; ++i)
      {
        if (side > 0 ? i > 0 && !isNew(i, i - 1) : i + 1 < count && !isNew(i, i + 1))
        {
          continue;
        }
        while (m_Chain.size() >= 2)
        {
          const VoxelIndex & before = voxels[m_Chain[m_Chain.size() - 2]];
          const VoxelIndex & last = voxels[m_Chain.back()];
          if (Turn(before.at[u], before.at[v], last.at[u], last.at[v], voxels[i].at[u], voxels[i].at[v]) * side > 0)
          {
            break;
          }
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
  /** \param known  for each component whether its corners are known without a look at its runs. */
  SliceCorners(const RunVolume & volume, const std::vector<unsigned char> & known)
    : m_Volume(volume)
    , m_Known(known)
    , m_PlaceOf(known.size(), none)
  {}

  void
  Collect(std::int64_t slice, ComponentVoxels & corners)
  {
    m_Rows.clear();
    m_Chains.clear();
    const std::int64_t rows = m_Volume.GetExtent().size[1];
    m_Volume.VisitLabels([&](const auto * labels) {
      for (std::int64_t y = 0; y < rows; ++y)
      {
        m_Volume.ForEachRun(slice * rows + y, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          const std::uint64_t label = labels[run];
          if (label != 0 && m_Known[static_cast<std::size_t>(label - 1)] == 0)
          {
            AddRun(y, { begin, end, label }, corners.labels);
          }
        });
      }
    });
    for (const Chain & chain : m_Chains)
    {
      AppendCorners(chain.first, slice, corners.voxels);
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

  /** Adds the corners of the hull of a chain of rows: of the voxels on the side of small x those that the line between
   *  others does not pass, and of those on the other side. */
  void
  AppendCorners(std::size_t first, std::int64_t z, std::vector<VoxelIndex> & corners)
  {
    m_Left.clear();
    m_Right.clear();
    for (std::size_t i = first; i != none; i = m_Rows[i].next)
    {
      const Row & row = m_Rows[i];
      const auto  drop = [&](std::vector<std::size_t> & side, std::int64_t Row::*x, int sign) {
        while (side.size() >= 2)
        {
          const Row & before = m_Rows[side[side.size() - 2]];
          const Row & last = m_Rows[side.back()];
          if (Turn(before.*x, before.y, last.*x, last.y, row.*x, row.y) * sign > 0)
          {
            break;
          }
          side.pop_back();
        }
        side.push_back(i);
      };
      drop(m_Left, &Row::low, 1);
      drop(m_Right, &Row::high, -1);
    }
    // Both sides have the first and the last row.
    const auto add = [&](std::int64_t x, std::int64_t y) { corners.push_back({ { x, y, z, 0 } }); };
    for (std::size_t left = 0, right = 0; left < m_Left.size() || right < m_Right.size();)
    {
      const std::size_t atLeft = left < m_Left.size() ? m_Left[left] : none;
      const std::size_t atRight = right < m_Right.size() ? m_Right[right] : none;
      const Row &       row = m_Rows[std::min(atLeft, atRight)];
      if (atLeft <= atRight)
      {
        add(row.low, row.y);
        ++left;
      }
      if (atRight <= atLeft)
      {
        if (atRight < atLeft || row.high != row.low)
        {
          add(row.high, row.y);
        }
        ++right;
      }
    }
  }

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

  const RunVolume &                  m_Volume;
  const std::vector<unsigned char> & m_Known;
  /** Of each component its chain of rows in this slice. */
  std::vector<std::size_t> m_PlaceOf;
  std::vector<Row>         m_Rows;
  std::vector<Chain>       m_Chains;
  /** Rows whose first voxel, or whose last one, is a corner. */
  std::vector<std::size_t> m_Left;
  std::vector<std::size_t> m_Right;
};

/** Writes the corners of a component that fills its bounding box, in the order that KeepCornersOfPlanes leaves them in.
 *  \return whether it does. */
bool
FindCornersOfBox(const ComponentMeasures & row, const Geometry & geometry, std::vector<VoxelIndex> & corners)
{
  std::uint64_t voxels = 1;
  VoxelIndex    low;
  VoxelIndex    high;
  for (int axis = 0; axis < 3; ++axis)
  {
    voxels *= static_cast<std::uint64_t>(row.boxMaximum[axis] - row.boxMinimum[axis] + 1);
    low.at[axis] = row.boxMinimum[axis] - geometry.startIndex[axis];
    high.at[axis] = row.boxMaximum[axis] - geometry.startIndex[axis];
  }
  if (row.voxelCount != voxels)
  {
    return false;
  }
  const auto sides = [&](int axis) { return low.at[axis] == high.at[axis] ? 1 : 2; };
  corners.reserve(static_cast<std::size_t>(sides(0) * sides(1) * sides(2)));
  for (int x = 0; x < sides(0); ++x)
  {
    for (int z = 0; z < sides(2); ++z)
    {
      for (int y = 0; y < sides(1); ++y)
      {
        corners.push_back(
          { { (x == 0 ? low : high).at[0], (y == 0 ? low : high).at[1], (z == 0 ? low : high).at[2] } });
      }
    }
  }
  return true;
}

/** Of voxels, those that are corners of the hulls of all planes across `axis`: no other one is a corner of the hull. */
void
KeepCornersOfPlanes(std::vector<VoxelIndex> & voxels, int axis, PlaneHull & hull, std::vector<VoxelIndex> & kept)
{
  const int  u = axis == 0 ? 1 : 0;
  const int  v = axis == 2 ? 1 : 2;
  const auto key = [=](const VoxelIndex & voxel) { return std::make_tuple(voxel.at[axis], voxel.at[v], voxel.at[u]); };
  const auto isBefore = [&](const VoxelIndex & a, const VoxelIndex & b) { return key(a) < key(b); };
  if (!std::is_sorted(voxels.begin(), voxels.end(), isBefore))
  {
    std::sort(voxels.begin(), voxels.end(), isBefore);
  }
  kept.clear();
  for (std::size_t begin = 0; begin < voxels.size();)
  {
    std::size_t end = begin;
    while (end < voxels.size() && voxels[end].at[axis] == voxels[begin].at[axis])
    {
      ++end;
    }
    hull.AppendCorners(u, v, voxels.data() + begin, end - begin, kept);
    begin = end;
  }
  voxels.swap(kept);
}

/** A place in up to 3 dimensions. */
using Point = std::array<double, 3>;

/** \param reach  finds how far the component's voxels reach along a direction, from the first of the hull on: to at
 * most 0 backward and at least 0 forward. */
template <typename TReach>
void
FinishOrientedBox(const ComponentTable & table, const ShapeMeasures & shape, TReach reach, ExtentMeasures & measures)
{
  const int          dimension = table.extent.dimension;
  const Geometry &   geometry = table.geometry;
  const VoxelIndex & first = measures.hull.front();
  double             middle[MaximumDimension] = {};
  for (int i = 0; i < dimension; ++i)
  {
    // The physical axis, along the image's own axes, and where the first voxel lies on it.
    Point  along{};
    double halfVoxel = 0;
    double place = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      double component = 0;
      for (int row = 0; row < dimension; ++row)
      {
        component += shape.principalAxes[i][row] * geometry.direction[row][axis];
      }
      component *= geometry.spacing[axis];
      along[static_cast<std::size_t>(axis)] = component;
      halfVoxel += std::abs(component) / 2;
      place += shape.principalAxes[i][axis] * geometry.origin[axis] +
               component * static_cast<double>(first.at[axis] + geometry.startIndex[axis]);
    }
    const auto [low, high] = reach(along);
    measures.orientedSize[i] = high - low + 2 * halfVoxel;
    for (int row = 0; row < dimension; ++row)
    {
      middle[row] += shape.principalAxes[i][row] * (place + (low + high) / 2);
    }
  }
  std::copy_n(middle, MaximumDimension, measures.orientedCentre);
}

/** Fills the columns of components' extents from the candidates in their hulls; keeps memory from one to the next. */
class ExtentFinisher
{
public:
  /** Those of a component whose hull may hold voxels that are no corners, but for those of planes across an axis above
   *  `lastAxis`. */
  void
  FinishCandidates(ComponentTable & table, std::size_t component, int lastAxis)
  {
    std::vector<VoxelIndex> & hull = table.extents[component].hull;
    for (int axis = lastAxis; axis >= 0 && hull.size() > 2; --axis)
    {
      KeepCornersOfPlanes(hull, axis, m_Hull, m_Kept);
    }
    const auto isBefore = [](const VoxelIndex & a, const VoxelIndex & b) {
      return std::lexicographical_compare(a.at, a.at + MaximumDimension, b.at, b.at + MaximumDimension);
    };
    if (hull.size() == 2 && isBefore(hull.back(), hull.front()))
    {
      std::swap(hull.front(), hull.back());
    }
    Finish(table, component);
  }

  void
  Finish(ComponentTable & table, std::size_t component)
  {
    ExtentMeasures & measures = table.extents[component];
    const int        dimension = table.extent.dimension;
    Point            spacing{};
    std::copy_n(table.geometry.spacing, dimension, spacing.begin());
    Point sides;
    if (IsBox(measures.hull, sides))
    {
      FinishBox(table, table.shapes[component], spacing, sides, measures);
      return;
    }
    Point halfSides{};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      halfSides[axis] = spacing[axis] / 2;
    }
    // From the first one on, so that places far from the origin lose nothing.
    const VoxelIndex origin = measures.hull.front();
    m_Offsets.clear();
    m_Points.clear();
    for (const VoxelIndex & voxel : measures.hull)
    {
      Point offset;
      Point point;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        offset[axis] = static_cast<double>(voxel.at[axis] - origin.at[axis]);
        point[axis] = offset[axis] * spacing[axis];
      }
      m_Offsets.push_back(offset);
      m_Points.push_back(point);
    }
    measures.feretDiameter = std::sqrt(LargestDistance(measures.hull, table.geometry.spacing));
    const Ball ball = SmallestEnclosingBall(m_Points, halfSides);
    measures.enclosingDiameter = 2 * std::sqrt(ball.squaredRadius);
    double centre[MaximumDimension] = {};
    for (int axis = 0; axis < dimension; ++axis)
    {
      centre[axis] = static_cast<double>(origin.at[axis]) +
                     ball.centre[static_cast<std::size_t>(axis)] / table.geometry.spacing[axis];
    }
    table.geometry.IndexToPhysical(dimension, centre, measures.enclosingCentre);
    const auto reach = [this](const Point & along) {
      double low = 0;
      double high = 0;
      for (const Point & offset : m_Offsets)
      {
        const double length = along[0] * offset[0] + along[1] * offset[1] + along[2] * offset[2];
        low = std::min(low, length);
        high = std::max(high, length);
      }
      return std::make_pair(low, high);
    };
    FinishOrientedBox(table, table.shapes[component], reach, measures);
  }

private:
  /** Whether a hull's voxels are the corners of a box along the axes; `sides` becomes the way from its first one, which
   *  is the lowest along every axis, to that across. */
  static bool
  IsBox(const std::vector<VoxelIndex> & hull, Point & sides)
  {
    const VoxelIndex & low = hull.front();
    const VoxelIndex & high = hull.back();
    std::size_t        corners = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      if (high.at[axis] < low.at[axis])
      {
        return false;
      }
      sides[axis] = static_cast<double>(high.at[axis] - low.at[axis]);
      corners *= high.at[axis] > low.at[axis] ? 2 : 1;
    }
    // Voxels of a hull differ, so that there are as many corners only if they are all of them.
    return hull.size() == corners && std::all_of(hull.begin(), hull.end(), [&](const VoxelIndex & voxel) {
             return (voxel.at[0] == low.at[0] || voxel.at[0] == high.at[0]) &&
                    (voxel.at[1] == low.at[1] || voxel.at[1] == high.at[1]) &&
                    (voxel.at[2] == low.at[2] || voxel.at[2] == high.at[2]);
           });
  }

  static void
  FinishBox(const ComponentTable & table,
            const ShapeMeasures &  shape,
            const Point &          spacing,
            const Point &          sides,
            ExtentMeasures &       measures)
  {
    double betweenCentres = 0;
    double betweenCorners = 0;
    double centre[MaximumDimension] = {};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      betweenCentres += sides[axis] * spacing[axis] * (sides[axis] * spacing[axis]);
      betweenCorners += (sides[axis] + 1) * spacing[axis] * ((sides[axis] + 1) * spacing[axis]);
      centre[axis] = static_cast<double>(measures.hull.front().at[axis]) + sides[axis] / 2;
    }
    measures.feretDiameter = std::sqrt(betweenCentres);
    measures.enclosingDiameter = std::sqrt(betweenCorners);
    table.geometry.IndexToPhysical(table.extent.dimension, centre, measures.enclosingCentre);
    const auto reach = [&sides](const Point & along) {
      double low = 0;
      double high = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        low += std::min(0.0, along[axis] * sides[axis]);
        high += std::max(0.0, along[axis] * sides[axis]);
      }
      return std::make_pair(low, high);
    };
    FinishOrientedBox(table, shape, reach, measures);
  }

  /** The square of the largest distance between two voxels' centres. */
  double
  LargestDistance(const std::vector<VoxelIndex> & voxels, const double * spacing) const
  {
    // A tree pays where pairs are many.
    constexpr std::size_t few = 48;
    if (voxels.size() > few)
    {
      std::vector<VoxelBox> boxes;
      boxes.reserve(voxels.size());
      for (const VoxelIndex & voxel : voxels)
      {
        VoxelBox box;
        std::copy_n(voxel.at, MaximumDimension, box.low);
        std::copy_n(voxel.at, MaximumDimension, box.high);
        boxes.push_back(box);
      }
      return BoundingBoxTree(std::move(boxes), spacing).LargestDistance();
    }
    double largest = 0;
    for (std::size_t i = 0; i < m_Offsets.size(); ++i)
    {
      const Point own = m_Offsets[i];
      for (std::size_t j = i + 1; j < m_Offsets.size(); ++j)
      {
        // Rounded as by the tree: differences of indices are exact.
        const double x = (own[0] - m_Offsets[j][0]) * spacing[0];
        const double y = (own[1] - m_Offsets[j][1]) * spacing[1];
        const double z = (own[2] - m_Offsets[j][2]) * spacing[2];
        largest = std::max(largest, x * x + y * y + z * z);
      }
    }
    return largest;
  }

  PlaneHull               m_Hull;
  std::vector<VoxelIndex> m_Kept;
  /** The indices of a hull's voxels from the first of them on, and these times the spacing. */
  std::vector<Point> m_Offsets;
  std::vector<Point> m_Points;
};

} // namespace

void
FinishExtent(ComponentTable & table, std::size_t component)
{
  ExtentFinisher().FinishCandidates(table, component, table.extent.dimension - 1);
}

void
MeasureExtents(const RunVolume & volume, const HostContext & context, ComponentTable & table)
{
  // Boxes, most of all single voxels and other specks, need no look at their runs.
  std::vector<unsigned char> isBox(table.components.size());
  table.extents.assign(table.components.size(), {});
  ForComponents(isBox.size(), context, [&](std::size_t c) {
    isBox[c] = FindCornersOfBox(table.components[c], table.geometry, table.extents[c].hull) ? 1 : 0;
  });
  const std::int64_t           slices = volume.GetExtent().size[2];
  std::vector<ComponentVoxels> corners(static_cast<std::size_t>(slices));
  const Chunks                 chunks(slices, 1, 4 * EffectiveThreadCount(context.threads));
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    SliceCorners ofSlices(volume, isBox);
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
    ExtentFinisher     finisher;
    const std::int64_t end = parts.End(part);
    for (std::int64_t c = parts.Begin(part); c < end; ++c)
    {
      const auto component = static_cast<std::size_t>(c);
      // In slices across z there are corners alone.
      isBox[component] != 0 ? finisher.Finish(table, component)
                            : finisher.FinishCandidates(table, component, std::min(1, table.extent.dimension - 1));
    }
  });
}

} // namespace brickccl
