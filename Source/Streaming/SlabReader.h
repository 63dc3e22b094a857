#ifndef BRICKCCL_STREAMING_SLABREADER_H
#define BRICKCCL_STREAMING_SLABREADER_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Streaming/SlabPlan.h"

#include <cstddef>
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

  /** Gives back the memory of a slab that lies in mapped files. */
  void Forget(const BrickBox & slab) const;

private:
  SlabImages        m_Images;
  Buffer<std::byte> m_ImageVoxels;
  Buffer<std::byte> m_MaskVoxels;
  Buffer<std::byte> m_IntensityVoxels;
};

} // namespace brickccl

#endif
