// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Codecs/Inflate.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Files/Settle.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

// Sources of images that are read in parts (ReadOptions::inParts).
namespace brickccl::files
{

/** Voxels with the same layout in a file as in memory, perhaps with reversed bytes. */
std::shared_ptr<VoxelStream>
StoredVoxels(const FileBytes & file, std::uint64_t begin, std::size_t swappedSize, const HostContext & context);

/** Gives the memory of a mapped file's bytes back, which can be read again. */
void Forget(const FileBytes & file);
void Forget(const FileBytes & file, std::uint64_t begin, std::uint64_t end);

/** Compressed data: bytes of a file from `begin` on; after decompression the first `skipped` precede the voxels. */
struct CompressedVoxels
{
  FileBytes     file;
  std::uint64_t begin = 0;
  std::uint64_t skipped = 0;
  Wrapper       wrapper = Wrapper::Gzip;
  /** For errors. */
  std::string name;
  /** Whether more than voxels may come. */
  bool hasMore = false;
};

/** Compressed voxels, `bytes` of them when they are not. The checksum is verified with the last of them.
 *  \param swappedSize  the size of values whose bytes are in reverse order; else 1. */
std::shared_ptr<VoxelStream> InflatedVoxels(const CompressedVoxels & from,
                                            std::uint64_t            bytes,
                                            std::size_t              swappedSize,
                                            const HostContext &      context);

/** Voxels that are rescaled after they are read. */
std::shared_ptr<VoxelStream> RescaledVoxels(const std::shared_ptr<const LoadedImage> & stored,
                                            const Scaling &                            scaling,
                                            ScalarType                                 type,
                                            const HostContext &                        context);

/** Slices of this many bytes, by `read`. \throws Unsupported, when read, for parts that are not whole slices. */
std::shared_ptr<VoxelStream>
SliceVoxels(std::size_t                                                                           sliceBytes,
            const std::function<void(std::size_t first, std::size_t count, std::byte * output)> & read);

} // namespace brickccl::files
