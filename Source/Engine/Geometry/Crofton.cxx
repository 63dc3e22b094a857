// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/Crofton.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace brickccl
{

constexpr double Pi = 3.14159265358979323846;

using Vector = std::array<double, 3>;

static double
Dot(const Vector & a, const Vector & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static Vector
Cross(const Vector & a, const Vector & b)
{
  return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
}

static Vector
Unit(const Vector & a)
{
  const double length = std::sqrt(Dot(a, a));
  return { a[0] / length, a[1] / length, a[2] / length };
}

/** The solid angle of the unit vectors that are nearer to `own` than to any of `others`. In the plane that touches the
 *  sphere at `own` they form a polygon; each of the others cuts it by a line. */
static double
NearestSolidAngle(const Vector & own, const std::vector<Vector> & others)
{
  const Vector helper = std::abs(own[0]) < 0.5 ? Vector{ 1, 0, 0 } : Vector{ 0, 1, 0 };
  const Vector right = Unit(Cross(own, helper));
  const Vector up = Cross(own, right);
  using Point = std::array<double, 2>;
  constexpr double   far = 1e4;
  std::vector<Point> polygon{ { -far, -far }, { far, -far }, { far, far }, { -far, far } };
  for (const Vector & other : others)
  {
    if (other == own)
    {
      continue;
    }
    const Vector       normal{ own[0] - other[0], own[1] - other[1], own[2] - other[2] };
    const double       constant = Dot(normal, own);
    const Point        slope{ Dot(normal, right), Dot(normal, up) };
    const auto         side = [&](const Point & p) { return constant + p[0] * slope[0] + p[1] * slope[1]; };
    std::vector<Point> cut;
    for (std::size_t i = 0; i < polygon.size(); ++i)
    {
      const Point & from = polygon[i];
      const Point & to = polygon[(i + 1) % polygon.size()];
      const double  atFrom = side(from);
      const double  atTo = side(to);
      if (atFrom >= 0)
      {
        cut.push_back(from);
      }
      if ((atFrom < 0) != (atTo < 0))
      {
        const double share = atFrom / (atFrom - atTo);
        cut.push_back({ from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]) });
      }
    }
    polygon = cut;
  }
  const auto onSphere = [&](const Point & p) {
    return Unit({ own[0] + p[0] * right[0] + p[1] * up[0],
                  own[1] + p[0] * right[1] + p[1] * up[1],
                  own[2] + p[0] * right[2] + p[1] * up[2] });
  };
  double angle = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i)
  {
    // The solid angle of a triangle of unit vectors (van Oosterom and Strackee, 1983).
    const Vector b = onSphere(polygon[i]);
    const Vector c = onSphere(polygon[(i + 1) % polygon.size()]);
    angle += 2 * std::atan2(std::abs(Dot(own, Cross(b, c))), 1 + Dot(own, b) + Dot(b, c) + Dot(c, own));
  }
  return angle;
}

/** The same in the plane: half the angles to the next directions on both sides. */
static double
NearestAngle(const Vector & own, const std::vector<Vector> & others)
{
  double before = 2 * Pi;
  double after = 2 * Pi;
  for (const Vector & other : others)
  {
    if (other == own)
    {
      continue;
    }
    const double angle = std::atan2(own[0] * other[1] - own[1] * other[0], own[0] * other[0] + own[1] * other[1]);
    if (angle > 0)
    {
      after = std::min(after, angle);
    }
    else
    {
      before = std::min(before, -angle);
    }
  }
  return (before + after) / 2;
}

std::vector<VoxelStep>
HalfNeighbors(int dimension)
{
  ThrowIf<Unsupported>(dimension > 3,
                       "surfaces are measured in up to 3 dimensions, not in " + std::to_string(dimension));
  std::vector<VoxelStep> steps{ { { 1, 0, 0 } } };
  for (int z = 0; z <= (dimension > 2 ? 1 : 0); ++z)
  {
    for (int y = z > 0 ? -1 : 1; y <= (dimension > 1 ? 1 : 0); ++y)
    {
      for (int x = -1; x <= 1; ++x)
      {
        steps.push_back({ { x, y, z } });
      }
    }
  }
  return steps;
}

std::vector<double>
CroftonWeights(int dimension, const Geometry & geometry)
{
  const std::vector<VoxelStep> steps = HalfNeighbors(dimension);
  std::vector<Vector>          directions;
  std::vector<double>          lengths;
  for (const VoxelStep & step : steps)
  {
    Vector direction{};
    for (int axis = 0; axis < dimension; ++axis)
    {
      direction[static_cast<std::size_t>(axis)] = step.step[axis] * geometry.spacing[axis];
    }
    lengths.push_back(std::sqrt(Dot(direction, direction)));
    direction = Unit(direction);
    directions.push_back(direction);
    directions.push_back({ -direction[0], -direction[1], -direction[2] });
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < steps.size(); ++i)
  {
    const double voxel = geometry.VoxelVolume(dimension) / lengths[i];
    // A direction and its opposite are one line and count twice. Crofton's constants are 2 (ends), pi and 4.
    weights.push_back(dimension == 1   ? 2.0
                      : dimension == 2 ? Pi * voxel * 2 * NearestAngle(directions[2 * i], directions) / (2 * Pi)
                                       : 4 * voxel * 2 * NearestSolidAngle(directions[2 * i], directions) / (4 * Pi));
  }
  return weights;
}

} // namespace brickccl
