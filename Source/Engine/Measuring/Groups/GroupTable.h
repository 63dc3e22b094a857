// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_MEASURING_GROUPS_GROUPTABLE_H
#define BRICKCCL_MEASURING_GROUPS_GROUPTABLE_H

#include "BrickCCL/Tables/ColumnGroup.h"

#include <vector>

namespace brickccl
{

/** All groups of columns, in the order of their columns. */
const std::vector<const ColumnGroup *> & GroupTable();

} // namespace brickccl

#endif
