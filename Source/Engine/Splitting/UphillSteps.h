// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** A step to a neighbor or to the voxel itself. */
struct UphillStep
{
  NeighborOffset offset = {};
  /** A bit for each axis along which it goes through a periodic end. */
  unsigned      through = 0;
  std::int64_t  distance = 0;
  std::uint32_t code = 0;

  /** \return whether it is a step from a place, if the ends before and behind it are there or not */
  bool
  IsFrom(std::size_t axis, bool hasBefore, bool hasBehind) const
  {
    return offset[axis] == 0 || (offset[axis] < 0 ? hasBefore : hasBehind) == ((through >> axis & 1u) == 0);
  }
};

/** The steps of a split in raster order of where they end. The code of a step is its place from 1. Codes are below
 *  1024: along each of 4 axes a step goes to one of 3 places, or through an end. */
class UphillSteps
{
public:
  UphillSteps(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic)
    : m_Extent(extent)
  {
    m_Steps.push_back({});
    for (const NeighborOffset & offset : connectivity.Offsets())
    {
      AddSteps(offset, periodic.Bits());
    }
    std::stable_sort(m_Steps.begin(), m_Steps.end(), [](const UphillStep & a, const UphillStep & b) {
      return a.distance < b.distance;
    });
    for (UphillStep & step : m_Steps)
    {
      step.code = static_cast<std::uint32_t>(&step - m_Steps.data() + 1);
      m_OwnCode = step.distance == 0 ? step.code : m_OwnCode;
    }
  }

  /** The code of the step to the voxel itself. */
  std::uint32_t
  OwnCode() const
  {
    return m_OwnCode;
  }

  /** How many voxels a step goes ahead. */
  std::int64_t
  DistanceOf(std::uint32_t code) const
  {
    return m_Steps[code - 1].distance;
  }

  /** The steps from voxels of a row that have neighbors at x - 1 and x + 1 or not.
   *  \param goesUphill  whether there are others than the step to the voxel itself */
  std::vector<UphillStep>
  From(std::int64_t row, bool hasLeft, bool hasRight, bool goesUphill) const
  {
    const RowPosition       position(m_Extent, row);
    std::vector<UphillStep> steps;
    for (const UphillStep & step : m_Steps)
    {
      bool exists = step.IsFrom(0, hasLeft, hasRight) && (goesUphill || step.code == m_OwnCode);
      for (std::size_t axis = 1; axis < MaximumDimension; ++axis)
      {
        const std::int64_t at = position.at[axis - 1];
        exists = exists && step.IsFrom(axis, at > 0, at + 1 < m_Extent.size[axis]);
      }
      if (exists)
      {
        steps.push_back(step);
      }
    }
    return steps;
  }

private:
  /** Adds the step to a neighbor, and those through the ends of periodic axes. */
  void
  AddSteps(const NeighborOffset & offset, unsigned periodic)
  {
    for (unsigned through = 0; through < 1u << MaximumDimension; ++through)
    {
      UphillStep   step = { offset, through };
      bool         exists = (through & ~periodic) == 0;
      std::int64_t unit = 1;
      for (std::size_t axis = 0; axis < MaximumDimension; unit *= m_Extent.size[axis++])
      {
        const bool wraps = (through >> axis & 1u) != 0;
        exists = exists && !(wraps && offset[axis] == 0);
        step.distance += unit * (offset[axis] - (wraps ? offset[axis] * m_Extent.size[axis] : 0));
      }
      if (exists && step.distance != 0)
      {
        m_Steps.push_back(step);
      }
    }
  }

  const Extent            m_Extent;
  std::vector<UphillStep> m_Steps;
  std::uint32_t           m_OwnCode = 0;
};

} // namespace brickccl
