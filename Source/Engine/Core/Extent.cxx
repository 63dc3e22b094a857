// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Extent.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>

namespace brickccl
{

int
AxisFromName(const std::string & name)
{
  const std::size_t axis = name.size() == 1 ? std::string(AxisNames).find(name) : std::string::npos;
  return axis == std::string::npos ? -1 : static_cast<int>(axis);
}

Extent::Extent(std::initializer_list<std::int64_t> sizes)
  : Extent(static_cast<int>(sizes.size()), sizes.begin())
{}

Extent::Extent(int dimensionCount, const std::int64_t * sizes)
  : dimension(dimensionCount)
{
  ThrowIf<InvalidArgument>(dimension < 1 || dimension > MaximumDimension,
                           "an image of " + std::to_string(dimension) + " dimensions was given; 1 to " +
                             std::to_string(MaximumDimension) + " are supported");
  constexpr std::int64_t limit = std::int64_t{ 1 } << 62;
  std::int64_t           product = 1;
  std::copy_n(sizes, dimension, size);
  for (int axis = 0; axis < dimension; product *= size[axis++])
  {
    if (size[axis] < 1 || size[axis] > limit / product)
    {
      throw InvalidArgument(
        "the extent " + ToString() +
        (size[axis] < 1 ? " is empty; every size must be at least 1" : " has more than 2^62 voxels"));
    }
  }
}

std::string
Extent::ToString() const
{
  std::string text;
  for (int axis = 0; axis < dimension; ++axis)
  {
    text += (axis ? " x " : "") + std::to_string(size[axis]);
  }
  return text;
}

} // namespace brickccl
