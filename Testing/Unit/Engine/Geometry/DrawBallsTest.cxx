// SPDX-License-Identifier: Apache-2.0

#include "BrickCCL/Geometry/DrawBalls.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace brickccl
{

namespace
{

struct Grid
{
  Extent extent;
  double spacing[3];
};

const Grid Grids[] = {
  { { 34, 20, 9 }, { 1, 1, 1 } },      { { 22, 19, 13 }, { 1.37, 0.91, 0.83 } }, { { 17, 18, 11 }, { 0.7, 0.7, 2.5 } },
  { { 70, 50 }, { 1, 1, 1 } },         { { 50, 40 }, { 1.3, 0.4, 1 } },          { { 600 }, { 0.3, 1, 1 } },
  { { 9, 3, 80 }, { 0.01, 0.01, 3 } },
};

double
SquareBetween(const Grid & grid, std::int64_t a, std::int64_t b)
{
  double square = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    const std::int64_t size = grid.extent.size[axis];
    const double       step = static_cast<double>(a % size - b % size) * grid.spacing[axis];
    square += step * step;
    a /= size;
    b /= size;
  }
  return square;
}

/** The squared distance of each voxel's center to the nearest center of a voxel that is 0, less a little, so that balls
 * have all kinds of sizes. \param one  in so many voxels is 0 */
std::vector<float>
Distances(const Grid & grid, std::uint64_t one, std::uint64_t seed)
{
  const std::int64_t        count = grid.extent.VoxelCount();
  std::vector<std::int64_t> zeros{ count / 3 };
  for (std::int64_t place = 0; place < count; ++place)
  {
    if (HashOf(seed, static_cast<std::uint64_t>(place)) % one == 0)
    {
      zeros.push_back(place);
    }
  }
  std::vector<float> squares(static_cast<std::size_t>(count));
  for (std::int64_t place = 0; place < count; ++place)
  {
    double least = 1e30;
    for (const std::int64_t zero : zeros)
    {
      least = std::min(least, SquareBetween(grid, place, zero));
    }
    squares[static_cast<std::size_t>(place)] = static_cast<float>(least);
  }
  return squares;
}

std::size_t
CountOf(const std::vector<BallsOfSize> & balls)
{
  return std::accumulate(balls.begin(), balls.end(), std::size_t{ 0 }, [](std::size_t sum, const BallsOfSize & ofSize) {
    return sum + ofSize.places.size();
  });
}

/** For each voxel the largest square of the balls that contain it, or its own. */
std::vector<float>
LargestOfAll(const Grid & grid, const std::vector<float> & squares)
{
  std::vector<float> largest = squares;
  for (std::size_t ball = 0; ball < squares.size(); ++ball)
  {
    for (std::size_t place = 0; squares[ball] != 0 && place < squares.size(); ++place)
    {
      const double square = SquareBetween(grid, static_cast<std::int64_t>(ball), static_cast<std::int64_t>(place));
      if (squares[place] != 0 && square < static_cast<double>(squares[ball]) * (1 - 1e-6))
      {
        largest[place] = std::max(largest[place], squares[ball]);
      }
    }
  }
  return largest;
}

TEST(DrawBalls, GivesEachVoxelTheLargestBall)
{
  for (const Grid & grid : Grids)
  {
    for (const std::uint64_t one : { 3, 2000 })
    {
      const std::vector<float> squares = Distances(grid, one, 8);
      const std::vector<float> expected = LargestOfAll(grid, squares);
      for (const int threads : { 1, 3 })
      {
        const HostContext        context{ threads, {}, 1000 };
        std::vector<float>       drawn = squares;
        std::vector<BallsOfSize> balls = FindRidge(grid.extent, grid.spacing, context, squares.data());
        EXPECT_LT(CountOf(balls), squares.size());
        DrawBalls(std::move(balls), grid.extent, grid.spacing, context, drawn.data());
        EXPECT_EQ(drawn, expected) << grid.extent.ToString() << ", one in " << one;
      }
    }
  }
}

TEST(DrawBalls, LeavesVoxelsThatAreInNoBall)
{
  const Extent       extent{ 20, 9, 5 };
  const double       spacing[] = { 1, 1, 1 };
  std::vector<float> squares(900, 0.5F);
  DrawBalls({ { 1.5F, { 450 } } }, extent, spacing, { 1 }, squares.data());
  // The voxel and its six neighbors.
  EXPECT_EQ(std::count(squares.begin(), squares.end(), 1.5F), 7);
  EXPECT_EQ(std::count(squares.begin(), squares.end(), 0.5F), 893);
  DrawBalls({}, extent, spacing, { 1 }, squares.data());
  EXPECT_EQ(std::count(squares.begin(), squares.end(), 0.5F), 893);
}

TEST(FindRidge, LeavesOutBallsWithinBallsOfNeighbors)
{
  // One large ball: nearly all others are within their neighbors'.
  constexpr std::int64_t side = 41;
  const Extent           extent{ side, side, side };
  const double           spacing[] = { 1, 1, 1 };
  std::vector<float>     squares(static_cast<std::size_t>(extent.VoxelCount()));
  std::size_t            inside = 0;
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    const std::int64_t at[3] = { place % side, place / side % side, place / side / side };
    std::int64_t       square = 0;
    for (const std::int64_t index : at)
    {
      square += (index - side / 2) * (index - side / 2);
    }
    const double left = std::max(0.0, 19.5 - std::sqrt(static_cast<double>(square)));
    squares[static_cast<std::size_t>(place)] = static_cast<float>(left * left);
    inside += left > 0 ? 1 : 0;
  }
  EXPECT_LT(CountOf(FindRidge(extent, spacing, { 1 }, squares.data())), inside / 4);
}

} // namespace

} // namespace brickccl
