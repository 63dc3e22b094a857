// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/HeaderText.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace brickccl::files
{

namespace
{

constexpr const char * WhiteSpace = " \t\r\n\v\f";

} // namespace

std::string
Trimmed(const std::string & text)
{
  const auto begin = text.find_first_not_of(WhiteSpace);
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(WhiteSpace) - begin + 1);
}

std::vector<std::string>
Words(const std::string & text)
{
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(WhiteSpace); begin != std::string::npos;)
  {
    const std::size_t end = text.find_first_of(WhiteSpace, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(WhiteSpace, end);
  }
  return words;
}

std::string
LowerCase(std::string text)
{
  for (char & letter : text)
  {
    letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  }
  return text;
}

std::int64_t
WholeNumber(const std::string & text, const std::string & field)
{
  const char * const begin = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
  const char * const end = text.data() + text.size();
  std::int64_t       value = 0;
  const auto         result = std::from_chars(begin, end, value);
  if (result.ec != std::errc() || result.ptr != end)
  {
    throw Error("its field '" + field + "' has " + Quoted(text.substr(0, 40)) + " instead of a whole number");
  }
  return value;
}

std::vector<std::int64_t>
WholeNumbers(const std::string & text, const std::string & field)
{
  std::vector<std::int64_t> numbers;
  for (const std::string & word : Words(text))
  {
    numbers.push_back(WholeNumber(word, field));
  }
  return numbers;
}

double
RealNumber(const std::string & text, const std::string & field)
{
  char *       end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size())
  {
    throw Error("its field '" + field + "' has " + Quoted(text.substr(0, 40)) + " instead of a number");
  }
  return value;
}

std::vector<double>
RealNumbers(const std::string & text, const std::string & field)
{
  std::vector<double> numbers;
  for (const std::string & word : Words(text))
  {
    numbers.push_back(RealNumber(word, field));
  }
  return numbers;
}

std::vector<std::string>
NamesOfPattern(const std::string & pattern, std::int64_t first, std::int64_t last, std::int64_t step)
{
  const auto  percent = pattern.find('%');
  std::size_t end = percent == std::string::npos ? percent : percent + 1;
  bool        zeros = false;
  std::size_t width = 0;
  if (end != std::string::npos)
  {
    for (; end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9'; ++end)
    {
      zeros = zeros || (width == 0 && pattern[end] == '0');
      width = width * 10 + static_cast<std::size_t>(pattern[end] - '0');
      width = width > 99 ? 100 : width;
    }
  }
  if (percent == std::string::npos || width > 99 || end >= pattern.size() ||
      std::string("diu").find(pattern[end]) == std::string::npos || pattern.find('%', end) != std::string::npos)
  {
    throw Error("the pattern " + Quoted(pattern) + " of its data files needs exactly one number format such as '%03d'");
  }
  constexpr std::int64_t most = 1000000000000;
  const auto [low, high] = std::minmax({ first, last, step });
  if (step == 0 || low < -most || high > most || (last - first) / step < 0 || (last - first) / step >= 1000000)
  {
    throw Error("the data files from " + std::to_string(first) + " to " + std::to_string(last) + " in steps of " +
                std::to_string(step) + " do not make a list of files");
  }
  std::vector<std::string> names;
  for (std::int64_t i = 0, count = (last - first) / step; i <= count; ++i)
  {
    const std::int64_t value = first + i * step;
    std::string        digits = std::to_string(value < 0 ? -value : value);
    const std::size_t  room = width > (value < 0 ? 1u : 0u) ? width - (value < 0 ? 1 : 0) : 0;
    const std::string  filling(digits.size() < room ? room - digits.size() : 0, zeros ? '0' : ' ');
    digits = zeros ? (value < 0 ? "-" : "") + filling + digits : filling + (value < 0 ? "-" : "") + digits;
    names.push_back(pattern.substr(0, percent) + digits + pattern.substr(end + 1));
  }
  return names;
}

std::string
DataFileName(const std::string & header, const std::string & extension)
{
  std::string name = std::filesystem::path(header).stem().string() + extension;
  for (char & letter : name)
  {
    const auto code = static_cast<unsigned char>(letter);
    letter = letter == '%' || letter == '\\' || code < ' ' || code == 127 ? '_' : letter;
  }
  // White space at the ends would be lost, too.
  name.front() = name.front() == ' ' ? '_' : name.front();
  return name;
}

std::string
DataFilePath(const std::string & header, const std::string & extension)
{
  return (std::filesystem::path(header).parent_path() / DataFileName(header, extension)).string();
}

} // namespace brickccl::files
