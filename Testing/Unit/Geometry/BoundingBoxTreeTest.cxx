// Distances within and between sets of boxes of voxels, beside those of all pairs.

#include "BrickCCL/Geometry/BoundingBoxTree.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace brickccl
{
namespace
{

constexpr double Spacing[MaximumDimension] = { 0.5, 1.25, 2, 3 };
constexpr double Infinite = std::numeric_limits<double>::infinity();

/** Boxes with low corners in 0 .. range - 1 and up to so many voxels more along x and y. */
std::vector<VoxelBox>
RandomBoxes(std::size_t count, std::int64_t range, std::int64_t longest, int dimension, std::uint64_t seed)
{
  std::vector<VoxelBox> boxes(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    for (int axis = 0; axis < dimension; ++axis)
    {
      const std::uint64_t at = 8 * i + static_cast<std::uint64_t>(axis);
      boxes[i].low[axis] = static_cast<std::int64_t>(HashOf(seed, at) % static_cast<std::uint64_t>(range));
      const auto more = HashOf(seed + 1, at) % static_cast<std::uint64_t>(longest);
      boxes[i].high[axis] = boxes[i].low[axis] + (axis < 2 ? static_cast<std::int64_t>(more) : 0);
    }
  }
  return boxes;
}

std::vector<VoxelBox>
Moved(std::vector<VoxelBox> boxes, int axis, std::int64_t distance)
{
  for (VoxelBox & box : boxes)
  {
    box.low[axis] += distance;
    box.high[axis] += distance;
  }
  return boxes;
}

/** Voxel by voxel: the largest squared distance between centres, or the smallest between two sets' voxels as boxes. */
double
LargestOfAll(const std::vector<VoxelBox> & boxes)
{
  double largest = 0;
  for (const VoxelBox & a : boxes)
  {
    for (const VoxelBox & b : boxes)
    {
      double square = 0;
      for (int axis = 0; axis < MaximumDimension; ++axis)
      {
        double length = 0;
        for (const std::int64_t p : { a.low[axis], a.high[axis] })
        {
          for (const std::int64_t q : { b.low[axis], b.high[axis] })
          {
            length = std::max(length, Spacing[axis] * static_cast<double>(std::abs(p - q)));
          }
        }
        square += length * length;
      }
      largest = std::max(largest, square);
    }
  }
  return largest;
}

double
SmallestOfAll(const std::vector<VoxelBox> & a, const std::vector<VoxelBox> & b)
{
  double smallest = Infinite;
  for (const VoxelBox & one : a)
  {
    for (const VoxelBox & other : b)
    {
      double square = 0;
      for (int axis = 0; axis < MaximumDimension; ++axis)
      {
        // From the upper face of the lower one to the lower face of the upper one.
        const double above = static_cast<double>(other.low[axis]) - 0.5 - (static_cast<double>(one.high[axis]) + 0.5);
        const double below = static_cast<double>(one.low[axis]) - 0.5 - (static_cast<double>(other.high[axis]) + 0.5);
        const double gap = Spacing[axis] * std::max({ 0.0, above, below });
        square += gap * gap;
      }
      smallest = std::min(smallest, square);
    }
  }
  return smallest;
}

TEST(BoundingBoxTree, LargestDistanceIsThatOfAllPairs)
{
  for (const int dimension : { 1, 2, 3, 4 })
  {
    for (const std::size_t count : { 1, 2, 7, 8, 9, 17, 64, 300 })
    {
      for (const std::int64_t longest : { 1, 5 })
      {
        const auto boxes = RandomBoxes(count, 60, longest, dimension, 10 * count + static_cast<std::size_t>(dimension));
        EXPECT_DOUBLE_EQ(BoundingBoxTree(boxes, Spacing).LargestDistance(), LargestOfAll(boxes))
          << count << " boxes in " << dimension << "-D";
      }
    }
  }
}

TEST(BoundingBoxTree, SmallestDistanceIsThatOfAllPairs)
{
  for (const int dimension : { 1, 2, 3, 4 })
  {
    for (const std::size_t count : { 1, 8, 9, 40, 200 })
    {
      for (const std::int64_t apart : { 0, 3, 70, 1000 })
      {
        const auto a = RandomBoxes(count, 60, 4, dimension, 3 * count + 1);
        const auto b = Moved(RandomBoxes(count / 2 + 1, 60, 4, dimension, 5 * count + 2), dimension - 1, apart);
        const auto first = BoundingBoxTree(a, Spacing);
        const auto second = BoundingBoxTree(b, Spacing);
        const auto expected = SmallestOfAll(a, b);
        EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(first, second, Infinite), expected)
          << count << ", " << apart;
        EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(second, first, Infinite), expected)
          << count << ", " << apart;
      }
    }
  }
}

TEST(BoundingBoxTree, TheLimitIsTheAnswerWhereNothingIsBelowIt)
{
  const auto a = RandomBoxes(50, 20, 3, 3, 1);
  const auto b = Moved(RandomBoxes(50, 20, 3, 3, 2), 0, 100);
  const auto first = BoundingBoxTree(a, Spacing);
  const auto second = BoundingBoxTree(b, Spacing);
  const auto expected = SmallestOfAll(a, b);
  ASSERT_GT(expected, 100);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(first, second, 1), 1);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(first, second, expected), expected);
  EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(first, second, expected + 1), expected);
}

TEST(BoundingBoxTree, SetsWithoutBoxesHaveNoDistances)
{
  const BoundingBoxTree none;
  const BoundingBoxTree alsoNone({}, Spacing);
  const BoundingBoxTree one(RandomBoxes(1, 5, 1, 3, 1), Spacing);
  EXPECT_TRUE(none.IsEmpty());
  EXPECT_TRUE(alsoNone.IsEmpty());
  EXPECT_FALSE(one.IsEmpty());
  EXPECT_EQ(none.LargestDistance(), 0);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(none, one, 7), 7);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(one, alsoNone, 7), 7);
}

TEST(BoundingBoxTree, ManyEqualBoxesAreOneLeaf)
{
  // They cannot be halved.
  const BoundingBoxTree same(std::vector<VoxelBox>(1000), Spacing);
  EXPECT_EQ(same.LargestDistance(), 0);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(same, same, 5), 0);
}

TEST(BoundingBoxTree, BoundsHoldAllBoxes)
{
  const auto boxes = RandomBoxes(100, 50, 6, 3, 9);
  const auto bounds = BoundingBoxTree(boxes, Spacing).Bounds();
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    std::int64_t low = boxes[0].low[axis];
    std::int64_t high = boxes[0].high[axis];
    for (const VoxelBox & box : boxes)
    {
      low = std::min(low, box.low[axis]);
      high = std::max(high, box.high[axis]);
    }
    EXPECT_EQ(bounds.low[axis], low);
    EXPECT_EQ(bounds.high[axis], high);
  }
}

TEST(BoundingBoxTree, BoxesThatTouchHaveNoGap)
{
  VoxelBox a;
  VoxelBox b;
  b.low[0] = b.high[0] = 1;
  EXPECT_EQ(BoundingBoxTree::GapBetween(a, b, Spacing), 0);
  b.low[1] = b.high[1] = 1;
  EXPECT_EQ(BoundingBoxTree::GapBetween(a, b, Spacing), 0) << "at a corner";
  b.low[0] = b.high[0] = 2;
  EXPECT_EQ(BoundingBoxTree::GapBetween(a, b, Spacing), 0.25);
  b.low[1] = b.high[1] = -3;
  EXPECT_EQ(BoundingBoxTree::GapBetween(a, b, Spacing), 0.25 + 2.5 * 2.5);
}

} // namespace
} // namespace brickccl
