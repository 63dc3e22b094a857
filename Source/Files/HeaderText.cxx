// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/HeaderText.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/FilePattern.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

namespace brickccl::files
{

std::string
Trimmed(const std::string & text, const std::string & blanks)
{
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
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

std::string
Attribute(const std::string & tag, const std::string & name)
{
  for (const char before : { ' ', '\n', '\t', '\r' })
  {
    for (const char quote : { '"', '\'' })
    {
      const std::string key = before + name + "=" + quote;
      if (const std::size_t place = tag.find(key); place != std::string::npos)
      {
        const std::size_t begin = place + key.size();
        return tag.substr(begin, tag.find(quote, begin) - begin);
      }
    }
  }
  return "";
}

std::int64_t
WholeNumber(const std::string & text, const std::string & field)
{
  const char * const begin = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
  const char * const end = text.data() + text.size();
  std::int64_t       value = 0;
  const auto         result = std::from_chars(begin, end, value);
  ThrowIf(result.ec != std::errc() || result.ptr != end,
          "its field '" + field + "' has " + Quoted(text.substr(0, 40)) + " instead of a whole number");
  return value;
}

std::vector<std::int64_t>
WholeNumbers(const std::string & text, const std::string & field)
{
  return Mapped(Words(text), [&](const std::string & word) { return WholeNumber(word, field); });
}

double
RealNumber(const std::string & text, const std::string & field)
{
  char *       end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  ThrowIf(text.empty() || end != text.c_str() + text.size(),
          "its field '" + field + "' has " + Quoted(text.substr(0, 40)) + " instead of a number");
  return value;
}

std::vector<double>
RealNumbers(const std::string & text, const std::string & field)
{
  return Mapped(Words(text), [&](const std::string & word) { return RealNumber(word, field); });
}

std::string
TakeLine(const char *& place, const char * end)
{
  const char * const begin = place;
  const char * const lineEnd = std::find(begin, end, '\n');
  place = lineEnd < end ? lineEnd + 1 : end;
  return { begin, lineEnd };
}

std::vector<std::string>
DataFileNames(const std::string & header, const std::string & value, const std::string & field, std::size_t least)
{
  const auto words = Words(value);
  const bool isPattern = words.size() >= least && words.size() <= least + 1 && words[0].find('%') != std::string::npos;
  if (!isPattern || IsThere(PathBeside(header, value)))
  {
    return { value };
  }
  const auto name = NumberedNameOf(words[0]);
  ThrowIf(!name,
          "the pattern " + Quoted(words[0]) + " of its data files needs exactly one number format such as '%03d'");
  const auto             first = WholeNumber(words[1], field);
  const auto             last = WholeNumber(words[2], field);
  const auto             step = words.size() > 3 ? WholeNumber(words[3], field) : 1;
  constexpr std::int64_t most = 1000000000000;
  const auto [low, high] = std::minmax({ first, last, step });
  ThrowIf(step == 0 || low < -most || high > most || (last - first) / step < 0 || (last - first) / step >= 1000000,
          "the data files from " + std::to_string(first) + " to " + std::to_string(last) + " in steps of " +
            std::to_string(step) + " do not make a list of files");
  std::vector<std::string> names;
  for (std::int64_t i = 0, count = (last - first) / step; i <= count; ++i)
  {
    names.push_back(name->Of(first + i * step));
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
