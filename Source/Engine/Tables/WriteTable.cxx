// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/LengthUnits.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** Appends the shortest text that reads back as the same number. NaN has no sign. */
template <typename T>
static void
AppendNumber(std::string & text, T value)
{
  if constexpr (std::is_floating_point_v<T>)
  {
    if (std::isnan(value))
    {
      text += "nan";
      return;
    }
  }
  char       digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text.append(digits, end);
}

static void
AppendValue(std::string & text, const ComponentColumn::Value & value)
{
  std::visit([&](auto number) { AppendNumber(text, number); }, value);
}

/** The same as JSON, which has no numbers that are not finite: see "Not a number, and infinite" in COLUMNS.md. */
static void
AppendJson(std::string & text, const ComponentColumn::Value & value)
{
  const auto * const real = std::get_if<double>(&value);
  if (real == nullptr || std::isfinite(*real))
  {
    AppendValue(text, value);
    return;
  }
  text += std::isnan(*real) ? "null" : *real > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

/** Whether a column has values, all of which are whole numbers that fit 32 bits. */
static bool
IsIntegerColumn(const ComponentTable & table, const ComponentColumn & column)
{
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  for (const ComponentMeasures & component : table.components)
  {
    const ComponentColumn::Value value = column.value(table, component);
    const auto * const           natural = std::get_if<std::uint64_t>(&value);
    const auto * const           whole = std::get_if<std::int64_t>(&value);
    const bool                   fits =
      natural ? *natural <= static_cast<std::uint64_t>(largest) : whole && *whole <= largest && *whole >= -largest;
    if (!fits)
    {
      return false;
    }
  }
  return table.components.begin() != table.components.end();
}

/** A text on one line in quotes. \param escape  is written before quotes and before itself */
static std::string
InQuotes(const std::string & text, char escape)
{
  std::string quoted;
  for (const char c : text)
  {
    quoted += c == '"' || c == escape ? std::string{ escape, c } : std::string(1, c);
  }
  return '"' + quoted + '"';
}

/** The number of characters of a text in UTF-8. */
static std::size_t
LengthOf(const std::string & text)
{
  return static_cast<std::size_t>(
    std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80; }));
}

static void
AppendLine(std::string &          line,
           const ComponentTable & table,
           const TableText &      text,
           std::size_t            row,
           char                   delimiter,
           char                   point)
{
  const ComponentMeasures measures = table.components[text.rows[row]];
  for (std::size_t i = 0; i < text.columns.size(); ++i)
  {
    if (i > 0)
    {
      line += delimiter;
    }
    if (const auto & texts = text.columns[i].texts)
    {
      line += TextCell((*texts)[measures.place], delimiter);
      continue;
    }
    const std::size_t begin = line.size();
    AppendValue(line, text.columns[i].value(table, measures));
    std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '.', point);
  }
  line += '\n';
}

std::string
TextCell(const std::string & text, char delimiter)
{
  const bool isFormula = !text.empty() && std::string("=+-@\t\r\n").find(text[0]) != std::string::npos;
  const bool isPlain = !isFormula && text.find_first_of(std::string("\"\r\n") + delimiter) == std::string::npos;
  return isPlain ? text : InQuotes((isFormula ? "'" : "") + text, '"');
}

void
WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  WriteDelimited(stream, table, LayOut(table), delimiter, '.');
}

void
WriteDelimited(std::ostream & stream, const ComponentTable & table, const TableText & text, char delimiter, char point)
{
  std::string line;
  for (const ComponentColumn & column : text.columns)
  {
    line += line.empty() ? column.name : delimiter + column.name;
  }
  stream << line << '\n';
  // The threads make the lines of some blocks, which are then written in order.
  constexpr std::size_t    rowsOfBlock = 256;
  const int                threads = EffectiveThreadCount(text.context.threads);
  std::vector<std::string> blocks(threads == 1 ? 1 : static_cast<std::size_t>(threads) * 4);
  for (std::size_t begin = 0; begin < text.rows.size();)
  {
    text.TellRow(begin);
    const std::size_t first = begin;
    const std::size_t end = std::min(text.rows.size(), first + rowsOfBlock * blocks.size());
    const auto        count = static_cast<std::int64_t>((end - first + rowsOfBlock - 1) / rowsOfBlock);
    ParallelFor(count, text.context.Silent(), [&](std::int64_t block) {
      const std::size_t from = first + static_cast<std::size_t>(block) * rowsOfBlock;
      std::string &     lines = blocks[static_cast<std::size_t>(block)];
      lines.clear();
      for (std::size_t row = from; row < std::min(end, from + rowsOfBlock); ++row)
      {
        AppendLine(lines, table, text, row, delimiter, point);
      }
    });
    for (std::int64_t block = 0; block < count; ++block)
    {
      stream << blocks[static_cast<std::size_t>(block)];
    }
    begin = end;
  }
}

void
WriteSchema(std::ostream & stream, const ComponentTable & table, const TableText & text, char delimiter)
{
  stream << "columnName" << delimiter << "type" << delimiter << "unitLabel" << delimiter << "description\n";
  for (const ComponentColumn & column : text.columns)
  {
    stream << column.name << delimiter
           << (column.texts                     ? "string"
               : IsIntegerColumn(table, column) ? "int"
                                                : "double")
           << delimiter << TextCell(column.unit, delimiter) << delimiter << TextCell(column.description, delimiter)
           << '\n';
  }
}

void
WriteContacts(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  WriteContacts(stream, table, delimiter, '.', "mm");
}

void
WriteContacts(std::ostream &         stream,
              const ComponentTable & table,
              char                   delimiter,
              char                   point,
              const std::string &    lengthUnit)
{
  static const char * const areas[] = { "ends", "length_mm", "area_mm2", "volume_mm3" };
  static const char * const units[] = { "", "mm", "mm^2", "mm^3" };
  // The area of the contact that is written.
  double          written = 0;
  ComponentColumn area;
  area.name = areas[table.extent.dimension - 1];
  area.unit = units[table.extent.dimension - 1];
  area.value = [&written](const ComponentTable &, const ComponentMeasures &) { return written; };
  ConvertLengths(area, lengthUnit);
  stream << "label_1" << delimiter << "label_2" << delimiter << "faces" << delimiter << area.name << '\n';
  for (const Contact & contact : table.contacts)
  {
    std::string line;
    AppendNumber(line, contact.first);
    AppendNumber(line += delimiter, contact.second);
    AppendNumber(line += delimiter, contact.faces);
    line += delimiter;
    const std::size_t begin = line.size();
    written = contact.area;
    AppendValue(line, area.value(table, {}));
    std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '.', point);
    stream << line << '\n';
  }
}

std::size_t
WriteAligned(std::ostream & stream, const ComponentTable & table, const TableText & text, std::size_t width)
{
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t>              widths;
  std::size_t                           lineLength = 0;
  for (const ComponentColumn & column : text.columns)
  {
    std::vector<std::string> cellsOfColumn = { column.name };
    std::size_t              widest = column.name.size();
    for (const std::size_t place : text.rows)
    {
      std::ostringstream cell;
      column.texts ? void(cell << (*column.texts)[place])
                   : std::visit([&](auto number) { cell << number; }, column.value(table, table.components[place]));
      cellsOfColumn.push_back(cell.str());
      widest = std::max(widest, LengthOf(cellsOfColumn.back()));
    }
    cells.push_back(std::move(cellsOfColumn));
    widths.push_back(widest);
    lineLength += widest + (lineLength == 0 ? 0 : 2);
  }
  std::vector<std::size_t> shown;
  const bool               isTooLong = width > 0 && lineLength > width;
  lineLength = 0;
  for (std::size_t column = 0; column < cells.size(); ++column)
  {
    const std::size_t       longer = lineLength + widths[column] + (column == 0 ? 0 : 2);
    const ComponentColumn & one = text.columns[column];
    const bool              isPlace = one.unit == "index" || one.name.rfind("bbox_", 0) == 0;
    if (column == 0 || !isTooLong || (longer <= width && !isPlace))
    {
      shown.push_back(column);
      lineLength = longer;
    }
  }
  for (std::size_t row = 0; row <= text.rows.size(); ++row)
  {
    std::string line;
    for (const std::size_t column : shown)
    {
      const std::string & cell = cells[column][row];
      line += (column == 0 ? "" : "  ") + std::string(widths[column] - LengthOf(cell), ' ') + cell;
    }
    stream << line << '\n';
  }
  return shown.size();
}

void
WriteJson(std::ostream & stream, const ComponentTable & table)
{
  WriteJson(stream, table, LayOut(table));
}

void
WriteJson(std::ostream & stream, const ComponentTable & table, const TableText & text)
{
  const auto & columns = text.columns;
  stream << "{\n  \"columns\": {";
  for (std::size_t i = 0; i < columns.size(); ++i)
  {
    stream << (i ? ",\n    \"" : "\n    \"") << columns[i].name << "\": \"" << columns[i].description << '"';
  }
  const Totals totals = TotalsOf(table);
  std::string  line = "\n  },\n  \"totals\": {\"components\": " + std::to_string(totals.components);
  line += ", \"voxel_count\": " + std::to_string(totals.voxels) + ", \"" + totals.sizeName + "\": ";
  AppendJson(line, totals.size);
  line += ", \"region_" + totals.sizeName + "\": ";
  AppendJson(line, totals.regionSize);
  line += ", \"fraction\": ";
  AppendJson(line, totals.fraction);
  stream << line << "},\n  \"coordinates\": \"" << text.coordinates << "\",\n  \"components\": [";
  for (std::size_t i = 0; i < text.rows.size(); ++i)
  {
    text.TellRow(i);
    const ComponentMeasures measures = table.components[text.rows[i]];
    line = i ? ",\n    {" : "\n    {";
    for (std::size_t k = 0; k < columns.size(); ++k)
    {
      line += (k ? ", \"" : "\"") + columns[k].name + "\": ";
      columns[k].texts ? void(line += InQuotes((*columns[k].texts)[measures.place], '\\'))
                       : AppendJson(line, columns[k].value(table, measures));
    }
    stream << line << '}';
  }
  stream << "\n  ]\n}\n";
}

} // namespace brickccl
