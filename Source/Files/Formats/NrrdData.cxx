// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <utility>

namespace brickccl::files
{

namespace
{

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
  const auto               number = [&](std::size_t i) { return WholeNumber(words[i], "data file"); };
  if (!words.empty() && words[0] == "LIST")
  {
    names = header.dataFiles;
  }
  else if (words.size() >= 4 && words.size() <= 5 && words[0].find('%') != std::string::npos &&
           !IsThere(PathBeside(file.Path(), *field)))
  {
    names = NamesOfPattern(words[0], number(1), number(2), number(3));
  }
  else
  {
    names = { *field };
  }
  if (names.empty() || names[0].empty())
  {
    throw Error("its field 'data file' does not name a file");
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

/** Reads bytes of two digits each, with any white space between digits. */
void
ReadHexadecimal(const FileBytes & file, std::uint64_t begin, std::size_t bytes, std::byte * output)
{
  std::size_t digits = 0;
  for (std::uint64_t place = begin; place < file.Size() && digits < 2 * bytes; ++place)
  {
    const char * const letter = reinterpret_cast<const char *>(file.Data()) + place;
    unsigned           digit = 0;
    if (std::isspace(static_cast<unsigned char>(*letter)) != 0)
    {
      continue;
    }
    if (std::from_chars(letter, letter + 1, digit, 16).ec != std::errc())
    {
      throw Error("a byte among its hexadecimal digits has the value " +
                  std::to_string(static_cast<unsigned char>(*letter)));
    }
    std::byte & value = output[digits / 2];
    value = (digits % 2 == 0 ? std::byte{ 0 } : value << 4) | static_cast<std::byte>(digit);
    ++digits;
  }
  if (digits < 2 * bytes)
  {
    throw Error("the file is truncated: it has " + std::to_string(digits) + " hexadecimal digits of " +
                std::to_string(2 * bytes));
  }
}

enum class Encoding
{
  Raw,
  Text,
  Hexadecimal,
  Gzip
};

Encoding
EncodingOf(const NrrdHeader & header)
{
  const std::string name = LowerCase(header.Get("encoding"));
  for (const auto & [known, encoding] : { std::pair{ "raw", Encoding::Raw },
                                          std::pair{ "txt", Encoding::Text },
                                          std::pair{ "text", Encoding::Text },
                                          std::pair{ "ascii", Encoding::Text },
                                          std::pair{ "hex", Encoding::Hexadecimal },
                                          std::pair{ "gzip", Encoding::Gzip },
                                          std::pair{ "gz", Encoding::Gzip } })
  {
    if (name == known)
    {
      return encoding;
    }
  }
  throw Unsupported("its encoding is " + Quoted(name) + "; raw, gzip, text and hex are read: save it with gzip");
}

/** The layout of an image's data in its files. */
struct DataLayout
{
  Encoding     encoding;
  std::int64_t lineSkip = 0;
  /** -1 means data at the end of the file. */
  std::int64_t byteSkip = 0;
  /** Whether the bytes of values come in the other order than on this machine. */
  bool swapped = false;
};

DataLayout
DataLayoutOf(const NrrdHeader & header, std::size_t size)
{
  DataLayout layout{ EncodingOf(header) };
  const auto number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  layout.lineSkip = number("line skip");
  layout.byteSkip = number("byte skip");
  if (layout.lineSkip < 0 || layout.byteSkip < -1 || (layout.byteSkip == -1 && layout.encoding != Encoding::Raw))
  {
    throw Error("its 'line skip' is " + std::to_string(layout.lineSkip) + " and its 'byte skip' " +
                std::to_string(layout.byteSkip) +
                "; they must be at least 0 (or a 'byte skip' of -1 with the encoding raw)");
  }
  if (size > 1 && layout.encoding != Encoding::Text)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      throw Error("its endian is " + Quoted(endian) + "; use little or big");
    }
    layout.swapped = (endian == "big") != HostIsBigEndian;
  }
  return layout;
}

/** Reads the data of a file that is compressed by gzip. */
void
Inflate(const FileBytes &   data,
        std::uint64_t       begin,
        std::int64_t        byteSkip,
        std::size_t         bytes,
        const HostContext & context,
        std::byte *         output)
{
  InflateAll(data.Data() + begin,
             data.Size() - begin,
             Wrapper::Gzip,
             data.QuotedName(),
             static_cast<std::uint64_t>(byteSkip),
             output,
             bytes,
             context);
}

/** Reads the `bytes` of a file that is not compressed. Without `output` it makes them the image's voxels.
 *  \return whether the image's voxels have the order of bytes of this machine already. */
bool
ReadPlain(const FileBytes &   data,
          const DataLayout &  layout,
          std::uint64_t       begin,
          std::size_t         bytes,
          std::byte *         output,
          std::size_t         fileCount,
          const HostContext & context,
          LoadedImage &       image)
{
  if (layout.byteSkip == -1)
  {
    data.Require(begin, bytes);
    begin = data.Size() - bytes;
  }
  else
  {
    data.Require(begin, static_cast<std::uint64_t>(layout.byteSkip));
    begin += static_cast<std::uint64_t>(layout.byteSkip);
  }
  if (layout.encoding == Encoding::Text)
  {
    const char * const text = reinterpret_cast<const char *>(data.Data());
    ReadText(text + begin, text + data.Size(), image.type, bytes / SizeOf(image.type), context.progress, output);
    return false;
  }
  if (layout.encoding == Encoding::Hexadecimal)
  {
    ReadHexadecimal(data, begin, bytes, output);
    return false;
  }
  if (output == nullptr)
  {
    TakeStored(data, begin, layout.swapped, context, image);
  }
  else
  {
    CopyStored(data, begin, bytes, output, context);
  }
  CheckBytesBeyond(data.Size() - begin - bytes, fileCount, image);
  return output == nullptr;
}

} // namespace

void
ReadNrrdData(const FileBytes & file, const NrrdHeader & header, const ReadOptions & options, LoadedImage & image)
{
  const HostContext context = options.Context();
  const std::size_t size = SizeOf(image.type);
  const DataLayout  layout = DataLayoutOf(header, size);
  const bool        isAttached = header.Find("data file") == nullptr;
  if (isAttached && !header.endsWithBlankLine)
  {
    throw Error("the file is truncated: its header does not end");
  }
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  const auto        files = DataFilesOf(file, header);
  std::uint64_t     present = 0;
  for (const FileBytes & data : files)
  {
    image.files.push_back(data.Path());
    present += data.Size();
  }
  CheckFileCount(files.size(), image.extent);
  const std::size_t bytesOfFile = bytes / files.size();
  const bool        isRaw = layout.encoding == Encoding::Raw;
  std::byte *       output = nullptr;
  bool              swapped = layout.swapped;
  const bool        isStream = image.inParts && layout.encoding == Encoding::Gzip && files.size() == 1;
  if (isStream)
  {
    CheckRoom(present, MaximumInflatedSize(1), image);
  }
  else if (!isRaw || files.size() > 1)
  {
    output = MakeRoom(present, layout.encoding == Encoding::Gzip ? MaximumInflatedSize(1) : size, image);
  }
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    const FileBytes &   data = files[i];
    const HostContext   own = PartOfFile(context, i, files.size());
    std::byte * const   part = output == nullptr ? nullptr : output + i * bytesOfFile;
    const std::uint64_t begin = AfterLines(data, isAttached ? header.end : 0, layout.lineSkip);
    if (isStream)
    {
      const auto skipped = static_cast<std::uint64_t>(layout.byteSkip);
      image.stream = InflatedVoxels({ data, begin, skipped, Wrapper::Gzip, data.QuotedName() },
                                    bytes,
                                    layout.swapped ? size : 1,
                                    context);
      swapped = false;
    }
    else if (layout.encoding == Encoding::Gzip)
    {
      Inflate(data, begin, layout.byteSkip, bytesOfFile, own, part);
    }
    else if (ReadPlain(data, layout, begin, bytesOfFile, part, files.size(), own, image))
    {
      swapped = false;
    }
  }
  if (swapped)
  {
    SwapBytes(output, size, bytes / size, context);
  }
}

} // namespace brickccl::files
