// SPDX-License-Identifier: Apache-2.0
#include "CleanOracle.h"
#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace brickccl
{
namespace
{

using testing::FindHoles;
using testing::FloodFill;
using testing::FloodFillProblem;

const Device onCpu{ Device::Kind::Cpu, 0 };

/** The options of a test, for the oracle and for the engine. */
struct Asked
{
  Extent                    extent;
  std::vector<std::uint8_t> voxels;
  Criterion                 criterion;
  int                       rank = 1;
  int                       sliceAxis = -1;
  testing::Periodic         periodic = {};
  bool                      fills = false;
  std::uint64_t             maximumHole = std::numeric_limits<std::uint64_t>::max();
  RelabelOptions            relabel;

  std::optional<std::vector<std::int64_t>> seeds;
  bool                                     clearBorder = false;
  std::optional<std::vector<std::uint8_t>> touching;

  Asked(const Extent & itsExtent, std::vector<std::uint8_t> itsVoxels, const Criterion & itsCriterion, int itsRank)
    : extent(itsExtent)
    , voxels(std::move(itsVoxels))
    , criterion(itsCriterion)
    , rank(itsRank)
  {}
};

using Labels = std::vector<std::uint64_t>;

/** Numbers the labels that `stays` lets stay, in raster order. */
void
Number(Labels & labels, const std::function<bool(std::uint64_t)> & stays)
{
  std::map<std::uint64_t, std::uint64_t> numbers;
  std::uint64_t                          last = 0;
  for (std::uint64_t & label : labels)
  {
    if (label != 0 && numbers.count(label) == 0)
    {
      numbers[label] = stays(label) ? ++last : 0;
    }
    label = label == 0 ? 0 : numbers[label];
  }
}

Labels
Fill(const Asked & asked, const FloodFillProblem & problem, const Labels & labels)
{
  const bool               joins = asked.criterion.FollowsForeground();
  std::vector<long double> values(labels.begin(), labels.end());
  for (long double & value : values)
  {
    value = joins && value != 0 ? 1 : value;
  }
  testing::HoleProblem holes{ asked.extent, values };
  const int            axes = asked.extent.dimension - (asked.sliceAxis >= 0 ? 1 : 0);
  holes.rank = asked.rank == 1 ? axes : 1;
  holes.sliceAxis = asked.sliceAxis;
  holes.periodic = asked.periodic;
  auto filled = values;
  for (const auto & hole : FindHoles(holes))
  {
    for (const std::size_t i : hole.voxels)
    {
      filled[i] = hole.voxels.size() <= asked.maximumHole && hole.around ? *hole.around : 0;
    }
  }
  if (joins)
  {
    FloodFillProblem again = problem;
    again.values = filled;
    again.criterion = Criterion::Foreground();
    return FloodFill(again);
  }
  Labels result(filled.size());
  std::transform(filled.begin(), filled.end(), result.begin(), [](long double value) {
    return static_cast<std::uint64_t>(value);
  });
  Number(result, [](std::uint64_t) { return true; });
  return result;
}

Labels
Expected(const Asked & asked)
{
  FloodFillProblem problem;
  problem.extent = asked.extent;
  problem.values.assign(asked.voxels.begin(), asked.voxels.end());
  problem.criterion = asked.criterion;
  problem.rank = asked.rank;
  problem.sliceAxis = asked.sliceAxis;
  problem.periodic = asked.periodic;
  Labels labels = FloodFill(problem);
  if (asked.fills)
  {
    labels = Fill(asked, problem, labels);
  }
  std::set<std::uint64_t> seeded;
  std::set<std::uint64_t> atBorder;
  std::set<std::uint64_t> touching;
  for (const std::int64_t seed : asked.seeds.value_or(std::vector<std::int64_t>()))
  {
    seeded.insert(labels[static_cast<std::size_t>(seed)]);
  }
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    ++sizes[labels[i]];
    if (testing::IsAtBorder(asked.extent, asked.sliceAxis, i, asked.periodic))
    {
      atBorder.insert(labels[i]);
    }
    if (asked.touching && (*asked.touching)[i] != 0)
    {
      touching.insert(labels[i]);
    }
  }
  Number(labels, [&](std::uint64_t label) {
    return (!asked.seeds || seeded.count(label)) && (!asked.clearBorder || !atBorder.count(label)) &&
           (!asked.touching || touching.count(label)) && sizes[label] >= asked.relabel.minimumSize;
  });
  // Largest first.
  sizes.clear();
  for (const std::uint64_t label : labels)
  {
    sizes[label] += label != 0 ? 1 : 0;
  }
  sizes.erase(0);
  std::vector<std::uint64_t> order;
  for (const auto & [label, size] : sizes)
  {
    order.push_back(label);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  if (asked.relabel.largest != 0 && asked.relabel.largest < order.size())
  {
    order.resize(static_cast<std::size_t>(asked.relabel.largest));
  }
  if (asked.relabel.order == LabelOrder::Raster)
  {
    std::sort(order.begin(), order.end());
  }
  for (std::uint64_t & label : labels)
  {
    const auto place = std::find(order.begin(), order.end(), label);
    label = label == 0 || place == order.end() ? 0 : static_cast<std::uint64_t>(place - order.begin()) + 1;
  }
  return labels;
}

void
ExpectLikeOracle(const Asked & asked)
{
  const Labels expected = Expected(asked);
  LabelOptions options;
  options.criterion = asked.criterion;
  options.connectivity = asked.sliceAxis < 0
                         ? Connectivity(asked.extent.dimension, asked.rank)
                         : Connectivity(asked.extent.dimension - 1, asked.rank).WithinSlices(asked.sliceAxis);
  options.periodic = testing::AxesOf(asked.periodic);
  options.relabel = asked.relabel;
  options.device = onCpu;
  ComponentFilter filter;
  if (asked.fills)
  {
    filter.holes.emplace().maximumSize = asked.maximumHole;
  }
  filter.seeds = asked.seeds;
  filter.clearBorder = asked.clearBorder;
  if (asked.touching)
  {
    filter.touching = ImageView(asked.touching->data(), asked.extent);
  }
  Labeling labeling;
  for (const int threads : { 1, 2, 5 })
  {
    options.threads = threads;
    const auto report = Label(ImageView(asked.voxels.data(), asked.extent), options, filter, labeling);
    Labels     labels(asked.voxels.size());
    labeling.Write(labels.data());
    ASSERT_EQ(labels, expected) << asked.extent.ToString() << " " << asked.criterion.ToString() << " rank "
                                << asked.rank;
    ASSERT_EQ(labeling.ComponentCount(), *std::max_element(expected.begin(), expected.end()));
    EXPECT_GE(report.components - report.removedWithoutSeed - report.removedAtBorder - report.removedNotTouching,
              labeling.ComponentCount());
    // The table describes the label map.
    const ComponentTable table = labeling.Measure();
    std::uint64_t        sum = 0;
    for (std::size_t c = 0; c < table.components.size(); ++c)
    {
      sum += table.components.VoxelCount(c);
    }
    ASSERT_EQ(sum, static_cast<std::uint64_t>(std::count_if(labels.begin(), labels.end(), [](std::uint64_t label) {
                return label != 0;
              })));
  }
}

/** Voxels of few values in grains along x. */
std::vector<std::uint8_t>
Grains(const Extent & extent, double background, std::uint64_t seed)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const double u = UniformOf(seed, UniformOf(seed + 5, i) < 0.6 ? i / 2 : i);
    voxels[i] = static_cast<std::uint8_t>(u < background ? 0 : 1 + 4 * (u - background) / (1 - background));
  }
  return voxels;
}

const Extent FilteredExtents[] = { Extent{ 80 },
                                   Extent{ 33, 20 },
                                   Extent{ 70, 9, 6 },
                                   Extent{ 11, 12, 9 },
                                   Extent{ 8, 7, 5, 4 } };

const Criterion Criteria[] = { Criterion::Foreground(),
                               Criterion::InRange(2, 3),
                               Criterion::EqualValue(),
                               Criterion::Tolerance(1) };

TEST(FilterComponents, HolesAreFilledAsByTheOracle)
{
  std::uint64_t seed = 0;
  for (const Extent & extent : FilteredExtents)
  {
    for (const Criterion & criterion : Criteria)
    {
      for (int rank = 1; rank <= extent.dimension; ++rank)
      {
        for (const double background : { 0.1, 0.3 })
        {
          Asked asked{ extent, Grains(extent, background, ++seed), criterion, rank };
          asked.fills = true;
          ExpectLikeOracle(asked);
          asked.maximumHole = 1;
          asked.relabel.minimumSize = 3;
          asked.relabel.order = LabelOrder::Size;
          ExpectLikeOracle(asked);
        }
      }
    }
  }
}

TEST(FilterComponents, HolesOfSlicesAreFilledInSlices)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    const Extent extent{ 12, 11, 9 };
    for (const Criterion & criterion : Criteria)
    {
      Asked asked{ extent, Grains(extent, 0.3, static_cast<std::uint64_t>(axis)), criterion, 2 };
      asked.sliceAxis = axis;
      asked.fills = true;
      asked.clearBorder = true;
      ExpectLikeOracle(asked);
    }
  }
}

TEST(FilterComponents, HolesGoOnThroughTheEndsOfPeriodicAxes)
{
  const Extent extent{ 14, 9, 8 };
  for (unsigned seed = 0; seed < 36; ++seed)
  {
    const unsigned axes = seed % 6 + 1;
    const int      rank = static_cast<int>(seed / 6 % 3) + 1;
    Asked          asked{ extent, Grains(extent, rank == 1 ? 0.1 : 0.3, 80 + seed), Criteria[seed / 18], rank };
    asked.periodic = { (axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0 };
    asked.fills = true;
    asked.clearBorder = seed % 4 == 0;
    ExpectLikeOracle(asked);
  }
}

TEST(FilterComponents, SeedsBorderAndMaskKeepWhatTheySay)
{
  std::uint64_t seed = 50;
  for (const Extent & extent : FilteredExtents)
  {
    for (const Criterion & criterion : Criteria)
    {
      Asked asked{ extent, Grains(extent, 0.6, ++seed), criterion, 1 };
      asked.clearBorder = true;
      ExpectLikeOracle(asked);
      asked.clearBorder = false;
      asked.seeds = std::vector<std::int64_t>{ 5, 17, 40, extent.VoxelCount() - 1, extent.VoxelCount() / 2 };
      ExpectLikeOracle(asked);
      asked.seeds.reset();
      asked.touching = MakeRandom(extent, 0.1, 1, seed);
      ExpectLikeOracle(asked);
      asked.relabel.largest = 2;
      ExpectLikeOracle(asked);
      // All of them, with holes.
      asked.seeds.emplace(static_cast<std::size_t>(extent.VoxelCount() / 2));
      std::iota(asked.seeds->begin(), asked.seeds->end(), extent.VoxelCount() / 4);
      asked.clearBorder = true;
      asked.fills = true;
      asked.relabel.largest = 0;
      ExpectLikeOracle(asked);
    }
  }
}

/** A shell around a ball: as scipy's binary_fill_holes before labeling. */
TEST(FilterComponents, WhatLiesInAHoleOfAForegroundIsJoinedToIt)
{
  const Extent              extent{ 7, 7 };
  std::vector<std::uint8_t> voxels(49, 0);
  for (std::size_t i = 0; i < 49; ++i)
  {
    const auto distance = std::max(std::abs(int(i % 7) - 3), std::abs(int(i / 7) - 3));
    voxels[i] = distance == 2 || distance == 0 ? 1 : 0;
  }
  LabelOptions options;
  options.device = onCpu;
  ComponentFilter filter;
  filter.holes.emplace();
  Labeling   labeling;
  const auto joined = Label(ImageView(voxels.data(), extent), options, filter, labeling);
  EXPECT_EQ(labeling.ComponentCount(), 1u);
  EXPECT_EQ(labeling.Measure().components.VoxelCount(0), 25u);
  EXPECT_EQ(joined.filledHoles, 1u);
  EXPECT_EQ(joined.filledVoxels, 8u);

  options.criterion = Criterion::EqualValue();
  Label(ImageView(voxels.data(), extent), options, filter, labeling);
  ASSERT_EQ(labeling.ComponentCount(), 2u);
  EXPECT_EQ(labeling.Measure().components.VoxelCount(0), 24u);
  EXPECT_EQ(labeling.Measure().components.VoxelCount(1), 1u);
}

TEST(FilterComponents, ReportSaysWhatWasRemoved)
{
  const Extent                    extent{ 9, 3 };
  const std::vector<std::uint8_t> voxels = { 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1,
                                             0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  std::vector<std::uint8_t>       mask(27, 0);
  mask[11] = 1;
  LabelOptions options;
  options.device = onCpu;
  ComponentFilter filter;
  filter.seeds = std::vector<std::int64_t>{ 2, 0, 9, 11, 13 };
  filter.clearBorder = true;
  filter.touching = ImageView(mask.data(), extent);
  Labeling   labeling;
  const auto report = Label(ImageView(voxels.data(), extent), options, filter, labeling);
  EXPECT_EQ(report.components, 5u);
  EXPECT_EQ(report.seedsInBackground, 1u);
  EXPECT_EQ(report.removedWithoutSeed, 2u);
  EXPECT_EQ(report.removedAtBorder, 1u);
  EXPECT_EQ(report.removedNotTouching, 1u);
  EXPECT_EQ(labeling.ComponentCount(), 1u);
}

TEST(FilterComponents, RefusesWhatDoesNotFit)
{
  const std::vector<std::uint8_t> voxels(12);
  const ImageView                 image(voxels.data(), Extent{ 4, 3 });
  Labeling                        labeling;
  ComponentFilter                 filter;
  for (const std::int64_t seed : { std::int64_t{ -1 }, std::int64_t{ 12 } })
  {
    filter.seeds = std::vector<std::int64_t>{ seed };
    EXPECT_THROW(Label(image, {}, filter, labeling), InvalidArgument);
  }
  filter.seeds.reset();
  filter.touching = ImageView(voxels.data(), Extent{ 3, 4 });
  EXPECT_THROW(Label(image, {}, filter, labeling), InvalidArgument);
  filter.touching.reset();
  filter.holes.emplace();
  LabelOptions options;
  options.periodic = PeriodicAxes::FromNames("xy");
  EXPECT_THROW(Label(image, options, filter, labeling), Unsupported);
}

} // namespace
} // namespace brickccl
