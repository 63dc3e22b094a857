// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DrawBalls.h"

#include "BrickCCL/Geometry/BallReach.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace brickccl
{

namespace
{

/** The step from a voxel to a neighbor. */
struct NeighborStep
{
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
  std::int64_t offset;
  /** Its square, in the unit of the spacing. */
  double square;
};

/** How far the voxels of a ball are from its center, at most. */
class BallBound
{
public:
  explicit BallBound(const double * spacing)
    : m_Spacing(spacing)
    , m_Unit(spacing[0] == spacing[1] && spacing[1] == spacing[2] ? spacing[0] * spacing[0] : 0)
  {}

  void
  SetSquare(float square)
  {
    m_Square = WholeOf(static_cast<double>(square) * (1 - BallReach::SurfaceShare));
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

  const double * m_Spacing;
  double         m_Unit;
  double         m_Square = 0;
  double         m_Radius = 0;
  double         m_Along[3] = {};
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

std::vector<VoxelBall>
FindRidge(const Extent & extent, const double * spacing, const HostContext & context, const float * squares)
{
  const std::vector<NeighborStep>     steps = StepsToNeighbors(extent, spacing);
  const Chunks                        chunks(extent.RowCount(),
                      1 + context.grain / extent.RowLength(),
                      std::int64_t{ 16 } * EffectiveThreadCount(context.threads));
  std::vector<std::vector<VoxelBall>> parts(static_cast<std::size_t>(chunks.count));
  StopPoint                           stop(context);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::vector<NeighborStep> inside;
    BallBound                 bound(spacing);
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
          parts[static_cast<std::size_t>(chunk)].push_back({ square, place });
        }
      }
    }
  });
  std::vector<VoxelBall> ridge;
  for (std::vector<VoxelBall> & part : parts)
  {
    stop.Ask();
    ridge.insert(ridge.end(), part.begin(), part.end());
    part = std::vector<VoxelBall>();
  }
  return ridge;
}

} // namespace brickccl
