// SPDX-License-Identifier: Apache-2.0
// Volumes of FreeSurfer (.mgh, and compressed by gzip .mgz): a header of 284 bytes, then voxels; big-endian.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <map>

namespace brickccl::files
{

namespace
{

constexpr std::size_t MghHeader = 284;

class MghNumbers
{
public:
  explicit MghNumbers(const FileBytes & file)
    : m_Bytes(FirstBytes(file, MghHeader))
    , m_Header(FileBytes::FromMemory(file.Path(), m_Bytes.data(), m_Bytes.size()))
  {}
  std::int64_t
  Integer(std::uint64_t place) const
  {
    return static_cast<std::int32_t>(m_Header.Number(place, 4, true));
  }
  std::int64_t
  Short(std::uint64_t place) const
  {
    return static_cast<std::int16_t>(m_Header.Number(place, 2, true));
  }
  double
  Float(std::uint64_t place) const
  {
    return m_Header.Real(place, 4, true);
  }

private:
  std::vector<unsigned char> m_Bytes;
  FileBytes                  m_Header;
};

ScalarType
TypeOfMgh(std::int64_t type)
{
  static const std::map<std::int64_t, ScalarType> types = { { 0, ScalarType::UInt8 },
                                                            { 1, ScalarType::Int32 },
                                                            { 3, ScalarType::Float32 },
                                                            { 4, ScalarType::Int16 },
                                                            { 10, ScalarType::UInt16 } };
  ThrowIf<Unsupported>(types.count(type) == 0,
                       "its voxels have the type " + std::to_string(type) + "; types 0, 1, 3, 4 and 10 are read");
  return types.at(type);
}

/** Places an image whose header has the directions of its axes and its center, in RAS. */
void
PlaceMgh(const MghNumbers & header, const ReadOptions & options, LoadedImage & image)
{
  if (header.Short(28) <= 0)
  {
    image.spacingSource = "none";
    return;
  }
  image.hasPatientAxes = true;
  constexpr double signs[3] = { -1, -1, 1 };
  double           vectors[MaximumDimension][MaximumDimension] = {};
  double           origin[3] = {};
  for (int row = 0; row < 3; ++row)
  {
    origin[row] = header.Float(78 + 4 * static_cast<std::uint64_t>(row));
    for (int axis = 0; axis < 3; ++axis)
    {
      const auto place = static_cast<std::uint64_t>(axis);
      vectors[axis][row] =
        header.Float(42 + 12 * place + 4 * static_cast<std::uint64_t>(row)) * header.Float(30 + 4 * place);
      origin[row] -= vectors[axis][row] * static_cast<double>(header.Integer(4 + 4 * place)) / 2;
      vectors[axis][row] = vectors[axis][row] * signs[row] + 0.0;
    }
    image.geometry.origin[row] = origin[row] * signs[row] + 0.0;
  }
  vectors[3][3] = 1;
  SettleAxes(vectors, "its directions", options, image);
}

} // namespace

bool
IsMgh(const FileBytes & file)
{
  if (!HasExtension(file.Path(), ".mgh .mgz .mgh.gz"))
  {
    return false;
  }
  const auto bytes = FirstBytes(file, 4);
  return bytes == std::vector<unsigned char>{ 0, 0, 0, 1 };
}

LoadedImage
ReadMgh(const FileBytes & file, const ReadOptions & options)
{
  const MghNumbers header(file);
  LoadedImage      image;
  image.inParts = options.inParts;
  image.type = TypeOfMgh(header.Integer(20));
  const std::vector<std::int64_t> sizes = { header.Integer(4),
                                            header.Integer(8),
                                            header.Integer(12),
                                            header.Integer(16) };
  image.extent = SettleExtent(sizes);
  PlaceMgh(header, options, image);
  TellHeader(options, image);
  if (!IsGzipped(file))
  {
    TakeStored(file, MghHeader, !HostIsBigEndian, options.Context(), image);
    return image;
  }
  DataLayout layout{ Encoding::Compressed, !HostIsBigEndian };
  // The times of the scan and tags may follow the voxels.
  layout.parts = { { file, 0, MghHeader, Wrapper::Gzip, file.QuotedName(), true } };
  ReadDataFiles(layout, options.Context(), image);
  return image;
}

} // namespace brickccl::files
