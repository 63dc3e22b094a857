// SPDX-License-Identifier: Apache-2.0
// Scans of Volume Graphics: a header of text (.vgi) that names a file of raw voxels (.vol). The header consists of
// objects ({volume1}, {volumeprimitive12}), which consist of sections ([file1], [geometry]) of lines "key = value".

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

namespace brickccl::files
{

/** The values of an object by "section/key", in lower case. */
using VgiObject = std::map<std::string, std::string>;

static std::map<std::string, VgiObject>
ParseVgi(const FileBytes & file)
{
  constexpr std::size_t longest = std::size_t{ 1 } << 24;
  ThrowIf(file.Size() > longest, "it has " + std::to_string(file.Size()) + " bytes, too many for a header");
  std::map<std::string, VgiObject> objects;
  std::istringstream               lines(std::string(reinterpret_cast<const char *>(file.Data()), file.Size()));
  std::string                      object;
  std::string                      section;
  for (std::string line; std::getline(lines, line);)
  {
    line = Trimmed(line);
    const std::size_t equals = line.find('=');
    if (line.size() > 1 && line.front() == '{' && line.back() == '}')
    {
      object = LowerCase(line.substr(1, line.size() - 2));
      section.clear();
      objects[object];
    }
    else if (line.size() > 1 && line.front() == '[' && line.back() == ']')
    {
      section = LowerCase(line.substr(1, line.size() - 2));
    }
    else if (equals != std::string::npos && !object.empty())
    {
      const std::string key = section + '/' + LowerCase(Trimmed(line.substr(0, equals)));
      const std::string value = Trimmed(line.substr(equals + 1));
      const auto [place, isNew] = objects[object].emplace(key, value);
      ThrowIf(!isNew && place->second != value,
              "{" + object + "} has two values of " + key + ": " + Quoted(place->second) + " and " + Quoted(value));
    }
  }
  return objects;
}

static std::string
ValueOf(const VgiObject & object, const std::string & key, const std::string & otherwise = "")
{
  const auto found = object.find(key);
  return found == object.end() || found->second.empty() ? otherwise : found->second;
}

static bool
IsVolume(const std::string & name)
{
  return name.rfind("volume", 0) == 0 && name.size() > 6 &&
         name.find_first_not_of("0123456789", 6) == std::string::npos;
}

static std::string
ChosenVolume(const std::map<std::string, VgiObject> & objects, std::string chosen)
{
  std::string names;
  std::size_t count = 0;
  std::string last;
  for (const auto & [name, object] : objects)
  {
    if (IsVolume(name))
    {
      names += (names.empty() ? "" : ", ") + name;
      last = name;
      ++count;
    }
  }
  chosen = LowerCase(chosen.substr(std::min(chosen.size(), chosen.find_first_not_of('/'))));
  ThrowIf(count == 0, "it describes no volume ({volume1})");
  ThrowIf<InvalidArgument>(!chosen.empty() && (!IsVolume(chosen) || objects.count(chosen) == 0),
                           "it has no volume " + Quoted(chosen) + "; it has " + names);
  ThrowIf(chosen.empty() && count > 1,
          "it describes " + std::to_string(count) + " volumes (" + names + "); choose one as FILE.vgi::/" + last);
  return chosen.empty() ? last : chosen;
}

static ScalarType
TypeOfVgi(const VgiObject & volume)
{
  const std::string type = LowerCase(ValueOf(volume, "file1/datatype"));
  const std::string bits = ValueOf(volume, "file1/bitsperelement");
  const bool        isUnsigned = type == "unsigned integer" || type == "unsigned";
  const bool        isSigned = type == "signed integer" || type == "signed" || type == "integer";
  if (bits == "32" && type == "float")
  {
    return ScalarType::Float32;
  }
  if ((isUnsigned || isSigned) && (bits == "8" || bits == "16" || bits == "32"))
  {
    return IntegerType(bits == "8" ? 1 : bits == "16" ? 2 : 4, isSigned);
  }
  throw Unsupported("its voxels are " + Quoted(type) + " of " + Quoted(bits) +
                    " bits; integers of 8, 16 and 32 bits and float of 32 are read");
}

/** \throws Unsupported for files that hold other than the whole volume, uncompressed, in one piece. */
static void
CheckVgiFile(const VgiObject & volume)
{
  const auto is = [&](const std::string & key, const std::string & expected) {
    const std::string value = LowerCase(ValueOf(volume, "file1/" + key, expected));
    ThrowIf<Unsupported>(Words(value) != Words(expected),
                         "its " + key + " is " + Quoted(value) + "; only " + Quoted(expected) +
                           " is read: export the whole volume as raw");
  };
  static const std::regex layout("file1/(?!skipheader$).*(endian|order|skip|offset).*");
  for (const auto & [key, value] : volume)
  {
    ThrowIf<Unsupported>(std::regex_match(key, layout),
                         "its " + key + " is " + Quoted(value) + ", which is not read; export the volume as raw");
  }
  is("fileformat", "raw");
  is("regionofintereststart", "0 0 0");
  is("mirror", "0 0 0");
  const std::string size = ValueOf(volume, "file1/size");
  std::string       last;
  for (const std::int64_t each : WholeNumbers(size, "Size"))
  {
    last += (last.empty() ? "" : " ") + std::to_string(each - 1);
  }
  is("regionofinterestend", last);
  ThrowIf<Unsupported>(volume.lower_bound("file2/") != volume.end() &&
                         volume.lower_bound("file2/")->first.rfind("file2/", 0) == 0,
                       "its voxels are in several files; export the volume as a single one");
}

/** The voxel size is in the object that places the volume. */
static void
SetVgiSpacing(const std::map<std::string, VgiObject> & objects, const std::string & volume, LoadedImage & image)
{
  image.spacingSource = "none";
  std::size_t places = 0;
  for (const auto & [name, object] : objects)
  {
    const std::string of = LowerCase(ValueOf(object, "volume/volume", volume));
    const std::string resolution = ValueOf(object, "geometry/resolution");
    if (name.rfind("volumeprimitive", 0) != 0 || of != volume || resolution.empty())
    {
      continue;
    }
    const std::vector<double> lengths = RealNumbers(resolution, "resolution");
    const std::string         unit = ValueOf(object, "geometry/unit", "mm");
    const double              millimeters = Millimeters(unit);
    ThrowIf(lengths.size() != 3 || millimeters == 0,
            "its resolution " + Quoted(resolution + " " + unit) + " is not three lengths of a known unit");
    for (int axis = 0; axis < std::min(3, image.extent.dimension); ++axis)
    {
      const double spacing = lengths[static_cast<std::size_t>(axis)] * millimeters;
      ThrowIf(places > 0 && spacing != image.geometry.spacing[axis],
              "two of its objects give " + volume + " different resolutions");
      image.geometry.spacing[axis] = spacing;
    }
    ++places;
    image.spacingSource = "file";
  }
  SettleSpacing(image);
}

bool
IsVgi(const FileBytes & file)
{
  return HasExtension(file.Path(), ".vgi") && file.BeginsWith("{", 1);
}

LoadedImage
ReadVgi(const FileBytes & file, const ReadOptions & options)
{
  const auto        objects = ParseVgi(file);
  const std::string name = ChosenVolume(objects, options.dataset);
  const VgiObject & volume = objects.at(name);
  LoadedImage       image;
  image.inParts = options.inParts;
  image.type = TypeOfVgi(volume);
  image.extent = SettleExtent(WholeNumbers(ValueOf(volume, "file1/size"), "Size"));
  CheckVgiFile(volume);
  SetVgiSpacing(objects, name, image);
  std::string data = ValueOf(volume, "file1/name");
  if (const std::string last = data.substr(data.find_last_of("/\\") + 1);
      !IsThere(PathBeside(file.Path(), data)) && IsThere(PathBeside(file.Path(), last)))
  {
    image.notes.push_back("its voxels are in " + Quoted(last) + " next to it, not in " + Quoted(data));
    data = last;
  }
  ThrowIf(data.empty(), "{" + name + "} names no file of voxels (Name in [file1])");
  image.files = { file.Path() };
  image.part = options.dataset.empty() ? "" : name;
  TellHeader(options, image);
  const std::int64_t skip = WholeNumber(ValueOf(volume, "file1/skipheader", "0"), "SkipHeader");
  ThrowIf(skip < 0, "SkipHeader is " + std::to_string(skip) + "; it must be at least 0");
  const FileBytes from = MapDataFiles(file.Path(), { data }).front();
  DataLayout      layout{ Encoding::Raw, HostIsBigEndian };
  layout.parts = { { from, static_cast<std::uint64_t>(skip), 0, Wrapper::Gzip, from.QuotedName() } };
  ReadDataFiles(layout, options.Context(), image);
  return image;
}

} // namespace brickccl::files
