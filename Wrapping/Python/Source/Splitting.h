// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_SPLITTING_H
#define BRICKCCL_PYTHON_SPLITTING_H

#include <nanobind/nanobind.h>

namespace brickccl::python
{

/** Adds `split`, `distances` and `morph` to the module; after `Rules` and `Geometry`. */
void BindSplitting(nanobind::module_ & module);

} // namespace brickccl::python

#endif
