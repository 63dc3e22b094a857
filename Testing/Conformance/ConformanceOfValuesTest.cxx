// SPDX-License-Identifier: Apache-2.0
// Images of values whose neighbors are compared: at borders of bricks, over the whole range of a type, at the limit of
// a tolerance, among empty rows. Every algorithm is compared with the flood fill.

#include "Cases.h"
#include "CompareAlgorithms.h"
#include "CubesOfValues.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <optional>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using testing::IsDoneHere;

/** Cubes of values that cross the borders of bricks along every axis. In one extent rows begin at whole vectors; in the
 *  others they do not. */
template <typename T>
void
CheckValuesAcrossBricks()
{
  std::size_t row = PlaceOfType<T>();
  for (const Extent & extent : { Extent{ 261, 11, 10 }, Extent{ 264, 10, 9 }, Extent{ 137, 70 } })
  {
    const std::int64_t grain = extent.size[0] % 4 == 0 ? 3 : 1;
    const auto         voxels = testing::CubesOfValues<T>(extent, grain);
    std::size_t        place = row++;
    for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      if (IsDoneHere(place++, 2))
      {
        CheckAllConnectivities("cubes of values", voxels, extent, criterion);
      }
    }
  }
}

TEST(Conformance, ValuesAcrossBricks)
{
  CheckValuesAcrossBricks<std::uint8_t>();
  CheckValuesAcrossBricks<std::int16_t>();
  CheckValuesAcrossBricks<std::uint32_t>();
  CheckValuesAcrossBricks<double>();
}

/** White noise over all values of a type, with limits around half of their range. Rows begin at every address. */
template <typename T>
void
CheckWideTolerances()
{
  constexpr double half = 1 << (8 * sizeof(T) - 1);
  std::size_t      row = PlaceOfType<T>();
  for (const Extent & extent : { Extent{ 133, 9, 10 }, Extent{ 144, 10, 3 } })
  {
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      voxels.push_back(static_cast<T>(HashOf(13, static_cast<std::uint64_t>(i)) & 0xFFFFu));
    }
    std::size_t place = row++;
    for (const double limit : { half / 3, half - 1, half, half * 1.5 })
    {
      if (IsDoneHere(place++, 2))
      {
        CheckAllConnectivities("noise", voxels, extent, Criterion::Tolerance(limit));
      }
    }
  }
}

TEST(Conformance, WideTolerancesOfSmallTypes)
{
  CheckWideTolerances<std::int8_t>();
  CheckWideTolerances<std::uint8_t>();
  CheckWideTolerances<std::int16_t>();
  CheckWideTolerances<std::uint16_t>();
}

/** Voxels of two kinds that are too far apart to be joined. Each kind has noise as wide as the limit. Some voxels lie
 *  in between and may join the kinds after all. These are whole slopes whose steps are the limit, or one more. */
template <typename T>
void
CheckTwoKinds(int low, int high, int limit)
{
  std::size_t row = PlaceOfType<T>();
  for (const Extent & extent : { Extent{ 261, 17, 11 }, Extent{ 130, 40 } })
  {
    const auto     kinds = MakeRandom(extent, 0.4, 5, 23);
    const auto     between = MakeRandom(extent, 0.15, 3, 29);
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const std::uint64_t hash = HashOf(19, static_cast<std::uint64_t>(i));
      const auto          noise = static_cast<int>(hash % static_cast<std::uint64_t>(limit + 1));
      const auto          x = static_cast<int>(i % extent.size[0]);
      const int           step = limit + (x / 9 % 2);
      const int           value = kinds[static_cast<std::size_t>(i)] != 0 ? high + noise : low + noise;
      const int           slope = low + x % 9 * step;
      voxels.push_back(static_cast<T>(between[static_cast<std::size_t>(i)] != 0 && slope <= high ? slope : value));
    }
    std::size_t place = row++;
    for (const Criterion & criterion : { Criterion::Tolerance(limit, std::nullopt), Criterion::Tolerance(limit) })
    {
      if (IsDoneHere(place++, 2))
      {
        CheckAllConnectivities("two kinds", voxels, extent, criterion);
      }
    }
  }
}

TEST(Conformance, VoxelsOfTwoKindsUnderTolerance)
{
  CheckTwoKinds<std::int8_t>(-100, 100, 20);
  CheckTwoKinds<std::uint8_t>(0, 200, 30);
  CheckTwoKinds<std::int16_t>(-800, 1000, 130);
  CheckTwoKinds<std::uint16_t>(100, 55000, 7000);
  CheckTwoKinds<std::int32_t>(-800, 1000, 130);
  CheckTwoKinds<std::uint64_t>(100, 55000, 7000);
  CheckTwoKinds<float>(-800, 1000, 130);
  CheckTwoKinds<double>(-800, 1000, 130);
}

/** Rows without any foreground are between others. They are passed over. */
TEST(Conformance, ValuesAmongEmptyRows)
{
  for (std::uint64_t seed = 0; seed < 12; ++seed)
  {
    const Extent extent{ static_cast<std::int64_t>(1 + HashOf(seed, 5) % 90),
                         static_cast<std::int64_t>(2 + HashOf(seed, 6) % 9),
                         static_cast<std::int64_t>(2 + HashOf(seed, 7) % 9) };
    auto         voxels = RandomValues<std::uint16_t>(static_cast<std::size_t>(extent.VoxelCount()), seed);
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const auto row = static_cast<std::uint64_t>(i / extent.size[0]);
      if (HashOf(seed, 100 + row) % 8 < 3 + seed % 4)
      {
        voxels[static_cast<std::size_t>(i)] = 0;
      }
    }
    for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      CheckAllConnectivities("seed " + std::to_string(seed), voxels, extent, criterion);
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

} // namespace
} // namespace brickccl
