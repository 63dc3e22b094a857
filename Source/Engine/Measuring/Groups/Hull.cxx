// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/HullCorners.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

/** Measures of the convex hull of a component's voxels as boxes. */
namespace brickccl
{

namespace
{

using namespace columns;

/** The convex hull of points, as triangles. Each point replaces the triangles that it sees. Decisions are exact in 64
 *  bits where the hull's box is not longer than `Longest`, so points may share planes and lines. */
class ConvexHull
{
public:
  static constexpr std::int64_t Longest = 1000000;

  /** \param points  the fourth is behind the triangle of the first three, seen counterclockwise */
  void
  Build(std::vector<VoxelIndex> points)
  {
    m_Points = std::move(points);
    m_Faces.clear();
    AddFace(0, 1, 2);
    AddFace(1, 0, 3);
    AddFace(2, 1, 3);
    AddFace(0, 2, 3);
    std::set<std::pair<std::size_t, std::size_t>> sides;
    for (std::size_t point = 4; point < m_Points.size(); ++point)
    {
      sides.clear();
      const auto isHidden = [&](const Face & face) { return Height(face, point) <= 0; };
      const auto seen = std::partition(m_Faces.begin(), m_Faces.end(), isHidden);
      std::for_each(seen, m_Faces.end(), [&](const Face & face) {
        for (std::size_t side = 0; side < 3; ++side)
        {
          sides.emplace(face.corners[side], face.corners[(side + 1) % 3]);
        }
      });
      m_Faces.erase(seen, m_Faces.end());
      for (const auto & [from, to] : sides)
      {
        sides.count({ to, from }) == 0 ? AddFace(from, to, point) : void();
      }
    }
  }

  std::int64_t
  SixVolumes() const
  {
    std::int64_t volume = 0;
    for (const Face & face : m_Faces)
    {
      volume -= Height(face, 0);
    }
    return volume;
  }

  /** The least distance of two parallel planes around all points. It is reached by a plane through a face, or by two
   *  planes through an edge each (Houle and Toussaint, Computing the width of a set, 1988).
   *  \param dimension  only directions along the first axes count; the points are a prism along the others */
  double
  Width(const double * spacing, int dimension) const
  {
    double least = std::numeric_limits<double>::infinity();
    for (const Face & face : m_Faces)
    {
      std::int64_t lowest = 0;
      for (std::size_t point = 0; point < m_Points.size(); ++point)
      {
        lowest = std::min(lowest, Height(face, point));
      }
      const bool isAcross = std::all_of(face.normal.at + dimension, face.normal.at + 3, [](auto n) { return n == 0; });
      least = isAcross ? std::min(least, DistanceAlong(face.normal, lowest, spacing)) : least;
    }
    const std::vector<Edge> edges = dimension == 3 ? Edges() : std::vector<Edge>();
    for (std::size_t i = 0; i < edges.size(); ++i)
    {
      for (std::size_t j = 0; j < i; ++j)
      {
        if (AreOpposite(edges[i], edges[j]))
        {
          const VoxelIndex across = Cross(edges[i].along, edges[j].along);
          const auto       product = Dot(across, Difference(edges[i].from, edges[j].from));
          least = std::min(least, DistanceAlong(across, product, spacing));
        }
      }
    }
    return least;
  }

private:
  struct Face
  {
    std::size_t corners[3];
    VoxelIndex  normal;
  };
  /** An edge between faces that are not in one plane, with their normals. */
  struct Edge
  {
    VoxelIndex from;
    VoxelIndex along;
    VoxelIndex left;
    VoxelIndex right;
  };

  static VoxelIndex
  Difference(const VoxelIndex & a, const VoxelIndex & b)
  {
    return { { a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2] } };
  }
  static VoxelIndex
  Cross(const VoxelIndex & a, const VoxelIndex & b)
  {
    return { { a.at[1] * b.at[2] - a.at[2] * b.at[1],
               a.at[2] * b.at[0] - a.at[0] * b.at[2],
               a.at[0] * b.at[1] - a.at[1] * b.at[0] } };
  }
  static std::int64_t
  Dot(const VoxelIndex & a, const VoxelIndex & b)
  {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
  }

  /** The distance of two planes across a direction, of which the product with a step between them is known. Multiples
   *  of a direction give the same bits. */
  static double
  DistanceAlong(const VoxelIndex & normal, std::int64_t product, const double * spacing)
  {
    const std::int64_t multiple = std::gcd(std::gcd(normal.at[0], normal.at[1]), normal.at[2]);
    double             square = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
      const std::int64_t whole = normal.at[axis] / multiple;
      const double       along = static_cast<double>(whole) / spacing[axis];
      square += along * along;
    }
    return static_cast<double>(std::abs(product / multiple)) / std::sqrt(square);
  }

  /** Whether parallel planes through two edges can have all points between them: the directions between the normals
   *  of one edge's faces cross the opposites of the directions between the other's. */
  static bool
  AreOpposite(const Edge & a, const Edge & b)
  {
    const auto side = [](const Edge & one, const Edge & other) {
      const std::int64_t left = Dot(one.left, other.along);
      const std::int64_t right = Dot(one.right, other.along);
      const bool         isOne = (left > 0 && right > 0) || (left < 0 && right < 0) || left == right;
      return isOne ? 0 : left > right ? 1 : -1;
    };
    const int own = side(a, b);
    return own != 0 && own == side(b, a);
  }

  /** How far a point is in front of a face, times the length of its normal. */
  std::int64_t
  Height(const Face & face, std::size_t point) const
  {
    return Dot(face.normal, Difference(m_Points[point], m_Points[face.corners[0]]));
  }

  void
  AddFace(std::size_t a, std::size_t b, std::size_t c)
  {
    const VoxelIndex & from = m_Points[a];
    m_Faces.push_back({ { a, b, c }, Cross(Difference(m_Points[b], from), Difference(m_Points[c], from)) });
  }

  std::vector<Edge>
  Edges() const
  {
    std::map<std::pair<std::size_t, std::size_t>, const Face *> faces;
    for (const Face & face : m_Faces)
    {
      for (std::size_t side = 0; side < 3; ++side)
      {
        faces[{ face.corners[side], face.corners[(side + 1) % 3] }] = &face;
      }
    }
    std::vector<Edge> edges;
    for (const auto & [ends, face] : faces)
    {
      const Face & other = *faces.at({ ends.second, ends.first });
      const auto   isInPlane = [&, plane = face](std::size_t point) { return Height(*plane, point) == 0; };
      if (ends.first < ends.second && !std::all_of(other.corners, other.corners + 3, isInPlane))
      {
        const VoxelIndex & from = m_Points[ends.first];
        edges.push_back({ from, Difference(m_Points[ends.second], from), face->normal, other.normal });
      }
    }
    return edges;
  }

  std::vector<VoxelIndex> m_Points;
  std::vector<Face>       m_Faces;
};

class HullFinisher
{
public:
  HullFinisher(const ComponentTable & table)
    : m_Table(table)
  {}

  /** \param hull  voxels with the same hull as the component */
  void
  Finish(std::size_t component, const std::vector<VoxelIndex> & hull, HullMeasures & measures)
  {
    const ComponentMeasures row = m_Table.components[component];
    const int               dimension = m_Table.extent.dimension;
    const double * const    spacing = m_Table.geometry.spacing;
    double                  boxVoxels = 1;
    measures.width = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < dimension; ++axis)
    {
      const std::int64_t voxels = row.boxMaximum[axis] - row.boxMinimum[axis] + 1;
      ThrowIf<Unsupported>(voxels > ConvexHull::Longest,
                           "the columns 'hull' need components of at most " + std::to_string(ConvexHull::Longest) +
                             " voxels along an axis; one has " + std::to_string(voxels));
      boxVoxels *= static_cast<double>(voxels);
      measures.width = std::min(measures.width, static_cast<double>(voxels) * spacing[axis]);
    }
    measures.voxels = static_cast<double>(row.voxelCount);
    if (measures.voxels < boxVoxels)
    {
      m_Hull.Build(CornersOf(hull));
      measures.voxels = static_cast<double>(m_Hull.SixVolumes()) / 6;
      measures.width = m_Hull.Width(spacing, dimension);
    }
  }

private:
  /** The corners of voxels as boxes. The first four are of one voxel. */
  std::vector<VoxelIndex>
  CornersOf(const std::vector<VoxelIndex> & hull)
  {
    std::vector<VoxelIndex> corners;
    for (const auto & [at] : hull)
    {
      for (std::int64_t corner = 0; corner < 8; ++corner)
      {
        corners.push_back({ { at[0] + corner % 2, at[1] + corner / 2 % 2, at[2] + corner / 4 } });
      }
    }
    const VoxelIndex first[] = { corners[0], corners[2], corners[1], corners[4] };
    m_Reducer.Reduce(corners, 2);
    corners.insert(corners.begin(), first, first + 4);
    return corners;
  }

  const ComponentTable & m_Table;
  HullReducer            m_Reducer;
  ConvexHull             m_Hull;
};

void
MeasureHull(const GroupInput & input, ComponentTable & table)
{
  AddHullCorners(input.volume, input.context, table);
  MeasureHulls<HullMeasures, HullFinisher>(input.context, table);
}

void
MergeHull(const MergeInput & input, ComponentTable & table)
{
  MergeHullCorners(input, table);
  MeasureHulls<HullMeasures, HullFinisher>({ 1 }, table);
}

void
AddHullColumns(ColumnList & columns)
{
  columns.Add("convex_" + std::string(SizeName(columns.Dimension())),
              "volume (in 2-D area) of the convex hull of all voxels as boxes",
              "",
              "area_convex (counts pixels of the hull)",
              MergeRule::Recomputed,
              [](Table t, Component c) {
                return t.measures.Of<HullMeasures>()[c.place].voxels * t.geometry.VoxelVolume(t.extent.dimension);
              });
  columns.Add("solidity",
              "share of this hull that the component fills, at most 1",
              "",
              "solidity (counts pixels of the hull)",
              MergeRule::Recomputed,
              [](Table t, Component c) {
                return static_cast<double>(c.voxelCount) / t.measures.Of<HullMeasures>()[c.place].voxels;
              });
  columns.Add("caliper_width_mm",
              "least distance of two parallel planes (in 2-D lines) around all voxels as boxes: least Feret diameter",
              MergeRule::Recomputed,
              &HullMeasures::width);
}

} // namespace

constexpr ColumnGroup groups::Hull = GroupOnRequest("hull", AddHullColumns, MeasureHull, MergeHull);

} // namespace brickccl
