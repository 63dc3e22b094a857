#ifndef BRICKCCL_TABLES_COMPONENTROWS_H
#define BRICKCCL_TABLES_COMPONENTROWS_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/VolumeView.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace brickccl
{

/** Measures of the intensities under one component. NaN voxels make the sum, mean and deviation NaN; the extremes leave
 *  them out. */
struct IntensityMeasures
{
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  double mean = 0;
  /** Of the sample (divided by n - 1), as in itk::LabelStatisticsImageFilter; 0 for a single voxel. */
  double standardDeviation = 0;
};

/** Measures of one component. Indices count as in the image that was labeled and include its region's start. */
struct ComponentMeasures
{
  std::uint64_t label = 0;
  std::uint64_t voxelCount = 0;
  /** First and last index of the bounding box; both belong to it. */
  std::int64_t boxMinimum[MaximumDimension] = {};
  std::int64_t boxMaximum[MaximumDimension] = {};
  /** Mean index of the voxels; NaN along a periodic axis along which the component cannot be unwrapped. */
  double centroid[MaximumDimension] = {};
  /** Sums of the voxels' indices, counted from the first voxel of the buffer. */
  std::uint64_t indexSum[MaximumDimension] = {};
  /** The first voxel in raster order (x fastest), as its place in the buffer. */
  std::uint64_t firstVoxel = 0;

  IntensityMeasures intensity;
  /** The place of this component in ComponentTable::measures. */
  std::size_t place = 0;
};

struct RowSums;

/** The rows of a component table, in the order of their labels. The table keeps the sums of each component, 64 bytes
 * for images of up to 3 dimensions. It computes a row from them whenever the row is read, so that a row is a value and
 * no reference into the table. Copies share the sums. */
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

  /** No rows. */
  ComponentRows() = default;
  /** Rows from sums; MakeRows (Tables/RowSums.h) is easier to call. */
  ComponentRows(const Extent & extent, const Geometry & geometry, std::shared_ptr<RowSums> sums);

  std::size_t size() const;
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

  std::uint64_t VoxelCount(std::size_t place) const;
  /** The sum of the voxels' indices along an axis, counted from the first voxel of the buffer. */
  std::uint64_t IndexSum(std::size_t place, int axis) const;
  std::uint64_t
  Label(std::size_t place) const
  {
    return m_Labels.empty() ? place + 1 : m_Labels[place];
  }
  /** Only where there was an intensity image. */
  const IntensityMeasures &
  Intensity(std::size_t place) const
  {
    return m_Intensities[place];
  }

  /** One label for each row, ascending. */
  void SetLabels(std::vector<std::uint64_t> labels);

  /** One for each row. */
  void SetIntensities(std::vector<IntensityMeasures> intensities);

  /** Gives up the sums, and with them the rows; TakeSums (Tables/RowSums.h) hands them out. */
  std::shared_ptr<RowSums> ReleaseSums();

private:
  Extent   m_Extent;
  Geometry m_Geometry;
  /** Null if there are no rows. */
  std::shared_ptr<RowSums> m_Sums;
  /** Empty if the labels are 1, 2 ... */
  std::vector<std::uint64_t> m_Labels;
  /** Empty if there was no intensity image. */
  std::vector<IntensityMeasures> m_Intensities;
};

} // namespace brickccl

#endif
