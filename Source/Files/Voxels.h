// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_VOXELS_H
#define BRICKCCL_FILES_VOXELS_H

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Codecs/InflateOnThreads.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

// Shared by the formats with the same layout in files as in memory: x fastest, channels interleaved.

/** Takes the voxels of `image`, whose extent, type and channels are known, from the bytes of a file at `begin`. The
 *  voxels are shared with the file if they can be used in place, and copied otherwise.
 *  \param swapped  whether the bytes of each value are in reverse order.
 *  \throws Error if the file is too short. */
void
TakeStored(const FileBytes & file, std::uint64_t begin, bool swapped, const HostContext & context, LoadedImage & image);

/** Copies `count` bytes of a file, from `begin` on, to `output`: a part of voxels in several files.
 *  \throws Error if the file is too short. */
void CopyStored(const FileBytes &   file,
                std::uint64_t       begin,
                std::uint64_t       count,
                std::byte *         output,
                const HostContext & context);

/** The share of the reading that one of several files of equal size is. */
inline HostContext
PartOfFile(const HostContext & context, std::size_t file, std::size_t files)
{
  const auto count = static_cast<double>(files);
  return context.Part(static_cast<double>(file) / count, static_cast<double>(file + 1) / count);
}

/** \throws Error unless the voxels of an image of this extent divide evenly among `count` files. Each file holds one or
 *  several whole entries of the slowest axes. */
void CheckFileCount(std::size_t count, const Extent & extent);

/** Reports bytes that follow the voxels. It adds a note, or throws an Error if there are several files, which then do
 *  not fit. */
void CheckBytesBeyond(std::uint64_t beyond, std::size_t fileCount, LoadedImage & image);

/** \throws Error if a file of `fileBytes` bytes cannot hold the voxels of `image`, since a byte gives at most `perByte`
 *  bytes. */
void CheckRoom(std::uint64_t fileBytes, std::uint64_t perByte, const LoadedImage & image);

/** Allocates the voxels of `image`. \throws Error if a file of `fileBytes` bytes cannot hold them, since a byte gives
 *  at most `perByte` bytes. The header is damaged then. */
std::byte * MakeRoom(std::uint64_t fileBytes, std::uint64_t perByte, LoadedImage & image);

/** Reads `count` values of a type from text: numbers with white space or commas between them. \throws Error if there
 *  are fewer, for words that are not numbers, and for numbers that the type does not hold. */
void ReadText(const char *     begin,
              const char *     end,
              ScalarType       type,
              std::size_t      count,
              const Progress & progress,
              void *           output);

/** A file that is written from beginning to end. */
class OutputFile
{
public:
  /** \throws Error with the system's reason, as all members do. */
  explicit OutputFile(const std::string & path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile & operator=(const OutputFile &) = delete;

  void Write(const void * bytes, std::size_t size);
  void
  Write(const std::string & text)
  {
    Write(text.data(), text.size());
  }
  /** Writes at a place that has been written before, or beyond the end. Several threads may call it at once. */
  void WriteAt(std::uint64_t place, const void * bytes, std::size_t size);
  /** \throws Error also for bytes that the system failed to write earlier. */
  void Close();

  /** Records that WriteAt has added this many bytes. */
  void
  Grow(std::uint64_t bytes)
  {
    m_Size += bytes;
  }

  std::uint64_t
  Size() const
  {
    return m_Size;
  }

private:
  int           m_Descriptor = -1;
  std::uint64_t m_Size = 0;
};

/** Whether compressing is to take little time, or to give few bytes where voxels are equal in long runs. */
enum class Compression
{
  Fast,
  Small
};

/** Writes the voxels of an image, x fastest, compressed if there is a wrapper. `first` are bytes that come before them
 *  in the same stream. \return the number of bytes written. */
std::uint64_t WriteVoxels(OutputFile &                       file,
                          const ImageToWrite &               image,
                          std::optional<Wrapper>             wrapper,
                          const HostContext &                context,
                          const std::vector<unsigned char> & first = {},
                          Compression                        compression = Compression::Fast);

/** Writes bytes as a compressed stream of their own. */
void WriteCompressed(OutputFile & file, const std::vector<unsigned char> & bytes, Wrapper wrapper);

/** The wrapper if `compress` is set, else none. */
inline std::optional<Wrapper>
WrapperIf(bool compress, Wrapper wrapper)
{
  return compress ? std::optional<Wrapper>(wrapper) : std::nullopt;
}

} // namespace brickccl::files

#endif
