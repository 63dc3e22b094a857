// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TABLES_DEFAULTCOLUMNS_H
#define BRICKCCL_TABLES_DEFAULTCOLUMNS_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <optional>

namespace brickccl::columns
{

/** Adds the columns that every table has.
 *  \param sliceAxis  adds the column of slices as well, if it is given
 *  \param periodic   adds a column for each of these axes */
void AddDefaultColumns(ColumnList & columns, const std::optional<int> & sliceAxis, const PeriodicAxes & periodic);

} // namespace brickccl::columns

#endif
