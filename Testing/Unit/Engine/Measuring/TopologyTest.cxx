// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace brickccl
{
namespace
{

/** Counts the closed boxes' elements: a cell has even coordinates where it is thin. */
std::int64_t
EulerOfClosedBoxes(const std::vector<Index> & voxels, int dimension)
{
  std::set<Index> cells;
  for (const Index & voxel : voxels)
  {
    for (int part = 0; part < 27; ++part)
    {
      const Index step{ part % 3 - 1, part / 3 % 3 - 1, part / 9 - 1 };
      if ((dimension == 2 && step[2] != 0) || (dimension == 1 && (step[2] != 0 || step[1] != 0)))
      {
        continue;
      }
      cells.insert({ 2 * voxel[0] + 1 + step[0], 2 * voxel[1] + 1 + step[1], 2 * voxel[2] + 1 + step[2] });
    }
  }
  std::int64_t euler = 0;
  for (const Index & cell : cells)
  {
    int thick = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      thick += cell[static_cast<std::size_t>(axis)] % 2 != 0 ? 1 : 0;
    }
    euler += thick % 2 == 0 ? 1 : -1;
  }
  return euler;
}

/** Voxels, pairs, squares and cubes of voxels that join through faces. */
std::int64_t
EulerOfFaceNeighbors(const std::vector<Index> & voxels, int dimension)
{
  const std::set<Index> set(voxels.begin(), voxels.end());
  std::int64_t          euler = 0;
  for (const Index & voxel : voxels)
  {
    for (int block = 0; block < 1 << dimension; ++block)
    {
      bool isFull = true;
      int  thick = 0;
      for (int corner = 0; corner < 1 << dimension; ++corner)
      {
        if ((corner & ~block) == 0)
        {
          isFull =
            isFull &&
            set.count({ voxel[0] + (corner & 1), voxel[1] + (corner >> 1 & 1), voxel[2] + (corner >> 2 & 1) }) > 0;
        }
      }
      for (int axis = 0; axis < dimension; ++axis)
      {
        thick += block >> axis & 1;
      }
      euler += isFull ? (thick % 2 == 0 ? 1 : -1) : 0;
    }
  }
  return euler;
}

TEST(Topology, EulerNumbersEqualTheCountsOfElements)
{
  for (const Extent & extent : { Extent{ 70, 12, 9 }, Extent{ 66, 40 }, Extent{ 200 } })
  {
    for (const int grain : { 1, 2 })
    {
      const auto labels = RandomLabels(extent, grain, 4, 0.35, static_cast<std::uint64_t>(grain));
      const auto table = MeasureLabels(extent, labels, "topology");
      const auto voxels = VoxelsOf(extent, labels);
      ASSERT_EQ(table.measures.Of<TopologyMeasures>().size(), voxels.size());
      for (std::size_t c = 0; c < table.components.size(); ++c)
      {
        const auto & own = voxels.at(table.components[c].label);
        EXPECT_EQ(table.measures.Of<TopologyMeasures>()[c].eulerFull, EulerOfClosedBoxes(own, extent.dimension))
          << extent.ToString();
        EXPECT_EQ(table.measures.Of<TopologyMeasures>()[c].eulerFace, EulerOfFaceNeighbors(own, extent.dimension))
          << extent.ToString();
      }
    }
  }
}

TEST(Topology, OfSolidsWithHolesAndCavities)
{
  const Extent                                                extent{ 40, 40, 40 };
  const auto                                                  ball = Filled(extent, [](double x, double y, double z) {
    return (x - 20) * (x - 20) + (y - 20) * (y - 20) + (z - 20) * (z - 20) < 200;
  });
  const auto                                                  shell = Filled(extent, [](double x, double y, double z) {
    const double square = (x - 20) * (x - 20) + (y - 20) * (y - 20) + (z - 20) * (z - 20);
    return square < 200 && square > 60;
  });
  const auto                                                  torus = Filled(extent, [](double x, double y, double z) {
    const double ring = std::sqrt((x - 20) * (x - 20) + (y - 20) * (y - 20)) - 12;
    return ring * ring + (z - 20) * (z - 20) < 16;
  });
  const std::pair<const std::vector<std::uint16_t> *, double> solids[] = { { &ball, 1 }, { &shell, 2 }, { &torus, 0 } };
  for (const auto & [labels, euler] : solids)
  {
    const auto table = MeasureLabels(extent, *labels, "topology");
    EXPECT_EQ(ValueOf(table, 0, "euler_number_26"), euler);
    EXPECT_EQ(ValueOf(table, 0, "euler_number_6"), euler);
    EXPECT_EQ(ValueOf(table, 0, "tunnels_less_cavities_26"), 1 - euler);
  }
  // Two squares that touch in a corner: one piece, or two; a frame has a hole.
  const std::vector<std::uint16_t> corner{ 1, 0, 0, 1 };
  const auto                       pair = MeasureLabels({ 2, 2 }, corner, "topology");
  EXPECT_EQ(ValueOf(pair, 0, "euler_number_8"), 1);
  EXPECT_EQ(ValueOf(pair, 0, "euler_number_4"), 2);
  const std::vector<std::uint16_t> frame{ 1, 1, 1, 1, 0, 1, 1, 1, 1 };
  EXPECT_EQ(ValueOf(MeasureLabels({ 3, 3 }, frame, "topology"), 0, "holes_8"), 1);
}

} // namespace
} // namespace brickccl
