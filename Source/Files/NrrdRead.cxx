// NRRD, https://teem.sourceforge.net/nrrd/format.html: versions 1 to 5, attached and detached data.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Bzip2.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/NrrdHeader.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <cctype>
#include <map>
#include <optional>

namespace brickccl::files
{

namespace
{

ScalarType
TypeOf(const std::string & field)
{
  static const std::map<std::string, ScalarType> types = {
    { "signed char", ScalarType::Int8 },
    { "int8", ScalarType::Int8 },
    { "int8_t", ScalarType::Int8 },
    { "uchar", ScalarType::UInt8 },
    { "unsigned char", ScalarType::UInt8 },
    { "uint8", ScalarType::UInt8 },
    { "uint8_t", ScalarType::UInt8 },
    { "short", ScalarType::Int16 },
    { "short int", ScalarType::Int16 },
    { "signed short", ScalarType::Int16 },
    { "signed short int", ScalarType::Int16 },
    { "int16", ScalarType::Int16 },
    { "int16_t", ScalarType::Int16 },
    { "ushort", ScalarType::UInt16 },
    { "unsigned short", ScalarType::UInt16 },
    { "unsigned short int", ScalarType::UInt16 },
    { "uint16", ScalarType::UInt16 },
    { "uint16_t", ScalarType::UInt16 },
    { "int", ScalarType::Int32 },
    { "signed int", ScalarType::Int32 },
    { "int32", ScalarType::Int32 },
    { "int32_t", ScalarType::Int32 },
    { "uint", ScalarType::UInt32 },
    { "unsigned int", ScalarType::UInt32 },
    { "uint32", ScalarType::UInt32 },
    { "uint32_t", ScalarType::UInt32 },
    { "longlong", ScalarType::Int64 },
    { "long long", ScalarType::Int64 },
    { "long long int", ScalarType::Int64 },
    { "signed long long", ScalarType::Int64 },
    { "signed long long int", ScalarType::Int64 },
    { "int64", ScalarType::Int64 },
    { "int64_t", ScalarType::Int64 },
    { "ulonglong", ScalarType::UInt64 },
    { "unsigned long long", ScalarType::UInt64 },
    { "unsigned long long int", ScalarType::UInt64 },
    { "uint64", ScalarType::UInt64 },
    { "uint64_t", ScalarType::UInt64 },
    { "float", ScalarType::Float32 },
    { "double", ScalarType::Float64 },
  };
  const auto found = types.find(LowerCase(field));
  if (found == types.end())
  {
    throw Unsupported("its voxels are of type '" + field + "'; integers of 8 to 64 bits, float and double are read");
  }
  return found->second;
}

/** What an axis counts. */
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

Axes
AxesOf(const NrrdHeader & header)
{
  Axes       axes;
  const auto dimension = WholeNumber(header.Get("dimension"), "dimension");
  if (dimension < 1 || dimension > 16)
  {
    throw Error("its dimension is " + std::to_string(dimension) + "; 1 to 16 are possible");
  }
  for (const std::string & word : Words(header.Get("sizes")))
  {
    axes.sizes.push_back(WholeNumber(word, "sizes"));
  }
  const auto count = static_cast<std::size_t>(dimension);
  if (axes.sizes.size() != count)
  {
    throw Error("its dimension is " + std::to_string(dimension) + " but it has " + std::to_string(axes.sizes.size()) +
                " sizes");
  }
  axes.kinds.assign(count, "domain");
  if (const std::string * const kinds = header.Find("kinds"))
  {
    const auto words = Words(*kinds);
    for (std::size_t axis = 0; axis < std::min(count, words.size()); ++axis)
    {
      axes.kinds[axis] = LowerCase(words[axis]);
    }
  }
  for (std::size_t axis = 0; axis < count; ++axis)
  {
    const std::string & kind = axes.kinds[axis];
    if (kind == "complex")
    {
      throw Unsupported("complex voxels are not supported; give their magnitude instead");
    }
    axes.roles.push_back(kind == "domain" || kind == "space" || kind == "none" || kind == "???"  ? Role::Space
                         : kind == "list" || kind == "time" || kind == "stub" || kind == "point" ? Role::Other
                                                                                                 : Role::Channels);
  }
  return axes;
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
  std::vector<std::string> names;
  const auto               words = Words(*field);
  if (!words.empty() && words[0] == "LIST")
  {
    names = header.dataFiles;
  }
  else if (words.size() >= 4 && field->find('%') != std::string::npos &&
           !std::filesystem::exists(PathBeside(file.Path(), *field)))
  {
    const auto number = [&](std::size_t i) { return WholeNumber(words[i], "data file"); };
    names = NamesOfPattern(words[0], number(1), number(2), number(3));
  }
  else
  {
    names = { *field };
  }
  if (names.empty() || names[0].empty())
  {
    throw Error("its field 'data file' names no file");
  }
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
    if (place == end)
    {
      throw Error("the file is truncated: there are fewer lines than the 'line skip' of " + std::to_string(lines));
    }
    ++place;
  }
  return static_cast<std::uint64_t>(place - file.Data());
}

int
DigitOf(unsigned char letter)
{
  return letter >= '0' && letter <= '9' ? letter - '0'
       : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
       : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                        : -1;
}

void
ReadHexadecimal(const FileBytes & file, std::uint64_t begin, std::size_t bytes, std::byte * output)
{
  std::size_t digits = 0;
  int         high = 0;
  for (std::uint64_t place = begin; place < file.Size() && digits < 2 * bytes; ++place)
  {
    const unsigned char letter = file.Data()[place];
    if (std::isspace(letter) != 0)
    {
      continue;
    }
    const int digit = DigitOf(letter);
    if (digit < 0)
    {
      throw Error("among its hexadecimal digits is a byte of value " + std::to_string(letter));
    }
    if (digits % 2 != 0)
    {
      output[digits / 2] = static_cast<std::byte>(high * 16 + digit);
    }
    high = digit;
    ++digits;
  }
  if (digits < 2 * bytes)
  {
    throw Error("the file is truncated: it has " + std::to_string(digits) + " hexadecimal digits of " +
                std::to_string(2 * bytes));
  }
}

void
ReadData(const FileBytes & file, const NrrdHeader & header, const HostContext & context, LoadedImage & image)
{
  const std::string encoding = LowerCase(header.Get("encoding"));
  const bool        isRaw = encoding == "raw";
  const bool        isText = encoding == "txt" || encoding == "text" || encoding == "ascii";
  const bool        isGzip = encoding == "gzip" || encoding == "gz";
  const bool        isBzip2 = encoding == "bzip2" || encoding == "bz2";
  if (!isRaw && !isText && !isGzip && !isBzip2 && encoding != "hex")
  {
    throw Unsupported("its encoding is '" + encoding + "'; raw, gzip, bzip2, hex and text are read: save it as gzip");
  }
  const auto number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  const std::int64_t lineSkip = number("line skip");
  const std::int64_t byteSkip = number("byte skip");
  if (lineSkip < 0 || byteSkip < -1 || (byteSkip == -1 && !isRaw))
  {
    throw Error("its 'line skip' is " + std::to_string(lineSkip) + " and its 'byte skip' " + std::to_string(byteSkip) +
                "; they must be at least 0 (with the encoding raw, a 'byte skip' of -1 is possible)");
  }
  const std::size_t size = SizeOf(image.type);
  bool              swapped = false;
  if (size > 1 && !isText)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      throw Error("its endian is '" + endian + "'; little and big are right");
    }
    swapped = (endian == "big") != HostIsBigEndian;
  }
  const bool isAttached = header.Find("data file") == nullptr;
  if (isAttached && !header.endsWithBlankLine)
  {
    throw Error("the file is truncated: its header does not end");
  }
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  const auto        files = DataFilesOf(file, header);
  for (const FileBytes & data : files)
  {
    image.files.push_back(data.Path());
  }
  CheckFileCount(files.size(), image.extent);
  const std::size_t bytesOfFile = bytes / files.size();
  std::uint64_t     present = 0;
  for (const FileBytes & data : files)
  {
    present += data.Size();
  }
  const auto  bunzipped = std::make_shared<std::vector<unsigned char>>();
  std::byte * output = nullptr;
  if (!isBzip2 && (!isRaw || files.size() > 1))
  {
    output = MakeRoom(present, isGzip ? MostInflated(1) : size, image);
  }
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    const FileBytes & data = files[i];
    std::byte * const part = output == nullptr ? nullptr : output + i * bytesOfFile;
    std::uint64_t     begin = AfterLines(data, isAttached ? header.end : 0, lineSkip);
    const std::string name = "'" + std::filesystem::path(data.Path()).filename().string() + "'";
    if (isBzip2)
    {
      const auto skipped = static_cast<std::uint64_t>(byteSkip);
      AddBunzipped(data.Data() + begin, data.Size() - begin, name, skipped, bytesOfFile, *bunzipped);
      continue;
    }
    if (isGzip)
    {
      Inflater          inflater(data.Data() + begin, data.Size() - begin, Wrapper::Gzip, name);
      std::vector<char> skipped(std::size_t{ 1 } << 16);
      for (std::int64_t left = byteSkip; left > 0; left -= static_cast<std::int64_t>(skipped.size()))
      {
        inflater.Read(skipped.data(), std::min(skipped.size(), static_cast<std::size_t>(left)));
      }
      inflater.Read(part, bytesOfFile);
      inflater.Finish();
      continue;
    }
    if (byteSkip == -1)
    {
      data.Require(begin, bytesOfFile);
      begin = data.Size() - bytesOfFile;
    }
    else
    {
      data.Require(begin, static_cast<std::uint64_t>(byteSkip));
      begin += static_cast<std::uint64_t>(byteSkip);
    }
    if (isText)
    {
      const char * const text = reinterpret_cast<const char *>(data.Data());
      ReadText(text + begin, text + data.Size(), image.type, bytesOfFile / size, part);
    }
    else if (!isRaw)
    {
      ReadHexadecimal(data, begin, bytesOfFile, part);
    }
    else if (part == nullptr)
    {
      TakeStored(data, begin, swapped, context, image);
      swapped = false;
    }
    else
    {
      CopyStored(data, begin, bytesOfFile, part, context);
    }
    if (isRaw)
    {
      CheckBytesBeyond(data.Size() - begin - bytesOfFile, files.size(), image);
    }
  }
  if (isBzip2)
  {
    output = reinterpret_cast<std::byte *>(bunzipped->data());
    image.voxels.Share(bunzipped, output, bytes);
  }
  if (swapped)
  {
    SwapBytes(output, size, bytes / size, context);
  }
}

} // namespace

bool
IsNrrd(const FileBytes & file)
{
  return file.BeginsWith("NRRD", 4);
}

LoadedImage
ReadNrrd(const FileBytes & file, const ReadOptions & options)
{
  const NrrdHeader  header = ParseNrrdHeader(file);
  const HostContext context{ options.threads };
  LoadedImage       image;
  image.type = TypeOf(header.Get("type"));
  Axes axes = AxesOf(header);
  if (const std::string * const text = header.Find("space directions"))
  {
    const auto vectors = NrrdVectors(*text, "space directions");
    if (vectors.size() != axes.sizes.size())
    {
      throw Error("it has " + std::to_string(vectors.size()) + " space directions for " +
                  std::to_string(axes.sizes.size()) + " axes");
    }
    for (std::size_t axis = 0; axis < vectors.size(); ++axis)
    {
      axes.roles[axis] = !vectors[axis].empty()          ? Role::Space
                       : axes.roles[axis] == Role::Space ? Role::Other
                                                         : axes.roles[axis];
    }
  }
  // The fastest axis holds channels if it is no axis of space. If the axis of channels comes last, each channel is a
  // whole image, one after the other.
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t>  places;
  bool                      channelsAreLast = false;
  bool                      hasChannels = false;
  std::string               channelKind;
  std::size_t               beyond = 0;
  for (std::size_t axis = 0; axis < axes.sizes.size(); ++axis)
  {
    const bool isLast = axis + 1 == axes.sizes.size();
    const auto size = axes.sizes[axis];
    if (axes.roles[axis] == Role::Space)
    {
      if (beyond > 0)
      {
        throw Unsupported("its axis " + std::to_string(axis) + " lies behind one that is no place in space (kind " +
                          axes.kinds[axis - 1] + "); such axes are read where they come first or last");
      }
      sizes.push_back(size);
      places.push_back(axis);
    }
    else if ((axis == 0 || (isLast && axes.roles[axis] == Role::Channels)) && !hasChannels)
    {
      if (size < 1 || size > 1000000)
      {
        throw Error("it has " + std::to_string(size) + " channels; there must be at least 1");
      }
      image.channels = static_cast<int>(size);
      hasChannels = true;
      channelsAreLast = axis != 0;
      channelKind = axes.kinds[axis];
    }
    else
    {
      sizes.push_back(size);
      ++beyond;
      if (size > 1)
      {
        image.notes.push_back("its axis " + std::to_string(axis + 1) + " (kind " + axes.kinds[axis] +
                              ") is no place in space but is labeled as one; --by-slice keeps its entries apart");
      }
    }
  }
  image.extent = SettleExtent(sizes);
  places.resize(std::min(places.size(), static_cast<std::size_t>(image.extent.dimension)));
  SetNrrdGeometry(header, places, axes.sizes.size(), options, image);
  TellHeader(options, image, image.channels > 1);
  ReadData(file, header, context, image);
  if (channelsAreLast)
  {
    InterleaveChannels(image, context);
  }
  if (channelKind == "rgba-color" && image.channels == 4)
  {
    DropAlpha(image, context);
  }
  return image;
}

} // namespace brickccl::files
