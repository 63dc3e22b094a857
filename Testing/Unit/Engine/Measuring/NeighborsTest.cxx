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
#include <map>
#include <set>

namespace brickccl
{
namespace
{

TEST(Neighbors, EqualTheSearchOverAllVoxels)
{
  for (const double background : { 0.4, 0.95 })
  {
    for (const Extent & extent : { Extent{ 30, 12, 8 }, Extent{ 50, 40 } })
    {
      const Geometry             geometry = Anisotropic();
      const auto                 labels = RandomLabels(extent, 2, background > 0.9 ? 500 : 9, background, 21);
      std::vector<std::uint16_t> part(labels.size());
      for (std::size_t i = 0; i < part.size(); ++i)
      {
        part[i] = HashOf(5, i / 3) % 40 == 0 ? 0 : 1;
      }
      MeasureOptions options;
      options.groups.Add("neighbors");
      options.part = ImageView(part.data(), extent);
      const auto table = MeasureLabelImage(ImageView(labels.data(), extent), geometry, options);
      const auto voxels = VoxelsOf(extent, labels);
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, double>> contacts;
      for (std::size_t c = 0; c < table.components.size(); ++c)
      {
        const std::uint64_t     label = table.components[c].label;
        double                  nearest = 1e30;
        std::uint64_t           nearestLabel = 0;
        std::set<std::uint64_t> touching;
        double                  area = 0;
        for (const auto & [other, theirs] : voxels)
        {
          for (const Index & a : voxels.at(label))
          {
            for (const Index & b : theirs)
            {
              const double square = other == label ? 1e30 : SquaredGap(a, b, geometry, 0.5);
              if (square < nearest)
              {
                nearest = square;
                nearestLabel = other;
              }
              const std::int64_t steps = std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
              if (other != label && steps == 1)
              {
                touching.insert(other);
                double face = 1;
                for (std::size_t axis = 0; axis < static_cast<std::size_t>(extent.dimension); ++axis)
                {
                  face *= a[axis] == b[axis] ? geometry.spacing[axis] : 1;
                }
                area += face;
                if (label < other)
                {
                  auto & contact = contacts[{ label, other }];
                  ++contact.first;
                  contact.second += face;
                }
              }
            }
          }
        }
        EXPECT_DOUBLE_EQ(table.measures.Of<NeighborMeasures>()[c].distance, std::sqrt(nearest));
        EXPECT_EQ(table.measures.Of<NeighborMeasures>()[c].nearest, nearestLabel);
        EXPECT_EQ(table.measures.Of<NeighborMeasures>()[c].touching, touching.size());
        EXPECT_NEAR(table.measures.Of<NeighborMeasures>()[c].contactArea, area, 1e-9 * area);
        double toOutside = 1e30;
        for (std::size_t i = 0; i < part.size(); ++i)
        {
          const auto  place = static_cast<std::int64_t>(i);
          const Index at{ place % extent.size[0],
                          place / extent.size[0] % extent.size[1],
                          place / extent.size[0] / extent.size[1] };
          for (std::size_t k = 0; part[i] == 0 && k < voxels.at(label).size(); ++k)
          {
            toOutside = std::min(toOutside, SquaredGap(voxels.at(label)[k], at, geometry, 0.5));
          }
        }
        EXPECT_DOUBLE_EQ(ValueOf(table, c, "surface_distance_mm"), std::sqrt(toOutside));
      }
      ASSERT_EQ(table.contacts.size(), contacts.size());
      std::size_t k = 0;
      for (const auto & [pair, contact] : contacts)
      {
        EXPECT_EQ(table.contacts[k].first, pair.first);
        EXPECT_EQ(table.contacts[k].second, pair.second);
        EXPECT_EQ(table.contacts[k].faces, contact.first);
        EXPECT_NEAR(table.contacts[k].area, contact.second, 1e-9 * contact.second);
        ++k;
      }
    }
  }
}

TEST(Neighbors, TouchWithCornersInFourDimensions)
{
  // 1 and 2 touch with a corner, 2 and 3 with an edge; the runs of 3 and 4 end together.
  const Extent               extent{ 4, 4, 4, 4 };
  std::vector<std::uint16_t> labels(256, 0);
  const auto                 at = [&](std::size_t x, std::size_t y, std::size_t z, std::size_t t) -> std::uint16_t & {
    return labels[((t * 4 + z) * 4 + y) * 4 + x];
  };
  at(0, 3, 0, 0) = 1;
  at(1, 2, 1, 1) = 2;
  at(2, 2, 1, 2) = at(1, 0, 1, 2) = 3;
  at(1, 0, 2, 2) = at(0, 0, 2, 2) = 4;
  at(3, 0, 3, 0) = 5;
  const auto          table = MeasureLabels(extent, labels, "neighbors", Geometry{});
  const std::uint64_t nearest[] = { 2, 1, 2, 3, 4 };
  for (std::size_t c = 0; c < 5; ++c)
  {
    const NeighborMeasures measures = table.measures.Of<NeighborMeasures>()[c];
    EXPECT_EQ(measures.nearest, nearest[c]) << "component " << c + 1;
    EXPECT_EQ(measures.distance, c < 4 ? 0 : std::sqrt(2.0)) << "component " << c + 1;
    EXPECT_EQ(measures.touching, c == 2 || c == 3 ? 1u : 0u) << "component " << c + 1;
  }
  ASSERT_EQ(table.contacts.size(), 1u);
  EXPECT_EQ(table.contacts[0].faces, 1u);
}

TEST(Neighbors, TouchAcrossTheFourthAxisAlone)
{
  const Extent                     extent{ 3, 2, 2, 3 };
  const std::vector<std::uint16_t> labels = [&] {
    std::vector<std::uint16_t> voxels(36, 0);
    voxels[0] = voxels[1] = 1;
    voxels[12] = voxels[13] = 2;
    return voxels;
  }();
  const auto table = MeasureLabels(extent, labels, "neighbors", Geometry{});
  ASSERT_EQ(table.contacts.size(), 1u);
  EXPECT_EQ(table.contacts[0].faces, 2u);
  EXPECT_EQ(table.measures.Of<NeighborMeasures>()[0].touching, 1u);
  EXPECT_EQ(table.measures.Of<NeighborMeasures>()[1].nearest, 1u);
}

TEST(Neighbors, CountMillionsOfFacesOfOnePair)
{
  // More than are listed at once.
  constexpr std::int64_t     side = 100;
  const Extent               extent{ side, side, side };
  std::vector<std::uint16_t> labels(side * side * side);
  for (std::int64_t i = 0; i < side * side * side; ++i)
  {
    labels[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(1 + (i + i / side + i / side / side) % 2);
  }
  const auto table = MeasureLabels(extent, labels, "neighbors", Geometry{}, 1);
  ASSERT_EQ(table.contacts.size(), 1u);
  EXPECT_EQ(table.contacts[0].faces, 3u * side * side * (side - 1));
  EXPECT_EQ(table.contacts[0].area, 3.0 * side * side * (side - 1));
}

TEST(Measures, AreTheSameForEveryNumberOfThreads)
{
  const Extent extent{ 90, 60, 40 };
  const auto   labels = RandomLabels(extent, 3, 400, 0.5, 2);
  std::string  expected;
  for (const int threads : { 1, 2, 5 })
  {
    std::ostringstream text;
    WriteDelimited(text,
                   MeasureLabels(extent, labels, "feret,surface,topology,thickness,neighbors", Anisotropic(), threads),
                   ',');
    expected = threads == 1 ? text.str() : expected;
    EXPECT_EQ(text.str(), expected) << threads << " threads";
  }
}

} // namespace
} // namespace brickccl
