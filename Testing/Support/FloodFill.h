// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_FLOODFILL_H
#define BRICKCCL_TESTING_FLOODFILL_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace brickccl::testing
{

/** The options of the oracle. It shares the words of a criterion with the engine, but none of its code. It works voxel
 * by voxel, on long double values and coordinates. */
struct FloodFillProblem
{
  Extent extent;
  /** `channels` values per voxel, interleaved. */
  std::vector<long double>                values;
  int                                     channels = 1;
  std::optional<std::vector<long double>> mask;
  Criterion                               criterion;
  int                                     rank = 1;
  /** All neighbors of a voxel, if it is given; then rank and sliceAxis are not looked at. */
  std::optional<std::set<std::array<int, 4>>> offsets;
  /** The axes behind whose ends the image begins again. */
  std::array<bool, 4> periodic = {};
  /** Neighbors must not differ along this axis. -1 means no axis. */
  int sliceAxis = -1;
};

/** Labels by a plain flood fill: 1..N in raster order of the first voxels, and 0 elsewhere. */
std::vector<std::uint64_t> FloodFill(const FloodFillProblem & problem);

/** A component that continues through the ends of periodic axes, put together voxel by voxel. */
struct UnwrappedComponent
{
  std::uint64_t voxels = 0;
  /** Whether it meets its own copy along an axis. The rest says nothing of these axes. */
  std::array<bool, 4> wraps = {};
  /** Its least and greatest index; the least is in the image. */
  std::array<std::int64_t, 4> minimum = {};
  std::array<std::int64_t, 4> maximum = {};
  /** The sums of its indices and of their products. */
  std::array<std::int64_t, 4>                sum = {};
  std::array<std::array<std::int64_t, 4>, 4> products = {};
};

/** The components 1..N that FloodFill labels. */
std::vector<UnwrappedComponent> UnwrapComponents(const FloodFillProblem & problem);

} // namespace brickccl::testing

#endif
