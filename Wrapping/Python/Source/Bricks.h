// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_BRICKS_H
#define BRICKCCL_PYTHON_BRICKS_H

#include <nanobind/nanobind.h>

namespace brickccl::python
{

namespace nb = nanobind;

/** Adds what labels a volume brick by brick to the module: `BrickLabeler`, `BrickMerge` and functions on their bytes.
 */
void BindBricks(nb::module_ & module);

} // namespace brickccl::python

#endif
