// SPDX-License-Identifier: Apache-2.0
#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brickccl
{
namespace
{

/** A box of an image: first index and size along each axis. */
struct Region
{
  std::int64_t start[3];
  std::int64_t size[3];
};

/** Measures a box of the image, whole or from two halves that are measured in the same way. */
template <typename T>
ComponentTable
MeasureInParts(const Extent &                     extent,
               const std::vector<std::uint8_t> &  voxels,
               const std::vector<std::uint16_t> & wholeLabels,
               const std::vector<T> &             intensity,
               const Geometry &                   geometry,
               const ColumnGroups &               groups,
               const Region &                     region,
               int                                splits,
               std::uint64_t                      seed)
{
  const auto axis = static_cast<std::size_t>(HashOf(seed, 1) % 3);
  if (splits > 0 && region.size[axis] > 1)
  {
    Region     lower = region, upper = region;
    const auto cut = 1 + static_cast<std::int64_t>(HashOf(seed, 2) % static_cast<std::uint64_t>(region.size[axis] - 1));
    lower.size[axis] = cut;
    upper.start[axis] += cut;
    upper.size[axis] -= cut;
    const auto part = [&](const Region & half, std::uint64_t next) {
      return MeasureInParts(extent,
                            voxels,
                            wholeLabels,
                            intensity,
                            geometry,
                            groups,
                            half,
                            splits - 1,
                            seed * 2 + next);
    };
    ComponentTable a = part(lower, 1);
    ComponentTable b = part(upper, 2);
    if (HashOf(seed, 3) % 2 == 0)
    {
      std::swap(a, b);
    }
    // Components are identified by the whole image's label of their first voxels.
    const auto labelOf = [&](const ComponentTable & table, std::size_t c) {
      std::int64_t place = 0;
      std::int64_t rest = static_cast<std::int64_t>(table.components[c].firstVoxel);
      std::int64_t stride = 1;
      for (int i = 0; i < 3; ++i)
      {
        place += (rest % table.extent.size[i] + table.geometry.startIndex[i] - geometry.startIndex[i]) * stride;
        rest /= table.extent.size[i];
        stride *= extent.size[i];
      }
      return wholeLabels[static_cast<std::size_t>(place)];
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (std::size_t i = 0; i < a.components.size(); ++i)
    {
      for (std::size_t j = 0; j < b.components.size(); ++j)
      {
        if (labelOf(a, i) == labelOf(b, j))
        {
          pairs.emplace_back(a.components[i].label, b.components[j].label);
        }
      }
    }
    MergedLabels   labels;
    ComponentTable merged = MergeComponentTables(a, b, pairs, &labels);
    EXPECT_EQ(labels.ofFirst.size(), a.components.size());
    EXPECT_EQ(labels.ofSecond.size(), b.components.size());
    for (std::size_t i = 0; i < labels.ofFirst.size(); ++i)
    {
      EXPECT_EQ(labelOf(merged, static_cast<std::size_t>(labels.ofFirst[i] - 1)), labelOf(a, i));
    }
    return merged;
  }
  const Extent              partExtent{ region.size[0], region.size[1], region.size[2] };
  std::vector<std::uint8_t> own;
  std::vector<T>            values;
  for (std::int64_t z = region.start[2]; z < region.start[2] + region.size[2]; ++z)
  {
    for (std::int64_t y = region.start[1]; y < region.start[1] + region.size[1]; ++y)
    {
      const auto row = static_cast<std::ptrdiff_t>((z * extent.size[1] + y) * extent.size[0] + region.start[0]);
      own.insert(own.end(), voxels.begin() + row, voxels.begin() + row + region.size[0]);
      values.insert(values.end(), intensity.begin() + row, intensity.begin() + row + region.size[0]);
    }
  }
  LabelOptions options;
  options.device = cpu;
  options.geometry = geometry;
  for (int i = 0; i < 3; ++i)
  {
    options.geometry.startIndex[i] += region.start[i];
  }
  return Label(ImageView(own.data(), partExtent), options).Measure({ ImageView(values.data(), partExtent), groups });
}

template <typename T>
void
CheckMerging(int splits, bool isExact)
{
  const Geometry geometry = Anisotropic();
  const Extent   extent{ 26, 15, 11 };
  for (std::uint64_t seed = 0; seed < 100; ++seed)
  {
    const auto voxels =
      MakeRandom(extent, 0.25 + 0.002 * static_cast<double>(seed), 1 + static_cast<int>(seed % 3), seed);
    std::vector<T> intensity(voxels.size());
    for (std::size_t i = 0; i < intensity.size(); ++i)
    {
      intensity[i] = static_cast<T>(UniformOf(seed, i) * 200);
    }
    LabelOptions options;
    options.device = cpu;
    const Labeling             whole = Label(ImageView(voxels.data(), extent), options);
    std::vector<std::uint16_t> labels(voxels.size());
    whole.Write(labels.data());
    const ColumnGroups groups = ColumnGroups::FromNames("place,shape,feret,hull");
    const Region       all{ { 0, 0, 0 }, { 26, 15, 11 } };
    const auto         expected = MeasureInParts(extent, voxels, labels, intensity, geometry, groups, all, 0, seed);
    const auto merged = MeasureInParts(extent, voxels, labels, intensity, geometry, groups, all, splits, seed + 7);
    ASSERT_EQ(merged.components.size(), whole.ComponentCount());
    const auto columns = ColumnsOf(expected);
    ASSERT_EQ(ColumnsOf(merged).size(), columns.size());
    for (std::size_t c = 0; c < merged.components.size(); ++c)
    {
      for (const ComponentColumn & column : columns)
      {
        EXPECT_NE(column.merge, MergeRule::SecondLook) << column.name;
        const auto   number = [](auto value) { return static_cast<double>(value); };
        const double is = std::visit(number, column.value(merged, merged.components[c]));
        const double should = std::visit(number, column.value(expected, expected.components[c]));
        const bool   isNearly = column.name.find("enclosing") == 0 || column.name.find("oriented") == 0 ||
                              (!isExact && column.name.find("intensity") == 0);
        EXPECT_NEAR(is, should, isNearly ? 1e-12 * (100 + std::abs(should)) : 0) << column.name;
      }
    }
  }
}

TEST(MergeComponentTables, OfRandomSplitsEqualsTheWhole)
{
  CheckMerging<std::uint8_t>(1, true);
  CheckMerging<std::int16_t>(4, true);
  CheckMerging<double>(3, false);
}

TEST(MergeComponentTables, LeavesOutWhatNeedsASecondLookAndChecksItsInput)
{
  const Extent               extent{ 8, 4, 4 };
  std::vector<std::uint16_t> labels(128, 3);
  Geometry                   next;
  next.startIndex[2] = 4;
  const auto a = MeasureLabels(extent, labels, "surface,topology,shape");
  const auto b = MeasureLabels(extent, labels, "surface,topology,shape", next);
  const auto merged = MergeComponentTables(a, b, { { 3, 3 } });
  ASSERT_EQ(merged.components.size(), 1u);
  EXPECT_EQ(merged.components[0].voxelCount, 256u);
  EXPECT_EQ(merged.extent, (Extent{ 8, 4, 8 }));
  EXPECT_FALSE(merged.HasGroup("surface"));
  EXPECT_FALSE(merged.HasGroup("topology"));
  EXPECT_TRUE(merged.HasGroup("shape"));
  EXPECT_EQ(MergeComponentTables(a, b, {}).components.size(), 2u);
  EXPECT_THROW(MergeComponentTables(a, b, { { 3, 4 } }), InvalidArgument);
  EXPECT_THROW(MergeComponentTables(a, MeasureLabels(extent, labels, "shape", next), {}), InvalidArgument);
  Geometry other = next;
  other.spacing[0] = 2;
  EXPECT_THROW(MergeComponentTables(a, MeasureLabels(extent, labels, "surface,topology,shape", other), {}),
               InvalidArgument);
}

} // namespace
} // namespace brickccl
