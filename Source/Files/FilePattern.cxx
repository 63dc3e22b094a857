// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/FilePattern.h"

#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace brickccl::files
{

namespace fs = std::filesystem;

std::string
NumberedName::NumberIn(const std::string & name) const
{
  const std::size_t rest = before.size() + after.size();
  const bool        isSame = name.size() > rest && name.compare(0, before.size(), before) == 0 &&
                      name.compare(name.size() - after.size(), after.size(), after) == 0;
  return isSame ? name.substr(before.size(), name.size() - rest) : std::string();
}

std::string
NumberedName::Of(std::int64_t number) const
{
  const std::string sign = number < 0 ? "-" : "";
  const std::string digits = std::to_string(number).substr(sign.size());
  const std::string fill(width - std::min(width, sign.size() + digits.size()), filling);
  return before + (filling == '0' ? sign + fill : fill + sign) + digits + after;
}

bool
NumberedName::Makes(const std::string & name) const
{
  const std::string number = NumberIn(name);
  if (number.empty())
  {
    return false;
  }
  const std::size_t first = std::min(number.find_first_not_of(filling), number.size() - 1);
  const bool        areDigits = std::all_of(number.begin() + static_cast<std::ptrdiff_t>(first),
                                     number.end(),
                                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
  const bool        isZeroInFront = first + 1 < number.size() && number[first] == '0';
  return areDigits && !isZeroInFront && number.size() >= width && (first == 0 || number.size() == width);
}

std::optional<NumberedName>
NumberedNameOf(const std::string & name)
{
  NumberedName parts;
  bool         hasPlace = false;
  for (std::size_t at = 0; at < name.size(); ++at)
  {
    std::string & text = hasPlace ? parts.after : parts.before;
    if (name[at] != '%')
    {
      text += name[at];
      continue;
    }
    if (at + 1 < name.size() && name[at + 1] == '%')
    {
      text += name[++at];
      continue;
    }
    const std::size_t     digits = at + 1;
    const std::size_t     end = name.find_first_not_of("0123456789", digits);
    constexpr std::size_t maximumDigits = 2;
    if (hasPlace || end == std::string::npos || end - digits > maximumDigits ||
        std::string("diu").find(name[end]) == std::string::npos)
    {
      return std::nullopt;
    }
    hasPlace = true;
    parts.filling = end > digits && name[digits] == '0' ? '0' : ' ';
    parts.width = end > digits ? std::stoul(name.substr(digits, end - digits)) : 0;
    at = end;
  }
  return hasPlace ? std::optional<NumberedName>(parts) : std::nullopt;
}

namespace
{

/** Whether the last part of a path has signs for other letters. In the names of its folders they are letters. */
bool
HasSigns(const std::string & path)
{
  return fs::path(path).filename().string().find_first_of("*?") != std::string::npos;
}

/** Whether two letters of names are the same: on Windows also in upper and lower case. */
bool
AreSame(char a, char b)
{
#ifdef _WIN32
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
#else
  return a == b;
#endif
}

/** Whether a pattern with * and ? matches a name. Only a dot matches a dot in front. */
bool
MatchesSigns(const std::string & pattern, const std::string & name)
{
  if (name[0] == '.' && pattern[0] != '.')
  {
    return false;
  }
  // The last star takes one letter more wherever the rest does not match.
  std::size_t star = std::string::npos;
  std::size_t taken = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size();)
  {
    if (at < pattern.size() && pattern[at] == '*')
    {
      star = ++at;
      taken = i;
    }
    else if (at < pattern.size() && (pattern[at] == '?' || AreSame(pattern[at], name[i])))
    {
      ++at;
      ++i;
    }
    else if (star != std::string::npos)
    {
      at = star;
      i = ++taken;
    }
    else
    {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string::npos;
}

/** Whether the last part of a pattern matches a name. */
bool
IsName(const std::string & pattern, const std::string & name)
{
  const auto numbered = NumberedNameOf(pattern);
  return HasSigns(pattern) ? MatchesSigns(pattern, name) : numbered ? numbered->Makes(name) : pattern == name;
}

} // namespace

bool
IsFilePattern(const std::string & path)
{
  return HasSigns(path) || NumberedNameOf(fs::path(path).filename().string());
}

std::vector<std::string>
FilesOfPattern(const std::string & pattern)
{
  const fs::path           path(pattern);
  const std::string        name = path.filename().string();
  std::vector<std::string> files;
  std::error_code          failure;
  for (const auto & entry :
       fs::directory_iterator(path.has_parent_path() ? path.parent_path() : fs::path("."), failure))
  {
    const std::string own = entry.path().filename().string();
    if (IsName(name, own))
    {
      files.push_back((path.parent_path() / own).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string
HintOnPadding(const std::string & pattern)
{
  const fs::path path(pattern);
  const auto     name = NumberedNameOf(path.filename().string());
  if (!name || HasSigns(pattern))
  {
    return {};
  }
  std::string     other;
  std::error_code failure;
  for (const auto & entry :
       fs::directory_iterator(path.has_parent_path() ? path.parent_path() : fs::path("."), failure))
  {
    const std::string file = entry.path().filename().string();
    const std::string number = name->NumberIn(file);
    const bool        isNumber = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    other = isNumber && !name->Makes(file) && (other.empty() || file < other) ? file : other;
  }
  return other.empty() ? other
                       : "it does not match " + Quoted(other) +
                           ", whose number is written differently; use a pattern that matches all, as " +
                           Quoted((path.parent_path() / (name->before + "*" + name->after)).generic_string());
}

bool
StandsForFile(const std::string & pattern, const std::string & ownPath)
{
  const auto folderOf = [](const fs::path & path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  };
  const fs::path  path(pattern);
  const fs::path  file(ownPath);
  std::error_code failure;
  return IsFilePattern(pattern) && fs::equivalent(folderOf(path), folderOf(file), failure) &&
         IsName(path.filename().string(), file.filename().string());
}

} // namespace brickccl::files
