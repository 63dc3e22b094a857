// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabReader.h"

#include "BrickCCL/Files/Disk/MappedFiles.h"

#include <array>
#include <cstdint>

namespace brickccl
{

namespace
{

/** The place of a slab's first voxel in the bytes of an image, and the slab's bytes. */
struct Part
{
  std::uint64_t begin;
  std::size_t   size;

  Part(const LoadedImage & image, const BrickBox & slab)
    : begin(slab.PlaceInVolume(0) * SizeOf(image.type) * static_cast<std::uint64_t>(image.channels))
    , size(static_cast<std::size_t>(slab.extent.VoxelCount()) * SizeOf(image.type) *
           static_cast<std::size_t>(image.channels))
  {}
};

ImageView
ReadPart(const LoadedImage & image, const BrickBox & slab, Buffer<std::byte> & room)
{
  const Part        part(image, slab);
  const std::byte * voxels = image.voxels.Data() + part.begin;
  if (image.stream)
  {
    room.Resize(part.size);
    image.stream->Read(part.begin, room.Data(), part.size);
    voxels = room.Data();
  }
  return ImageView(static_cast<const void *>(voxels), image.type, slab.extent, image.channels);
}

} // namespace

SlabViews
SlabReader::Read(const BrickBox & slab)
{
  SlabViews views;
  if (m_Images.image != nullptr)
  {
    views.image = ReadPart(*m_Images.image, slab, m_ImageRoom);
  }
  if (m_Images.mask != nullptr)
  {
    views.mask = ReadPart(*m_Images.mask, slab, m_MaskRoom);
  }
  if (m_Images.intensity != nullptr)
  {
    views.intensity = ReadPart(*m_Images.intensity, slab, m_IntensityRoom);
  }
  return views;
}

void
SlabReader::Forget(const BrickBox & slab) const
{
  for (const LoadedImage * const image : std::array{ m_Images.image, m_Images.mask, m_Images.intensity })
  {
    if (image != nullptr && !image->stream && image->voxels.IsShared())
    {
      const Part part(*image, slab);
      ForgetMapped(image->voxels.Data() + part.begin, part.size);
    }
  }
}

} // namespace brickccl
