// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include "BrickCCL/Tables/RowSums.h"

#include <limits>
#include <utility>

namespace brickccl
{

/** The same sums in their general form. */
static ShapeSums
Widen(const CompactShapeSums & compact, const Extent & extent)
{
  const std::int64_t sliceSize = extent.size[0] * extent.size[1];
  ShapeSums          sums;
  sums.voxels = compact.sums[0];
  sums.firstVoxel = compact.firstVoxel;
  for (int axis = 0; axis < 3; ++axis)
  {
    sums.indexSum[axis] = compact.sums[axis + 1];
    sums.minimum[axis] = axis < 2 ? compact.lowest[axis] : static_cast<std::int64_t>(compact.firstVoxel) / sliceSize;
    sums.maximum[axis] = axis < 2 ? -1 - std::int64_t{ compact.lowest[axis + 2] } : compact.lastSlice;
  }
  return sums;
}

ComponentRows::ComponentRows(const Extent & extent, const Geometry & geometry, std::shared_ptr<RowSums> sums)
  : m_Extent(extent)
  , m_Geometry(geometry)
  , m_Sums(std::move(sums))
{}

std::size_t
ComponentRows::size() const
{
  return m_Sums ? m_Sums->compact.size() + m_Sums->wide.size() : 0;
}

ComponentMeasures
ComponentRows::operator[](std::size_t place) const
{
  const ShapeSums   sums = m_Sums->compact.empty() ? m_Sums->wide[place] : Widen(m_Sums->compact[place], m_Extent);
  ComponentMeasures row;
  row.label = Label(place);
  row.place = place;
  row.voxelCount = sums.voxels;
  row.firstVoxel = sums.firstVoxel;
  for (int axis = 0; axis < m_Extent.dimension; ++axis)
  {
    const std::int64_t start = m_Geometry.startIndex[axis];
    row.indexSum[axis] = sums.indexSum[axis];
    row.boxMinimum[axis] = start + sums.minimum[axis];
    row.boxMaximum[axis] = start + sums.maximum[axis];
    row.centroid[axis] =
      sums.indexSum[axis] == ShapeSums::NoSum
        ? std::numeric_limits<double>::quiet_NaN()
        : static_cast<double>(start) + static_cast<double>(sums.indexSum[axis]) / static_cast<double>(sums.voxels);
  }
  if (!m_Intensities.empty())
  {
    row.intensity = m_Intensities[place];
  }
  return row;
}

std::uint64_t
ComponentRows::VoxelCount(std::size_t place) const
{
  return m_Sums->compact.empty() ? m_Sums->wide[place].voxels : m_Sums->compact[place].sums[0];
}

std::uint64_t
ComponentRows::IndexSum(std::size_t place, int axis) const
{
  return m_Sums->compact.empty() ? m_Sums->wide[place].indexSum[axis]
       : axis < 3                ? m_Sums->compact[place].sums[axis + 1]
                                 : 0;
}

void
ComponentRows::SetLabels(std::vector<std::uint64_t> labels)
{
  m_Labels = std::move(labels);
}

void
ComponentRows::SetIntensities(std::vector<IntensityMeasures> intensities)
{
  m_Intensities = std::move(intensities);
}

std::shared_ptr<RowSums>
ComponentRows::ReleaseSums()
{
  m_Labels.clear();
  m_Intensities.clear();
  return std::move(m_Sums);
}

} // namespace brickccl
