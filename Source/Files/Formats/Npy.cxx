// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy (.npy): a header that is a Python dictionary, then the values. The last axis is x.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>

namespace brickccl::files
{

constexpr std::size_t MagicBytes = 8;

/** Puts voxels whose last axis is the fastest in the order of images. */
static void
ReverseAxes(LoadedImage & image)
{
  ThrowIf<Unsupported>(image.inParts,
                       "arrays whose first axis is the fastest (fortran_order) are not read in parts; save "
                       "numpy.ascontiguousarray(a) instead of a");
  const VoxelMemory stored = std::move(image.voxels);
  const std::size_t size = SizeOf(image.type);
  std::byte *       output = image.voxels.Resize(stored.Size());
  std::int64_t      at[MaximumDimension] = {};
  for (const std::byte * const end = output + stored.Size(); output < end; output += size)
  {
    std::int64_t from = 0;
    for (int axis = 0; axis < image.extent.dimension; ++axis)
    {
      from = from * image.extent.size[axis] + at[axis];
    }
    std::memcpy(output, stored.Data() + static_cast<std::size_t>(from) * size, size);
    for (int axis = 0; axis < image.extent.dimension && ++at[axis] == image.extent.size[axis]; ++axis)
    {
      at[axis] = 0;
    }
  }
}

ScalarType
TypeOfNpy(const std::string & type)
{
  static const std::map<std::string, ScalarType> types = {
    { "b1", ScalarType::UInt8 },   { "u1", ScalarType::UInt8 },   { "i1", ScalarType::Int8 },
    { "u2", ScalarType::UInt16 },  { "i2", ScalarType::Int16 },   { "u4", ScalarType::UInt32 },
    { "i4", ScalarType::Int32 },   { "u8", ScalarType::UInt64 },  { "i8", ScalarType::Int64 },
    { "f4", ScalarType::Float32 }, { "f8", ScalarType::Float64 },
  };
  const auto found = types.find(type.substr(1));
  ThrowIf<Unsupported>(found == types.end(),
                       "its values have the type " + Quoted(type) +
                         "; integers of 8 to 64 bits, float32, float64 and bool are read");
  return found->second;
}

bool
IsNpy(const FileBytes & file)
{
  return file.BeginsWith("\x93NUMPY", 6);
}

LoadedImage
ReadNpy(const FileBytes & file, const ReadOptions & options)
{
  const bool          isLong = file.Number(6, 1) > 1;
  const std::uint64_t length = file.Number(MagicBytes, isLong ? 4 : 2);
  const std::uint64_t text = MagicBytes + (isLong ? 4 : 2);
  constexpr auto      longest = std::uint64_t{ 1 } << 16;
  ThrowIf<Unsupported>(length > longest,
                       "its header has " + std::to_string(length) + " bytes; arrays of a single type are read");
  file.Require(text, length);
  const std::string header(reinterpret_cast<const char *>(file.Data()) + text, length);
  const auto        find = [&](const std::string & key, const char * value) {
    std::smatch found;
    ThrowIf<Unsupported>(!std::regex_search(header, found, std::regex("'" + key + "' *: *" + value)),
                         "its header has no " + key + " of an array of numbers: " + Quoted(Trimmed(header)));
    return found.str(1);
  };
  const std::string type = find("descr", "'([<>|=]?[a-zA-Z][0-9]{1,3})'");
  const bool        isFortran = find("fortran_order", "(True|False)") == "True";
  std::string       shape = find("shape", "\\(([0-9, ]*)\\)");
  std::replace(shape.begin(), shape.end(), ',', ' ');
  std::vector<std::int64_t> sizes = WholeNumbers(shape, "shape");
  std::reverse(sizes.begin(), sizes.end());
  LoadedImage image;
  image.type = TypeOfNpy(type.size() == 2 ? '<' + type : type);
  image.extent = SettleExtent(sizes);
  image.spacingSource = "none";
  NoteIf(sizes.size() > 3 && sizes.front() == 1,
         "its last axis has length 1 and is read as x of " + std::to_string(image.extent.dimension) +
           " dimensions; if it is a channel, save a[..., 0]",
         image.notes);
  TakeRest(file, text + length, type[0] == '>', options, image);
  if (isFortran && sizes.size() > 1)
  {
    ReverseAxes(image);
  }
  return image;
}

} // namespace brickccl::files
