// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLEAN_BORDER_H
#define BRICKCCL_CLEAN_BORDER_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"

#include <algorithm>
#include <cstdint>

namespace brickccl
{

/** The border of an image: both ends of each axis along which voxels have neighbors, except for axes of one voxel and
 *  periodic ones. If all these axes have one voxel, every voxel is at the border, unless the image is periodic. */
class Border
{
public:
  Border(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic = {})
    : m_Extent(extent)
    , m_EveryVoxel(!periodic.HasAny())
  {
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      m_Has[axis] = axis < extent.dimension && connectivity.Uses(axis) && extent.size[axis] > 1 && !periodic.Has(axis);
      m_EveryVoxel = m_EveryVoxel && !m_Has[axis];
    }
  }

  /** Whether a voxel of the image is at the border. */
  bool
  Exists() const
  {
    return m_EveryVoxel || std::any_of(m_Has, m_Has + MaximumDimension, [](bool has) { return has; });
  }

  /** Whether one of the voxels [begin, end) of a row is at the border. */
  bool
  Touches(const RowPosition & row, std::int64_t begin, std::int64_t end) const
  {
    bool touches = m_EveryVoxel || (m_Has[0] && (begin == 0 || end == m_Extent.size[0]));
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = row.at[axis - 1];
      touches = touches || (m_Has[axis] && (at == 0 || at == m_Extent.size[axis] - 1));
    }
    return touches;
  }

private:
  Extent m_Extent;
  bool   m_Has[MaximumDimension];
  bool   m_EveryVoxel;
};

} // namespace brickccl

#endif
