// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Ticks.h"

#include "BrickCCL/Core/RoundNumber.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace brickccl
{

/** "2e+07": a digit and a power of ten. */
static std::string
WithExponent(double value)
{
  char text[64];
  std::snprintf(text, sizeof(text), "%.0e", value);
  return text;
}

Ticks
LinearTicks(double low, double high, int maximum, bool whole)
{
  Ticks ticks;
  if (!(high - low > 1e-12 * std::max(std::abs(low), std::abs(high))))
  {
    ticks.places.push_back(low);
    ticks.texts.push_back(ShortNumber(low));
    return ticks;
  }
  // Find the smallest round step that makes few enough ticks.
  double     step = LargestRoundNumber((high - low) / maximum);
  const auto first = [&] { return std::ceil(low / step - 1e-9); };
  const auto count = [&] { return static_cast<int>(std::floor(high / step + 1e-9) - first()) + 1; };
  while ((whole && step < 1) || count() > maximum)
  {
    step = LargestRoundNumber(step * 2.5);
  }
  for (int i = 0; i < count(); ++i)
  {
    const double place = (first() + i) * step;
    ticks.places.push_back(place);
    // The texts of neighbors must differ, so they have digits down to the step.
    const double digits = std::log10(std::max(std::abs(low), std::abs(high)) / step);
    ticks.texts.push_back(ShortNumber(place, std::max(4, static_cast<int>(std::ceil(digits)) + 1)));
  }
  return ticks;
}

Ticks
LogarithmicTicks(double low, double high)
{
  Ticks      ticks;
  const bool hasFew = high / low < 1e3;
  const auto last = static_cast<int>(std::ceil(std::log10(high)));
  for (auto power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power)
  {
    for (const double factor : { 1.0, 2.0, 5.0 })
    {
      const double place = factor * std::pow(10, power);
      if (place >= low * (1 - 1e-9) && place <= high * (1 + 1e-9) && (hasFew || factor == 1))
      {
        ticks.places.push_back(place);
        // Many zeros are hard to count.
        ticks.texts.push_back(place >= 1e7 ? WithExponent(place) : ShortNumber(place));
      }
    }
  }
  return ticks;
}

std::string
ShortNumber(double value, int digits)
{
  char         text[64];
  const double magnitude = std::abs(value);
  if (magnitude >= std::pow(10, digits) && magnitude < 1e9)
  {
    std::snprintf(text, sizeof(text), "%.0f", value);
  }
  else
  {
    std::snprintf(text, sizeof(text), "%.*g", digits, value == 0 ? 0 : value);
  }
  return text;
}

std::string
LengthText(double millimeters)
{
  const double magnitude = std::abs(millimeters);
  // 1e-9 is the error that a computed power of ten may have.
  const double nearlyOne = 1 - 1e-9;
  return magnitude == 0 || (magnitude >= nearlyOne && magnitude < 1e3 * nearlyOne) ? ShortNumber(millimeters) + " mm"
       : magnitude >= 1e3 * nearlyOne  ? ShortNumber(millimeters / 1e3) + " m"
       : magnitude >= 1e-3 * nearlyOne ? ShortNumber(millimeters * 1e3) + " µm"
                                       : ShortNumber(millimeters * 1e6) + " nm";
}

std::string
RaiseDigits(std::string unit)
{
  for (const auto & [plain, raised] : { std::pair("^2", "²"), std::pair("^3", "³") })
  {
    const auto at = unit.find(plain);
    unit = at == std::string::npos ? unit : unit.replace(at, 2, raised);
  }
  return unit;
}

std::string
WithoutUnit(std::string column, const std::string & unit)
{
  std::string ending = "_" + unit;
  ending.erase(std::remove(ending.begin(), ending.end(), '^'), ending.end());
  if (ending.size() > 1 && column.size() > ending.size() &&
      column.compare(column.size() - ending.size(), ending.size(), ending) == 0)
  {
    column.resize(column.size() - ending.size());
  }
  return column;
}

} // namespace brickccl
