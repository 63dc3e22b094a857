// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Phantoms/Phantoms.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace brickccl
{

static void
CheckDensity(double density)
{
  ThrowIf<InvalidArgument>(!(density >= 0 && density <= 1),
                           "the density " + Shortest(density) + " is invalid; it must be between 0 and 1");
}

/** Sets the voxels of a ball that are 0 to a number. \return how many they are */
template <typename T>
static std::int64_t
PaintBall(const Extent & extent,
          const std::int64_t (&center)[3],
          std::int64_t     radius,
          T                number,
          std::vector<T> & voxels)
{
  std::int64_t painted = 0;
  const auto   low = [&](int axis) { return std::max<std::int64_t>(0, center[axis] - radius); };
  const auto   high = [&](int axis) { return std::min(extent.size[axis] - 1, center[axis] + radius); };
  for (std::int64_t z = low(2); z <= high(2); ++z)
  {
    for (std::int64_t y = low(1); y <= high(1); ++y)
    {
      const std::int64_t rest = radius * radius - (z - center[2]) * (z - center[2]) - (y - center[1]) * (y - center[1]);
      for (std::int64_t x = low(0); x <= high(0); ++x)
      {
        T & voxel = voxels[static_cast<std::size_t>((z * extent.size[1] + y) * extent.size[0] + x)];
        if ((x - center[0]) * (x - center[0]) <= rest && voxel == 0)
        {
          voxel = number;
          ++painted;
        }
      }
    }
  }
  return painted;
}

/** Paints balls at random places until they fill the share `density`, or \throws InvalidArgument after `tries` places.
 *  \param fit  returns the radius for a place and a random radius, and sets the number of the ball */
template <typename T, typename TFit>
static std::vector<T>
PaintBalls(const Extent & extent, double density, std::uint64_t seed, std::uint64_t tries, const TFit & fit)
{
  CheckDensity(density);
  ThrowIf<InvalidArgument>(extent.dimension < 2 || extent.dimension > 3,
                           "balls need 2 or 3 dimensions, not " + std::to_string(extent.dimension));
  const std::int64_t shortest = *std::min_element(extent.size, extent.size + extent.dimension);
  const std::int64_t maximumRadius = std::clamp<std::int64_t>(shortest / 8, 2, 24);
  std::vector<T>     voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const auto         all = static_cast<double>(extent.VoxelCount());
  const double       wanted = density * all;
  std::int64_t       painted = 0;
  for (std::uint64_t ball = 0; static_cast<double>(painted) < wanted && ball < tries; ++ball)
  {
    std::int64_t center[3];
    for (int axis = 0; axis < 3; ++axis)
    {
      center[axis] = static_cast<std::int64_t>(HashOf(seed, 4 * ball + static_cast<std::uint64_t>(axis)) %
                                               static_cast<std::uint64_t>(extent.size[axis]));
    }
    auto radius =
      2 + static_cast<std::int64_t>(HashOf(seed, 4 * ball + 3) % static_cast<std::uint64_t>(maximumRadius - 1));
    T number = 1;
    if (radius = fit(center, radius, number); radius > 0)
    {
      painted += PaintBall(extent, center, radius, number, voxels);
    }
  }
  ThrowIf<InvalidArgument>(static_cast<double>(painted) < wanted,
                           "balls fill only " + Shortest(std::floor(1000 * static_cast<double>(painted) / all) / 1000) +
                             " of " + extent.ToString() + " voxels, not " + Shortest(density) +
                             "; lower the density, or make the image larger in each dimension");
  return voxels;
}

std::vector<std::uint8_t>
MakeBalls(const Extent & extent, double density, std::uint64_t seed)
{
  return PaintBalls<std::uint8_t>(extent,
                                  density,
                                  seed,
                                  std::numeric_limits<std::uint64_t>::max(),
                                  [](const auto &, std::int64_t radius, auto &) { return radius; });
}

std::vector<std::uint32_t>
MakePowder(const Extent & extent, double density, std::uint64_t seed)
{
  std::vector<std::array<std::int64_t, 4>> grains;
  return PaintBalls<std::uint32_t>(
    extent,
    density,
    seed,
    100000,
    [&](const auto & center, std::int64_t radius, std::uint32_t & number) {
      double gap = grains.empty() ? static_cast<double>(radius) : 22;
      for (const auto & grain : grains)
      {
        double square = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          square += static_cast<double>((center[axis] - grain[axis]) * (center[axis] - grain[axis]));
        }
        gap = std::min(gap, std::sqrt(square) - static_cast<double>(grain[3]));
      }
      // A grain is as large as the gap, so that it touches the next one.
      radius = static_cast<std::int64_t>(1.1 * gap + 1);
      bool fits = gap >= 2 && (grains.empty() || gap < 22);
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        fits = fits && center[axis] >= radius && center[axis] + radius < extent.size[axis];
      }
      if (fits)
      {
        grains.push_back({ center[0], center[1], center[2], radius });
        number = static_cast<std::uint32_t>(grains.size());
      }
      return fits ? radius : 0;
    });
}

std::vector<std::uint8_t>
MakeRandom(const Extent & extent, double density, int grain, std::uint64_t seed)
{
  CheckDensity(density);
  ThrowIf<InvalidArgument>(grain < 1, "the grain size " + Shortest(grain) + " is invalid; it must be at least 1");
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  std::uint8_t *            voxel = voxels.data();
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const RowPosition position(extent, row);
    std::int64_t      cell = 0;
    for (int axis = MaximumDimension - 1; axis >= 0; --axis)
    {
      cell = cell * ((extent.size[axis] - 1) / grain + 1) + (axis > 0 ? position.at[axis - 1] / grain : 0);
    }
    for (std::int64_t x = 0; x < extent.RowLength(); ++cell)
    {
      const std::uint8_t value = UniformOf(seed, static_cast<std::uint64_t>(cell)) < density ? 1 : 0;
      for (const std::int64_t end = std::min<std::int64_t>(x + grain, extent.RowLength()); x < end; ++x)
      {
        *voxel++ = value;
      }
    }
  }
  return voxels;
}

using Point = std::array<std::int64_t, 3>;

/** The cells of MakeVoronoi, and the point of each. */
static std::vector<std::uint32_t>
MakeCells(const Extent & extent, int side, std::uint64_t seed, std::vector<Point> & points)
{
  ThrowIf<InvalidArgument>(side < 1 || extent.dimension < 2 || extent.dimension > 3,
                           "Voronoi cells of side " + std::to_string(side) + " in " + std::to_string(extent.dimension) +
                             " dimensions are invalid; the side must be at least 1, and dimensions 2 or 3");
  Point cells = {};
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    cells[axis] = (extent.size[axis] - 1) / side + 1;
  }
  std::uint64_t state = seed;
  const auto    random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state >> 33) % side;
  };
  for (std::int64_t cell = 0; cell < cells[0] * cells[1] * cells[2]; ++cell)
  {
    const std::int64_t x = cell % cells[0] * side + random();
    const std::int64_t y = cell / cells[0] % cells[1] * side + random();
    const std::int64_t z = extent.dimension > 2 ? cell / cells[0] / cells[1] * side + random() : 0;
    points.push_back({ x, y, z });
  }
  std::vector<std::uint32_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  const auto                 square = [](std::int64_t value) { return value * value; };
  std::vector<std::int64_t>  near;
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const std::int64_t y = row % extent.size[1];
    const std::int64_t z = row / extent.size[1];
    for (std::int64_t x = 0; x < extent.RowLength();)
    {
      // Each cube has one point, so the nearest one is at most two cubes away. A point matters only if its least
      // distance from the stretch is at most the greatest distance of each other point.
      const std::int64_t end = std::min(x + side, extent.RowLength());
      std::int64_t       bound = std::numeric_limits<std::int64_t>::max();
      near.clear();
      for (const bool counts : { false, true })
      {
        for (std::int64_t i = 0; i < 125; ++i)
        {
          const std::int64_t at[3] = { x / side + i % 5 - 2, y / side + i / 5 % 5 - 2, z / side + i / 25 - 2 };
          if (at[0] < 0 || at[0] >= cells[0] || at[1] < 0 || at[1] >= cells[1] || at[2] < 0 || at[2] >= cells[2])
          {
            continue;
          }
          const std::int64_t cell = (at[2] * cells[1] + at[1]) * cells[0] + at[0];
          const Point &      point = points[static_cast<std::size_t>(cell)];
          const std::int64_t across = square(point[1] - y) + square(point[2] - z);
          if (!counts)
          {
            bound = std::min(bound, across + std::max(square(point[0] - x), square(point[0] - (end - 1))));
          }
          else if (across + square(std::clamp(point[0], x, end - 1) - point[0]) <= bound)
          {
            near.push_back(cell);
          }
        }
      }
      for (; x < end; ++x)
      {
        std::int64_t best = std::numeric_limits<std::int64_t>::max();
        std::int64_t nearest = 0;
        for (const std::int64_t cell : near)
        {
          const Point &      point = points[static_cast<std::size_t>(cell)];
          const std::int64_t distance = square(point[0] - x) + square(point[1] - y) + square(point[2] - z);
          nearest = distance < best ? cell : nearest;
          best = std::min(best, distance);
        }
        voxels[static_cast<std::size_t>(row * extent.RowLength() + x)] = static_cast<std::uint32_t>(nearest + 1);
      }
    }
  }
  return voxels;
}

std::vector<std::uint32_t>
MakeVoronoi(const Extent & extent, int side, std::uint64_t seed)
{
  std::vector<Point> points;
  return MakeCells(extent, side, seed, points);
}

std::vector<std::uint32_t>
MakeFoam(const Extent & extent, int side, std::uint64_t seed)
{
  std::vector<Point>               points;
  const std::vector<std::uint32_t> cells = MakeCells(extent, side, seed, points);
  std::vector<std::uint32_t>       voxels = cells;
  // Half of the walls have a round window around the middle between two points.
  const auto isWall = [&](const Point & at, std::uint32_t own, std::uint32_t other) {
    const Point & a = points[std::min(own, other) - 1];
    const Point & b = points[std::max(own, other) - 1];
    std::int64_t  square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      square += (2 * at[axis] - a[axis] - b[axis]) * (2 * at[axis] - a[axis] - b[axis]);
    }
    const std::uint64_t wall = std::min(own, other) * std::uint64_t{ points.size() } + std::max(own, other);
    return own != other && (4 * square > std::int64_t{ side } * side || HashOf(seed + 1, wall) % 2 == 0);
  };
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const RowPosition row(extent, static_cast<std::int64_t>(i) / extent.size[0]);
    const Point       at = { static_cast<std::int64_t>(i) % extent.size[0], row.at[0], row.at[1] };
    std::size_t       step = 1;
    for (std::size_t axis = 0; axis < 3; step *= static_cast<std::size_t>(extent.size[axis++]))
    {
      if ((at[axis] > 0 && isWall(at, cells[i], cells[i - step])) ||
          (at[axis] + 1 < extent.size[axis] && isWall(at, cells[i], cells[i + step])))
      {
        voxels[i] = 0;
      }
    }
  }
  return voxels;
}

std::vector<std::int16_t>
MakeGrains(const Extent & extent, int side, std::uint64_t seed)
{
  const std::vector<std::uint32_t> cells = MakeVoronoi(extent, side, seed);
  std::vector<std::int16_t>        voxels(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const auto value = static_cast<int>(HashOf(seed, cells[i]) % 200) * 40;
    const auto noise = static_cast<int>(HashOf(seed + 1, i) % 17) - 8;
    voxels[i] = static_cast<std::int16_t>(value + noise);
  }
  return voxels;
}

} // namespace brickccl
