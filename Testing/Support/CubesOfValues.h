// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUBESOFVALUES_H
#define BRICKCCL_TESTING_CUBESOFVALUES_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Phantoms/Random.h"

#include <cstdint>
#include <vector>

namespace brickccl::testing
{

/** Cubes of `grain` voxels along each axis (squares in 2-D), each with a random value from 0 to 4. */
template <typename T>
std::vector<T>
CubesOfValues(const Extent & extent, std::int64_t grain)
{
  std::vector<T> voxels;
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t x = i % extent.size[0];
    const std::int64_t y = i / extent.size[0] % extent.size[1];
    const std::int64_t z = i / extent.size[0] / extent.size[1];
    const auto         cell = static_cast<std::uint64_t>((z / grain * 1000 + y / grain) * 1000 + x / grain);
    voxels.push_back(static_cast<T>(HashOf(7, cell) % 5));
  }
  return voxels;
}

} // namespace brickccl::testing

#endif
