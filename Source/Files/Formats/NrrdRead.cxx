// SPDX-License-Identifier: Apache-2.0
// NRRD, https://teem.sourceforge.net/nrrd/format.html: versions 1 to 5, attached and detached data.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

namespace brickccl::files
{

namespace
{

enum class Role
{
  Space,
  Channels,
  /** Anything else: a list, the time, a stub. */
  Other
};

struct Axes
{
  std::vector<std::int64_t> sizes;
  std::vector<Role>         roles;
  std::vector<std::string>  kinds;
};

/** The meaning of an axis of this kind. \throws Unsupported for kinds that are not read. */
Role
RoleOf(const std::string & kind)
{
  // https://teem.sourceforge.net/nrrd/format.html#kinds
  constexpr std::pair<Role, const char *> roles[] = {
    { Role::Space, "|domain|space|none|???|" },
    { Role::Other, "|list|time|stub|point|" },
    { Role::Channels,
      "|vector|covariant-vector|normal|scalar|2-vector|3-vector|4-vector|3-gradient|3-normal|quaternion|3-color|"
      "rgb-color|hsv-color|xyz-color|4-color|rgba-color|2d-symmetric-matrix|2d-masked-symmetric-matrix|2d-matrix|"
      "2d-masked-matrix|3d-symmetric-matrix|3d-masked-symmetric-matrix|3d-matrix|3d-masked-matrix|" }
  };
  for (const auto & [role, kinds] : roles)
  {
    if (std::string(kinds).find("|" + kind + "|") != std::string::npos)
    {
      return role;
    }
  }
  throw Unsupported("its axes have the kind " + Quoted(kind) +
                    ", which is not supported; domain, vector and list are some " +
                    "that are; give the magnitude of complex voxels");
}

Axes
AxesOf(const NrrdHeader & header)
{
  Axes       axes;
  const auto dimension = WholeNumber(header.Get("dimension"), "dimension");
  ThrowIf(dimension < 1 || dimension > 16, "its dimension is " + std::to_string(dimension) + "; 1 to 16 are possible");
  axes.sizes = WholeNumbers(header.Get("sizes"), "sizes");
  const auto count = static_cast<std::size_t>(dimension);
  ThrowIf(axes.sizes.size() != count,
          "its dimension is " + std::to_string(dimension) + " but it has " + std::to_string(axes.sizes.size()) +
            " sizes");
  axes.kinds.assign(count, "domain");
  if (const std::string * const kinds = header.Find("kinds"))
  {
    axes.kinds = Words(LowerCase(*kinds));
  }
  ThrowIf(axes.kinds.size() != count,
          "it has " + Counted(axes.kinds.size(), "kind") + " for " + std::to_string(count) + " axes");
  std::transform(axes.kinds.begin(), axes.kinds.end(), std::back_inserter(axes.roles), RoleOf);
  return axes;
}

/** Whether a text is red, green and blue, 0 to 1. */
bool
IsColor(const std::string & text)
{
  try
  {
    const auto channels = RealNumbers(text, "Color");
    const auto isShare = [](double channel) { return channel >= 0 && channel <= 1; };
    return channels.size() == 3 && std::all_of(channels.begin(), channels.end(), isShare);
  }
  catch (const Error &)
  {
    return false;
  }
}

/** The segments that 3D Slicer lists in a header: "Segment3_Name:=liver". */
Segmentation
SegmentsIn(const NrrdHeader & header, int layers, std::vector<std::string> & notes)
{
  Segmentation                   found;
  std::map<std::string, Segment> byNumber;
  for (const auto & [key, value] : header.pairs)
  {
    constexpr std::size_t digits = 7;
    const std::size_t     end = key.find_first_not_of("0123456789", digits);
    if (end == digits || end == std::string::npos || key[end] != '_')
    {
      found.fields.emplace_back(key, value);
      continue;
    }
    const std::string number = key.substr(digits, end - digits);
    const std::string field = key.substr(end + 1);
    Segment &         segment = byNumber[std::string(20 - std::min<std::size_t>(20, number.size()), '0') + number];
    if (field == "LabelValue" || field == "Layer")
    {
      std::uint64_t & place = field == "Layer" ? segment.layer : segment.label;
      const auto      read = std::from_chars(value.data(), value.data() + value.size(), place);
      place = read.ec == std::errc() ? place : 0;
    }
    else if (field == "Color" && !IsColor(value))
    {
      notes.push_back("the color " + Quoted(value.substr(0, 60)) +
                      " of a segment is not 3 numbers from 0 to 1 and is ignored");
    }
    else if (field != "Extent")
    {
      segment.fields.emplace_back(field, value);
    }
  }
  const bool hasValues =
    std::any_of(byNumber.begin(), byNumber.end(), [](const auto & each) { return each.second.label != 0; });
  for (auto & [number, segment] : byNumber)
  {
    // Slicer 4 wrote no values, but a layer for each segment.
    if (!hasValues && static_cast<int>(byNumber.size()) == layers)
    {
      segment.label = 1;
      segment.layer = found.segments.size();
    }
    if (segment.label != 0)
    {
      found.segments.push_back(std::move(segment));
    }
  }
  return found;
}

/** The files of detached data. If data are attached, it is the file itself. */
std::vector<FileBytes>
DataFilesOf(const FileBytes & file, const NrrdHeader & header)
{
  const std::string * const field = header.Find("data file");
  if (field == nullptr)
  {
    return { file };
  }
  const auto words = Words(*field);
  const bool isList = !words.empty() && words[0] == "LIST";
  const auto names = isList ? header.dataFiles : DataFileNames(file.Path(), *field, "data file", 4);
  ThrowIf(names.empty() || names[0].empty(), "its field 'data file' does not name a file");
  return MapDataFiles(file.Path(), names);
}

/** The place of the data behind `lines` lines. */
std::uint64_t
AfterLines(const FileBytes & file, std::uint64_t begin, std::int64_t lines)
{
  const auto * place = file.Data() + begin;
  const auto * end = file.Data() + file.Size();
  for (std::int64_t line = 0; line < lines; ++line)
  {
    place = std::find(place, end, '\n');
    ThrowIf(place == end,
            "the file is truncated: there are fewer lines than the 'line skip' of " + std::to_string(lines));
    ++place;
  }
  return static_cast<std::uint64_t>(place - file.Data());
}

Encoding
EncodingOf(const NrrdHeader & header)
{
  const std::string name = LowerCase(header.Get("encoding"));
  for (const auto & [known, encoding] : { std::pair{ "raw", Encoding::Raw },
                                          std::pair{ "txt", Encoding::Text },
                                          std::pair{ "text", Encoding::Text },
                                          std::pair{ "ascii", Encoding::Text },
                                          std::pair{ "hex", Encoding::Hexadecimal },
                                          std::pair{ "gzip", Encoding::Compressed },
                                          std::pair{ "gz", Encoding::Compressed } })
  {
    if (name == known)
    {
      return encoding;
    }
  }
  throw Unsupported("its encoding is " + Quoted(name) + "; raw, gzip, text and hex are read: save it with gzip");
}

/** Reads the voxels of an image whose type, channels and extent are known. */
void
ReadVoxels(const FileBytes & file, const NrrdHeader & header, const ReadOptions & options, LoadedImage & image)
{
  DataLayout layout{ EncodingOf(header) };
  const auto number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  const std::int64_t lineSkip = number("line skip");
  const std::int64_t byteSkip = number("byte skip");
  layout.areLast = byteSkip == -1;
  ThrowIf(lineSkip < 0 || byteSkip < -1 || (layout.areLast && layout.encoding != Encoding::Raw),
          "its 'line skip' is " + std::to_string(lineSkip) + " and its 'byte skip' " + std::to_string(byteSkip) +
            "; they must be at least 0 (or a 'byte skip' of -1 with the encoding raw)");
  if (SizeOf(image.type) > 1 && layout.encoding != Encoding::Text)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    ThrowIf(endian != "little" && endian != "big", "its endian is " + Quoted(endian) + "; use little or big");
    layout.swapped = (endian == "big") != HostIsBigEndian;
  }
  const bool isAttached = header.Find("data file") == nullptr;
  ThrowIf(isAttached && !header.endsWithBlankLine, "the file is truncated: its header does not end");
  for (const FileBytes & data : DataFilesOf(file, header))
  {
    const std::uint64_t begin = AfterLines(data, isAttached ? header.end : 0, lineSkip);
    const auto          skip = static_cast<std::uint64_t>(std::max<std::int64_t>(byteSkip, 0));
    const bool          isCompressed = layout.encoding == Encoding::Compressed;
    data.Require(begin, isCompressed ? 0 : skip);
    layout.parts.push_back(
      { data, begin + (isCompressed ? 0 : skip), isCompressed ? skip : 0, Wrapper::Gzip, data.QuotedName() });
  }
  ReadDataFiles(layout, options.Context(), image);
}

/** The names of each type. The first one is written. */
constexpr std::pair<ScalarType, const char *> NrrdTypes[] = {
  { ScalarType::Int8, "|signed char|int8|int8_t|" },
  { ScalarType::UInt8, "|unsigned char|uchar|uint8|uint8_t|" },
  { ScalarType::Int16, "|short|short int|signed short|signed short int|int16|int16_t|" },
  { ScalarType::UInt16, "|unsigned short|ushort|unsigned short int|uint16|uint16_t|" },
  { ScalarType::Int32, "|int|signed int|int32|int32_t|" },
  { ScalarType::UInt32, "|unsigned int|uint|uint32|uint32_t|" },
  { ScalarType::Int64, "|long long int|longlong|long long|signed long long|signed long long int|int64|int64_t|" },
  { ScalarType::UInt64, "|unsigned long long int|ulonglong|unsigned long long|uint64|uint64_t|" },
  { ScalarType::Float32, "|float|" },
  { ScalarType::Float64, "|double|" }
};

} // namespace

std::optional<ScalarType>
NrrdType(const std::string & name)
{
  for (const auto & [type, names] : NrrdTypes)
  {
    if (std::string(names).find("|" + LowerCase(name) + "|") != std::string::npos)
    {
      return type;
    }
  }
  return std::nullopt;
}

std::string
NrrdNameOf(ScalarType type)
{
  const auto * const found =
    std::find_if(std::begin(NrrdTypes), std::end(NrrdTypes), [&](const auto & each) { return each.first == type; });
  const std::string names = found->second;
  return names.substr(1, names.find('|', 1) - 1);
}

bool
IsNrrd(const FileBytes & file)
{
  return file.BeginsWith("NRRD", 4);
}

LoadedImage
ReadNrrd(const FileBytes & file, const ReadOptions & options)
{
  const NrrdHeader header = ParseNrrdHeader(file);
  LoadedImage      image;
  image.inParts = options.inParts;
  const auto type = NrrdType(header.Get("type"));
  ThrowIf<Unsupported>(!type,
                       "its voxels are of type " + Quoted(header.Get("type")) +
                         "; integers of 8 to 64 bits, float and double are read");
  image.type = *type;
  Axes axes = AxesOf(header);
  if (const std::string * const text = header.Find("space directions"))
  {
    const auto vectors = NrrdVectors(*text, "space directions");
    ThrowIf(vectors.size() != axes.sizes.size(),
            "it has " + std::to_string(vectors.size()) + " space directions for " + std::to_string(axes.sizes.size()) +
              " axes");
    for (std::size_t axis = 0; axis < vectors.size(); ++axis)
    {
      axes.roles[axis] = !vectors[axis].empty()          ? Role::Space
                       : axes.roles[axis] == Role::Space ? Role::Other
                                                         : axes.roles[axis];
    }
  }
  // The fastest axis holds channels if it is not spatial.
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t>  places;
  std::size_t               beyond = 0;
  for (std::size_t axis = 0; axis < axes.sizes.size(); ++axis)
  {
    const auto size = axes.sizes[axis];
    if (axes.roles[axis] == Role::Space)
    {
      if (beyond > 0)
      {
        throw Unsupported("its axis " + std::to_string(axis) + " follows one that is not spatial (kind " +
                          axes.kinds[axis - 1] + "); such axes are read where they come first or last");
      }
      sizes.push_back(size);
      places.push_back(axis);
    }
    else if (axis == 0)
    {
      ThrowIf<Unsupported>(axes.kinds[axis] == "rgba-color",
                           "its colors have alpha (kind rgba-color); save them without");
      ThrowIf(size < 1 || size > 1000000, "it has " + std::to_string(size) + " channels; there must be at least 1");
      image.channels = static_cast<int>(size);
    }
    else if (axes.roles[axis] == Role::Channels)
    {
      throw Unsupported("its axis " + std::to_string(axis + 1) + " (kind " + axes.kinds[axis] +
                        ") holds channels; they are read where their axis is the first one");
    }
    else
    {
      sizes.push_back(size);
      ++beyond;
      NoteIf(size > 1,
             "its axis " + std::to_string(axis + 1) + " (kind " + axes.kinds[axis] +
               ") is not spatial but is labeled as one; --by-slice labels its entries separately",
             image.notes);
    }
  }
  image.extent = SettleExtent(sizes);
  image.segmentation = SegmentsIn(header, image.channels, image.notes);
  NoteIf(image.channels > 1 && !header.pairs.empty(),
         "its segments overlap and are stored in " + std::to_string(image.channels) +
           " layers, which are read as channels; `brickccl stats` measures each, `brickccl merge` makes one label map",
         image.notes);
  places.resize(std::min(places.size(), static_cast<std::size_t>(image.extent.dimension)));
  SetNrrdGeometry(header, places, axes.sizes.size(), options, image);
  TellHeader(options, image);
  ReadVoxels(file, header, options, image);
  return image;
}

} // namespace brickccl::files
