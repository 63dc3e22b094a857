// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/MetaTypes.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

namespace brickccl::files
{

std::vector<std::string>
WriteMetaImage(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  const bool   isDetached = HasExtension(path, ".mhd");
  const int    dimension = image.extent.dimension;
  const auto   join = [&](auto word) { return " " + WordsOfAxes(dimension, word) + "\n"; };
  const char * type = nullptr;
  for (const auto & known : MetaTypes)
  {
    type = type == nullptr && known.type == image.type ? known.name : type;
  }
  const std::string data = isDetached ? DataFileName(path, options.compress ? ".zraw" : ".raw") : "LOCAL";
  // The size of the compressed voxels is known only after they are written, so the header reserves a place for it.
  constexpr int sizeDigits = 20;
  const auto    headerWith = [&](std::uint64_t packed) {
    std::string size = std::to_string(packed);
    size.insert(0, sizeDigits - size.size(), ' ');
    std::string header = "ObjectType = Image\nNDims = " + std::to_string(dimension) +
                         "\nBinaryData = True\nBinaryDataByteOrderMSB = " + (HostIsBigEndian ? "True" : "False") +
                         "\nCompressedData = " + (options.compress ? "True" : "False") + "\n";
    header += options.compress ? "CompressedDataSize = " + size + "\n" : "";
    header +=
      "TransformMatrix =" + join([&](int axis) {
        return WordsOfAxes(dimension, [&](int row) { return Shortest(image.geometry.direction[row][axis] + 0.0); });
      });
    header += "Offset =" + join([&](int axis) { return Shortest(image.geometry.origin[axis]); });
    header += "CenterOfRotation =" + join([](int) { return std::string("0"); });
    header += "ElementSpacing =" + join([&](int axis) { return Shortest(image.geometry.spacing[axis]); });
    header += "DimSize =" + join([&](int axis) { return std::to_string(image.extent.size[axis]); });
    // MetaIO reads a name that begins with LIST as a list.
    const bool looksLikeList = data.compare(0, 4, "LIST") == 0 || (isDetached && LowerCase(data) == "local");
    header += std::string("ElementType = ") + type + "\nElementDataFile = " + (looksLikeList ? "./" : "") + data + "\n";
    return header;
  };
  const auto    wrapper = WrapperIf(options.compress, Wrapper::Zlib);
  OutputFile    file(path);
  std::uint64_t packed = 0;
  file.Write(headerWith(0));
  if (isDetached)
  {
    OutputFile voxels(PathBeside(path, data));
    packed = WriteVoxels(voxels, image, wrapper, options.context);
    voxels.Close();
  }
  else
  {
    packed = WriteVoxels(file, image, wrapper, options.context);
  }
  const std::string header = headerWith(packed);
  file.WriteAt(0, header.data(), header.size());
  file.Close();
  return {};
}

} // namespace brickccl::files
