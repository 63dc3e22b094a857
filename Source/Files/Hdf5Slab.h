#ifndef BRICKCCL_FILES_HDF5SLAB_H
#define BRICKCCL_FILES_HDF5SLAB_H

#include "BrickCCL/Files/Hdf5Library.h"

#ifdef BRICKCCL_USE_HDF5

#  include <algorithm>
#  include <cstdint>
#  include <vector>

namespace brickccl::files
{

/** A selection by start, stride, count and block. */
struct Hdf5Slab
{
  std::vector<hsize_t> start, stride, count, block;
  bool                 isRegular = false;

  Hdf5Slab(const Hdf5Library & h5, hid_t space)
  {
    const auto axes = static_cast<std::size_t>(std::max(0, h5.H5Sget_simple_extent_ndims(space)));
    for (auto * const numbers : { &start, &stride, &count, &block })
    {
      numbers->resize(axes);
    }
    isRegular = h5.H5Sget_select_type(space) == H5S_SEL_HYPERSLABS && h5.H5Sis_regular_hyperslab(space) > 0 &&
                h5.H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(), block.data()) >= 0;
  }

  bool
  IsUnlimited() const
  {
    const auto isUnlimited = [](hsize_t number) { return number == H5S_UNLIMITED; };
    return isRegular && (std::any_of(count.begin(), count.end(), isUnlimited) ||
                         std::any_of(block.begin(), block.end(), isUnlimited));
  }

  /** How many blocks begin in an extent, along the axis of which there is any number. */
  std::uint64_t
  Blocks(const std::vector<hsize_t> & shape) const
  {
    for (std::size_t axis = 0; axis < count.size() && axis < shape.size(); ++axis)
    {
      if (count[axis] == H5S_UNLIMITED)
      {
        return shape[axis] <= start[axis] ? 0 : (shape[axis] - start[axis] - 1) / stride[axis] + 1;
      }
    }
    return 1;
  }

  /** How many values an extent has of it. */
  std::uint64_t
  Points(const std::vector<hsize_t> & shape) const
  {
    std::uint64_t points = 1;
    for (std::size_t axis = 0; axis < count.size(); ++axis)
    {
      const hsize_t size = shape[axis] <= start[axis] ? 0 : shape[axis] - start[axis];
      const hsize_t whole = block[axis] == H5S_UNLIMITED ? 0 : size / stride[axis];
      const hsize_t rest = block[axis] == H5S_UNLIMITED ? size : std::min(size % stride[axis], block[axis]);
      const bool    isAll = count[axis] == H5S_UNLIMITED || whole < count[axis] || block[axis] == H5S_UNLIMITED;
      points *= isAll ? whole * (block[axis] == H5S_UNLIMITED ? 0 : block[axis]) + rest : count[axis] * block[axis];
    }
    return points;
  }

  /** How many values one block along the axis of any number of blocks has. */
  std::uint64_t
  PointsOfBlock() const
  {
    std::uint64_t points = 1;
    for (std::size_t axis = 0; axis < count.size(); ++axis)
    {
      points *= block[axis] * (count[axis] == H5S_UNLIMITED ? 1 : count[axis]);
    }
    return points;
  }
};

} // namespace brickccl::files

#endif

#endif
