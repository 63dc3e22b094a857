// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Files/Disk/OutputFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

// Shared by the formats with the same layout in files as in memory: x fastest, channels interleaved.

/** Takes the voxels of `image`, whose extent, type and channels are known, from the bytes of a file at `begin`. The
 *  voxels are shared with the file if they can be used in place, and copied otherwise. \param swapped  whether the
 *  bytes of each value are in reverse order. \throws Error if the file is too short. */
void
TakeStored(const FileBytes & file, std::uint64_t begin, bool swapped, const HostContext & context, LoadedImage & image);

/** Takes voxels stored as in memory, from `begin` on. Reports the header before, and bytes beyond the voxels. */
void TakeRest(const FileBytes &   file,
              std::uint64_t       begin,
              bool                isBigEndian,
              const ReadOptions & options,
              LoadedImage &       image);

/** \throws Error, for a damaged header, if `fileBytes` of at most `perByte` bytes each cannot hold the voxels. */
void RequireRoom(std::uint64_t fileBytes, double perByte, double bytes, const Extent & extent);

/** Copies `count` bytes of a file, from `begin` on, to `output`. \throws Error if the file is too short. */
void CopyStored(const FileBytes &   file,
                std::uint64_t       begin,
                std::uint64_t       count,
                std::byte *         output,
                const HostContext & context);

bool IsGzipped(const FileBytes & file);

/** The first bytes of a file, decompressed if it is compressed by gzip; fewer if it has fewer. */
std::vector<unsigned char> FirstBytes(const FileBytes & file, std::size_t count);

enum class Encoding
{
  Raw,
  Text,
  Hexadecimal,
  Compressed
};

/** How an image's voxels are stored: in files, each with an equal part of them. */
struct DataLayout
{
  Encoding encoding = Encoding::Raw;
  /** Whether the bytes of each value are in reverse order. */
  bool swapped = false;
  /** Raw voxels are the ends of the files, wherever the parts begin. */
  bool                          areLast = false;
  std::vector<CompressedVoxels> parts = {};
};

/** Reads the voxels of `image`, whose extent, type and channels are known, and adds the files to its own. \throws Error
 *  for files that are too short, damaged or too many. */
void ReadDataFiles(const DataLayout & layout, const HostContext & context, LoadedImage & image);

/** Notes bytes that follow the voxels. \throws Error if there are several files, which then do not fit. */
void CheckBytesBeyond(std::uint64_t beyond, std::size_t fileCount, LoadedImage & image);

/** Writes the voxels of an image, x fastest, compressed if there is a wrapper. `first` are bytes that come before them
 *  in the same stream. \return the number of bytes written. */
std::uint64_t WriteVoxels(OutputFile &                       file,
                          const ImageToWrite &               image,
                          std::optional<Wrapper>             wrapper,
                          const HostContext &                context,
                          const std::vector<unsigned char> & first = {});

/** Writes bytes as a compressed stream of their own. */
void WriteCompressed(OutputFile & file, const std::vector<unsigned char> & bytes, Wrapper wrapper);

/** The wrapper if `compress` is set, else none. */
inline std::optional<Wrapper>
WrapperIf(bool compress, Wrapper wrapper)
{
  return compress ? std::optional<Wrapper>(wrapper) : std::nullopt;
}

} // namespace brickccl::files
