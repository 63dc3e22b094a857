// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/ColumnColors.h"

#include "BrickCCL/Pictures/Ticks.h"
#include "BrickCCL/Tables/LengthUnits.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

namespace brickccl
{

constexpr Color Scale[] = { { 58, 50, 150 },  { 44, 92, 178 },  { 28, 132, 168 }, { 38, 166, 138 },
                            { 110, 192, 94 }, { 188, 208, 62 }, { 253, 226, 80 } };

/** "equivalent spherical diameter" of "equivalent_spherical_diameter_mm". */
static std::string
InWords(const ComponentColumn & column)
{
  std::string name = WithoutUnit(column.name, column.unit);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

ColumnColors::ColumnColors(const ComponentTable &           table,
                           const std::string &              column,
                           const std::vector<std::size_t> & places)
{
  const std::vector<ComponentColumn> columns = ColumnsOf(table);
  const auto                         inUnit = ColumnInAnyUnit(columns, column);
  const ComponentColumn              found = inUnit ? *inUnit : FindColumn(columns, column);
  title = InWords(found);
  // As it is drawn: "mm³" of "mm^3", "µm" of "um".
  const bool isMicro = found.unit == "um" || found.unit.rfind("um^", 0) == 0;
  unit = RaiseDigits(isMicro ? "µ" + found.unit.substr(1) : found.unit);
  for (const std::size_t place : places)
  {
    const ComponentMeasures component = table.components[place];
    values[component.label] =
      std::visit([](auto number) { return static_cast<double>(number); }, found.value(table, component));
  }
  SetRange();
}

ColumnColors::ColumnColors(std::unordered_map<std::uint64_t, double> ofLabels,
                           std::string                               name,
                           std::string                               unitOfValues)
  : title(std::move(name))
  , unit(std::move(unitOfValues))
  , values(std::move(ofLabels))
{
  SetRange();
}

void
ColumnColors::SetRange()
{
  low = std::numeric_limits<double>::infinity();
  high = -low;
  for (const auto & [label, value] : values)
  {
    low = std::isfinite(value) ? std::min(low, value) : low;
    high = std::isfinite(value) ? std::max(high, value) : high;
    hasMissing = hasMissing || !std::isfinite(value);
  }
  if (low > high)
  {
    low = high = 0;
  }
  constexpr double maximumLinearRatio = 200;
  isLogarithmic = low > 0 && high / low > maximumLinearRatio;
}

double
ColumnColors::ShareOf(double value) const
{
  if (low == high)
  {
    return 0.5;
  }
  const double share = isLogarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(share, 0.0, 1.0);
}

Color
ColumnColors::At(double share)
{
  constexpr int last = static_cast<int>(std::size(Scale)) - 1;
  const double  place = std::clamp(share, 0.0, 1.0) * last;
  const int     below = std::min(static_cast<int>(place), last - 1);
  return Mix(Scale[below], Scale[below + 1], place - below);
}

Color
ColumnColors::operator[](std::uint64_t label) const
{
  const double value = values.at(label);
  return std::isfinite(value) ? At(ShareOf(value)) : Missing;
}

} // namespace brickccl
