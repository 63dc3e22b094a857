// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/TableLayout.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace brickccl
{

static double
NumberOf(const ComponentColumn & column, const ComponentTable & table, std::size_t place)
{
  return std::visit([](auto number) { return static_cast<double>(number); },
                    column.value(table, table.components[place]));
}

/** Where the letters of axes of space begin in a name, and how many there are: of coordinates ("centroid_x_mm"),
 *  directions ("principal_axis_1_x") and covariances ("covariance_xy_mm2"). */
static std::pair<std::size_t, std::size_t>
AxesInName(const std::string & name)
{
  const std::string covariance = "covariance_";
  if (name.compare(0, covariance.size(), covariance) == 0)
  {
    return { covariance.size(), 2 };
  }
  const std::string ending = name.compare(0, 15, "principal_axis_") == 0 ? "" : "_mm";
  const std::size_t size = name.size() - std::min(name.size(), ending.size());
  const bool        isCoordinate = size > 2 && name[size - 2] == '_' && name.substr(size) == ending &&
                            std::string("xyz").find(name[size - 1]) != std::string::npos;
  return { size - 1, isCoordinate ? 1 : 0 };
}

/** Converts a column of coordinates from LPS to RAS; other columns do not change. */
static void
ConvertToRas(ComponentColumn & column, const std::vector<ComponentColumn> & all)
{
  const auto [begin, count] = AxesInName(column.name);
  const std::string axes = count == 0 ? "" : column.name.substr(begin, count);
  if (std::count_if(axes.begin(), axes.end(), [](char axis) { return axis == 'x' || axis == 'y'; }) == 1)
  {
    // The lowest coordinate becomes the highest one of the other sign.
    std::string other = column.name;
    const auto  bound = column.name.compare(0, 8, "bbox_min") == 0 ? "max" : "min";
    other = column.name.compare(0, 5, "bbox_") == 0 ? other.replace(5, 3, bound) : other;
    column.value = [lps = FindColumn(all, other).value](const ComponentTable & table, const ComponentMeasures & c) {
      // 0 has no sign.
      return ComponentColumn::Value(0 - std::get<double>(lps(table, c)));
    };
  }
  for (std::size_t i = 0; i < count; ++i)
  {
    column.name[begin + i] = axes[i] == 'x' ? 'r' : axes[i] == 'y' ? 'a' : 's';
  }
  // The sign of a direction is chosen in LPS.
  column.description.resize(std::min(column.description.find("; its component"), column.description.size()));
  const std::string lps = "LPS";
  if (const std::size_t place = column.description.find(lps); place != std::string::npos)
  {
    column.description.replace(place, lps.size(), "RAS");
  }
}

bool
IsKeyColumn(const std::string & name)
{
  return name == "label" || name == "image" || name == "segment" || name == "name";
}

std::string
NeedOfColumn(const std::string & name)
{
  return name.rfind("intensity_", 0) == 0     ? "--intensity FILE"
       : name == "surface_distance_mm"        ? "--part FILE"
       : name == "value"                      ? "`brickccl label --equal-value`"
       : name == "name"                       ? "named segments (.seg.nrrd, DICOM SEG, --names FILE)"
       : name == "image" || name == "segment" ? "several masks: `brickccl stats MASKS...`"
       : name == "parent"                     ? "`brickccl label --split` or `brickccl split`"
       : name == "part"                       ? "`brickccl label --pores --parts all`"
       : name == "zone"                       ? "--zones FILE of `brickccl label` and `stats`"
                                              : "";
}

const ComponentColumn &
FindColumn(const std::vector<ComponentColumn> & columns, const std::string & name)
{
  const auto found =
    std::find_if(columns.begin(), columns.end(), [&](const auto & known) { return known.name == name; });
  if (found == columns.end())
  {
    const std::string need = NeedOfColumn(name);
    ThrowIf<InvalidArgument>(!need.empty(), "the table has no column '" + name + "', which needs " + need);
    throw InvalidArgument("the table has no column '" + name + "'" + DidYouMean(name, NameList(columns)) +
                          "; `brickccl stats --list-columns` lists all columns for 3-D images");
  }
  return *found;
}

TableText
LayOut(const ComponentTable & table, const TableLayout & layout)
{
  std::vector<ComponentColumn> all = ColumnsOf(table);
  all.insert(all.begin() + 1, table.texts.begin(), table.texts.end());
  TableText text;
  text.columns = all;
  if (!layout.columns.empty())
  {
    const auto isKey = [](const ComponentColumn & column) { return IsKeyColumn(column.name); };
    text.columns.erase(std::find_if_not(text.columns.begin(), text.columns.end(), isKey), text.columns.end());
    for (const std::string & name : layout.columns)
    {
      const ComponentColumn & column = FindColumn(all, name);
      if (!isKey(column))
      {
        text.columns.push_back(column);
      }
    }
  }
  text.rows.resize(table.components.size());
  std::iota(text.rows.begin(), text.rows.end(), std::size_t{ 0 });
  if (!layout.sortColumn.empty())
  {
    const ComponentColumn & column = FindColumn(all, layout.sortColumn);
    ThrowIf<InvalidArgument>(column.texts != nullptr,
                             "the column '" + column.name + "' is text; sort by a column of numbers, as voxel_count");
    std::vector<double> values;
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
  text.coordinates = (layout.ras ? "RAS, in " : "LPS, in ") + layout.lengthUnit;
  for (ComponentColumn & column : text.columns)
  {
    if (layout.ras)
    {
      ConvertToRas(column, all);
    }
    ConvertLengths(column, layout.lengthUnit);
  }
  return text;
}

} // namespace brickccl
