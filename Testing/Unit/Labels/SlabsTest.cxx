// Volumes that are labeled by slabs have the labels of volumes that are labeled at once.

#include "BrickCCL/Labels/StackSlabs.h"

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/SlabMerge.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
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

/** The numbers of all labels by a plain search through sets. */
std::vector<std::vector<std::uint64_t>>
NumbersBySearch(const std::vector<std::uint64_t> & components, const std::vector<std::pair<int, int>> & joins)
{
  std::vector<int> leastOf(std::accumulate(components.begin(), components.end(), std::uint64_t{ 0 }));
  std::iota(leastOf.begin(), leastOf.end(), 0);
  for (bool changed = true; changed;)
  {
    changed = false;
    for (const auto & [a, b] : joins)
    {
      auto &    first = leastOf[static_cast<std::size_t>(a)];
      auto &    second = leastOf[static_cast<std::size_t>(b)];
      const int least = std::min(first, second);
      changed = changed || first != least || second != least;
      first = second = least;
    }
  }
  const std::set<int>                     roots(leastOf.begin(), leastOf.end());
  std::vector<std::vector<std::uint64_t>> numbers;
  std::size_t                             node = 0;
  for (const std::uint64_t count : components)
  {
    numbers.emplace_back();
    for (std::uint64_t i = 0; i < count; ++i, ++node)
    {
      numbers.back().push_back(static_cast<std::uint64_t>(std::distance(roots.begin(), roots.find(leastOf[node]))) + 1);
    }
  }
  return numbers;
}

TEST(Slabs, ThreadsMergeThemAsOneDoes)
{
  const std::vector<std::uint64_t> components = { 70001, 3, 0, 50000, 64, 90000 };
  const auto                       joinFrom = [&](SlabMerge & merge, std::uint64_t join) {
    const auto slab = static_cast<std::size_t>(HashOf(5, join) % 2 * 3);
    const auto other = slab == 0 ? std::size_t{ 3 } : std::size_t{ 5 };
    // A third of all joins meet one component.
    const std::uint64_t label = join % 3 == 0 ? 7 : 1 + HashOf(6, join) % components[slab];
    merge.Join(slab, label, other, 1 + HashOf(7, join) % components[other]);
  };
  constexpr std::int64_t joins = 60000;
  HostContext            one;
  one.threads = 1;
  SlabMerge serial(components);
  for (std::int64_t join = 0; join < joins; ++join)
  {
    joinFrom(serial, static_cast<std::uint64_t>(join));
  }
  serial.Finish(one);
  HostContext several;
  several.threads = 8;
  SlabMerge shared;
  for (int repeat = 0; repeat < 3; ++repeat)
  {
    shared.Reset(components);
    ParallelFor(joins / 100, several, [&](std::int64_t hundred) {
      for (std::int64_t join = 100 * hundred; join < 100 * (hundred + 1); ++join)
      {
        joinFrom(shared, static_cast<std::uint64_t>(join));
      }
    });
    shared.Finish(several);
    ASSERT_EQ(shared.ComponentCount(), serial.ComponentCount());
    for (std::size_t slab = 0; slab < components.size(); ++slab)
    {
      ASSERT_EQ(shared.FirstNumber(slab), serial.FirstNumber(slab));
      ASSERT_EQ(shared.Joined(slab).size(), serial.Joined(slab).size());
      for (std::size_t i = 0; i < serial.Joined(slab).size(); ++i)
      {
        ASSERT_EQ(shared.Joined(slab)[i].label, serial.Joined(slab)[i].label);
        ASSERT_EQ(shared.Joined(slab)[i].number, serial.Joined(slab)[i].number);
      }
    }
  }
  EXPECT_GT(serial.Joined(5).size(), 10000u);
}

TEST(Slabs, MergedTheyAreNumberedAsByAPlainSearch)
{
  // It serves all volumes, one after the other.
  SlabMerge merge;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
  {
    std::vector<std::uint64_t>               components;
    std::vector<std::pair<std::size_t, int>> labelOf;
    for (std::size_t slab = 0; slab < 1 + HashOf(seed, 1) % 5; ++slab)
    {
      components.push_back(HashOf(seed, 10 + slab) % 12);
      for (std::uint64_t label = 1; label <= components.back(); ++label)
      {
        labelOf.emplace_back(slab, static_cast<int>(label));
      }
    }
    merge.Reset(components);
    std::vector<std::pair<int, int>> joins;
    for (std::size_t i = 0; !labelOf.empty() && i < HashOf(seed, 2) % 20; ++i)
    {
      joins.emplace_back(HashOf(seed, 100 + i) % labelOf.size(), HashOf(seed, 200 + i) % labelOf.size());
      const auto & a = labelOf[static_cast<std::size_t>(joins.back().first)];
      const auto & b = labelOf[static_cast<std::size_t>(joins.back().second)];
      merge.Join(a.first, static_cast<std::uint64_t>(a.second), b.first, static_cast<std::uint64_t>(b.second));
    }
    merge.Finish();
    const auto    expected = NumbersBySearch(components, joins);
    std::uint64_t highest = 0;
    for (std::size_t slab = 0; slab < components.size(); ++slab)
    {
      const auto &               joined = merge.Joined(slab);
      std::vector<std::uint64_t> numbers;
      std::size_t                next = 0;
      for (std::uint64_t label = 1; label <= components[slab]; ++label)
      {
        const bool isJoined = next < joined.size() && joined[next].label == label;
        numbers.push_back(isJoined ? joined[next].number : merge.FirstNumber(slab) + label - 1 - next);
        next += isJoined ? 1 : 0;
        highest = std::max(highest, numbers.back());
      }
      ASSERT_EQ(next, joined.size()) << seed;
      ASSERT_EQ(numbers, expected[slab]) << seed;
    }
    ASSERT_EQ(merge.ComponentCount(), highest) << seed;
  }
}

} // namespace
} // namespace brickccl
