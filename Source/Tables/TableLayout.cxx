#include "BrickCCL/Tables/TableLayout.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

} // namespace

std::string
NeedOfColumn(const std::string & name)
{
  return name.rfind("intensity_", 0) == 0 ? "--intensity FILE"
       : name == "surface_distance_mm"    ? "--part FILE"
       : name == "value"                  ? "`brickccl label --equal-value`"
                                          : "";
}

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
    if (const std::string need = NeedOfColumn(name); !need.empty())
    {
      throw InvalidArgument("the table has no column '" + name + "', which needs " + need);
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
  CheckLengthUnit(layout.lengthUnit);
  for (ComponentColumn & column : text.columns)
  {
    ConvertLengths(column, layout.lengthUnit);
  }
  return text;
}

} // namespace brickccl
