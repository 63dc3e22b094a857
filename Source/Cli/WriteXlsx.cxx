#include "BrickCCL/Cli/WriteXlsx.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#ifdef BRICKCCL_USE_XLSX
#  include <xlsxwriter.h>
#endif

#include <cmath>
#include <type_traits>

namespace brickccl::cli
{

#ifdef BRICKCCL_USE_XLSX

namespace
{

constexpr std::size_t MostRows = (std::size_t{ 1 } << 20) - 1;

void
WriteCell(lxw_worksheet * sheet, std::size_t row, std::size_t column, const ComponentColumn::Value & value)
{
  const auto place = static_cast<lxw_row_t>(row);
  const auto across = static_cast<lxw_col_t>(column);
  std::visit(
    [&](auto number) {
      const auto cell = static_cast<double>(number);
      // Numbers of a workbook are doubles; whole ones beyond them stay exact as text, and what is no number is empty.
      if (std::is_integral_v<decltype(number)> && std::abs(cell) >= 9007199254740992.0)
      {
        worksheet_write_string(sheet, place, across, std::to_string(number).c_str(), nullptr);
      }
      else if (std::isfinite(cell))
      {
        worksheet_write_number(sheet, place, across, cell, nullptr);
      }
    },
    value);
}

} // namespace

void
WriteXlsx(const std::string & path, const ComponentTable & table, const TableText & text)
{
  if (text.rows.size() > MostRows)
  {
    throw Unsupported("cannot write " + std::to_string(text.rows.size()) + " rows to '" + path + "': a sheet has " +
                      std::to_string(MostRows) + "; choose fewer by --top, or write a .csv");
  }
  ReplaceFile(path, [&](const std::string & temporary) {
    lxw_workbook_options options = {};
    options.constant_memory = LXW_TRUE;
    lxw_workbook *  book = workbook_new_opt(temporary.c_str(), &options);
    lxw_worksheet * sheet = book == nullptr ? nullptr : workbook_add_worksheet(book, "components");
    if (sheet == nullptr)
    {
      throw Error("cannot write '" + path + "': no workbook could be made");
    }
    for (std::size_t column = 0; column < text.columns.size(); ++column)
    {
      worksheet_write_string(sheet, 0, static_cast<lxw_col_t>(column), text.columns[column].name.c_str(), nullptr);
    }
    worksheet_freeze_panes(sheet, 1, 0);
    for (std::size_t row = 0; row < text.rows.size(); ++row)
    {
      for (std::size_t column = 0; column < text.columns.size(); ++column)
      {
        WriteCell(sheet, row + 1, column, text.columns[column].value(table, table.components[text.rows[row]]));
      }
    }
    const lxw_error failure = workbook_close(book);
    if (failure != LXW_NO_ERROR)
    {
      throw Error("cannot write '" + path + "': " + lxw_strerror(failure));
    }
  });
}

#else

void
WriteXlsx(const std::string & path, const ComponentTable &, const TableText &)
{
  throw Unsupported("cannot write '" + path + "': this build has no libxlsxwriter; write a .csv");
}

#endif

} // namespace brickccl::cli
