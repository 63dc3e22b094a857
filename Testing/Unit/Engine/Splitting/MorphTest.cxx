// SPDX-License-Identifier: Apache-2.0
// Morphology, compared with its definition voxel by voxel.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Splitting/Morph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{
namespace
{

using Place = std::array<std::int64_t, MaximumDimension>;

/** Places in an image of labels; what is beyond has the label 0. */
struct Problem
{
  Extent                     extent;
  std::vector<std::uint64_t> labels;
  std::vector<double>        spacing;
  int                        sliceAxis = -1;
  double                     radius = 0;
  /** The steps in a ball, and their squares. */
  std::vector<std::pair<Place, double>> ball = {};

  void
  MakeBall()
  {
    std::vector<std::pair<Place, double>> steps = { { Place{}, 0 } };
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(extent.dimension); ++axis)
    {
      if (static_cast<int>(axis) == sliceAxis || extent.size[axis] == 1)
      {
        continue;
      }
      std::vector<std::pair<Place, double>> more;
      const auto                            reach = static_cast<std::int64_t>(radius / spacing[axis]) + 1;
      for (const auto & [place, square] : steps)
      {
        for (std::int64_t step = -reach; step <= reach; ++step)
        {
          const double length = static_cast<double>(step) * spacing[axis];
          more.push_back({ place, square + length * length });
          more.back().first[axis] = step;
        }
      }
      steps = more;
    }
    ball.clear();
    for (const auto & [place, square] : steps)
    {
      if (std::sqrt(square) <= radius * (1 + 1e-9))
      {
        ball.push_back({ place, square });
      }
    }
  }

  Place
  At(std::size_t voxel) const
  {
    Place place{};
    auto  rest = static_cast<std::int64_t>(voxel);
    for (std::size_t axis = 0; axis < place.size(); ++axis)
    {
      place[axis] = rest % extent.size[axis];
      rest /= extent.size[axis];
    }
    return place;
  }

  /** The voxel of a place, or -1. */
  std::int64_t
  VoxelAt(const Place & place) const
  {
    std::int64_t voxel = 0;
    for (std::size_t axis = place.size(); axis-- > 0;)
    {
      if (place[axis] < 0 || place[axis] >= extent.size[axis])
      {
        return -1;
      }
      voxel = voxel * extent.size[axis] + place[axis];
    }
    return voxel;
  }

  /** Whether `asked(place, square)` is true for a place in the ball around another. */
  template <typename TAsked>
  bool
  IsAnyInBall(const Place & center, const TAsked & asked) const
  {
    for (const auto & [step, square] : ball)
    {
      Place place = center;
      for (std::size_t axis = 0; axis < place.size(); ++axis)
      {
        place[axis] += step[axis];
      }
      if (asked(place, square))
      {
        return true;
      }
    }
    return false;
  }

  std::uint64_t
  LabelAt(const Place & place) const
  {
    const std::int64_t voxel = VoxelAt(place);
    return voxel < 0 ? 0 : labels[static_cast<std::size_t>(voxel)];
  }
};

/** The nearest label in the ball, the smallest of those that are equally near. */
std::uint64_t
Dilated(const Problem & problem, const Place & place)
{
  std::pair<double, std::uint64_t> best{ std::numeric_limits<double>::infinity(), 0 };
  problem.IsAnyInBall(place, [&](const Place & other, double square) {
    // Squares whose roots are equal but for rounding are equal.
    const std::uint64_t label = problem.LabelAt(other);
    best = label == 0 ? best : std::min(best, { std::round(square * 1e6), label });
    return false;
  });
  return best.second;
}

/** Whether the ball inside the image has the label alone. */
bool
Fits(const Problem & problem, const Place & center, std::uint64_t label)
{
  return !problem.IsAnyInBall(center, [&](const Place & other, double) {
    return problem.VoxelAt(other) >= 0 && problem.LabelAt(other) != label;
  });
}

/** Whether every ball that holds the place holds the label. */
bool
IsClosedBy(const Problem & problem, const Place & place, std::uint64_t label)
{
  return !problem.IsAnyInBall(place, [&](const Place & center, double) {
    return !problem.IsAnyInBall(center, [&](const Place & other, double) { return problem.LabelAt(other) == label; });
  });
}

/** What an operation makes of a voxel. */
std::uint64_t
ByDefinition(const Problem & problem, MorphOperation operation, std::size_t voxel)
{
  const std::uint64_t label = problem.labels[voxel];
  const Place         place = problem.At(voxel);
  if (operation == MorphOperation::Dilate)
  {
    return label != 0 ? label : Dilated(problem, place);
  }
  if (operation == MorphOperation::Erode)
  {
    return label != 0 && Fits(problem, place, label) ? label : 0;
  }
  if (operation == MorphOperation::Open)
  {
    const bool isHeld = label != 0 && problem.IsAnyInBall(place, [&](const Place & center, double) {
      return problem.VoxelAt(center) >= 0 && Fits(problem, center, label);
    });
    return isHeld ? label : 0;
  }
  std::set<std::uint64_t> labels(problem.labels.begin(), problem.labels.end());
  labels.erase(0);
  const auto closing =
    std::find_if(labels.begin(), labels.end(), [&](std::uint64_t one) { return IsClosedBy(problem, place, one); });
  return label == 0 && closing != labels.end() ? *closing : label;
}

template <typename T>
void
ExpectAsDefined(const Problem & problem)
{
  MorphOptions options;
  options.radius = problem.radius;
  options.sliceAxis = problem.sliceAxis;
  std::copy(problem.spacing.begin(), problem.spacing.end(), options.geometry.spacing);
  const std::vector<T> labels(problem.labels.begin(), problem.labels.end());
  double               longest = 0;
  for (int axis = 0; axis < problem.extent.dimension; ++axis)
  {
    longest = std::max(longest, static_cast<double>(problem.extent.size[axis]) * options.geometry.spacing[axis]);
  }
  for (const auto operation :
       { MorphOperation::Dilate, MorphOperation::Erode, MorphOperation::Open, MorphOperation::Close })
  {
    options.operation = operation;
    if (operation == MorphOperation::Close && problem.radius > longest)
    {
      continue; // It is refused.
    }
    std::vector<T> expected(labels.size());
    for (std::size_t voxel = 0; voxel < labels.size(); ++voxel)
    {
      expected[voxel] = static_cast<T>(ByDefinition(problem, operation, voxel));
    }
    for (options.threads = 1; options.threads <= 4; options.threads += 3)
    {
      std::vector<T>    result(labels.size(), T(77));
      const MorphReport report = Morph(ImageView(labels.data(), problem.extent), result.data(), options);
      ASSERT_EQ(result, expected) << "operation " << static_cast<int>(operation) << ", " << problem.extent.ToString()
                                  << ", radius " << problem.radius << ", slices " << problem.sliceAxis;
      std::uint64_t changed = 0;
      for (std::size_t voxel = 0; voxel < labels.size(); ++voxel)
      {
        changed += (labels[voxel] != 0) != (result[voxel] != 0) ? 1u : 0u;
      }
      ASSERT_EQ(report.added + report.removed, changed);
    }
  }
}

TEST(Morph, IsAsDefinedForRandomImages)
{
  const std::vector<std::vector<double>> spacings = { { 1, 1, 1, 1 }, { 0.5, 1, 2, 1 }, { 0.3, 0.41, 0.7, 1.3 } };
  for (std::uint64_t seed = 0; seed < 90; ++seed)
  {
    std::uint64_t place = 0;
    const auto    draw = [&](std::uint64_t below) { return HashOf(4711 + seed, place++) % below; };
    Problem       problem;
    problem.extent =
      std::vector<Extent>{ { 40 }, { 13, 9 }, { 8, 7, 5 }, { 5, 4, 3, 3 }, { 11, 8, 1 }, { 1, 6, 7 } }[draw(6)];
    problem.spacing = spacings[draw(3)];
    problem.radius = std::vector<double>{ 0, 0.5, 0.82, 1, 1.5, 2, 2.9, 60 }[draw(problem.extent.dimension == 1   ? 8
                                                                                  : problem.extent.dimension == 2 ? 7
                                                                                                                  : 5)];
    problem.sliceAxis =
      draw(3) == 0 ? static_cast<int>(draw(static_cast<std::uint64_t>(problem.extent.dimension))) : -1;
    const std::uint64_t count = 1 + draw(4);
    const std::uint64_t share = 1 + draw(9);
    for (std::int64_t i = 0; i < problem.extent.VoxelCount(); ++i)
    {
      problem.labels.push_back(draw(10) < share ? 1 + draw(count) * 40 : 0);
    }
    problem.MakeBall();
    seed % 3 == 0   ? ExpectAsDefined<std::uint8_t>(problem)
    : seed % 3 == 1 ? ExpectAsDefined<std::int32_t>(problem)
                    : ExpectAsDefined<float>(problem);
    if (HasFatalFailure())
    {
      return;
    }
  }
}

TEST(Morph, ReachesAcrossLargeImages)
{
  // The squares of these ways need more than 29 bits.
  const std::int64_t        length = 60000;
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(length) * 2);
  labels.front() = 3;
  labels[static_cast<std::size_t>(length) - 1] = 2;
  std::vector<std::uint8_t> result(labels.size());
  MorphOptions              options;
  options.radius = 1e6;
  const MorphReport report = Morph(ImageView(labels.data(), Extent{ length, 2 }), result.data(), options);
  EXPECT_EQ(report.added, labels.size() - 2);
  for (std::int64_t i = 0; i < length * 2; ++i)
  {
    ASSERT_EQ(result[static_cast<std::size_t>(i)], i % length < length / 2 ? 3 : 2) << i;
  }
}

TEST(Morph, SaysWhatIsWrong)
{
  std::vector<float> labels = { 0, 1, 1.5f };
  const ImageView    view(labels.data(), Extent{ 3 });
  std::vector<float> result(3);
  const auto         fault = [&](const MorphOptions & options) {
    try
    {
      Morph(view, result.data(), options);
    }
    catch (const InvalidArgument & error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  MorphOptions options;
  EXPECT_EQ(fault(options), "a label is 1.5; labels must be whole numbers from 0 (background) to 4294967295");
  options.radius = -1;
  EXPECT_EQ(fault(options), "the radius is -1.000000 mm; it must be finite and at least 0");
  options.radius = 1;
  options.operation = MorphOperation::Close;
  labels[2] = 1;
  options.radius = 1e300;
  EXPECT_EQ(fault(options), "the radius of closing is larger than the image, which is 3 mm long; give a smaller one");
  options.radius = 1;
  options.sliceAxis = 1;
  EXPECT_EQ(fault(options), "the image has no axis y");
  labels[2] = -1;
  options.sliceAxis = -1;
  EXPECT_NE(fault(options).find("a label is -1"), std::string::npos);
}

} // namespace
} // namespace brickccl
