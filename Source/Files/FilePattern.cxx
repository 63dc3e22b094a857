// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/FilePattern.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Glob.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

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

/** The length of the leading part of a path that is a folder that exists: its signs are letters of names. */
std::size_t
LiteralSize(const std::string & path)
{
  std::error_code failure;
  fs::path        folder = fs::path(path).parent_path();
  while (!fs::is_directory(folder, failure) && folder != folder.parent_path())
  {
    folder = folder.parent_path();
  }
  return folder.string().size();
}

bool
HasSigns(const std::string & path)
{
  return path.find_first_of("*?[", LiteralSize(path)) != std::string::npos;
}

std::vector<std::string>
FilesOfNumbers(const fs::path & path, const NumberedName & name)
{
  const fs::path           folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> files;
  std::error_code          failure;
  for (const auto & entry : fs::directory_iterator(folder, failure))
  {
    const std::string own = entry.path().filename().string();
    if (name.Makes(own))
    {
      files.push_back((path.parent_path() / own).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/** The text with a backslash before each of these characters, which are then literal. */
std::string
WithLetters(const std::string & text, const std::string & signs)
{
  std::string pattern;
  for (const char letter : text)
  {
    pattern += signs.find(letter) == std::string::npos ? "" : "\\";
    pattern += letter;
  }
  return pattern;
}

/** Whether the last part of a pattern matches a name. */
bool
IsName(const std::string & pattern, const std::string & name)
{
  if (pattern.find_first_of("*?[") == std::string::npos)
  {
    const auto numbered = NumberedNameOf(pattern);
    return numbered ? numbered->Makes(name) : pattern == name;
  }
  const auto numbered = NumberedNameOf(pattern);
  return MatchesGlob(pattern, name) || MatchesGlob(WithLetters(pattern, "["), name) ||
         (numbered && numbered->Makes(name));
}

} // namespace

bool
IsFilePattern(const std::string & path)
{
  return HasSigns(path) || NumberedNameOf(fs::path(path).filename().string());
}

std::vector<std::string>
FilesOfPattern(const std::string & given)
{
  const fs::path path(given);
  // A backslash makes a letter of a sign.
  const std::string pattern = path.generic_string();
  const auto        numbered = NumberedNameOf(path.filename().string());
  if (numbered && !HasSigns(pattern))
  {
    return FilesOfNumbers(path, *numbered);
  }
  std::vector<std::string> files;
  const std::size_t        size = LiteralSize(pattern);
  const std::string        folder = WithLetters(pattern.substr(0, size), "*?[\\");
  const std::string        rest = pattern.substr(size);
  files = FilesOfGlob(folder + rest);
  const bool hasNumber = numbered && rest.find_first_of("*?") == std::string::npos;
  const auto others = hasNumber ? FilesOfNumbers(path, *numbered) : FilesOfGlob(folder + WithLetters(rest, "["));
  if (!files.empty() && !others.empty() && files != others)
  {
    throw Error("the pattern matches " + Quoted(files.front()) + " and, with literal brackets, " +
                Quoted(others.front()) + "; write [[] for a literal bracket");
  }
  files = files.empty() ? others : files;
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
  const fs::path                       folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code                      failure;
  std::set<std::uint64_t>              own;
  std::map<std::uint64_t, std::string> others;
  for (const auto & entry : fs::directory_iterator(folder, failure))
  {
    const std::string file = entry.path().filename().string();
    const std::string digits = name->NumberIn(file);
    std::uint64_t     number = 0;
    const auto        parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (!digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size())
    {
      name->Makes(file) ? void(own.insert(number)) : void(others.emplace(number, file));
    }
  }
  // Others matter if they continue the stack.
  auto next = others.begin();
  if (!own.empty())
  {
    next = *own.begin() > 0 ? others.find(*own.begin() - 1) : others.end();
    next = next == others.end() ? others.find(*own.rbegin() + 1) : next;
  }
  if (next == others.end())
  {
    return {};
  }
  const std::string & example = next->second;
  const std::string   number = name->NumberIn(example);
  const std::string   place = number[0] == '0' && number.size() > 1 ? "%0" + std::to_string(number.size()) + "d" : "%d";
  return "it does not match " + Quoted(example) + ", whose number is written differently; use " +
         Quoted((path.parent_path() / (name->before + place + name->after)).generic_string());
}

bool
StandsForFile(const std::string & pattern, const std::string & ownPath)
{
  if (!IsFilePattern(pattern))
  {
    return false;
  }
  const fs::path           path(pattern);
  const std::string        name = path.filename().string();
  const fs::path           folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> folders = { folder.generic_string() };
  if (HasSigns((folder / "").string()))
  {
    folders = FilesOfPattern(folder.generic_string());
  }
  const fs::path  file(ownPath);
  const fs::path  ownFolder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failure;
  const bool      isBeside = std::any_of(folders.begin(), folders.end(), [&](const std::string & one) {
    return fs::equivalent(one, ownFolder, failure);
  });
  return isBeside && IsName(name, file.filename().string());
}

} // namespace brickccl::files
