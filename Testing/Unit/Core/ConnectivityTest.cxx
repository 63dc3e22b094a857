#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Neighbourhood.h"

#include <gtest/gtest.h>

#include <vector>

namespace brickccl
{
namespace
{

TEST(Connectivity, NeighbourCountsOfEveryRank)
{
  const int expected[4][4] = { { 2 }, { 4, 8 }, { 6, 18, 26 }, { 8, 32, 64, 80 } };
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const int count = expected[dimension - 1][rank - 1];
      EXPECT_EQ(Connectivity(dimension, rank).NeighbourCount(), count);
      EXPECT_EQ(Connectivity::FromNeighbourCount(count, dimension).Rank(), rank);
    }
  }
}

TEST(Connectivity, BackwardRowsAreHalfOfTheNeighbours)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const Connectivity connectivity(dimension, rank);
      int                neighbours = 1; // x - 1
      for (const RowOffset & row : connectivity.BackwardRows())
      {
        neighbours += row.diagonal ? 3 : 1;
      }
      EXPECT_EQ(2 * neighbours, connectivity.NeighbourCount()) << dimension << ' ' << rank;
    }
  }
}

/** Whether a step leads to a voxel that raster order visits earlier. */
bool
IsEarlier(int x, int y, int z, int t)
{
  return t != 0 ? t < 0 : z != 0 ? z < 0 : y != 0 ? y < 0 : x < 0;
}

TEST(Connectivity, BackwardRowsAreThoseThatHaveEarlierNeighbours)
{
  std::vector<Connectivity> connectivities;
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      connectivities.emplace_back(dimension, rank);
      for (int axis = 0; dimension < 4 && axis <= dimension; ++axis)
      {
        connectivities.push_back(Connectivity(dimension, rank).WithinSlices(axis));
      }
    }
  }
  for (const Connectivity & connectivity : connectivities)
  {
    const RowOffsets  rows = connectivity.BackwardRows();
    const RowOffset * row = rows.begin();
    int               neighbours = 0;
    for (int code = 0; code < 81; ++code)
    {
      const int step[4] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
      neighbours += connectivity.Has(step) ? 1 : 0;
      const bool isStraight = step[0] == 0 && connectivity.Has(step);
      if (isStraight && IsEarlier(step[0], step[1], step[2], step[3]))
      {
        ASSERT_LT(row, rows.end()) << connectivity.ToString();
        EXPECT_TRUE(row->step[0] == step[1] && row->step[1] == step[2] && row->step[2] == step[3]);
        EXPECT_EQ(row->diagonal, connectivity.Has({ 1, step[1], step[2], step[3] }));
        EXPECT_EQ(row->diagonal, connectivity.Has({ -1, step[1], step[2], step[3] }));
        ++row;
      }
    }
    EXPECT_EQ(row, rows.end()) << connectivity.ToString();
    EXPECT_EQ(neighbours, connectivity.NeighbourCount()) << connectivity.ToString();
  }
  EXPECT_FALSE(Connectivity::Full(3).Has({ 0, 2, 0, 0 }));
  EXPECT_FALSE(Connectivity::Full(3).Has({ 0, 0, 0, 0 }));
}

TEST(Connectivity, HalfOfTheNeighboursComeEarlierAndTheOthersLieOpposite)
{
  for (int dimension = 1; dimension <= 3; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const Connectivity   connectivity(dimension, rank);
      const NeighbourSteps neighbours = connectivity.Neighbours();
      ASSERT_EQ(neighbours.count, connectivity.NeighbourCount());
      const int half = neighbours.count / 2;
      for (int i = 0; i < half; ++i)
      {
        const auto & step = neighbours.steps[i].step;
        const auto & opposite = neighbours.steps[i + half].step;
        EXPECT_TRUE(connectivity.Has({ step[0], step[1], step[2], 0 }));
        EXPECT_TRUE(IsEarlier(step[0], step[1], step[2], 0));
        for (int axis = 0; axis < 3; ++axis)
        {
          EXPECT_EQ(opposite[axis], -step[axis]);
        }
        for (int j = 0; j < i; ++j)
        {
          const auto & other = neighbours.steps[j].step;
          EXPECT_FALSE(other[0] == step[0] && other[1] == step[1] && other[2] == step[2]);
        }
      }
    }
  }
}

TEST(Connectivity, ErrorsSayWhatFits)
{
  try
  {
    Connectivity::FromNeighbourCount(6, 2);
    FAIL() << "6 was accepted in 2-D";
  }
  catch (const InvalidArgument & error)
  {
    EXPECT_STREQ(error.what(), "connectivity 6 does not fit 2 dimensions; use 4 or 8");
  }
  EXPECT_THROW(Connectivity(2, 3), InvalidArgument);
  EXPECT_THROW(Connectivity(5, 1), InvalidArgument);
  EXPECT_THROW(Connectivity::Face(2).WithinSlices(3), InvalidArgument);
}

TEST(Connectivity, SlicesLeaveOneAxisOut)
{
  const Connectivity slices = Connectivity::Full(2).WithinSlices(1);
  EXPECT_EQ(slices.Dimension(), 3);
  EXPECT_EQ(slices.NeighbourCount(), 8);
  EXPECT_TRUE(slices.Uses(0));
  EXPECT_FALSE(slices.Uses(1));
  EXPECT_TRUE(slices.Uses(2));
  EXPECT_EQ(slices.ToString(), "8 within slices along y");
}

TEST(Extent, RefusesWhatHasNoVoxels)
{
  EXPECT_THROW((Extent{ 3, 0, 4 }), InvalidArgument);
  EXPECT_THROW((Extent{ 3, -1 }), InvalidArgument);
  EXPECT_THROW((Extent{ 1, 1, 1, 1, 1 }), InvalidArgument);
  EXPECT_THROW((Extent{ std::int64_t{ 1 } << 40, std::int64_t{ 1 } << 40 }), InvalidArgument);
  EXPECT_EQ((Extent{ 512, 512, 275 }).ToString(), "512 x 512 x 275");
}

} // namespace
} // namespace brickccl
