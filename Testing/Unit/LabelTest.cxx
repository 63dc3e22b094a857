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
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace brickccl
{
namespace
{

const Extent VolumeExtent{ 70, 20, 10 };

std::vector<std::uint8_t>
Volume()
{
  return MakeRandom(VolumeExtent, 0.25, 1, 3);
}

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
  EXPECT_EQ(labeling.GetConnectivity().NeighbourCount(), 6);
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

/** What a filter should leave: the labels of an unfiltered map renumbered without the dropped ones. */
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

TEST(Label, WideNodeNumbersGiveTheSameLabels)
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

TEST(Label, WideNodeNumbersOfBundlesGiveTheSameLabels)
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
TEST(Label, DiagonalLinksOfTheSmallestImageNeedNothingOfEarlierCalls)
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

TEST(Label, AnAlgorithmThatDoesNotLabelAProblemNamesThoseThatDo)
{
  const auto   voxels = Volume();
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.algorithm = "BundleMerging";
  options.connectivity = Connectivity::Full(3);
  EXPECT_EQ(Label(ImageView(voxels.data(), VolumeExtent), options).AlgorithmName(), "BundleMerging");
  options.connectivity = Connectivity::Face(3);
  try
  {
    Label(ImageView(voxels.data(), VolumeExtent), options);
    FAIL() << "BundleMerging has no bundles for faces on the CPU";
  }
  catch (const Unsupported & error)
  {
    EXPECT_NE(std::string(error.what()).find("algorithm BundleMerging does not label an image of 3 dimensions"),
              std::string::npos)
      << error.what();
    EXPECT_NE(std::string(error.what()).find("choose one of Auto, RunMerging"), std::string::npos) << error.what();
  }
}

/** Row lengths and addresses of every kind that the vector code tells apart, against the general way. */
TEST(Label, LabelMapsAreTheSameForEveryAlignment)
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

TEST(Label, RowsArePassedOnInOrderWhateverLinksAreAskedFor)
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

TEST(Label, RunsOfManyRowsAtOnceAreThoseOfEach)
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
      int              most = 0;
      std::int64_t     mostRows = 0;
      volume.ForRunsAtOnce(first, end, [&](const RunsOfRows & runs) {
        ASSERT_EQ(runs.run, volume.FirstRun(first) + found.size());
        most = std::max(most, runs.count);
        for (int i = 0; i < runs.count; ++i)
        {
          const std::int64_t row = runs.row + (runs.Begin(i) >> runs.shift);
          const std::int64_t begin = runs.Begin(i) & runs.LastInRow();
          found.push_back({ row, begin, begin + runs.End(i) - runs.Begin(i) });
          mostRows = std::max(mostRows, row - runs.row + 1);
        }
      });
      EXPECT_EQ(found, expected) << extent.ToString();
      EXPECT_LE(most, int{ RunsOfRows::Maximum });
      if (!volume.HasBounds() && length == 500)
      {
        EXPECT_GT(mostRows, simd::SparseWords / volume.WordsPerRow() / 2);
      }
    }
  }
}

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
    // Noise is of no kinds, and of a slope all neighbours are joined.
    EXPECT_FALSE(MakeRowLinks(ImageView(noise.data(), extent), Criterion::Tolerance(10))->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(slope.data(), extent), Criterion::Tolerance(10))->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(kinds.data(), extent), Criterion::EqualValue())->KnowsSeparation());
    EXPECT_FALSE(MakeRowLinks(ImageView(kinds.data(), extent), Criterion::Foreground())->KnowsSeparation());
  }
}

TEST(Label, VoxelsOfTwoKindsAreToldApart)
{
  CheckSeparatedVoxels<std::uint8_t>();
  CheckSeparatedVoxels<std::int16_t>();
  CheckSeparatedVoxels<std::int32_t>();
  CheckSeparatedVoxels<std::uint64_t>();
  CheckSeparatedVoxels<float>();
  CheckSeparatedVoxels<double>();

  // Infinite values are none of those that lie just below.
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

TEST(Label, LinksOfTheCallersOwn)
{
  // A voxel graph that no criterion describes: voxels join if the sum of their indices is no multiple of 3.
  const auto        foreground = [](std::int64_t index) { return index % 7 != 0; };
  const auto        joined = [](std::int64_t a, std::int64_t b) { return (a + b) % 3 != 0; };
  const CustomLinks links{ foreground, joined };
  for (int rank = 1; rank <= 3; ++rank)
  {
    LabelOptions options;
    options.connectivity = Connectivity(3, rank);
    options.grain = 1;
    const Labeling             labeling = Label(VolumeExtent, links, options);
    std::vector<std::uint32_t> labels(static_cast<std::size_t>(VolumeExtent.VoxelCount()));
    labeling.Write(labels.data());

    // Independent check: merging labels over every pair until nothing changes gives the same partition.
    std::vector<std::uint32_t> own(labels.size());
    std::iota(own.begin(), own.end(), 1);
    for (bool changed = true; changed;)
    {
      changed = false;
      for (std::int64_t i = 0; i < VolumeExtent.VoxelCount(); ++i)
      {
        const std::int64_t x = i % 70, y = i / 70 % 20, z = i / 1400;
        for (int code = 0; code < 27; ++code)
        {
          const int          dx = code % 3 - 1, dy = code / 3 % 3 - 1, dz = code / 9 - 1;
          const int          differing = (dx != 0) + (dy != 0) + (dz != 0);
          const std::int64_t j = i + dx + 70 * dy + 1400 * dz;
          if (differing == 0 || differing > rank || x + dx < 0 || x + dx >= 70 || y + dy < 0 || y + dy >= 20 ||
              z + dz < 0 || z + dz >= 10 || !foreground(i) || !foreground(j) || !joined(i, j))
          {
            continue;
          }
          auto &              a = own[static_cast<std::size_t>(i)];
          auto &              b = own[static_cast<std::size_t>(j)];
          const std::uint32_t low = std::min(a, b);
          changed = changed || a != low || b != low;
          a = b = low;
        }
      }
    }
    std::map<std::uint32_t, std::uint32_t> number;
    for (std::size_t i = 0; i < own.size(); ++i)
    {
      const bool          isForeground = foreground(static_cast<std::int64_t>(i));
      const std::uint32_t expected =
        isForeground ? number.emplace(own[i], static_cast<std::uint32_t>(number.size() + 1)).first->second : 0;
      ASSERT_EQ(labels[i], expected) << "voxel " << i << ", rank " << rank;
    }
  }
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

TEST(Label, ProgressRisesAndCancellingStops)
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
  options.progress.cancelled = [&] { return ++asked > 3; };
  EXPECT_THROW(Label(ImageView(voxels.data(), extent), options, labeling), Cancelled);
  options.progress.cancelled = nullptr;
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

TEST(Label, ScratchMemoryIsWhatTheDocumentationSays)
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
  // Equal values: starts of runs and links along y and z beside the foreground, each with 128 bytes around it, and 4
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

TEST(Label, ListsHoldEveryVoxelOfEachComponentInRasterOrder)
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

TEST(Label, BundlesOnCudaAreOfferedAsFarAsTheirNumbersReach)
{
  const auto supports = [](const Extent & extent, const Criterion & criterion = Criterion::Foreground()) {
    const auto full = Connectivity::Full(extent.dimension);
    EXPECT_TRUE(AlgorithmRunsOnCuda("RunMerging", extent, criterion, full)) << extent.ToString();
    return AlgorithmRunsOnCuda("BundleMerging", extent, criterion, full);
  };
  constexpr std::int64_t many = std::int64_t{ 1 } << 31;
  EXPECT_TRUE((supports({ 2048, 2048, 1024 })));
  EXPECT_FALSE((supports({ 2049, 2048, 1024 })));
  EXPECT_TRUE((supports({ 2 * many - 1, 1 })));
  EXPECT_FALSE((supports({ 2 * many, 1 })));
  // Runs of equal values may be as many as voxels, and so may those of rows of one voxel.
  EXPECT_TRUE((supports({ 2048, 2048, 1023 }, Criterion::EqualValue())));
  EXPECT_FALSE((supports({ 2048, 2048, 1024 }, Criterion::EqualValue())));
  EXPECT_TRUE((supports({ 2, many / 2, 2 })));
  EXPECT_FALSE((supports({ 1, many, 2 })));
  EXPECT_FALSE((supports({ 1, many / 2, 4 })));
  // So many rows have no numbers when the last brick is filled up.
  EXPECT_TRUE((supports({ 1, many - 256 })));
  EXPECT_FALSE((supports({ 1, many - 255 })));
  EXPECT_FALSE((supports({ 1, 1, many })));
}

TEST(Label, OptionsOfAlgorithmsAreCheckedBeforeAnythingElse)
{
  const auto reason = [](const std::string & algorithm) {
    try
    {
      ParseAlgorithm(algorithm);
    }
    catch (const InvalidArgument & error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(reason("LabelEquivalence:atomics=on,flag=global,threads=64"), "");
  EXPECT_EQ(reason("LinkPropagation:"), "");
  EXPECT_NE(reason("LinkPropagation:gather").find("write gather=1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:gather=0").find("1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:gather=12x").find("1..65535"), std::string::npos);
  EXPECT_NE(reason("LinkPropagation:master=maybe").find("master=off|on"), std::string::npos);
  EXPECT_NE(reason("TileMerging:tile=32").find("properties=none|size|moments"), std::string::npos);
  EXPECT_NE(reason("Auto:fast=on").find("none"), std::string::npos);
  EXPECT_EQ(ParseOptions("Name", ParseAlgorithm("LinkPropagation").algorithm->options, "master=off,gather=7"),
            (OptionValues{ 7, 1, 1, 0 }));
}

TEST(Label, TheChosenAlgorithmKeepsItsOptionsOnBothSides)
{
  const ProblemTraits   traits({ 8, 8, 8 }, Connectivity::Face(3), true);
  const AlgorithmChoice asked = ParseAlgorithm("LabelEquivalence:atomics=on,threads=64");
  for (const Backend backend : { Backend::Cpu, Backend::Cuda })
  {
    const AlgorithmChoice chosen = ChooseAlgorithm(asked, traits, backend);
    EXPECT_STREQ(chosen.algorithm->name, "LabelEquivalence");
    EXPECT_EQ(chosen.options, (OptionValues{ 1, 0, 1, 0, 64 }));
  }
  EXPECT_EQ(ChooseAlgorithm({}, traits, Backend::Cuda).options.size(), 0u) << "BundleMerging has none";
}

TEST(Label, LinksOfTheCallersOwnNeedBothFunctions)
{
  EXPECT_THROW(Label({ 2, 2 }, CustomLinks{ [](std::int64_t) { return true; }, {} }), InvalidArgument);
  EXPECT_THROW(Label({ 2, 2 }, CustomLinks{ {}, [](std::int64_t, std::int64_t) { return true; } }), InvalidArgument);
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
