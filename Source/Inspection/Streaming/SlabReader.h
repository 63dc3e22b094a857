// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_SLABREADER_H
#define BRICKCCL_STREAMING_SLABREADER_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Streaming/SlabPlan.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace brickccl
{

/** The voxels of a slab. */
struct SlabViews
{
  ImageView                image;
  std::optional<ImageView> mask;
  std::optional<ImageView> intensity;
};

/** Reads slabs of the images of a volume. */
class SlabReader
{
public:
  /** \param keepsSlices  see SlabPlan */
  SlabReader(const SlabImages & images, bool keepsSlices)
    : m_Images(images)
    , m_KeepsSlices(keepsSlices)
  {}

  /** The voxels are valid until the next call, or until Forget. */
  SlabViews Read(const BrickBox & slab);

  /** Releases the memory of a slab in mapped files. */
  void Forget(const BrickBox & slab) const;

private:
  /** An image's slab, and the slices decompressed with its end, which the next one uses. */
  struct Room
  {
    Buffer<std::byte> slab;
    Buffer<std::byte> kept;
    std::uint64_t     keptBegin = 0;
    std::uint64_t     keptEnd = 0;
  };

  ImageView   ReadPart(const LoadedImage & image, const BrickBox & slab, Room & room) const;
  static void ReadByChunks(const LoadedImage & image, std::uint64_t begin, std::uint64_t end, Room & room);

  SlabImages m_Images;
  bool       m_KeepsSlices;
  Room       m_ImageRoom;
  Room       m_MaskRoom;
  Room       m_IntensityRoom;
};

} // namespace brickccl

#endif
