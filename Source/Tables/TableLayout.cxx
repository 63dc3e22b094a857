#include "BrickCCL/Tables/TableLayout.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace brickccl
{

namespace
{

double
NumberOf(const ComponentColumn & column, const ComponentTable & table, std::size_t place)
{
  return std::visit([](auto number) { return static_cast<double>(number); },
                    column.value(table, table.components[place]));
}

/** How many of the unit a millimetre is. */
double
PerMillimetre(const std::string & unit)
{
  for (const auto & [name, factor] : { std::pair{ "mm", 1.0 }, std::pair{ "um", 1000.0 }, std::pair{ "cm", 0.1 } })
  {
    if (unit == name)
    {
      return factor;
    }
  }
  throw InvalidArgument("'" + unit + "' is no unit of lengths; give mm, um or cm");
}

/** Gives a column of lengths, areas or volumes another unit, in its name as well. */
void
Convert(ComponentColumn & column, const std::string & unit)
{
  const std::string power = column.unit == "mm"                   ? ""
                          : column.unit.compare(0, 3, "mm^") == 0 ? column.unit.substr(3)
                                                                  : "-";
  const std::string ending = "_mm" + power;
  if (power == "-" || column.name.size() < ending.size() ||
      column.name.compare(column.name.size() - ending.size(), ending.size(), ending) != 0)
  {
    return;
  }
  const double factor = std::pow(PerMillimetre(unit), power.empty() ? 1 : std::stoi(power));
  column.name.replace(column.name.size() - ending.size(), 3, "_" + unit);
  column.unit.replace(0, 2, unit);
  column.value = [factor, inMillimetres = column.value](const ComponentTable &    table,
                                                        const ComponentMeasures & component) {
    return std::visit([factor](auto number) { return ComponentColumn::Value(factor * static_cast<double>(number)); },
                      inMillimetres(table, component));
  };
}

} // namespace

const ComponentColumn &
FindColumn(const std::vector<ComponentColumn> & columns, const std::string & name)
{
  const auto found =
    std::find_if(columns.begin(), columns.end(), [&](const auto & known) { return known.name == name; });
  if (found == columns.end())
  {
    std::vector<std::string> names;
    for (const ComponentColumn & known : columns)
    {
      names.push_back(known.name);
    }
    if (name.rfind("intensity_", 0) == 0 || name == "surface_distance_mm")
    {
      throw InvalidArgument("the table has no column '" + name + "', which needs " +
                            (name == "surface_distance_mm" ? "--part FILE" : "--intensity FILE"));
    }
    throw InvalidArgument("the table has no column '" + name + "'" + DidYouMean(name, names) +
                          "; `brickccl stats --list-columns` lists all of 3-D images");
  }
  return *found;
}

TableText
LayOut(const ComponentTable & table, const TableLayout & layout)
{
  const std::vector<ComponentColumn> all = ColumnsOf(table);
  TableText                          text;
  text.columns = all;
  if (!layout.columns.empty())
  {
    text.columns = { FindColumn(all, "label") };
    for (const std::string & name : layout.columns)
    {
      if (name != "label")
      {
        text.columns.push_back(FindColumn(all, name));
      }
    }
  }
  text.rows.resize(table.components.size());
  std::iota(text.rows.begin(), text.rows.end(), std::size_t{ 0 });
  if (!layout.sortColumn.empty())
  {
    const ComponentColumn & column = FindColumn(all, layout.sortColumn);
    std::vector<double>     values;
    for (const std::size_t place : text.rows)
    {
      const double value = NumberOf(column, table, place);
      values.push_back(layout.ascending ? value : -value);
    }
    std::stable_sort(text.rows.begin(), text.rows.end(), [&](std::size_t a, std::size_t b) {
      return std::isnan(values[b]) ? !std::isnan(values[a]) : values[a] < values[b];
    });
  }
  if (layout.top != 0 && layout.top < text.rows.size())
  {
    text.rows.resize(static_cast<std::size_t>(layout.top));
  }
  PerMillimetre(layout.lengthUnit);
  for (ComponentColumn & column : text.columns)
  {
    if (layout.lengthUnit != "mm")
    {
      Convert(column, layout.lengthUnit);
    }
  }
  return text;
}

} // namespace brickccl
