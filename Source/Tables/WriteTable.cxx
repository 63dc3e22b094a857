#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Totals.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>

namespace brickccl
{

namespace
{

/** Appends the shortest text that reads back as the same number. */
template <typename T>
void
AppendNumber(std::string & text, T value)
{
  char       digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text.append(digits, end);
}

void
AppendValue(std::string & text, const ComponentColumn::Value & value, const char * notFinite)
{
  std::visit(
    [&](auto number) {
      if constexpr (std::is_same_v<decltype(number), double>)
      {
        if (!std::isfinite(number) && notFinite)
        {
          text += notFinite;
          return;
        }
      }
      AppendNumber(text, number);
    },
    value);
}

/** Whether a column has values, all of which are whole numbers that fit 32 bits. */
bool
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

/** A text as a field of a table: in quotes where it holds the delimiter or quotes. */
std::string
FieldOf(const std::string & text, char delimiter)
{
  if (text.find(delimiter) == std::string::npos && text.find('"') == std::string::npos)
  {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text)
  {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

} // namespace

void
WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  const auto  columns = ColumnsOf(table);
  std::string line;
  for (const ComponentColumn & column : columns)
  {
    line += line.empty() ? column.name : delimiter + column.name;
  }
  stream << line << '\n';
  for (const ComponentMeasures & component : table.components)
  {
    line.clear();
    for (const ComponentColumn & column : columns)
    {
      if (!line.empty())
      {
        line += delimiter;
      }
      AppendValue(line, column.value(table, component), nullptr);
    }
    line += '\n';
    stream << line;
  }
}

void
WriteSchema(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  stream << "columnName" << delimiter << "type" << delimiter << "unitLabel" << delimiter << "description\n";
  for (const ComponentColumn & column : ColumnsOf(table))
  {
    stream << column.name << delimiter << (IsIntegerColumn(table, column) ? "int" : "double") << delimiter
           << FieldOf(column.unit, delimiter) << delimiter << FieldOf(column.description, delimiter) << '\n';
  }
}

void
WriteContacts(std::ostream & stream, const ComponentTable & table, char delimiter)
{
  static const char * const areas[] = { "ends", "length_mm", "area_mm2", "volume_mm3" };
  stream << "label_1" << delimiter << "label_2" << delimiter << "faces" << delimiter
         << areas[table.extent.dimension - 1] << '\n';
  for (const Contact & contact : table.contacts)
  {
    std::string line;
    AppendNumber(line, contact.first);
    AppendNumber(line += delimiter, contact.second);
    AppendNumber(line += delimiter, contact.faces);
    AppendNumber(line += delimiter, contact.area);
    stream << line << '\n';
  }
}

void
WriteJson(std::ostream & stream, const ComponentTable & table)
{
  const auto columns = ColumnsOf(table);
  stream << "{\n  \"columns\": {";
  for (std::size_t i = 0; i < columns.size(); ++i)
  {
    stream << (i ? ",\n    \"" : "\n    \"") << columns[i].name << "\": \"" << columns[i].description << '"';
  }
  const Totals totals = TotalsOf(table);
  std::string  line = "\n  },\n  \"totals\": {\"components\": " + std::to_string(totals.components);
  line += ", \"voxel_count\": " + std::to_string(totals.voxels) + ", \"" + totals.sizeName + "\": ";
  AppendNumber(line, totals.size);
  line += ", \"region_" + totals.sizeName + "\": ";
  AppendNumber(line, totals.regionSize);
  line += ", \"fraction\": ";
  AppendNumber(line, totals.fraction);
  stream << line << "},\n  \"components\": [";
  for (std::size_t i = 0; i < table.components.size(); ++i)
  {
    line = i ? ",\n    {" : "\n    {";
    for (std::size_t k = 0; k < columns.size(); ++k)
    {
      line += (k ? ", \"" : "\"") + columns[k].name + "\": ";
      AppendValue(line, columns[k].value(table, table.components[i]), "null");
    }
    stream << line << '}';
  }
  stream << "\n  ]\n}\n";
}

} // namespace brickccl
