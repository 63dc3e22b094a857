// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_LABELVOLUMES_H
#define BRICKCCL_TESTING_LABELVOLUMES_H

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace brickccl
{

using Index = std::array<std::int64_t, 3>;

inline const Device cpu{ Device::Kind::Cpu, 0 };

/** Labels in touching and separate pieces: cubes of a few values. */
inline std::vector<std::uint16_t>
RandomLabels(const Extent & extent, int grain, int values, double background, std::uint64_t seed)
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto         place = static_cast<std::int64_t>(i);
    const std::int64_t cell = place % extent.size[0] / grain +
                              1000 * (place / extent.size[0] % extent.size[1] / grain) +
                              1000000 * (place / extent.size[0] / extent.size[1] / grain);
    const auto at = static_cast<std::uint64_t>(cell);
    labels[i] = UniformOf(seed, at) < background
                ? std::uint16_t{ 0 }
                : static_cast<std::uint16_t>(1 + HashOf(seed + 1, at) % static_cast<std::uint64_t>(values));
  }
  return labels;
}

inline Geometry
Anisotropic()
{
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[1] = 1.25;
  geometry.spacing[2] = 2;
  geometry.origin[0] = 3;
  geometry.startIndex[1] = -7;
  // Turned by 30 degrees about z.
  geometry.direction[0][0] = geometry.direction[1][1] = std::sqrt(3.0) / 2;
  geometry.direction[0][1] = -0.5;
  geometry.direction[1][0] = 0.5;
  return geometry;
}

inline std::map<std::uint64_t, std::vector<Index>>
VoxelsOf(const Extent & extent, const std::vector<std::uint16_t> & labels)
{
  std::map<std::uint64_t, std::vector<Index>> voxels;
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto place = static_cast<std::int64_t>(i);
    if (labels[i] != 0)
    {
      voxels[labels[i]].push_back(
        { place % extent.size[0], place / extent.size[0] % extent.size[1], place / extent.size[0] / extent.size[1] });
    }
  }
  return voxels;
}

inline ComponentTable
MeasureLabels(const Extent &                     extent,
              const std::vector<std::uint16_t> & labels,
              const std::string &                groups,
              const Geometry &                   geometry = {},
              int                                threads = 0)
{
  MeasureOptions options;
  options.groups = ColumnGroups::FromNames(groups);
  HostContext context;
  context.threads = threads;
  context.grain = 64;
  RunVolume volume;
  return MeasureLabelImage(ImageView(labels.data(), extent), geometry, options, context, volume);
}

inline std::vector<std::uint16_t>
Filled(const Extent & extent, bool (*isInside)(double, double, double))
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto place = static_cast<std::int64_t>(i);
    labels[i] = isInside(static_cast<double>(place % extent.size[0]),
                         static_cast<double>(place / extent.size[0] % extent.size[1]),
                         static_cast<double>(place / extent.size[0] / extent.size[1]))
                ? 1
                : 0;
  }
  return labels;
}

/** The squared distance from a voxel's center (or its box) to another voxel's box. */
inline double
SquaredGap(const Index & a, const Index & b, const Geometry & geometry, double own)
{
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double apart = static_cast<double>(std::abs(a[axis] - b[axis])) - 0.5 - own;
    square += apart > 0 ? apart * apart * geometry.spacing[axis] * geometry.spacing[axis] : 0;
  }
  return square;
}

} // namespace brickccl

#endif
