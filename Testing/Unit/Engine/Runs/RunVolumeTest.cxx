// SPDX-License-Identifier: Apache-2.0
#include "RandomVolume.h"

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
#include <array>
#include <memory>
#include <utility>

namespace brickccl
{
namespace
{

TEST(RunVolume, WideNodeNumbersGiveTheSameLabels)
{
  const auto links = [](const std::vector<std::uint8_t> & voxels) {
    return MakeRowLinks(ImageView(voxels.data(), VolumeExtent), Criterion::EqualValue());
  };
  const auto  voxels = Volume();
  RunVolume   narrow;
  RunVolume   wide;
  HostContext context;
  const auto  full = Connectivity::Full(3);
  context.grain = 1;
  context.threads = 3;
  const std::uint64_t components = LabelByRunMerging(*links(voxels), VolumeExtent, full, context, narrow);
  ASSERT_EQ(testing::LabelByWideRunMerging(*links(voxels), VolumeExtent, full, context, wide), components);
  EXPECT_FALSE(narrow.IsWide());
  EXPECT_TRUE(wide.IsWide());
  std::vector<std::uint32_t> a(voxels.size());
  std::vector<std::uint32_t> b(voxels.size());
  ExpandLabels(narrow, components, context, a.data());
  ExpandLabels(wide, components, context, b.data());
  EXPECT_EQ(a, b);
}

TEST(RunVolume, WideNodeNumbersOfBundlesGiveTheSameLabels)
{
  const auto  voxels = Volume();
  const auto  links = MakeRowLinks(ImageView(voxels.data(), VolumeExtent), Criterion::Foreground());
  HostContext context;
  context.grain = 1;
  context.threads = 3;
  for (const int rank : { 2, 3 })
  {
    RunVolume                  narrow;
    RunVolume                  wide;
    const Connectivity         connectivity(3, rank);
    const std::uint64_t        components = LabelByBundleMerging(*links, VolumeExtent, connectivity, context, narrow);
    std::vector<std::uint64_t> a(voxels.size());
    std::vector<std::uint64_t> b(voxels.size());
    ASSERT_EQ(testing::LabelByWideBundleMerging(*links, VolumeExtent, connectivity, context, wide), components);
    EXPECT_TRUE(wide.IsWide());
    ExpandLabels(narrow, components, context, a.data());
    ExpandLabels(wide, components, context, b.data());
    EXPECT_EQ(a, b);
  }
}

/** Two diagonal links, which are looked at last: without memory of an earlier call, and with any. */
TEST(RunVolume, DiagonalLinksOfTheSmallestImageNeedNothingOfEarlierCalls)
{
  const Extent                     extent{ 2, 2 };
  const std::vector<std::uint8_t>  voxels = { 0, 50, 50, 0 };
  const std::vector<std::uint32_t> expected = { 0, 1, 1, 0 };
  for (const char * algorithm : { "RunMerging", "LabelEquivalence" })
  {
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(3) })
    {
      LabelOptions options;
      options.algorithm = algorithm;
      options.device = { Device::Kind::Cpu, 0 };
      options.connectivity = Connectivity::Full(2);
      options.criterion = criterion;
      Labeling                   labeling;
      std::vector<std::uint32_t> labels(4);
      for (const int byte : { 0x00, 0x5A, 0xFF })
      {
        Label(ImageView(voxels.data(), extent), options, labeling);
        labeling.Write(labels.data());
        EXPECT_EQ(labels, expected) << algorithm << ", " << criterion.ToString();
        testing::OverwriteMemory(labeling, static_cast<unsigned char>(byte));
      }
    }
  }
}

TEST(RunVolume, RowsArePassedOnInOrderWhateverLinksAreAskedFor)
{
  // Planes of several tiles.
  const Extent                    extent{ 512, 200, 5 };
  const std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 1);
  const std::unique_ptr<RowLinks> links = MakeRowLinks(ImageView(voxels.data(), extent), Criterion::EqualValue(0));
  const HostContext               context{ 1 };
  const Chunks                    chunks = RowChunks(extent, context);
  std::vector<std::int64_t>       first;
  for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
  {
    first.push_back(chunks.Begin(chunk));
  }
  for (const LinkAxes & axes : { LinkAxes{}, LinkAxes{ true, true, true } })
  {
    std::vector<std::int64_t> next = first;
    RunVolume                 volume;
    FindRuns(*links, extent, axes, context, volume, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin, std::exchange(next[static_cast<std::size_t>(chunk)], end));
      EXPECT_LE((end - begin) * volume.WordsPerRow(), simd::BoundWords);
      for (std::int64_t row = begin; row < end; ++row)
      {
        EXPECT_EQ(volume.Foreground(row)[0], ~Word{ 0 });
      }
    });
    for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
    {
      EXPECT_EQ(next[static_cast<std::size_t>(chunk)], chunks.End(chunk));
    }
  }
}

TEST(RunVolume, RunsOfManyRowsAtOnceAreThoseOfEach)
{
  using Run = std::array<std::int64_t, 3>;
  // Empty, sparse and dense slices, of rows of which many, few or single ones are taken together.
  constexpr std::int64_t rowsOfSlice = 300;
  constexpr double       densities[] = { 0.001, 0, 0.5, 0.025, 0.005, 0.3 };
  for (const std::int64_t length : { 1, 63, 64, 500, 513, 4096, 5000 })
  {
    const Extent              extent{ length, rowsOfSlice, 6 };
    std::vector<std::uint8_t> voxels;
    for (const double density : densities)
    {
      const auto slice = MakeRandom({ length, rowsOfSlice }, density, 1, 7);
      voxels.insert(voxels.end(), slice.begin(), slice.end());
    }
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue() })
    {
      LabelOptions options;
      options.criterion = criterion;
#ifdef BRICKCCL_CUDA_ON_HOST
      if (length > 1000)
      {
        options.device = { Device::Kind::Cpu, 0 }; // kernels on the host are slow
      }
#endif
      const Labeling     labeling = Label(ImageView(voxels.data(), extent), options);
      const RunVolume &  volume = RunsOf(labeling);
      const std::int64_t first = 11;
      const std::int64_t end = extent.RowCount() - 5;
      std::vector<Run>   expected;
      for (std::int64_t row = first; row < end; ++row)
      {
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t runEnd, std::uint64_t run) {
          ASSERT_EQ(run, volume.FirstRun(first) + expected.size());
          expected.push_back({ row, begin, runEnd });
        });
      }
      std::vector<Run> found;
      int              maximum = 0;
      std::int64_t     maximumRows = 0;
      volume.ForRunsAtOnce(first, end, [&](const RunsOfRows & runs) {
        ASSERT_EQ(runs.run, volume.FirstRun(first) + found.size());
        maximum = std::max(maximum, runs.count);
        for (int i = 0; i < runs.count; ++i)
        {
          const std::int64_t row = runs.row + (runs.Begin(i) >> runs.shift);
          const std::int64_t begin = runs.Begin(i) & runs.LastInRow();
          found.push_back({ row, begin, begin + runs.End(i) - runs.Begin(i) });
          maximumRows = std::max(maximumRows, row - runs.row + 1);
        }
      });
      EXPECT_EQ(found, expected) << extent.ToString();
      EXPECT_LE(maximum, int{ RunsOfRows::Maximum });
      if (length == 500)
      {
        EXPECT_GT(maximumRows, simd::SparseWords / volume.WordsPerRow() / 2);
      }
    }
  }
}

TEST(RunVolume, ScratchMemoryIsWhatTheDocumentationSays)
{
  const Extent extent{ 256, 64, 64 };
  const auto   voxels = MakeRandom(extent, 0.5, 1, 1);
  const auto   voxelCount = static_cast<double>(extent.VoxelCount());
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  for (const auto & [rank, algorithm] :
       { std::pair{ 1, "RunMerging" }, { 2, "BundleMerging" }, { 3, "BundleMerging" } })
  {
    options.connectivity = Connectivity(3, rank);
    const Labeling    labeling = Label(ImageView(voxels.data(), extent), options);
    const RunVolume & runs = RunsOf(labeling);
    ASSERT_STREQ(labeling.AlgorithmName().c_str(), algorithm);
    const auto   runCount = static_cast<double>(runs.RunCount());
    const double volume = voxelCount / 8 + 4 * runCount + 8 * static_cast<double>(extent.RowCount() + 1) + 128;
    // Of a bundle of rows: a bit and 4 bytes in 64 for its voxels along x, 8 bytes per run of the bundle, of which
    // there are no more than runs of its rows.
    const double rows = rank == 2 ? 2 : 4;
    const double scratch = rank == 1 ? 0 : voxelCount / rows * (1.0 / 8 + 1.0 / 16);
    EXPECT_GE(static_cast<double>(runs.CapacityBytes()), volume + scratch);
    EXPECT_LE(static_cast<double>(runs.CapacityBytes()), volume + scratch + 256 + (rank == 1 ? 0 : 8 * runCount));
  }
  // Equal values: starts of runs and links along y and z besides the foreground, each with 128 bytes around it, and 4
  // bytes for each word of starts.
  options.connectivity = Connectivity::Face(3);
  options.criterion = Criterion::EqualValue();
  const Labeling    labeling = Label(ImageView(voxels.data(), extent), options);
  const RunVolume & runs = RunsOf(labeling);
  const auto        runCount = static_cast<double>(runs.RunCount());
  const double      expected =
    voxelCount * (1.0 / 2 + 1.0 / 16) + 8 * static_cast<double>(extent.RowCount() + 1) + 4 * runCount + 4 * 128;
  EXPECT_GE(static_cast<double>(runs.CapacityBytes()), expected);
  EXPECT_LE(static_cast<double>(runs.CapacityBytes()), expected + 256);

  // Two kinds of voxels under a tolerance: two more bits for each.
  std::vector<std::uint8_t> kinds = MakeRandom(extent, 0.5, 8, 1);
  for (std::uint8_t & voxel : kinds)
  {
    voxel = voxel != 0 ? 100 : 1;
  }
  options.connectivity = Connectivity::Full(3);
  options.criterion = Criterion::Tolerance(10);
  const Labeling    ofKinds = Label(ImageView(kinds.data(), extent), options);
  const RunVolume & runsOfKinds = RunsOf(ofKinds);
  const double expectedOfKinds = voxelCount * (3.0 / 4 + 1.0 / 16) + 8 * static_cast<double>(extent.RowCount() + 1) +
                                 4 * static_cast<double>(runsOfKinds.RunCount()) + 6 * 128;
  EXPECT_GE(static_cast<double>(runsOfKinds.CapacityBytes()), expectedOfKinds);
  EXPECT_LE(static_cast<double>(runsOfKinds.CapacityBytes()), expectedOfKinds + 256);
}

} // namespace
} // namespace brickccl
