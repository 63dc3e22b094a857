// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/Bricks.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>

namespace brickccl
{

BrickBox::BrickBox(const Extent & wholeVolume, const std::int64_t * first, const Extent & size)
  : volume(wholeVolume)
  , extent(size)
{
  std::copy_n(first, volume.dimension, begin);
  bool isInside = extent.dimension == volume.dimension && volume.dimension > 0;
  for (int axis = 0; axis < volume.dimension; ++axis)
  {
    isInside = isInside && extent.size[axis] >= 1 && begin[axis] >= 0 && begin[axis] < volume.size[axis] &&
               extent.size[axis] <= volume.size[axis] - begin[axis];
  }
  ThrowIf<InvalidArgument>(!isInside, ToString() + " is not inside the volume of " + volume.ToString() + " voxels");
}

std::uint64_t
BrickBox::PlaceInVolume(std::uint64_t placeInBrick) const
{
  auto         rest = static_cast<std::int64_t>(placeInBrick);
  std::int64_t stride = 1;
  std::int64_t place = 0;
  for (int axis = 0; axis < volume.dimension; ++axis)
  {
    place += (begin[axis] + rest % extent.size[axis]) * stride;
    rest /= extent.size[axis];
    stride *= volume.size[axis];
  }
  return static_cast<std::uint64_t>(place);
}

std::int64_t
BrickBox::RowAt(const std::int64_t (&at)[MaximumDimension]) const
{
  std::int64_t row = 0;
  for (int axis = MaximumDimension - 1; axis > 0; --axis)
  {
    const std::int64_t inBrick = at[axis] - begin[axis];
    if (inBrick < 0 || inBrick >= extent.size[axis])
    {
      return -1;
    }
    row = row * extent.size[axis] + inBrick;
  }
  return row;
}

std::string
BrickBox::ToString() const
{
  std::string text = "the brick at (";
  for (int axis = 0; axis < volume.dimension; ++axis)
  {
    text += (axis == 0 ? "" : ", ") + std::to_string(begin[axis]);
  }
  return text + ") of " + extent.ToString() + " voxels";
}

std::vector<BrickBox>
CutIntoBricks(const Extent & volume, const Extent & brick)
{
  ThrowIf<InvalidArgument>(brick.dimension != volume.dimension,
                           "bricks of " + brick.ToString() + " voxels have another dimension than the volume of " +
                             volume.ToString());
  std::vector<BrickBox> boxes;
  std::int64_t          at[MaximumDimension] = {};
  for (int axis = 0; axis < volume.dimension;)
  {
    Extent size = volume;
    for (int a = 0; a < volume.dimension; ++a)
    {
      size.size[a] = std::min(brick.size[a], volume.size[a] - at[a]);
    }
    boxes.emplace_back(volume, at, size);
    for (axis = 0; axis < volume.dimension; ++axis)
    {
      at[axis] += brick.size[axis];
      if (at[axis] < volume.size[axis])
      {
        break;
      }
      at[axis] = 0;
    }
  }
  return boxes;
}

} // namespace brickccl
