// SPDX-License-Identifier: Apache-2.0
#include "RandomVolume.h"

#include "FloodFill.h"
#include "Patterns.h"
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
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace brickccl
{
namespace
{

std::vector<std::uint32_t>
LabelsOf(const std::vector<std::uint8_t> & voxels, const LabelOptions & options)
{
  const Labeling             labeling = Label(ImageView(voxels.data(), VolumeExtent), options);
  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());
  EXPECT_EQ(*std::max_element(labels.begin(), labels.end()), labeling.ComponentCount());
  return labels;
}

/** Sizes of the labels 1..N. */
std::vector<std::size_t>
SizesOf(const std::vector<std::uint32_t> & labels)
{
  std::vector<std::size_t> sizes(*std::max_element(labels.begin(), labels.end()));
  for (const std::uint32_t label : labels)
  {
    if (label != 0)
    {
      ++sizes[label - 1];
    }
  }
  return sizes;
}

TEST(Label, FaceConnectivityAndNonZeroForegroundAreTheDefaults)
{
  const auto   voxels = Volume();
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  const Labeling labeling = Label(ImageView(voxels.data(), VolumeExtent), options);
  EXPECT_EQ(labeling.GetConnectivity().NeighborCount(), 6);
  EXPECT_EQ(labeling.ForegroundVoxelCount(), std::accumulate(voxels.begin(), voxels.end(), std::size_t{ 0 }));
  EXPECT_EQ(labeling.AlgorithmName(), "RunMerging");
}

TEST(Label, OrderBySizeIsStable)
{
  const auto   voxels = Volume();
  const auto   raster = LabelsOf(voxels, {});
  LabelOptions options;
  options.relabel.order = LabelOrder::Size;
  const auto bySize = LabelsOf(voxels, options);
  const auto sizes = SizesOf(bySize);
  EXPECT_EQ(sizes.size(), SizesOf(raster).size());
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  std::map<std::uint32_t, std::uint32_t> rasterOf;
  for (std::size_t i = 0; i < raster.size(); ++i)
  {
    const auto inserted = rasterOf.emplace(bySize[i], raster[i]);
    ASSERT_EQ(inserted.first->second, raster[i]) << "the partition changed";
  }
  for (std::uint32_t label = 1; label < sizes.size(); ++label)
  {
    if (sizes[label - 1] == sizes[label])
    {
      EXPECT_LT(rasterOf[label], rasterOf[label + 1]) << "equal sizes keep raster order";
    }
  }
}

/** The expected result of a filter: the labels of an unfiltered map, renumbered without the dropped ones. */
std::vector<std::uint32_t>
Without(std::vector<std::uint32_t> labels, const std::vector<bool> & keep)
{
  std::vector<std::uint32_t> number(keep.size() + 1, 0);
  std::uint32_t              next = 0;
  for (std::size_t c = 0; c < keep.size(); ++c)
  {
    number[c + 1] = keep[c] ? ++next : 0;
  }
  for (std::uint32_t & label : labels)
  {
    label = number[label];
  }
  return labels;
}

TEST(Label, SizeFilters)
{
  const auto        voxels = Volume();
  const auto        all = LabelsOf(voxels, {});
  const auto        sizes = SizesOf(all);
  std::vector<bool> keep(sizes.size());

  LabelOptions options;
  options.relabel.minimumSize = 5;
  options.relabel.maximumSize = 30;
  std::transform(sizes.begin(), sizes.end(), keep.begin(), [](std::size_t size) { return size >= 5 && size <= 30; });
  EXPECT_EQ(LabelsOf(voxels, options), Without(all, keep));

  options = {};
  options.relabel.minimumSize = 1000000;
  EXPECT_EQ(Label(ImageView(voxels.data(), VolumeExtent), options).ComponentCount(), 0u);

  // The 3 largest, of equal ones the first.
  options = {};
  options.relabel.largest = 3;
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  keep.assign(sizes.size(), false);
  for (int i = 0; i < 3; ++i)
  {
    keep[order[static_cast<std::size_t>(i)]] = true;
  }
  EXPECT_EQ(LabelsOf(voxels, options), Without(all, keep));
}

TEST(Label, MinimumVolumeCountsTheVoxelSize)
{
  const auto   voxels = Volume();
  LabelOptions byVoxels;
  byVoxels.relabel.minimumSize = 4;
  LabelOptions byVolume;
  byVolume.geometry.spacing[0] = 0.1;
  byVolume.geometry.spacing[1] = 0.2;
  byVolume.geometry.spacing[2] = 3;
  byVolume.minimumVolume = 4 * (0.1 * 0.2 * 3);
  EXPECT_EQ(LabelsOf(voxels, byVolume), LabelsOf(voxels, byVoxels)) << "exactly 4 voxels stay";
  byVolume.minimumVolume = 3.01 * (0.1 * 0.2 * 3);
  EXPECT_EQ(LabelsOf(voxels, byVolume), LabelsOf(voxels, byVoxels));
  byVolume.minimumVolume = -1;
  EXPECT_THROW(Label(ImageView(voxels.data(), VolumeExtent), byVolume), InvalidArgument);
}

TEST(Label, ATooSmallTypeIsAnErrorBeforeAnythingIsWritten)
{
  const Extent              extent{ 64, 16 };
  const auto                voxels = MakeCheckerboard(extent);
  const Labeling            labeling = Label(ImageView(voxels.data(), extent));
  std::vector<std::uint8_t> labels(voxels.size(), 77);
  ASSERT_EQ(labeling.ComponentCount(), 512u);
  EXPECT_EQ(labeling.SmallestType(), LabelType::UInt16);
  EXPECT_THROW(labeling.Write(labels.data()), LabelOverflow);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 77), static_cast<std::ptrdiff_t>(labels.size()));
  EXPECT_THROW(labeling.Write(labels.data(), LabelType::UInt8), LabelOverflow);
  EXPECT_THROW(labeling.Write(labels.data(), LabelType::Auto), InvalidArgument);
  EXPECT_EQ(SmallestLabelType(255), LabelType::UInt8);
  EXPECT_EQ(SmallestLabelType(256), LabelType::UInt16);
  EXPECT_EQ(SmallestLabelType(65536), LabelType::UInt32);
  EXPECT_EQ(SmallestLabelType(std::uint64_t{ 1 } << 32), LabelType::UInt64);
}

TEST(Label, ExactlyAsManyLabelsAsTheTypeHolds)
{
  const Extent              extent{ 510 };
  const auto                voxels = MakeCheckerboard(extent);
  const Labeling            labeling = Label(ImageView(voxels.data(), extent));
  std::vector<std::uint8_t> labels(voxels.size());
  ASSERT_EQ(labeling.ComponentCount(), 255u);
  labeling.Write(labels.data());
  EXPECT_EQ(labels[508], 255);
  // With background 255 the labels are 0..254; with background 3 they are 0 1 2 4 .. 255.
  labeling.Write(labels.data(), std::uint8_t{ 255 });
  EXPECT_EQ(labels[0], 0);
  EXPECT_EQ(labels[1], 255);
  EXPECT_EQ(labels[508], 254);
  labeling.Write(labels.data(), std::uint8_t{ 3 });
  EXPECT_EQ(labels[4], 2);
  EXPECT_EQ(labels[6], 4);
  EXPECT_EQ(labels[508], 255);
}

TEST(Label, BadRequestsSayWhatIsWrong)
{
  const auto      voxels = Volume();
  const ImageView image(voxels.data(), VolumeExtent);
  const auto      messageOf = [&](const LabelOptions & options) -> std::string {
    try
    {
      Label(image, options);
    }
    catch (const Error & error)
    {
      return error.what();
    }
    return "no error";
  };
  LabelOptions options;
  options.algorithm = "Magic";
  EXPECT_EQ(messageOf(options).find("algorithm 'Magic' is unknown; choose one of Auto, BundleMerging, RunMerging"), 0u);
  options = {};
  options.connectivity = Connectivity::Face(2);
  EXPECT_EQ(messageOf(options), "the connectivity is one of 2 dimensions but the image has 3");
  options = {};
  const Extent other{ 70, 20, 9 };
  options.mask = ImageView(voxels.data(), other);
  EXPECT_EQ(messageOf(options),
            "the mask has the extent 70 x 20 x 9 but the image 70 x 20 x 10; they must be the same");
  options = {};
  options.criterion.range = Criterion::Range{ 5, 3 };
  EXPECT_EQ(messageOf(options), "the range [5, 3] is empty; its low bound must be a number not above its high bound");
  options = {};
  options.criterion.joining = Criterion::Joining::Tolerance;
  options.criterion.tolerance = -2;
  EXPECT_EQ(messageOf(options), "the tolerance -2 is invalid; it must be a number of at least 0");
  options = {};
  options.threads = -1;
  EXPECT_EQ(messageOf(options), "the number of threads -1 is invalid; it must be at least 1, or 0 for all");
  EXPECT_THROW(ImageView(static_cast<const std::uint8_t *>(nullptr), VolumeExtent), InvalidArgument);
  EXPECT_THROW(Criterion::Tolerance(std::numeric_limits<Number>::quiet_NaN()), InvalidArgument);
  EXPECT_THROW(Device::FromName("gpu"), InvalidArgument);
  EXPECT_THROW(Device::FromName("cuda:-1"), InvalidArgument);
  EXPECT_THROW(LabelTypeFromName("int8"), InvalidArgument);
}

TEST(Label, ProgressRisesAndCancelingStops)
{
  const Extent        extent{ 256, 64, 64 };
  const auto          voxels = MakeRandom(extent, 0.5, 1, 1);
  std::vector<double> reported;
  LabelOptions        options;
  options.device = { Device::Kind::Cpu, 0 };
  options.grain = 1;
  options.progress.report = [&](double fraction) { reported.push_back(fraction); };
  Labeling labeling;
  Label(ImageView(voxels.data(), extent), options, labeling);
  ASSERT_GT(reported.size(), 4u);
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
  EXPECT_DOUBLE_EQ(reported.back(), 1);

  const std::uint64_t components = labeling.ComponentCount();
  options.progress.report = nullptr;
  int asked = 0;
  options.progress.canceled = [&] { return ++asked > 3; };
  EXPECT_THROW(Label(ImageView(voxels.data(), extent), options, labeling), Canceled);
  options.progress.canceled = nullptr;
  Label(ImageView(voxels.data(), extent), options, labeling);
  EXPECT_EQ(labeling.ComponentCount(), components) << "the workspace is usable after a cancellation";
}

TEST(Label, AskingForCudaFallsBackWithARemark)
{
  const auto   voxels = Volume();
  LabelOptions options;
  options.device = Device::FromName("cuda:1");
  const Labeling labeling = Label(ImageView(voxels.data(), VolumeExtent), options);
  if (labeling.UsedDevice().device.kind == Device::Kind::Cpu)
  {
    EXPECT_NE(labeling.UsedDevice().remark.find("cuda:1"), std::string::npos);
  }
  else
  {
    EXPECT_EQ(labeling.UsedDevice().device.index, 1);
  }
}

TEST(Label, RunsAreThoseOfTheLabelMap)
{
  const Extent extent{ 70, 9, 5 };
  const auto   voxels = MakeRandom(extent, 0.4, 2, 3);
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.relabel.minimumSize = 4;
  const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());
  std::vector<std::uint32_t> fromRuns(voxels.size(), 0);
  std::int64_t               last = -1;
  for (std::int64_t row = 0; row < extent.RowCount(); row += 7)
  {
    for (const LabelRun & run : labeling.ListRuns(row, std::min(row + 7, extent.RowCount())))
    {
      EXPECT_GT(run.place, last) << "in raster order, without touching";
      last = run.place + run.length - 1;
      std::fill_n(fromRuns.begin() + run.place, run.length, static_cast<std::uint32_t>(run.label));
    }
  }
  EXPECT_EQ(fromRuns, labels);
}

TEST(Label, AMovedResultCanBeUsedAgain)
{
  const std::vector<std::uint8_t> voxels(8, 1);
  Labeling                        first = Label(ImageView(voxels.data(), { 2, 2, 2 }));
  const Labeling                  second = std::move(first);
  EXPECT_EQ(second.ComponentCount(), 1u);
  Label(ImageView(voxels.data(), { 2, 2, 2 }), {}, first);
  EXPECT_EQ(first.ComponentCount(), 1u);
}

} // namespace
} // namespace brickccl
