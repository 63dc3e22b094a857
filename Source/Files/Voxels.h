#ifndef BRICKCCL_FILES_VOXELS_H
#define BRICKCCL_FILES_VOXELS_H

#include "BrickCCL/Files/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Inflate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

// What the formats share whose voxels lie in a file as in memory: x fastest, channels side by side.

/** Takes the voxels of `image`, whose extent, type and channels are known, from the bytes of a file at `begin`: shared
 *  where they can be used as they lie there, else copied.
 *  \param swapped  the bytes of each value lie the other way round.
 *  \throws Error if the file is too short. */
void
TakeStored(const FileBytes & file, std::uint64_t begin, bool swapped, const HostContext & context, LoadedImage & image);

/** As above, into the bytes [begin, begin + count) of voxels that lie in several files. */
void CopyStored(const FileBytes &   file,
                std::uint64_t       begin,
                std::uint64_t       count,
                std::byte *         output,
                const HostContext & context);

/** \throws Error unless the voxels of an image of these sizes part evenly among `count` files: each holds one or
 * several whole entries of the slowest axes. */
void CheckFileCount(std::size_t count, const Extent & extent);

/** Says of bytes that follow the voxels: a note, or an Error where there are several files, which then do not fit. */
void CheckBytesBeyond(std::uint64_t beyond, std::size_t fileCount, LoadedImage & image);

/** Allocates the voxels of `image`. \throws Error if they cannot come from a file of `fileBytes` bytes, `perByte` bytes
 *  from each at the most: who says so is damaged. */
std::byte * MakeRoom(std::uint64_t fileBytes, std::uint64_t perByte, LoadedImage & image);

/** Reads `count` values of a type, written as numbers with white space or commas between.
 *  \throws Error for fewer, for what is no number, and for numbers that the type does not hold. */
void ReadText(const char * begin, const char * end, ScalarType type, std::size_t count, void * output);

/** Makes channels that lie one after the other as whole images lie side by side for each voxel. */
void InterleaveChannels(LoadedImage & image, const HostContext & context);

/** Leaves out the last channel, which is alpha; a note says so. */
void DropAlpha(LoadedImage & image, const HostContext & context);

/** A file that is written from its begin to its end. */
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
  /** Writes to a place that has been written before, or beyond; several threads may. */
  void WriteAt(std::uint64_t place, const void * bytes, std::size_t size);
  /** \throws Error also for what the system could not write earlier. */
  void Close();

  /** Says that WriteAt has written so many bytes more. */
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

/** Writes the voxels of an image, x fastest, compressed where a wrapper is given; bytes that come before them in the
 * same stream are `first`. \return the number of bytes written. */
std::uint64_t WriteVoxels(OutputFile &                       file,
                          const ImageToWrite &               image,
                          std::optional<Wrapper>             wrapper,
                          const HostContext &                context,
                          const std::vector<unsigned char> & first = {});

/** Writes bytes as a compressed stream of their own. */
void WriteCompressed(OutputFile & file, const std::vector<unsigned char> & bytes, Wrapper wrapper);

/** The wrapper, or none, as the options ask for it. */
inline std::optional<Wrapper>
WrapperIf(bool compress, Wrapper wrapper)
{
  return compress ? std::optional<Wrapper>(wrapper) : std::nullopt;
}

} // namespace brickccl::files

#endif
