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

/** The unit of a column as it is drawn: "mm³" of "mm^3", "µm" of "um". */
static std::string
DrawnUnit(std::string unit)
{
  if (unit == "um" || unit.rfind("um^", 0) == 0)
  {
    unit.replace(0, 1, "µ");
  }
  return RaiseDigits(unit);
}

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
  m_Title = InWords(found);
  m_Unit = DrawnUnit(found.unit);
  for (const std::size_t place : places)
  {
    const ComponentMeasures component = table.components[place];
    m_Values[component.label] =
      std::visit([](auto number) { return static_cast<double>(number); }, found.value(table, component));
  }
  SetRange();
}

ColumnColors::ColumnColors(std::unordered_map<std::uint64_t, double> values, std::string title, std::string unit)
  : m_Values(std::move(values))
  , m_Title(std::move(title))
  , m_Unit(std::move(unit))
{
  SetRange();
}

void
ColumnColors::SetRange()
{
  m_Low = std::numeric_limits<double>::infinity();
  m_High = -m_Low;
  for (const auto & [label, value] : m_Values)
  {
    m_Low = std::isfinite(value) ? std::min(m_Low, value) : m_Low;
    m_High = std::isfinite(value) ? std::max(m_High, value) : m_High;
    m_HasMissing = m_HasMissing || !std::isfinite(value);
  }
  if (m_Low > m_High)
  {
    m_Low = m_High = 0;
  }
  constexpr double maximumLinearRatio = 200;
  m_IsLogarithmic = m_Low > 0 && m_High / m_Low > maximumLinearRatio;
}

double
ColumnColors::ShareOf(double value) const
{
  if (m_Low == m_High)
  {
    return 0.5;
  }
  const double share =
    m_IsLogarithmic ? std::log(value / m_Low) / std::log(m_High / m_Low) : (value - m_Low) / (m_High - m_Low);
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
  const double value = m_Values.at(label);
  return std::isfinite(value) ? At(ShareOf(value)) : Missing;
}

} // namespace brickccl
