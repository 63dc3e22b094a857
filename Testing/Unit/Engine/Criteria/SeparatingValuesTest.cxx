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

#include <limits>

namespace brickccl
{
namespace
{

/** Whether bits tell the voxels of an image apart under a tolerance; those of two rows that they do tell apart must not
 *  be joined. */
template <typename T>
bool
KnowsSeparation(const std::vector<T> & voxels, const Extent & extent, double tolerance = 10)
{
  const auto        links = MakeRowLinks(ImageView(voxels.data(), extent), Criterion::Tolerance(tolerance));
  const auto        words = static_cast<std::size_t>(WordsForBits(extent.RowLength()));
  std::vector<Word> bits[4];
  for (std::int64_t row = 0; row + 1 < extent.RowCount() && links->KnowsSeparation(); ++row)
  {
    for (std::vector<Word> & words64 : bits)
    {
      words64.assign(words, 5);
    }
    links->PackSeparated(row, bits[0].data(), bits[1].data());
    links->PackSeparated(row + 1, bits[2].data(), bits[3].data());
    for (std::int64_t x = 0; x < extent.RowLength(); ++x)
    {
      const auto is = [&](int i) { return (bits[i][static_cast<std::size_t>(x / 64)] >> (x % 64) & 1u) != 0; };
      const bool isFar = (is(0) && is(3)) || (is(1) && is(2));
      const auto place = row * extent.RowLength() + x;
      EXPECT_FALSE(isFar && links->AreJoined(place, place + extent.RowLength())) << "voxel " << x << " of row " << row;
      // All voxels of these images are of one of the two kinds.
      EXPECT_TRUE(is(0) != is(1)) << "voxel " << x << " of row " << row;
    }
  }
  return links->KnowsSeparation();
}

template <typename T>
void
CheckSeparatedVoxels()
{
  for (const Extent & extent : { Extent{ 200, 30, 3 }, Extent{ 64, 64 }, Extent{ 40, 50 } })
  {
    std::vector<T> kinds;
    std::vector<T> noise;
    std::vector<T> slope;
    const auto     count = static_cast<std::size_t>(extent.VoxelCount());
    const auto     mask = MakeRandom(extent, 0.4, 4, 1);
    for (std::size_t i = 0; i < count; ++i)
    {
      const auto small = static_cast<T>(i * 7919 % 11);
      kinds.push_back(static_cast<T>(small + (mask[i] != 0 ? 90 : 10)));
      noise.push_back(static_cast<T>(i * 7919 % 101));
      slope.push_back(static_cast<T>(i % static_cast<std::size_t>(extent.RowLength()) / 4));
    }
    EXPECT_TRUE(KnowsSeparation(kinds, extent)) << extent.ToString();
    // Noise is of no kinds, and of a slope all neighbors are joined.
    EXPECT_FALSE(MakeRowLinks(ImageView(noise.data(), extent), Criterion::Tolerance(10))->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(slope.data(), extent), Criterion::Tolerance(10))->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(kinds.data(), extent), Criterion::EqualValue())->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(kinds.data(), extent), Criterion::Foreground())->KnowsSeparation());
  }
}

TEST(SeparatingValues, VoxelsOfTwoKindsAreToldApart)
{
  CheckSeparatedVoxels<std::uint8_t>();
  CheckSeparatedVoxels<std::int16_t>();
  CheckSeparatedVoxels<std::int32_t>();
  CheckSeparatedVoxels<std::uint64_t>();
  CheckSeparatedVoxels<float>();
  CheckSeparatedVoxels<double>();

  // Infinite values are not among the values just below.
  const Extent       extent{ 100, 100 };
  const auto         mask = MakeRandom(extent, 0.4, 4, 1);
  std::vector<float> voxels;
  for (std::size_t i = 0; i < mask.size(); ++i)
  {
    voxels.push_back(mask[i] != 0 ? std::numeric_limits<float>::infinity()
                     : i % 2 == 0 ? std::numeric_limits<float>::max()
                                  : 3e38f);
  }
  EXPECT_TRUE(KnowsSeparation(voxels, extent, 1e38));
}

} // namespace
} // namespace brickccl
