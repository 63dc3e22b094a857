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
