// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <utility>

namespace brickccl::files
{

namespace
{

bool
IsCompressed(const NrrdHeader & header)
{
  const std::string name = LowerCase(header.Get("encoding"));
  const bool        isCompressed = name == "gzip" || name == "gz";
  if (!isCompressed && name != "raw")
  {
    throw Unsupported("its encoding is " + Quoted(name) + "; raw and gzip are read: save it with gzip");
  }
  return isCompressed;
}

} // namespace

void
ReadNrrdData(const FileBytes & file, const NrrdHeader & header, const ReadOptions & options, LoadedImage & image)
{
  const std::string * const dataFile = header.Find("data file");
  const auto                number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  DataLayout         layout;
  const std::int64_t byteSkip = number("byte skip");
  layout.isCompressed = IsCompressed(header);
  layout.areLast = byteSkip == -1;
  if (byteSkip < -1 || (layout.areLast && layout.isCompressed))
  {
    throw Error("its 'byte skip' is " + std::to_string(byteSkip) +
                "; it must be at least 0 (or -1 with the encoding raw)");
  }
  if (number("line skip") != 0)
  {
    throw Unsupported("it has a 'line skip', which is not supported; give the bytes of these lines as 'byte skip'");
  }
  if (SizeOf(image.type) > 1)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      throw Error("its endian is " + Quoted(endian) + "; use little or big");
    }
    layout.swapped = (endian == "big") != HostIsBigEndian;
  }
  if (dataFile == nullptr && !header.endsWithBlankLine)
  {
    throw Error("the file is truncated: its header does not end");
  }
  if (dataFile != nullptr && dataFile->empty())
  {
    throw Error("its field 'data file' does not name a file");
  }
  const FileBytes     data = dataFile == nullptr ? file : MapDataFile(file.Path(), *dataFile);
  const std::uint64_t begin = dataFile == nullptr ? header.end : 0;
  const auto          skip = static_cast<std::uint64_t>(std::max<std::int64_t>(byteSkip, 0));
  data.Require(begin, layout.isCompressed ? 0 : skip);
  layout.from = { data,
                  begin + (layout.isCompressed ? 0 : skip),
                  layout.isCompressed ? skip : 0,
                  Wrapper::Gzip,
                  data.QuotedName() };
  ReadDataFile(layout, options.Context(), image);
}

} // namespace brickccl::files
