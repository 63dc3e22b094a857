// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>

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
  const auto words = Words(*field);
  const bool isList = !words.empty() && words[0] == "LIST";
  const auto names = isList ? header.dataFiles : DataFileNames(file.Path(), *field, "data file", 4);
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

} // namespace

void
ReadNrrdData(const FileBytes & file, const NrrdHeader & header, const ReadOptions & options, LoadedImage & image)
{
  DataLayout layout{ EncodingOf(header) };
  const auto number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  const std::int64_t lineSkip = number("line skip");
  const std::int64_t byteSkip = number("byte skip");
  layout.areLast = byteSkip == -1;
  if (lineSkip < 0 || byteSkip < -1 || (layout.areLast && layout.encoding != Encoding::Raw))
  {
    throw Error("its 'line skip' is " + std::to_string(lineSkip) + " and its 'byte skip' " + std::to_string(byteSkip) +
                "; they must be at least 0 (or a 'byte skip' of -1 with the encoding raw)");
  }
  if (SizeOf(image.type) > 1 && layout.encoding != Encoding::Text)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      throw Error("its endian is " + Quoted(endian) + "; use little or big");
    }
    layout.swapped = (endian == "big") != HostIsBigEndian;
  }
  const bool isAttached = header.Find("data file") == nullptr;
  if (isAttached && !header.endsWithBlankLine)
  {
    throw Error("the file is truncated: its header does not end");
  }
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

} // namespace brickccl::files
