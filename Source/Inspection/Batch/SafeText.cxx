// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/SafeText.h"

#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace brickccl::batch
{

static bool
IsPlain(char character)
{
  const auto code = static_cast<unsigned char>(character);
  return code < 128 && (std::isalnum(code) != 0 || character == '.' || character == '-' || character == '_');
}

std::string
Utf8Text(const std::string & text)
{
  if (IsUtf8(text))
  {
    return text;
  }
  std::string ascii = text;
  std::replace_if(
    ascii.begin(),
    ascii.end(),
    [](char character) { return static_cast<unsigned char>(character) > 127; },
    '?');
  return ascii;
}

void
CheckName(const std::string & path)
{
  ThrowIf(!IsUtf8(path) || Printable(path) != path,
          "the name " + Quoted(Utf8Text(path)) +
            " is not UTF-8 or has control characters; tables and reports cannot show it: rename the file");
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

std::string
PathIn(const std::string & folder, const std::string & file)
{
  return (std::filesystem::path(folder) / file).string();
}

std::string
ReadText(const std::string & path)
{
  return files::WithContext(files::CannotRead(path), [&] {
    const auto bytes = files::FileBytes::Map(path);
    return std::string(reinterpret_cast<const char *>(bytes.Data()), bytes.Size());
  });
}

} // namespace brickccl::batch
