// SPDX-License-Identifier: Apache-2.0
// Volumes that are labeled by slabs have the labels of volumes that are labeled at once.

#include "BrickCCL/Labels/StackSlabs.h"

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace brickccl
{
namespace
{

LabelOptions
OptionsFor(const Criterion & criterion, const Connectivity & connectivity)
{
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.criterion = criterion;
  options.connectivity = connectivity;
  options.grain = 64;
  return options;
}

/** Values 0..3 in grains. */
std::vector<std::uint8_t>
Grains(const Extent & extent, double density, int grain, std::uint64_t seed)
{
  auto voxels = MakeRandom(extent, density, grain, seed);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    voxels[i] = static_cast<std::uint8_t>(voxels[i] * (1 + HashOf(seed, i / 3) % 3));
  }
  return voxels;
}

/** The runs of all rows with their labels. */
std::vector<std::uint64_t>
RunsAndLabels(const RunVolume & volume)
{
  std::vector<std::uint64_t> all;
  for (std::int64_t row = 0; row < volume.GetExtent().RowCount(); ++row)
  {
    volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      all.insert(all.end(),
                 { static_cast<std::uint64_t>(row),
                   static_cast<std::uint64_t>(begin),
                   static_cast<std::uint64_t>(end),
                   volume.Label(run) });
    });
  }
  return all;
}

void
CheckStacked(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity, const SlabCut & cut)
{
  const auto                 voxels = Grains(extent, 0.4, 2, cut.Count());
  const LabelOptions         options = OptionsFor(criterion, connectivity);
  const ImageView            image(voxels.data(), extent);
  const Labeling             whole = Label(image, options);
  std::vector<RunVolume>     slabs;
  std::vector<std::uint64_t> components;
  for (std::size_t slab = 0; slab < cut.Count(); ++slab)
  {
    Labeling part = Label(ImageView(voxels.data() + cut.VoxelsBefore(slab), cut.ExtentOf(slab)), options);
    components.push_back(part.ComponentCount());
    slabs.push_back(TakeRuns(part));
  }
  RunVolume         result;
  const HostContext context{ 2, {}, 64 };
  const auto        links = MakeRowLinks(image, criterion, std::nullopt);
  ASSERT_EQ(StackSlabs(cut, *links, connectivity, slabs, components, context, result), whole.ComponentCount())
    << extent.ToString() << ", " << criterion.ToString() << ", " << connectivity.ToString();
  ASSERT_EQ(RunsAndLabels(result), RunsAndLabels(RunsOf(whole)))
    << extent.ToString() << ", " << criterion.ToString() << ", " << connectivity.ToString();
}

TEST(Slabs, StackedTheyHaveTheLabelsOfTheWhole)
{
  for (const Extent & extent : { Extent{ 70, 9, 11 }, Extent{ 130, 23 }, Extent{ 20, 5, 4, 6 }, Extent{ 33, 12, 1 } })
  {
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      for (int rank = 1; rank <= extent.dimension; ++rank)
      {
        for (const std::int64_t least : { 1, 2, 3, 100 })
        {
          CheckStacked(extent, criterion, Connectivity(extent.dimension, rank), CutIntoSlabs(extent, least, 1 << 20));
        }
      }
      CheckStacked(extent,
                   criterion,
                   Connectivity(extent.dimension - 1, 1).WithinSlices(extent.dimension - 1),
                   CutIntoSlabs(extent, 3, 1 << 20));
    }
  }
}

TEST(Slabs, AreCutWithinTheirLimitsAndCoverTheVolume)
{
  for (std::int64_t slices = 1; slices < 40; ++slices)
  {
    for (const std::int64_t least : { 1, 2, 7, 64 })
    {
      for (const std::int64_t maximum : { 1, 30, 100, 1000 })
      {
        const SlabCut cut = CutIntoSlabs({ 6, 5, slices }, least, maximum);
        ASSERT_EQ(cut.axis, slices > 1 ? 2 : 1);
        ASSERT_EQ(cut.begins.front(), 0);
        ASSERT_EQ(cut.End(cut.Count() - 1), cut.volume.size[cut.axis]);
        ASSERT_GE(static_cast<std::int64_t>(cut.Count()), std::min(least, cut.volume.size[cut.axis]));
        for (std::size_t slab = 0; slab < cut.Count(); ++slab)
        {
          ASSERT_GT(cut.End(slab), cut.begins[slab]);
          ASSERT_LE(cut.ExtentOf(slab).VoxelCount(), std::max(maximum, cut.VoxelsPerSlice()));
        }
      }
    }
  }
  EXPECT_EQ(CutIntoSlabs({ 100 }, 5, 10).Count(), 1u);
  EXPECT_EQ(CutIntoSlabs({ 100, 1, 1 }, 5, 10).Count(), 1u);
}

} // namespace
} // namespace brickccl
