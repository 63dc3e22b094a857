// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

namespace brickccl
{
namespace
{

/** Two voxels that touch and differ, in a corner of an image that has nothing near it, so that the image's neighbors
 *  are not all of one component. */
void
AddTouchingPair(const Extent & extent, std::vector<std::uint16_t> & labels)
{
  const auto         last = labels.size() - 1;
  const std::int64_t before = extent.size[2] > 1 ? extent.size[0] * extent.size[1]
                            : extent.size[1] > 1 ? extent.size[0]
                                                 : 1;
  labels[last] = 65534;
  labels[last - static_cast<std::size_t>(before)] = 65535;
}

TEST(Measures, AreTheSameByRunsAndByBits)
{
  // Rows that end with a word, and others.
  for (const Extent & extent : { Extent{ 64, 20, 12 },
                                 Extent{ 128, 9, 14 },
                                 Extent{ 577, 11, 10 },
                                 Extent{ 1, 40, 30 },
                                 Extent{ 90, 1, 30 },
                                 Extent{ 640, 30 },
                                 Extent{ 65, 40 },
                                 Extent{ 700 } })
  {
    for (const int grain : { 1, 3 })
    {
      auto voxels = MakeRandom(extent, grain == 1 ? 0.08 : 0.1, grain, 5 + static_cast<std::uint64_t>(grain));
      // Nothing near the last voxels.
      for (std::size_t i = 0; i < voxels.size(); ++i)
      {
        const auto place = static_cast<std::int64_t>(i);
        const bool isLast[] = { place % extent.size[0] >= extent.size[0] - 3,
                                place / extent.size[0] % extent.size[1] >= extent.size[1] - 3,
                                place / extent.size[0] / extent.size[1] >= extent.size[2] - 3 };
        voxels[i] = isLast[0] && isLast[1] && isLast[2] ? std::uint8_t{ 0 } : voxels[i];
      }
      for (const bool isFull : { true, false })
      {
        LabelOptions options;
        options.device = cpu;
        options.connectivity = isFull ? Connectivity::Full(extent.dimension) : Connectivity::Face(extent.dimension);
        // Those that are removed still touch others where the connectivity is not full.
        options.relabel.minimumSize = grain == 1 ? 2 : 0;
        const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
        std::vector<std::uint16_t> labels(voxels.size());
        labeling.Write(labels.data());
        const auto ofLabeling = labeling.Measure({ {}, ColumnGroups::FromNames("surface,topology") });
        const auto ofImage = MeasureLabels(extent, labels, "surface,topology");
        AddTouchingPair(extent, labels);
        const auto byRuns = MeasureLabels(extent, labels, "surface,topology");
        ASSERT_GT(ofLabeling.components.size(), 1u) << extent.ToString();
        ASSERT_EQ(byRuns.components.size(), ofLabeling.components.size() + 2);
        for (std::size_t c = 0; c < ofLabeling.components.size(); ++c)
        {
          for (const ComponentTable * const table : { &ofLabeling, &ofImage })
          {
            ASSERT_EQ(table->measures.Of<SurfaceMeasures>()[c].faces, byRuns.measures.Of<SurfaceMeasures>()[c].faces)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<SurfaceMeasures>()[c].crofton,
                      byRuns.measures.Of<SurfaceMeasures>()[c].crofton)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<TopologyMeasures>()[c].eulerFull,
                      byRuns.measures.Of<TopologyMeasures>()[c].eulerFull)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<TopologyMeasures>()[c].eulerFace,
                      byRuns.measures.Of<TopologyMeasures>()[c].eulerFace)
              << extent.ToString() << ' ' << c;
          }
        }
      }
    }
  }
}

/** Whether all neighbors among the foreground, up to `rank` axes apart, have the same label. */
bool
NeighborsAreSame(const Extent & extent, const std::vector<std::uint16_t> & labels, int rank)
{
  const std::int64_t nx = extent.size[0];
  const std::int64_t ny = extent.size[1];
  const std::int64_t nz = extent.size[2];
  const auto         at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz
                   ? std::uint16_t{ 0 }
                   : labels[static_cast<std::size_t>((z * ny + y) * nx + x)];
  };
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    const std::int64_t x = place % nx;
    const std::int64_t y = place / nx % ny;
    const std::int64_t z = place / nx / ny;
    for (int step = 0; step < 27 && at(x, y, z) != 0; ++step)
    {
      const std::uint16_t other = at(x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1);
      const int           axes = (step % 3 != 1) + (step / 3 % 3 != 1) + (step / 9 != 1);
      if (other != 0 && other != at(x, y, z) && axes <= rank)
      {
        return false;
      }
    }
  }
  return true;
}

TEST(Measures, KnowWhetherNeighborsAreOfOneComponent)
{
  int joined = 0;
  int trials = 0;
  for (const Extent & extent : { Extent{ 70, 12, 9 }, Extent{ 600, 7, 5 }, Extent{ 1, 20, 30 }, Extent{ 66, 40 } })
  {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
    {
      auto         voxels = MakeRandom(extent, 0.08, 1 + static_cast<int>(seed % 3), 100 + seed);
      LabelOptions options;
      options.device = cpu;
      options.connectivity = Connectivity::Full(extent.dimension);
      const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
      std::vector<std::uint16_t> labels(voxels.size());
      labeling.Write(labels.data());
      // Of most, one voxel is another component's: next to its own one, or by itself.
      if (seed % 4 != 0)
      {
        labels[static_cast<std::size_t>(seed * 7919) % labels.size()] = 60000;
      }
      for (const int threads : { 1, 3 })
      {
        HostContext context{ threads };
        context.grain = 100;
        RunVolume volume;
        MeasureLabelImage(ImageView(labels.data(), extent), {}, {}, context, volume);
        const bool expected = NeighborsAreSame(extent, labels, 3);
        ASSERT_EQ(TouchingRunsAreJoined(volume, context), expected) << extent.ToString() << ", seed " << seed;
        ASSERT_EQ(TouchingRunsAreJoined(volume, context, 1), NeighborsAreSame(extent, labels, 1))
          << extent.ToString() << ", seed " << seed;
        joined += expected ? 1 : 0;
        ++trials;
      }
    }
  }
  EXPECT_GT(joined, trials / 5);
  EXPECT_LT(joined, trials - trials / 5);
}

} // namespace
} // namespace brickccl
