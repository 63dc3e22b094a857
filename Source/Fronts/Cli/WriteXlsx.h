// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Tables/TableLayout.h"

#include <cstdint>
#include <functional>
#include <string>

struct lxw_workbook;

namespace brickccl::cli
{

/** Writes a workbook, all or nothing. \param fill  adds the sheets, and returns how many cells they have
 *  \throws Error; not in a build without libxlsxwriter, which has no such function. */
void WriteWorkbook(const std::string &                                       path,
                   bool                                                      isOfOneSheet,
                   const std::function<std::uint64_t(lxw_workbook * book)> & fill);

/** Writes a table as a workbook of one sheet, all or nothing.
 *  \throws Unsupported for more rows than a sheet has, and in a build without libxlsxwriter; Error. */
void WriteXlsx(const std::string & path, const ComponentTable & table, const TableText & text);

} // namespace brickccl::cli
