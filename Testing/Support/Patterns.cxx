// SPDX-License-Identifier: Apache-2.0
#include "Patterns.h"

#include <algorithm>
#include <iterator>

namespace brickccl
{

namespace
{

/** Marks the path of a square spiral in a plane of ones and zeros and returns its last pixel. */
std::int64_t
WindSpiral(std::int64_t width, std::int64_t height, std::uint8_t * plane)
{
  static const int stepX[] = { 1, 0, -1, 0 };
  static const int stepY[] = { 0, 1, 0, -1 };
  std::int64_t     x = 0;
  std::int64_t     y = 0;
  plane[0] = 1;
  const auto free = [&](int direction) {
    const auto inside = [&](std::int64_t px, std::int64_t py) {
      return px >= 0 && px < width && py >= 0 && py < height;
    };
    const std::int64_t nextX = x + stepX[direction];
    const std::int64_t nextY = y + stepY[direction];
    const std::int64_t afterX = nextX + stepX[direction];
    const std::int64_t afterY = nextY + stepY[direction];
    return inside(nextX, nextY) && plane[nextY * width + nextX] == 0 &&
           !(inside(afterX, afterY) && plane[afterY * width + afterX] != 0);
  };
  for (int direction = 0, turns = 0; turns < 2;)
  {
    if (!free(direction))
    {
      direction = (direction + 1) % 4;
      ++turns;
      continue;
    }
    turns = 0;
    x += stepX[direction];
    y += stepY[direction];
    plane[y * width + x] = 1;
  }
  return y * width + x;
}

} // namespace

std::vector<std::uint8_t>
MakeSpiral(const Extent & extent)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const std::int64_t        plane = extent.size[0] * extent.size[1];
  const std::int64_t        planes = extent.size[2] * extent.size[3];
  for (std::int64_t z = 0; z < planes; z += 2)
  {
    std::uint8_t *     slice = voxels.data() + z * plane;
    const std::int64_t inner = WindSpiral(extent.size[0], extent.size[1], slice);
    const std::int64_t bridge = z / 2 % 2 == 0 ? inner : 0;
    if (z + 2 < planes)
    {
      slice[plane + bridge] = 1;
    }
  }
  return voxels;
}

namespace
{

/** The coordinates of a point on the Hilbert curve through 2^bits points along each of several axes. */
void
HilbertPoint(std::uint64_t index, int bits, int axes, std::uint64_t (&at)[3])
{
  // The index's bits, from the highest on, are in turn bits of the coordinates, in Gray code.
  for (int b = 0; b < bits * axes; ++b)
  {
    at[b % axes] = at[b % axes] << 1 | (index >> (bits * axes - 1 - b) & 1u);
  }
  const std::uint64_t last = at[axes - 1] >> 1;
  for (int axis = axes - 1; axis > 0; --axis)
  {
    at[axis] ^= at[axis - 1];
  }
  at[0] ^= last;
  // The cells of each level are turned and mirrored so that the curve continues from one to the next.
  for (std::uint64_t level = 2; level < std::uint64_t{ 1 } << bits; level *= 2)
  {
    const std::uint64_t lower = level - 1;
    for (int axis = axes - 1; axis >= 0; --axis)
    {
      const std::uint64_t change = (at[axis] & level) != 0 ? 0 : (at[0] ^ at[axis]) & lower;
      at[0] ^= (at[axis] & level) != 0 ? lower : change;
      at[axis] ^= change;
    }
  }
}

} // namespace

std::vector<std::uint8_t>
MakeHilbertCurve(const Extent & extent)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const int                 axes = extent.dimension < 3 ? extent.dimension : 3;
  const std::int64_t        longest = *std::max_element(extent.size, extent.size + axes);
  int                       bits = 0;
  while ((std::int64_t{ 2 } << bits) < longest)
  {
    ++bits;
  }
  const auto mark = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x < extent.size[0] && y < extent.size[1] && z < extent.size[2])
    {
      voxels[static_cast<std::size_t>((z * extent.size[1] + y) * extent.size[0] + x)] = 1;
    }
  };
  std::int64_t        previous[3] = {};
  const std::uint64_t points = std::uint64_t{ 1 } << (bits * axes);
  for (std::uint64_t index = 0; index < points; ++index)
  {
    std::uint64_t point[3] = {};
    HilbertPoint(index, bits, axes, point);
    const std::int64_t at[3] = { static_cast<std::int64_t>(2 * point[0]),
                                 static_cast<std::int64_t>(2 * point[1]),
                                 static_cast<std::int64_t>(2 * point[2]) };
    mark((previous[0] + at[0]) / 2, (previous[1] + at[1]) / 2, (previous[2] + at[2]) / 2);
    mark(at[0], at[1], at[2]);
    std::copy(at, at + 3, previous);
  }
  const auto volume = static_cast<std::size_t>(extent.size[0] * extent.size[1] * extent.size[2]);
  for (std::int64_t t = 2; t < extent.size[3]; t += 2)
  {
    std::copy_n(voxels.begin(), volume, voxels.begin() + static_cast<std::ptrdiff_t>(volume) * t);
  }
  return voxels;
}

namespace
{

/** A mask that is 1 at voxels for which `isSet(at)` is true. */
template <typename TFunction>
std::vector<std::uint8_t>
MakeWhere(const Extent & extent, TFunction && isSet)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  std::uint8_t *            voxel = voxels.data();
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const RowPosition position(extent, row);
    std::int64_t      at[MaximumDimension] = {};
    std::copy(std::begin(position.at), std::end(position.at), at + 1);
    for (; at[0] < extent.RowLength(); ++at[0])
    {
      *voxel++ = isSet(at) ? 1 : 0;
    }
  }
  return voxels;
}

/** Whether all coordinates of the extent's axes are odd (parity 1) or even (parity 0). */
bool
AllHaveParity(const Extent & extent, const std::int64_t (&at)[MaximumDimension], int parity)
{
  return std::all_of(at, at + extent.dimension, [parity](std::int64_t x) { return x % 2 == parity; });
}

} // namespace

std::vector<std::uint8_t>
MakeCheckerboard(const Extent & extent)
{
  return MakeWhere(extent, [](const auto & at) { return (at[0] + at[1] + at[2] + at[3]) % 2 == 0; });
}

std::vector<std::uint8_t>
MakeIsolatedVoxels(const Extent & extent)
{
  return MakeWhere(extent, [&](const auto & at) { return AllHaveParity(extent, at, 0); });
}

std::vector<std::uint8_t>
MakeBodyCenteredLattice(const Extent & extent)
{
  return MakeWhere(extent,
                   [&](const auto & at) { return AllHaveParity(extent, at, 0) || AllHaveParity(extent, at, 1); });
}

} // namespace brickccl
