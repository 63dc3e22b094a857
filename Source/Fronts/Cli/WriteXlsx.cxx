// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/WriteXlsx.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/System.h"

#ifdef BRICKCCL_USE_XLSX
#  include <xlsxwriter.h>
#endif

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <type_traits>

namespace brickccl::cli
{

#ifdef BRICKCCL_USE_XLSX

constexpr std::size_t MaximumRows = (std::size_t{ 1 } << 20) - 1;
/** The first of January 1980, when the time of ZIP files begins. */
constexpr std::time_t FixedTime = 315532800;

/** \return whether the cell is written; NaN is empty, and infinity is text. */
static bool
WriteCell(lxw_worksheet * sheet, std::size_t row, std::size_t column, const ComponentColumn::Value & value)
{
  const auto place = static_cast<lxw_row_t>(row);
  const auto across = static_cast<lxw_col_t>(column);
  return std::visit(
    [&](auto number) {
      const auto cell = static_cast<double>(number);
      // Numbers of a workbook are doubles; whole ones beyond them stay exact as text.
      if (std::is_integral_v<decltype(number)> && std::abs(cell) >= 9007199254740992.0)
      {
        worksheet_write_string(sheet, place, across, std::to_string(number).c_str(), nullptr);
        return true;
      }
      if (std::isfinite(cell))
      {
        worksheet_write_number(sheet, place, across, cell, nullptr);
        return true;
      }
      if (std::isinf(cell))
      {
        worksheet_write_string(sheet, place, across, cell > 0 ? "inf" : "-inf", nullptr);
        return true;
      }
      return false;
    },
    value);
}

/** Writes what is in a workbook. \return why that failed; empty if it did not. */
static std::string
Close(lxw_workbook * book)
{
  // The library reports errors on the error stream as well, with the name of the temporary file.
  lxw_error failure = LXW_NO_ERROR;
  int       reason = 0;
  WithoutErrorStream([&] {
    errno = 0;
    failure = workbook_close(book);
    reason = errno;
  });
  const bool isOfSystem = failure == LXW_ERROR_CREATING_XLSX_FILE || failure == LXW_ERROR_CREATING_TMPFILE ||
                          failure == LXW_ERROR_ZIP_FILE_OPERATION;
  return failure == LXW_NO_ERROR   ? std::string()
       : isOfSystem && reason != 0 ? std::strerror(reason)
                                   : lxw_strerror(failure);
}

/** The number of cells in a workbook's sheets; 0 for none. The library ignores that its temporary file has no room. */
static std::uint64_t
CountCells(const std::string & path)
try
{
  std::ifstream      stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string file = text.str();
  const auto        numberAt = [&](std::size_t at, std::size_t bytes) {
    std::size_t number = 0;
    for (std::size_t i = bytes; i-- > 0;)
    {
      number = number << 8 | static_cast<unsigned char>(file.at(at + i));
    }
    return number;
  };
  // The directory is at the end; each entry has the offset of one file.
  const std::size_t end = file.rfind("PK\5\6");
  std::size_t       entry = numberAt(end + 16, 4);
  std::uint64_t     cells = 0;
  for (std::size_t entries = numberAt(end + 10, 2); entries > 0; --entries)
  {
    const std::size_t length = numberAt(entry + 28, 2);
    const bool        isSheet = file.compare(entry + 46, 19, "xl/worksheets/sheet") == 0;
    const std::size_t local = numberAt(entry + 42, 4);
    const std::size_t begin = local + 30 + numberAt(local + 26, 2) + numberAt(local + 28, 2);
    const std::size_t size = numberAt(entry + 20, 4);
    entry += 46 + length + numberAt(entry + 30, 2) + numberAt(entry + 32, 2);
    if (!isSheet)
    {
      continue;
    }
    file.at(begin + size);
    const auto * const deflated = reinterpret_cast<const unsigned char *>(file.data()) + begin;
    files::Inflater    inflater(deflated, size, files::Wrapper::None, "the sheet");
    std::string        piece(std::size_t{ 1 } << 16, ' ');
    char               last[2] = {};
    while (const std::size_t count = inflater.ReadSome(piece.data(), piece.size()))
    {
      for (std::size_t i = 0; i < count; ++i)
      {
        cells += last[0] == '/' && last[1] == 'c' && piece[i] == '>' ? 1 : 0;
        last[0] = last[1];
        last[1] = piece[i];
      }
    }
  }
  return cells;
}
catch (const std::exception &)
{
  return 0;
}

void
WriteWorkbook(const std::string &                                       path,
              bool                                                      isOfOneSheet,
              const std::function<std::uint64_t(lxw_workbook * book)> & fill)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    lxw_workbook_options options = {};
    options.constant_memory = isOfOneSheet ? LXW_TRUE : LXW_FALSE;
    lxw_workbook * book = workbook_new_opt(temporary.c_str(), &options);
    ThrowIf(book == nullptr, "cannot write " + Quoted(path) + ": the workbook could not be created");
    // Else it would hold the present time, and differ from run to run.
    lxw_doc_properties properties = {};
    properties.created = FixedTime;
    workbook_set_properties(book, &properties);
    const std::uint64_t cells = fill(book);
    const std::string   fault = Close(book);
    ThrowIf(!fault.empty(), "cannot write " + Quoted(path) + ": " + fault);
    ThrowIf(CountCells(temporary) != cells,
            "cannot write " + Quoted(path) + ": rows are missing in the workbook; check the space for temporary files");
  });
}

void
WriteXlsx(const std::string & path, const ComponentTable & table, const TableText & text)
{
  ThrowIf<Unsupported>(text.rows.size() > MaximumRows,
                       "cannot write " + std::to_string(text.rows.size()) + " rows to " + Quoted(path) +
                         ": a sheet has " + std::to_string(MaximumRows) + "; limit it with --top, or write a .csv");
  WriteWorkbook(path, true, [&](lxw_workbook * book) {
    lxw_worksheet * sheet = workbook_add_worksheet(book, "components");
    for (std::size_t column = 0; column < text.columns.size(); ++column)
    {
      worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(column), text.columns[column].name.c_str(), nullptr);
    }
    worksheet_freeze_panes(sheet, 1, 0);
    std::uint64_t cells = text.columns.size();
    for (std::size_t row = 0; row < text.rows.size(); ++row)
    {
      text.TellRow(row);
      const ComponentMeasures measures = table.components[text.rows[row]];
      for (std::size_t column = 0; column < text.columns.size(); ++column)
      {
        if (const auto & texts = text.columns[column].texts)
        {
          const std::string & cell = (*texts)[measures.place];
          cells += cell.empty() ? 0 : 1;
          worksheet_write_string(sheet,
                                 static_cast<lxw_row_t>(row + 1),
                                 static_cast<lxw_col_t>(column),
                                 cell.c_str(),
                                 nullptr);
          continue;
        }
        const auto value = text.columns[column].value(table, measures);
        cells += WriteCell(sheet, row + 1, column, value) ? 1 : 0;
      }
    }
    return cells;
  });
}

#else

void
WriteXlsx(const std::string & path, const ComponentTable &, const TableText &)
{
  throw Unsupported("cannot write " + Quoted(path) + ": this build has no libxlsxwriter; write a .csv");
}

#endif

} // namespace brickccl::cli
