// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CASES_H
#define BRICKCCL_TESTING_CASES_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "Patterns.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

// The inputs of the conformance tests: extents, shapes, random values and criteria.

namespace brickccl
{

struct Shape
{
  std::string               name;
  Extent                    extent;
  std::vector<std::uint8_t> voxels;
};

inline std::vector<Extent>
Extents()
{
  return { { 1 },          { 64 },        { 65 },         { 200 },         { 1, 1 },       { 1, 70 },
           { 70, 1 },      { 64, 64 },    { 63, 65 },     { 130, 37 },     { 1, 1, 1 },    { 1, 1, 90 },
           { 1, 33, 17 },  { 90, 1, 1 },  { 67, 1, 9 },   { 128, 5, 1 },   { 64, 16, 16 }, { 65, 17, 15 },
           { 33, 31, 29 }, { 129, 9, 7 }, { 3, 3, 3, 3 }, { 66, 5, 4, 3 }, { 1, 7, 1, 9 } };
}

inline std::vector<Shape>
Shapes(const Extent & extent)
{
  const auto         size = static_cast<std::size_t>(extent.VoxelCount());
  std::vector<Shape> shapes;
  shapes.push_back({ "empty", extent, std::vector<std::uint8_t>(size, 0) });
  shapes.push_back({ "full", extent, std::vector<std::uint8_t>(size, 1) });
  for (const std::size_t voxel : { std::size_t{ 0 }, size / 2, size - 1 })
  {
    shapes.push_back({ "single voxel " + std::to_string(voxel), extent, std::vector<std::uint8_t>(size, 0) });
    shapes.back().voxels[voxel] = 1;
  }
  shapes.push_back({ "checkerboard", extent, MakeCheckerboard(extent) });
  shapes.push_back({ "isolated voxels", extent, MakeIsolatedVoxels(extent) });
  shapes.push_back({ "body-centered lattice", extent, MakeBodyCenteredLattice(extent) });
  shapes.push_back({ "spiral", extent, MakeSpiral(extent) });
  shapes.push_back({ "Hilbert curve", extent, MakeHilbertCurve(extent) });
  shapes.push_back({ "comb", extent, std::vector<std::uint8_t>(size) });
  for (std::size_t i = 0; i < size; ++i)
  {
    // A comb: its teeth lie along y and meet only in the last row of the first slice.
    const std::size_t x = i % static_cast<std::size_t>(extent.size[0]);
    const std::size_t row = i / static_cast<std::size_t>(extent.size[0]);
    shapes.back().voxels[i] = x % 2 == 0 || row + 1 == static_cast<std::size_t>(extent.size[1]);
  }
  for (const double density : { 0.1, 0.3, 0.5, 0.7, 0.95 })
  {
    for (const int grain : { 1, 3 })
    {
      shapes.push_back({ "random " + std::to_string(density) + " grain " + std::to_string(grain),
                         extent,
                         MakeRandom(extent, density, grain, 7 + static_cast<std::uint64_t>(extent.VoxelCount())) });
    }
  }
  return shapes;
}

/** Random values of T. Few small values make equal neighbors common; the extremes of the type occur as well. */
template <typename T>
std::vector<T>
RandomValues(std::size_t count, std::uint64_t seed)
{
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    const std::uint64_t number = HashOf(seed, i) >> 20;
    values[i] = static_cast<T>(number % 4);
    if (number % 64 == 7)
    {
      values[i] = std::numeric_limits<T>::lowest();
    }
    else if (number % 64 == 9)
    {
      values[i] = std::numeric_limits<T>::max();
    }
    else if (std::is_signed_v<T> && number % 8 == 5)
    {
      values[i] = static_cast<T>(-values[i]);
    }
  }
  return values;
}

inline std::vector<Criterion>
CriteriaToTest()
{
  const double infinity = std::numeric_limits<double>::infinity();
  return { Criterion::Foreground(0),
           Criterion::Foreground(2),
           Criterion::Foreground(0.5L),
           Criterion::Foreground(-1000),
           Criterion::InRange(1, 2),
           Criterion::InRange(0.5L, infinity),
           Criterion::InRange(-infinity, 1.5L),
           Criterion::InRange(1.2L, 1.8L),
           Criterion::EqualValue(),
           Criterion::EqualValue(std::nullopt),
           Criterion::EqualValue(3),
           Criterion::EqualValue().Within(1, 3),
           Criterion::Tolerance(0),
           Criterion::Tolerance(1),
           Criterion::Tolerance(1.5L, std::nullopt),
           Criterion::Tolerance(1, std::nullopt).Within(-2, infinity),
           Criterion::Tolerance(254, std::nullopt),
           Criterion::Tolerance(1e30L, std::nullopt) };
}

} // namespace brickccl

#endif
