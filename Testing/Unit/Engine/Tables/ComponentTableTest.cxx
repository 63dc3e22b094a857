// SPDX-License-Identifier: Apache-2.0
#include "AllPixelTypes.h"
#include "SkewGeometry.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/RowSums.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

namespace brickccl
{
namespace
{

/** Every column computed voxel by voxel from the label map, in long double. */
template <typename T>
void
CheckAgainstVoxels(const Extent &         extent,
                   const std::vector<T> & intensity,
                   const Labeling &       labeling,
                   const Geometry &       geometry)
{
  const ComponentTable       table = labeling.Measure(ImageView(intensity.data(), extent));
  std::vector<std::uint32_t> labels(intensity.size());
  labeling.Write(labels.data());
  ASSERT_EQ(table.components.size(), labeling.ComponentCount());
  ASSERT_GT(table.components.size(), 3u);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    long double  count = 0, sum = 0, lowest = 1e30L, highest = -1e30L;
    long double  indexSum[3] = {}, pointSum[3] = {};
    std::int64_t low[3] = { 1 << 30, 1 << 30, 1 << 30 }, high[3] = { -(1 << 30), -(1 << 30), -(1 << 30) };
    double       boxLow[3] = { 1e30, 1e30, 1e30 }, boxHigh[3] = { -1e30, -1e30, -1e30 };
    bool         border = false;
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      if (labels[i] != c + 1)
      {
        continue;
      }
      const auto         linear = static_cast<std::int64_t>(i);
      const std::int64_t at[3] = { linear % extent.size[0],
                                   linear / extent.size[0] % extent.size[1],
                                   linear / extent.size[0] / extent.size[1] };
      double             index[3], point[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        index[axis] = static_cast<double>(at[axis]);
        low[axis] = std::min(low[axis], at[axis] + geometry.startIndex[axis]);
        high[axis] = std::max(high[axis], at[axis] + geometry.startIndex[axis]);
        indexSum[axis] += static_cast<long double>(at[axis] + geometry.startIndex[axis]);
        border = border || at[axis] == 0 || at[axis] == extent.size[axis] - 1;
      }
      geometry.IndexToPhysical(3, index, point);
      for (int axis = 0; axis < 3; ++axis)
      {
        pointSum[axis] += point[axis];
      }
      ++count;
      sum += static_cast<long double>(intensity[i]);
      lowest = std::min(lowest, static_cast<long double>(intensity[i]));
      highest = std::max(highest, static_cast<long double>(intensity[i]));
    }
    for (int corner = 0; corner < 8; ++corner)
    {
      double index[3], point[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        const auto offset = static_cast<double>(geometry.startIndex[axis]);
        index[axis] = (corner >> axis & 1) ? static_cast<double>(high[axis]) + 0.5 - offset
                                           : static_cast<double>(low[axis]) - 0.5 - offset;
      }
      geometry.IndexToPhysical(3, index, point);
      for (int axis = 0; axis < 3; ++axis)
      {
        boxLow[axis] = std::min(boxLow[axis], point[axis]);
        boxHigh[axis] = std::max(boxHigh[axis], point[axis]);
      }
    }
    long double squares = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      const long double difference = static_cast<long double>(intensity[i]) - sum / count;
      squares += labels[i] == c + 1 ? difference * difference : 0;
    }
    const double volume = static_cast<double>(count) * 0.5 * 1.25 * 3;
    EXPECT_EQ(ValueOf(table, c, "label"), static_cast<double>(c + 1));
    EXPECT_EQ(ValueOf(table, c, "voxel_count"), static_cast<double>(count));
    EXPECT_DOUBLE_EQ(ValueOf(table, c, "volume_mm3"), volume);
    EXPECT_DOUBLE_EQ(ValueOf(table, c, "equivalent_spherical_diameter_mm"), 2 * std::cbrt(volume * 3 / 4 / M_PI));
    EXPECT_DOUBLE_EQ(ValueOf(table, c, "equivalent_spherical_radius_mm"), std::cbrt(volume * 3 / 4 / M_PI));
    EXPECT_EQ(ValueOf(table, c, "touches_border"), border ? 1 : 0);
    const char * const axes[] = { "x", "y", "z" };
    for (int axis = 0; axis < 3; ++axis)
    {
      const std::string name = axes[axis];
      EXPECT_EQ(ValueOf(table, c, "bbox_min_" + name), static_cast<double>(low[axis]));
      EXPECT_EQ(ValueOf(table, c, "bbox_max_" + name), static_cast<double>(high[axis]));
      EXPECT_NEAR(ValueOf(table, c, "bbox_min_" + name + "_mm"), boxLow[axis], 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "bbox_max_" + name + "_mm"), boxHigh[axis], 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "centroid_" + name), static_cast<double>(indexSum[axis] / count), 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "centroid_" + name + "_mm"), static_cast<double>(pointSum[axis] / count), 1e-10);
    }
    const auto near = [](double value, long double expected) {
      return std::fabs(value - static_cast<double>(expected)) <=
             1e-12 * std::max(1.0, std::fabs(static_cast<double>(expected)));
    };
    EXPECT_EQ(ValueOf(table, c, "intensity_min"), static_cast<double>(lowest));
    EXPECT_EQ(ValueOf(table, c, "intensity_max"), static_cast<double>(highest));
    EXPECT_TRUE(near(ValueOf(table, c, "intensity_sum"), sum));
    EXPECT_TRUE(near(ValueOf(table, c, "intensity_mean"), sum / count));
    EXPECT_TRUE(near(ValueOf(table, c, "intensity_std"), count > 1 ? std::sqrt(squares / (count - 1)) : 0));
  }
}

template <typename T>
class ComponentTableOfType : public ::testing::Test
{};

TYPED_TEST_SUITE(ComponentTableOfType, testing::AllPixelTypes);

TYPED_TEST(ComponentTableOfType, EveryColumnEqualsTheSumOverVoxels)
{
  const Extent           extent{ 40, 14, 9 };
  const auto             voxels = MakeRandom(extent, 0.2, 2, 5);
  std::vector<TypeParam> intensity(voxels.size());
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    intensity[i] = static_cast<TypeParam>(HashOf(2, i) % 120);
    if (std::is_signed_v<TypeParam> && HashOf(4, i) % 3 == 0)
    {
      intensity[i] = static_cast<TypeParam>(-intensity[i]);
    }
  }
  LabelOptions options;
  options.geometry = SkewGeometry();
  CheckAgainstVoxels(extent, intensity, Label(ImageView(voxels.data(), extent), options), options.geometry);
}

TEST(ComponentTable, IsTheSameForEveryNumberOfThreads)
{
  const Extent       extent{ 200, 80, 60 };
  const auto         voxels = MakeRandom(extent, 0.6, 1, 8);
  std::vector<float> intensity(voxels.size());
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    intensity[i] = static_cast<float>(UniformOf(6, i) * 1000 - 300);
  }
  std::string        expected;
  const ColumnGroups groups = ColumnGroups::FromNames("intensity,place,shape,surface");
  for (const int threads : { 1, 2, 3, 7 })
  {
    LabelOptions options;
    options.threads = threads;
    options.grain = threads;
    std::ostringstream text;
    WriteDelimited(
      text,
      Label(ImageView(voxels.data(), extent), options).Measure({ ImageView(intensity.data(), extent), groups }),
      ',');
    expected = threads == 1 ? text.str() : expected;
    EXPECT_EQ(text.str(), expected) << threads << " threads";
  }
}

TEST(ComponentTable, AnEarlierTablesMemoryIsUsedAgain)
{
  const auto textOf = [](const ComponentTable & table) {
    std::ostringstream text;
    WriteDelimited(text, table, ',');
    return text.str();
  };
  ComponentTable table;
  const auto     expectTheSame = [&](const Extent & extent, double density, const MeasureOptions & options) {
    const auto     mask = MakeRandom(extent, density, 1, 5);
    const Labeling labeling = Label(ImageView(mask.data(), extent));
    labeling.Measure(options, table);
    EXPECT_EQ(textOf(table), textOf(labeling.Measure(options))) << extent.ToString();
    EXPECT_EQ(table.components.size(), labeling.ComponentCount());
  };
  MeasureOptions withShapes;
  withShapes.groups.Add("shape");
  // Few and many components, tables of other dimensions and kinds in between, and none.
  expectTheSame({ 40, 30, 20 }, 0.1, {});
  expectTheSame({ 64, 50, 40 }, 0.1, {});
  expectTheSame({ 20, 10, 8 }, 0.1, withShapes);
  expectTheSame({ 9, 8, 7, 6 }, 0.1, {});
  expectTheSame({ 9, 8, 7, 6 }, 0.1, withShapes);
  expectTheSame({ 50, 40 }, 0.3, {});
  expectTheSame({ 50, 40 }, 0, {});

  // Where the rows lie can be seen.
  const auto     mask = MakeRandom({ 40, 30, 20 }, 0.1, 1, 5);
  const Labeling labeling = Label(ImageView(mask.data(), { 40, 30, 20 }));
  labeling.Measure({}, table);
  auto               sums = TakeSums<CompactShapeSums>(table.components);
  const auto * const place = sums.data();
  EXPECT_TRUE(table.components.empty());
  ASSERT_EQ(sums.size(), labeling.ComponentCount());
  table.components = MakeRows(table.extent, table.geometry, std::move(sums));
  labeling.Measure({}, table);
  EXPECT_EQ(TakeSums<CompactShapeSums>(table.components).data(), place);
}

TEST(ComponentTable, AnExistingLabelMapGivesTheSameTable)
{
  const Extent               extent{ 66, 12, 9 };
  const auto                 voxels = MakeRandom(extent, 0.3, 1, 4);
  const Labeling             labeling = Label(ImageView(voxels.data(), extent));
  std::vector<std::uint16_t> labels(voxels.size());
  std::vector<double>        asDouble(voxels.size());
  labeling.Write(labels.data());
  labeling.Write(asDouble.data());
  std::ostringstream direct, fromMap, fromDouble;
  WriteJson(direct, labeling.Measure(ImageView(voxels.data(), extent)));
  WriteJson(fromMap, MeasureLabelImage(ImageView(labels.data(), extent), {}, ImageView(voxels.data(), extent)));
  WriteJson(fromDouble, MeasureLabelImage(ImageView(asDouble.data(), extent), {}, ImageView(voxels.data(), extent)));
  EXPECT_EQ(direct.str(), fromMap.str());
  EXPECT_EQ(direct.str(), fromDouble.str());

  std::vector<std::int16_t> sparse(voxels.size(), 0);
  sparse[5] = 300;
  sparse[60] = 7;
  sparse[65] = 300;
  const ComponentTable table = MeasureLabelImage(ImageView(sparse.data(), extent));
  ASSERT_EQ(table.components.size(), 2u);
  EXPECT_EQ(table.components[0].label, 7u);
  EXPECT_EQ(table.components[1].label, 300u);
  EXPECT_EQ(table.components[1].voxelCount, 2u) << "one label in two pieces is one row";

  // Labels too far apart for marks, on more threads and in smaller pieces.
  std::vector<std::uint64_t> large(labels.begin(), labels.end());
  for (std::uint64_t & label : large)
  {
    label = label == 0 ? 0 : label + (std::uint64_t{ 1 } << 62);
  }
  RunVolume            volume;
  const ComponentTable near = MeasureLabelImage(ImageView(labels.data(), extent), {}, {}, 1);
  const ComponentTable far = MeasureLabelImage(ImageView(large.data(), extent), {}, {}, { 3, {}, 64 }, volume);
  ASSERT_EQ(near.components.size(), far.components.size());
  for (std::size_t c = 0; c < near.components.size(); ++c)
  {
    EXPECT_EQ(far.components[c].label, near.components[c].label + (std::uint64_t{ 1 } << 62));
    EXPECT_EQ(far.components[c].voxelCount, near.components[c].voxelCount);
    EXPECT_EQ(far.components[c].firstVoxel, near.components[c].firstVoxel);
  }

  sparse[9] = -3;
  EXPECT_THROW(MeasureLabelImage(ImageView(sparse.data(), extent)), InvalidArgument);
  asDouble[0] = 1.5;
  EXPECT_THROW(MeasureLabelImage(ImageView(asDouble.data(), extent)), InvalidArgument);
}

TEST(ComponentTable, ALabelMapIsNotReadOnceItIsReleased)
{
  const Extent               extent{ 40, 30, 20 };
  const auto                 voxels = MakeRandom(extent, 0.3, 1, 4);
  std::vector<std::uint16_t> labels(voxels.size());
  Label(ImageView(voxels.data(), extent)).Write(labels.data());
  MeasureOptions options;
  options.groups = ColumnGroups::FromNames("place,shape,feret,hull,surface,topology,inscribed,thickness,neighbors");
  RunVolume          volume;
  std::ostringstream kept, released;
  WriteJson(kept, MeasureLabelImage(ImageView(labels.data(), extent), {}, options));
  const auto release = [&] { std::fill(labels.begin(), labels.end(), std::uint16_t{ 7 }); };
  WriteJson(released,
            MeasureLabelImage(ImageView(labels.data(), extent), {}, options, HostContext{ 3 }, volume, release));
  EXPECT_EQ(labels[0], 7);
  EXPECT_EQ(kept.str(), released.str());
}

TEST(ComponentTable, SlicesHaveAColumnOfTheirOwn)
{
  const Extent                    extent{ 5, 4, 3 };
  const std::vector<std::uint8_t> voxels(60, 1);
  LabelOptions                    options;
  options.connectivity = Connectivity::Face(2).WithinSlices(2);
  const ComponentTable table = Label(ImageView(voxels.data(), extent), options).Measure();
  ASSERT_EQ(table.components.size(), 3u);
  EXPECT_EQ(ValueOf(table, 2, "slice"), 2);
  EXPECT_EQ(ValueOf(table, 2, "voxel_count"), 20);
}

TEST(ComponentTable, NumbersAreWrittenSoThatTheyReadBackTheSame)
{
  const Extent                    extent{ 3, 1 };
  const std::vector<std::uint8_t> voxels(3, 1);
  LabelOptions                    options;
  options.geometry.spacing[0] = 0.1;
  std::ostringstream text;
  WriteDelimited(text, Label(ImageView(voxels.data(), extent), options).Measure(), '\t');
  const std::string line = text.str().substr(text.str().find('\n') + 1);
  EXPECT_EQ(line,
            "1\t3\t0.30000000000000004\t0\t0\t2\t0\t-0.05\t-0.5\t0.25\t0.5\t1\t0\t0.1\t0\t"
            "0.6180387232371034\t0.3090193616185517\t1\n");
}

TEST(ComponentTable, PlacesAreThoseOfTheVoxels)
{
  const Extent              extent{ 12, 10, 8 };
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const auto                set = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    voxels[static_cast<std::size_t>((z * 10 + y) * 12 + x)] = 1;
  };
  // A cross whose first voxel is not its box's corner, and a line across the image.
  set(3, 2, 4), set(2, 3, 4), set(3, 3, 4), set(4, 3, 4), set(3, 4, 4);
  for (std::int64_t x = 0; x < 12; ++x)
  {
    set(x, 0, 7);
  }
  LabelOptions options;
  options.geometry.startIndex[0] = 100;
  const ComponentTable table =
    Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("place") });
  ASSERT_EQ(table.components.size(), 2u);
  EXPECT_EQ(ValueOf(table, 0, "first_voxel_x"), 103);
  EXPECT_EQ(ValueOf(table, 0, "first_voxel_y"), 2);
  EXPECT_EQ(ValueOf(table, 0, "first_voxel_z"), 4);
  EXPECT_DOUBLE_EQ(ValueOf(table, 0, "bbox_fill"), 5.0 / 9);
  EXPECT_EQ(ValueOf(table, 0, "touches_border"), 0);
  EXPECT_EQ(ValueOf(table, 1, "bbox_fill"), 1);
  const std::map<std::string, double> sides{ { "x_min", 1 }, { "x_max", 1 }, { "y_min", 1 },
                                             { "y_max", 0 }, { "z_min", 0 }, { "z_max", 1 } };
  for (const auto & [side, touched] : sides)
  {
    EXPECT_EQ(ValueOf(table, 1, "touches_" + side), touched) << side;
    EXPECT_EQ(ValueOf(table, 0, "touches_" + side), 0) << side;
  }
}

/** As for the filter that clears the border. */
TEST(ComponentTable, AVoxelOfAnImageWithoutSidesLiesAtItsBorder)
{
  const std::vector<std::uint8_t> voxels(3, 1);
  LabelOptions                    options;
  for (const Extent & extent : { Extent{ 1 }, Extent{ 1, 1 }, Extent{ 1, 1, 1 } })
  {
    EXPECT_EQ(ValueOf(Label(ImageView(voxels.data(), extent), options).Measure(), 0, "touches_border"), 1);
  }
  options.connectivity = Connectivity::Face(2).WithinSlices(2);
  EXPECT_EQ(ValueOf(Label(ImageView(voxels.data(), Extent{ 1, 1, 3 }), options).Measure(), 1, "touches_border"), 1);
  options.connectivity.reset();
  options.periodic = PeriodicAxes::FromNames("x");
  EXPECT_EQ(ValueOf(Label(ImageView(voxels.data(), Extent{ 1 }), options).Measure(), 0, "touches_border"), 0);
}

TEST(ComponentTable, FirstVoxelsAreFirstInRasterOrder)
{
  const Extent               extent{ 150, 90, 70 };
  const auto                 voxels = MakeRandom(extent, 0.3, 2, 8);
  const Labeling             labeling = Label(ImageView(voxels.data(), extent));
  const ComponentTable       table = labeling.Measure({ {}, ColumnGroups::FromNames("place") });
  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());
  std::size_t seen = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    // Labels count first voxels.
    if (labels[i] == seen + 1)
    {
      ASSERT_EQ(table.components[seen].firstVoxel, i);
      ASSERT_EQ(ValueOf(table, seen, "first_voxel_x"), static_cast<double>(i % 150));
      ASSERT_EQ(ValueOf(table, seen, "first_voxel_y"), static_cast<double>(i / 150 % 90));
      ASSERT_EQ(ValueOf(table, seen, "first_voxel_z"), static_cast<double>(i / 150 / 90));
      ++seen;
    }
  }
  EXPECT_EQ(seen, table.components.size());
}

TEST(ComponentTable, GroupsOfColumnsThatAreNoneAreNamed)
{
  EXPECT_TRUE(ColumnGroups::FromNames("shape").Has("shape"));
  EXPECT_FALSE(ColumnGroups::FromNames("").Has("shape"));
  EXPECT_TRUE(ColumnGroups::FromNames("place,shape").Has("place"));
  EXPECT_THROW(ColumnGroups::FromNames("shape,form"), InvalidArgument);
}

TEST(ComponentTable, AnIntensityImageMustFit)
{
  const Extent                    extent{ 4, 4 };
  const Extent                    other{ 4, 5 };
  const std::vector<std::uint8_t> voxels(60, 1);
  const Labeling                  labeling = Label(ImageView(voxels.data(), extent));
  EXPECT_THROW(labeling.Measure(ImageView(voxels.data(), other)), InvalidArgument);
  EXPECT_THROW(labeling.Measure(ImageView(voxels.data(), extent, 3)), InvalidArgument);
}

} // namespace
} // namespace brickccl
