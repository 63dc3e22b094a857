#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

namespace brickccl::files
{

namespace
{

/** The type's name as the format's own library writes it. */
const char *
NrrdNameOf(ScalarType type)
{
  switch (type)
  {
  case ScalarType::Int8:
    return "signed char";
  case ScalarType::UInt8:
    return "unsigned char";
  case ScalarType::Int16:
    return "short";
  case ScalarType::UInt16:
    return "unsigned short";
  case ScalarType::Int32:
    return "int";
  case ScalarType::UInt32:
    return "unsigned int";
  case ScalarType::Int64:
    return "long long int";
  case ScalarType::UInt64:
    return "unsigned long long int";
  case ScalarType::Float32:
    return "float";
  case ScalarType::Float64:
    break;
  }
  return "double";
}

} // namespace

std::vector<std::string>
FilesBesideNrrd(const std::string & path)
{
  return HasExtension(path, ".nhdr")
         ? std::vector<std::string>{ DataFilePath(path, ".raw"), DataFilePath(path, ".raw.gz") }
         : std::vector<std::string>();
}

std::vector<std::string>
WriteNrrd(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  const bool isDetached = HasExtension(path, ".nhdr");
  const int  dimension = image.extent.dimension;
  const auto join = [&](auto word) {
    std::string text;
    for (int axis = 0; axis < dimension; ++axis)
    {
      text += (axis == 0 ? "" : " ") + word(axis);
    }
    return text;
  };
  const auto vector = [&](auto number) {
    std::string text;
    for (int row = 0; row < dimension; ++row)
    {
      text += (row == 0 ? "(" : ",") + Shortest(number(row));
    }
    return text + ")";
  };
  std::string header = "NRRD0004\n# Complete NRRD file format specification at:\n"
                       "# https://teem.sourceforge.net/nrrd/format.html\n";
  header += std::string("type: ") + NrrdNameOf(image.type) + "\ndimension: " + std::to_string(dimension) + "\n";
  header +=
    dimension == 3 ? "space: left-posterior-superior\n" : "space dimension: " + std::to_string(dimension) + "\n";
  header += "sizes: " + join([&](int axis) { return std::to_string(image.extent.size[axis]); }) + "\n";
  header +=
    "space directions: " + join([&](int axis) {
      return vector([&](int row) { return image.geometry.direction[row][axis] * image.geometry.spacing[axis] + 0.0; });
    }) +
    "\n";
  header += "kinds: " + join([](int) { return std::string("domain"); }) + "\n";
  if (SizeOf(image.type) > 1)
  {
    header += HostIsBigEndian ? "endian: big\n" : "endian: little\n";
  }
  header += options.compress ? "encoding: gzip\n" : "encoding: raw\n";
  header += "space origin: " + vector([&](int row) { return image.geometry.origin[row]; }) + "\n";
  const auto wrapper = WrapperIf(options.compress, Wrapper::Gzip);
  if (isDetached)
  {
    const std::string data = DataFileName(path, options.compress ? ".raw.gz" : ".raw");
    // A name that begins with LIST would be read as a list.
    header += "data file: " + std::string(data.compare(0, 4, "LIST") == 0 ? "./" : "") + data + "\n";
    OutputFile voxels(PathBeside(path, data));
    WriteVoxels(voxels, image, wrapper, options.context);
    voxels.Close();
  }
  else if (!options.compress)
  {
    // Voxels that begin at a multiple of 16 bytes can be used in the mapped file without a copy.
    header += "#" + std::string((16 - (header.size() + 3) % 16) % 16, ' ') + "\n";
  }
  OutputFile file(path);
  file.Write(header);
  if (!isDetached)
  {
    file.Write("\n", 1);
    WriteVoxels(file, image, wrapper, options.context);
  }
  file.Close();
  return {};
}

} // namespace brickccl::files
