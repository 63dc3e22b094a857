// SPDX-License-Identifier: Apache-2.0
// Closing of gaps, compared with plain loops over all voxels, directions and paths.

#include "SlowBuild.h"

#include "BrickCCL/Segmenting/CloseGaps.h"
#include "BrickCCL/Segmenting/FindGaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace brickccl
{

namespace
{

using Mask = std::vector<std::uint8_t>;
using Place = std::array<std::int64_t, 3>;

Geometry
Spacing(double x, double y, double z)
{
  Geometry     geometry;
  const double spacing[3] = { x, y, z };
  std::copy(spacing, spacing + 3, geometry.spacing);
  return geometry;
}

Place
PlaceOf(const Extent & extent, std::int64_t index)
{
  return { index % extent.size[0], index / extent.size[0] % extent.size[1], index / extent.size[0] / extent.size[1] };
}

/** The value at a place; 0 beyond the image. */
std::uint8_t
At(const Mask & mask, const Extent & extent, const Place & at)
{
  bool isThere = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    isThere = isThere && at[axis] >= 0 && at[axis] < extent.size[axis];
  }
  return isThere ? mask[static_cast<std::size_t>((at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0])] : 0;
}

/** The voxel that a line from `at` along a direction visits at its t-th step, forwards or backwards. */
Place
OnLine(const Place & at, const Place & direction, std::int64_t t, int sign)
{
  const auto longest =
    static_cast<double>(std::max({ std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2]) }));
  Place to = at;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double exact = static_cast<double>(t * std::abs(direction[axis])) / longest;
    const auto   steps = static_cast<std::int64_t>(std::ceil(exact - 0.5 - 1e-9));
    to[axis] += sign * (direction[axis] < 0 ? -steps : steps);
  }
  return to;
}

double
Apart(const Place & a, const Place & b, const Geometry & geometry)
{
  double square = 0;
  // The share of the line behind which it leaves the first voxel.
  double share = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const auto offset = static_cast<double>(std::abs(a[axis] - b[axis]));
    square += offset * offset * geometry.spacing[axis] * geometry.spacing[axis];
    share = std::min(share, offset > 0 ? 0.5 / offset : 1);
  }
  return std::sqrt(square) * (1 - 2 * share);
}

/** The directions to the surface of a box of 2 voxels to each side along the axis of the largest spacing. */
std::vector<Place>
PlainDirections(const Extent & extent, const Geometry & geometry)
{
  Place  half{};
  double largest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    largest = std::max(largest, extent.size[axis] > 1 ? geometry.spacing[axis] : 0);
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double ratio = std::round(largest / geometry.spacing[axis]);
    half[axis] = extent.size[axis] > 1 ? static_cast<std::int64_t>(std::min(4.0, 2 * ratio)) : 0;
  }
  std::vector<Place> directions;
  for (std::int64_t z = -half[2]; z <= half[2]; ++z)
  {
    for (std::int64_t y = -half[1]; y <= half[1]; ++y)
    {
      for (std::int64_t x = -half[0]; x <= half[0]; ++x)
      {
        const Place to{ x, y, z };
        bool        isOnSurface = false;
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          isOnSurface = isOnSurface || (half[axis] > 0 && std::abs(to[axis]) == half[axis]);
        }
        if (isOnSurface)
        {
          directions.push_back(to);
        }
      }
    }
  }
  return directions;
}

Mask
PlainGaps(const Mask & mask, const Extent & extent, const Geometry & geometry, double width)
{
  const std::int64_t farthest = 9;
  Mask               gaps = mask;
  for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
  {
    const Place at = PlaceOf(extent, index);
    for (const Place & direction : PlainDirections(extent, geometry))
    {
      for (std::int64_t i = 1; i < farthest && At(mask, extent, at) == 0; ++i)
      {
        const Place before = OnLine(at, direction, i, -1);
        for (std::int64_t j = 1; j < farthest && At(mask, extent, before) == 1; ++j)
        {
          const Place behind = OnLine(at, direction, j, 1);
          if (At(mask, extent, behind) == 1 && Apart(before, behind, geometry) <= width + 1e-9)
          {
            gaps[static_cast<std::size_t>(index)] = 2;
          }
        }
      }
    }
  }
  return gaps;
}

/** Sets to 2 the voxels of value 0 that are not connected to the border by faces. */
void
PlainFill(Mask & mask, const Extent & extent)
{
  Mask isOutside(mask.size());
  for (bool changes = true; changes;)
  {
    changes = false;
    for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
    {
      const auto  i = static_cast<std::size_t>(index);
      const Place at = PlaceOf(extent, index);
      bool        isReached = false;
      for (std::size_t axis = 0; axis < 3 && mask[i] == 0 && isOutside[i] == 0; ++axis)
      {
        for (const int step : { -1, 1 })
        {
          Place to = at;
          to[axis] += step;
          const bool isThere = to[axis] >= 0 && to[axis] < extent.size[axis];
          isReached = isReached || (isThere ? At(isOutside, extent, to) == 1 : extent.size[axis] > 1);
        }
      }
      isOutside[i] = isReached ? 1 : isOutside[i];
      changes = changes || isReached;
    }
  }
  for (std::size_t i = 0; i < mask.size(); ++i)
  {
    mask[i] = mask[i] == 0 && isOutside[i] == 0 ? 2 : mask[i];
  }
}

/** The lengths of the paths by which the voxels for which `isSource` is 1 reach voxels of value 2 along them. Paths end
 * where they are not shorter than `depth` mm. */
std::vector<double>
PlainReach(const Mask & mask, const Mask & isSource, const Extent & extent, const GapLimits & limits, double depth)
{
  std::vector<double> lengths(mask.size(), HUGE_VAL);
  const double        most = depth * (1 - 1e-6);
  for (bool changes = true; changes;)
  {
    changes = false;
    for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
    {
      const auto  i = static_cast<std::size_t>(index);
      const Place at = PlaceOf(extent, index);
      for (std::int64_t k = 0; k < 27 && mask[i] == 2 && isSource[i] == 0; ++k)
      {
        const Place  to{ at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1 };
        const double step = std::sqrt(std::pow(static_cast<double>(to[0] - at[0]) * limits.geometry.spacing[0], 2) +
                                      std::pow(static_cast<double>(to[1] - at[1]) * limits.geometry.spacing[1], 2) +
                                      std::pow(static_cast<double>(to[2] - at[2]) * limits.geometry.spacing[2], 2));
        const auto   other = static_cast<std::size_t>((to[2] * extent.size[1] + to[1]) * extent.size[0] + to[0]);
        double       length = HUGE_VAL;
        if (At(isSource, extent, to) == 1)
        {
          length = step;
        }
        else if (At(mask, extent, to) == 2 && lengths[other] < most)
        {
          length = lengths[other] + step;
        }
        if (length < lengths[i] - 1e-9)
        {
          lengths[i] = length;
          changes = true;
        }
      }
    }
  }
  return lengths;
}

/** Sets `isIn` for the voxels next to one for which it is set and to which the length is larger, and so on. */
void
PlainClimb(Mask & isIn, const std::vector<double> & lengths, const Extent & extent)
{
  for (bool changes = true; changes;)
  {
    changes = false;
    for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
    {
      const auto  i = static_cast<std::size_t>(index);
      const Place at = PlaceOf(extent, index);
      for (std::int64_t k = 0; k < 27 && isIn[i] == 0 && lengths[i] < HUGE_VAL; ++k)
      {
        const Place to{ at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1 };
        const auto  other = static_cast<std::size_t>((to[2] * extent.size[1] + to[1]) * extent.size[0] + to[0]);
        if (At(isIn, extent, to) == 1 && lengths[other] > lengths[i] + 1e-7)
        {
          isIn[i] = 1;
          changes = true;
        }
      }
    }
  }
}

Mask
PlainGapsToClose(const Mask & mask, const Extent & extent, const GapLimits & limits)
{
  Mask gaps = PlainGaps(mask, extent, limits.geometry, limits.width);
  PlainFill(gaps, extent);
  Mask isOutside(mask.size());
  Mask isDeep(mask.size());
  std::transform(gaps.begin(), gaps.end(), isOutside.begin(), [](int value) { return value == 0 ? 1 : 0; });
  const auto lengths = PlainReach(gaps, isOutside, extent, limits, limits.depth);
  for (std::size_t i = 0; i < mask.size(); ++i)
  {
    isDeep[i] = gaps[i] == 2 && lengths[i] == HUGE_VAL ? 1 : 0;
  }
  const auto back = PlainReach(gaps, isDeep, extent, limits, 1.5 * limits.depth);
  PlainClimb(isDeep, lengths, extent);
  for (std::size_t i = 0; i < mask.size(); ++i)
  {
    gaps[i] = gaps[i] == 2 && isDeep[i] == 0 && back[i] == HUGE_VAL ? 0 : gaps[i];
  }
  return gaps;
}

/** A block with slits, cavities and single voxels taken out of it. */
Mask
RandomPart(const Extent & extent, std::mt19937 & random)
{
  Mask       mask(static_cast<std::size_t>(extent.VoxelCount()));
  const auto fill = [&](std::uint8_t value, bool isWhole) {
    Place begin{};
    Place end{};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const auto length = static_cast<unsigned>(extent.size[axis]);
      begin[axis] = isWhole ? (length > 2 ? 1 : 0) : random() % length;
      end[axis] = isWhole ? extent.size[axis] - begin[axis] : begin[axis] + 1 + random() % (random() % 2 == 0 ? 2 : 9);
    }
    for (std::int64_t index = 0; index < extent.VoxelCount(); ++index)
    {
      const Place at = PlaceOf(extent, index);
      bool        isIn = true;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        isIn = isIn && at[axis] >= begin[axis] && at[axis] < end[axis];
      }
      mask[static_cast<std::size_t>(index)] = isIn ? value : mask[static_cast<std::size_t>(index)];
    }
  };
  fill(1, true);
  for (int i = 0; i < 12; ++i)
  {
    fill(0, false);
  }
  for (std::uint8_t & value : mask)
  {
    value = random() % 20 == 0 ? static_cast<std::uint8_t>(1 - value) : value;
  }
  return mask;
}

TEST(CloseGaps, AreThoseOfPlainLoops)
{
  std::mt19937  random(3);
  std::uint64_t closed = 0;
  std::uint64_t dropped = 0;
  for (const Extent & extent : { Extent{ 70, 12 }, Extent{ 19, 14, 9 }, Extent{ 12, 1, 15 } })
  {
    for (const Geometry & geometry : { Spacing(1, 1, 1), Spacing(0.5, 0.5, 1), Spacing(1, 0.75, 2.5) })
    {
      for (const double width : { 1.0, 2.1, 3.0 })
      {
        for (int seed = 0; seed < (testing::IsSlowBuild ? 1 : 3); ++seed)
        {
          const Mask      mask = RandomPart(extent, random);
          const GapLimits limits{ geometry, width, width, 2 };
          const Mask      narrow = PlainGaps(mask, extent, geometry, width);
          const Mask      expected = PlainGapsToClose(mask, extent, limits);
          for (const int threads : { 1, 3 })
          {
            Mask found = mask;
            FindGaps(found.data(), extent, geometry, width, 2, { threads });
            ASSERT_EQ(found, narrow) << extent.ToString() << ", " << width;
            found = mask;
            FindGapsToClose(found.data(), extent, limits, { threads }, [&] { PlainFill(found, extent); });
            ASSERT_EQ(found, expected) << extent.ToString() << ", " << width;
          }
          closed += static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), std::uint8_t{ 2 }));
          dropped += static_cast<std::uint64_t>(std::count(narrow.begin(), narrow.end(), std::uint8_t{ 2 }));
        }
      }
    }
  }
  EXPECT_GT(closed, 1000u);
  EXPECT_GT(dropped, closed);
}

} // namespace

} // namespace brickccl
