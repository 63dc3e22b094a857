#ifndef BRICKCCL_TABLES_COMPONENTROWS_H
#define BRICKCCL_TABLES_COMPONENTROWS_H

#include "BrickCCL/Tables/ComponentSums.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace brickccl
{

/** Measures of one component. Indices count as in the image that was labeled, its region's start included. */
struct ComponentMeasures
{
  std::uint64_t label = 0;
  std::uint64_t voxelCount = 0;
  /** First and last index of the bounding box; both belong to it. */
  std::int64_t boxMinimum[MaximumDimension] = {};
  std::int64_t boxMaximum[MaximumDimension] = {};
  /** Mean index of the voxels. */
  double centroid[MaximumDimension] = {};
  /** Sums of the voxels' indices, counted from the first voxel of the buffer. */
  std::uint64_t indexSum[MaximumDimension] = {};
  /** The first voxel in raster order (x fastest), as its place in the buffer. */
  std::uint64_t firstVoxel = 0;

  IntensityMeasures intensity;
  /** Where the table's groups have this component's measures. */
  std::size_t place = 0;
};

/** The rows of a component table, in the order of their labels. What is kept of a component are its sums, 64 bytes for
 *  images of up to 3 dimensions; a row is worked out from them whenever it is read, and is no reference into the table.
 */
class ComponentRows
{
public:
  class Iterator
  {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = ComponentMeasures;
    using difference_type = std::ptrdiff_t;
    using pointer = const ComponentMeasures *;
    using reference = ComponentMeasures;

    Iterator(const ComponentRows & rows, std::size_t place)
      : m_Rows(&rows)
      , m_Place(place)
    {}

    ComponentMeasures
    operator*() const
    {
      return (*m_Rows)[m_Place];
    }
    Iterator &
    operator++()
    {
      ++m_Place;
      return *this;
    }
    bool
    operator==(const Iterator & other) const
    {
      return m_Place == other.m_Place;
    }
    bool
    operator!=(const Iterator & other) const
    {
      return m_Place != other.m_Place;
    }

  private:
    const ComponentRows * m_Rows;
    std::size_t           m_Place;
  };

  ComponentRows() = default;
  /** The rows of components 1.. of an image from their sums. */
  ComponentRows(const Extent & extent, const Geometry & geometry, UninitializedVector<CompactShapeSums> sums);
  ComponentRows(const Extent & extent, const Geometry & geometry, UninitializedVector<ShapeSums> sums);

  std::size_t
  size() const
  {
    return m_Compact.size() + m_Sums.size();
  }
  bool
  empty() const
  {
    return size() == 0;
  }
  ComponentMeasures operator[](std::size_t place) const;
  ComponentMeasures
  front() const
  {
    return (*this)[0];
  }
  Iterator
  begin() const
  {
    return { *this, 0 };
  }
  Iterator
  end() const
  {
    return { *this, size() };
  }

  std::uint64_t
  VoxelCount(std::size_t place) const
  {
    return m_Compact.empty() ? m_Sums[place].voxels : m_Compact[place].sums[0];
  }
  /** The sum of the voxels' indices along an axis, counted from the first voxel of the buffer. */
  std::uint64_t
  IndexSum(std::size_t place, int axis) const
  {
    return m_Compact.empty() ? m_Sums[place].indexSum[axis] : axis < 3 ? m_Compact[place].sums[axis + 1] : 0;
  }
  std::uint64_t
  Label(std::size_t place) const
  {
    return m_Labels.empty() ? place + 1 : m_Labels[place];
  }
  /** Where there was an image. */
  const IntensityMeasures &
  Intensity(std::size_t place) const
  {
    return m_Intensities[place];
  }

  /** The sums of the rows, as CompactShapeSums or ShapeSums, if they are kept as these; the rows are no more. */
  template <typename TSums>
  UninitializedVector<TSums>
  TakeSums()
  {
    if constexpr (std::is_same_v<TSums, CompactShapeSums>)
    {
      return std::exchange(m_Compact, {});
    }
    else
    {
      return std::exchange(m_Sums, {});
    }
  }

  /** One label for each row, ascending. */
  void SetLabels(std::vector<std::uint64_t> labels);

  /** One for each row. */
  void SetIntensities(std::vector<IntensityMeasures> intensities);

private:
  Extent   m_Extent;
  Geometry m_Geometry;
  /** One of the two is empty. */
  UninitializedVector<CompactShapeSums> m_Compact;
  UninitializedVector<ShapeSums>        m_Sums;
  /** None if they are 1, 2 ... */
  std::vector<std::uint64_t> m_Labels;
  /** None if there was no image. */
  std::vector<IntensityMeasures> m_Intensities;
};

} // namespace brickccl

#endif
