// Labels, counts and tables of volumes that are labeled by bricks are those of the volumes labeled at once.

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCase.h"
#include "FloodFill.h"
#include "SlowBuild.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace brickccl
{
namespace
{

/** A volume that was labeled by bricks. */
struct ByBricks
{
  std::vector<BrickBox>      boxes;
  std::vector<LabeledBrick>  bricks;
  BrickMerge                 merge;
  std::vector<std::uint64_t> labels;
};

struct BrickImages
{
  std::vector<std::byte> voxels, mask, intensity;
};

/** Labels all bricks, and merges them in the order of the boxes. */
void
LabelByBricks(const Case & made, bool useMask, bool fromImage, Labeling & scratch, ByBricks & result)
{
  std::vector<BrickImages>  images;
  std::vector<BrickOptions> options;
  for (const BrickBox & box : result.boxes)
  {
    images.push_back({ Cut(made.voxels.data(), made.VoxelBytes(), box),
                       Cut(made.mask.data(), 1, box),
                       Cut(made.intensity.data(), 2, box) });
    options.push_back(made.options);
    // Many small bricks take long on a device, and on what stands in for one; labels are the same there.
    options.back().label.device = { Device::Kind::Cpu, 0 };
    if (useMask)
    {
      options.back().label.mask = ViewOf(images.back().mask, ScalarType::UInt8, box.extent, 1);
    }
    options.back().measure.intensity = ViewOf(images.back().intensity, ScalarType::Int16, box.extent, 1);
    result.bricks.push_back(
      LabelBrick(ViewOf(images.back().voxels, made.type, box.extent, made.channels), box, options.back(), scratch));
    result.merge.Add(result.bricks.back().record);
  }
  result.merge.Finish();
  result.labels.assign(static_cast<std::size_t>(made.extent.VoxelCount()), 0xdead);
  for (std::size_t i = 0; i < result.boxes.size(); ++i)
  {
    const BrickBox &           box = result.boxes[i];
    std::vector<std::uint64_t> labels(static_cast<std::size_t>(box.extent.VoxelCount()));
    const Bytes                map = result.merge.Map(i);
    if (fromImage)
    {
      RelabelBrick(ViewOf(images[i].voxels, made.type, box.extent, made.channels),
                   box,
                   options[i],
                   map,
                   labels.data(),
                   LabelType::UInt64);
    }
    else
    {
      WriteBrick(result.bricks[i].runs, map, labels.data(), LabelType::UInt64, 1);
    }
    for (std::size_t place = 0; place < labels.size(); ++place)
    {
      result.labels[static_cast<std::size_t>(box.PlaceInVolume(place))] = labels[place];
    }
  }
}

ComponentTable
MergedTable(const ByBricks & done)
{
  std::vector<Bytes> maps;
  for (std::size_t i = 0; i < done.bricks.size(); ++i)
  {
    maps.push_back(done.merge.Map(i));
  }
  return MergeBrickTables(
    done.bricks.size(),
    [&](std::size_t i) { return done.bricks[i].record; },
    [&](std::size_t i) { return maps[i]; },
    [&](std::size_t i) {
      std::vector<MergedBrick> before;
      for (std::size_t other = 0; other < done.bricks.size(); ++other)
      {
        if (IsNeededToCount(done.boxes[i], done.boxes[other]))
        {
          before.push_back({ done.bricks[other].record, maps[other] });
        }
      }
      return CountBrick({ done.bricks[i].record, maps[i] }, done.bricks[i].runs, before, 1);
    });
}

void
ExpectSameTables(const ComponentTable & expected, const ComponentTable & table)
{
  const auto columns = ColumnsOf(expected);
  const auto others = ColumnsOf(table);
  ASSERT_EQ(expected.components.size(), table.components.size());
  ASSERT_EQ(columns.size(), others.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
  {
    ASSERT_EQ(columns[i].name, others[i].name);
    const bool isRounded = columns[i].name.find("enclosing") == 0 || columns[i].name.find("oriented") == 0;
    for (std::size_t c = 0; c < expected.components.size(); ++c)
    {
      const auto a = columns[i].value(expected, expected.components[c]);
      const auto b = others[i].value(table, table.components[c]);
      const bool areNaN =
        std::holds_alternative<double>(a) && std::isnan(std::get<double>(a)) && std::isnan(std::get<double>(b));
      if (isRounded)
      {
        ASSERT_NEAR(std::get<double>(a), std::get<double>(b), 1e-9) << columns[i].name;
      }
      else
      {
        ASSERT_TRUE(a == b || areNaN) << columns[i].name << " of component " << c;
      }
    }
  }
}

void
ExpectSameReports(const RelabelReport & expected, const RelabelReport & report)
{
  EXPECT_EQ(expected.found, report.found);
  EXPECT_EQ(expected.tooSmall, report.tooSmall);
  EXPECT_EQ(expected.tooLarge, report.tooLarge);
  EXPECT_EQ(expected.beyondLargest, report.beyondLargest);
  if (expected.keptVoxels)
  {
    EXPECT_EQ(expected.keptVoxels, report.keptVoxels);
  }
}

/** What a plain flood fill labels, before any component is dropped. */
std::vector<std::uint64_t>
OracleLabels(const Case & made, bool useMask)
{
  testing::FloodFillProblem problem;
  problem.extent = made.extent;
  problem.values = made.values;
  problem.channels = made.channels;
  if (useMask)
  {
    problem.mask = std::vector<long double>(made.mask.begin(), made.mask.end());
  }
  problem.criterion = made.options.label.criterion;
  problem.rank = made.options.label.connectivity->Rank();
  problem.sliceAxis = made.sliceAxis;
  for (int axis = 0; axis < made.extent.dimension; ++axis)
  {
    problem.periodic[static_cast<std::size_t>(axis)] = made.options.label.periodic.Has(axis);
  }
  return testing::FloodFill(problem);
}

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
      ColumnGroups::FromNames(made.extent.dimension > 3 ? "place,shape" : "place,shape,feret,surface,topology");
    ByBricks done;
    done.boxes = MakeBricks(made.extent, choose);
    LabelByBricks(made, useMask, choose.Below(4) == 0, scratch, done);

    BrickOptions whole = made.options;
    if (useMask)
    {
      whole.label.mask = ImageView(made.mask.data(), made.extent);
    }
    const ImageView            image = ViewOf(made.voxels, made.type, made.extent, made.channels);
    const Labeling             labeling = Label(image, whole.label);
    std::vector<std::uint64_t> expected(done.labels.size());
    labeling.Write(expected.data());
    ASSERT_EQ(expected, done.labels) << made.extent.ToString() << " in " << done.boxes.size() << " bricks, first "
                                     << done.boxes[0].ToString();
    ASSERT_EQ(labeling.ComponentCount(), done.merge.ComponentCount());
    ASSERT_EQ(labeling.ForegroundVoxelCount(), done.merge.ForegroundVoxelCount());
    ExpectSameReports(labeling.Relabeled(), done.merge.Relabeled());
    if (made.hasOracle && made.options.label.relabel.KeepEverything() && made.options.label.minimumVolume == 0)
    {
      ASSERT_EQ(OracleLabels(made, useMask), done.labels);
    }
    whole.measure.intensity = ImageView(made.intensity.data(), made.extent);
    ExpectSameTables(labeling.Measure(whole.measure), MergedTable(done));
    if (HasFatalFailure() || HasNonfatalFailure())
    {
      return;
    }
  }
}

TEST(Bricks, GoOnThroughTheEndsOfPeriodicVolumes)
{
  Labeling                scratch;
  constexpr std::uint64_t cases = 150;
  std::uint64_t           withOracle = 0;
  for (std::uint64_t seed = 1001; seed <= 1000 + cases; ++seed)
  {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Choices choose(seed);
    Case    made = MakeCase(choose);
    made.options.measures = false;
    for (int axis = 0; axis < made.extent.dimension; ++axis)
    {
      if (choose.Heads() && made.options.label.connectivity->Uses(axis))
      {
        made.options.label.periodic.Add(axis);
      }
    }
    const bool useMask = choose.Heads();
    ByBricks   done;
    done.boxes = MakeBricks(made.extent, choose);
    LabelByBricks(made, useMask, choose.Below(4) == 0, scratch, done);

    LabelOptions whole = made.options.label;
    if (useMask)
    {
      whole.mask = ImageView(made.mask.data(), made.extent);
    }
    const Labeling             labeling = Label(ViewOf(made.voxels, made.type, made.extent, made.channels), whole);
    std::vector<std::uint64_t> expected(done.labels.size());
    labeling.Write(expected.data());
    ASSERT_EQ(expected, done.labels) << made.extent.ToString() << " in " << done.boxes.size() << " bricks, first "
                                     << done.boxes[0].ToString() << ", periodic along '" << whole.periodic.ToString()
                                     << "'";
    ASSERT_EQ(labeling.ComponentCount(), done.merge.ComponentCount());
    ExpectSameReports(labeling.Relabeled(), done.merge.Relabeled());
    if (made.hasOracle && whole.relabel.KeepEverything() && whole.minimumVolume == 0)
    {
      ASSERT_EQ(OracleLabels(made, useMask), done.labels);
      ++withOracle;
    }
  }
  EXPECT_GT(withOracle, cases / 8);
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
  std::vector<std::uint64_t> labels(20 * 10 * 3);
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
  EXPECT_THROW(LabelBrick(image, done.boxes[1], periodic), Unsupported);
  periodic.measures = false;
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, done.boxes[1], periodic).record); }).find("set of periodic axes"),
            std::string::npos);
  BrickOptions thickness = made.options;
  thickness.measure.groups = ColumnGroups::FromNames("thickness");
  EXPECT_THROW(LabelBrick(image, done.boxes[1], thickness), Unsupported);
  std::vector<std::uint8_t> labels(20 * 10 * 3);
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
