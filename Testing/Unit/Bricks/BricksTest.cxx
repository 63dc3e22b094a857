// Labels, counts and tables of volumes that are labeled by bricks are those of the volumes labeled at once.

#include "BrickCCL/Bricks/CountBrick.h"
#include "BrickCCL/Bricks/LabelBrick.h"
#include "BrickCCL/Bricks/MergeBricks.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/Columns.h"
#include "FloodFill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace brickccl
{
namespace
{

/** Random choices from a seed. */
class Choices
{
public:
  explicit Choices(std::uint64_t seed)
    : m_Seed(seed)
  {}

  /** 0 .. count - 1. */
  std::int64_t
  Below(std::int64_t count)
  {
    return static_cast<std::int64_t>(HashOf(m_Seed, ++m_Step) % static_cast<std::uint64_t>(count));
  }
  bool
  Heads()
  {
    return Below(2) == 1;
  }

private:
  std::uint64_t m_Seed;
  std::uint64_t m_Step = 0;
};

/** A random volume and how it is labeled. */
struct Case
{
  Extent                    extent;
  ScalarType                type = ScalarType::UInt8;
  int                       channels = 1;
  std::vector<long double>  values;
  std::vector<std::byte>    voxels;
  std::vector<std::uint8_t> mask;
  std::vector<std::int16_t> intensity;
  BrickOptions              options;
  int                       sliceAxis = -1;

  std::size_t
  VoxelBytes() const
  {
    return SizeOf(type) * static_cast<std::size_t>(channels);
  }
};

/** Copies the voxels of a box, each of `size` bytes. */
std::vector<std::byte>
Cut(const void * voxels, std::size_t size, const BrickBox & box)
{
  std::vector<std::byte> cut;
  const auto *           from = static_cast<const std::byte *>(voxels);
  for (std::int64_t place = 0; place < box.extent.VoxelCount(); ++place)
  {
    const std::byte * const voxel = from + box.PlaceInVolume(static_cast<std::uint64_t>(place)) * size;
    cut.insert(cut.end(), voxel, voxel + size);
  }
  return cut;
}

Case
MakeCase(Choices & choose)
{
  Case      made;
  const int dimension = static_cast<int>(1 + choose.Below(4));
  made.extent.dimension = dimension;
  for (int axis = 0; axis < dimension; ++axis)
  {
    made.extent.size[axis] = 1 + choose.Below(axis == 0 ? (dimension == 1 ? 300 : 80) : 24 / dimension);
  }
  const ScalarType types[] = { ScalarType::UInt8, ScalarType::Int16, ScalarType::Float32, ScalarType::UInt64 };
  made.type = types[choose.Below(4)];
  made.channels = choose.Below(4) == 0 ? 2 : 1;
  const std::int64_t values = 2 + choose.Below(5);
  const auto         count = static_cast<std::size_t>(made.extent.VoxelCount());
  for (std::size_t i = 0; i < count * static_cast<std::size_t>(made.channels); ++i)
  {
    made.values.push_back(static_cast<long double>(choose.Below(values)));
  }
  made.voxels.resize(count * made.VoxelBytes());
  VisitScalarType(made.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    std::transform(made.values.begin(), made.values.end(), reinterpret_cast<T *>(made.voxels.data()), [](auto value) {
      return static_cast<T>(value);
    });
  });
  for (std::size_t i = 0; i < count; ++i)
  {
    made.mask.push_back(static_cast<std::uint8_t>(choose.Below(5)));
    made.intensity.push_back(static_cast<std::int16_t>(choose.Below(4000) - 1000));
  }

  LabelOptions & label = made.options.label;
  const int      rank = static_cast<int>(1 + choose.Below(dimension));
  label.connectivity = Connectivity(dimension, rank);
  if (dimension > 1 && choose.Below(4) == 0)
  {
    made.sliceAxis = static_cast<int>(choose.Below(dimension));
    label.connectivity = Connectivity(dimension - 1, std::min(rank, dimension - 1)).WithinSlices(made.sliceAxis);
  }
  const Criterion criteria[] = { Criterion::Foreground(), Criterion::InRange(1, 2),
                                 Criterion::EqualValue(), Criterion::EqualValue(std::nullopt),
                                 Criterion::Tolerance(1), Criterion::Tolerance(1, std::nullopt) };
  label.criterion = criteria[choose.Below(6)];
  label.geometry.spacing[0] = 0.5;
  label.geometry.spacing[1] = 0.75;
  label.geometry.origin[0] = -12.25;
  label.geometry.startIndex[0] = 3;
  label.threads = 1;
  if (choose.Heads())
  {
    label.relabel.order = choose.Heads() ? LabelOrder::Size : LabelOrder::Raster;
    label.relabel.minimumSize = choose.Heads() ? static_cast<std::uint64_t>(choose.Below(6)) : 0;
    label.relabel.maximumSize =
      choose.Heads() ? static_cast<std::uint64_t>(5 + choose.Below(40)) : label.relabel.maximumSize;
    label.relabel.largest = choose.Heads() ? static_cast<std::uint64_t>(choose.Below(5)) : 0;
    label.minimumVolume = choose.Heads() ? 1.0 : 0;
  }
  return made;
}

ImageView
ViewOf(const std::vector<std::byte> & voxels, ScalarType type, const Extent & extent, int channels)
{
  return ImageView(static_cast<const void *>(voxels.data()), type, extent, channels);
}

/** Cuts a box at random places, again and again, so that bricks beside each other do not end at the same places. */
void
CutAtRandom(const BrickBox & box, Choices & choose, int cuts, std::vector<BrickBox> & boxes)
{
  const int axis = static_cast<int>(choose.Below(box.volume.dimension));
  if (cuts == 0 || box.extent.size[axis] == 1)
  {
    boxes.push_back(box);
    return;
  }
  const std::int64_t at = 1 + choose.Below(box.extent.size[axis] - 1);
  Extent             lower = box.extent;
  Extent             upper = box.extent;
  lower.size[axis] = at;
  upper.size[axis] -= at;
  std::int64_t begin[MaximumDimension];
  std::copy_n(box.begin, MaximumDimension, begin);
  CutAtRandom(BrickBox(box.volume, begin, lower), choose, cuts - 1, boxes);
  begin[axis] += at;
  CutAtRandom(BrickBox(box.volume, begin, upper), choose, cuts - 1, boxes);
}

std::vector<BrickBox>
MakeBricks(const Extent & extent, Choices & choose)
{
  std::vector<BrickBox> boxes;
  if (choose.Below(3) == 0)
  {
    const std::int64_t begin[MaximumDimension] = {};
    CutAtRandom(BrickBox(extent, begin, extent), choose, 5, boxes);
  }
  else
  {
    Extent brick = extent;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      // Bricks of one voxel along an axis are among them.
      const std::int64_t least = axis == 0 ? 1 : std::max<std::int64_t>(1, extent.size[axis] / 6);
      brick.size[axis] = std::max<std::int64_t>(extent.size[axis] / 9, least + choose.Below(extent.size[axis]));
    }
    boxes = CutIntoBricks(extent, brick);
  }
  for (std::size_t i = boxes.size(); i > 1; --i)
  {
    std::swap(boxes[i - 1], boxes[static_cast<std::size_t>(choose.Below(static_cast<std::int64_t>(i)))]);
  }
  return boxes;
}

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
  return testing::FloodFill(problem);
}

TEST(Bricks, GiveWhatTheWholeVolumeGives)
{
  Labeling scratch;
  for (std::uint64_t seed = 1; seed <= 600; ++seed)
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
    if (made.options.label.relabel.KeepEverything() && made.options.label.minimumVolume == 0)
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

  const std::int64_t     begin[] = { 0, 0, 2, 0 };
  const BrickBox         overlapping(made.extent, begin, Extent{ 20, 10, 3 });
  std::vector<std::byte> voxels = Cut(made.voxels.data(), 1, overlapping);
  const ImageView        image = ViewOf(voxels, ScalarType::UInt8, overlapping.extent, 1);
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, overlapping, made.options).record); }).find("overlaps"),
            std::string::npos);

  BrickOptions other = made.options;
  other.label.connectivity = Connectivity::Full(3);
  voxels = Cut(made.voxels.data(), 1, done.boxes[1]);
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, done.boxes[1], other).record); }).find("another connectivity"),
            std::string::npos);
  const std::int64_t same[] = { 0, 0, 0, 0 };
  const BrickBox     elsewhere(Extent{ 20, 10, 3 }, same, Extent{ 20, 10, 3 });
  EXPECT_NE(errorOf([&] { merge.Add(LabelBrick(image, elsewhere, made.options).record); }).find("a volume of"),
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
