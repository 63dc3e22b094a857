// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** The parts of a text that a separator divides; none of an empty text, and no empty one at the end. */
inline std::vector<std::string>
SplitAt(char separator, const std::string & text)
{
  std::vector<std::string> parts;
  std::istringstream       stream(text);
  for (std::string part; std::getline(stream, part, separator);)
  {
    parts.push_back(part);
  }
  return parts;
}

/** The cells of a line of CSV. Cells with commas are in quotation marks, and a quotation mark within is doubled. */
inline std::vector<std::string>
CsvCells(const std::string & line)
{
  std::vector<std::string> cells(1);
  bool                     isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i)
  {
    const char character = line[i];
    if (isQuoted && line.compare(i, 2, "\"\"") == 0)
    {
      cells.back() += '"';
      ++i;
    }
    else if (character == '"')
    {
      isQuoted = !isQuoted;
    }
    else if (character == ',' && !isQuoted)
    {
      cells.emplace_back();
    }
    else
    {
      cells.back() += character;
    }
  }
  return cells;
}

/** What `textOf` makes of the items of a list, with separators between them. */
template <typename TList, typename TTextOf>
std::string
Joined(const TList & list, const std::string & separator, const TTextOf & textOf)
{
  std::string  text;
  const char * before = "";
  for (const auto & item : list)
  {
    text.append(before).append(textOf(item));
    before = separator.c_str();
  }
  return text;
}

template <typename TList>
std::string
Joined(const TList & list, const std::string & separator)
{
  return Joined(list, separator, [](const std::string & item) { return item; });
}

/** What `valueOf` makes of the items of a list. */
template <typename TList, typename TValueOf>
auto
Mapped(const TList & list, const TValueOf & valueOf)
{
  std::vector<std::decay_t<decltype(valueOf(*std::begin(list)))>> values;
  for (const auto & item : list)
  {
    values.push_back(valueOf(item));
  }
  return values;
}

/** The names of the items of a list. */
template <typename TList>
std::vector<std::string>
NameList(const TList & list)
{
  return Mapped(list, [](const auto & item) { return std::string(item.name); });
}

} // namespace brickccl
