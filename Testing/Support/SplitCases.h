// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SPLITCASES_H
#define BRICKCCL_TESTING_SPLITCASES_H

#include "SplitOracle.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Splitting/Split.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

/** Images for the tests of splits. */
namespace brickccl::testing::splits
{

/** An image of labels, the neighbors, and how long steps are. */
struct Case
{
  Extent                     extent;
  std::vector<std::uint64_t> labels;
  Connectivity               connectivity = Connectivity::Full(extent.dimension);
  std::vector<double>        spacing = { 1, 1, 1, 1 };
  /** The squares of steps, and their unit. */
  std::vector<double> weights = { 1, 1, 1, 1 };
  double              unit = 1;
  std::set<int>       periodic = {};
};

inline SplitProblem
ProblemOf(const Case & one, double depth)
{
  SplitProblem problem{ one.extent, one.labels, {}, {}, one.periodic, depth / one.unit, 0, {}, {} };
  for (int axis = 0; axis < one.extent.dimension; ++axis)
  {
    problem.weights[static_cast<std::size_t>(axis)] =
      one.connectivity.Uses(axis) ? one.weights[static_cast<std::size_t>(axis)] : 0;
  }
  for (const NeighborOffset & offset : one.connectivity.Offsets())
  {
    problem.offsets.insert(offset);
  }
  return problem;
}

inline Geometry
GeometryOf(const Case & one)
{
  Geometry geometry;
  std::copy(one.spacing.begin(), one.spacing.end(), geometry.spacing);
  return geometry;
}

template <typename T>
std::vector<T>
As(const std::vector<std::uint64_t> & labels)
{
  std::vector<T> voxels;
  std::transform(labels.begin(), labels.end(), std::back_inserter(voxels), [](auto label) {
    return static_cast<T>(label);
  });
  return voxels;
}

/** Labels as voxels of a type that varies from case to case. */
struct TypedLabels
{
  std::vector<std::uint8_t>  bytes;
  std::vector<std::int16_t>  shorts;
  std::vector<std::uint32_t> words;
  std::vector<std::int64_t>  longs;

  ImageView
  Of(const Case & one, std::uint64_t type)
  {
    switch (type % 4)
    {
    case 0:
      bytes = As<std::uint8_t>(one.labels);
      return { bytes.data(), one.extent };
    case 1:
      shorts = As<std::int16_t>(one.labels);
      return { shorts.data(), one.extent };
    case 2:
      words = As<std::uint32_t>(one.labels);
      return { words.data(), one.extent };
    default:
      longs = As<std::int64_t>(one.labels);
      return { longs.data(), one.extent };
    }
  }
};

inline std::uint64_t
Below(std::uint64_t seed, std::uint64_t place, std::uint64_t below)
{
  return static_cast<std::uint64_t>(UniformOf(seed, place) * static_cast<double>(below));
}

/** Blocks and single voxels of up to `values` labels. */
inline std::vector<std::uint64_t>
Blocks(const Extent & extent, std::uint64_t grain, std::uint64_t values, double background, std::uint64_t seed)
{
  std::vector<std::uint64_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    std::uint64_t cell = 0;
    auto          rest = static_cast<std::uint64_t>(i);
    for (const std::int64_t size : extent.size)
    {
      cell = cell * 1000 + rest % static_cast<std::uint64_t>(size) / grain;
      rest /= static_cast<std::uint64_t>(size);
    }
    labels[i] = UniformOf(seed, cell) < background ? 0 : 1 + Below(seed + 1, cell, values);
  }
  return labels;
}

inline const std::vector<Extent> Extents = { { 1 },          { 40 },       { 23, 17 },   { 70, 1, 3 },  { 1, 30, 5 },
                                             { 11, 12, 13 }, { 67, 5, 4 }, { 3, 3, 40 }, { 7, 6, 5, 4 } };

} // namespace brickccl::testing::splits

#endif
