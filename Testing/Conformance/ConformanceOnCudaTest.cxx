// SPDX-License-Identifier: Apache-2.0
// Faults that only CUDA code can have: rows that end within bricks, options of its algorithms, memory that another
// image left.

#include "Cases.h"
#include "CompareAlgorithms.h"
#include "Patterns.h"

#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using testing::FloodFill;
using testing::FloodFillProblem;
using testing::IsDoneHere;

/** Compares a mask's components by BundleMerging on a CUDA device, under every connectivity. */
void
CheckMaskOnCuda(const std::string & what, const std::vector<std::uint8_t> & voxels, const Extent & extent)
{
  FloodFillProblem problem = ProblemOf(voxels, extent, 1, Criterion::Foreground());
  for (problem.rank = 1; problem.rank <= extent.dimension; ++problem.rank)
  {
    const Connectivity connectivity(extent.dimension, problem.rank);
    ExpectSameOnCuda("BundleMerging", what, voxels, problem, connectivity, {}, FloodFill(problem), true);
    if (::testing::Test::HasFatalFailure())
    {
      return;
    }
  }
}

/** The last word of these rows is the first, second or third of the four words of a brick's row; some rows are shorter
 *  than a brick's. There are several bricks along every axis. */
TEST_F(ConformanceOnCuda, MasksWhoseRowsEndWithinBricks)
{
  for (const Extent & extent :
       { Extent{ 160, 19, 17 }, Extent{ 187, 18, 10 }, Extent{ 212, 33, 9 }, Extent{ 50, 35, 18 }, Extent{ 130, 270 } })
  {
    for (const double density : { 0.4, 0.99 })
    {
      CheckMaskOnCuda("rows that end within bricks", MakeRandom(extent, density, density < 0.5 ? 1 : 4, 61), extent);
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

/** So many voxels that first voxels are counted in several parts, of 2^20 each. A part must know those before it. */
TEST_F(ConformanceOnCuda, ComponentsInSeveralParts)
{
  for (const Extent & extent : { Extent{ 300, 85, 90 }, Extent{ 1100, 1000 } })
  {
    CheckMaskOnCuda("components in several parts", MakeRandom(extent, 0.1, 1, 71), extent);
    if (HasFatalFailure())
    {
      return;
    }
  }
}

/** The algorithm's name with each value of each option, except the presets. */
std::vector<std::string>
VariantsOf(const Algorithm & algorithm)
{
  std::vector<std::string> variants;
  for (const AlgorithmOption & option : algorithm.options)
  {
    std::vector<std::int64_t> values = { option.minimum, option.minimum + 1, option.maximum };
    if (!option.words.empty())
    {
      values.resize(option.words.size());
      std::iota(values.begin(), values.end(), 0);
    }
    for (const std::int64_t value : values)
    {
      if (value != option.preset)
      {
        variants.push_back(std::string(algorithm.name) + ':' + option.name + '=' + option.ValueText(value));
      }
    }
  }
  return variants;
}

TEST_F(ConformanceOnCuda, EveryOptionOfEveryAlgorithm)
{
  std::vector<std::string> variants = { "LabelEquivalence:atomics=on,first-scan=earlier,flag=global,properties=moments",
                                        "LinkPropagation:gather=5,one-gather=off,master=off",
                                        "LinkPropagation:max-gather=off,master=off" };
  for (const Algorithm & algorithm : Algorithms())
  {
    const std::vector<std::string> more = VariantsOf(algorithm);
    variants.insert(variants.end(), more.begin(), more.end());
  }
  const auto check = [&](const Extent & extent, const Connectivity & connectivity, int sliceAxis) {
    const auto voxels = RandomValues<std::int16_t>(static_cast<std::size_t>(extent.VoxelCount()), 51);
    const auto noise = MakeRandom(extent, 0.5, 1, 4);
    const auto spiral = MakeSpiral(extent);
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      for (const auto & image : { voxels, { noise.begin(), noise.end() }, { spiral.begin(), spiral.end() } })
      {
        FloodFillProblem problem = ProblemOf(image, extent, 1, criterion);
        problem.rank = connectivity.Rank();
        problem.sliceAxis = sliceAxis;
        const auto expected = FloodFill(problem);
        for (const std::string & variant : variants)
        {
          ExpectSameOnCuda(variant, "options", image, problem, connectivity, {}, expected, true);
        }
      }
    }
  };
  FloodFillProblem defaults;
  for (const Extent & extent : { Extent{ 67, 41 }, Extent{ 34, 9, 6 } })
  {
    for (int rank = 1; rank <= extent.dimension; ++rank)
    {
      check(extent, Connectivity(extent.dimension, rank), defaults.sliceAxis);
    }
  }
  check({ 33, 18, 4 }, Connectivity::Full(2).WithinSlices(2), 2);
}

/** Bricks whose rows are all alike, next to bricks that differ in a few voxels at their borders, or in one half. */
template <typename T>
void
CheckRowsThatAreAlike(std::uint64_t seed)
{
  std::size_t place = seed + PlaceOfType<T>();
  for (const Extent & extent : { Extent{ 260, 17, 16 }, Extent{ 140, 16, 5 }, Extent{ 150, 130 }, Extent{ 130, 40 } })
  {
    if (!IsDoneHere(place++, 2))
    {
      continue;
    }
    std::vector<T> rows[2];
    for (std::uint64_t half = 0; half < 2; ++half)
    {
      std::vector<T> & row = rows[half];
      while (static_cast<std::int64_t>(row.size()) < extent.size[0])
      {
        const std::uint64_t hash = HashOf(seed, 1000 * half + row.size());
        row.insert(row.end(), 1 + hash % (seed % 2 == 0 ? 60 : 9), static_cast<T>(hash / 64 % 5));
      }
    }
    const bool     hasHalves = seed % 3 == 0;
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const std::int64_t x = i % extent.size[0];
      const std::int64_t y = i / extent.size[0] % extent.size[1];
      const std::int64_t z = i / extent.size[0] / extent.size[1];
      const auto         hash = HashOf(seed, 1000000 + static_cast<std::uint64_t>(i));
      const bool         isAtBorder = (x + 1) % 128 < 2 || (y + 1) % 8 < 2 || (extent.dimension > 2 && (z + 1) % 8 < 2);
      const bool         differs = seed % 3 == 1 && isAtBorder && hash % 512 == 0;
      voxels.push_back(differs ? static_cast<T>(hash / 512 % 5)
                               : rows[hasHalves && (y >= 8) ? 1 : 0][static_cast<std::size_t>(x)]);
    }
    for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
      for (problem.rank = 1; problem.rank <= extent.dimension; ++problem.rank)
      {
        ExpectSameOnCuda("BundleMerging",
                         "rows that are alike, seed " + std::to_string(seed),
                         voxels,
                         problem,
                         Connectivity(extent.dimension, problem.rank),
                         {},
                         FloodFill(problem),
                         true);
      }
    }
  }
}

TEST_F(ConformanceOnCuda, ValuesWhoseRowsAreAlike)
{
  for (std::uint64_t seed = 0; seed < 6 && !HasFatalFailure(); ++seed)
  {
    CheckRowsThatAreAlike<std::uint8_t>(seed);
    CheckRowsThatAreAlike<std::int16_t>(seed);
    CheckRowsThatAreAlike<std::uint32_t>(seed);
    CheckRowsThatAreAlike<float>(seed);
  }
}

/** Links across the edges of bricks, next to bricks without foreground. For those, memory holds what an earlier image
 *  left. */
template <typename T>
void
CheckEdgesBesideEmptyBricks(const Criterion & criterion)
{
  const Extent         flat{ 128, 1024 };
  const std::vector<T> ones(static_cast<std::size_t>(flat.VoxelCount()), 1);
  FloodFillProblem     flatProblem = ProblemOf(ones, flat, 1, criterion);
  flatProblem.rank = 2;
  const std::vector<std::uint64_t> one(ones.size(), 1);
  const Extent                     extent{ 200, 24, 24 };
  for (std::int64_t rank = 2; rank <= 3; ++rank)
  {
    for (const std::int64_t step : { -1, 1 })
    {
      for (const std::int64_t across : { -1, 0, 1 })
      {
        ExpectSameOnCuda("BundleMerging", "full", ones, flatProblem, Connectivity(2, 2), {}, one, false);
        std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
        const auto     set = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
          voxels[static_cast<std::size_t>((z * 24 + y) * 200 + x)] = 1;
        };
        // The link goes from the brick in the middle to a brick before it along z, at the same place or next to it.
        for (const std::int64_t x : { 5, 64, 127, 150 })
        {
          set(x, step < 0 ? 8 : 15, 8);
          set(x + across, step < 0 ? 7 : 16, 7);
        }
        FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
        problem.rank = static_cast<int>(rank);
        ExpectSameOnCuda("BundleMerging",
                         "edges",
                         voxels,
                         problem,
                         Connectivity(3, problem.rank),
                         {},
                         FloodFill(problem),
                         false);
      }
    }
  }
}

TEST_F(ConformanceOnCuda, ValuesAtEdgesBesideEmptyBricks)
{
  for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
  {
    CheckEdgesBesideEmptyBricks<std::uint8_t>(criterion);
    CheckEdgesBesideEmptyBricks<std::uint32_t>(criterion);
  }
}

} // namespace
} // namespace brickccl
