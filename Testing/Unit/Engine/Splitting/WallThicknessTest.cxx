// SPDX-License-Identifier: Apache-2.0
// Wall thickness, compared with its definition ball by ball.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Splitting/Split.h"

#include "LabelVolumes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

struct WallProblem
{
  Extent                     extent;
  Geometry                   geometry;
  std::vector<std::uint16_t> labels;
  int                        sliceAxis = -1;

  std::size_t
  PlaceOf(const Index & at) const
  {
    return static_cast<std::size_t>((at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0]);
  }
  Index
  At(std::size_t place) const
  {
    const auto i = static_cast<std::int64_t>(place);
    return { i % extent.size[0], i / extent.size[0] % extent.size[1], i / extent.size[0] / extent.size[1] };
  }
  bool
  Uses(int axis) const
  {
    return axis < extent.dimension && axis != sliceAxis;
  }
  /** The square of the gap between a voxel's center and the box of another one (reduced by `half` of a side), or
   *  infinite for another slice. */
  double
  SquareBetween(const Index & a, const Index & b, double half) const
  {
    double square = 0;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      const auto i = static_cast<std::size_t>(axis);
      const auto steps = static_cast<double>(std::abs(a[i] - b[i]));
      if (!Uses(axis) && steps > 0)
      {
        return std::numeric_limits<double>::infinity();
      }
      const double length = steps > 0 ? (steps - half) * geometry.spacing[axis] : 0;
      square += length * length;
    }
    return square;
  }
  /** The label at an index; 0 beyond the image. */
  std::uint16_t
  LabelAt(const Index & at) const
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      if (at[axis] < 0 || at[axis] >= extent.size[axis])
      {
        return 0;
      }
    }
    return labels[PlaceOf(at)];
  }

  /** The square of each voxel's own ball. */
  std::vector<double>
  OwnSquares() const
  {
    std::vector<double> squares(labels.size(), 0);
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      double     least = labels[i] == 0 ? 0 : std::numeric_limits<double>::infinity();
      const auto reach = [&](int axis) { return Uses(axis) ? std::int64_t{ 1 } : std::int64_t{ 0 }; };
      for (std::int64_t z = -reach(2); z < extent.size[2] + reach(2); ++z)
      {
        for (std::int64_t y = -reach(1); y < extent.size[1] + reach(1); ++y)
        {
          for (std::int64_t x = -reach(0); x < extent.size[0] + reach(0); ++x)
          {
            const bool isOther = LabelAt({ x, y, z }) != labels[i];
            least = isOther ? std::min(least, SquareBetween(At(i), { x, y, z }, 0.5)) : least;
          }
        }
      }
      squares[i] = least;
    }
    return squares;
  }

  /** The squares of the largest balls that hold each voxel. */
  std::vector<double>
  LargestSquares(const std::vector<double> & own) const
  {
    std::vector<double> squares(labels.size(), 0);
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      for (std::size_t center = 0; center < labels.size(); ++center)
      {
        if (labels[i] != 0 && SquareBetween(At(i), At(center), 0) < own[center] * (1 - 1e-6))
        {
          squares[i] = std::max(squares[i], own[center]);
        }
      }
    }
    return squares;
  }

  ThinnestWall
  Thinnest(const std::vector<double> & own, const std::vector<double> & largest) const
  {
    const auto isSteady = [&](const Index & at) {
      return LabelAt(at) != 0 && largest[PlaceOf(at)] < 2.25 * own[PlaceOf(at)] * (1 - 1e-9);
    };
    std::size_t least = 1;
    std::size_t used = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
      const bool isUsed = Uses(axis) && extent.size[axis] > 1;
      least *= isUsed && used++ > 0 ? 3 : 1;
    }
    ThinnestWall found;
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      std::size_t count = 0;
      for (std::size_t step = 0; step < 27; ++step)
      {
        Index at = At(i);
        at[0] += static_cast<std::int64_t>(step % 3) - 1;
        at[1] += static_cast<std::int64_t>(step / 3 % 3) - 1;
        at[2] += static_cast<std::int64_t>(step / 9) - 1;
        count +=
          (sliceAxis < 0 || at[static_cast<std::size_t>(sliceAxis)] == At(i)[static_cast<std::size_t>(sliceAxis)]) &&
              isSteady(at)
            ? 1
            : 0;
      }
      const double thickness = 2 * std::sqrt(largest[i]);
      if (isSteady(At(i)) && count >= least && (found.place < 0 || thickness < found.thickness * (1 - 1e-6)))
      {
        found = { thickness, static_cast<std::int64_t>(i) };
      }
    }
    return found;
  }
};

TEST(WallThickness, IsTheLargestBallThatHoldsTheVoxel)
{
  std::uint64_t seed = 0;
  for (const Extent & extent : { Extent{ 13, 9, 7 }, Extent{ 21, 12 }, Extent{ 9, 1, 8 }, Extent{ 30 } })
  {
    for (const bool isAnisotropic : { false, true })
    {
      for (int sliceAxis = -1; sliceAxis < (extent.dimension > 1 ? extent.dimension : 0); ++sliceAxis)
      {
        WallProblem problem{ extent, isAnisotropic ? Anisotropic() : Geometry{}, {}, sliceAxis };
        problem.labels = RandomLabels(extent, 3, 3, 0.3, ++seed);
        const std::vector<double> own = problem.OwnSquares();
        const std::vector<double> largest = problem.LargestSquares(own);
        const ThinnestWall        expected = problem.Thinnest(own, largest);
        DistanceOptions           options;
        options.sliceAxis = sliceAxis;
        options.geometry = problem.geometry;
        std::vector<float> first;
        for (options.threads = 1; options.threads <= 3; ++options.threads)
        {
          std::vector<float> found(problem.labels.size(), -1);
          const ThinnestWall wall = WallThickness(ImageView(problem.labels.data(), extent), found.data(), options);
          for (std::size_t i = 0; i < found.size(); ++i)
          {
            const double diameter = 2 * std::sqrt(largest[i]);
            ASSERT_NEAR(found[i], diameter, 1e-6 * diameter) << extent.ToString() << ' ' << seed << ' ' << i;
          }
          first = first.empty() ? found : first;
          EXPECT_EQ(found, first);
          EXPECT_EQ(wall.place, expected.place) << extent.ToString() << ' ' << seed;
          EXPECT_NEAR(wall.thickness, expected.thickness, 1e-6 * expected.thickness);
        }
      }
    }
  }
}

/** Steps of 1, 2 and 4 mm, one of which is slanted, are measured within a voxel, and so is the thinnest. */
TEST(WallThickness, MeasuresStepsWithinAVoxel)
{
  const Extent              extent{ 120, 60, 60 };
  Geometry                  geometry;
  constexpr double          voxel = 0.2;
  std::vector<std::uint8_t> part(static_cast<std::size_t>(extent.VoxelCount()));
  const std::vector<double> steps{ 2, 1, 4 };
  std::fill_n(geometry.spacing, 3, voxel);
  for (const double slope : { 0.0, 0.3 })
  {
    for (std::size_t i = 0; i < part.size(); ++i)
    {
      const auto   x = static_cast<double>(i % 120);
      const auto   y = static_cast<double>(i / 120 % 60);
      const auto   slice = i / 7200;
      const auto   z = static_cast<double>(slice);
      const double depth = (z - 15 - slope * y) * voxel / std::sqrt(1 + slope * slope);
      part[i] = y > 2 && y < 57 && depth >= 0 && depth < steps[static_cast<std::size_t>(x / 40)] ? 1 : 0;
    }
    DistanceOptions    options;
    std::vector<float> found(part.size());
    options.geometry = geometry;
    const ThinnestWall wall = WallThickness(ImageView(part.data(), extent), found.data(), options);
    for (std::size_t step = 0; step < steps.size(); ++step)
    {
      float largest = 0;
      for (std::size_t i = 0; i < found.size(); ++i)
      {
        // Away from the next step.
        const std::size_t x = i % 120;
        largest = x / 40 == step && x % 40 > 15 && x % 40 < 25 ? std::max(largest, found[i]) : largest;
      }
      EXPECT_NEAR(largest, steps[step], voxel * 1.001) << slope;
    }
    EXPECT_NEAR(wall.thickness, 1, voxel * 1.001) << slope;
    EXPECT_EQ(wall.place % 120 / 40, 1) << slope;
  }
}

/** Corners and edges of a block, and single voxels on its surface, are not walls. */
TEST(WallThickness, EdgesAndRoughVoxelsAreNotWalls)
{
  const Extent              extent{ 40, 40, 40 };
  std::vector<std::uint8_t> part(64000);
  for (std::size_t i = 0; i < part.size(); ++i)
  {
    const auto isInside = [](std::size_t at) { return at >= 5 && at < 34; };
    part[i] = isInside(i % 40) && isInside(i / 40 % 40) && isInside(i / 1600) ? 1 : 0;
  }
  part[(34 * 40 + 20) * 40 + 20] = 1;
  std::vector<float> found(part.size());
  EXPECT_NEAR(WallThickness(ImageView(part.data(), extent), found.data()).thickness, 29, 1e-5);
  EXPECT_EQ(*std::max_element(found.begin(), found.end()), 29);
}

/** So many large balls that those without an unset voxel are left out, compared with the search for some voxels. */
TEST(WallThickness, OfThickPartsIsTheLargestBall)
{
  const Extent                       extent{ 60, 60, 60 };
  UninitializedVector<std::uint32_t> part(216000);
  const auto inside = [](std::size_t at) { return std::pow(static_cast<double>(at) - 29.3, 2); };
  for (std::size_t i = 0; i < part.size(); ++i)
  {
    part[i] = inside(i % 60) + inside(i / 60 % 60) + inside(i / 3600) < 784 ? 1 : 0;
  }
  Geometry geometry;
  for (const double along : { 1.0, 1.3 })
  {
    geometry.spacing[2] = along;
    DistanceOptions options;
    options.geometry = geometry;
    std::vector<float> found(part.size());
    WallThickness(ImageView(part.data(), extent), found.data(), options);
    const auto own = SquaredDistancesToOthers(extent, geometry, part, {});
    for (std::size_t i = 7; i < part.size(); i += 1009)
    {
      double largest = 0;
      for (std::size_t center = 0; part[i] != 0 && center < part.size(); ++center)
      {
        const auto apart = [&](std::size_t a, std::size_t b, double spacing) {
          return std::pow((static_cast<double>(a) - static_cast<double>(b)) * spacing, 2);
        };
        const double square = apart(i % 60, center % 60, 1) + apart(i / 60 % 60, center / 60 % 60, 1) +
                              apart(i / 3600, center / 3600, along);
        largest = square < static_cast<double>(own[center]) * (1 - 1e-6)
                  ? std::max(largest, static_cast<double>(own[center]))
                  : largest;
      }
      ASSERT_NEAR(found[i], 2 * std::sqrt(largest), 1e-5) << i;
    }
  }
}

TEST(WallThickness, RefusesWhatItCannotMeasure)
{
  std::vector<float> found(16);
  const float        half = 0.5F;
  DistanceOptions    options;
  EXPECT_THROW(WallThickness(ImageView(&half, Extent{ 1 }), found.data()), InvalidArgument);
  EXPECT_THROW(WallThickness(ImageView(found.data(), Extent{ 2, 2, 2, 2 }), found.data()), InvalidArgument);
  EXPECT_THROW(WallThickness(ImageView(found.data(), Extent{ 4, 4 }), nullptr), InvalidArgument);
  options.sliceAxis = 2;
  EXPECT_THROW(WallThickness(ImageView(found.data(), Extent{ 4, 4 }), found.data(), options), InvalidArgument);
  std::vector<std::uint8_t> none(16);
  EXPECT_EQ(WallThickness(ImageView(none.data(), Extent{ 4, 4 }), found.data()).place, -1);
  EXPECT_EQ(found, std::vector<float>(16, 0));
}

} // namespace
} // namespace brickccl
