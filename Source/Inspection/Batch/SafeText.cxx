// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/SafeText.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace brickccl::batch
{

namespace
{

bool
IsPlain(char character)
{
  const auto code = static_cast<unsigned char>(character);
  return code < 128 && (std::isalnum(code) != 0 || character == '.' || character == '-' || character == '_');
}

/** Each byte as \xFF for whose place `isEscaped` is true. */
template <typename TPredicate>
std::string
Escaped(const std::string & text, TPredicate isEscaped)
{
  static const char * const digits = "0123456789abcdef";
  std::string               escaped;
  for (std::size_t at = 0; at < text.size(); ++at)
  {
    if (isEscaped(at))
    {
      const auto code = static_cast<unsigned char>(text[at]);
      escaped += { '\\', 'x', digits[code >> 4u], digits[code & 15u] };
    }
    else
    {
      escaped += text[at];
    }
  }
  return escaped;
}

bool
IsBeyondAscii(char character)
{
  return static_cast<unsigned char>(character) > 127;
}

/** Whether a byte of UTF-8 is one of a control character. */
bool
IsControl(const std::string & text, std::size_t at)
{
  return ControlLength(text, at) > 0 || (at > 0 && ControlLength(text, at - 1) == 2);
}

bool
LooksEscaped(const std::string & text, std::size_t at)
{
  const auto isDigit = [&](std::size_t place) {
    return place < text.size() && std::isxdigit(static_cast<unsigned char>(text[place])) != 0;
  };
  return text[at] == '\\' && at + 1 < text.size() && text[at + 1] == 'x' && isDigit(at + 2) && isDigit(at + 3);
}

} // namespace

std::string
Utf8Text(const std::string & text)
{
  return IsUtf8(text) ? text : Escaped(text, [&](std::size_t at) { return IsBeyondAscii(text[at]); });
}

std::string
NameText(const std::string & name)
{
  const bool isUtf8 = IsUtf8(name);
  return Escaped(name, [&](std::size_t at) {
    return IsControl(name, at) || (!isUtf8 && IsBeyondAscii(name[at])) || LooksEscaped(name, at);
  });
}

std::string
OneLine(const std::string & text)
{
  return Printable(Utf8Text(text), "\\");
}

std::string
CsvCell(const std::string & text)
{
  return TextCell(Utf8Text(text), ',');
}

std::string
FolderName(const std::string & name)
{
  std::string folder;
  for (const char character : name)
  {
    // A character of UTF-8 has several bytes; the first one counts.
    if ((static_cast<unsigned char>(character) & 0xC0u) != 0x80u)
    {
      folder += IsPlain(character) ? character : '_';
    }
  }
  if (folder.empty() || folder[0] == '.' || folder[0] == '-')
  {
    folder.insert(folder.begin(), '_');
  }
  constexpr std::size_t limit = 100;
  return folder.substr(0, limit);
}

std::vector<std::string>
FolderNames(const std::vector<std::string> & names)
{
  std::set<std::string>    taken;
  std::vector<std::string> folders;
  for (const std::string & name : names)
  {
    const std::string folder = FolderName(name);
    std::string       free = folder;
    for (int number = 2; !taken.insert(InSmallLetters(free)).second; ++number)
    {
      free = folder + "-" + std::to_string(number);
    }
    folders.push_back(free);
  }
  return folders;
}

std::vector<std::string>
CsvCells(const std::string & line)
{
  std::vector<std::string> cells(1);
  bool                     isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i)
  {
    const char character = line[i];
    if (isQuoted && character == '"' && i + 1 < line.size() && line[i + 1] == '"')
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

std::string
ReadText(const std::string & path)
{
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
  {
    throw Error("cannot read " + Quoted(path) + ": " + (failure ? failure.message() : "it is not a file"));
  }
  std::ifstream      stream(std::filesystem::path(path), std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::file_size(path, failure) > 0)
  {
    text << stream.rdbuf();
  }
  if (!stream || !text)
  {
    throw Error("cannot read " + Quoted(path));
  }
  return text.str();
}

} // namespace brickccl::batch
