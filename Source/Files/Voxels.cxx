// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Voxels.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Deflate.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <limits>

namespace brickccl::files
{

constexpr std::int64_t PieceBytes = std::int64_t{ 1 } << 20;

static bool
IsSeparator(char letter)
{
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t' || letter == ',';
}

template <typename T>
static T
ValueOfText(const char * begin, const char * end)
{
  const char * const digits = begin + (*begin == '+' ? 1 : 0);
  T                  value = {};
  const auto         result = std::from_chars(digits, end, value);
  if (result.ec != std::errc() || result.ptr != end)
  {
    throw Error(Quoted(std::string(begin, std::min<std::ptrdiff_t>(end - begin, 40))) +
                " among its voxels is not a number that the type " + NameOf(ScalarTypeOf<T>()) + " holds");
  }
  return value;
}

/** \throws Error unless the voxels of an image of this extent divide evenly among `count` files. Each file holds one or
 *  several whole entries of the slowest axes. */
static void
CheckFileCount(std::size_t count, const Extent & extent)
{
  const auto   files = static_cast<std::int64_t>(count);
  bool         fits = files == 1 || (extent.dimension > 1 && extent.size[extent.dimension - 1] % files == 0);
  std::int64_t entries = 1;
  for (int axis = extent.dimension - 1; axis > 0; --axis)
  {
    entries *= extent.size[axis];
    fits = fits || entries == files;
  }
  ThrowIf(!fits,
          "it names " + std::to_string(count) + " data files for " + extent.ToString() +
            " voxels, which cannot be divided evenly");
}

/** Reads `count` values of a type from text: numbers with white space or commas between them. \throws Error if there
 *  are fewer or more, for words that are not numbers, and for numbers that the type does not hold. */
static void
ReadText(const char *     begin,
         const char *     end,
         ScalarType       type,
         std::size_t      count,
         const Progress & progress,
         void *           output)
{
  VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto * const values = static_cast<T *>(output);
    const char * place = begin;
    // Zero bytes may fill up the end of a file; among numbers they are damage.
    while (end != begin && end[-1] == '\0')
    {
      --end;
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      if (i % (std::size_t{ 1 } << 16) == 0)
      {
        progress.Update(static_cast<double>(i) / static_cast<double>(count));
      }
      place = std::find_if_not(place, end, IsSeparator);
      const char * const last = std::find_if(place, end, IsSeparator);
      if (place == last)
      {
        throw Error("the file is truncated: it has " + std::to_string(i) + " numbers of " + std::to_string(count));
      }
      values[i] = ValueOfText<T>(place, last);
      place = last;
    }
    ThrowIf(std::find_if_not(place, end, IsSeparator) != end,
            "it has more numbers than the " + std::to_string(count) + " of its voxels");
  });
}

/** Reads bytes of two digits each, with any white space between digits. */
static void
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
  ThrowIf(digits < 2 * bytes,
          "the file is truncated: it has " + std::to_string(digits) + " hexadecimal digits of " +
            std::to_string(2 * bytes));
}

static void
InflateAll(const CompressedVoxels & from, std::size_t bytes, const Progress & progress, std::byte * output)
{
  const auto stream = InflatedVoxels(from, bytes, 1, {});
  for (std::size_t done = 0; done < bytes; done += PieceBytes)
  {
    progress.Update(static_cast<double>(done) / static_cast<double>(bytes));
    stream->Read(done, output + done, std::min<std::size_t>(PieceBytes, bytes - done));
  }
}

void
TakeStored(const FileBytes & file, std::uint64_t begin, bool swapped, const HostContext & context, LoadedImage & image)
{
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  file.Require(begin, bytes);
  const std::size_t           size = SizeOf(image.type);
  const unsigned char * const voxels = file.Data() + begin;
  if ((!swapped || size == 1) && reinterpret_cast<std::uintptr_t>(voxels) % size == 0)
  {
    image.voxels.Share(file.Owner(), voxels, bytes);
    return;
  }
  if (image.inParts)
  {
    image.stream = StoredVoxels(file, begin, swapped ? size : 1, context);
    return;
  }
  std::byte * const copy = image.voxels.Resize(bytes);
  CopyStored(file, begin, bytes, copy, context);
  if (swapped)
  {
    SwapBytes(copy, size, bytes / size, context);
  }
}

void
TakeRest(const FileBytes &   file,
         std::uint64_t       begin,
         bool                isBigEndian,
         const ReadOptions & options,
         LoadedImage &       image)
{
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  image.inParts = options.inParts;
  file.Require(begin, bytes);
  CheckBytesBeyond(file.Size() - begin - bytes, 1, image);
  TellHeader(options, image);
  TakeStored(file, begin, isBigEndian != HostIsBigEndian, options.Context(), image);
}

void
RequireRoom(std::uint64_t fileBytes, double perByte, double bytes, const Extent & extent)
{
  ThrowIf(bytes / perByte > static_cast<double>(fileBytes),
          "the file is truncated, or its header is damaged: " + Counted(fileBytes, "byte") + " cannot hold " +
            extent.ToString() + " voxels");
}

void
CopyStored(const FileBytes &   file,
           std::uint64_t       begin,
           std::uint64_t       count,
           std::byte *         output,
           const HostContext & context)
{
  file.Require(begin, count);
  const Chunks chunks(static_cast<std::int64_t>(count), PieceBytes, 4096);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const auto first = static_cast<std::size_t>(chunks.Begin(chunk));
    const auto last = static_cast<std::size_t>(chunks.End(chunk));
    std::memcpy(output + first, file.Data() + begin + first, last - first);
  });
}

bool
IsGzipped(const FileBytes & file)
{
  return file.BeginsWith("\x1f\x8b", 2);
}

std::vector<unsigned char>
FirstBytes(const FileBytes & file, std::size_t count)
{
  std::vector<unsigned char> bytes(count);
  if (IsGzipped(file))
  {
    Inflater inflater(file.Data(), file.Size(), Wrapper::Gzip, file.QuotedName());
    bytes.resize(inflater.ReadSome(bytes.data(), count));
  }
  else
  {
    bytes.resize(std::min(count, file.Size()));
    std::copy(file.Data(), file.Data() + bytes.size(), bytes.begin());
  }
  return bytes;
}

void
CheckBytesBeyond(std::uint64_t beyond, std::size_t fileCount, LoadedImage & image)
{
  const std::string text = (beyond == 1 ? " comes " : " come ") + Counted(beyond, "byte");
  ThrowIf(beyond > 0 && fileCount > 1,
          "after the voxels of one of its " + std::to_string(fileCount) + " data files" + text +
            " that its header does not mention: they are the wrong files");
  NoteIf(beyond > 0, "after the voxels" + text + " that its header does not mention", image.notes);
}

void
ReadDataFiles(const DataLayout & layout, const HostContext & context, LoadedImage & image)
{
  const std::size_t size = SizeOf(image.type);
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  const std::size_t fileCount = layout.parts.size();
  const std::size_t perByte = layout.encoding == Encoding::Compressed ? MaximumInflatedSize(1) : size;
  const auto        checkRoom = [&](std::uint64_t present) {
    RequireRoom(present, static_cast<double>(perByte), static_cast<double>(bytes), image.extent);
  };
  CheckFileCount(fileCount, image.extent);
  const std::size_t bytesOfFile = bytes / fileCount;
  std::uint64_t     present = 0;
  for (const CompressedVoxels & part : layout.parts)
  {
    image.files.push_back(part.file.Path());
    present += part.file.Size();
  }
  const auto beginOf = [&](const CompressedVoxels & part) {
    part.file.Require(part.begin, bytesOfFile);
    return layout.areLast ? part.file.Size() - bytesOfFile : part.begin;
  };
  if (fileCount == 1 && layout.encoding == Encoding::Raw)
  {
    const FileBytes &   file = layout.parts[0].file;
    const std::uint64_t begin = beginOf(layout.parts[0]);
    TakeStored(file, begin, layout.swapped, context, image);
    CheckBytesBeyond(file.Size() - begin - bytes, 1, image);
    return;
  }
  if (fileCount == 1 && layout.encoding == Encoding::Compressed && image.inParts)
  {
    checkRoom(present);
    image.stream = InflatedVoxels(layout.parts[0], bytes, layout.swapped ? size : 1, context);
    return;
  }
  ThrowIf<Unsupported>(
    image.inParts,
    "voxels as they are in this file (as text, or in several files) are not read in parts; save it as "
    "NRRD, NIfTI or MetaImage (gzip or uncompressed), or as TIFF slices, or read it whole, without "
    "--memory");
  checkRoom(present);
  std::byte * const output = image.voxels.Resize(bytes);
  for (std::size_t i = 0; i < fileCount; ++i)
  {
    const FileBytes &   file = layout.parts[i].file;
    const std::uint64_t begin = layout.parts[i].begin;
    const auto         share = [&](std::size_t of) { return static_cast<double>(of) / static_cast<double>(fileCount); };
    const HostContext  own = context.Part(share(i), share(i + 1));
    std::byte * const  part = output + i * bytesOfFile;
    const char * const text = reinterpret_cast<const char *>(file.Data());
    switch (layout.encoding)
    {
    case Encoding::Raw:
      CopyStored(file, beginOf(layout.parts[i]), bytesOfFile, part, own);
      CheckBytesBeyond(file.Size() - beginOf(layout.parts[i]) - bytesOfFile, fileCount, image);
      break;
    case Encoding::Text:
      ReadText(text + begin, text + file.Size(), image.type, bytesOfFile / size, own.progress, part);
      break;
    case Encoding::Hexadecimal:
      ReadHexadecimal(file, begin, bytesOfFile, part);
      break;
    case Encoding::Compressed:
      InflateAll(layout.parts[i], bytesOfFile, own.progress, part);
      break;
    }
  }
  if (layout.swapped)
  {
    SwapBytes(output, size, bytes / size, context);
  }
}

std::uint64_t
WriteVoxels(OutputFile &                       file,
            const ImageToWrite &               image,
            std::optional<Wrapper>             wrapper,
            const HostContext &                context,
            const std::vector<unsigned char> & first)
{
  const std::int64_t rowCount = image.extent.RowCount();
  const std::size_t  rowBytes = static_cast<std::size_t>(image.extent.RowLength()) * SizeOf(image.type);
  const std::int64_t rowsOfPiece = std::max<std::int64_t>(1, PieceBytes / static_cast<std::int64_t>(rowBytes));
  const std::int64_t pieceRows = std::min(rowCount, rowsOfPiece);
  const auto         bytes = static_cast<std::uint64_t>(rowCount) * rowBytes;
  if (wrapper)
  {
    return Deflate(
      *wrapper,
      bytes,
      static_cast<std::uint64_t>(pieceRows) * rowBytes,
      [&](std::uint64_t begin, std::uint64_t end, unsigned char * output) {
        image.rows(static_cast<std::int64_t>(begin / rowBytes), static_cast<std::int64_t>(end / rowBytes), output);
      },
      [&](const unsigned char * packed, std::size_t size) { file.Write(packed, size); },
      context,
      first);
  }
  file.Write(first.data(), first.size());
  const std::uint64_t begin = file.Size();
  const Chunks        chunks(rowCount, pieceRows, std::numeric_limits<std::int64_t>::max());
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    static thread_local std::vector<unsigned char> rows;
    const std::int64_t                             row = chunks.Begin(chunk);
    const std::int64_t                             end = chunks.End(chunk);
    rows.resize(static_cast<std::size_t>(end - row) * rowBytes);
    image.rows(row, end, rows.data());
    file.WriteAt(begin + static_cast<std::uint64_t>(row) * rowBytes, rows.data(), rows.size());
  });
  file.Grow(bytes);
  return bytes;
}

void
WriteCompressed(OutputFile & file, const std::vector<unsigned char> & bytes, Wrapper wrapper)
{
  Deflate(
    wrapper,
    0,
    1,
    {},
    [&](const unsigned char * packed, std::size_t size) { file.Write(packed, size); },
    {},
    bytes);
}

} // namespace brickccl::files
