// SPDX-License-Identifier: Apache-2.0
// Distances within and between sets of boxes of voxels, compared with all pairs.

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

/** Boxes with low corners in 0 .. range - 1 and up to this many voxels more along x and y. */
UninitializedVector<VoxelBox>
RandomBoxes(std::size_t count, std::int64_t range, std::int64_t longest, int dimension, std::uint64_t seed)
{
  UninitializedVector<VoxelBox> boxes(count, VoxelBox());
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

UninitializedVector<VoxelBox>
Moved(UninitializedVector<VoxelBox> boxes, int axis, std::int64_t distance)
{
  for (VoxelBox & box : boxes)
  {
    box.low[axis] += distance;
    box.high[axis] += distance;
  }
  return boxes;
}

/** Voxel by voxel: the largest squared distance between centers, or the smallest between two sets' voxels as boxes. */
double
LargestOfAll(const UninitializedVector<VoxelBox> & boxes)
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
SmallestOfAll(const UninitializedVector<VoxelBox> & a, const UninitializedVector<VoxelBox> & b)
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
        EXPECT_DOUBLE_EQ(BoundingBoxTrees(boxes, Spacing)[0].LargestDistance(), LargestOfAll(boxes))
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
        const auto first = BoundingBoxTrees(a, Spacing);
        const auto second = BoundingBoxTrees(b, Spacing);
        const auto expected = SmallestOfAll(a, b);
        EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(first[0], second[0], Infinite), expected)
          << count << ", " << apart;
        EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(second[0], first[0], Infinite), expected)
          << count << ", " << apart;
      }
    }
  }
}

TEST(BoundingBoxTree, TheLimitIsTheAnswerWhereNothingIsBelowIt)
{
  const auto a = RandomBoxes(50, 20, 3, 3, 1);
  const auto b = Moved(RandomBoxes(50, 20, 3, 3, 2), 0, 100);
  const auto first = BoundingBoxTrees(a, Spacing);
  const auto second = BoundingBoxTrees(b, Spacing);
  const auto expected = SmallestOfAll(a, b);
  ASSERT_GT(expected, 100);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(first[0], second[0], 1), 1);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(first[0], second[0], expected), expected);
  EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(first[0], second[0], expected + 1), expected);
}

TEST(BoundingBoxTree, SetsWithoutBoxesHaveNoDistances)
{
  const BoundingBoxTrees none({}, Spacing);
  const BoundingBoxTrees one(RandomBoxes(1, 5, 1, 3, 1), Spacing);
  EXPECT_TRUE(none[0].IsEmpty());
  EXPECT_FALSE(one[0].IsEmpty());
  EXPECT_EQ(none[0].LargestDistance(), 0);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(none[0], one[0], 7), 7);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(one[0], none[0], 7), 7);
}

TEST(BoundingBoxTree, ManySetsHaveTreesOfTheirOwn)
{
  // Sets of 0 to 39 boxes, some of them with less and some with more than a leaf.
  UninitializedVector<VoxelBox>              all;
  std::vector<std::uint64_t>                 begins{ 0 };
  std::vector<UninitializedVector<VoxelBox>> sets;
  for (std::uint64_t set = 0; set < 40; ++set)
  {
    sets.push_back(RandomBoxes(set * 7 % 40, 60, 3, 3, set));
    all.insert(all.end(), sets.back().begin(), sets.back().end());
    begins.push_back(all.size());
  }
  for (const int threads : { 1, 3 })
  {
    const BoundingBoxTrees trees(all, begins, Spacing, { threads });
    ASSERT_EQ(trees.size(), sets.size());
    for (std::size_t a = 0; a < sets.size(); ++a)
    {
      ASSERT_EQ(trees[a].IsEmpty(), sets[a].empty());
      EXPECT_EQ(trees[a].LargestDistance(), BoundingBoxTrees(sets[a], Spacing)[0].LargestDistance());
      for (std::size_t b = 0; b < a; ++b)
      {
        if (!sets[a].empty() && !sets[b].empty())
        {
          EXPECT_DOUBLE_EQ(BoundingBoxTree::SmallestDistance(trees[a], trees[b], Infinite),
                           SmallestOfAll(sets[a], sets[b]));
        }
      }
    }
  }
}

TEST(BoundingBoxTree, ManyEqualBoxesAreOneLeaf)
{
  // They cannot be halved.
  const BoundingBoxTrees same(UninitializedVector<VoxelBox>(1000, VoxelBox()), Spacing);
  EXPECT_EQ(same[0].LargestDistance(), 0);
  EXPECT_EQ(BoundingBoxTree::SmallestDistance(same[0], same[0], 5), 0);
}

TEST(BoundingBoxTree, BoundsHoldAllBoxes)
{
  const auto             boxes = RandomBoxes(100, 50, 6, 3, 9);
  const BoundingBoxTrees trees(boxes, Spacing);
  const VoxelBox         bounds = trees[0].Bounds();
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
