// SPDX-License-Identifier: Apache-2.0
// Checks of the paths of inputs, before images are read.
#include "BrickCCL/Files/FilePattern.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include <algorithm>
#include <filesystem>

namespace brickccl
{

using namespace files;

constexpr const char * SliceExtensions = ".tif .tiff .png .bmp .jpg .jpeg";

static std::vector<std::string>
FilesOfFolder(const std::string & path, const char * extensions)
{
  std::vector<std::string> files;
  for (const auto & entry : std::filesystem::directory_iterator(path))
  {
    const std::string name = entry.path().generic_string();
    // A link to a slice that is gone is an error when it is read.
    const bool mayBeFile = entry.is_regular_file() || entry.status().type() == std::filesystem::file_type::not_found;
    if (mayBeFile && entry.path().filename().string()[0] != '.' && HasExtension(name, extensions))
    {
      files.push_back(name);
    }
  }
  return files;
}

std::vector<std::string>
files::SlicesOfFolder(const std::string & path)
{
  const auto images = FilesOfFolder(path, SliceExtensions);
  return images.empty() ? FilesOfFolder(path, RawExtensions) : images;
}

bool
files::IsDicomFile(const std::string & path)
{
  return IsRegularFile(path) && IsDicom(FileBytes::Map(path));
}

bool
MayHoldSeries(const std::string & path)
{
  return WithContext(CannotRead(path), [&] {
    if (IsThere(path))
    {
      std::error_code failure;
      return std::filesystem::is_directory(path, failure) && HoldsDicom(path);
    }
    const auto files = FilesOfPattern(path);
    return files.empty() || std::any_of(files.begin(), files.end(), IsDicomFile);
  });
}

bool
WouldBeRead(const std::string & input, const std::string & output)
{
  const std::filesystem::path file(ReplacedFile(output));
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return WithContext(CannotRead(input), [&] {
    std::error_code failure;
    auto            written = FilesBesideImage(file.string());
    written.insert(written.end(), { output, file.string() });
    const auto isAny = [&](auto check) { return std::any_of(written.begin(), written.end(), check); };
    if (HasExtension(output, ".dcm") && std::filesystem::is_directory(input, failure) && HoldsDicom(input))
    {
      // Folders in it are read, too.
      return std::filesystem::relative(std::filesystem::absolute(folder), input, failure).string().rfind("..", 0) != 0;
    }
    if (std::filesystem::is_directory(input, failure))
    {
      const bool areRaw = FilesOfFolder(input, SliceExtensions).empty();
      const auto isSlice = [&](const std::string & name) {
        return HasExtension(name, SliceExtensions) || (areRaw && HasExtension(name, RawExtensions));
      };
      return isAny(isSlice) && std::filesystem::equivalent(folder, input, failure) && !HoldsDicom(input);
    }
    return !IsThere(input) && isAny([&](const std::string & name) { return StandsForFile(input, name); });
  });
}

bool
MayBeRaw(const std::string & path)
{
  return WithContext(CannotRead(path), [&] {
    ReadOptions options;
    options.raw = "?";
    const auto isRaw = [&](const std::string & file) {
      return FormatOfFile(FileBytes::Map(file), options)->recognizes == nullptr;
    };
    std::error_code failure;
    const auto      files = std::filesystem::is_directory(path, failure) ? SlicesOfFolder(path)
                          : IsThere(path)                                ? std::vector{ path }
                                                                         : FilesOfPattern(path);
    return ZarrHeader(path).empty() && (files.empty() || std::any_of(files.begin(), files.end(), isRaw));
  });
}

} // namespace brickccl
