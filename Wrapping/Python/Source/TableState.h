// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_TABLESTATE_H
#define BRICKCCL_PYTHON_TABLESTATE_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <nanobind/nanobind.h>

namespace brickccl::python
{

/** A table of one component with the columns of another table. */
ComponentTable TableOfOneComponent(const ComponentTable & like);

/** Adds `state` and `of_state` to `Table`: a table as bytes for pickles, and the same table again. */
void BindTableState(nanobind::class_<ComponentTable> & tables);

} // namespace brickccl::python

#endif
