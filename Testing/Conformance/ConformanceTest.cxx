// SPDX-License-Identifier: Apache-2.0
// Every algorithm of the table is compared with the flood fill, bit for bit, over criteria, connectivities, dimensions,
// shapes, voxel types, seeds, numbers of threads and divisions of the work.

#include "AllPixelTypes.h"
#include "Cases.h"
#include "CompareAlgorithms.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <limits>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using testing::FloodFillProblem;
using testing::IsDoneHere;

TEST(Conformance, ForegroundOfEveryShapeInEveryConnectivity)
{
  std::size_t row = 0;
  for (const Extent & extent : Extents())
  {
    std::size_t place = row++;
    for (const Shape & shape : Shapes(extent))
    {
      if (!IsDoneHere(place++, 3))
      {
        continue;
      }
      CheckAllConnectivities(shape.name, shape.voxels, extent, Criterion::Foreground());
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

template <typename T>
class ConformanceOfType : public ::testing::Test
{};

TYPED_TEST_SUITE(ConformanceOfType, testing::AllPixelTypes);

TYPED_TEST(ConformanceOfType, EveryCriterionInEveryConnectivity)
{
  std::size_t row = PlaceOfType<TypeParam>();
  for (const Extent & extent :
       { Extent{ 130 }, Extent{ 67, 13 }, Extent{ 1, 40 }, Extent{ 66, 7, 5 }, Extent{ 9, 5, 3, 4 } })
  {
    const auto  voxels = RandomValues<TypeParam>(static_cast<std::size_t>(extent.VoxelCount()), 11);
    std::size_t place = row++;
    for (const Criterion & criterion : CriteriaToTest())
    {
      if (!IsDoneHere(place++, 2))
      {
        continue;
      }
      CheckAllConnectivities("random values", voxels, extent, criterion);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
  }
}

TYPED_TEST(ConformanceOfType, PixelsOfSeveralChannels)
{
  std::size_t row = PlaceOfType<TypeParam>();
  for (const int channels : { 2, 3 })
  {
    for (const Extent & extent : { Extent{ 67, 13 }, Extent{ 20, 6, 5 } })
    {
      const auto count = static_cast<std::size_t>(extent.VoxelCount() * channels);
      auto       voxels = RandomValues<TypeParam>(count, 5);
      for (std::size_t i = 0; i < count; ++i)
      {
        voxels[i] = HashOf(3, i / static_cast<std::size_t>(channels)) % 3 == 0 ? TypeParam(0) : voxels[i];
      }
      std::size_t place = row++;
      for (const Criterion & criterion : CriteriaToTest())
      {
        if (!IsDoneHere(place++, 4))
        {
          continue;
        }
        CheckAllConnectivities("channels", voxels, extent, criterion, channels);
        if (this->HasFatalFailure())
        {
          return;
        }
      }
    }
  }
}

TYPED_TEST(ConformanceOfType, MaskBesideEveryCriterion)
{
  const Extent extent{ 70, 9, 6 };
  const auto   voxels = RandomValues<TypeParam>(static_cast<std::size_t>(extent.VoxelCount()), 21);
  const auto   mask = MakeRandom(extent, 0.7, 2, 9);
  std::size_t  place = PlaceOfType<TypeParam>();
  for (const Criterion & criterion : CriteriaToTest())
  {
    if (!IsDoneHere(place++, 2))
    {
      continue;
    }
    FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
    problem.mask.emplace(mask.begin(), mask.end());
    for (int rank = 1; rank <= 3; ++rank)
    {
      problem.rank = rank;
      ExpectSameAsFloodFill("mask", voxels, problem, Connectivity(3, rank), mask);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(Conformance, SlicesEachOnTheirOwn)
{
  const Extent extents[] = { { 40, 11, 7 },  { 66, 5, 3, 4 }, { 12, 9 },      { 140, 18, 17 },
                             { 35, 133, 3 }, { 35, 3, 133 },  { 2, 131, 130 } };
  for (const Extent & extent : extents)
  {
    const auto voxels = RandomValues<std::int16_t>(static_cast<std::size_t>(extent.VoxelCount()), 31);
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      std::size_t place = static_cast<std::size_t>(axis);
      for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
      {
        // Large slices, one criterion for each axis.
        if (extent.VoxelCount() > 10000 && !IsDoneHere(place++, 3))
        {
          continue;
        }
        for (int rank = 1; rank < extent.dimension; ++rank)
        {
          FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
          problem.rank = rank;
          problem.sliceAxis = axis;
          const Connectivity connectivity = Connectivity(extent.dimension - 1, rank).WithinSlices(axis);
          ASSERT_NO_FATAL_FAILURE(ExpectSameAsFloodFill("slices", voxels, problem, connectivity));
        }
      }
    }
  }
}

TEST(Conformance, SlicesEachOnTheirOwnInAMask)
{
  // The larger ones, labeled in slices orthogonal to x, have more than the 256 voxels along an axis that are turned at
  // once.
  const Extent extents[] = { { 41, 35, 18 }, { 270, 290, 2 }, { 261, 2, 259 } };
  for (const Extent & extent : extents)
  {
    const auto voxels = RandomValues<std::uint8_t>(static_cast<std::size_t>(extent.VoxelCount()), 33);
    const auto mask = MakeRandom(extent, 0.8, 2, 34);
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
      {
        if (axis > 0 && extent.size[0] > 256)
        {
          continue;
        }
        for (int rank = 1; rank < extent.dimension; ++rank)
        {
          FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
          problem.rank = rank;
          problem.sliceAxis = axis;
          problem.mask.emplace(mask.begin(), mask.end());
          const Connectivity connectivity = Connectivity(extent.dimension - 1, rank).WithinSlices(axis);
          ASSERT_NO_FATAL_FAILURE(ExpectSameAsFloodFill("slices in a mask", voxels, problem, connectivity, mask));
        }
      }
    }
  }
}

TEST(Conformance, NotANumberIsNeverForeground)
{
  const Extent       extent{ 70, 6, 4 };
  std::vector<float> voxels = RandomValues<float>(static_cast<std::size_t>(extent.VoxelCount()), 41);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const std::uint64_t number = HashOf(17, i) % 16;
    voxels[i] = number == 0 ? std::numeric_limits<float>::quiet_NaN()
              : number == 1 ? std::numeric_limits<float>::infinity()
              : number == 2 ? -std::numeric_limits<float>::infinity()
                            : voxels[i];
  }
  for (const Criterion & criterion : CriteriaToTest())
  {
    CheckAllConnectivities("NaN and infinities", voxels, extent, criterion);
    if (HasFatalFailure())
    {
      return;
    }
  }
}

TEST(Conformance, ManySeededVolumesOfOddExtents)
{
  for (std::uint64_t seed = 0; seed < (testing::IsSlowBuild ? 50 : 150); ++seed)
  {
    const Extent extent{ static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 0) % 50)),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 1) % 6)),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 2) % 6)) };
    const auto   voxels = MakeRandom(extent, UniformOf(seed, 3), 1 + static_cast<int>(seed % 3), seed);
    CheckAllConnectivities("seed " + std::to_string(seed), voxels, extent, Criterion::Foreground());
    CheckAllConnectivities("seed " + std::to_string(seed),
                           RandomValues<std::uint16_t>(voxels.size(), seed),
                           extent,
                           seed % 2 == 0 ? Criterion::EqualValue() : Criterion::Tolerance(1));
    if (HasFatalFailure())
    {
      return;
    }
  }
}

} // namespace
} // namespace brickccl
