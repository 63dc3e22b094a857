// SPDX-License-Identifier: Apache-2.0
// Labels, counts and tables of volumes labeled by bricks equal those of the volumes labeled at once.

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "ByBricks.h"
#include "SlowBuild.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace brickccl
{
namespace
{

TEST(Bricks, GiveWhatTheWholeVolumeGives)
{
  Labeling                scratch;
  constexpr std::uint64_t cases = testing::IsSlowBuild ? 100 : 600;
  for (std::uint64_t seed = 1; seed <= cases; ++seed)
  {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Choices    choose(seed);
    Case       made = MakeCase(choose);
    const bool useMask = choose.Below(3) == 0;
    made.options.measure.groups =
      ColumnGroups::FromNames(made.extent.dimension > 3 ? "place,shape" : "place,shape,feret,hull,surface,topology");
    ByBricks done;
    done.boxes = MakeBricks(made.extent, choose);
    LabelByBricks(made, useMask, choose.Below(4) == 0, scratch, done);
    AsAWhole whole;
    ExpectSameAsWhole(made, useMask, done, whole);
    if (!HasFatalFailure() && HasOracle(made))
    {
      ASSERT_EQ(testing::FloodFill(OracleOf(made, useMask)), done.labels);
    }
    if (HasFatalFailure() || HasNonfatalFailure())
    {
      return;
    }
  }
}

/** A volume of 3 bricks. */
ByBricks
ThreeSlabs(Case & made)
{
  Choices choose(7);
  made = MakeCase(choose);
  made.extent = Extent{ 20, 10, 9 };
  made.type = ScalarType::UInt8;
  made.channels = 1;
  made.voxels.clear();
  for (std::int64_t i = 0; i < made.extent.VoxelCount(); ++i)
  {
    made.voxels.push_back(static_cast<std::byte>(choose.Below(2)));
  }
  made.mask.assign(made.voxels.size(), 1);
  made.intensity.assign(made.voxels.size(), 5);
  made.options = BrickOptions();
  made.options.label.threads = 1;
  ByBricks done;
  done.boxes = CutIntoBricks(made.extent, Extent{ 20, 10, 3 });
  Labeling scratch;
  LabelByBricks(made, false, false, scratch, done);
  return done;
}

TEST(Bricks, NoticeDamagedAndTruncatedBytes)
{
  Case           made;
  const ByBricks done = ThreeSlabs(made);
  const Bytes    record = done.bricks[1].record;
  const Bytes    runs = done.bricks[1].runs;
  const Bytes    map = done.merge.Map(1);
  const auto     useRecord = [](const Bytes & bytes) {
    BrickMerge merge;
    merge.Add(bytes);
  };
  std::vector<std::uint64_t> labels(600);
  const auto useRuns = [&](const Bytes & bytes) { WriteBrick(bytes, map, labels.data(), LabelType::UInt64, 1); };
  const auto useMap = [&](const Bytes & bytes) { WriteBrick(runs, bytes, labels.data(), LabelType::UInt64, 1); };
  const auto check = [](const Bytes & bytes, const auto & use) {
    use(bytes);
    for (std::size_t place = 0; place < bytes.size(); ++place)
    {
      Bytes damaged = bytes;
      damaged[place] = static_cast<std::uint8_t>(damaged[place] ^ (1u << (place % 8)));
      EXPECT_THROW(use(damaged), Error) << "byte " << place;
      const Bytes truncated(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(place));
      EXPECT_THROW(use(truncated), Error) << place << " bytes are left";
    }
  };
  check(record, useRecord);
  check(runs, useRuns);
  check(map, useMap);
  EXPECT_THROW(useRecord(runs), Error);
  EXPECT_THROW(useRuns(record), Error);
  EXPECT_THROW(WriteBrick(done.bricks[0].runs, map, labels.data(), LabelType::UInt64, 1), InvalidArgument);
}

TEST(Bricks, RefuseWhatDoesNotFitTogether)
{
  Case           made;
  const ByBricks done = ThreeSlabs(made);
  const auto     errorOf = [](const auto & function) {
    try
    {
      function();
    }
    catch (const InvalidArgument & error)
    {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  BrickMerge merge;
  merge.Add(done.bricks[0].record);
  EXPECT_NE(errorOf([&] { merge.Add(done.bricks[0].record); }).find("was added before"), std::string::npos);
  EXPECT_NE(errorOf([&] { merge.Finish(); }).find("bricks are missing"), std::string::npos);

  const std::int64_t           begin[] = { 0, 0, 2, 0 };
  const BrickBox               overlapping(made.extent, begin, Extent{ 20, 10, 3 });
  const std::vector<std::byte> voxels = Cut(made.voxels.data(), 1, overlapping);
  const ImageView              image = ViewOf(voxels, ScalarType::UInt8, overlapping.extent, 1);
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, overlapping, made.options).record); }).find("overlaps"),
            std::string::npos);

  BrickOptions other = made.options;
  other.label.connectivity = Connectivity::Full(3);
  const std::vector<std::byte> second = Cut(made.voxels.data(), 1, done.boxes[1]);
  const ImageView              secondImage = ViewOf(second, ScalarType::UInt8, done.boxes[1].extent, 1);
  EXPECT_NE(
    errorOf([&] { merge.Add(LabelBrick(secondImage, done.boxes[1], other).record); }).find("another connectivity"),
    std::string::npos);
  const std::int64_t same[] = { 0, 0, 0, 0 };
  const BrickBox     elsewhere(Extent{ 20, 10, 3 }, same, Extent{ 20, 10, 3 });
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, elsewhere, made.options).record); }).find("a volume of"),
            std::string::npos);

  BrickOptions periodic = made.options;
  periodic.label.periodic.Add(0);
  periodic.measure.groups = ColumnGroups::FromNames("surface");
  EXPECT_THROW(LabelBrick(image, done.boxes[1], periodic), Unsupported);
  periodic.measure.groups = {};
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, done.boxes[1], periodic).record); }).find("set of periodic axes"),
            std::string::npos);
  BrickOptions thickness = made.options;
  thickness.measure.groups = ColumnGroups::FromNames("thickness");
  EXPECT_THROW(LabelBrick(image, done.boxes[1], thickness), Unsupported);
  std::vector<std::uint8_t> labels(600);
  const Extent              small{ 20, 10, 2 };
  EXPECT_THROW(LabelBrick(ViewOf(voxels, ScalarType::UInt8, small, 1), done.boxes[1], made.options), InvalidArgument);
}

TEST(Bricks, RefuseLabelTypesThatAreTooSmall)
{
  // Every second voxel of a row is a component: 300 of them.
  const Extent              extent{ 600, 1 };
  std::vector<std::uint8_t> voxels(600);
  for (std::size_t i = 0; i < voxels.size(); i += 2)
  {
    voxels[i] = 1;
  }
  const std::int64_t        begin[MaximumDimension] = {};
  const BrickBox            box(extent, begin, extent);
  const LabeledBrick        brick = LabelBrick(ImageView(voxels.data(), extent), box, {});
  BrickMerge                merge;
  std::vector<std::uint8_t> labels(600, 7);
  merge.Add(brick.record);
  merge.Finish();
  EXPECT_THROW(WriteBrick(brick.runs, merge.Map(0), labels.data(), LabelType::UInt8), LabelOverflow);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 7), 600);
}

} // namespace
} // namespace brickccl
