// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ColumnValues.h"

#include "BrickCCL/Core/Error.h"

#include <variant>

namespace brickccl::batch
{

std::function<double(const ComponentMeasures &)>
ValuesOf(const ComponentTable & table, const std::string & name)
{
  for (const ComponentColumn & column : ColumnsOf(table))
  {
    if (column.name == name)
    {
      return [&table, value = column.value](const ComponentMeasures & component) {
        return std::visit([](auto number) { return static_cast<double>(number); }, value(table, component));
      };
    }
  }
  throw InvalidArgument("a rule uses the column '" + name + "', which this item's table lacks");
}

} // namespace brickccl::batch
