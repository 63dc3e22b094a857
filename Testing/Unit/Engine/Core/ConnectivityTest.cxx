// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Neighborhood.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace brickccl
{
namespace
{

TEST(Connectivity, NeighborCountsOfEveryRank)
{
  const int expected[4][4] = { { 2 }, { 4, 8 }, { 6, 18, 26 }, { 8, 32, 64, 80 } };
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const int count = expected[dimension - 1][rank - 1];
      EXPECT_EQ(Connectivity(dimension, rank).NeighborCount(), count);
      EXPECT_EQ(Connectivity::FromNeighborCount(count, dimension).Rank(), rank);
    }
  }
}

TEST(Connectivity, BackwardRowsAreHalfOfTheNeighbors)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const Connectivity connectivity(dimension, rank);
      int                neighbors = 1; // x - 1
      for (const RowOffset & row : connectivity.BackwardRows())
      {
        neighbors += row.diagonal ? 3 : 1;
      }
      EXPECT_EQ(2 * neighbors, connectivity.NeighborCount()) << dimension << ' ' << rank;
    }
  }
}

/** Whether a step leads to a voxel that raster order visits earlier. */
bool
IsEarlier(int x, int y, int z, int t)
{
  return t != 0 ? t < 0 : z != 0 ? z < 0 : y != 0 ? y < 0 : x < 0;
}

TEST(Connectivity, BackwardRowsAreThoseThatHaveEarlierNeighbors)
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
    int               neighbors = 0;
    for (int code = 0; code < 81; ++code)
    {
      const int step[4] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
      neighbors += connectivity.Has(step) ? 1 : 0;
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
    EXPECT_EQ(neighbors, connectivity.NeighborCount()) << connectivity.ToString();
  }
  EXPECT_FALSE(Connectivity::Full(3).Has({ 0, 2, 0, 0 }));
  EXPECT_FALSE(Connectivity::Full(3).Has({ 0, 0, 0, 0 }));
}

TEST(Connectivity, HalfOfTheNeighborsComeEarlierAndTheOthersLieOpposite)
{
  for (int dimension = 1; dimension <= 3; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const Connectivity  connectivity(dimension, rank);
      const NeighborSteps neighbors = connectivity.Neighbors();
      ASSERT_EQ(neighbors.count, connectivity.NeighborCount());
      const int half = neighbors.count / 2;
      for (int i = 0; i < half; ++i)
      {
        const auto & step = neighbors.steps[i].step;
        const auto & opposite = neighbors.steps[i + half].step;
        EXPECT_TRUE(connectivity.Has({ step[0], step[1], step[2], 0 }));
        EXPECT_TRUE(IsEarlier(step[0], step[1], step[2], 0));
        for (int axis = 0; axis < 3; ++axis)
        {
          EXPECT_EQ(opposite[axis], -step[axis]);
        }
        for (int j = 0; j < i; ++j)
        {
          const auto & other = neighbors.steps[j].step;
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
    Connectivity::FromNeighborCount(6, 2);
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

/** The message of the error that a function throws. */
template <typename TFunction>
std::string
ErrorOf(TFunction function)
{
  try
  {
    function();
  }
  catch (const InvalidArgument & error)
  {
    return error.what();
  }
  return "no error";
}

TEST(Connectivity, OffsetsOfARankMakeThatRank)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    for (int rank = 1; rank <= dimension; ++rank)
    {
      const Connectivity plain(dimension, rank);
      const Connectivity same = Connectivity::FromOffsets(dimension, plain.Offsets());
      EXPECT_TRUE(same.IsPlain());
      EXPECT_EQ(same.Rank(), rank);
      EXPECT_TRUE(same.UsesEveryAxis());
      EXPECT_EQ(same.Offsets(), plain.Offsets());
      EXPECT_EQ(plain.Offsets().size(), static_cast<std::size_t>(plain.NeighborCount()));
      EXPECT_EQ(same.ToString(), plain.ToString());
    }
  }
}

TEST(Connectivity, OtherOffsetsHaveAPlainPartAndMore)
{
  const Connectivity tenNeighbors = NeighborhoodFromText("8+z", 3);
  EXPECT_FALSE(tenNeighbors.IsPlain());
  EXPECT_EQ(tenNeighbors.NeighborCount(), 10);
  EXPECT_EQ(tenNeighbors.ToString(), "10 (8+z)");
  EXPECT_TRUE(tenNeighbors.Has({ 0, 0, -1, 0 }));
  EXPECT_TRUE(tenNeighbors.Has({ 0, 0, 1, 0 }));
  EXPECT_TRUE(tenNeighbors.Has({ 1, -1, 0, 0 }));
  EXPECT_FALSE(tenNeighbors.Has({ 1, 0, 1, 0 }));
  EXPECT_FALSE(tenNeighbors.Has({ 0, 0, 0, 0 }));
  EXPECT_FALSE(tenNeighbors.Has({ 0, 0, 2, 0 }));
  EXPECT_EQ(tenNeighbors.Plain().ToString(), "8 within slices along z");
  EXPECT_TRUE(tenNeighbors.UsesEveryAxis());
  EXPECT_EQ(tenNeighbors.Dual().ToString(), "6");
  EXPECT_EQ(NeighborhoodFromText("4+z", 3).ToString(), "6");
  EXPECT_EQ(NeighborhoodFromText("8+zt", 4).NeighborCount(), 12);

  const Connectivity corners = Connectivity::FromOffsets(2, { { 1, 1 }, { -1, -1 } });
  EXPECT_EQ(corners.Plain().NeighborCount(), 0);
  EXPECT_EQ(corners.ToString(), "2 of a custom neighborhood");
  const Connectivity inSlices = corners.WithinSlices(1);
  EXPECT_EQ(inSlices.Offsets(), (std::vector<NeighborOffset>{ { -1, 0, -1 }, { 1, 0, 1 } }));
  EXPECT_FALSE(inSlices.Uses(1));
  EXPECT_EQ(Connectivity::FromOffsets(3, { { 0, 0, 0 } }).NeighborCount(), 0);
}

TEST(Connectivity, StructuringElementsAreXFastest)
{
  const std::vector<bool> element = { false, false, true, false, true, false, true, false, false };
  EXPECT_EQ(Connectivity::FromStructuringElement(2, element).Offsets(),
            (std::vector<NeighborOffset>{ { 1, -1 }, { -1, 1 } }));
  EXPECT_EQ(ErrorOf([&] { Connectivity::FromStructuringElement(3, element); }),
            "a neighborhood in 3 dimensions has 27 voxels, 3 along each axis, not 9");
}

TEST(Connectivity, ErrorsOfNeighborhoodsNameWhatIsWrong)
{
  EXPECT_EQ(ErrorOf([] {
              Connectivity::FromOffsets(3, { { 1, 0, 1 }, { 0, 1, 0 }, { 0, -1, 0 } });
            }),
            "the neighborhood has the offset (1, 0, 1) but lacks the opposite one, (-1, 0, -1); a neighborhood must be "
            "symmetric");
  EXPECT_THROW(Connectivity::FromOffsets(2, { { 0, 0, 1 }, { 0, 0, -1 } }), InvalidArgument);
  EXPECT_THROW(Connectivity::FromOffsets(2, { { 2, 0 }, { -2, 0 } }), InvalidArgument);
  EXPECT_EQ(ErrorOf([] { NeighborhoodFromText("8+xz", 3); }),
            "the neighborhood 8+xz: connectivity 8 does not fit 1 dimension; use 2");
  EXPECT_EQ(ErrorOf([] { NeighborhoodFromText("8+z", 2); }),
            "the neighborhood 8+z names the axis z, which an image of 2 dimensions lacks");
  EXPECT_EQ(ErrorOf([] { NeighborhoodFromText("8+zz", 3); }), "the neighborhood 8+zz names the axis z twice");
  EXPECT_THROW(NeighborhoodFromText("2+xyz", 3), InvalidArgument);
  EXPECT_THROW(NeighborhoodFromText("8", 3), InvalidArgument);
  EXPECT_THROW(NeighborhoodFromText("+z", 3), InvalidArgument);
  EXPECT_THROW(NeighborhoodFromText("99999999999999+z", 3), InvalidArgument);
}

TEST(Connectivity, PeriodicAxesHaveNames)
{
  EXPECT_EQ(PeriodicAxes::FromNames("zx").ToString(), "xz");
  EXPECT_FALSE(PeriodicAxes::FromNames("").HasAny());
  EXPECT_THROW(PeriodicAxes::FromNames("w"), InvalidArgument);
  EXPECT_THROW(PeriodicAxes::FromNames("xx"), InvalidArgument);
  EXPECT_EQ(ErrorOf([] { CheckPeriodic(PeriodicAxes::FromNames("z"), Connectivity::Face(2)); }),
            "the image cannot be periodic along z, along which an image of 2 dimensions has no voxels");
  EXPECT_EQ(ErrorOf([] { CheckPeriodic(PeriodicAxes::FromNames("z"), Connectivity::Face(2).WithinSlices(2)); }),
            "the image cannot be periodic along z, along which connectivity 4 within slices along z has no neighbors");
}

TEST(Connectivity, SlicesLeaveOneAxisOut)
{
  const Connectivity slices = Connectivity::Full(2).WithinSlices(1);
  EXPECT_EQ(slices.Dimension(), 3);
  EXPECT_EQ(slices.NeighborCount(), 8);
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
