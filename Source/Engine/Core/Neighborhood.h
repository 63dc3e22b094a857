// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Extent.h"

#include <cstdint>

/** The neighbors of a voxel. They are defined only here; other forms of them are derived from this one.
 *
 *  No coordinate of a neighbor differs by more than 1. The scan mask of a voxel X holds the half of its neighbors
 *  that raster order visits earlier. The number of each says along how many axes it differs, here in three dimensions:
 *
 *                     z - 1                 z
 *
 *        y - 1      3  2  3             2  1  2
 *        y          2  1  2             1  X  .
 *        y + 1      3  2  3             .  .  .
 *
 *                 x-1  x  x+1         x-1  x  x+1
 *
 *  A neighborhood of rank r has the neighbors that differ along at most r axes: first the faces, then the edges, then
 *  the corners. The other half of the neighbors is opposite. */
namespace brickccl
{

/** Whether a voxel has a neighbor one step away along x, y, z and t.
 *  \param rank  the largest number of axes along which neighbors may differ
 *  \param axes  bit a: they may differ along axis a
 *  \param step  -1, 0 or 1 along each axis */
constexpr bool
HasNeighbor(int rank, unsigned axes, const int (&step)[MaximumDimension])
{
  int differing = 0;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    if (step[axis] < -1 || step[axis] > 1)
    {
      return false;
    }
    if (step[axis] != 0)
    {
      ++differing;
      if (((axes >> axis) & 1u) == 0)
      {
        return false;
      }
    }
  }
  return differing > 0 && differing <= rank;
}

/** A neighboring row that raster order visits earlier, as steps along y, z and t. */
struct RowOffset
{
  int step[MaximumDimension - 1];
  /** Whether the voxels one step to the left and to the right (x - 1, x + 1) in that row are neighbors, too. */
  bool diagonal;
};

/** The neighboring rows that raster order visits earlier, in raster order: the rows of the scan mask except the row
 *  of X. */
struct RowOffsets
{
  /** Half of the rows around a row: 3 along each of y, z and t. */
  static constexpr int maximum = (3 * 3 * 3 - 1) / 2;

  int       count = 0;
  RowOffset rows[maximum] = {};

  constexpr const RowOffset *
  begin() const
  {
    return rows;
  }
  constexpr const RowOffset *
  end() const
  {
    return rows + count;
  }
};

/** The rows of the scan mask whose straight neighbor there is. \param has  says whether there is a neighbor at a step
 */
template <typename THas>
constexpr RowOffsets
BackwardRowsThat(const THas & has)
{
  RowOffsets offsets;
  // In raster order this many rows come before the row of X.
  for (int code = 0; code < RowOffsets::maximum; ++code)
  {
    const int straight[MaximumDimension] = { 0, code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1 };
    const int diagonal[MaximumDimension] = { 1, straight[1], straight[2], straight[3] };
    if (has(straight))
    {
      RowOffset & offset = offsets.rows[offsets.count++];
      for (int axis = 1; axis < MaximumDimension; ++axis)
      {
        offset.step[axis - 1] = straight[axis];
      }
      offset.diagonal = has(diagonal);
    }
  }
  return offsets;
}

/** The rows of the scan mask of a neighborhood; rank and axes as in HasNeighbor. */
constexpr RowOffsets
BackwardRowsOf(int rank, unsigned axes)
{
  return BackwardRowsThat([rank, axes](const int(&step)[MaximumDimension]) { return HasNeighbor(rank, axes, step); });
}

/** A step to a neighboring row of an image: its distance, and the rows that have it. */
struct RowStep
{
  RowOffset offset = {};
  /** Its distance in rows, backwards. */
  std::int64_t distance = 0;

  RowStep() = default;
  RowStep(const RowOffset & rowOffset, const Extent & extent)
    : offset(rowOffset)
  {
    std::int64_t stride = 1;
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      distance -= offset.step[axis - 1] * stride;
      stride *= extent.size[axis];
    }
  }

  /** Whether the row at a position has this neighboring row. */
  bool
  ExistsFrom(const RowPosition & position, const Extent & extent) const
  {
    for (int axis = 1; axis < MaximumDimension; ++axis)
    {
      const std::int64_t at = position.at[axis - 1] + offset.step[axis - 1];
      if (at < 0 || at >= extent.size[axis])
      {
        return false;
      }
    }
    return true;
  }
};

/** The steps to the neighboring rows that raster order visits earlier. The size is fixed, so that it is a kernel's
 *  argument, too. */
struct RowSteps
{
  int     count = 0;
  RowStep steps[RowOffsets::maximum];

  RowSteps(const RowOffsets & offsets, const Extent & extent)
  {
    for (const RowOffset & offset : offsets)
    {
      steps[count++] = RowStep(offset, extent);
    }
  }

  const RowStep *
  begin() const
  {
    return steps;
  }
  const RowStep *
  end() const
  {
    return steps + count;
  }
};

/** A step to a neighboring voxel along x, y and z. */
struct VoxelOffset
{
  signed char step[3];
};

/** All neighbors of a voxel in up to three dimensions. The first half is earlier in raster order; step i + count / 2
 *  is the opposite of step i. The size is fixed, so that it is a kernel's argument, too. */
struct NeighborSteps
{
  static constexpr int maximum = 3 * 3 * 3 - 1;

  int         count = 0;
  VoxelOffset steps[maximum] = {};

  /** \param rows   the neighboring rows that raster order visits earlier
   *  \param usesX  whether neighbors may differ along x */
  constexpr NeighborSteps(const RowOffsets & rows, bool usesX)
  {
    if (usesX)
    {
      Add(-1, 0, 0);
    }
    for (const RowOffset & row : rows)
    {
      for (int x = row.diagonal ? -1 : 0; x <= (row.diagonal ? 1 : 0); ++x)
      {
        Add(x, row.step[0], row.step[1]);
      }
    }
    for (int i = 0, half = count; i < half; ++i)
    {
      Add(-steps[i].step[0], -steps[i].step[1], -steps[i].step[2]);
    }
  }

private:
  constexpr void
  Add(int x, int y, int z)
  {
    // A neighborhood in four dimensions has more, which are not needed.
    if (count < maximum)
    {
      steps[count++] = { { static_cast<signed char>(x), static_cast<signed char>(y), static_cast<signed char>(z) } };
    }
  }
};

} // namespace brickccl
