// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_WRITEXLSX_H
#define BRICKCCL_CLI_WRITEXLSX_H

#include "BrickCCL/Tables/TableLayout.h"

#include <string>

namespace brickccl::cli
{

/** Writes a table as a workbook of one sheet, all or nothing.
 *  \throws Unsupported for more rows than a sheet has, and in a build without libxlsxwriter; Error. */
void WriteXlsx(const std::string & path, const ComponentTable & table, const TableText & text);

} // namespace brickccl::cli

#endif
