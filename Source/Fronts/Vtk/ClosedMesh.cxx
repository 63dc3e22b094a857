// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/ClosedMesh.h"

#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkPoints.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

using Point = std::array<double, 3>;

static Point
operator-(const Point & a, const Point & b)
{
  return { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
}

static Point
PointOf(vtkPolyData * mesh, vtkIdType point)
{
  Point place;
  mesh->GetPoint(point, place.data());
  return place;
}

/** The volume of a closed mesh; negative if normals point inwards. `origin` is near, for exactness far from 0. */
static double
VolumeOf(vtkPolyData * mesh, const Point & origin)
{
  double sum = 0;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    const Point corners[3] = { PointOf(mesh, a) - origin, PointOf(mesh, b) - origin, PointOf(mesh, c) - origin };
    sum += vtkMath::Determinant3x3(corners[0].data(), corners[1].data(), corners[2].data());
  });
  return sum / 6;
}

void
PointsMoved(vtkPolyData * mesh)
{
  mesh->GetPoints()->Modified();
  mesh->Modified();
}

double
EnclosedVolume(vtkPolyData * mesh)
{
  return VolumeOf(mesh, PointOf(mesh, 0));
}

bool
HoldVolume(vtkPolyData * mesh, double volume, double farthest)
{
  constexpr int    maximumSteps = 50;
  constexpr double accuracy = 1e-4;
  constexpr double maximumMissing = 1e-2;
  const Point      origin = PointOf(mesh, 0);
  double           missing = volume - VolumeOf(mesh, origin);
  for (int step = 0; step < maximumSteps && std::abs(missing) > accuracy * volume; ++step)
  {
    std::vector<Point> normals(static_cast<std::size_t>(mesh->GetNumberOfPoints()), Point{});
    ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
      Point       normal;
      const Point along = PointOf(mesh, b) - PointOf(mesh, a);
      vtkMath::Cross(along.data(), (PointOf(mesh, c) - PointOf(mesh, a)).data(), normal.data());
      for (const vtkIdType corner : { a, b, c })
      {
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          normals[static_cast<std::size_t>(corner)][axis] += normal[axis] / 6;
        }
      }
    });
    // A step d along unit normals n adds d times the sum of n's share of the area: what |n A| sums up to.
    double area = 0;
    for (const Point & normal : normals)
    {
      area += vtkMath::Norm(normal.data());
    }
    if (!(area > 0))
    {
      return false;
    }
    const double distance = std::max(-farthest, std::min(farthest, missing / area));
    for (vtkIdType point = 0; point < mesh->GetNumberOfPoints(); ++point)
    {
      const Point & normal = normals[static_cast<std::size_t>(point)];
      const double  length = vtkMath::Norm(normal.data());
      Point         place = PointOf(mesh, point);
      for (std::size_t axis = 0; length > 0 && axis < 3; ++axis)
      {
        place[axis] += distance * normal[axis] / length;
      }
      mesh->GetPoints()->SetPoint(point, place.data());
    }
    PointsMoved(mesh);
    missing = volume - VolumeOf(mesh, origin);
  }
  return std::abs(missing) <= maximumMissing * volume;
}

std::size_t
FaultsOf(vtkPolyData * mesh)
{
  // From, to, and the third corner.
  std::vector<std::array<vtkIdType, 3>> sides;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    sides.insert(sides.end(), { { a, b, c }, { b, c, a }, { c, a, b } });
  });
  std::sort(sides.begin(), sides.end());
  return static_cast<std::size_t>(std::count_if(sides.begin(), sides.end(), [&](const auto & side) {
    const auto range = [&](vtkIdType from, vtkIdType to) {
      constexpr vtkIdType last = std::numeric_limits<vtkIdType>::max();
      return std::make_pair(std::lower_bound(sides.begin(), sides.end(), std::array<vtkIdType, 3>{ from, to, 0 }),
                            std::upper_bound(sides.begin(), sides.end(), std::array<vtkIdType, 3>{ from, to, last }));
    };
    const auto own = range(side[0], side[1]);
    const auto other = range(side[1], side[0]);
    return own.second - own.first != 1 || other.second - other.first != 1 || (*other.first)[2] == side[2];
  }));
}

void
TurnOutwards(vtkPolyData * mesh)
{
  if (!(EnclosedVolume(mesh) < 0))
  {
    return;
  }
  vtkNew<vtkCellArray> turned;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    const vtkIdType points[3] = { a, c, b };
    turned->InsertNextCell(3, points);
  });
  mesh->SetPolys(turned);
}

} // namespace brickccl
