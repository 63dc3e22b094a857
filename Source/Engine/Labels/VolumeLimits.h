// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/VolumeView.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace brickccl
{

/** A number of voxels within this share of a whole number is that number: decimal fractions are inexact as doubles. */
inline constexpr double VolumeTolerance = 1e-9;

inline std::uint64_t
ToVoxelCount(double voxels)
{
  return voxels >= 9e18 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(voxels);
}

/** The size of a voxel along the axes that a connectivity uses: its area if slices are labeled. */
inline double
VoxelSizeOf(const Geometry & geometry, const Connectivity & connectivity)
{
  double size = 1;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    size *= connectivity.Uses(axis) ? geometry.spacing[axis] : 1.0;
  }
  return size;
}

/** The fewest voxels whose volume is at least `volume`. \throws InvalidArgument for a volume without meaning. */
inline std::uint64_t
FewestVoxelsOfVolume(double volume, double voxelVolume)
{
  ThrowIf<InvalidArgument>(!(volume >= 0) || std::isinf(volume),
                           "the minimum volume " + std::to_string(volume) +
                             " is invalid; it must be a number of at least 0");
  // The volume of a voxel may be 0 as a double.
  const double voxels = volume == 0 ? 0 : volume / voxelVolume;
  const double nearest = std::round(voxels);
  return ToVoxelCount(std::abs(nearest - voxels) <= VolumeTolerance * voxels ? nearest : std::ceil(voxels));
}

/** The most voxels within `volume`, which may be infinite. \throws InvalidArgument for a volume without meaning. */
inline std::uint64_t
MaximumVoxelsOfVolume(double volume, double voxelVolume)
{
  ThrowIf<InvalidArgument>(!(volume >= 0),
                           "the maximum volume " + std::to_string(volume) +
                             " is invalid; it must be a number of at least 0");
  const double voxels = volume / voxelVolume;
  const double nearest = std::round(voxels);
  return ToVoxelCount(std::abs(nearest - voxels) <= VolumeTolerance * voxels ? nearest : std::floor(voxels));
}

} // namespace brickccl
