#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/RowSums.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace brickccl
{
namespace
{

Geometry
SkewGeometry()
{
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[1] = 1.25;
  geometry.spacing[2] = 3;
  geometry.origin[0] = -10;
  geometry.origin[1] = 20;
  geometry.origin[2] = 5;
  geometry.startIndex[0] = 7;
  geometry.startIndex[2] = -4;
  // A rotation by 30 degrees about z with a flipped z.
  const double c = std::sqrt(3.0) / 2;
  const double rotation[3][3] = { { c, -0.5, 0 }, { 0.5, c, 0 }, { 0, 0, -1 } };
  for (int row = 0; row < 3; ++row)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      geometry.direction[row][axis] = rotation[row][axis];
    }
  }
  return geometry;
}

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

using IntensityTypes = ::testing::Types<std::int8_t,
                                        std::uint8_t,
                                        std::int16_t,
                                        std::uint16_t,
                                        std::int32_t,
                                        std::uint32_t,
                                        std::int64_t,
                                        std::uint64_t,
                                        float,
                                        double>;
TYPED_TEST_SUITE(ComponentTableOfType, IntensityTypes);

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

/** Compares sums, bounds and first voxels with those of the voxels. */
void
ExpectSums(const ComponentTable & table, const std::vector<std::uint32_t> & labels, const Extent & extent)
{
  struct Sums
  {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::uint64_t index[3] = {};
    std::int64_t  low[3];
    std::int64_t  high[3];
    double        square = 0;
  };
  std::vector<Sums> expected(table.components.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    if (labels[i] == 0)
    {
      continue;
    }
    ASSERT_LE(labels[i], expected.size());
    Sums &             own = expected[labels[i] - 1];
    const auto         place = static_cast<std::int64_t>(i);
    const std::int64_t at[3] = { place % extent.size[0],
                                 place / extent.size[0] % extent.size[1],
                                 place / extent.size[0] / extent.size[1] };
    for (int axis = 0; axis < 3; ++axis)
    {
      own.low[axis] = own.count == 0 ? at[axis] : std::min(own.low[axis], at[axis]);
      own.high[axis] = own.count == 0 ? at[axis] : std::max(own.high[axis], at[axis]);
      own.index[axis] += static_cast<std::uint64_t>(at[axis]);
    }
    own.first = own.count == 0 ? i : own.first;
    own.square += static_cast<double>(at[0]) * static_cast<double>(at[0]);
    ++own.count;
  }
  for (std::size_t c = 0; c < expected.size(); ++c)
  {
    const Sums &            own = expected[c];
    const ComponentMeasures row = table.components[c];
    ASSERT_EQ(table.components.VoxelCount(c), own.count) << extent.ToString() << ", component " << c + 1;
    ASSERT_EQ(row.firstVoxel, own.first) << extent.ToString() << ", component " << c + 1;
    for (int axis = 0; axis < 3; ++axis)
    {
      ASSERT_EQ(table.components.IndexSum(c, axis), own.index[axis]) << extent.ToString() << ", component " << c + 1;
      ASSERT_EQ(row.boxMinimum[axis], own.low[axis]) << extent.ToString() << ", component " << c + 1;
      ASSERT_EQ(row.boxMaximum[axis], own.high[axis]) << extent.ToString() << ", component " << c + 1;
    }
    // Columns are looked up by name, which takes long.
    if (table.measures.Has<ShapeMeasures>() && c % 61 == 0)
    {
      const auto   count = static_cast<double>(own.count);
      const double mean = static_cast<double>(own.index[0]) / count;
      ASSERT_NEAR(ValueOf(table, c, "covariance_xx_mm2"), own.square / count - mean * mean, 1e-9 * own.square + 1e-9);
    }
  }
}

TEST(ComponentTable, SumsOfRowsOfAnyLengthAreThoseOfTheVoxels)
{
  for (const Extent & extent : { Extent{ 3, 40, 30 },
                                 Extent{ 64, 17, 13 },
                                 Extent{ 512, 11, 5 },
                                 Extent{ 520, 1, 23 },
                                 Extent{ 520, 23 },
                                 Extent{ 4096, 5, 3 },
                                 Extent{ 5000, 4, 3 },
                                 Extent{ 70000, 3, 2 },
                                 Extent{ 140001 } })
  {
    for (const int grain : { 1, 3 })
    {
      auto voxels = MakeRandom(extent, 0.4, grain, 5);
      for (std::size_t i = 0; i < voxels.size(); ++i)
      {
        voxels[i] = static_cast<std::uint8_t>(voxels[i] * (1 + HashOf(6, i / 5) % 3));
      }
      for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(0) })
      {
        LabelOptions options;
        options.criterion = criterion;
        options.threads = 3;
        options.device = { Device::Kind::Cpu, 0 };
        const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
        std::vector<std::uint32_t> labels(voxels.size());
        labeling.Write(labels.data());
        ASSERT_GT(labeling.ComponentCount(), 10u);
        ExpectSums(labeling.Measure(), labels, extent);
        ExpectSums(labeling.Measure({ {}, ColumnGroups::FromNames("shape") }), labels, extent);
        ExpectSums(MeasureLabelImage(ImageView(labels.data(), extent)), labels, extent);
      }
    }
  }
}

TEST(ComponentTable, ExtremesOf32BitValuesStayExact)
{
  const Extent                    extent{ 1000 };
  const std::vector<std::uint8_t> voxels(1000, 1);
  std::vector<std::int32_t>       intensity(1000, std::numeric_limits<std::int32_t>::max());
  intensity[0] = std::numeric_limits<std::int32_t>::lowest();
  const ComponentTable table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
  ASSERT_EQ(table.components.size(), 1u);
  EXPECT_EQ(table.components[0].intensity.sum, 999.0 * 2147483647.0 - 2147483648.0);
  EXPECT_NEAR(table.components[0].intensity.standardDeviation, 4294967295.0 / std::sqrt(1000.0), 1e-3);
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

/** The table of a mask with its shape columns. */
ComponentTable
ShapesOf(const std::vector<std::uint8_t> & voxels,
         const Extent &                    extent,
         const Geometry &                  geometry = {},
         int                               threads = 0)
{
  LabelOptions options;
  options.connectivity = Connectivity::Full(extent.dimension);
  options.geometry = geometry;
  options.threads = threads;
  options.device = { Device::Kind::Cpu, 0 };
  return Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("shape") });
}

TEST(ComponentTable, MomentsEqualTheSumsOverVoxels)
{
  const Extent         extent{ 70, 24, 15 };
  const auto           voxels = MakeRandom(extent, 0.15, 3, 5);
  const Geometry       geometry = SkewGeometry();
  const ComponentTable table = ShapesOf(voxels, extent, geometry);
  LabelOptions         options;
  options.connectivity = Connectivity::Full(3);
  std::vector<std::uint32_t> labels(voxels.size());
  Label(ImageView(voxels.data(), extent), options).Write(labels.data());
  ASSERT_GT(table.components.size(), 3u);
  ASSERT_EQ(table.measures.Of<ShapeMeasures>().size(), table.components.size());
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    long double count = 0, sum[3] = {}, products[3][3] = {};
    for (int pass = 0; pass < 2; ++pass)
    {
      for (std::size_t i = 0; i < labels.size(); ++i)
      {
        if (labels[i] != c + 1)
        {
          continue;
        }
        const auto   linear = static_cast<std::int64_t>(i);
        const double index[3] = { static_cast<double>(linear % extent.size[0]),
                                  static_cast<double>(linear / extent.size[0] % extent.size[1]),
                                  static_cast<double>(linear / extent.size[0] / extent.size[1]) };
        double       point[3];
        geometry.IndexToPhysical(3, index, point);
        count += pass == 0 ? 1 : 0;
        for (int a = 0; a < 3; ++a)
        {
          sum[a] += pass == 0 ? static_cast<long double>(point[a]) : 0;
          for (int b = 0; b < 3 && pass == 1; ++b)
          {
            products[a][b] += (point[a] - sum[a] / count) * (point[b] - sum[b] / count);
          }
        }
      }
    }
    const char * const axes[] = { "x", "y", "z" };
    double             trace = 0, principal = 0;
    for (int a = 0; a < 3; ++a)
    {
      for (int b = a; b < 3; ++b)
      {
        EXPECT_NEAR(ValueOf(table, c, std::string("covariance_") + axes[a] + axes[b] + "_mm2"),
                    static_cast<double>(products[a][b] / count),
                    1e-10);
      }
      trace += static_cast<double>(products[a][a] / count);
      const std::string number = std::to_string(a + 1);
      const double      moment = ValueOf(table, c, "principal_moment_" + number + "_mm2");
      principal += moment;
      // Each axis is a direction of its moment: C v = m v.
      double v[3];
      for (int b = 0; b < 3; ++b)
      {
        v[b] = ValueOf(table, c, "principal_axis_" + number + "_" + axes[b]);
      }
      EXPECT_NEAR(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1, 1e-12);
      for (int row = 0; row < 3; ++row)
      {
        double product = 0;
        for (int b = 0; b < 3; ++b)
        {
          product += static_cast<double>(products[row][b] / count) * v[b];
        }
        EXPECT_NEAR(product, moment * v[row], 1e-9 * (1 + trace));
      }
    }
    EXPECT_NEAR(principal, trace, 1e-9 * (1 + trace));
  }
}

TEST(ComponentTable, MomentsOfBallsAndBoxesAreThoseOfTheSolids)
{
  // A ball of radius 20 voxels, seen with voxels of any size, has its diameter along all axes.
  Geometry geometry;
  geometry.spacing[0] = geometry.spacing[1] = geometry.spacing[2] = 0.3;
  const Extent              extent{ 45, 45, 45 };
  std::vector<std::uint8_t> ball;
  std::vector<std::uint8_t> box;
  for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
  {
    const std::int64_t x = i % 45 - 22, y = i / 45 % 45 - 22, z = i / 45 / 45 - 22;
    ball.push_back(x * x + y * y + z * z <= 400);
    box.push_back(std::abs(x) <= 15 && std::abs(y) <= 10 && std::abs(z) <= 5);
  }
  const ComponentTable balls = ShapesOf(ball, extent, geometry);
  for (const char * const name : { "axis_length_1_mm", "axis_length_3_mm", "ellipsoid_diameter_2_mm" })
  {
    EXPECT_NEAR(ValueOf(balls, 0, name), 12, 0.05) << name;
  }
  EXPECT_NEAR(ValueOf(balls, 0, "elongation"), 1, 1e-9);
  const ComponentTable boxes = ShapesOf(box, extent);
  // The variance of n numbers in a row is (n^2 - 1) / 12.
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_1_mm2"), (11 * 11 - 1) / 12.0);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_2_mm2"), (21 * 21 - 1) / 12.0);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "principal_moment_3_mm2"), (31 * 31 - 1) / 12.0);
  EXPECT_EQ(ValueOf(boxes, 0, "principal_axis_3_x"), 1);
  EXPECT_EQ(ValueOf(boxes, 0, "principal_axis_1_z"), 1);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "elongation"), std::sqrt(960.0 / 440));
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "flatness"), std::sqrt(440.0 / 120));
}

TEST(ComponentTable, MomentsOfPointsLinesAndPlanesAreFinite)
{
  const Extent              extent{ 21, 21, 21 };
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  const auto                set = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    voxels[static_cast<std::size_t>((z * 21 + y) * 21 + x)] = 1;
  };
  set(0, 0, 0);
  for (std::int64_t i = 3; i < 12; ++i)
  {
    set(i, i, 4);
    set(18, i, 18);
    set(19, i, 18);
  }
  const ComponentTable table = ShapesOf(voxels, extent, SkewGeometry());
  ASSERT_EQ(table.components.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c)
  {
    for (const ComponentColumn & column : ColumnsOf(table))
    {
      const double value =
        std::visit([](auto number) { return static_cast<double>(number); }, column.value(table, table.components[c]));
      EXPECT_TRUE(std::isfinite(value)) << column.name;
    }
    EXPECT_EQ(ValueOf(table, c, "principal_moment_1_mm2"), 0);
    EXPECT_EQ(ValueOf(table, c, "flatness"), 0);
    EXPECT_EQ(ValueOf(table, c, "ellipsoid_diameter_3_mm"), 0);
  }
  EXPECT_EQ(ValueOf(table, 0, "axis_length_3_mm"), 0) << "a voxel";
  EXPECT_EQ(ValueOf(table, 1, "principal_moment_2_mm2"), 0) << "a line";
  EXPECT_EQ(ValueOf(table, 1, "elongation"), 0) << "a line";
  EXPECT_GT(ValueOf(table, 2, "principal_moment_2_mm2"), 0) << "a plane";
  EXPECT_GT(ValueOf(table, 2, "elongation"), 1) << "a plane";
}

TEST(ComponentTable, MomentsFarFromTheOriginLoseNothing)
{
  // A pair of voxels at the end of a long row: a variance of 1/4. Sums of squares of the whole row are up to 2^60 / 3,
  // within sums of 64 bits, or near 2^63.
  for (const std::int64_t length : { (std::int64_t{ 1 } << 20) - 1, (std::int64_t{ 1 } << 22) + 7 })
  {
    const Extent              extent{ length };
    std::vector<std::uint8_t> voxels(static_cast<std::size_t>(length), 0);
    voxels[voxels.size() - 2] = voxels[voxels.size() - 1] = 1;
    EXPECT_EQ(ValueOf(ShapesOf(voxels, extent), 0, "covariance_xx_mm2"), 0.25);
    std::fill(voxels.begin(), voxels.end(), std::uint8_t{ 1 });
    const auto voxelCount = static_cast<double>(length);
    EXPECT_DOUBLE_EQ(ValueOf(ShapesOf(voxels, extent), 0, "covariance_xx_mm2"), (voxelCount * voxelCount - 1) / 12);
  }
}

TEST(ComponentTable, ShapesAreTheSameForEveryNumberOfThreads)
{
  const Extent extent{ 200, 80, 60 };
  const auto   voxels = MakeRandom(extent, 0.1, 2, 8);
  std::string  expected;
  for (const int threads : { 1, 2, 5 })
  {
    std::ostringstream text;
    WriteDelimited(text, ShapesOf(voxels, extent, SkewGeometry(), threads), ',');
    expected = threads == 1 ? text.str() : expected;
    EXPECT_EQ(text.str(), expected) << threads << " threads";
  }
}

template <typename T>
void
CheckDistributions()
{
  const Extent   extent{ 60, 30, 20 };
  const auto     voxels = MakeRandom(extent, 0.15, 3, 5);
  std::vector<T> intensity(voxels.size());
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    // Skewed, with many equal values.
    const double uniform = UniformOf(9, i);
    intensity[i] = static_cast<T>(uniform * uniform * uniform * 100);
  }
  LabelOptions options;
  options.geometry = SkewGeometry();
  const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
  const ColumnGroups         groups = ColumnGroups::FromNames("intensity");
  const ComponentTable       table = labeling.Measure({ ImageView(intensity.data(), extent), groups });
  std::vector<std::uint32_t> labels(voxels.size());
  labeling.Write(labels.data());
  ASSERT_GT(table.components.size(), 10u);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    std::vector<long double> values;
    long double              sum = 0, weighted[3] = {};
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      if (labels[i] == c + 1)
      {
        const auto linear = static_cast<std::int64_t>(i);
        const auto value = static_cast<long double>(intensity[i]);
        values.push_back(value);
        sum += value;
        weighted[0] += value * static_cast<long double>(linear % 60 + 7);
        weighted[1] += value * static_cast<long double>(linear / 60 % 30);
        weighted[2] += value * static_cast<long double>(linear / 1800 - 4);
      }
    }
    std::sort(values.begin(), values.end());
    const auto  count = static_cast<long double>(values.size());
    long double powers[5] = {};
    for (const long double value : values)
    {
      for (int power = 2; power <= 4; ++power)
      {
        powers[power] += std::pow(value - sum / count, static_cast<long double>(power));
      }
    }
    const long double deviation = values.size() > 1 ? std::sqrt(powers[2] / (count - 1)) : 0;
    const auto        skewness = deviation == 0 ? 0 : powers[3] / count / std::pow(deviation, 3.0L);
    const auto        kurtosis = deviation == 0 ? 0 : powers[4] / count / std::pow(deviation, 4.0L) - 3;
    EXPECT_NEAR(ValueOf(table, c, "intensity_skewness"), static_cast<double>(skewness), 1e-9);
    EXPECT_NEAR(ValueOf(table, c, "intensity_kurtosis"), static_cast<double>(kurtosis), 1e-9);
    for (const auto & [name, percentage] :
         { std::pair{ "p5", 5 }, { "p10", 10 }, { "median", 50 }, { "p90", 90 }, { "p95", 95 } })
    {
      const long double rank = (count - 1) * percentage / 100;
      const auto        low = static_cast<std::size_t>(rank);
      const long double share = rank - static_cast<long double>(low);
      const long double expected = values[low] + (share > 0 ? share * (values[low + 1] - values[low]) : 0);
      EXPECT_NEAR(ValueOf(table, c, std::string("intensity_") + name), static_cast<double>(expected), 1e-10) << name;
    }
    if (sum != 0)
    {
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_x"), static_cast<double>(weighted[0] / sum), 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_y"), static_cast<double>(weighted[1] / sum), 1e-10);
      EXPECT_NEAR(ValueOf(table, c, "weighted_centroid_z"), static_cast<double>(weighted[2] / sum), 1e-10);
    }
    else
    {
      EXPECT_TRUE(std::isnan(ValueOf(table, c, "weighted_centroid_x")));
    }
  }
  EXPECT_THROW(labeling.Measure({ {}, groups }), InvalidArgument);
}

TEST(ComponentTable, DistributionsAreThoseOfTheVoxels)
{
  CheckDistributions<std::uint8_t>();
  CheckDistributions<std::int16_t>();
  CheckDistributions<std::uint64_t>();
  CheckDistributions<float>();
}

/** Values base + step * k of a component in two parts, for small numbers k, whose moments are those of k. */
template <typename T>
void
CheckMomentsFarFromZero(T base, T step)
{
  const Extent                    extent{ 96, 64, 97 };
  const std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 1);
  std::vector<T>                  intensity(voxels.size());
  long double                     sums[5] = { static_cast<long double>(voxels.size()) };
  const auto                      numberOf = [](std::size_t i) {
    const std::uint64_t hash = HashOf(5, i) % 100;
    return hash * hash;
  };
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    intensity[i] = static_cast<T>(base + step * static_cast<T>(numberOf(i)));
    sums[1] += static_cast<long double>(numberOf(i));
  }
  const long double mean = sums[1] / sums[0];
  for (std::size_t i = 0; i < intensity.size(); ++i)
  {
    const long double difference = static_cast<long double>(numberOf(i)) - mean;
    for (int power = 2; power < 5; ++power)
    {
      sums[power] += std::pow(difference, static_cast<long double>(power));
    }
  }
  const long double deviation = std::sqrt(sums[2] / (sums[0] - 1));
  const auto        near = [](double value, long double expected) {
    return std::abs(value - static_cast<double>(expected)) <= 1e-12 * std::abs(static_cast<double>(expected));
  };
  const ImageView image(intensity.data(), extent);
  const auto   whole = Label(ImageView(voxels.data(), extent)).Measure({ image, ColumnGroups::FromNames("intensity") });
  const Extent lower{ 96, 64, 40 };
  const Extent upper{ 96, 64, 57 };
  LabelOptions above;
  above.geometry.startIndex[2] = 40;
  const auto a = Label(ImageView(voxels.data(), lower)).Measure(ImageView(intensity.data(), lower));
  const auto b =
    Label(ImageView(voxels.data(), upper), above).Measure(ImageView(intensity.data() + lower.VoxelCount(), upper));
  const auto merged = MergeComponentTables(a, b, { { 1, 1 } });
  for (const ComponentTable * table : { &whole, &merged })
  {
    const long double expectedMean = static_cast<long double>(base) + static_cast<long double>(step) * mean;
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_mean"), expectedMean));
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_sum"), expectedMean * sums[0]));
    EXPECT_TRUE(near(ValueOf(*table, 0, "intensity_std"), deviation * static_cast<long double>(step)))
      << ValueOf(*table, 0, "intensity_std") << ' ' << deviation * static_cast<long double>(step);
  }
  EXPECT_NEAR(ValueOf(whole, 0, "intensity_skewness"),
              static_cast<double>(sums[3] / sums[0] / std::pow(deviation, 3.0L)),
              1e-10);
  EXPECT_NEAR(ValueOf(whole, 0, "intensity_kurtosis"),
              static_cast<double>(sums[4] / sums[0] / std::pow(deviation, 4.0L) - 3),
              1e-10);
}

TEST(ComponentTable, MomentsFarFromZeroAreThoseOfTheDifferences)
{
  CheckMomentsFarFromZero<double>(1e12, 1.0 / 4096);
  CheckMomentsFarFromZero<double>(-1e12, 1.0 / 4096);
  CheckMomentsFarFromZero<double>(1e15, 1);
  CheckMomentsFarFromZero<float>(1e7F, 1.0F);
  CheckMomentsFarFromZero<std::int64_t>((std::int64_t{ 1 } << 62) + 1, 3);
  CheckMomentsFarFromZero<std::int64_t>(std::numeric_limits<std::int64_t>::lowest(), 7);
  CheckMomentsFarFromZero<std::uint64_t>(~std::uint64_t{ 0 } - 30000, 3);
  CheckMomentsFarFromZero<std::uint64_t>(0, 1000000007);
  CheckMomentsFarFromZero<std::int32_t>(2147400000, 7);
  CheckMomentsFarFromZero<std::uint32_t>(4294900000U, 5);
}

TEST(ComponentTable, SumsOfWholeNumbersAreExactBeforeTheyAreRounded)
{
  const Extent                    extent{ 5 };
  const std::vector<std::uint8_t> voxels(5, 1);
  constexpr std::int64_t          lowest = std::numeric_limits<std::int64_t>::lowest();
  const std::vector<std::int64_t> intensity{ -(lowest + 1), 3, lowest + 1, 5, 2 };
  const ComponentTable table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
  EXPECT_EQ(ValueOf(table, 0, "intensity_sum"), 10);
  EXPECT_EQ(ValueOf(table, 0, "intensity_mean"), 2);
}

template <typename T>
void
CheckEqualValues()
{
  for (const double value : { 0.1, 0.3, 1.0 / 3, 1e-5, 123.456, -1000.1, 0.7, 1e7 + 0.1, 1e30, 1e-300 })
  {
    const Extent         extent{ 96, 64, 97 };
    const std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()), static_cast<T>(value));
    const Extent         lower{ 96, 64, 40 };
    const Extent         upper{ 96, 64, 57 };
    LabelOptions         options;
    options.criterion.background.reset();
    const auto measure = [&](const Extent & part, const T * from) {
      const ImageView image(from, part);
      return Label(image, options).Measure({ image, ColumnGroups::FromNames("intensity") });
    };
    const auto whole = measure(extent, voxels.data());
    const auto a = measure(lower, voxels.data());
    options.geometry.startIndex[2] = 40;
    const auto b = measure(upper, voxels.data() + lower.VoxelCount());
    const auto merged = MergeComponentTables(a, b, { { 1, 1 } });
    for (const ComponentTable * table : { &whole, &merged })
    {
      EXPECT_EQ(ValueOf(*table, 0, "intensity_std"), 0) << value;
      EXPECT_EQ(ValueOf(*table, 0, "intensity_variance"), 0) << value;
      EXPECT_EQ(ValueOf(*table, 0, "intensity_mean"), static_cast<double>(static_cast<T>(value)));
    }
    EXPECT_EQ(ValueOf(whole, 0, "intensity_skewness"), 0) << value;
    EXPECT_EQ(ValueOf(whole, 0, "intensity_kurtosis"), 0) << value;
  }
}

TEST(ComponentTable, EqualValuesDoNotDeviate)
{
  CheckEqualValues<double>();
  CheckEqualValues<float>();
}

/** Values that are not finite: what is summed is what a plain sum is. */
TEST(ComponentTable, InfiniteValuesHaveInfiniteSums)
{
  constexpr double                infinity = std::numeric_limits<double>::infinity();
  const Extent                    extent{ 3, 2 };
  const std::vector<std::uint8_t> voxels(6, 1);
  for (const std::vector<double> & intensity :
       { std::vector<double>{ 1, infinity, 2, 3, 4, 5 }, std::vector<double>{ infinity, 1, 2, 3, 4, 5 } })
  {
    const auto table = Label(ImageView(voxels.data(), extent)).Measure(ImageView(intensity.data(), extent));
    EXPECT_EQ(ValueOf(table, 0, "intensity_sum"), infinity);
    EXPECT_EQ(ValueOf(table, 0, "intensity_mean"), infinity);
    EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_std")));
  }
}

TEST(ComponentTable, DistributionsOfNotANumberAreNone)
{
  const Extent                    extent{ 4 };
  const std::vector<std::uint8_t> voxels(4, 1);
  const std::vector<float>        intensity{ 1, std::numeric_limits<float>::quiet_NaN(), 3, 4 };
  const ComponentTable            table =
    Label(ImageView(voxels.data(), extent))
      .Measure({ ImageView(intensity.data(), extent), ColumnGroups::FromNames("intensity") });
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_median")));
  EXPECT_TRUE(std::isnan(ValueOf(table, 0, "intensity_skewness")));
}

TEST(ComponentTable, SurfacesEqualTheSumsOverVoxels)
{
  for (const Extent & extent : { Extent{ 40, 18, 11 }, Extent{ 90, 35 } })
  {
    // Of three values, so that components lie side by side, and with voxels that are no cubes.
    std::vector<std::uint8_t> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      voxels.push_back(static_cast<std::uint8_t>(HashOf(3, static_cast<std::uint64_t>(i / 3)) % 3));
    }
    const Geometry geometry = SkewGeometry();
    LabelOptions   options;
    options.criterion = Criterion::EqualValue();
    options.connectivity = Connectivity::Full(extent.dimension);
    options.geometry = geometry;
    const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
    const ComponentTable       table = labeling.Measure({ {}, ColumnGroups::FromNames("surface") });
    std::vector<std::uint32_t> labels(voxels.size());
    labeling.Write(labels.data());
    const auto          steps = HalfNeighbours(extent.dimension);
    const auto          weights = CroftonWeights(extent.dimension, geometry);
    std::vector<double> expected(table.components.size() + 1, 0);
    std::vector<double> faces(table.components.size() + 1, 0);
    for (std::size_t i = 0; i < labels.size(); ++i)
    {
      const auto         linear = static_cast<std::int64_t>(i);
      const std::int64_t at[3] = { linear % extent.size[0],
                                   linear / extent.size[0] % extent.size[1],
                                   linear / extent.size[0] / extent.size[1] };
      for (std::size_t d = 0; d < steps.size(); ++d)
      {
        std::int64_t to[3];
        bool         isInside = true;
        for (int axis = 0; axis < 3; ++axis)
        {
          to[axis] = at[axis] + steps[d].step[axis];
          isInside = isInside && to[axis] >= 0 && to[axis] < extent.size[axis];
        }
        const auto there = static_cast<std::size_t>((to[2] * extent.size[1] + to[1]) * extent.size[0] + to[0]);
        const bool leaves = !isInside || labels[there] != labels[i];
        expected[labels[i]] += leaves ? weights[d] : 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          const bool isAlong =
            steps[d].step[axis] == 1 &&
            std::abs(steps[d].step[0]) + std::abs(steps[d].step[1]) + std::abs(steps[d].step[2]) == 1;
          faces[labels[i]] +=
            leaves && isAlong ? 2 * geometry.VoxelVolume(extent.dimension) / geometry.spacing[axis] : 0;
        }
      }
    }
    ASSERT_GT(table.components.size(), 5u);
    for (std::size_t c = 0; c < table.components.size(); ++c)
    {
      EXPECT_NEAR(table.measures.Of<SurfaceMeasures>()[c].crofton, expected[c + 1], 1e-9 * expected[c + 1]);
      EXPECT_NEAR(table.measures.Of<SurfaceMeasures>()[c].faces, faces[c + 1], 1e-9 * faces[c + 1]);
    }
  }
}

TEST(ComponentTable, CroftonsWeightsShareTheSphere)
{
  // The shares of cubic voxels' 26 directions, as itk::ShapeLabelMapFilter has them.
  const auto cubic = CroftonWeights(3, {});
  EXPECT_NEAR(cubic[0] / 4, 2 * 0.04577789120476, 1e-12);
  EXPECT_NEAR(cubic[1] / 4 * std::sqrt(2.0), 2 * 0.03698062787608, 1e-12);
  EXPECT_NEAR(cubic[4] / 4 * std::sqrt(3.0), 2 * 0.03519563978232, 1e-12);
  const Geometry skew = SkewGeometry();
  const auto     steps = HalfNeighbours(3);
  const auto     weights = CroftonWeights(3, skew);
  ASSERT_EQ(steps.size(), 13u);
  double share = 0;
  for (std::size_t d = 0; d < steps.size(); ++d)
  {
    const double length = std::hypot(steps[d].step[0] * 0.5, steps[d].step[1] * 1.25, steps[d].step[2] * 3);
    share += weights[d] * length / skew.VoxelVolume(3) / 4;
  }
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_THROW(HalfNeighbours(4), Unsupported);
}

TEST(ComponentTable, SurfacesOfBallsAndBoxesAreThoseOfTheSolids)
{
  // Ellipsoids of voxels that are a ball of radius 20 mm where the voxels' shape is taken into account.
  for (const double along : { 1.0, 0.5, 2.0 })
  {
    Geometry geometry;
    geometry.spacing[0] = along;
    geometry.spacing[2] = 0.8;
    const Extent              extent{ static_cast<std::int64_t>(44 / along) + 2, 46, 56 };
    std::vector<std::uint8_t> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const double x = (static_cast<double>(i % extent.size[0]) - static_cast<double>(extent.size[0]) / 2) * along;
      const double y = static_cast<double>(i / extent.size[0] % 46) - 22.7;
      const double z = (static_cast<double>(i / extent.size[0] / 46) - 27.8) * 0.8;
      voxels.push_back(x * x + y * y + z * z <= 400);
    }
    LabelOptions options;
    options.geometry = geometry;
    const ComponentTable table =
      Label(ImageView(voxels.data(), extent), options).Measure({ {}, ColumnGroups::FromNames("surface") });
    ASSERT_EQ(table.components.size(), 1u);
    EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2") / (1600 * M_PI), 1, 0.01) << along;
    EXPECT_NEAR(ValueOf(table, 0, "sphericity"), 1, 0.015) << along;
  }
  const Extent                    extent{ 9, 7, 4 };
  const std::vector<std::uint8_t> box(static_cast<std::size_t>(extent.VoxelCount()), 1);
  const ComponentTable table = Label(ImageView(box.data(), extent)).Measure({ {}, ColumnGroups::FromNames("surface") });
  EXPECT_DOUBLE_EQ(ValueOf(table, 0, "face_area_mm2"), 2 * (9 * 7 + 9 * 4 + 7 * 4));
  EXPECT_LT(ValueOf(table, 0, "sphericity"), 0.95);

  const Extent              flat{ 121, 121 };
  std::vector<std::uint8_t> disc;
  for (std::int64_t i = 0; i < flat.VoxelCount(); ++i)
  {
    const std::int64_t x = i % 121 - 60, y = i / 121 - 60;
    disc.push_back(x * x + y * y <= 2500);
  }
  const ComponentTable discs = Label(ImageView(disc.data(), flat)).Measure({ {}, ColumnGroups::FromNames("surface") });
  EXPECT_NEAR(ValueOf(discs, 0, "perimeter_mm") / (100 * M_PI), 1, 0.01);
  EXPECT_NEAR(ValueOf(discs, 0, "circularity"), 1, 0.02);
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
