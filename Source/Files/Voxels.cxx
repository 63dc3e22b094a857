// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Voxels.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Deflate.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <unistd.h>

namespace brickccl::files
{

namespace
{

constexpr std::int64_t PieceBytes = std::int64_t{ 1 } << 20;

/** The number of rows that make a piece of about `bytes` bytes. */
std::int64_t
RowsOfPiece(const ImageToWrite & image, std::int64_t bytes)
{
  const auto rowBytes = image.extent.RowLength() * static_cast<std::int64_t>(SizeOf(image.type));
  return std::min(image.extent.RowCount(), std::max<std::int64_t>(1, bytes / rowBytes));
}

} // namespace

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
CheckBytesBeyond(std::uint64_t beyond, LoadedImage & image)
{
  if (beyond > 0)
  {
    image.notes.push_back("after the voxels come " + std::to_string(beyond) +
                          " bytes that its header does not mention");
  }
}

void
ReadDataFile(const DataLayout & layout, const HostContext & context, LoadedImage & image)
{
  const auto & [file, begin, skipped, wrapper, name] = layout.from;
  const std::size_t size = SizeOf(image.type);
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  image.files.push_back(file.Path());
  if (!layout.isCompressed)
  {
    file.Require(begin, bytes);
    const std::uint64_t first = layout.areLast ? file.Size() - bytes : begin;
    TakeStored(file, first, layout.swapped, context, image);
    CheckBytesBeyond(file.Size() - first - bytes, image);
    return;
  }
  if (bytes / MaximumInflatedSize(1) > file.Size())
  {
    throw Error("the file is truncated, or its header is damaged: " + std::to_string(file.Size()) +
                " bytes cannot hold the " + std::to_string(bytes) + " of " + image.extent.ToString() + " voxels");
  }
  if (image.inParts)
  {
    image.stream = InflatedVoxels(layout.from, bytes, layout.swapped ? size : 1, context);
    return;
  }
  std::byte * const output = image.voxels.Resize(bytes);
  Inflater          inflater(file.Data() + begin, file.Size() - begin, wrapper, name);
  std::vector<char> before(static_cast<std::size_t>(std::min<std::uint64_t>(skipped, PieceBytes)));
  for (std::uint64_t left = skipped; left > 0;)
  {
    const auto part = std::min<std::uint64_t>(left, before.size());
    inflater.Read(before.data(), static_cast<std::size_t>(part));
    left -= part;
  }
  for (std::size_t done = 0; done < bytes; done += PieceBytes)
  {
    context.progress.Update(static_cast<double>(done) / static_cast<double>(bytes));
    inflater.Read(output + done, std::min<std::size_t>(PieceBytes, bytes - done));
  }
  inflater.Finish();
  if (layout.swapped)
  {
    SwapBytes(output, size, bytes / size, context);
  }
}

OutputFile::OutputFile(const std::string & path)
  : m_Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))
{
  if (m_Descriptor < 0)
  {
    throw Error(std::strerror(errno));
  }
}

OutputFile::~OutputFile()
{
  if (m_Descriptor >= 0)
  {
    ::close(m_Descriptor);
  }
}

void
OutputFile::Write(const void * bytes, std::size_t size)
{
  WriteAt(m_Size, bytes, size);
  m_Size += size;
}

void
OutputFile::WriteAt(std::uint64_t place, const void * bytes, std::size_t size)
{
  const auto * from = static_cast<const char *>(bytes);
  while (size > 0)
  {
    const ::ssize_t written = ::pwrite(m_Descriptor, from, size, static_cast<::off_t>(place));
    if (written == 0 || (written < 0 && errno != EINTR))
    {
      throw Error(written == 0 ? "the system wrote nothing" : std::strerror(errno));
    }
    const auto done = static_cast<std::size_t>(std::max<::ssize_t>(written, 0));
    from += done;
    size -= done;
    place += done;
  }
}

void
OutputFile::Close()
{
  const int descriptor = m_Descriptor;
  m_Descriptor = -1;
  if (::close(descriptor) != 0)
  {
    throw Error(std::strerror(errno));
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
  const std::int64_t pieceRows = RowsOfPiece(image, PieceBytes);
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
