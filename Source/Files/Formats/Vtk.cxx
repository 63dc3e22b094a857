// SPDX-License-Identifier: Apache-2.0
// Images of VTK: XML (.vti) with voxels as text, base64 or appended bytes, and the older .vtk of lines.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Codecs/Decompress.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace brickccl::files
{

namespace
{

std::string_view
TextOf(const FileBytes & file)
{
  return { reinterpret_cast<const char *>(file.Data()), file.Size() };
}

/** Sets the extent and the geometry. \param ends  first and last index of points along x, y and z
 *  \param lengths  origin, spacing and direction */
void
PlaceVtk(const std::vector<std::int64_t> & ends,
         const std::vector<double> &       lengths,
         bool                              areCells,
         const ReadOptions &               options,
         LoadedImage &                     image)
{
  ThrowIf(ends.size() != 6 || lengths.size() != 15,
          "its extent, origin, spacing or direction has too few or many numbers");
  double                    vectors[MaximumDimension][MaximumDimension] = {};
  std::vector<std::int64_t> sizes;
  std::copy_n(lengths.begin(), 3, image.geometry.origin);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::int64_t first = ends[2 * axis];
    const std::int64_t last = ends[2 * axis + 1];
    ThrowIf(first < INT32_MIN || last >= INT32_MAX, "its extent exceeds 32 bits");
    const bool isBetween = areCells && last > first;
    sizes.push_back(last - first + (isBetween ? 0 : 1));
    for (std::size_t row = 0; row < 3; ++row)
    {
      vectors[axis][row] = lengths[6 + 3 * row + axis] * lengths[3 + axis] + 0.0;
      image.geometry.origin[row] += vectors[axis][row] * (static_cast<double>(first) + (isBetween ? 0.5 : 0));
    }
  }
  image.extent = SettleExtent(sizes);
  SettleAxes(vectors, "its directions", options, image);
}

void
TakeVtkText(const FileBytes &   file,
            std::size_t         begin,
            std::size_t         end,
            const ReadOptions & options,
            LoadedImage &       image)
{
  const FileBytes text = FileBytes::FromMemory(file.Path(), file.Data() + begin, std::min(file.Size(), end) - begin);
  ReadDataFiles({ Encoding::Text, false, false, { { text, 0, 0, Wrapper::Gzip, "" } } }, options.Context(), image);
}

/** Tags of XML without their ends, and where the text behind them begins, by the names of elements. */
using XmlTags = std::multimap<std::string, std::pair<std::string, std::size_t>>;

/** The whole numbers before the voxels of a binary array. */
struct VtkNumbers
{
  std::size_t size = 4;
  bool        areBig = false;
  /** How blocks are compressed: by LZ4, or else by zlib. */
  bool isLz4 = false;
};

/** Decodes base64 up to another letter, or behind `parts` parts that end with padding. */
FileBytes
Decode64(const FileBytes & file, std::uint64_t begin, int parts)
{
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  std::vector<unsigned char> bytes;
  std::uint32_t              group = 1;
  std::uint32_t              padding = 0;
  for (const char letter : TextOf(file).substr(begin))
  {
    const std::size_t digit = letters.find(letter);
    if (digit == letters.npos || parts == 0)
    {
      break;
    }
    padding += digit == 64 ? 8 : 0;
    group = group << 6 | (digit & 63);
    if (group >> 24 != 0)
    {
      for (std::uint32_t shift = 16; shift + 8 > padding && shift < 24; shift -= 8)
      {
        bytes.push_back(static_cast<unsigned char>(group >> shift));
      }
      parts -= padding > 0 ? 1 : 0;
      group = 1;
      padding = 0;
    }
  }
  return FileBytes::FromMemory(file.Path(), bytes.data(), bytes.size());
}

/** Takes voxels that are compressed in blocks. Before them are the number of blocks, the bytes of a block and of the
 *  last one (0: as many) before compression, and the bytes of each block after it. */
void
TakeBlocks(const FileBytes &   from,
           std::uint64_t       begin,
           const VtkNumbers &  form,
           const HostContext & context,
           LoadedImage &       image)
{
  const auto number = [&](std::uint64_t i) { return from.Number(begin + i * form.size, form.size, form.areBig); };
  const std::uint64_t bytes = VoxelBytes(image.extent, 1, image.type);
  const std::uint64_t count = number(0);
  const std::uint64_t block = number(1);
  const std::uint64_t last = number(2);
  ThrowIf(block == 0 || count != (bytes - 1) / block + 1 || last > block || last % block != bytes % block,
          "its blocks do not hold the " + std::to_string(bytes) + " bytes of its voxels");
  RequireRoom(from.Size(), static_cast<double>(MaximumInflatedSize(1)), static_cast<double>(bytes), image.extent);
  std::vector<std::uint64_t> places = { begin + (3 + count) * form.size };
  for (std::uint64_t i = 0; i < count; ++i)
  {
    from.Require(places[i], number(3 + i));
    places.push_back(places[i] + number(3 + i));
  }
  std::byte * const output = image.voxels.Resize(bytes);
  ParallelFor(static_cast<std::int64_t>(count), context, [&](std::int64_t i) {
    const auto at = static_cast<std::uint64_t>(i);
    const auto stored = places[at + 1] - places[at];
    const auto wanted = std::min(block, bytes - at * block);
    if (form.isLz4)
    {
      ThrowIf(Decompress("lz4", from.Data() + places[at], stored, output + at * block, wanted) != wanted,
              "its compressed block " + std::to_string(at) + " is damaged");
      return;
    }
    Inflater inflater(from.Data() + places[at], stored, Wrapper::Zlib, from.QuotedName());
    inflater.Read(output + at * block, wanted);
    inflater.Finish();
  });
  SwapBytes(output, SizeOf(image.type), form.areBig != HostIsBigEndian ? bytes / SizeOf(image.type) : 0, context);
}

XmlTags
TagsOf(std::string_view text)
{
  XmlTags           tags;
  std::string       inside;
  const std::size_t last = text.find_last_not_of(WhiteSpace);
  ThrowIf(last < 9 || text.substr(last - 9, 10) != "</VTKFile>",
          "the file is truncated: </VTKFile> is missing at its end");
  for (std::size_t place = 0; tags.count("AppendedData") == 0 && (place = text.find('<', place)) != text.npos; ++place)
  {
    const std::size_t end = text.find('>', place);
    const std::string tag(text.substr(place, end - place));
    const std::string name = tag.substr(1, tag.find_first_of(WhiteSpace) - 1);
    ThrowIf(name[0] == '!', "its XML has comments, which are not read");
    inside = name == "PointData" || name == "CellData" ? name : name == '/' + inside ? "" : inside;
    tags.emplace(name == "DataArray" ? inside + name : name, std::pair(tag, end + 1));
  }
  return tags;
}

const std::pair<std::string, std::size_t> &
Only(const XmlTags & tags, const std::string & name)
{
  ThrowIf(tags.count(name) != 1, "it has " + std::to_string(tags.count(name)) + " elements " + name + "; one is read");
  return tags.find(name)->second;
}

void
CheckChosen(std::size_t found, const std::string & names, const std::string & extension)
{
  ThrowIf(found != 1,
          "it has the arrays " + (names.empty() ? "none" : names) + "; choose one as FILE" + extension + "::/NAME");
}

XmlTags::value_type
ChosenArray(const XmlTags & tags, const std::string & chosen)
{
  std::vector<XmlTags::value_type> found;
  std::string                      names;
  for (const XmlTags::value_type & each : tags)
  {
    if (each.first == "PointDataDataArray" || each.first == "CellDataDataArray")
    {
      const std::string name = Attribute(each.second.first, "Name");
      names += (names.empty() ? "" : ", ") + Quoted(name);
      chosen.empty() || chosen == '/' + name ? found.push_back(each) : void();
    }
  }
  CheckChosen(found.size(), names, ".vti");
  return found[0];
}

std::size_t
OneOf(const std::vector<std::string> & values, const std::string & tag, const std::string & key)
{
  const std::string value = Attribute(tag, key);
  const auto        found = std::find(values.begin(), values.end(), value);
  ThrowIf(found == values.end(), "its " + key + " is " + Quoted(value) + "; " + Quoted(values[0]) + " is read");
  return static_cast<std::size_t>(found - values.begin());
}

/** Takes the voxels of an array in XML, from its text at `begin` or from appended data. */
void
TakeXml(const FileBytes &   file,
        const XmlTags &     tags,
        const std::string & tag,
        std::size_t         begin,
        const ReadOptions & options,
        LoadedImage &       image)
{
  const std::string_view text = TextOf(file);
  const std::size_t      format = OneOf({ "appended", "binary", "ascii" }, tag, "format");
  if (format == 2)
  {
    TakeVtkText(file, begin, text.find('<', begin), options, image);
    return;
  }
  const std::string & whole = Only(tags, "VTKFile").first;
  const bool          isOld = Attribute(whole, "version").rfind("0.", 0) == 0;
  const bool          areLong = OneOf({ "UInt64", "UInt32", isOld ? "" : "UInt32" }, whole, "header_type") == 0;
  const std::size_t   packing = OneOf({ "vtkZLibDataCompressor", "", "vtkLZ4DataCompressor" }, whole, "compressor");
  const bool          areCompressed = packing != 1;
  const bool          areBig = OneOf({ "LittleEndian", "BigEndian" }, whole, "byte_order") == 1;
  const VtkNumbers    form = { areLong ? 8U : 4U, areBig, packing == 2 };
  bool                isText = true;
  FileBytes           from = file;
  if (format == 0)
  {
    const auto & [appended, end] = Only(tags, "AppendedData");
    const std::int64_t offset = WholeNumber(Attribute(tag, "offset"), "offset");
    isText = OneOf({ "raw", "base64" }, appended, "encoding") == 1;
    begin = text.find('_', end) + 1 + static_cast<std::uint64_t>(offset);
    file.Require(begin, 1);
  }
  ThrowIf<Unsupported>(options.inParts && (isText || areCompressed),
                       "base64 and compressed blocks are not read in parts; save it with raw appended data without "
                       "compression, or read it whole, without --memory");
  if (isText)
  {
    begin = text.find_first_not_of(WhiteSpace, begin);
    file.Require(begin, 1);
    from = Decode64(file, begin, areCompressed ? 2 : 1);
    begin = 0;
  }
  if (areCompressed)
  {
    TakeBlocks(from, begin, form, options.Context(), image);
    return;
  }
  const std::uint64_t bytes = VoxelBytes(image.extent, 1, image.type);
  ThrowIf(from.Number(begin, form.size, form.areBig) != bytes,
          "its array does not have the " + std::to_string(bytes) + " bytes of its voxels");
  TakeStored(from, begin + form.size, form.areBig != HostIsBigEndian, options.Context(), image);
}

void
ReadVtkXml(const FileBytes & file, const ReadOptions & options, LoadedImage & image)
{
  const XmlTags tags = TagsOf(TextOf(file));
  OneOf({ "ImageData" }, Only(tags, "VTKFile").first, "type");
  const std::string & grid = Only(tags, "ImageData").first;
  const auto [kind, found] = ChosenArray(tags, options.dataset);
  const std::string extent = Attribute(grid, "WholeExtent");
  const std::string spacing = Attribute(grid, "Spacing");
  const std::string direction = Attribute(grid, "Direction");
  const std::string type = Attribute(found.first, "type");
  const auto        scalar = ScalarTypeNamed(LowerCase(type));
  OneOf({ extent }, Only(tags, "Piece").first, "Extent");
  OneOf({ "1", "" }, found.first, "NumberOfComponents");
  ThrowIf<Unsupported>(!scalar, "its type is " + Quoted(type) + "; Int8 to UInt64, Float32 and Float64 are read");
  image.type = *scalar;
  image.part = options.dataset.empty() ? "" : Attribute(found.first, "Name");
  image.spacingSource = spacing.empty() ? "none" : "file";
  PlaceVtk(WholeNumbers(extent, "WholeExtent"),
           RealNumbers(Attribute(grid, "Origin") + ' ' + (spacing.empty() ? "1 1 1" : spacing) + ' ' +
                         (direction.empty() ? "1 0 0 0 1 0 0 0 1" : direction),
                       "Spacing"),
           kind[0] == 'C',
           options,
           image);
  TellHeader(options, image);
  TakeXml(file, tags, found.first, found.second, options, image);
}

/** A "long" of another computer may be shorter; then the file is, too. */
ScalarType
TypeOfVtk(const std::string & name)
{
  static const std::map<std::string, std::string> names = {
    { "char", "int8" },     { "signed_char", "int8" }, { "short", "int16" },          { "int", "int32" },
    { "long", "int64" },    { "float", "float32" },    { "vtktypeuint64", "uint64" }, { "vtktypeint64", "int64" },
    { "double", "float64" }
  };
  const bool isUnsigned = name.rfind("unsigned_", 0) == 0;
  const auto found = names.find(isUnsigned ? name.substr(9) : name);
  const auto type = ScalarTypeNamed(found == names.end() ? name : (isUnsigned ? "u" : "") + found->second);
  ThrowIf<Unsupported>(!type, "its scalars are " + Quoted(name) + "; integers, float and double are read");
  return *type;
}

struct VtkArray
{
  std::string name;
  std::string type;
  std::string components;
  std::size_t begin;
  std::size_t end;
};

/** The arrays behind the line POINT_DATA or CELL_DATA, each of `count` voxels. */
std::vector<VtkArray>
ArraysOf(const FileBytes & file, const char * place, bool isText, std::uint64_t count)
{
  const std::string_view text = TextOf(file);
  const char * const     end = text.data() + text.size();
  std::vector<VtkArray>  arrays;
  while (place != end)
  {
    const std::string line = Trimmed(TakeLine(place, end)).substr(0, 1000);
    const auto        words = Words(line);
    const std::string key = words.empty() ? "" : LowerCase(words[0]);
    const bool        areColors = key == "color_scalars" && words.size() == 3 && !isText;
    // An array of FIELD may have the name of a key.
    const bool isOfField = words.size() == 4 && words[2] == std::to_string(count);
    const bool areScalars = key == "scalars" && (words.size() == 3 || words.size() == 4) && !isOfField;
    if (key.empty() || (key == "field" && words.size() == 3))
    {
      continue;
    }
    if (key == "metadata" && words.size() == 1)
    {
      for (bool isIn = true; isIn && place != end; isIn = !Trimmed(TakeLine(place, end)).empty())
      {}
      continue;
    }
    const std::string table = areScalars ? LowerCase(Trimmed(TakeLine(place, end))) : "lookup_table default";
    ThrowIf(table.rfind("lookup_table", 0) != 0, "the file is truncated: its line LOOKUP_TABLE is missing");
    ThrowIf<Unsupported>(!areColors && !areScalars && !isOfField,
                         "its line " + Quoted(line.substr(0, 40)) + " is not read; SCALARS and arrays of FIELD are");
    VtkArray array = { words[areScalars || areColors ? 1 : 0], "unsigned_char", areColors ? words[2] : "1", 0, 0 };
    if (!areColors)
    {
      array.type = LowerCase(words[areScalars ? 2 : 3]);
      array.components = areScalars ? (words.size() == 4 ? words[3] : "1") : words[1];
    }
    const auto components = static_cast<std::uint64_t>(WholeNumber(array.components, "number of components"));
    ThrowIf(components - 1 >= 1000, Quoted(array.name) + " has " + array.components + " components");
    const std::uint64_t values = count * components;
    array.begin = static_cast<std::size_t>(place - text.data());
    array.end = array.begin + values * SizeOf(TypeOfVtk(array.type));
    if (isText)
    {
      array.end = array.begin;
      for (std::uint64_t i = 0; i < values; ++i)
      {
        const std::size_t first = text.find_first_not_of(WhiteSpace, array.end);
        file.Require(first, 1);
        array.end = std::min(text.size(), text.find_first_of(WhiteSpace, first));
      }
    }
    file.Require(array.begin, array.end - array.begin);
    place = text.data() + array.end;
    arrays.push_back(array);
  }
  return arrays;
}

void
ReadLines(const FileBytes & file, const ReadOptions & options, LoadedImage & image)
{
  const std::string_view             text = TextOf(file);
  const char *                       place = text.data();
  const char * const                 end = place + text.size();
  std::map<std::string, std::string> lines;
  TakeLine(place, end);
  TakeLine(place, end);
  const std::string encoding = LowerCase(Trimmed(TakeLine(place, end)));
  while (lines.count("point_data") + lines.count("cell_data") == 0)
  {
    const std::string line = Trimmed(TakeLine(place, end));
    const std::string key = LowerCase(line.substr(0, line.find_first_of(WhiteSpace)));
    const std::string keys = "  dataset dimensions spacing origin point_data cell_data ";
    ThrowIf(place == end, "the file is truncated: its line POINT_DATA is missing");
    ThrowIf<Unsupported>(!(keys.find(' ' + key + ' ') != keys.npos &&
                           (key.empty() || lines.emplace(key, LowerCase(Trimmed(line.substr(key.size())))).second)),
                         "its line " + Quoted(line.substr(0, 40)) + " is not read; STRUCTURED_POINTS with SCALARS are");
  }
  const bool areCells = lines.count("cell_data") > 0;
  ThrowIf<Unsupported>(lines["dataset"] != "structured_points" || (encoding != "ascii" && encoding != "binary"),
                       "it is not STRUCTURED_POINTS, ASCII or BINARY");
  std::vector<std::int64_t> ends;
  for (const std::int64_t size : WholeNumbers(lines["dimensions"], "DIMENSIONS"))
  {
    ends.insert(ends.end(), { 0, std::max<std::int64_t>(size, -INT64_MAX) - 1 });
  }
  image.spacingSource = lines.emplace("spacing", "1 1 1").second ? "none" : "file";
  lines.emplace("origin", "0 0 0");
  const auto lengths = RealNumbers(lines["origin"] + ' ' + lines["spacing"] + " 1 0 0 0 1 0 0 0 1", "SPACING");
  PlaceVtk(ends, lengths, areCells, options, image);
  const auto count = WholeNumber(lines[areCells ? "cell_data" : "point_data"], "POINT_DATA");
  ThrowIf(count != image.extent.VoxelCount(),
          "it has " + std::to_string(count) + " values for " + image.extent.ToString() + " voxels");
  std::string names;
  VtkArray    array;
  std::size_t found = 0;
  for (const VtkArray & each : ArraysOf(file, place, encoding == "ascii", static_cast<std::uint64_t>(count)))
  {
    const bool isChosen = options.dataset.empty() || options.dataset == '/' + each.name;
    found += isChosen ? 1 : 0;
    array = isChosen ? each : array;
    names += (names.empty() ? "" : ", ") + Quoted(each.name);
  }
  CheckChosen(found, names, ".vtk");
  ThrowIf<Unsupported>(array.components != "1",
                       Quoted(array.name) + " has " + array.components + " components; one is read");
  image.type = TypeOfVtk(array.type);
  image.part = options.dataset.empty() ? "" : array.name;
  TellHeader(options, image);
  if (encoding == "ascii")
  {
    TakeVtkText(file, array.begin, array.end, options, image);
    return;
  }
  TakeStored(file, array.begin, !HostIsBigEndian, options.Context(), image);
}

} // namespace

bool
IsVtk(const FileBytes & file)
{
  const std::string_view begin = TextOf(file).substr(0, 1000);
  return file.BeginsWith("# vtk DataFile", 14) || begin.find("<VTKFile") != begin.npos;
}

LoadedImage
ReadVtk(const FileBytes & file, const ReadOptions & options)
{
  LoadedImage image;
  image.inParts = options.inParts;
  file.BeginsWith("#", 1) ? ReadLines(file, options, image) : ReadVtkXml(file, options, image);
  return image;
}

} // namespace brickccl::files
