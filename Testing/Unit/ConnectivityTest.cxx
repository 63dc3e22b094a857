#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"

#include <gtest/gtest.h>

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
