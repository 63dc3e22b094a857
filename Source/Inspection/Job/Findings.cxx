// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Findings.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace brickccl::job
{

/** A number with this many significant digits, those before the point always. */
static std::string
Rounded(double value, int digits)
{
  char text[400];
  std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
  const char * const place = std::strchr(text, 'e');
  const int          exponent = place == nullptr ? 0 : std::atoi(place + 1);
  if (place == nullptr || value == 0 || exponent < -6)
  {
    return value == 0 ? "0" : text;
  }
  std::snprintf(text, sizeof(text), "%.*f", std::max(0, digits - 1 - exponent), value);
  return text;
}

/** \param size  decides on the unit; 0: the value */
static std::string
TextOf(const Finding & finding, double size)
{
  const nlohmann::ordered_json & value = finding.value;
  if (value.is_string())
  {
    return value.get<std::string>();
  }
  if (value.is_number_integer() && !finding.unit.empty())
  {
    return Counted(value.get<std::uint64_t>(), finding.unit);
  }
  return value.is_number_float() ? Readable(value.get<double>(), finding.unit, size) : value.dump();
}

nlohmann::ordered_json
AsJson(const Findings & findings)
{
  auto json = nlohmann::ordered_json::object();
  for (const Finding & finding : findings)
  {
    if (!finding.key.empty())
    {
      json[nlohmann::ordered_json::json_pointer('/' + finding.key)] = finding.value;
    }
  }
  return json;
}

std::string
AsText(const Findings & findings)
{
  // Sizes of a line have the unit of the smallest size, unless the largest would have more than seven digits.
  std::map<std::pair<int, std::string>, std::pair<double, double>> sizes;
  for (const Finding & finding : findings)
  {
    if (finding.value.is_number_float() && finding.value.get<double>() > 0)
    {
      const auto value = finding.value.get<double>();
      const auto own = sizes.try_emplace({ finding.line, finding.unit }, value, value).first;
      own->second = { std::min(own->second.first, value), std::max(own->second.second, value) };
    }
  }
  std::map<int, std::string> lines;
  for (const Finding & finding : findings)
  {
    if (finding.line == 0 || finding.value.is_null())
    {
      continue;
    }
    std::string       words = finding.label;
    const std::size_t place = words.find('#');
    if (place != std::string::npos)
    {
      const auto [smallest, largest] = sizes[{ finding.line, finding.unit }];
      words.replace(place, 1, TextOf(finding, std::max(smallest, largest * 1e-6)));
    }
    std::string & line = lines[finding.line];
    line += (line.empty() || words[0] == ';' || words[0] == '\n' ? "" : words[0] == '(' ? " " : ", ") + words;
  }
  return Joined(lines, "\n", [](const auto & line) { return line.second; });
}

std::string
Readable(double value, const std::string & unit, double size)
{
  struct Step
  {
    const char * unit;
    /** Sizes from the one to below the other are given in the other unit. */
    double       from;
    double       below;
    double       factor;
    const char * better;
  };
  constexpr double  huge = HUGE_VAL;
  static const Step steps[] = { { "mm", 0, 0.1, 1e3, "um" },       { "mm2", 0, 1e-3, 1e6, "um2" },
                                { "mm2", 1e3, huge, 1e-2, "cm2" }, { "mm3", 0, 1e-4, 1e9, "um3" },
                                { "mm3", 1e3, 1e9, 1e-3, "cm3" },  { "mm3", 1e9, huge, 1e-9, "m3" } };
  const double      deciding = size > 0 ? size : value;
  for (const Step & step : steps)
  {
    if (unit == step.unit && deciding != 0 && deciding >= step.from && deciding < step.below)
    {
      return Readable(value * step.factor, step.better);
    }
  }
  constexpr int digits = 4;
  return Rounded(value, unit == "s" ? 2 : digits) + (unit.empty() ? "" : " " + unit);
}

std::string
Readable(const Number & value)
{
  if (value.IsWhole())
  {
    return value.ToString();
  }
  std::string text = Rounded(static_cast<double>(value), 4);
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos)
  {
    text.erase(text.find_last_not_of('0') + 1);
    text.erase(text.find_last_not_of('.') + 1);
  }
  return text;
}

} // namespace brickccl::job
