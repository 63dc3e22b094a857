// SPDX-License-Identifier: Apache-2.0
#include "FloodFill.h"
#include "BrickCCL/Algorithms/BundleMerging/BundleMerging.h"
#include "BrickCCL/Algorithms/RunMerging/RunMerging.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/RunBounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace brickccl
{
namespace
{

/** Row lengths and addresses of every kind that the vector code tells apart, against the general way. */
TEST(LabelMap, LabelMapsAreTheSameForEveryAlignment)
{
  for (const std::int64_t length : { 1, 3, 8, 60, 63, 64, 65, 71, 128, 130, 200, 516 })
  {
    const Extent               extent{ length, 5, 3 };
    const auto                 voxels = MakeRandom(extent, 0.6, 1, 3);
    const auto                 labeling = Label(ImageView(voxels.data(), extent), {});
    const auto                 size = voxels.size();
    std::vector<std::uint64_t> general(size);
    labeling.Write(general.data());
    for (std::size_t offset = 0; offset < 9; ++offset)
    {
      std::vector<std::uint32_t> room(size + 20, 77);
      std::uint32_t * const      labels = room.data() + offset;
      labeling.Write(labels);
      EXPECT_TRUE(std::equal(general.begin(), general.end(), labels)) << length << " at offset " << offset;
      EXPECT_EQ(std::count(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(offset), 77u),
                static_cast<std::ptrdiff_t>(offset));
      EXPECT_EQ(std::count(room.begin() + static_cast<std::ptrdiff_t>(offset + size), room.end(), 77u),
                static_cast<std::ptrdiff_t>(20 - offset));
    }
  }
}

TEST(LabelMap, ListsHoldEveryVoxelOfEachComponentInRasterOrder)
{
  for (const auto & [extent, density] : { std::pair(Extent{ 70, 9, 6 }, 0.3),
                                          std::pair(Extent{ 64, 16 }, 0.0),
                                          std::pair(Extent{ 33, 5, 4, 3 }, 1.0),
                                          std::pair(Extent{ 200 }, 0.6) })
  {
    const auto voxels = MakeRandom(extent, density, 1, 5);
    for (const int threads : { 1, 3 })
    {
      LabelOptions options;
      options.device = { Device::Kind::Cpu, 0 };
      options.threads = threads;
      const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
      std::vector<std::uint32_t> labels(voxels.size());
      labeling.Write(labels.data());
      const LabelLists lists = labeling.ListVoxels();
      ASSERT_EQ(lists.ComponentCount(), labeling.ComponentCount());
      ASSERT_EQ(lists.offsets.front(), 0u);
      ASSERT_EQ(lists.offsets.back(), labeling.ForegroundVoxelCount());
      for (std::uint64_t component = 0; component < lists.ComponentCount(); ++component)
      {
        std::vector<std::int64_t> expected;
        for (std::size_t i = 0; i < labels.size(); ++i)
        {
          if (labels[i] == component + 1)
          {
            expected.push_back(static_cast<std::int64_t>(i));
          }
        }
        const auto begin = lists.voxels.begin() + static_cast<std::ptrdiff_t>(lists.offsets[component]);
        const auto end = lists.voxels.begin() + static_cast<std::ptrdiff_t>(lists.offsets[component + 1]);
        ASSERT_EQ(std::vector<std::int64_t>(begin, end), expected) << extent.ToString() << ", component " << component;
      }
    }
  }
  // Components that a size filter has taken away have no voxels.
  const Extent plane{ 60, 50 };
  const auto   voxels = MakeRandom(plane, 0.4, 1, 6);
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.relabel.minimumSize = 5;
  const Labeling labeling = Label(ImageView(voxels.data(), plane), options);
  EXPECT_LT(labeling.ListVoxels().voxels.size(), labeling.ForegroundVoxelCount());
  EXPECT_EQ(labeling.ListVoxels().ComponentCount(), labeling.ComponentCount());
}

} // namespace
} // namespace brickccl
