// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/DefaultColumns.h"

#include <algorithm>
#include <string>

namespace brickccl
{

std::string
NameOf(MergeRule rule)
{
  switch (rule)
  {
  case MergeRule::Label:
    return "renumbered";
  case MergeRule::Sum:
    return "sum";
  case MergeRule::Minimum:
    return "minimum";
  case MergeRule::Maximum:
    return "maximum";
  case MergeRule::Recomputed:
    return "from merged sums";
  default:
    return "needs the runs again";
  }
}

const char *
SizeName(int dimension)
{
  static const char * const names[MaximumDimension] = { "length_mm", "area_mm2", "volume_mm3", "hypervolume_mm4" };
  if (dimension < 1 || dimension > MaximumDimension)
  {
    throw InvalidArgument("a size is not available in " + std::to_string(dimension) + " dimensions; 1 to " +
                          std::to_string(MaximumDimension) + " have one");
  }
  return names[dimension - 1];
}

std::vector<ComponentColumn>
ColumnsOf(const ComponentTable & table)
{
  columns::ColumnList list(table.extent.dimension);
  columns::AddDefaultColumns(list, table.sliceAxis, table.periodic);
  for (const ColumnGroup * const group : table.groups)
  {
    list.BeginGroup(group->name);
    group->addColumns(list);
  }
  return list.Take();
}

} // namespace brickccl
