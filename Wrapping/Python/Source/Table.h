// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_TABLE_H
#define BRICKCCL_PYTHON_TABLE_H

#include "Arrays.h"

#include "BrickCCL/Dispatch/Label.h"

#include <optional>
#include <string>

namespace brickccl::python
{

/** The measures that a call asks for: images besides the labels, and groups of columns ("shape,feret"). */
struct Measures
{
  std::optional<InputArray> intensity;
  std::optional<InputArray> part;
  std::string               groups;

  /** The views refer to these arrays. */
  MeasureOptions Options() const;
};

/** Adds `Geometry`, `Table` and what makes tables to the module. */
void BindTables(nb::module_ & module);

} // namespace brickccl::python

#endif
