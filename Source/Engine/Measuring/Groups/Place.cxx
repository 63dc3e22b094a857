// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstdint>
#include <string>

/** The component's place, from the table's rows: first voxel, fill of the bounding box, touched sides of the image. */
namespace brickccl
{

using namespace columns;

static double
BoxFill(const ComponentTable & table, const ComponentMeasures & component)
{
  double box = 1;
  for (int axis = 0; axis < table.extent.dimension; ++axis)
  {
    box *= static_cast<double>(component.boxMaximum[axis] - component.boxMinimum[axis] + 1);
  }
  return static_cast<double>(component.voxelCount) / box;
}

/** The index of the first voxel along an axis. */
static std::int64_t
FirstVoxel(const ComponentTable & table, const ComponentMeasures & component, int axis)
{
  auto place = static_cast<std::int64_t>(component.firstVoxel);
  for (int before = 0; before < axis; ++before)
  {
    place /= table.extent.size[before];
  }
  return table.geometry.startIndex[axis] + place % table.extent.size[axis];
}

static void
AddPlaceColumns(ColumnList & columns)
{
  columns.AddAxes("first_voxel_",
                  "",
                  "index of the first voxel in raster order (x fastest)",
                  MergeRule::Recomputed,
                  FirstVoxel,
                  "index");
  columns.Add("bbox_fill",
              "share of the bounding box that the component fills",
              "",
              "extent",
              MergeRule::Recomputed,
              BoxFill);
  for (int side = 0; side < 2 * columns.Dimension(); ++side)
  {
    columns.Add(std::string("touches_") + AxisNames[side / 2] + (side % 2 == 0 ? "_min" : "_max"),
                "1 if a voxel is on this side of the image",
                MergeRule::Recomputed,
                [side](Table t, Component c) { return std::uint64_t{ t.SidesTouched(c) >> side & 1u }; });
  }
}

constexpr ColumnGroup groups::Place = [] {
  ColumnGroup group;
  group.name = "place";
  group.allowsPeriodic = true;
  group.addColumns = AddPlaceColumns;
  group.merge = MergeNothing;
  return group;
}();

} // namespace brickccl
