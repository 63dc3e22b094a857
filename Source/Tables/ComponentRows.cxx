#include "BrickCCL/Tables/ComponentRows.h"

#include <utility>

namespace brickccl
{

namespace
{

/** The same sums in their general form. */
ShapeSums
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

} // namespace

ComponentRows::ComponentRows(const Extent & extent, const Geometry & geometry, UninitializedVector<CompactShapeSums> sums)
  : m_Extent(extent)
  , m_Geometry(geometry)
  , m_Compact(std::move(sums))
{}

ComponentRows::ComponentRows(const Extent & extent, const Geometry & geometry, UninitializedVector<ShapeSums> sums)
  : m_Extent(extent)
  , m_Geometry(geometry)
  , m_Sums(std::move(sums))
{}

ComponentMeasures
ComponentRows::operator[](std::size_t place) const
{
  const ShapeSums   sums = m_Compact.empty() ? m_Sums[place] : Widen(m_Compact[place], m_Extent);
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
      static_cast<double>(start) + static_cast<double>(sums.indexSum[axis]) / static_cast<double>(sums.voxels);
  }
  if (!m_Intensities.empty())
  {
    row.intensity = m_Intensities[place];
  }
  return row;
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

} // namespace brickccl
