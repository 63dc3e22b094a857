// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/EnclosingBall.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace brickccl
{

namespace
{

using Point = std::array<double, 3>;

double
SquaredDistance(const Point & a, const Point & b)
{
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/** Finds the smallest ball with all of up to four points on its surface. \return false if they do not have one. */
bool
BallThrough(const Point * points, std::size_t count, Ball & ball)
{
  // The center is p0 + sum of x_i (p_i - p0), with 2 (p_i - p0) . (center - p0) = |p_i - p0|^2.
  const std::size_t unknowns = count - 1;
  double            system[3][4] = {};
  Point             edges[3] = {};
  for (std::size_t i = 0; i < unknowns; ++i)
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      edges[i][axis] = points[i + 1][axis] - points[0][axis];
    }
  }
  for (std::size_t i = 0; i < unknowns; ++i)
  {
    for (std::size_t j = 0; j < unknowns; ++j)
    {
      system[i][j] = 2 * (edges[i][0] * edges[j][0] + edges[i][1] * edges[j][1] + edges[i][2] * edges[j][2]);
    }
    system[i][3] = system[i][i] / 2;
  }
  for (std::size_t column = 0; column < unknowns; ++column)
  {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < unknowns; ++row)
    {
      pivot = std::abs(system[row][column]) > std::abs(system[pivot][column]) ? row : pivot;
    }
    if (std::abs(system[pivot][column]) <= 1e-12 * 2 * SquaredDistance(points[column + 1], points[0]))
    {
      return false;
    }
    std::swap(system[pivot], system[column]);
    for (std::size_t row = 0; row < unknowns; ++row)
    {
      if (row != column)
      {
        const double factor = system[row][column] / system[column][column];
        for (std::size_t i = column; i < 4; ++i)
        {
          system[row][i] -= factor * system[column][i];
        }
      }
    }
  }
  ball.center = points[0];
  for (std::size_t i = 0; i < unknowns; ++i)
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      ball.center[axis] += system[i][3] / system[i][i] * edges[i][axis];
    }
  }
  ball.squaredRadius = 0;
  for (std::size_t i = 0; i < count; ++i)
  {
    ball.squaredRadius = std::max(ball.squaredRadius, SquaredDistance(points[i], ball.center));
  }
  return true;
}

constexpr double Slack = 1 + 1e-12;

struct Support
{
  std::size_t count = 0;
  Point       points[5];
};

/** Finds the smallest ball around up to five points, the last on its surface. Keeps only the points on the surface. */
Ball
BallAround(Support & support)
{
  const std::size_t others = support.count - 1;
  const Point *     end = support.points + support.count;
  Ball              best;
  Support           bestSupport;
  best.squaredRadius = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 0; chosen < 1u << others; ++chosen)
  {
    Support through;
    through.points[through.count++] = support.points[others];
    for (std::size_t i = 0; i < others; ++i)
    {
      if (chosen >> i & 1u)
      {
        through.points[through.count++] = support.points[i];
      }
    }
    Ball ball;
    if (through.count <= 4 && BallThrough(through.points, through.count, ball) &&
        ball.squaredRadius < best.squaredRadius &&
        std::all_of(std::cbegin(support.points), end, [&](const Point & point) {
          return SquaredDistance(point, ball.center) <= ball.squaredRadius * Slack;
        }))
    {
      best = ball;
      bestSupport = through;
    }
  }
  support = bestSupport;
  return best;
}

} // namespace

Ball
SmallestEnclosingBall(const std::vector<Point> & points, const Point & halfSides)
{
  Ball    ball{ points.front(), -1 };
  Support support;
  // Each round makes the ball larger, until only rounding changes it.
  for (;;)
  {
    double farthest = -1;
    Point  corner{};
    for (const Point & point : points)
    {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        const double reach = std::abs(point[axis] - ball.center[axis]) + halfSides[axis];
        square += reach * reach;
      }
      if (square > farthest)
      {
        farthest = square;
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          corner[axis] = point[axis] + (point[axis] < ball.center[axis] ? -halfSides[axis] : halfSides[axis]);
        }
      }
    }
    if (farthest <= ball.squaredRadius * Slack)
    {
      return ball;
    }
    Support grown = support;
    grown.points[grown.count++] = corner;
    const Ball next = BallAround(grown);
    if (grown.count == 0 || next.squaredRadius <= ball.squaredRadius)
    {
      ball.squaredRadius = farthest;
      return ball;
    }
    ball = next;
    support = grown;
  }
}

} // namespace brickccl
