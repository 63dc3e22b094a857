// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DrawBalls.h"

#include "BrickCCL/Geometry/BallReach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace brickccl
{

namespace
{

struct NeighborStep
{
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
  std::int64_t offset;
  /** Its square, in the unit of the spacing. */
  double square;
};

/** The greatest square of the distance of a ball's voxels from a neighbor of its center along 1, 2 or 3 axes, by the
 *  square of the ball's reach, in voxels of equal spacings. */
using FarthestSquares = std::array<std::vector<std::int32_t>, 3>;

FarthestSquares
FindFarthest(std::int32_t most)
{
  FarthestSquares farthest;
  farthest.fill(std::vector<std::int32_t>(static_cast<std::size_t>(most) + 1, 0));
  for (std::int32_t x = 0; x * x <= most; ++x)
  {
    for (std::int32_t y = 0; y <= x && x * x + y * y <= most; ++y)
    {
      for (std::int32_t z = 0; z <= y && x * x + y * y + z * z <= most; ++z)
      {
        const std::int32_t square = x * x + y * y + z * z;
        const std::int32_t along[] = { x, x + y, x + y + z };
        for (std::int32_t axes = 0; axes < 3; ++axes)
        {
          std::int32_t & found = farthest[static_cast<std::size_t>(axes)][static_cast<std::size_t>(square)];
          found = std::max(found, square + 2 * along[axes] + axes + 1);
        }
      }
    }
  }
  for (std::vector<std::int32_t> & squares : farthest)
  {
    std::partial_sum(squares.begin(), squares.end(), squares.begin(), [](auto a, auto b) { return std::max(a, b); });
  }
  return farthest;
}

/** How far the voxels of a ball are from its center, at most. */
class BallBound
{
public:
  BallBound(const double * spacing, const FarthestSquares & farthest)
    : m_Spacing(spacing)
    , m_Unit(spacing[0] == spacing[1] && spacing[1] == spacing[2] ? spacing[0] * spacing[0] : 0)
    , m_Farthest(farthest)
  {}

  void
  SetSquare(float square)
  {
    m_Square = WholeOf(static_cast<double>(square) * (1 - BallReach::SurfaceShare));
    m_Whole = m_Unit > 0 ? static_cast<std::size_t>(std::llround(m_Square / m_Unit)) : m_Farthest[0].size();
    m_Radius = std::sqrt(m_Square) * (1 + 1e-9);
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      m_Along[axis] = std::floor(m_Radius / m_Spacing[axis]) * m_Spacing[axis] * m_Spacing[axis];
    }
  }

  /** The square of the distance from a neighbor of the center. */
  double
  SquareFrom(const NeighborStep & step) const
  {
    if (m_Whole < m_Farthest[0].size())
    {
      const std::int64_t axes = step.x * step.x + step.y * step.y + step.z * step.z;
      return m_Farthest[static_cast<std::size_t>(axes - 1)][m_Whole] * m_Unit;
    }
    // The product of the step with the way to a voxel, which is a sum over axes and at most the product of lengths.
    const double product =
      (step.x != 0 ? m_Along[0] : 0) + (step.y != 0 ? m_Along[1] : 0) + (step.z != 0 ? m_Along[2] : 0);
    return m_Square + step.square + 2 * std::min(product, WholeOf(m_Radius * std::sqrt(step.square)));
  }

private:
  /** The largest possible value up to one; with equal spacings, products and squares are whole. */
  double
  WholeOf(double value) const
  {
    return m_Unit > 0 ? std::floor(value / m_Unit * (1 + 1e-9)) * m_Unit : value;
  }

  const double *          m_Spacing;
  double                  m_Unit;
  const FarthestSquares & m_Farthest;
  /** The square in voxels of equal spacings. */
  std::size_t m_Whole = 0;
  double      m_Square = 0;
  double      m_Radius = 0;
  double      m_Along[3] = {};
};

std::vector<NeighborStep>
StepsToNeighbors(const Extent & extent, const double * spacing)
{
  std::vector<NeighborStep> steps;
  for (std::int64_t z = -1; z <= 1; ++z)
  {
    for (std::int64_t y = -1; y <= 1; ++y)
    {
      for (std::int64_t x = -1; x <= 1; ++x)
      {
        const double along[3] = { static_cast<double>(x) * spacing[0],
                                  static_cast<double>(y) * spacing[1],
                                  static_cast<double>(z) * spacing[2] };
        if (x != 0 || y != 0 || z != 0)
        {
          steps.push_back({ x,
                            y,
                            z,
                            (z * extent.size[1] + y) * extent.size[0] + x,
                            along[0] * along[0] + along[1] * along[1] + along[2] * along[2] });
        }
      }
    }
  }
  return steps;
}

} // namespace

std::vector<BallsOfSize>
FindRidge(const Extent & extent, const double * spacing, const HostContext & context, const float * squares)
{
  const std::vector<NeighborStep> steps = StepsToNeighbors(extent, spacing);
  const Chunks                    chunks(extent.RowCount(),
                      1 + context.grain / extent.RowLength(),
                      std::int64_t{ 16 } * EffectiveThreadCount(context.threads));
  std::vector<BallsOfSize>        ridge;
  std::mutex                      joining;
  StopPoint                       stop(context);
  // A greater ball has a bound instead.
  constexpr double largest = 1e6;
  const bool       areEqual = spacing[0] == spacing[1] && spacing[1] == spacing[2];
  const double     most = areEqual ? static_cast<double>(*std::max_element(squares, squares + extent.VoxelCount())) /
                                   (spacing[0] * spacing[0])
                                   : largest;
  const FarthestSquares farthest = most < largest ? FindFarthest(static_cast<std::int32_t>(most)) : FarthestSquares();
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::unordered_map<float, std::vector<std::int64_t>> bySquare;
    std::vector<NeighborStep>                            inside;
    BallBound                                            bound(spacing, farthest);
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      stop.AskAt(static_cast<std::uint64_t>(row - chunks.Begin(chunk)) * 256);
      const std::int64_t y = row % extent.size[1];
      const std::int64_t z = row / extent.size[1];
      inside.clear();
      for (const NeighborStep & step : steps)
      {
        if (y + step.y >= 0 && y + step.y < extent.size[1] && z + step.z >= 0 && z + step.z < extent.size[2])
        {
          inside.push_back(step);
        }
      }
      for (std::int64_t x = 0; x < extent.size[0]; ++x)
      {
        const std::int64_t place = row * extent.size[0] + x;
        const float        square = squares[place];
        if (!(square > 0))
        {
          continue;
        }
        bound.SetSquare(square);
        const bool isHeld = std::any_of(inside.begin(), inside.end(), [&](const NeighborStep & step) {
          if (x + step.x < 0 || x + step.x >= extent.size[0])
          {
            return false;
          }
          const float other = squares[place + step.offset];
          return other > square &&
                 bound.SquareFrom(step) * (1 + 1e-9) < static_cast<double>(other) * (1 - BallReach::SurfaceShare);
        });
        if (!isHeld)
        {
          bySquare[square].push_back(place);
        }
      }
    }
    const std::lock_guard<std::mutex> lock(joining);
    for (auto & [square, places] : bySquare)
    {
      places.shrink_to_fit();
      ridge.push_back({ square, std::move(places) });
    }
  });
  std::sort(ridge.begin(), ridge.end(), [](const BallsOfSize & a, const BallsOfSize & b) {
    return a.square != b.square ? a.square > b.square : a.places[0] < b.places[0];
  });
  return ridge;
}

} // namespace brickccl
