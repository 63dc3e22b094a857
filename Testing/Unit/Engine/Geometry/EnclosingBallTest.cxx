// SPDX-License-Identifier: Apache-2.0
// The smallest ball around boxes: it holds them all, and no other ball is smaller.

#include "BrickCCL/Geometry/EnclosingBall.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace brickccl
{
namespace
{

using Point = std::array<double, 3>;

const Point None{ 0, 0, 0 };

/** The distance from a place to the farthest corner of the boxes: a convex function of the place. */
double
Farthest(const std::vector<Point> & points, const Point & halfSides, const Point & place)
{
  double farthest = 0;
  for (const Point & point : points)
  {
    for (int corner = 0; corner < 8; ++corner)
    {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        const double side = (corner >> axis & 1) != 0 ? halfSides[axis] : -halfSides[axis];
        square += (point[axis] + side - place[axis]) * (point[axis] + side - place[axis]);
      }
      farthest = std::max(farthest, std::sqrt(square));
    }
  }
  return farthest;
}

/** Since the farthest distance is convex, a place where it falls in no direction is the only smallest ball's center. */
void
ExpectSmallest(const std::vector<Point> & points, const Point & halfSides)
{
  const Ball   ball = SmallestEnclosingBall(points, halfSides);
  const double radius = std::sqrt(ball.squaredRadius);
  const double needed = Farthest(points, halfSides, ball.center);
  EXPECT_NEAR(radius, needed, 1e-9 * needed);
  for (std::uint64_t trial = 0; needed > 0 && trial < 400; ++trial)
  {
    Point  direction;
    double length = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      direction[axis] = UniformOf(77, 3 * trial + axis) - 0.5;
      length += direction[axis] * direction[axis];
    }
    for (const double step : { 1e-3, 0.1 })
    {
      Point moved = ball.center;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        moved[axis] += step * needed * direction[axis] / std::sqrt(length);
      }
      EXPECT_GT(Farthest(points, halfSides, moved), needed * (1 - 1e-9));
    }
  }
}

std::vector<Point>
RandomPoints(std::size_t count, std::uint64_t seed, double offset = 0, int dimension = 3)
{
  std::vector<Point> points(count, None);
  for (std::size_t i = 0; i < count; ++i)
  {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis)
    {
      points[i][axis] = offset + 10 * UniformOf(seed, 3 * i + axis);
    }
  }
  return points;
}

TEST(EnclosingBall, OfOneBoxIsHalfItsDiagonal)
{
  const Ball point = SmallestEnclosingBall({ { 3, -4, 5 } }, None);
  EXPECT_EQ(point.center, (Point{ 3, -4, 5 }));
  EXPECT_EQ(point.squaredRadius, 0);
  const Ball box = SmallestEnclosingBall({ { 3, -4, 5 } }, { 1, 2, 2 });
  EXPECT_NEAR(box.squaredRadius, 9, 1e-9);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(box.center[axis], point.center[axis], 1e-9);
  }
}

TEST(EnclosingBall, KnownBalls)
{
  EXPECT_NEAR(SmallestEnclosingBall({ { 0, 0, 0 }, { 6, 0, 8 } }, None).squaredRadius, 25, 1e-9);
  // The ball of an obtuse triangle touches two corners, of an acute one all three.
  EXPECT_NEAR(SmallestEnclosingBall({ { 0, 0, 0 }, { 10, 0, 0 }, { 5, 1, 0 } }, None).squaredRadius, 25, 1e-9);
  EXPECT_NEAR(SmallestEnclosingBall({ { 0, 0, 0 }, { 2, 0, 0 }, { 1, std::sqrt(3.0), 0 } }, None).squaredRadius,
              4 / 3.0,
              1e-9);
  // A regular tetrahedron in a cube of side 2.
  EXPECT_NEAR(SmallestEnclosingBall({ { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } }, None).squaredRadius,
              3,
              1e-9);
}

TEST(EnclosingBall, OfRandomPointsIsTheSmallest)
{
  for (const std::size_t count : { 1, 2, 3, 4, 5, 8, 20, 200 })
  {
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
    {
      ExpectSmallest(RandomPoints(count, seed), None);
      ExpectSmallest(RandomPoints(count, seed), { 0.25, 0.5, 1 });
    }
  }
}

TEST(EnclosingBall, InOneAndTwoDimensionsOtherCoordinatesStayZero)
{
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
  {
    ExpectSmallest(RandomPoints(30, seed, 0, 2), { 0.5, 0.5, 0 });
    ExpectSmallest(RandomPoints(30, seed, 0, 1), { 0.5, 0, 0 });
    EXPECT_EQ(SmallestEnclosingBall(RandomPoints(30, seed, 0, 2), { 0.5, 0.5, 0 }).center[2], 0);
    const Ball line = SmallestEnclosingBall(RandomPoints(30, seed, 0, 1), { 0.5, 0, 0 });
    EXPECT_EQ(line.center[1], 0);
    EXPECT_EQ(line.center[2], 0);
  }
}

TEST(EnclosingBall, PointsOnOneSphereAndEqualPointsAreNoTrouble)
{
  // A grid's boxes: eight corners at the same distance, which no four determine better than others.
  std::vector<Point> grid;
  for (int i = 0; i < 64; ++i)
  {
    grid.push_back({ static_cast<double>(i % 4), static_cast<double>(i / 4 % 4), static_cast<double>(i / 16) });
  }
  ExpectSmallest(grid, { 0.5, 0.5, 0.5 });
  EXPECT_NEAR(SmallestEnclosingBall(grid, { 0.5, 0.5, 0.5 }).squaredRadius, 12, 1e-9);
  ExpectSmallest(std::vector<Point>(50, Point{ 1, 2, 3 }), { 1, 1, 1 });
  std::vector<Point> circle;
  for (int i = 0; i < 100; ++i)
  {
    circle.push_back({ std::cos(0.1 * i), std::sin(0.1 * i), 0 });
  }
  ExpectSmallest(circle, None);
  EXPECT_NEAR(SmallestEnclosingBall(circle, None).squaredRadius, 1, 1e-9);
}

TEST(EnclosingBall, FarFromTheOriginIsAsGood)
{
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
  {
    ExpectSmallest(RandomPoints(50, seed, 1e5), { 0.5, 0.5, 0.5 });
  }
}

} // namespace
} // namespace brickccl
