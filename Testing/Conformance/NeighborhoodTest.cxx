// SPDX-License-Identifier: Apache-2.0
// Neighborhoods of any offsets, and periodic axes, compared with the flood fill: every algorithm, all kinds of
// criteria, masks, channels, threads and divisions of the work.

#include "FloodFill.h"
#include "SlowBuild.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using testing::FloodFill;
using testing::FloodFillProblem;

/** An image with what is asked of it. */
struct Case
{
  Extent                                   extent;
  std::vector<std::int16_t>                voxels;
  int                                      channels = 1;
  std::optional<std::vector<std::uint8_t>> mask;
  Criterion                                criterion;
  Connectivity                             connectivity;
  PeriodicAxes                             periodic = {};

  std::string
  ToString() const
  {
    return "extent " + extent.ToString() + ", " + connectivity.ToString() + " neighbors, periodic along '" +
           periodic.ToString() + "', " + criterion.ToString() + (mask ? ", mask" : "") + ", " +
           std::to_string(channels) + " channels";
  }

  std::vector<std::uint64_t>
  Expected() const
  {
    FloodFillProblem problem;
    problem.extent = extent;
    problem.channels = channels;
    problem.criterion = criterion;
    problem.values.assign(voxels.begin(), voxels.end());
    if (mask)
    {
      problem.mask.emplace(mask->begin(), mask->end());
    }
    problem.offsets.emplace();
    for (const NeighborOffset & offset : connectivity.Offsets())
    {
      problem.offsets->insert(offset);
    }
    for (std::size_t axis = 0; axis < problem.periodic.size(); ++axis)
    {
      problem.periodic[axis] = periodic.Has(static_cast<int>(axis));
    }
    return FloodFill(problem);
  }
};

/** Labels on one device by every algorithm that it has for the problem, with several divisions of the work.
 *  \return the number of algorithms. */
int
Compare(const Case & problem, const std::vector<std::uint64_t> & expected, Device::Kind kind)
{
  static Labeling labeling; // keeps memory from case to case
  LabelOptions    options;
  options.connectivity = problem.connectivity;
  options.periodic = problem.periodic;
  options.criterion = problem.criterion;
  options.device = { kind, 0 };
  if (problem.mask)
  {
    options.mask = ImageView(problem.mask->data(), problem.extent);
  }
  int        compared = 0;
  const bool isOnCpu = kind == Device::Kind::Cpu;
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    const auto runsOn = isOnCpu ? AlgorithmRunsOnCpu : AlgorithmRunsOnCuda;
    if (!runsOn(algorithm.name, problem.extent, problem.criterion, problem.connectivity))
    {
      continue;
    }
    options.algorithm = algorithm.name;
    for (const int threads : isOnCpu ? testing::NumbersOfThreads() : std::vector<int>{ 1 })
    {
      options.threads = threads;
      options.grain = threads == 1 ? 1 << 16 : 1;
      Label(ImageView(problem.voxels.data(), problem.extent, problem.channels), options, labeling);
      std::vector<std::uint64_t> labels(expected.size(), 12345);
      labeling.Write(labels.data());
      EXPECT_EQ(labels, expected) << algorithm.name << ", " << problem.ToString() << ", " << threads << " threads";
      EXPECT_EQ(labeling.ComponentCount(), *std::max_element(expected.begin(), expected.end()));
    }
    ++compared;
  }
  return compared;
}

void
ExpectSameAsFloodFill(const Case & problem)
{
  const auto expected = problem.Expected();
  ASSERT_GE(Compare(problem, expected, Device::Kind::Cpu), 2) << problem.ToString();
  static const bool hasCuda = ResolveDevice({ Device::Kind::Cuda, 0 }).device.kind == Device::Kind::Cuda;
  static int        cases = 0;
  // Kernels that are compiled for the host are slow.
  if (hasCuda && problem.connectivity.Plain().AxisCount() > 0 && ++cases % 16 == 0)
  {
    ASSERT_GE(Compare(problem, expected, Device::Kind::Cuda), 1) << problem.ToString();
  }
}

/** Numbers below `limit`, the next one each time. */
class Numbers
{
public:
  explicit Numbers(std::uint64_t seed)
    : m_Seed(seed)
  {}
  std::uint64_t
  Below(std::uint64_t limit)
  {
    return (HashOf(m_Seed, m_Next++) >> 20) % limit;
  }

private:
  std::uint64_t m_Seed;
  std::uint64_t m_Next = 0;
};

/** Each pair of opposite offsets is there with a probability. */
Connectivity
RandomNeighborhood(int dimension, std::uint64_t percent, Numbers & numbers)
{
  std::vector<NeighborOffset> offsets;
  for (const NeighborOffset & offset : Connectivity::Full(dimension).Offsets())
  {
    if (numbers.Below(100) < percent)
    {
      offsets.push_back(offset);
      offsets.push_back({ -offset[0], -offset[1], -offset[2], -offset[3] });
    }
  }
  return Connectivity::FromOffsets(dimension, offsets);
}

/** One that is a rank within slices and an axis, or the like. */
Connectivity
NamedNeighborhood(int dimension, Numbers & numbers)
{
  static const std::vector<std::vector<std::string>> texts = { { "2+y", "2+x" },
                                                               { "8+z", "8+y", "8+x", "4+z", "2+yz" },
                                                               { "26+t", "18+x", "8+zt", "6+t", "8+xy" } };
  const auto &                                       own = texts[static_cast<std::size_t>(dimension - 2)];
  const auto                                         place = static_cast<std::size_t>(numbers.Below(own.size()));
  return NeighborhoodFromText(own[place], dimension);
}

std::vector<Extent>
Extents()
{
  return { { 67, 13 },     { 130, 6 },      { 1, 40 },      { 40, 1 },     { 2, 9 },      { 9, 2 },
           { 66, 7, 5 },   { 20, 9, 8 },    { 3, 2, 70 },   { 1, 12, 11 }, { 65, 1, 2 },  { 2, 2, 2 },
           { 9, 5, 3, 4 }, { 66, 2, 3, 2 }, { 1, 3, 1, 9 }, { 64, 64 },    { 128, 3, 3 }, { 129, 11 } };
}

Case
RandomCase(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic, Numbers & numbers)
{
  const Criterion criteria[] = { Criterion::Foreground(),  Criterion::InRange(1, 2),
                                 Criterion::EqualValue(),  Criterion::EqualValue(std::nullopt),
                                 Criterion::Tolerance(1),  Criterion::Tolerance(1, std::nullopt),
                                 Criterion::Foreground(2), Criterion::Tolerance(2).Within(-2, 3) };
  Case       made{ extent, {}, numbers.Below(6) == 0 ? 2 : 1, {}, criteria[numbers.Below(8)], connectivity, periodic };
  const auto seed = numbers.Below(1 << 20);
  const auto solid =
    MakeRandom(extent, 0.1 + 0.1 * static_cast<double>(numbers.Below(9)), 1 + static_cast<int>(numbers.Below(3)), seed);
  const auto range = 1 + numbers.Below(6);
  for (const std::uint8_t voxel : solid)
  {
    for (int channel = 0; channel < made.channels; ++channel)
    {
      made.voxels.push_back(static_cast<std::int16_t>(voxel == 0 ? 0 : 1 + numbers.Below(range)));
    }
  }
  if (numbers.Below(3) == 0)
  {
    made.mask = MakeRandom(extent, 0.8, 2, seed + 1);
  }
  return made;
}

TEST(NeighborhoodConformance, RandomNeighborhoods)
{
  Numbers numbers(3);
  for (int round = 0; round < 12; ++round)
  {
    for (const Extent & extent : Extents())
    {
      const Connectivity connectivity = RandomNeighborhood(extent.dimension, 5 + 15 * numbers.Below(6), numbers);
      ExpectSameAsFloodFill(RandomCase(extent, connectivity, {}, numbers));
      if (HasFailure())
      {
        return;
      }
    }
  }
}

TEST(NeighborhoodConformance, RanksWithinSlicesAndAxes)
{
  Numbers numbers(5);
  for (int round = 0; round < 6; ++round)
  {
    for (const Extent & extent : Extents())
    {
      ExpectSameAsFloodFill(RandomCase(extent, NamedNeighborhood(extent.dimension, numbers), {}, numbers));
      if (HasFailure())
      {
        return;
      }
    }
  }
}

PeriodicAxes
RandomPeriodicAxes(const Connectivity & connectivity, Numbers & numbers)
{
  PeriodicAxes axes;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    if (connectivity.Uses(axis) && numbers.Below(3) != 0)
    {
      axes.Add(axis);
    }
  }
  return axes;
}

TEST(NeighborhoodConformance, PeriodicAxesOfRanks)
{
  Numbers numbers(7);
  for (const Extent & extent : Extents())
  {
    for (int rank = 1; rank <= extent.dimension; ++rank)
    {
      for (int round = 0; round < 4; ++round)
      {
        const Connectivity connectivity(extent.dimension, rank);
        ExpectSameAsFloodFill(RandomCase(extent, connectivity, RandomPeriodicAxes(connectivity, numbers), numbers));
        if (HasFailure())
        {
          return;
        }
      }
    }
  }
}

TEST(NeighborhoodConformance, PeriodicAxesOfNeighborhoodsAndSlices)
{
  Numbers numbers(11);
  for (int round = 0; round < 6; ++round)
  {
    for (const Extent & extent : Extents())
    {
      const int          dimension = extent.dimension;
      const Connectivity random = RandomNeighborhood(dimension, 5 + 15 * numbers.Below(6), numbers);
      const Connectivity slices =
        Connectivity(dimension - 1, 1 + static_cast<int>(numbers.Below(static_cast<std::uint64_t>(dimension - 1))))
          .WithinSlices(static_cast<int>(numbers.Below(static_cast<std::uint64_t>(dimension))));
      for (const Connectivity & connectivity : { random, NamedNeighborhood(dimension, numbers), slices })
      {
        ExpectSameAsFloodFill(RandomCase(extent, connectivity, RandomPeriodicAxes(connectivity, numbers), numbers));
        if (HasFailure())
        {
          return;
        }
      }
    }
  }
}

/** Single voxels that meet only through the ends. */
TEST(NeighborhoodConformance, VoxelsThatMeetThroughEnds)
{
  const Extent extent{ 6, 5, 4 };
  for (const char * axes : { "x", "y", "z", "xy", "xz", "yz", "xyz" })
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      for (std::size_t first = 0; first < 120; first += 7)
      {
        Case made{ extent,
                   std::vector<std::int16_t>(120, 0),
                   1,
                   {},
                   Criterion::Foreground(),
                   Connectivity(3, rank),
                   PeriodicAxes::FromNames(axes) };
        for (const std::size_t corner : { 0, 5, 24, 29, 90, 95, 114, 119 })
        {
          made.voxels[corner] = corner % 7 == first % 7 ? 0 : 1;
        }
        ExpectSameAsFloodFill(made);
        if (HasFailure())
        {
          return;
        }
      }
    }
  }
}

} // namespace
} // namespace brickccl
