// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SPLITORACLE_H
#define BRICKCCL_TESTING_SPLITORACLE_H

#include "BrickCCL/Core/Extent.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace brickccl::testing
{

/** A split by its definition, voxel by voxel and pair by pair. It shares no code with the engine. */
struct SplitProblem
{
  Extent                     extent;
  std::vector<std::uint64_t> labels;
  /** The square of a step along each axis; 0 along axes that distances do not use. */
  std::array<double, 4> weights = {};
  /** All steps to neighbors. */
  std::set<std::array<int, 4>> offsets;
  /** The axes along which the image repeats. */
  std::set<int> periodic = {};
  /** Heights of merging, in the unit in which a step of weight 1 is 1 long. */
  double depth = 0;
  /** Not 0: the heights of merging in per cent of the lower peak. There is then no depth. */
  int percent = 0;
  /** Values to split by instead of distances. */
  std::optional<std::vector<double>> values;
  /** The seeds of voxels, 0 for none. There is then no depth. */
  std::optional<std::vector<std::uint32_t>> seeds;
};

/** The square of the distance from each voxel to the nearest one of another label; 0 in the background. */
std::vector<double> SquaresByPairs(const SplitProblem & problem);

struct SplitByDefinition
{
  std::vector<std::uint32_t> objects;
  /** The place of the peak of each object. */
  std::vector<std::size_t> peaks;
  std::size_t              basins = 0;
};

SplitByDefinition SplitLabels(const SplitProblem & problem);

/** Floods the labels from the seeds: voxels come by falling values, of which no two may be equal. A voxel that is
 *  neither a seed nor higher than its neighbors joins the highest of them; then the floods that meet there become one
 *  unless both come from seeds. */
std::vector<std::uint32_t> FloodFromSeeds(const SplitProblem & problem);

} // namespace brickccl::testing

#endif
