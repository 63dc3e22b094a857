// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** The most steps from a ball's center to its voxels, worked out once for successive balls of one size. */
class BallReach
{
public:
  /** A voxel within this share of the square counts as on the surface: squares are rounded to single precision. */
  static constexpr double SurfaceShare = 1e-6;

  /** Both have to live as long as this does. */
  BallReach(const Extent & extent, const double * spacing)
    : m_Extent(extent)
    , m_Spacing(spacing)
  {}

  void
  SetSquare(float square)
  {
    if (square == m_Square)
    {
      return;
    }
    m_Square = square;
    m_Inside = static_cast<double>(square) * (1 - SurfaceShare);
    m_AlongZ = Steps(std::sqrt(static_cast<double>(square)), 2);
    m_AlongY.clear();
    for (std::int64_t z = 0; z <= m_AlongZ; ++z)
    {
      const double dz = static_cast<double>(z) * m_Spacing[2];
      m_AlongY.push_back(Steps(std::sqrt(std::max(0.0, m_Inside - dz * dz)), 1));
    }
    m_AlongX.assign(static_cast<std::size_t>((m_AlongZ + 1) * (m_AlongY[0] + 1)), unknown);
  }

  float
  Square() const
  {
    return m_Square;
  }

  std::int64_t
  AlongZ() const
  {
    return m_AlongZ;
  }

  /** In a slice that is z <= AlongZ() steps away. */
  std::int64_t
  AlongY(std::int64_t z) const
  {
    return m_AlongY[static_cast<std::size_t>(z)];
  }

  /** In a row that is y <= AlongY(z) and z steps away; below 0 if no voxel of the row is in the ball. */
  std::int64_t
  AlongX(std::int64_t y, std::int64_t z)
  {
    std::int64_t & known = m_AlongX[static_cast<std::size_t>(z * (m_AlongY[0] + 1) + y)];
    if (known == unknown)
    {
      const double dz = static_cast<double>(z) * m_Spacing[2];
      const double dy = static_cast<double>(y) * m_Spacing[1];
      const double left = m_Inside - dz * dz - dy * dy;
      if (left <= 0)
      {
        known = -1;
      }
      else
      {
        const std::int64_t steps = Steps(std::sqrt(left), 0);
        const double       dx = static_cast<double>(steps) * m_Spacing[0];
        known = steps - (dx * dx >= left ? 1 : 0);
      }
    }
    return known;
  }

private:
  static constexpr std::int64_t unknown = -2;

  std::int64_t
  Steps(double length, int axis) const
  {
    // No voxel of the image is farther away. Axes that it does not have may have any spacing.
    const double steps = length / m_Spacing[axis];
    return steps < static_cast<double>(m_Extent.size[axis]) ? static_cast<std::int64_t>(steps)
                                                            : m_Extent.size[axis] - 1;
  }

  const Extent &            m_Extent;
  const double *            m_Spacing;
  float                     m_Square = -1;
  double                    m_Inside = 0;
  std::int64_t              m_AlongZ = 0;
  std::vector<std::int64_t> m_AlongY;
  std::vector<std::int64_t> m_AlongX;
};

} // namespace brickccl
