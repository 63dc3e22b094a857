// SPDX-License-Identifier: Apache-2.0
// Voxels without a header, whose size and type ReadOptions::raw states: "1024x1024x800:uint16:big:skip=512".

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

namespace brickccl::files
{

namespace
{

struct RawLayout
{
  std::vector<std::int64_t> sizes;
  ScalarType                type = ScalarType::UInt8;
  bool                      isBig = false;
  std::uint64_t             skip = 0;
};

/** The sizes of "1024x1024x800". */
std::vector<std::int64_t>
RawSizes(std::string text)
{
  std::replace(text.begin(), text.end(), 'x', ' ');
  return WholeNumbers(text, "raw");
}

RawLayout
ParseRaw(const std::string & text)
{
  static const std::regex pattern(
    "([1-9][0-9]{0,8}(?:[xX][1-9][0-9]{0,8}){0,3}):(\\w{1,20})(:big|:little)?(?::skip=([0-9]{1,18}))?");
  std::smatch parts;
  ThrowIf<InvalidArgument>(!std::regex_match(text, parts, pattern),
                           Quoted(text) +
                             " must be a size and a type, such as 1024x1024x800:uint16, perhaps with :big and then "
                             ":skip=512 (bytes before the voxels)");
  const auto type = ScalarTypeNamed(parts.str(2));
  ThrowIf<InvalidArgument>(!type,
                           "the voxel type " + Quoted(parts.str(2)) +
                             " is unknown; use uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32 or "
                             "float64");
  const std::int64_t skip = parts[4].matched ? WholeNumber(parts.str(4), "raw") : 0;
  return { RawSizes(LowerCase(parts.str(1))), *type, parts.str(3) == ":big", static_cast<std::uint64_t>(skip) };
}

/** The option for a file's length and the size, type and spacing in its name, such as "part_64x64x64_int16_0.1mm.raw":
 *  "--raw 64x64x64:int16 --spacing 0.1 0.1 0.1". */
std::string
Proposal(const FileBytes & file, int dimension)
{
  const std::string name = LowerCase(std::filesystem::path(file.Path()).stem().string());
  const auto        find = [&](const char * pattern) {
    std::smatch found;
    return std::regex_search(name, found, std::regex(pattern)) ? found.str(1) : std::string();
  };
  const std::string size = find("(?:^|[^0-9x])([1-9][0-9]{0,8}(?:x[1-9][0-9]{0,8}){1,2})(?![0-9x])");
  const auto        sizes = RawSizes(size);
  double            count = 1;
  for (const std::int64_t each : sizes)
  {
    count *= static_cast<double>(each);
  }
  const auto  length = static_cast<double>(file.Size());
  std::string type = find("(?:^|[^a-z])(u?int(?:8|16|32|64)|float(?:32|64))(?![0-9])");
  if (type.empty())
  {
    type = count == length || file.Size() % 2 == 1 ? "uint8" : count * 4 == length ? "float32" : "uint16";
  }
  const std::size_t bytes = SizeOf(*ScalarTypeNamed(type));
  if (sizes.empty() || count * static_cast<double>(bytes) != length)
  {
    return (dimension == 2 ? "--raw XxY:" : "--raw XxYxZ:") + type +
           (dimension == 2 ? ", where X * Y is " : ", where X * Y * Z is ") + std::to_string(file.Size() / bytes);
  }
  std::string       text = "--raw " + size + ":" + type;
  const std::string spacing =
    find("(?:^|[^0-9.x])((?:[0-9]{0,9}[.]?[0-9]{1,9}x){0,2}[0-9]{0,9}[.]?[0-9]{1,9}[mu]m)(?![a-z])");
  std::string steps = spacing.substr(0, std::max<std::size_t>(spacing.size(), 2) - 2);
  std::replace(steps.begin(), steps.end(), 'x', ' ');
  const auto numbers = RealNumbers(steps, "spacing");
  for (std::size_t axis = 0; axis < sizes.size() && (numbers.size() == 1 || numbers.size() == sizes.size()); ++axis)
  {
    const double step = numbers[numbers.size() == 1 ? 0 : axis] * Millimeters(spacing.substr(spacing.size() - 2));
    text += (axis == 0 ? " --spacing " : " ") + Shortest(step);
  }
  return text;
}

} // namespace

std::optional<ScalarType>
ScalarTypeNamed(const std::string & name)
{
  for (int number = 0; number <= static_cast<int>(ScalarType::Float64); ++number)
  {
    if (name == NameOf(static_cast<ScalarType>(number)))
    {
      return static_cast<ScalarType>(number);
    }
  }
  return std::nullopt;
}

bool
HasSlicesOfRaw(const std::string & text)
{
  return !text.empty() && ParseRaw(text).sizes.size() == 2;
}

std::string
HeaderNextTo(const std::string & path)
{
  for (const char * const extension : { ".mhd", ".nhdr", ".vgi", ".hdr" })
  {
    std::string header = std::filesystem::path(path).replace_extension(extension).string();
    if (header != path && IsRegularFile(header) && FormatOfFile(FileBytes::Map(header), {}) != nullptr)
    {
      return header;
    }
  }
  return {};
}

LoadedImage
ReadRaw(const FileBytes & file, const ReadOptions & options)
{
  const RawLayout layout = ParseRaw(options.raw);
  LoadedImage     image;
  image.inParts = options.inParts;
  image.type = layout.type;
  image.extent = SettleExtent(layout.sizes);
  image.spacingSource = "none";
  const std::uint64_t bytes = layout.skip + VoxelBytes(image.extent, 1, image.type);
  ThrowIf(file.Size() != bytes,
          "--raw " + options.raw + " needs " + std::to_string(bytes) + " bytes, but the file has " +
            std::to_string(file.Size()));
  if (const std::string header = HeaderNextTo(file.Path()); !header.empty())
  {
    image.notes.push_back("--raw is used instead of the header " + Quoted(header) + " next to it");
  }
  TellHeader(options, image);
  TakeStored(file, layout.skip, layout.isBig != HostIsBigEndian, options.Context(), image);
  return image;
}

std::string
WhyNotRead(const FileBytes & file, int dimension)
{
  if (file.Size() == 0)
  {
    return "the file is empty";
  }
  const Format * const named = FormatOfName(file.Path());
  if (HasExtension(file.Path(), RawExtensions))
  {
    const std::string header = HeaderNextTo(file.Path());
    return (header.empty() ? "it has no header; if it holds raw voxels, read it with "
                           : "open the header " + Quoted(header) + " next to it, or read it with ") +
           Proposal(file, dimension);
  }
  if (named == nullptr && HasExtension(file.Path(), ".gz .bz2 .xz .zip .7z .zst"))
  {
    return "it is compressed; unpack it first";
  }
  return named != nullptr
         ? std::string("this is not in ") + named->name + " format: the file is damaged, or has another format"
         : "its format is not supported; these are: " + ReadableFormats() + "; raw voxels are read with " +
             Proposal(file, dimension);
}

} // namespace brickccl::files

void
brickccl::CheckRaw(const std::string & text)
{
  files::ParseRaw(text);
}
