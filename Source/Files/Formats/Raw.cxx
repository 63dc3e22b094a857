// SPDX-License-Identifier: Apache-2.0
// Voxels without a header, whose size and type ReadOptions::raw states: "1024x1024x800:uint16:big:skip=512".

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

namespace brickccl::files
{

namespace
{

struct RawLayout
{
  std::vector<std::int64_t> sizes;
  ScalarType                type = ScalarType::UInt8;
  bool                      isBig = false;
  /** Nothing: the voxels are the end of the file. */
  std::optional<std::uint64_t> skip = 0;

  std::uint64_t
  Bytes() const
  {
    std::uint64_t bytes = SizeOf(type);
    for (const std::int64_t size : sizes)
    {
      bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
  }

  std::string
  ToText() const
  {
    std::string text;
    for (const std::int64_t size : sizes)
    {
      text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text + ":" + NameOf(type) + (isBig && SizeOf(type) > 1 ? ":big" : "") +
           (!skip       ? ":skip=auto"
            : *skip > 0 ? ":skip=" + std::to_string(*skip)
                        : "");
  }
};

std::vector<std::string>
Split(const std::string & text, const char * separators)
{
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename T>
std::optional<T>
ParsedAs(const std::string & text)
{
  T          value = {};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/** A type by our name ("uint16"), NumPy's ("u2") or one of C and NRRD ("unsigned short"). */
std::optional<ScalarType>
RawType(const std::string & name)
{
  for (int number = 0; number <= static_cast<int>(ScalarType::Float64); ++number)
  {
    const auto        type = static_cast<ScalarType>(number);
    const std::string own = NameOf(type);
    if (name == own || name == own.substr(0, 1) + std::to_string(SizeOf(type)))
    {
      return type;
    }
  }
  return NrrdType(name);
}

/** The sizes of "1024x1024x800"; empty for other texts, and for images that no memory holds. */
std::vector<std::int64_t>
RawSizes(const std::string & text)
{
  std::vector<std::int64_t> sizes;
  double                    bytes = 8;
  for (const std::string & part : Split(text, "xX"))
  {
    sizes.push_back(ParsedAs<std::int64_t>(part).value_or(0));
    bytes *= static_cast<double>(sizes.back());
    if (sizes.back() < 1 || bytes > 4e18)
    {
      return {};
    }
  }
  return sizes;
}

RawLayout
ParseRaw(const std::string & text)
{
  const std::vector<std::string> parts = Split(text, ":");
  RawLayout                      layout;
  layout.sizes = RawSizes(parts[0]);
  bool isGood = !layout.sizes.empty() && layout.sizes.size() <= MaximumDimension && parts.size() > 1;
  for (std::size_t i = 2; i < parts.size() && isGood; ++i)
  {
    const bool isSkip = parts[i].rfind("skip=", 0) == 0;
    layout.isBig = layout.isBig || parts[i] == "big";
    layout.skip = isSkip ? ParsedAs<std::uint64_t>(parts[i].substr(5)) : layout.skip;
    isGood = isSkip ? layout.skip || parts[i] == "skip=auto" : parts[i] == "big" || parts[i] == "little";
  }
  if (!isGood)
  {
    throw InvalidArgument(Quoted(text) +
                          " must be a size and a type, such as 1024x1024x800:uint16, perhaps with :big and :skip=512 "
                          "(bytes before the voxels, or auto)");
  }
  const auto type = RawType(parts[1]);
  if (!type)
  {
    throw InvalidArgument("the voxel type " + Quoted(parts[1]) +
                          " is unknown; use uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32 or "
                          "float64");
  }
  layout.type = *type;
  return layout;
}

/** The nearest layout that fits a file of this length: of another type, with another number of slices, or with a header
 *  of fewer bytes than a slice or 4096. Nothing if there is none. */
std::optional<RawLayout>
Fitting(RawLayout layout, std::uint64_t length)
{
  const std::uint64_t skip = layout.skip.value_or(0);
  const std::uint64_t rest = length - std::min(length, skip);
  for (const ScalarType type :
       { layout.type, ScalarType::UInt8, ScalarType::UInt16, ScalarType::Float32, ScalarType::Float64 })
  {
    RawLayout other = layout;
    other.type = type;
    if (other.Bytes() == rest)
    {
      return other;
    }
  }
  layout.sizes.resize(std::max<std::size_t>(layout.sizes.size(), 3), 1);
  const std::uint64_t slice = layout.Bytes() / static_cast<std::uint64_t>(layout.sizes.back());
  if (rest > 0 && rest % slice == 0)
  {
    layout.sizes.back() = static_cast<std::int64_t>(rest / slice);
    return layout;
  }
  const std::uint64_t bytes = layout.Bytes();
  layout.skip = length - std::min(length, bytes);
  return length > bytes && *layout.skip < std::max<std::uint64_t>(slice, 4096) ? std::optional(layout) : std::nullopt;
}

/** The layout that a file's length and name suggest, as options: "--raw 64x64x64:uint16 --spacing 0.1 0.1 0.1". */
std::string
Proposal(const FileBytes & file, int dimension)
{
  RawLayout                 layout;
  std::optional<ScalarType> type;
  double                    spacing = 0;
  for (const std::string & word : Split(std::filesystem::path(file.Path()).stem().string(), "_- ,()[]"))
  {
    const std::size_t unit = std::min(word.find_first_not_of("0123456789.eE"), word.size());
    const double      length = ParsedAs<double>(word.substr(0, unit)).value_or(0) * Millimeters(word.substr(unit));
    const auto        sizes = RawSizes(word);
    layout.sizes = sizes.size() == 2 || sizes.size() == 3 ? sizes : layout.sizes;
    layout.isBig = layout.isBig || word == "big" || word == "be" || word == "BE";
    type = type ? type : RawType(LowerCase(word));
    spacing = length > 0 ? length : spacing;
  }
  const std::uint64_t length = file.Size();
  for (const std::uint64_t size : { 2, 1, 4 })
  {
    const auto count = static_cast<double>(length) / static_cast<double>(size);
    const auto edge = std::llround(std::pow(count, 1.0 / dimension));
    if (layout.sizes.empty() && edge > 1 && std::pow(static_cast<double>(edge), dimension) == count)
    {
      layout.sizes.assign(static_cast<std::size_t>(dimension), edge);
    }
  }
  for (const ScalarType each : { ScalarType::UInt16, ScalarType::Float32, ScalarType::Float64 })
  {
    RawLayout larger = layout;
    larger.type = each;
    layout.type = larger.Bytes() <= length ? each : layout.type;
  }
  layout.type = type.value_or(layout.type);
  const auto fitting = layout.sizes.empty() ? std::nullopt : Fitting(layout, length);
  if (!fitting)
  {
    layout.type = type.value_or(length % 2 == 0 ? ScalarType::UInt16 : ScalarType::UInt8);
    return (dimension == 2 ? "--raw XxY:" : "--raw XxYxZ:") + std::string(NameOf(layout.type)) +
           (dimension == 2 ? ", where X * Y is " : ", where X * Y * Z is ") +
           std::to_string(length / SizeOf(layout.type));
  }
  std::string text = "--raw " + fitting->ToText();
  for (std::size_t axis = 0; axis < fitting->sizes.size() && spacing > 0; ++axis)
  {
    text += (axis == 0 ? " --spacing " : " ") + Shortest(spacing);
  }
  return text;
}

} // namespace

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
  const std::size_t   bytes = VoxelBytes(image.extent, 1, image.type);
  const std::uint64_t length = file.Size();
  if (layout.skip ? *layout.skip > length || length - *layout.skip != bytes : length < bytes)
  {
    const auto fitting = Fitting(layout, length);
    throw Error("--raw " + layout.ToText() + " needs " + std::to_string(bytes + layout.skip.value_or(0)) +
                " bytes, but the file has " + std::to_string(length) +
                (fitting ? "; --raw " + fitting->ToText() + " would fit" : ""));
  }
  if (const std::string header = HeaderNextTo(file.Path()); !header.empty())
  {
    image.notes.push_back("--raw is used instead of the header " + Quoted(header) + " next to it");
  }
  TellHeader(options, image);
  TakeStored(file, length - bytes, layout.isBig != HostIsBigEndian, options.Context(), image);
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
  return named != nullptr ? std::string("this is not a ") + named->name + " file: damaged, or another format"
                          : "its format is not supported; these are: " + ReadableFormats() +
                              "; raw voxels are read with " + Proposal(file, dimension);
}

} // namespace brickccl::files

void
brickccl::CheckRaw(const std::string & text)
{
  files::ParseRaw(text);
}
