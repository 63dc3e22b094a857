// NRRD, https://teem.sourceforge.net/nrrd/format.html: versions 1 to 5, attached and detached data.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Bzip2.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/NrrdHeader.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <cctype>
#include <map>
#include <optional>

namespace brickccl::files
{

namespace
{

ScalarType
TypeOf(const std::string & field)
{
  static const std::map<std::string, ScalarType> types = {
    { "signed char", ScalarType::Int8 },
    { "int8", ScalarType::Int8 },
    { "int8_t", ScalarType::Int8 },
    { "uchar", ScalarType::UInt8 },
    { "unsigned char", ScalarType::UInt8 },
    { "uint8", ScalarType::UInt8 },
    { "uint8_t", ScalarType::UInt8 },
    { "short", ScalarType::Int16 },
    { "short int", ScalarType::Int16 },
    { "signed short", ScalarType::Int16 },
    { "signed short int", ScalarType::Int16 },
    { "int16", ScalarType::Int16 },
    { "int16_t", ScalarType::Int16 },
    { "ushort", ScalarType::UInt16 },
    { "unsigned short", ScalarType::UInt16 },
    { "unsigned short int", ScalarType::UInt16 },
    { "uint16", ScalarType::UInt16 },
    { "uint16_t", ScalarType::UInt16 },
    { "int", ScalarType::Int32 },
    { "signed int", ScalarType::Int32 },
    { "int32", ScalarType::Int32 },
    { "int32_t", ScalarType::Int32 },
    { "uint", ScalarType::UInt32 },
    { "unsigned int", ScalarType::UInt32 },
    { "uint32", ScalarType::UInt32 },
    { "uint32_t", ScalarType::UInt32 },
    { "longlong", ScalarType::Int64 },
    { "long long", ScalarType::Int64 },
    { "long long int", ScalarType::Int64 },
    { "signed long long", ScalarType::Int64 },
    { "signed long long int", ScalarType::Int64 },
    { "int64", ScalarType::Int64 },
    { "int64_t", ScalarType::Int64 },
    { "ulonglong", ScalarType::UInt64 },
    { "unsigned long long", ScalarType::UInt64 },
    { "unsigned long long int", ScalarType::UInt64 },
    { "uint64", ScalarType::UInt64 },
    { "uint64_t", ScalarType::UInt64 },
    { "float", ScalarType::Float32 },
    { "double", ScalarType::Float64 },
  };
  const auto found = types.find(LowerCase(field));
  if (found == types.end())
  {
    throw Unsupported("its voxels are of type '" + field + "'; integers of 8 to 64 bits, float and double are read");
  }
  return found->second;
}

/** What an axis counts. */
enum class Role
{
  Space,
  Channels,
  /** Anything else: a list, the time, a stub. */
  Other
};

struct Axes
{
  std::vector<std::int64_t> sizes;
  std::vector<Role>         roles;
  std::vector<std::string>  kinds;
};

Axes
AxesOf(const NrrdHeader & header)
{
  Axes       axes;
  const auto dimension = WholeNumber(header.Get("dimension"), "dimension");
  if (dimension < 1 || dimension > 16)
  {
    throw Error("its dimension is " + std::to_string(dimension) + "; 1 to 16 are possible");
  }
  axes.sizes = WholeNumbers(header.Get("sizes"), "sizes");
  const auto count = static_cast<std::size_t>(dimension);
  if (axes.sizes.size() != count)
  {
    throw Error("its dimension is " + std::to_string(dimension) + " but it has " + std::to_string(axes.sizes.size()) +
                " sizes");
  }
  axes.kinds.assign(count, "domain");
  if (const std::string * const kinds = header.Find("kinds"))
  {
    const auto words = Words(*kinds);
    for (std::size_t axis = 0; axis < std::min(count, words.size()); ++axis)
    {
      axes.kinds[axis] = LowerCase(words[axis]);
    }
  }
  for (std::size_t axis = 0; axis < count; ++axis)
  {
    const std::string & kind = axes.kinds[axis];
    if (kind == "complex")
    {
      throw Unsupported("complex voxels are not supported; give their magnitude instead");
    }
    axes.roles.push_back(kind == "domain" || kind == "space" || kind == "none" || kind == "???"  ? Role::Space
                         : kind == "list" || kind == "time" || kind == "stub" || kind == "point" ? Role::Other
                                                                                                 : Role::Channels);
  }
  return axes;
}

} // namespace

bool
IsNrrd(const FileBytes & file)
{
  return file.BeginsWith("NRRD", 4);
}

LoadedImage
ReadNrrd(const FileBytes & file, const ReadOptions & options)
{
  const NrrdHeader  header = ParseNrrdHeader(file);
  const HostContext context = options.Context();
  LoadedImage       image;
  image.inParts = options.inParts;
  image.type = TypeOf(header.Get("type"));
  Axes axes = AxesOf(header);
  if (const std::string * const text = header.Find("space directions"))
  {
    const auto vectors = NrrdVectors(*text, "space directions");
    if (vectors.size() != axes.sizes.size())
    {
      throw Error("it has " + std::to_string(vectors.size()) + " space directions for " +
                  std::to_string(axes.sizes.size()) + " axes");
    }
    for (std::size_t axis = 0; axis < vectors.size(); ++axis)
    {
      axes.roles[axis] = !vectors[axis].empty()          ? Role::Space
                       : axes.roles[axis] == Role::Space ? Role::Other
                                                         : axes.roles[axis];
    }
  }
  // The fastest axis holds channels if it is no axis of space. If the axis of channels comes last, each channel is a
  // whole image, one after the other.
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t>  places;
  bool                      channelsAreLast = false;
  bool                      hasChannels = false;
  std::string               channelKind;
  std::size_t               beyond = 0;
  for (std::size_t axis = 0; axis < axes.sizes.size(); ++axis)
  {
    const bool isLast = axis + 1 == axes.sizes.size();
    const auto size = axes.sizes[axis];
    if (axes.roles[axis] == Role::Space)
    {
      if (beyond > 0)
      {
        throw Unsupported("its axis " + std::to_string(axis) + " lies behind one that is no place in space (kind " +
                          axes.kinds[axis - 1] + "); such axes are read where they come first or last");
      }
      sizes.push_back(size);
      places.push_back(axis);
    }
    else if ((axis == 0 || (isLast && axes.roles[axis] == Role::Channels)) && !hasChannels)
    {
      if (size < 1 || size > 1000000)
      {
        throw Error("it has " + std::to_string(size) + " channels; there must be at least 1");
      }
      image.channels = static_cast<int>(size);
      hasChannels = true;
      channelsAreLast = axis != 0;
      channelKind = axes.kinds[axis];
    }
    else
    {
      sizes.push_back(size);
      ++beyond;
      if (size > 1)
      {
        image.notes.push_back("its axis " + std::to_string(axis + 1) + " (kind " + axes.kinds[axis] +
                              ") is no place in space but is labeled as one; --by-slice keeps its entries apart");
      }
    }
  }
  image.extent = SettleExtent(sizes);
  places.resize(std::min(places.size(), static_cast<std::size_t>(image.extent.dimension)));
  SetNrrdGeometry(header, places, axes.sizes.size(), options, image);
  TellHeader(options, image, image.channels > 1);
  ReadNrrdData(file, header, context, image);
  if (channelsAreLast)
  {
    InterleaveChannels(image, context);
  }
  if (channelKind == "rgba-color" && image.channels == 4)
  {
    DropAlpha(image, context);
  }
  return image;
}

} // namespace brickccl::files
