// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <cstdint>
#include <vector>

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

/** The border that distinguishes holes from the background around objects. \param connectivity  of the background
 *  \throws Unsupported if the image is periodic along all axes and has none. */
Border BorderOfHoles(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic);

/** The holes among the components of a background. Holes are numbered from 0 on, in the order of their labels. */
class Holes
{
public:
  static constexpr std::uint64_t None = ~std::uint64_t{ 0 };

  /** \param background  labeled 1..components \param border  no hole has a voxel there (BorderOfHoles)
   *  \param maximumVoxels  larger components are not holes */
  Holes(const RunVolume &   background,
        std::uint64_t       components,
        const Border &      border,
        std::uint64_t       maximumVoxels,
        const HostContext & context);

  std::uint64_t
  Count() const
  {
    return m_Sizes.size();
  }
  /** The number of voxels of a hole. */
  std::uint64_t
  Size(std::uint64_t hole) const
  {
    return m_Sizes[static_cast<std::size_t>(hole)];
  }
  /** The hole that a component is, or None. */
  std::uint64_t
  OfLabel(std::uint64_t label) const
  {
    return m_HoleOf[static_cast<std::size_t>(label)];
  }

private:
  std::vector<std::uint64_t> m_Sizes;
  std::vector<std::uint64_t> m_HoleOf;
};

} // namespace brickccl
