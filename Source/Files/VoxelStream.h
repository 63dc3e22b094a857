// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_VOXELSTREAM_H
#define BRICKCCL_FILES_VOXELSTREAM_H

#include <cstddef>
#include <cstdint>

namespace brickccl
{

/** The voxels of an image file that are read in parts, from the first to the last. Channels lie side by side and bytes
 *  are in the machine's order, as in memory. */
class VoxelStream
{
public:
  VoxelStream() = default;
  virtual ~VoxelStream() = default;
  VoxelStream(const VoxelStream &) = delete;
  VoxelStream & operator=(const VoxelStream &) = delete;

  /** Reads the bytes [begin, begin + size) of the voxels. Parts are whole slices. Going back to an earlier part may
   *  read everything before it once more. \throws Error for damaged and truncated files. */
  virtual void Read(std::uint64_t begin, std::byte * output, std::size_t size) = 0;

  /** Parts begin and end at multiples of this many bytes, or at the end of the voxels. */
  virtual std::uint64_t BytesAtLeast() const = 0;
};

} // namespace brickccl

#endif
