// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_DEVICELABELS_H
#define BRICKCCL_PYTHON_DEVICELABELS_H

#include "Arrays.h"

namespace brickccl::python
{

/** Adds `DeviceLabels`, which labels arrays on a CUDA device, to the module. */
void BindDeviceLabels(nb::module_ & module);

} // namespace brickccl::python

#endif
