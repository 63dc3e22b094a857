// SPDX-License-Identifier: Apache-2.0
// A group of columns of a user's own: what an outsider writes, and that tables, conditions and merging take it in.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{
namespace
{

/** The length of a component's longest run along x, in voxels. */
struct LongestRun
{
  static constexpr bool IsExact = true;

  std::int64_t voxels = 0;

  void
  Merge(const LongestRun & other)
  {
    voxels = std::max(voxels, other.voxels);
  }
};

void
MeasureLongestRuns(const GroupInput & input, ComponentTable & table)
{
  table.measures.Set(AccumulateRuns<LongestRun>(
    input.volume,
    table.components.size(),
    input.context,
    [](LongestRun & longest, std::int64_t, const RowPosition &, std::int64_t begin, std::int64_t end) {
      longest.Merge({ end - begin });
    }));
}

void
MergeLongestRuns(const MergeInput & input, ComponentTable & table)
{
  std::vector<LongestRun> merged(table.components.size());
  for (std::size_t c = 0; c < merged.size(); ++c)
  {
    input.ForParts(c, [&](const PartRow & row) { merged[c].Merge(row.table->measures.Of<LongestRun>()[row.place]); });
  }
  table.measures.Set(std::move(merged));
}

void
AddLongestRunColumns(columns::ColumnList & list)
{
  list.Add("longest_run_mm",
           "length of the longest run along x",
           "",
           "",
           MergeRule::Maximum,
           [](const ComponentTable & table, const ComponentMeasures & component) {
             const auto voxels = table.measures.Of<LongestRun>()[component.place].voxels;
             return static_cast<double>(voxels) * table.geometry.spacing[0];
           });
}

constexpr ColumnGroup LongestRunGroup = [] {
  ColumnGroup group;
  group.name = "longest_run";
  group.maximumDimension = 3;
  group.addColumns = AddLongestRunColumns;
  group.measure = MeasureLongestRuns;
  group.merge = MergeLongestRuns;
  return group;
}();

/** A group whose column follows from the rows: there is nothing to measure, and nothing to merge. */
constexpr ColumnGroup BoxGroup = [] {
  ColumnGroup group;
  group.name = "box";
  group.addColumns = [](columns::ColumnList & list) {
    list.Add(
      "box_width",
      "voxels of the bounding box along x",
      "",
      "",
      MergeRule::Recomputed,
      [](const ComponentTable &, const ComponentMeasures & component) {
        return component.boxMaximum[0] - component.boxMinimum[0] + 1;
      },
      "voxels");
  };
  group.merge = MergeNothing;
  return group;
}();

/** A bar of 5 x 2 x 2 voxels with the label 7 and a single voxel with the label 9. */
ComponentTable
MeasureBar(std::int64_t startZ, const ColumnGroups & groups)
{
  const Extent              extent{ 8, 4, 2 };
  std::vector<std::uint8_t> labels(64, 0);
  for (std::size_t i = 0; i < 20; ++i)
  {
    labels[i / 10 * 32 + i / 5 % 2 * 8 + i % 5] = 7;
  }
  // Makes one of the rows of the first slice the longest.
  labels[5] = 7;
  labels[31] = 9;
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.startIndex[2] = startZ;
  MeasureOptions options;
  options.groups = groups;
  return MeasureLabelImage(ImageView(labels.data(), extent), geometry, options, 2);
}

ColumnGroups
OwnGroups()
{
  ColumnGroups groups;
  groups.Add(LongestRunGroup);
  groups.Add("place");
  groups.Add(BoxGroup);
  groups.Add(LongestRunGroup);
  return groups;
}

TEST(ColumnGroups, OfAUsersOwnAreMeasuredWrittenAndAsked)
{
  const ComponentTable table = MeasureBar(0, OwnGroups());
  ASSERT_EQ(table.components.size(), 2u);
  EXPECT_TRUE(table.HasGroup("longest_run"));
  EXPECT_EQ(table.measures.Of<LongestRun>()[0].voxels, 6);
  EXPECT_EQ(table.measures.Of<LongestRun>()[1].voxels, 1);

  const std::vector<ComponentColumn> columns = ColumnsOf(table);
  const ComponentColumn &            longest = columns[columns.size() - 2];
  EXPECT_EQ(longest.name, "longest_run_mm");
  EXPECT_EQ(longest.unit, "mm");
  EXPECT_EQ(longest.group, "longest_run");
  EXPECT_EQ(std::get<double>(longest.value(table, table.components[0])), 3);
  EXPECT_EQ(columns.back().name, "box_width");

  std::ostringstream text;
  WriteDelimited(text, table, ',');
  EXPECT_NE(text.str().find(",longest_run_mm,box_width\n"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find(",0.5,1\n"), std::string::npos) << text.str();
  EXPECT_EQ(Condition("longest_run_mm > 1 and box_width == 6").Evaluate(table), (std::vector<bool>{ true, false }));
  EXPECT_THROW(Condition("longest_run_mm > 1").Evaluate(MeasureBar(0, {})), InvalidArgument);
}

TEST(ColumnGroups, OfAUsersOwnAreMerged)
{
  const ComponentTable a = MeasureBar(0, OwnGroups());
  const ComponentTable b = MeasureBar(2, OwnGroups());
  const ComponentTable merged = MergeComponentTables(a, b, { { 7, 7 }, { 7, 9 } });
  ASSERT_EQ(merged.components.size(), 2u);
  EXPECT_EQ(merged.groups, a.groups);
  EXPECT_EQ(merged.measures.Of<LongestRun>()[0].voxels, 6);
  EXPECT_EQ(merged.measures.Of<LongestRun>()[1].voxels, 1);
  EXPECT_EQ(merged.components[0].voxelCount, 43u);
}

TEST(ColumnGroups, AreASetInTheOrderOfTheirColumns)
{
  ColumnGroups groups = ColumnGroups::FromNames("neighbors,elongation,place");
  ASSERT_EQ(groups.List().size(), 3u);
  EXPECT_EQ(groups.List()[0]->name, std::string("place"));
  EXPECT_EQ(groups.List()[1]->name, std::string("shape"));
  EXPECT_EQ(groups.List()[2]->name, std::string("neighbors"));
  EXPECT_TRUE(groups.Has("shape"));
  EXPECT_FALSE(groups.Has("feret"));
  ColumnGroups others;
  others.Add("shape");
  others.Add("neighbors");
  EXPECT_NE(groups, others);
  others.Add("place");
  others.Add("shape");
  EXPECT_EQ(groups, others);
  EXPECT_TRUE(ColumnGroups::FromNames("volume_mm3,surface_distance_mm").List().empty()) << "they have no group";
  EXPECT_THROW(groups.Add("volume_mm3"), InvalidArgument);
  EXPECT_THROW(groups.Add(""), InvalidArgument);
  groups.Add(LongestRunGroup);
  EXPECT_THROW(groups.CheckDimension(4), Unsupported);
  EXPECT_EQ(ColumnGroups::Of(MeasureBar(0, groups)), groups);
  EXPECT_EQ(ColumnGroups::Of(ComponentTable()), ColumnGroups());
  EXPECT_EQ(ColumnGroups::Names().find("longest_run"), std::string::npos);
}

TEST(MeasureSet, CopiesAreIndependentAndMissingMeasuresAreSaid)
{
  const ComponentTable table = MeasureBar(0, OwnGroups());
  ComponentTable       copy = table;
  copy.measures.Set(std::vector<LongestRun>(2));
  EXPECT_EQ(copy.measures.Of<LongestRun>()[0].voxels, 0);
  EXPECT_EQ(table.measures.Of<LongestRun>()[0].voxels, 6);
  copy = table;
  copy.components.SetLabels({ 70, 90 });
  EXPECT_EQ(copy.components[1].label, 90u);
  EXPECT_EQ(table.components[1].label, 9u);
  EXPECT_FALSE(table.measures.Has<SurfaceMeasures>());
  EXPECT_THROW(table.measures.Of<SurfaceMeasures>(), InvalidArgument);

  // Labels within measures are replaced in only one copy.
  const std::vector<std::uint8_t> voxels = { 1, 0, 0, 1 };
  LabelOptions                    options;
  options.device = { Device::Kind::Cpu, 0 };
  const ComponentTable first =
    Label(ImageView(voxels.data(), { 4, 1 }), options).Measure({ {}, ColumnGroups::FromNames("neighbors") });
  ComponentTable renamed = first;
  SetLabels(renamed, { 5, 8 });
  EXPECT_EQ(renamed.components[0].label, 5u);
  EXPECT_EQ(renamed.measures.Of<NeighborMeasures>()[0].nearest, 8u);
  EXPECT_EQ(renamed.measures.Of<NeighborMeasures>()[1].nearest, 5u);
  EXPECT_EQ(first.measures.Of<NeighborMeasures>()[0].nearest, 2u);
}

} // namespace
} // namespace brickccl
