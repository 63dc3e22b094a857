// SPDX-License-Identifier: Apache-2.0
// The Guy's Image Processing Lab format (.gipl): a header of 256 bytes, then voxels; big-endian.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <map>

namespace brickccl::files
{

constexpr std::uint64_t GiplHeader = 256;

static ScalarType
TypeOfGipl(std::uint64_t type)
{
  static const std::map<std::uint64_t, ScalarType> types = {
    { 1, ScalarType::UInt8 },  { 7, ScalarType::Int8 },     { 8, ScalarType::UInt8 },
    { 15, ScalarType::Int16 }, { 16, ScalarType::UInt16 },  { 31, ScalarType::UInt32 },
    { 32, ScalarType::Int32 }, { 64, ScalarType::Float32 }, { 65, ScalarType::Float64 },
  };
  ThrowIf<Unsupported>(types.count(type) == 0,
                       "its voxels have the type " + std::to_string(type) +
                         "; types 1, 7, 8, 15, 16, 31, 32, 64 and 65 (integers and floats) are read");
  return types.at(type);
}

bool
IsGipl(const FileBytes & file)
{
  if (file.Size() < GiplHeader)
  {
    return false;
  }
  const std::uint64_t magic = file.Number(252, 4, true);
  return magic == 719555000U || magic == 4026526128U;
}

LoadedImage
ReadGipl(const FileBytes & file, const ReadOptions & options)
{
  LoadedImage               image;
  std::vector<std::int64_t> sizes;
  for (std::uint64_t axis = 0; axis < 4; ++axis)
  {
    sizes.push_back(static_cast<std::int64_t>(file.Number(2 * axis, 2, true)));
  }
  // Axes without voxels, or with one, are left out.
  while (sizes.size() > 1 && sizes.back() <= 1)
  {
    sizes.pop_back();
  }
  image.type = TypeOfGipl(file.Number(8, 2, true));
  image.extent = SettleExtent(sizes);
  for (int axis = 0; axis < image.extent.dimension; ++axis)
  {
    const auto   place = static_cast<std::uint64_t>(axis);
    const double spacing = file.Real(10 + 4 * place, 4, true);
    image.spacingSource = spacing == 0 ? "none" : image.spacingSource;
    image.geometry.spacing[axis] = spacing == 0 ? 1 : spacing;
    image.geometry.origin[axis] = file.Real(204 + 8 * place, 8, true);
  }
  SettleSpacing(image);
  TakeRest(file, GiplHeader, true, options, image);
  return image;
}

} // namespace brickccl::files
