// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Tables/ComponentTable.h"

#include <functional>
#include <string>

namespace brickccl::batch
{

/** The values of a column; the table must outlive them. \throws InvalidArgument if there is no such column. */
std::function<double(const ComponentMeasures &)> ValuesOf(const ComponentTable & table, const std::string & name);

} // namespace brickccl::batch
