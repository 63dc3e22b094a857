// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Geometry/Crofton.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

namespace brickccl
{
namespace
{

/** Compares sums, bounds and first voxels with single voxels. */
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

TEST(SumsOfRows, SumsOfRowsOfAnyLengthAreThoseOfTheVoxels)
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

} // namespace
} // namespace brickccl
