// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabReader.h"

#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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

/** The bytes of a slice along the axis that slabs are cut along. */
std::uint64_t
SliceBytes(const LoadedImage & image)
{
  return image.ByteCount() / static_cast<std::uint64_t>(image.extent.size[AxisOfParts(image.extent)]);
}

} // namespace

ImageView
SlabReader::ReadPart(const LoadedImage & image, const BrickBox & slab, Room & room) const
{
  const Part        part(image, slab);
  const std::byte * voxels = image.voxels.Data() + part.begin;
  if (image.stream)
  {
    room.slab.Resize(part.size);
    if (m_KeepsSlices && image.slicesAtOnce > 1)
    {
      ReadByChunks(image, part.begin, part.begin + part.size, room);
    }
    else
    {
      image.stream->Read(part.begin, room.slab.Data(), part.size);
    }
    voxels = room.slab.Data();
  }
  return ImageView(static_cast<const void *>(voxels), image.type, slab.extent, image.channels);
}

void
SlabReader::ReadByChunks(const LoadedImage & image, std::uint64_t begin, std::uint64_t end, Room & room)
{
  const std::uint64_t all = image.ByteCount();
  const std::uint64_t chunk = static_cast<std::uint64_t>(image.slicesAtOnce) * SliceBytes(image);
  for (std::uint64_t place = begin; place < end;)
  {
    std::byte * const   output = room.slab.Data() + (place - begin);
    const std::uint64_t wholeEnd = end == all ? end : end / chunk * chunk;
    std::uint64_t       next = 0;
    if (place >= room.keptBegin && place < room.keptEnd)
    {
      next = std::min(end, room.keptEnd);
      std::memcpy(output, room.kept.Data() + (place - room.keptBegin), static_cast<std::size_t>(next - place));
    }
    else if (place % chunk == 0 && place < wholeEnd)
    {
      next = wholeEnd;
      image.stream->Read(place, output, static_cast<std::size_t>(next - place));
    }
    else
    {
      // Nothing is kept while it is read, which may fail.
      room.keptEnd = 0;
      room.keptBegin = place / chunk * chunk;
      next = place;
      const auto size = static_cast<std::size_t>(std::min(chunk, all - room.keptBegin));
      room.kept.Resize(size);
      image.stream->Read(room.keptBegin, room.kept.Data(), size);
      room.keptEnd = room.keptBegin + size;
    }
    place = next;
  }
}

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
