// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_BYBRICKS_H
#define BRICKCCL_TESTING_BYBRICKS_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCase.h"
#include "FloodFill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

/** Labels cases by bricks, and compares what comes of it with what is right. */
namespace brickccl
{

/** A volume that was labeled by bricks. */
struct ByBricks
{
  std::vector<BrickBox>      boxes;
  std::vector<LabeledBrick>  bricks;
  BrickMerge                 merge{ 1 };
  std::vector<std::uint64_t> labels;
};

struct BrickImages
{
  std::vector<std::byte> voxels, mask, intensity;
};

/** Labels all bricks, and merges them in the order of the boxes. */
inline void
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
    // Many small bricks take long on a device, and on its stand-in; labels are the same there.
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
      // Labeled again, with the same options.
      const ImageView image = ViewOf(images[i].voxels, made.type, box.extent, made.channels);
      WriteBrick(LabelBrick(image, box, options[i]).runs, map, labels.data(), LabelType::UInt64, 1);
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

inline ComponentTable
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

inline void
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

inline void
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

/** A volume that was labeled as a whole. */
struct AsAWhole
{
  Labeling       labeling;
  ComponentTable table;
};

/** Labels a case as a whole, and expects labels, counts and tables of its bricks to be the same. */
inline void
ExpectSameAsWhole(const Case & made, bool useMask, const ByBricks & done, AsAWhole & whole)
{
  BrickOptions options = made.options;
  if (useMask)
  {
    options.label.mask = ImageView(made.mask.data(), made.extent);
  }
  whole.labeling = Label(ViewOf(made.voxels, made.type, made.extent, made.channels), options.label);
  std::vector<std::uint64_t> expected(done.labels.size());
  whole.labeling.Write(expected.data());
  ASSERT_EQ(expected, done.labels) << made.extent.ToString() << " in " << done.boxes.size() << " bricks, first "
                                   << done.boxes[0].ToString() << ", periodic along '"
                                   << options.label.periodic.ToString() << "'";
  ASSERT_EQ(whole.labeling.ComponentCount(), done.merge.ComponentCount());
  ASSERT_EQ(whole.labeling.ForegroundVoxelCount(), done.merge.ForegroundVoxelCount());
  ExpectSameReports(whole.labeling.Relabeled(), done.merge.Relabeled());
  options.measure.intensity = ImageView(made.intensity.data(), made.extent);
  whole.table = whole.labeling.Measure(options.measure);
  ExpectSameTables(whole.table, MergedTable(done));
}

/** Whether a plain flood fill, which drops no component, finds the same components. */
inline bool
HasOracle(const Case & made)
{
  return made.hasOracle && made.options.label.relabel.KeepEverything() && made.options.label.minimumVolume == 0;
}

/** The options of a plain flood fill. */
inline testing::FloodFillProblem
OracleOf(const Case & made, bool useMask)
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
  return problem;
}

} // namespace brickccl

#endif
