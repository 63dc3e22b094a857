#ifndef BRICKCCL_CLEAN_PADDEDPLACES_H
#define BRICKCCL_CLEAN_PADDEDPLACES_H

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Extent.h"

#include <cstdint>

namespace brickccl
{

/** Numbers the voxels of a volume with room between rows, slices and volumes and around them, so that the neighbours of
 *  every voxel have places, and those outside of the volume have places of no voxel. Rows begin at words. */
class PaddedPlaces
{
public:
  PaddedPlaces() = default;
  explicit PaddedPlaces(const Extent & extent)
  {
    // A voxel before x = 0 has a place at the end of the row before.
    m_Stride[0] = 1;
    m_Stride[1] = WordsForBits(extent.RowLength() + 1) * BitsPerWord;
    for (int axis = 2; axis < MaximumDimension; ++axis)
    {
      m_Stride[axis] = m_Stride[axis - 1] * (extent.size[axis - 1] + (axis - 1 < extent.dimension ? 1 : 0));
    }
    for (int axis = 1; axis < extent.dimension; ++axis)
    {
      m_First += m_Stride[axis];
    }
    m_First += BitsPerWord;
    m_Count = m_First;
    for (int axis = 1; axis < extent.dimension; ++axis)
    {
      m_Count += extent.size[axis] * m_Stride[axis];
    }
    m_Count += m_Stride[1] + m_First;
  }

  std::int64_t
  Stride(int axis) const
  {
    return m_Stride[axis];
  }
  /** The place of the first voxel of a row. */
  std::int64_t
  OfRow(const RowPosition & row) const
  {
    std::int64_t place = m_First;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      place += row.at[axis - 1] * m_Stride[axis];
    }
    return place;
  }
  /** All places are below this, a number of whole words. */
  std::int64_t
  Count() const
  {
    return m_Count;
  }

private:
  std::int64_t m_Stride[MaximumDimension] = {};
  std::int64_t m_First = 0;
  std::int64_t m_Count = 0;
};

} // namespace brickccl

#endif
