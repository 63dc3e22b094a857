// SPDX-License-Identifier: Apache-2.0
// The older format of VTK (.vtk): lines, then voxels as text or big-endian.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Formats/Vtk.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <map>

namespace brickccl::files
{

namespace
{

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
  if (!type)
  {
    throw Unsupported("its scalars are " + Quoted(name) + "; integers, float and double are read");
  }
  return *type;
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
  while (lines.count("lookup_table") == 0)
  {
    const std::string line = Trimmed(TakeLine(place, end));
    std::string       key = LowerCase(line.substr(0, line.find_first_of(WhiteSpace)));
    key = key == "aspect_ratio" ? "spacing" : key;
    if (const auto words = Words(line); key == "color_scalars" && words.size() == 3 && encoding == "binary")
    {
      key = "lookup_table";
      lines["scalars"] = words[1] + " unsigned_char " + words[2];
    }
    const std::string keys = "  dataset dimensions spacing origin point_data cell_data scalars lookup_table ";
    Demand(place != end, "the file is truncated: its line LOOKUP_TABLE is missing");
    Demand<Unsupported>(keys.find(' ' + key + ' ') != keys.npos &&
                          (key.empty() || lines.emplace(key, LowerCase(Trimmed(line.substr(key.size())))).second),
                        "its line " + Quoted(line.substr(0, 40)) + " is not read; STRUCTURED_POINTS with SCALARS are");
  }
  const bool areCells = lines.count("cell_data") > 0;
  const auto scalars = Words(lines["scalars"]);
  Demand<Unsupported>(options.dataset.empty() && lines["dataset"] == "structured_points" &&
                        (encoding == "ascii" || encoding == "binary") &&
                        (scalars.size() == 2 || (scalars.size() == 3 && scalars[2] == "1")),
                      "it is not STRUCTURED_POINTS, ASCII or BINARY, with SCALARS of one component");
  std::vector<std::int64_t> ends;
  for (const std::int64_t size : WholeNumbers(lines["dimensions"], "DIMENSIONS"))
  {
    ends.insert(ends.end(), { 0, std::max<std::int64_t>(size, 0) - 1 });
  }
  const auto valueOr = [&](const char * key, const char * otherwise) {
    return lines.count(key) > 0 ? lines[key] : otherwise;
  };
  image.type = TypeOfVtk(scalars[1]);
  image.spacingSource = lines.count("spacing") > 0 ? "file" : "none";
  PlaceVtk(
    ends,
    RealNumbers(valueOr("origin", "0 0 0") + ' ' + valueOr("spacing", "1 1 1") + " 1 0 0 0 1 0 0 0 1", "SPACING"),
    areCells,
    options,
    image);
  const auto count = WholeNumber(lines[areCells ? "cell_data" : "point_data"], "POINT_DATA");
  Demand(count == image.extent.VoxelCount(),
         "it has " + std::to_string(count) + " values for " + image.extent.ToString() + " voxels");
  TellHeader(options, image);
  const auto begin = static_cast<std::size_t>(place - text.data());
  if (encoding == "ascii")
  {
    TakeVtkText(file, begin, text.find("METADATA", begin), options, image);
    return;
  }
  const std::size_t bytes = VoxelBytes(image.extent, 1, image.type);
  file.Require(begin, bytes);
  const std::size_t next = text.find_first_not_of(WhiteSpace, begin + bytes);
  Demand<Unsupported>(next == text.npos || text.substr(next, 8) == "METADATA",
                      "more follows its scalars; save it with this array alone, or as .vti");
  TakeStored(file, begin, !HostIsBigEndian, options.Context(), image);
}

} // namespace

void
PlaceVtk(const std::vector<std::int64_t> & ends,
         const std::vector<double> &       lengths,
         bool                              areCells,
         const ReadOptions &               options,
         LoadedImage &                     image)
{
  Demand(ends.size() == 6 && lengths.size() == 15,
         "its extent, origin, spacing or direction has too few or many numbers");
  double                    vectors[MaximumDimension][MaximumDimension] = {};
  std::vector<std::int64_t> sizes;
  std::copy_n(lengths.begin(), 3, image.geometry.origin);
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::int64_t first = ends[2 * axis];
    const std::int64_t last = ends[2 * axis + 1];
    Demand(first >= INT32_MIN && last < INT32_MAX, "its extent exceeds 32 bits");
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
