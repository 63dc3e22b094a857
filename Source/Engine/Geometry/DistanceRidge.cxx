// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DrawBalls.h"

#include "BrickCCL/Geometry/BallReach.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace brickccl
{

namespace
{

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/** Numbers the squares of distances from 0 on, in the order in which they are added. */
class SquareNumbers
{
public:
  std::size_t
  Find(float square) const
  {
    for (std::size_t slot = SlotOf(square);; slot = (slot + 1) % m_Slots.size())
    {
      if (m_Slots[slot] == 0)
      {
        return none;
      }
      if (m_Squares[m_Slots[slot] - 1] == square)
      {
        return m_Slots[slot] - 1;
      }
    }
  }

  std::size_t
  Add(float square)
  {
    std::size_t number = Find(square);
    if (number == none)
    {
      number = m_Squares.size();
      m_Squares.push_back(square);
      if (2 * m_Squares.size() > m_Slots.size())
      {
        m_Slots.assign(2 * m_Slots.size(), 0);
        for (std::size_t i = 0; i < m_Squares.size(); ++i)
        {
          Insert(i);
        }
      }
      else
      {
        Insert(number);
      }
    }
    return number;
  }

  const std::vector<float> &
  Squares() const
  {
    return m_Squares;
  }

private:
  std::size_t
  SlotOf(float square) const
  {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &square, sizeof(bits));
    return static_cast<std::size_t>((bits * std::uint64_t{ 0x9E3779B97F4A7C15 }) >> 32) % m_Slots.size();
  }

  void
  Insert(std::size_t number)
  {
    std::size_t slot = SlotOf(m_Squares[number]);
    while (m_Slots[slot] != 0)
    {
      slot = (slot + 1) % m_Slots.size();
    }
    m_Slots[slot] = number + 1;
  }

  std::vector<float> m_Squares;
  /** The number of a square and 1; 0 for free slots. */
  std::vector<std::size_t> m_Slots = std::vector<std::size_t>(1 << 10, 0);
};

/** How often each square occurs. */
struct SquareCounts
{
  SquareNumbers              numbers;
  std::vector<std::uint64_t> counts;

  void
  Add(float square, std::uint64_t count)
  {
    const std::size_t number = numbers.Add(square);
    counts.resize(numbers.Squares().size(), 0);
    counts[number] += count;
  }
};

/** The steps to a neighbor, without their signs, are numbered by bits: 1 for a step along x, 2 along y, 4 along z. A
 * ball all of whose voxels are in a neighbor's has a smaller square than this one; infinite if that is not known. */
using Limits = std::array<double, 8>;

Limits
UnknownLimits()
{
  Limits limits;
  limits.fill(std::numeric_limits<double>::infinity());
  return limits;
}

/** \param reach  has the ball's square */
Limits
LimitsOf(const double * spacing, BallReach & reach)
{
  Limits     limits = {};
  const auto squareOf = [&](std::int64_t steps, int axis) {
    const double length = static_cast<double>(steps) * spacing[axis];
    return length * length;
  };
  for (std::int64_t z = 0; z <= reach.AlongZ(); ++z)
  {
    for (std::int64_t y = 0; y <= reach.AlongY(z); ++y)
    {
      // The outermost voxel of a row is the farthest from a neighbor on the other side.
      const std::int64_t x = reach.AlongX(y, z);
      const double       alongX[2] = { squareOf(x, 0), squareOf(x + 1, 0) };
      const double       alongY[2] = { squareOf(y, 1), squareOf(y + 1, 1) };
      const double       alongZ[2] = { squareOf(z, 2), squareOf(z + 1, 2) };
      for (std::size_t step = 1; x >= 0 && step < limits.size(); ++step)
      {
        limits[step] = std::max(limits[step], alongX[step & 1] + alongY[step >> 1 & 1] + alongZ[step >> 2]);
      }
    }
  }
  for (double & limit : limits)
  {
    // A little more than a ball needs that holds a voxel so far away, so that roundings do not matter.
    limit *= (1 + 1e-9) / (1 - BallReach::SurfaceShare);
  }
  return limits;
}

/** The step from a voxel to a neighbor. */
struct NeighborStep
{
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;
  std::int64_t offset;
  /** In the unit of the spacing. */
  double length;
  /** Its number among Limits. */
  std::size_t number;
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
        const auto   number = static_cast<std::size_t>(x * x + 2 * y * y + 4 * z * z);
        const double along[3] = { static_cast<double>(x) * spacing[0],
                                  static_cast<double>(y) * spacing[1],
                                  static_cast<double>(z) * spacing[2] };
        if (number != 0)
        {
          steps.push_back({ x,
                            y,
                            z,
                            (z * extent.size[1] + y) * extent.size[0] + x,
                            std::sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]),
                            number });
        }
      }
    }
  }
  return steps;
}

/** The limits of each square that occurs. */
class RidgeTable
{
public:
  RidgeTable(const Extent & extent, const double * spacing, const HostContext & context, const float * squares)
  {
    StopPoint    stop(context);
    const Chunks chunks(extent.VoxelCount(), context.grain, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
    std::vector<SquareCounts> parts(static_cast<std::size_t>(chunks.count));
    ParallelFor(chunks.count, context.Part(0, 0.2), [&](std::int64_t chunk) {
      SquareCounts & counts = parts[static_cast<std::size_t>(chunk)];
      for (std::int64_t place = chunks.Begin(chunk); place < chunks.End(chunk); ++place)
      {
        stop.AskAt(static_cast<std::uint64_t>(place));
        if (squares[place] > 0)
        {
          counts.Add(squares[place], 1);
        }
      }
    });
    SquareCounts all;
    for (const SquareCounts & part : parts)
    {
      for (std::size_t i = 0; i < part.counts.size(); ++i)
      {
        stop.AskAt(i);
        all.Add(part.numbers.Squares()[i], part.counts[i]);
      }
    }
    m_Numbers = std::move(all.numbers);
    m_Limits.assign(all.counts.size(), UnknownLimits());
    const Chunks sizes(static_cast<std::int64_t>(all.counts.size()), 1, 1024);
    ParallelFor(sizes.count, context.Part(0.2, 0.4), [&](std::int64_t part) {
      BallReach reach(extent, spacing);
      for (auto i = static_cast<std::size_t>(sizes.Begin(part)); i < static_cast<std::size_t>(sizes.End(part)); ++i)
      {
        stop.AskAt(i * 16);
        const double radius = std::sqrt(static_cast<double>(m_Numbers.Squares()[i]));
        const auto   rows = [&](int axis) {
          return std::min(radius / spacing[axis] + 1, static_cast<double>(extent.size[axis]));
        };
        // A table takes a look at each row of a quarter of the ball; it must save more than that.
        if (rows(1) * rows(2) <= RowsForOne * static_cast<double>(all.counts[i]))
        {
          reach.SetSquare(m_Numbers.Squares()[i]);
          m_Limits[i] = LimitsOf(spacing, reach);
        }
      }
    });
  }

  const Limits &
  Of(float square) const
  {
    return m_Limits[m_Numbers.Find(square)];
  }

private:
  /** A table of this many rows pays for one ball. */
  static constexpr double RowsForOne = 64;

  SquareNumbers       m_Numbers;
  std::vector<Limits> m_Limits;
};

} // namespace

std::vector<VoxelBall>
FindRidge(const Extent & extent, const double * spacing, const HostContext & context, const float * squares)
{
  const std::vector<NeighborStep>     steps = StepsToNeighbors(extent, spacing);
  const RidgeTable                    table(extent, spacing, context, squares);
  const Chunks                        chunks(extent.RowCount(),
                      1 + context.grain / extent.RowLength(),
                      std::int64_t{ 16 } * EffectiveThreadCount(context.threads));
  std::vector<std::vector<VoxelBall>> parts(static_cast<std::size_t>(chunks.count));
  StopPoint                           stop(context);
  ParallelFor(chunks.count, context.Part(0.4, 1), [&](std::int64_t chunk) {
    std::vector<NeighborStep> inside;
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
        const Limits & limits = table.Of(square);
        const bool     hasTable = limits[1] != std::numeric_limits<double>::infinity();
        const bool     isHeld = std::any_of(inside.begin(), inside.end(), [&](const NeighborStep & step) {
          if (x + step.x < 0 || x + step.x >= extent.size[0])
          {
            return false;
          }
          const float other = squares[place + step.offset];
          return other > square && (hasTable ? other > limits[step.number]
                                                 : step.length + std::sqrt(static_cast<double>(square)) <=
                                                 std::sqrt(static_cast<double>(other)));
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
