// SPDX-License-Identifier: Apache-2.0
// Components of periodic volumes that are labeled by bricks continue through the ends, in labels and in tables.

#include "ByBricks.h"
#include "SlowBuild.h"

#include <cmath>

namespace brickccl
{
namespace
{

constexpr std::uint64_t Cases = testing::IsSlowBuild ? 40 : 250;

/** A random case with periodic axes. */
Case
MakePeriodicCase(Choices & choose)
{
  Case made = MakeCase(choose);
  for (int axis = 0; axis < made.extent.dimension; ++axis)
  {
    if (choose.Heads() && made.options.label.connectivity->Uses(axis))
    {
      made.options.label.periodic.Add(axis);
    }
  }
  made.options.measure.groups = ColumnGroups::FromNames("place,shape");
  return made;
}

/** Compares a table with components that were put together voxel by voxel. */
void
ExpectUnwrapped(const std::vector<testing::UnwrappedComponent> & expected, const ComponentTable & table)
{
  ASSERT_EQ(expected.size(), table.components.size());
  for (std::size_t c = 0; c < expected.size(); ++c)
  {
    SCOPED_TRACE("component " + std::to_string(c + 1));
    const testing::UnwrappedComponent & component = expected[c];
    const ComponentMeasures             row = table.components[c];
    ASSERT_EQ(component.voxels, row.voxelCount);
    const auto count = static_cast<double>(component.voxels);
    bool       wrapsAny = false;
    for (int axis = 0; axis < table.extent.dimension; ++axis)
    {
      const auto         i = static_cast<std::size_t>(axis);
      const std::int64_t start = table.geometry.startIndex[axis];
      const bool         wraps = component.wraps[i];
      wrapsAny = wrapsAny || wraps;
      ASSERT_EQ(wraps, std::isnan(row.centroid[axis])) << "axis " << axis;
      ASSERT_EQ(start + (wraps ? 0 : component.minimum[i]), row.boxMinimum[axis]) << "axis " << axis;
      ASSERT_EQ(start + (wraps ? table.extent.size[axis] - 1 : component.maximum[i]), row.boxMaximum[axis]);
      if (!wraps)
      {
        ASSERT_EQ(static_cast<double>(start) + static_cast<double>(component.sum[i]) / count, row.centroid[axis]);
      }
    }
    const ShapeMeasures & shape = table.measures.Of<ShapeMeasures>()[c];
    for (int i = 0; i < table.extent.dimension; ++i)
    {
      for (int j = 0; j < table.extent.dimension; ++j)
      {
        const auto   a = static_cast<std::size_t>(i);
        const auto   b = static_cast<std::size_t>(j);
        const double meanA = static_cast<double>(component.sum[a]) / count;
        const double meanB = static_cast<double>(component.sum[b]) / count;
        const double covariance = (static_cast<double>(component.products[a][b]) / count - meanA * meanB) *
                                  table.geometry.spacing[i] * table.geometry.spacing[j];
        ASSERT_EQ(wrapsAny, std::isnan(shape.covariance[i][j]));
        if (!wrapsAny)
        {
          ASSERT_NEAR(covariance, shape.covariance[i][j], 1e-9 * (1 + std::abs(meanA * meanB)));
        }
      }
    }
  }
}

TEST(Bricks, GoOnThroughTheEndsOfPeriodicVolumes)
{
  Labeling      scratch;
  std::uint64_t withOracle = 0;
  std::uint64_t wrapping = 0;
  for (std::uint64_t seed = 1001; seed <= 1000 + Cases; ++seed)
  {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Choices    choose(seed);
    Case       made = MakePeriodicCase(choose);
    const bool useMask = choose.Heads();
    ByBricks   done;
    done.boxes = MakeBricks(made.extent, choose);
    LabelByBricks(made, useMask, choose.Below(4) == 0, scratch, done);
    AsAWhole whole;
    ExpectSameAsWhole(made, useMask, done, whole);
    if (!HasFatalFailure() && HasOracle(made))
    {
      const testing::FloodFillProblem problem = OracleOf(made, useMask);
      ASSERT_EQ(testing::FloodFill(problem), done.labels);
      const auto components = testing::UnwrapComponents(problem);
      ExpectUnwrapped(components, whole.table);
      ++withOracle;
      wrapping += static_cast<std::uint64_t>(
        std::count_if(components.begin(), components.end(), [](const testing::UnwrappedComponent & component) {
          return component.wraps[0] || component.wraps[1] || component.wraps[2] || component.wraps[3];
        }));
    }
    if (HasFatalFailure() || HasNonfatalFailure())
    {
      return;
    }
  }
  EXPECT_GT(withOracle, Cases / 8);
  EXPECT_GT(wrapping, Cases / 8);
}

TEST(Bricks, UnwrapASpiralOfManyImages)
{
  // A line that moves by 3 along y in each of 11 images along x, so that its turns do not touch.
  const Extent              extent{ 40, 37, 5 };
  constexpr std::int64_t    middle = 2;
  constexpr std::int64_t    length = 440;
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  for (std::int64_t step = 0; step < length; ++step)
  {
    voxels[static_cast<std::size_t>((middle * 37 + step * 3 / 40) * 40 + step % 40)] = 1;
  }
  Case made;
  made.extent = extent;
  made.voxels.resize(voxels.size());
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    made.voxels[i] = static_cast<std::byte>(voxels[i]);
    made.values.push_back(voxels[i]);
  }
  made.mask.assign(voxels.size(), 1);
  made.intensity.assign(voxels.size(), 5);
  made.options.label.connectivity = Connectivity::Full(3);
  made.options.label.threads = 1;
  made.options.label.periodic = PeriodicAxes::FromNames("xyz");
  made.options.measure.groups = ColumnGroups::FromNames("place,shape");
  BrickOptions whole = made.options;
  whole.measure.intensity = ImageView(made.intensity.data(), extent);
  const ComponentTable      table = Label(ImageView(voxels.data(), extent), whole.label).Measure(whole.measure);
  testing::FloodFillProblem problem = OracleOf(made, false);
  problem.rank = 3;
  ExpectUnwrapped(testing::UnwrapComponents(problem), table);
  ASSERT_EQ(table.components.size(), 1u);
  EXPECT_EQ(table.components[0].boxMaximum[0], length - 1);
  Labeling scratch;
  for (const Extent & brick : { Extent{ 40, 37, 1 }, Extent{ 7, 37, 5 }, Extent{ 1, 5, 3 }, Extent{ 16, 16, 5 } })
  {
    ByBricks done;
    done.boxes = CutIntoBricks(extent, brick);
    LabelByBricks(made, false, false, scratch, done);
    ExpectSameTables(table, MergedTable(done));
  }
}

TEST(Bricks, MergeTheSameOnAnyNumberOfThreads)
{
  // Many labels touch, through faces and through ends.
  const Extent volume{ 150, 140, 24 };
  Case         made;
  Choices      choose(3);
  made.extent = volume;
  for (std::int64_t i = 0; i < volume.VoxelCount(); ++i)
  {
    made.voxels.push_back(static_cast<std::byte>(choose.Below(3) == 0 ? 1 : 0));
  }
  made.mask.assign(made.voxels.size(), 1);
  made.intensity.assign(made.voxels.size(), 5);
  made.options.label.threads = 1;
  for (const char * const periodic : { "", "xz" })
  {
    made.options.label.periodic = PeriodicAxes::FromNames(periodic);
    ByBricks one;
    one.merge = BrickMerge(1);
    one.boxes = CutIntoBricks(volume, Extent{ 150, 140, 4 });
    Labeling scratch;
    LabelByBricks(made, false, false, scratch, one);
    for (const int threads : { 2, 3, 8 })
    {
      BrickMerge             merge(threads);
      std::vector<BytesView> records;
      for (const LabeledBrick & brick : one.bricks)
      {
        records.emplace_back(brick.record);
      }
      ASSERT_EQ(merge.Add(records), 0u);
      merge.Finish();
      ASSERT_EQ(one.merge.ComponentCount(), merge.ComponentCount());
      ExpectSameReports(one.merge.Relabeled(), merge.Relabeled());
      for (std::size_t brick = 0; brick < records.size(); ++brick)
      {
        ASSERT_EQ(one.merge.Map(brick), merge.Map(brick)) << "brick " << brick << " on " << threads << " threads";
      }
    }
  }
}

} // namespace
} // namespace brickccl
