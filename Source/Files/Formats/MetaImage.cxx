// SPDX-License-Identifier: Apache-2.0
// MetaImage (.mha, .mhd), https://itk.org/Wiki/ITK/MetaIO/Documentation: lines "Key = value", then voxels.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace brickccl::files
{

namespace
{

struct MetaType
{
  const char * name;
  ScalarType   type;
};

/** The types of voxels of MetaImage; of several names of a type, the first one is written. MET_LONG has four bytes. */
constexpr MetaType MetaTypes[] = { { "MET_CHAR", ScalarType::Int8 },       { "MET_UCHAR", ScalarType::UInt8 },
                                   { "MET_SHORT", ScalarType::Int16 },     { "MET_USHORT", ScalarType::UInt16 },
                                   { "MET_INT", ScalarType::Int32 },       { "MET_UINT", ScalarType::UInt32 },
                                   { "MET_LONG_LONG", ScalarType::Int64 }, { "MET_ULONG_LONG", ScalarType::UInt64 },
                                   { "MET_FLOAT", ScalarType::Float32 },   { "MET_DOUBLE", ScalarType::Float64 },
                                   { "MET_LONG", ScalarType::Int32 },      { "MET_ULONG", ScalarType::UInt32 } };

struct MetaHeader
{
  std::map<std::string, std::string> fields;
  /** The lines after "ElementDataFile = LIST". */
  std::vector<std::string> lines;
  std::uint64_t            end = 0;

  const std::string *
  Find(const std::string & name) const
  {
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : &found->second;
  }
  /** The value of a field that has several names. \throws Error if it is there more than once with other values. */
  const std::string *
  FindFirst(std::initializer_list<const char *> names) const
  {
    const std::string * found = nullptr;
    for (const char * const name : names)
    {
      const std::string * const value = Find(name);
      found = found == nullptr ? value : found;
      ThrowIf(value != nullptr && *value != *found,
              std::string("its field '") + name + "' and another one mean the same and have different values");
    }
    return found;
  }
  bool
  IsTrue(std::initializer_list<const char *> names) const
  {
    const std::string * const value = FindFirst(names);
    if (value == nullptr || value->empty())
    {
      return false;
    }
    const char letter = (*value)[0];
    ThrowIf(std::strchr("TtYy1FfNn0", letter) == nullptr,
            std::string("its field '") + *names.begin() + "' is " + Quoted(*value) + "; use True or False");
    return std::strchr("TtYy1", letter) != nullptr;
  }
};

MetaHeader
ParseHeader(const FileBytes & file)
{
  MetaHeader         header;
  const char * const begin = reinterpret_cast<const char *>(file.Data());
  const char * const end = begin + std::min<std::size_t>(file.Size(), std::size_t{ 1 } << 26);
  bool               isList = false;
  for (const char * place = begin; place < end;)
  {
    const std::string line = TakeLine(place, end);
    if (Trimmed(line).empty())
    {
      continue;
    }
    if (isList)
    {
      header.lines.push_back(Trimmed(line));
      continue;
    }
    const auto equals = line.find_first_of("=:");
    ThrowIf(equals == std::string::npos,
            "its header has the line " + Quoted(line.substr(0, 60)) + ", which is not a field");
    const std::string key = Trimmed(line.substr(0, equals));
    const std::string value = Trimmed(line.substr(equals + 1));
    ThrowIf(header.fields.emplace(key, value).first->second != value,
            "its header has the field " + Quoted(key) + " twice, with different values");
    if (key == "ElementDataFile")
    {
      header.end = static_cast<std::uint64_t>(place - begin);
      const auto words = Words(value);
      isList =
        !words.empty() && words[0] == "LIST" &&
        (words.size() == 1 || (words.size() == 2 && words[1].find_first_not_of("0123456789dDX") == std::string::npos));
      if (!isList)
      {
        return header;
      }
    }
  }
  ThrowIf(!isList, "its header has no field 'ElementDataFile', or the file is truncated");
  return header;
}

ScalarType
TypeOf(const MetaHeader & header)
{
  const std::string * const name = header.Find("ElementType");
  ThrowIf(name == nullptr, "its header has no field 'ElementType'");
  for (const auto & known : MetaTypes)
  {
    if (*name == known.name)
    {
      return known.type;
    }
  }
  const std::string array = "_ARRAY";
  const bool        isArray = name->size() > array.size() && name->substr(name->size() - array.size()) == array;
  throw Unsupported("its ElementType is " + Quoted(*name) +
                    "; MET_CHAR to MET_ULONG_LONG, MET_FLOAT and MET_DOUBLE are read" +
                    (isArray ? ", with ElementNumberOfChannels where voxels have several numbers" : ""));
}

/** The numbers of a field, one for each axis. */
std::optional<std::vector<double>>
NumbersOf(const MetaHeader & header, std::initializer_list<const char *> names, std::size_t count)
{
  const std::string * const text = header.FindFirst(names);
  if (text == nullptr)
  {
    return std::nullopt;
  }
  auto numbers = RealNumbers(*text, *names.begin());
  ThrowIf(numbers.size() < count,
          std::string("its field '") + *names.begin() + "' has " + std::to_string(numbers.size()) +
            " numbers instead of " + std::to_string(count));
  return numbers;
}

void
SetGeometry(const MetaHeader & header, std::size_t fileDimension, const ReadOptions & options, LoadedImage & image)
{
  const auto dimension = static_cast<std::size_t>(image.extent.dimension);
  // The size of a voxel differs from the distance of two, and replaces it if that is missing.
  const bool hasSpacing = header.Find("ElementSpacing") != nullptr;
  const auto spacing = NumbersOf(header, { hasSpacing ? "ElementSpacing" : "ElementSize" }, fileDimension);
  const auto origin = NumbersOf(header, { "Offset", "Position", "Origin" }, fileDimension);
  const auto matrix =
    NumbersOf(header, { "TransformMatrix", "Rotation", "Orientation" }, fileDimension * fileDimension);
  double factor = 1;
  if (const std::string * const unit = header.Find("DistanceUnits"))
  {
    const double millimeters = Millimeters(*unit);
    factor = millimeters == 0 ? 1 : millimeters;
    if (millimeters == 0 && *unit != "?" && !unit->empty())
    {
      image.notes.push_back("its DistanceUnits are " + Quoted(*unit) + ", an unknown unit of length; mm is assumed");
    }
    else if (factor != 1)
    {
      image.notes.push_back("its lengths are in " + *unit + " (DistanceUnits), which other programs may read as mm");
    }
  }
  double      vectors[MaximumDimension][MaximumDimension] = {};
  std::string flipped;
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    const bool isFlipped = spacing && (*spacing)[axis] < 0;
    flipped += isFlipped ? (flipped.empty() ? "" : ", ") + std::string(1, AxisNames[axis]) : "";
    // A fourth axis is time.
    const double unitOfAxis = axis < 3 ? factor : 1;
    image.geometry.origin[axis] = origin ? (*origin)[axis] * unitOfAxis : 0;
    for (std::size_t row = 0; row < dimension; ++row)
    {
      const double cosine = matrix ? (*matrix)[axis * fileDimension + row] : axis == row ? 1 : 0;
      vectors[axis][row] = cosine * (spacing ? (*spacing)[axis] : 1) * unitOfAxis;
    }
  }
  image.spacingSource = spacing ? "file" : "none";
  SettleAxes(vectors, "TransformMatrix times ElementSpacing", options, image);
  NoteIf(!flipped.empty(), NoteOnFlippedAxes(flipped), image.notes);
}

/** The files that hold the voxels. `isLocal` says whether that is the file of the header itself. */
std::vector<FileBytes>
DataFilesOf(const FileBytes & file, const MetaHeader & header, bool & isLocal)
{
  const std::string & name = *header.Find("ElementDataFile");
  isLocal = name == "LOCAL" || name == "Local" || name == "local";
  if (isLocal)
  {
    return { file };
  }
  const auto names = header.lines.empty() ? DataFileNames(file.Path(), name, "ElementDataFile", 3) : header.lines;
  return MapDataFiles(file.Path(), names);
}

/** The wrapper of compressed data from `begin` on. \throws Error if its only file is too short. */
Wrapper
WrapperOf(const FileBytes & data, std::uint64_t begin, const MetaHeader & header, bool isOnly)
{
  // CompressedDataSize may be missing or wrong, since it is written last. The stream itself says where it ends.
  const unsigned char * const packed = data.Data() + begin;
  const std::size_t           size = data.Size() - begin;
  if (const std::string * const stated = header.Find("CompressedDataSize"))
  {
    const double number = stated->empty() ? 0 : RealNumber(*stated, "CompressedDataSize");
    if (isOnly && number > static_cast<double>(size))
    {
      data.Require(begin, static_cast<std::uint64_t>(std::min(number, 9e18)));
    }
  }
  return size >= 2 && packed[0] == 0x1f && packed[1] == 0x8b ? Wrapper::Gzip : Wrapper::Zlib;
}

void
ReadData(const FileBytes & file, const MetaHeader & header, const ReadOptions & options, LoadedImage & image)
{
  bool       isLocal = false;
  const auto files = DataFilesOf(file, header, isLocal);
  const bool isText = header.Find("BinaryData") != nullptr && !header.IsTrue({ "BinaryData" });
  DataLayout layout;
  layout.encoding = header.IsTrue({ "CompressedData" }) ? Encoding::Compressed
                  : isText                              ? Encoding::Text
                                                        : Encoding::Raw;
  layout.swapped = !isText && SizeOf(image.type) > 1 &&
                   header.IsTrue({ "BinaryDataByteOrderMSB", "ElementByteOrderMSB" }) != HostIsBigEndian;
  const auto headerSize =
    header.Find("HeaderSize") == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find("HeaderSize"), "HeaderSize");
  ThrowIf(headerSize < -1, "its HeaderSize is " + std::to_string(headerSize) + "; it must be at least 0, or -1");
  layout.areLast = headerSize == -1 && layout.encoding == Encoding::Raw;
  const std::uint64_t bytesOfFile = VoxelBytes(image.extent, image.channels, image.type) / files.size();
  for (const FileBytes & data : files)
  {
    const auto begin = (isLocal ? header.end : 0) + static_cast<std::uint64_t>(std::max<std::int64_t>(headerSize, 0));
    data.Require(begin, 0);
    const bool isCompressed = layout.encoding == Encoding::Compressed;
    const auto wrapper = isCompressed ? WrapperOf(data, begin, header, files.size() == 1) : Wrapper::Zlib;
    layout.parts.push_back({ data, begin, 0, wrapper, data.QuotedName() });
    const std::string & type = *header.Find("ElementType");
    ThrowIf(layout.encoding == Encoding::Raw && !layout.areLast && data.Size() - begin > bytesOfFile &&
              (type == "MET_LONG" || type == "MET_ULONG"),
            "its voxels need " + std::to_string(bytesOfFile) + " bytes as " + type + ", or " +
              std::to_string(2 * bytesOfFile) + " as " + type + "_LONG; it has " + std::to_string(data.Size() - begin));
  }
  ReadDataFiles(layout, options.Context(), image);
}

} // namespace

bool
IsMetaImage(const FileBytes & file)
{
  return HasExtension(file.Path(), ".mha .mhd") || file.BeginsWith("ObjectType", 10);
}

std::vector<std::string>
FilesBesideMetaImage(const std::string & path)
{
  return HasExtension(path, ".mhd")
         ? std::vector<std::string>{ DataFilePath(path, ".raw"), DataFilePath(path, ".zraw") }
         : std::vector<std::string>();
}

LoadedImage
ReadMetaImage(const FileBytes & file, const ReadOptions & options)
{
  const MetaHeader header = ParseHeader(file);
  LoadedImage      image;
  image.inParts = options.inParts;
  const std::string * const objectType = header.Find("ObjectType");
  if (objectType != nullptr && LowerCase(*objectType) != "image")
  {
    throw Unsupported("its ObjectType is " + Quoted(*objectType) + "; Image is read");
  }
  const std::string * const count = header.Find("NDims");
  const std::string * const sizes = header.Find("DimSize");
  ThrowIf(count == nullptr || sizes == nullptr,
          std::string("its header has no field '") + (count == nullptr ? "NDims" : "DimSize") + "'");
  const auto dimension = WholeNumber(*count, "NDims");
  ThrowIf(dimension < 1 || dimension > 16, "its NDims is " + std::to_string(dimension) + "; 1 to 16 are possible");
  const auto extent = WholeNumbers(*sizes, "DimSize");
  ThrowIf(extent.size() != static_cast<std::size_t>(dimension),
          "its NDims is " + std::to_string(dimension) + " but its DimSize has " + std::to_string(extent.size()) +
            " numbers");
  image.type = TypeOf(header);
  image.extent = SettleExtent(extent);
  if (const std::string * const channels = header.Find("ElementNumberOfChannels"))
  {
    const auto number = WholeNumber(*channels, "ElementNumberOfChannels");
    ThrowIf(number < 1 || number > 1000000,
            "its ElementNumberOfChannels is " + std::to_string(number) + "; it must be 1 to 1000000");
    image.channels = static_cast<int>(number);
  }
  for (const auto & [field, neutral] :
       { std::pair{ "ElementToIntensityFunctionSlope", 1.0 }, std::pair{ "ElementToIntensityFunctionOffset", 0.0 } })
  {
    ThrowIf<Unsupported>(header.Find(field) != nullptr && RealNumber(*header.Find(field), field) != neutral,
                         "its values are scaled (" + std::string(field) + "); save the scaled values");
  }
  SetGeometry(header, extent.size(), options, image);
  TellHeader(options, image);
  ReadData(file, header, options, image);
  return image;
}

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
