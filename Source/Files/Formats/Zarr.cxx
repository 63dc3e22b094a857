// SPDX-License-Identifier: Apache-2.0
// Zarr arrays (versions 2 and 3) and OME-Zarr images: folders of metadata in JSON and of chunks, a file each.

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Decompress.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/Arrays.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

namespace brickccl::files
{

namespace
{

namespace fs = std::filesystem;
using nlohmann::json;

struct ZarrArray
{
  FileStamp  header;
  ArrayShape shape;
  ArrayShape chunk;
  ScalarType type = ScalarType::UInt8;
  /** Whether the bytes of each value are in reverse order. */
  bool swapped = false;
  /** "gzip", "zlib", "zstd" or "blosc"; empty if chunks are not compressed. */
  std::string compressor;
  /** A chunk's file is named by its indices, with this before them and between them: "c/1/0/2", "1.0.2". */
  std::string before;
  std::string between;
  /** The bytes of a voxel of a missing chunk. */
  std::string fill;
  /** The files of stored chunks, when they were listed. */
  std::map<std::string, FileStamp> stored = {};
};

std::string
NameOfChunk(const ZarrArray & array, const ArrayBox & box)
{
  std::string name;
  for (std::size_t i = 0; i < array.shape.size(); ++i)
  {
    name += (i == 0 ? array.before : array.between) + std::to_string(box.begin[i] / array.chunk[i]);
  }
  return name;
}

/** Decompresses `bytes` bytes. \return whether there are as many and they are not damaged */
bool
DecompressChunk(const std::string & compressor, const FileBytes & file, std::byte * output, std::size_t bytes)
{
  if (const bool isGzip = compressor == "gzip"; isGzip || compressor == "zlib")
  {
    Inflater inflater(file.Data(), file.Size(), isGzip ? Wrapper::Gzip : Wrapper::Zlib, Quoted(file.Path()));
    inflater.Read(output, bytes);
    inflater.Finish();
    return true;
  }
  if (!compressor.empty())
  {
    return Decompress(compressor, file.Data(), file.Size(), output, bytes) == bytes;
  }
  const bool isWhole = file.Size() == bytes;
  isWhole ? std::memcpy(output, file.Data(), bytes) : nullptr;
  return isWhole;
}

void
ReadChunk(const ZarrArray & array, const ArrayBox & box, const ArraySlices & slices, std::byte * output)
{
  const std::string name = NameOfChunk(array, box);
  const std::size_t size = SizeOf(array.type);
  const auto        stored = array.stored.find(name);
  const bool        isStored = stored != array.stored.end();
  // A missing chunk may be far larger than the array.
  const ArrayShape & held = isStored ? array.chunk : box.size;
  std::size_t        begin = 0;
  for (std::size_t i = 0; isStored && i < array.chunk.size(); ++i)
  {
    begin = begin * array.chunk[i] + box.begin[i] % array.chunk[i];
  }
  Buffer<std::byte> values;
  values.Resize(static_cast<std::size_t>(ArrayBox{ {}, held }.Count()) * size);
  for (std::size_t i = 0; !isStored && i < values.Size(); ++i)
  {
    values.Data()[i] = static_cast<std::byte>(array.fill[i % size]);
  }
  if (isStored)
  {
    const FileBytes file = MapDataFiles(array.header.path, { name }).front();
    ThrowIf(!DecompressChunk(array.compressor, file, values.Data(), values.Size()),
            "its chunk " + Quoted(name) + " is damaged or truncated: " + std::to_string(file.Size()) +
              " bytes do not make " + std::to_string(values.Size()));
    array.swapped ? SwapBytes(values.Data(), size, values.Size() / size, { 1 }) : void();
  }
  (isStored ? stored->second : FileStamp{ PathBeside(array.header.path, name) }).RequireSame();
  PutBox(array.shape, box, slices, held, size, values.Data() + begin * size, output);
}

/** Finds out which chunks are there. \throws Error if there are only files of other names. */
void
FindChunks(ZarrArray & array, LoadedImage & image)
{
  const auto      boxes = CutIntoBoxes(array.shape, array.chunk, { 0, 0, array.shape[0] });
  const fs::path  folder = fs::path(array.header.path).parent_path();
  std::error_code failure;
  for (const ArrayBox & box : boxes)
  {
    const std::string name = NameOfChunk(array, box);
    const std::string path = PathBeside(array.header.path, name);
    // A link to a file that is gone is not a missing chunk.
    if (fs::symlink_status(path, failure).type() != fs::file_type::not_found)
    {
      array.stored.emplace(name, FileStamp::Of(path));
      image.files.push_back(path);
    }
  }
  NoteIf(array.stored.size() < boxes.size(),
         std::to_string(boxes.size() - array.stored.size()) + " of its " + Counted(boxes.size(), "chunk") +
           " are not stored; their voxels have the fill value",
         image.notes);
  using Entries = fs::recursive_directory_iterator;
  for (const auto & entry : array.stored.empty() ? Entries(folder, failure) : Entries())
  {
    const std::string name = entry.path().filename().string();
    ThrowIf(!entry.is_directory(failure) && name[0] != '.' && name != "zarr.json",
            "it has no chunk such as " + Quoted(NameOfChunk(array, boxes[0])) + ", but " +
              Quoted(entry.path().lexically_relative(folder).generic_string()));
  }
}

json
ReadJson(const FileBytes & file)
{
  const auto * const text = reinterpret_cast<const char *>(file.Data());
  json               document = json::parse(text, text + file.Size(), nullptr, false);
  ThrowIf(!document.is_object(), file.QuotedName() + " is damaged: it is not a JSON object");
  return document;
}

std::string
TextOf(const json & value)
{
  return Quoted(value.is_string() ? value.get<std::string>() : value.dump().substr(0, 60));
}

void
Expect(bool isRead, const std::string & what, const json & value)
{
  ThrowIf<Unsupported>(!isRead,
                       "its " + what + " is " + TextOf(value) +
                         "; whole numbers, float32, float64 and bool are read in chunks of a regular grid, in C order, "
                         "uncompressed or compressed by gzip, zlib, zstd or blosc");
}

/** Reads the attributes of an array or group: version 3 has them in the header, version 2 in `.zattrs`. */
json
AttributesOf(const FileBytes & header, const json & metadata)
{
  const std::string beside = PathBeside(header.Path(), ".zattrs");
  return metadata.value("attributes", IsThere(beside) ? ReadJson(FileBytes::Map(beside)) : json::object());
}

ArrayShape
SizesOf(const json & sizes)
{
  ArrayShape numbers;
  double     all = 1;
  for (const json & size : sizes)
  {
    numbers.push_back(size.is_number_unsigned() ? size.get<std::uint64_t>() : 0);
    all *= static_cast<double>(numbers.back());
  }
  ThrowIf(!(all >= 1 && all < 4e18) || numbers.empty(),
          "its shape or the shape of its chunks is " + TextOf(sizes) +
            "; there must be at least one voxel along each axis, and not more than any memory holds");
  return numbers;
}

/** The bytes of a value of a type. */
std::string
FillOf(const json & fill, ScalarType type)
{
  return VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using Limits = std::numeric_limits<T>;
    const bool isWord = !Limits::is_integer && (fill == "NaN" || fill == "Infinity" || fill == "-Infinity");
    const bool isNumber =
      fill.is_boolean() ||
      (Limits::is_integer ? fill.is_number_integer() && json(fill.get<T>()) == fill : fill.is_number());
    Expect(isWord || isNumber || fill.is_null(), "fill_value of the type " + std::string(NameOf(type)), fill);
    const T value = isWord   ? static_cast<T>(std::strtod(fill.get<std::string>().c_str(), nullptr))
                  : isNumber ? fill.get<T>()
                             : T{ 0 };
    return std::string(reinterpret_cast<const char *>(&value), sizeof(T));
  });
}

/** \throws Unsupported for keys of version 3 that change what an array or group is. */
void
CheckKeys(const json & metadata, const std::string & type)
{
  static const std::set<std::string> known = { "zarr_format",        "node_type",      "attributes", "shape",
                                               "data_type",          "chunk_grid",     "codecs",     "fill_value",
                                               "chunk_key_encoding", "dimension_names" };
  Expect(metadata.at("node_type") == type, "node_type", metadata["node_type"]);
  for (const auto & [key, value] : metadata.items())
  {
    const bool isOptional =
      value == json::array() || (value.is_object() && value.value("must_understand", true) == false);
    Expect(isOptional || known.count(key) > 0, "unknown key, which must be understood,", key);
  }
}

ZarrArray
ParseArray(const FileBytes & header, const json & metadata)
{
  const bool   is3 = metadata.at("zarr_format") == 3;
  const json   attributes = AttributesOf(header, metadata);
  const json & type = metadata.at(is3 ? "data_type" : "dtype");
  const json   keys = is3 ? metadata.at("chunk_key_encoding") : json{ { "name", "v2" } };
  const bool   isDefault = keys.at("name") == "default";
  json         codecs = json::array();
  for (const json & codec : is3 ? metadata.at("codecs") : json::array({ metadata.value("compressor", json()) }))
  {
    codecs.push_back(codec.is_null() ? "" : codec.at(is3 ? "name" : "id"));
  }
  is3 ? CheckKeys(metadata, "array") : Expect(metadata["zarr_format"] == 2, "zarr_format", metadata["zarr_format"]);
  Expect(type.is_string(), "data type", type);
  Expect(is3 || metadata.at("order") == "C", "order", metadata.value("order", json()));
  Expect(metadata.value("filters", json()).empty(), "list of filters", metadata.value("filters", json()));
  Expect(!is3 || metadata.at("chunk_grid").at("name") == "regular", "chunk_grid", metadata.value("chunk_grid", json()));
  Expect(isDefault || keys["name"] == "v2", "chunk_key_encoding", keys);
  Expect(!is3 || (codecs.size() - 1 < 2 && codecs[0] == "bytes"), "list of codecs", codecs);
  const std::set<std::string> compressors = { "", "gzip", "zlib", "zstd", "blosc" };
  ZarrArray                   array;
  array.header = FileStamp::Of(header.Path());
  array.shape = SizesOf(metadata.at("shape"));
  array.compressor = is3 && codecs.size() == 1 ? "" : codecs.back();
  array.between = is3 ? keys.value("/configuration/separator"_json_pointer, isDefault ? "/" : ".")
                      : metadata.value("dimension_separator", ".");
  array.before = isDefault ? "c" + array.between : "";
  array.chunk = SizesOf(is3 ? metadata["chunk_grid"].at("configuration").at("chunk_shape") : metadata.at("chunks"));
  const auto scalar = ScalarTypeNamed(type == "bool" ? "uint8" : type.get<std::string>());
  Expect(!is3 || scalar, "data_type", type);
  array.type = is3 ? *scalar : TypeOfNpy(type);
  const bool isBig = is3 ? metadata.value("/codecs/0/configuration/endian"_json_pointer, "little") == "big"
                         : type.get<std::string>()[0] == '>';
  array.swapped = isBig != HostIsBigEndian;
  Expect(compressors.count(array.compressor) > 0, "compressor", array.compressor);
  Expect(array.between == "." || array.between == "/", "separator of names of chunks", array.between);
  ThrowIf(array.chunk.size() != array.shape.size(),
          "its shape is " + TextOf(metadata["shape"]) + ", but its chunks have " +
            Counted(array.chunk.size(), "dimension"));
  array.fill = FillOf(metadata.value("fill_value", json()), array.type);
  for (const char * const attribute : AttributesOfValues)
  {
    Expect(!attributes.contains(attribute), "attribute, which may change its values,", attribute);
  }
  return array;
}

std::string
LettersOf(const json & axes)
{
  std::string letters;
  for (const json & axis : axes)
  {
    const std::string type = axis.is_object() ? axis.value("type", "") : "";
    const std::string name = axis.is_object() ? axis.at("name") : axis;
    letters += type == "channel" ? "c" : type == "time" ? "t" : name;
  }
  ThrowIf<Unsupported>(letters.size() != axes.size() || letters.find_first_not_of("tzyxc") != std::string::npos,
                       "its axes are " + TextOf(axes) + "; axes t, c, z, y and x are read");
  return letters;
}

void
SetGeometry(const json & transformations, const json & axes, const ArrayAxes & places, LoadedImage & image)
{
  std::set<bool> hasUnit;
  for (int axis = 0; axis < std::min(3, image.extent.dimension); ++axis)
  {
    const std::size_t place = places.places[places.places.size() - 1 - static_cast<std::size_t>(axis)];
    if (LettersOf(axes)[place] == 't')
    {
      continue;
    }
    const std::string unit = axes[place].is_object() ? axes[place].value("unit", "") : "";
    double            scale = unit.empty() ? 1 : Millimeters(unit);
    double            origin = 0;
    hasUnit.insert(!unit.empty());
    ThrowIf<Unsupported>(scale == 0,
                         "an axis has the unit " + Quoted(unit) + "; micrometer and other units of length are read");
    const double millimeters = scale;
    for (const json & each : transformations)
    {
      const std::string type = each.at("type");
      const bool        isScale = type == "scale";
      const auto        numbers = each.value(type, std::vector<double>());
      ThrowIf<Unsupported>((!isScale && type != "translation") || numbers.size() != axes.size(),
                           "its coordinate transformation " + TextOf(each) + " is not read; scale and translation of " +
                             Counted(axes.size(), "number") + " are");
      scale *= isScale ? numbers[place] : 1;
      origin = isScale ? origin * numbers[place] : origin + numbers[place] * millimeters;
    }
    image.geometry.spacing[axis] = scale;
    image.geometry.origin[axis] = origin;
  }
  ThrowIf(hasUnit.size() == 2, "some of its OME axes have a unit, and others none; all axes of space should have one");
  hasUnit.count(true) > 0 ? void() : image.notes.push_back("its OME scale has no unit; mm is assumed");
  SettleSpacing(image);
}

/** The dataset of an OME image whose array is the largest, and the header of this array. */
std::pair<json, std::string>
LargestOf(const FileBytes & header, const json & datasets)
{
  std::pair<json, std::string> largest;
  ArrayShape                   most;
  for (const json & dataset : datasets)
  {
    const std::string path = dataset.at("path");
    const std::string file = ZarrHeader(PathBeside(header.Path(), path));
    ThrowIf(file.empty() && most.empty(),
            "its image " + Quoted(path) + " is missing: no folder of that name holds an array");
    if (const auto shape = file.empty() ? most : SizesOf(ReadJson(FileBytes::Map(file)).at("shape")); shape > most)
    {
      largest = { dataset, file };
      most = shape;
    }
  }
  ThrowIf(most.empty(), "its list of OME datasets is empty; there must be one at least");
  return largest;
}

LoadedImage
ReadHeader(const FileBytes & header, ZarrArray & array)
{
  LoadedImage image;
  FileBytes   own = header;
  json        metadata = ReadJson(header);
  json        axes;
  json        transformations = json::array();
  image.files = { header.Path() };
  if (!metadata.contains("shape"))
  {
    if (metadata.value("zarr_format", json()) == 3)
    {
      CheckKeys(metadata, "group");
    }
    const json attributes = AttributesOf(header, metadata);
    const json images = attributes.value("ome", attributes).value("multiscales", json::array());
    ThrowIf<Unsupported>(images.size() != 1,
                         "it is a group with " + Counted(images.size(), "OME image") +
                           "; give the folder in it of one image or array");
    axes = images.at(0).value("axes", json{ "t", "c", "z", "y", "x" });
    const auto [largest, file] = LargestOf(header, images[0].at("datasets"));
    for (const json & part : { largest, images[0] })
    {
      const json list = part.value("coordinateTransformations", json::array());
      transformations.insert(transformations.end(), list.begin(), list.end());
    }
    own = FileBytes::Map(file);
    image.files.push_back(file);
    metadata = ReadJson(own);
  }
  array = ParseArray(own, metadata);
  const std::string letters = axes.is_null() ? std::string(array.shape.size(), '?') : LettersOf(axes);
  ThrowIf(letters.size() != array.shape.size(),
          "its axes are " + letters + ", but the array has " + SizesText(array.shape) + " voxels");
  const ArrayAxes places = AxesOf(letters, array.shape, "OME axes");
  image.type = array.type;
  image.notes = places.notes;
  image.channels = places.channels;
  image.extent = SettleExtent(places.sizes);
  image.spacingSource = transformations.empty() ? "none" : "file";
  transformations.empty() ? void() : SetGeometry(transformations, axes, places, image);
  return image;
}

} // namespace

std::string
ZarrHeader(const std::string & folder)
{
  for (const char * const name : { "/zarr.json", "/.zarray", "/.zgroup" })
  {
    if (IsRegularFile(folder + name))
    {
      return folder + name;
    }
  }
  return "";
}

bool
IsZarr(const FileBytes & file)
{
  const std::string name = fs::path(file.Path()).filename().string();
  return name == "zarr.json" || name == ".zarray" || name == ".zgroup";
}

LoadedImage
ReadZarr(const FileBytes & file, const ReadOptions & options)
{
  ZarrArray   array;
  LoadedImage image;
  try
  {
    image = ReadHeader(file, array);
  }
  catch (const json::exception & error)
  {
    const std::string text = error.what();
    const std::string why = Printable(text.substr(text.find(']') + 1));
    throw Error(error.id == 403 ? "its metadata have no" + why.substr(0, why.rfind(" not")) + ", which is required"
                                : "its metadata are damaged:" + why);
  }
  TellHeader(options, image);
  FindChunks(array, image);
  const auto read = [array](const ArraySlices & slices, const HostContext & context, std::byte * output) {
    array.header.RequireSame();
    const auto boxes = CutIntoBoxes(array.shape, array.chunk, slices);
    ParallelFor(static_cast<std::int64_t>(boxes.size()), context, [&](std::int64_t i) {
      ReadChunk(array, boxes[static_cast<std::size_t>(i)], slices, output);
    });
  };
  TakeSlices(array.shape, array.chunk, options, read, image);
  return image;
}

} // namespace brickccl::files
