// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Glob.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace brickccl::files
{

namespace fs = std::filesystem;

namespace
{

/** Whether a pattern begins with a letter, or with a ?. \param at  is moved behind that */
bool
TakesLetter(const std::string & pattern, std::size_t & at, char letter)
{
  if (at < pattern.size() && pattern[at] == '?')
  {
    ++at;
    return true;
  }
  at += at + 1 < pattern.size() && pattern[at] == '\\' ? 1 : 0;
  // Names do not differ by capitals alone.
  const auto small = [](char one) { return std::tolower(static_cast<unsigned char>(one)); };
  return at < pattern.size() && pattern[at] != '*' && small(pattern[at++]) == small(letter);
}

} // namespace

bool
MatchesGlob(const std::string & pattern, const std::string & name)
{
  if (!name.empty() && name[0] == '.' && pattern[0] != '.')
  {
    return false;
  }
  // The last star takes one letter more wherever the rest does not match.
  std::size_t star = std::string::npos;
  std::size_t taken = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size();)
  {
    std::size_t next = at;
    if (at < pattern.size() && pattern[at] == '*')
    {
      star = ++at;
      taken = i;
    }
    else if (TakesLetter(pattern, next, name[i]))
    {
      at = next;
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

std::vector<std::string>
FilesOfGlob(const std::string & pattern)
{
  const std::size_t        end = pattern.rfind('/') + 1;
  std::vector<std::string> files;
  std::string              folder;
  for (std::size_t i = 0; i < end; ++i)
  {
    i += pattern[i] == '\\' ? 1 : 0;
    folder += pattern[i];
  }
  std::error_code        failure;
  fs::directory_iterator entry(folder.empty() ? "." : folder, failure);
  for (const fs::directory_iterator none; !failure && entry != none; entry.increment(failure))
  {
    const std::string own = entry->path().filename().string();
    if (MatchesGlob(pattern.substr(end), own))
    {
      files.push_back(folder + own);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace brickccl::files
