// SPDX-License-Identifier: Apache-2.0
// Volumes of SunVision and of GE's micro-CT scanners (.vff): lines "key=value;" up to a form feed, then big-endian
// voxels.

#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <map>

namespace brickccl::files
{

bool
IsVff(const FileBytes & file)
{
  return file.BeginsWith("ncaa", 4);
}

LoadedImage
ReadVff(const FileBytes & file, const ReadOptions & options)
{
  const char * const begin = reinterpret_cast<const char *>(file.Data());
  const char * const end = std::find(begin, begin + file.Size(), '\f');
  const char *       place = begin;
  ThrowIf(end + 1 >= begin + file.Size() || end[1] != '\n',
          "the file is truncated: the form feed behind its header is missing");
  std::map<std::string, std::string> fields;
  for (TakeLine(place, end); place != end;)
  {
    const std::string line = Trimmed(TakeLine(place, end), "; \t\r");
    const std::size_t equals = line.find('=');
    ThrowIf(!(line.empty() ||
              (equals != line.npos &&
               fields.emplace(LowerCase(Trimmed(line.substr(0, equals))), Trimmed(line.substr(equals + 1))).second)),
            "its line " + Quoted(line.substr(0, 40)) + " is damaged");
  }
  const std::map<std::string, std::string> expected = { { "type", "raster" },
                                                        { "format", "slice" },
                                                        { "bands", "1" },
                                                        { "data_scale", "1" },
                                                        { "data_offset", "0" } };
  for (const auto & [key, value] : expected)
  {
    const std::string given = fields.emplace(key, value).first->second;
    ThrowIf<Unsupported>(given != value, "its " + key + " is " + Quoted(given) + "; " + value + " is read");
  }
  const std::string bits = fields["bits"];
  ThrowIf<Unsupported>(bits != "8" && bits != "16" && bits != "32",
                       "its voxels have " + Quoted(bits) + " bits; 8, 16 and 32 are read");
  LoadedImage image;
  image.type = bits == "8" ? ScalarType::UInt8 : bits == "16" ? ScalarType::Int16 : ScalarType::Float32;
  image.extent = SettleExtent(WholeNumbers(fields["size"], "size"));
  image.spacingSource = fields.count("spacing") + fields.count("elementsize") > 0 ? "file" : "none";
  fields.insert({ { "elementsize", "1" }, { "spacing", "1 1 1" }, { "origin", "0 0 0" } });
  const double element = RealNumber(fields["elementsize"], "elementsize");
  const auto   spacing = RealNumbers(fields["spacing"], "spacing");
  const auto   origin = RealNumbers(fields["origin"], "origin");
  ThrowIf(image.extent.dimension != 3 || spacing.size() != 3 || origin.size() != 3,
          "its size, spacing or origin does not have three numbers");
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    // The origin counts voxels.
    image.geometry.spacing[axis] = spacing[axis] * element;
    image.geometry.origin[axis] = origin[axis] * image.geometry.spacing[axis];
  }
  SettleSpacing(image);
  TakeRest(file, static_cast<std::uint64_t>(end + 2 - begin), true, options, image);
  return image;
}

} // namespace brickccl::files
