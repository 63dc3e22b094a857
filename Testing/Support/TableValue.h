// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_TABLEVALUE_H
#define BRICKCCL_TESTING_TABLEVALUE_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <variant>

namespace brickccl
{

/** A component's value in the column of a name. The test fails if there is no such column. */
inline double
ValueOf(const ComponentTable & table, std::size_t component, const std::string & name)
{
  for (const ComponentColumn & column : ColumnsOf(table))
  {
    if (column.name == name)
    {
      return std::visit([](auto value) { return static_cast<double>(value); },
                        column.value(table, table.components[component]));
    }
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

} // namespace brickccl

#endif
