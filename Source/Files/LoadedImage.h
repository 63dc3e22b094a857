// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

/** The voxels of an image file that are read in parts, from the first to the last. Channels lie side by side and bytes
 *  are in the machine's order, as in memory. */
class VoxelStream
{
public:
  using Function = std::function<void(std::uint64_t begin, std::byte * output, std::size_t size)>;

  /** \param read  does the work of Read */
  VoxelStream(std::uint64_t bytesAtLeast, Function read)
    : m_BytesAtLeast(bytesAtLeast)
    , m_Read(std::move(read))
  {}

  /** Reads the bytes [begin, begin + size) of the voxels. Parts are whole slices. Going back to an earlier part may
   *  read everything before it once more. \throws Error for damaged and truncated files. */
  void
  Read(std::uint64_t begin, std::byte * output, std::size_t size) const
  {
    m_Read(begin, output, size);
  }

  /** Parts begin and end at multiples of this many bytes, or at the end of the voxels. */
  std::uint64_t
  BytesAtLeast() const
  {
    return m_BytesAtLeast;
  }

private:
  std::uint64_t m_BytesAtLeast;
  Function      m_Read;
};

/** The voxels of an image. They are in memory or in a part of a mapped file, which the system reads on access. */
class VoxelMemory
{
public:
  /** Allocates memory of `bytes` bytes; its content is unspecified. \throws std::bad_alloc. */
  std::byte *
  Resize(std::size_t bytes)
  {
    m_Owner.reset();
    m_Own.Resize(bytes);
    m_Data = m_Own.Data();
    m_Size = bytes;
    return m_Own.Data();
  }

  /** Refers to bytes that `owner` keeps alive. */
  void
  Share(std::shared_ptr<const void> owner, const void * data, std::size_t bytes)
  {
    m_Own.Release();
    m_Owner = std::move(owner);
    m_Data = static_cast<const std::byte *>(data);
    m_Size = bytes;
  }

  void
  Release()
  {
    m_Own.Release();
    m_Owner.reset();
    m_Data = nullptr;
    m_Size = 0;
  }

  const std::byte *
  Data() const
  {
    return m_Data;
  }
  std::size_t
  Size() const
  {
    return m_Size;
  }
  bool
  IsShared() const
  {
    return m_Owner != nullptr;
  }

private:
  Buffer<std::byte>           m_Own;
  std::shared_ptr<const void> m_Owner;
  const std::byte *           m_Data = nullptr;
  std::size_t                 m_Size = 0;
};

/** A segment of a segmentation: what belongs to the voxels of a value (Files/Segments.h). */
struct Segment
{
  using Fields = std::vector<std::pair<std::string, std::string>>;

  std::uint64_t label = 0;
  /** The channel of an image whose segments overlap. */
  std::uint64_t layer = 0;
  /** Keys and values as .seg.nrrd files of 3D Slicer write them: ID, Name, Color, Tags and others; not the value, layer
   *  and extent. */
  Fields fields;
  /** First and last index along x, y and z; a segment without voxels has an empty box. */
  std::int64_t box[6] = { 0, -1, 0, -1, 0, -1 };
};

struct Segmentation
{
  /** Keys and values of the whole, as the file writes them. */
  Segment::Fields      fields;
  std::vector<Segment> segments;
};

/** The values that a DICOM segmentation takes over from the images of a series. */
struct DicomOrigin
{
  struct Image
  {
    std::string  sopClass;
    std::string  instance;
    std::int64_t frame; // 0: the only one
    double       place; // along the slices' normal
  };
  /** None if positions or characters are unknown. */
  std::vector<Image> images;
  /** Values of patient, study, series and frame of reference, by the numbers of elements. */
  std::map<std::uint32_t, std::string> values;
};

/** An image in memory whose type was found in its file. */
struct LoadedImage
{
  VoxelMemory voxels;
  /** Whether the voxels are read later, in parts (ReadOptions::inParts): from `stream`, or, if there is none, from
   *  `voxels` in a mapped file. */
  bool                         inParts = false;
  std::shared_ptr<VoxelStream> stream;
  /** Parts of this many slices, or multiples, are read fastest. */
  std::int64_t slicesAtOnce = 1;
  /** The bytes of a chunk, of which each thread decompresses one when a part is read. */
  std::uint64_t chunkBytes = 0;
  ScalarType    type = ScalarType::UInt8;
  /** The number of values of a voxel. Alpha, which says how to draw a voxel, is left out. */
  int      channels = 1;
  Extent   extent;
  Geometry geometry;
  /** The meaning of the values if not brightness: "counted from white", "numbers of palette colors". */
  std::string meaning;
  /** The source of the spacing: "file", "--spacing", or "none" if the file has none and 1 mm is assumed. */
  std::string spacingSource = "file";
  /** Whether the file defines its axes as a patient's: left, posterior, superior. */
  bool hasPatientAxes = false;
  /** The segments that the file names. */
  Segmentation segmentation;
  /** Null if it is not DICOM. */
  std::shared_ptr<const DicomOrigin> dicom;
  /** The files that the image was read from, including data files of a header. */
  std::vector<std::string> files;
  /** Which image of the file it is: the name of a dataset. Empty if the file holds one image. */
  std::string part;
  /** Unusual properties of a file whose voxels and geometry are right. Each note is a sentence without a full stop. */
  std::vector<std::string> notes;

  ImageView
  View() const
  {
    return ImageView(static_cast<const void *>(voxels.Data()), type, extent, channels);
  }

  std::size_t
  ByteCount() const
  {
    return static_cast<std::size_t>(extent.VoxelCount()) * static_cast<std::size_t>(channels) * SizeOf(type);
  }
};

} // namespace brickccl
