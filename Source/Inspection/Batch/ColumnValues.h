// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_COLUMNVALUES_H
#define BRICKCCL_BATCH_COLUMNVALUES_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <functional>
#include <string>

namespace brickccl::batch
{

/** A function that gives the values of a column; the table has to live as long. \throws InvalidArgument if the table
 * has no such column. */
std::function<double(const ComponentMeasures &)> ValuesOf(const ComponentTable & table, const std::string & name);

} // namespace brickccl::batch

#endif
