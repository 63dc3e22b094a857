// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <set>

namespace brickccl
{
namespace
{

TEST(Columns, EveryOneIsDescribedOnce)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    std::set<std::string> names;
    for (const ComponentColumn & column : AllColumns(dimension))
    {
      EXPECT_TRUE(names.insert(column.name).second) << column.name << " twice";
      EXPECT_FALSE(column.description.empty()) << column.name;
    }
    EXPECT_GT(names.size(), 20u);
  }
  const std::vector<std::uint16_t> labels(16, 1);
  EXPECT_THROW(MeasureLabels({ 2, 2, 2, 2 }, labels, "surface"), Unsupported);
}

TEST(Columns, VoxelsOfALineThatAreComponentsEachHaveLengths)
{
  const std::vector<std::uint8_t> voxels = { 1, 1, 0, 1 };
  LabelOptions                    options;
  options.geometry.spacing[0] = 0.5;
  // No steps along x.
  options.connectivity = Connectivity::FromOffsets(1, {});
  const ComponentTable table = Label(ImageView(voxels.data(), Extent{ 4 }), options).Measure();
  ASSERT_EQ(table.components.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c)
  {
    EXPECT_EQ(ValueOf(table, c, "length_mm"), 0.5);
    EXPECT_EQ(ValueOf(table, c, "bbox_min_x"), c == 2 ? 3.0 : static_cast<double>(c));
  }
  for (const ComponentColumn & column : ColumnsOf(table))
  {
    EXPECT_NE(column.name, "slice");
  }
}

TEST(Columns, DimensionsAndSlicesThatDoNotExistAreRefused)
{
  EXPECT_STREQ(SizeName(1), "length_mm");
  EXPECT_THROW(SizeName(0), InvalidArgument);
  EXPECT_THROW(SizeName(5), InvalidArgument);
  EXPECT_THROW(AllColumns(1, 0), InvalidArgument);
  EXPECT_THROW(AllColumns(3, 3), InvalidArgument);
  EXPECT_THROW(AllColumns(3, -1), InvalidArgument);
}

} // namespace
} // namespace brickccl
