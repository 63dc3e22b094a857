// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>

namespace brickccl
{

Totals
TotalsOf(const ComponentTable & table)
{
  Totals       totals;
  const double voxel = table.geometry.VoxelVolume(table.extent.dimension);
  totals.sizeName = SizeName(table.extent.dimension);
  totals.components = table.components.size();
  for (const ComponentMeasures & component : table.components)
  {
    totals.voxels += component.voxelCount;
  }
  const std::uint64_t region = table.hasPart
                               ? table.partTotals.voxels
                               : table.regionVoxels.value_or(static_cast<std::uint64_t>(table.extent.VoxelCount()));
  const std::uint64_t within = table.hasPart ? table.partTotals.componentVoxels : totals.voxels;
  totals.size = static_cast<double>(totals.voxels) * voxel;
  totals.regionSize = static_cast<double>(region) * voxel;
  totals.fraction = region > 0 ? static_cast<double>(within) / static_cast<double>(region) : 0;
  return totals;
}

} // namespace brickccl
