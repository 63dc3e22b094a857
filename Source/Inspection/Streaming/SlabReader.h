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
  explicit SlabReader(const SlabImages & images)
    : m_Images(images)
  {}

  /** The voxels are valid until the next call, or until Forget. */
  SlabViews Read(const BrickBox & slab);

  /** Releases the memory of a slab in mapped files. */
  void Forget(const BrickBox & slab) const;

private:
  SlabImages        m_Images;
  Buffer<std::byte> m_ImageRoom;
  Buffer<std::byte> m_MaskRoom;
  Buffer<std::byte> m_IntensityRoom;
};

} // namespace brickccl

#endif
