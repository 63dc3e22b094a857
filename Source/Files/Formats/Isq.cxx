// SPDX-License-Identifier: Apache-2.0
// Micro-CT scans of Scanco (.isq): a header of 512-byte blocks, then 16-bit voxels.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

namespace brickccl::files
{

bool
IsIsq(const FileBytes & file)
{
  return file.BeginsWith("CTDATA-HEADER_V1", 16);
}

LoadedImage
ReadIsq(const FileBytes & file, const ReadOptions & options)
{
  constexpr std::uint64_t block = 512;
  const auto              number = [&](std::uint64_t place) {
    return std::int64_t{ static_cast<std::int32_t>(file.Number(place, 4)) };
  };
  file.Require(0, block);
  ThrowIf<Unsupported>(number(16) != 3,
                       "its voxels have the type " + std::to_string(number(16)) + "; type 3 (int16) is read");
  LoadedImage image;
  image.inParts = options.inParts;
  image.type = ScalarType::Int16;
  image.extent = SettleExtent({ number(44), number(48), number(52) });
  for (int axis = 0; axis < 3; ++axis)
  {
    // The lengths of the axes are in micrometers.
    const auto place = 4 * static_cast<std::uint64_t>(axis);
    const auto length = static_cast<double>(number(56 + place));
    if (!(length > 0))
    {
      image.spacingSource = "none";
      break;
    }
    image.geometry.spacing[axis] = length / 1000 / static_cast<double>(number(44 + place));
  }
  image.geometry = image.spacingSource == "none" ? Geometry() : image.geometry;
  const std::int64_t blocks = number(508);
  ThrowIf(blocks < 0, "its voxels begin after " + std::to_string(blocks) + " blocks; there must be at least 0");
  const std::uint64_t begin = (static_cast<std::uint64_t>(blocks) + 1) * block;
  const std::size_t   bytes = VoxelBytes(image.extent, 1, image.type);
  file.Require(begin, bytes);
  // The last block is filled up.
  const std::uint64_t beyond = file.Size() - begin - bytes;
  CheckBytesBeyond(beyond < block ? 0 : beyond, 1, image);
  if (const std::int64_t scaling = number(88); scaling != 0)
  {
    image.notes.push_back("its values are stored as attenuation (1/cm) times " + std::to_string(scaling) +
                          ", and are not converted");
  }
  TellHeader(options, image);
  TakeStored(file, begin, HostIsBigEndian, options.Context(), image);
  return image;
}

} // namespace brickccl::files
