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
  void
  AppendCorners(int u, int v, const VoxelIndex * voxels, std::size_t count, std::vector<VoxelIndex> & corners)
  {
    m_U = u;
    m_V = v;
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
    const std::int64_t bv = b.at[m_V] - a.at[m_V];
    const std::int64_t bu = b.at[m_U] - a.at[m_U];
    const std::int64_t cv = c.at[m_V] - a.at[m_V];
    const std::int64_t cu = c.at[m_U] - a.at[m_U];
    const auto         isNarrow = [](std::int64_t number) { return number == static_cast<std::int32_t>(number); };
    if (isNarrow(bv) && isNarrow(bu) && isNarrow(cv) && isNarrow(cu))
    {
      return bv * cu > bu * cv ? 1 : bv * cu < bu * cv ? -1 : 0;
    }
    const Int128 turn = static_cast<Int128>(bv) * cu - static_cast<Int128>(bu) * cv;
    return turn > 0 ? 1 : turn < 0 ? -1 : 0;
  }

  int                        m_U = 0;
  int                        m_V = 1;
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
    for (const Chain & chain : m_Chains)
    {
      m_Voxels.clear();
      for (std::size_t i = chain.first; i != none; i = m_Rows[i].next)
      {
        const Row & row = m_Rows[i];
        AddVoxel(row.low, row.y, slice);
        if (row.high != row.low)
        {
          AddVoxel(row.high, row.y, slice);
        }
      }
      m_Hull.AppendCorners(0, 1, m_Voxels.data(), m_Voxels.size(), corners.voxels);
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

  /** In place: a copy would wait for what has just been written. */
  void
  AddVoxel(std::int64_t x, std::int64_t y, std::int64_t z)
  {
    m_Voxels.emplace_back();
    m_Voxels.back().at[0] = x;
    m_Voxels.back().at[1] = y;
    m_Voxels.back().at[2] = z;
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

  const RunVolume & m_Volume;
  PlaneHull         m_Hull;
  /** Of each component its chain of rows in this slice. */
  std::vector<std::size_t> m_PlaceOf;
  std::vector<Row>         m_Rows;
  std::vector<Chain>       m_Chains;
  std::vector<LabeledRun>  m_Runs;
  std::vector<VoxelIndex>  m_Voxels;
};

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

/** Fills the columns of components' extents from the candidates in their hulls; keeps memory from one to the next. */
class ExtentFinisher
{
public:
  void
  Finish(ComponentTable & table, std::size_t component)
  {
    ExtentMeasures & measures = table.extents[component];
    const int        dimension = table.extent.dimension;
    for (int axis = dimension - 1; axis >= 0 && measures.hull.size() > 2; --axis)
    {
      KeepCornersOfPlanes(measures.hull, axis, m_Hull, m_Kept);
    }

    Point halfSides{};
    for (int axis = 0; axis < dimension; ++axis)
    {
      halfSides[static_cast<std::size_t>(axis)] = table.geometry.spacing[axis] / 2;
    }
    // From the first one on, so that places far from the origin lose nothing.
    const VoxelIndex origin = measures.hull.front();
    m_Points.clear();
    for (const VoxelIndex & voxel : measures.hull)
    {
      Point point{};
      for (int axis = 0; axis < dimension; ++axis)
      {
        point[static_cast<std::size_t>(axis)] =
          static_cast<double>(voxel.at[axis] - origin.at[axis]) * table.geometry.spacing[axis];
      }
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
    FinishOrientedBox(table, table.shapes[component], measures);
  }

private:
  using Point = std::array<double, 3>;

  /** The square of the largest distance between two voxels' centres. */
  static double
  LargestDistance(const std::vector<VoxelIndex> & voxels, const double * spacing)
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
      return BoxTree(std::move(boxes), spacing).LargestDistance();
    }
    double largest = 0;
    for (std::size_t i = 0; i < voxels.size(); ++i)
    {
      for (std::size_t j = i + 1; j < voxels.size(); ++j)
      {
        double square = 0;
        for (int axis = 0; axis < MaximumDimension; ++axis)
        {
          const double length = static_cast<double>(voxels[i].at[axis] - voxels[j].at[axis]) * spacing[axis];
          square += length * length;
        }
        largest = std::max(largest, square);
      }
    }
    return largest;
  }

  PlaneHull               m_Hull;
  std::vector<VoxelIndex> m_Kept;
  std::vector<Point>      m_Points;
};

} // namespace

void
FinishExtent(ComponentTable & table, std::size_t component)
{
  ExtentFinisher().Finish(table, component);
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
    ExtentFinisher     finisher;
    const std::int64_t end = parts.End(part);
    for (std::int64_t c = parts.Begin(part); c < end; ++c)
    {
      finisher.Finish(table, static_cast<std::size_t>(c));
    }
  });
}

} // namespace brickccl
