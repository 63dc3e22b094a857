// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/LengthUnits.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace brickccl
{

namespace
{

/** A millimeter is `times` / `over` of a unit. Both are whole numbers, so that values are rounded once. */
struct LengthUnit
{
  const char * name;
  double       times;
  double       over;
};

LengthUnit
FindUnit(const std::string & unit)
{
  for (const LengthUnit & known : { LengthUnit{ "mm", 1, 1 }, LengthUnit{ "um", 1000, 1 }, LengthUnit{ "cm", 1, 10 } })
  {
    if (unit == known.name)
    {
      return known;
    }
  }
  throw InvalidArgument("'" + unit + "' is not a unit of length; use mm, um or cm");
}

/** Where the unit of lengths begins in a name: at "um3" of "volume_um3"; npos if it ends with none. */
std::size_t
PlaceOfUnit(const std::string & name)
{
  const bool        hasPower = !name.empty() && name.back() >= '2' && name.back() <= '4';
  const std::size_t end = name.size() - (hasPower ? 1 : 0);
  const bool        hasUnit = end > 3 && name[end - 3] == '_' && name[end - 1] == 'm';
  return hasUnit && std::string("muc").find(name[end - 2]) != std::string::npos ? end - 2 : std::string::npos;
}

} // namespace

void
CheckLengthUnit(const std::string & unit)
{
  FindUnit(unit);
}

std::string
ColumnInMillimeters(const std::string & name)
{
  std::string       inMillimeters = name;
  const std::size_t place = PlaceOfUnit(name);
  if (place != std::string::npos)
  {
    inMillimeters[place] = 'm';
  }
  return inMillimeters;
}

std::string
OtherUnitOf(const std::string & name)
{
  return ColumnInMillimeters(name) == name ? std::string() : name.substr(PlaceOfUnit(name), 2);
}

void
ConvertLengths(ComponentColumn & column, const std::string & unit)
{
  const LengthUnit  found = FindUnit(unit);
  const std::string power = column.unit == "mm"                   ? ""
                          : column.unit.compare(0, 3, "mm^") == 0 ? column.unit.substr(3)
                                                                  : "-";
  const std::string ending = "_mm" + power;
  if (unit == "mm" || power == "-" || column.name.size() < ending.size() ||
      column.name.compare(column.name.size() - ending.size(), ending.size(), ending) != 0)
  {
    return;
  }
  const int    exponent = power.empty() ? 1 : std::stoi(power);
  const double times = std::pow(found.times, exponent);
  const double over = std::pow(found.over, exponent);
  column.name.replace(column.name.size() - ending.size(), 3, "_" + unit);
  column.unit.replace(0, 2, unit);
  column.value = [times, over, inMillimeters = column.value](const ComponentTable &    table,
                                                             const ComponentMeasures & component) {
    return std::visit(
      [times, over](auto number) { return ComponentColumn::Value(times * static_cast<double>(number) / over); },
      inMillimeters(table, component));
  };
}

std::optional<ComponentColumn>
ColumnInAnyUnit(const std::vector<ComponentColumn> & columns, const std::string & name)
{
  const std::string inMillimeters = ColumnInMillimeters(name);
  const auto        found = std::find_if(columns.begin(), columns.end(), [&](const ComponentColumn & known) {
    return known.name == name || known.name == inMillimeters;
  });
  if (found == columns.end())
  {
    return std::nullopt;
  }
  ComponentColumn column = *found;
  if (column.name != name)
  {
    ConvertLengths(column, OtherUnitOf(name));
  }
  // A name that only looks like a length in another unit is not a column.
  return column.name == name ? std::optional<ComponentColumn>(column) : std::nullopt;
}

} // namespace brickccl
