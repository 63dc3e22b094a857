// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_EXTENT_H
#define BRICKCCL_CORE_EXTENT_H

#include <cstdint>
#include <initializer_list>
#include <string>

namespace brickccl
{

inline constexpr int MaximumDimension = 4;

/** The letters of the axes, x first. */
inline constexpr char AxisNames[MaximumDimension + 1] = "xyzt";

/** The axis with this letter; -1 if there is none. */
int AxisFromName(const std::string & name);

/** The number of voxels along each axis, x fastest. Axes beyond `dimension` have size 1. A *row* is a line of voxels
 *  along x. Rows are numbered y fastest, then z, then t. */
struct Extent
{
  int          dimension = 0;
  std::int64_t size[MaximumDimension] = { 1, 1, 1, 1 };

  Extent() = default;

  /** \throws InvalidArgument unless there are 1 to 4 sizes, each at least 1, with a product below 2^62. */
  Extent(std::initializer_list<std::int64_t> sizes);
  Extent(int dimension, const std::int64_t * sizes);

  constexpr std::int64_t
  RowLength() const
  {
    return size[0];
  }
  constexpr std::int64_t
  RowCount() const
  {
    return size[1] * size[2] * size[3];
  }
  constexpr std::int64_t
  VoxelCount() const
  {
    return RowLength() * RowCount();
  }

  /** "512 x 512 x 275" */
  std::string ToString() const;

  friend bool
  operator==(const Extent & a, const Extent & b)
  {
    bool same = a.dimension == b.dimension;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      same = same && a.size[axis] == b.size[axis];
    }
    return same;
  }
  friend bool
  operator!=(const Extent & a, const Extent & b)
  {
    return !(a == b);
  }
};

/** The position of a row in the volume: its coordinates along y, z and t. Index 0 is y. */
struct RowPosition
{
  std::int64_t at[MaximumDimension - 1];

  RowPosition(const Extent & extent, std::int64_t row)
  {
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      at[axis - 1] = row % extent.size[axis];
      row /= extent.size[axis];
    }
  }

  /** Moves to the next row. */
  void
  Advance(const Extent & extent)
  {
    for (int axis = 1; axis < MaximumDimension && ++at[axis - 1] == extent.size[axis]; ++axis)
    {
      at[axis - 1] = 0;
    }
  }
};

} // namespace brickccl

#endif
