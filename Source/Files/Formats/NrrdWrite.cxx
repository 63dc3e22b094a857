// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <set>

namespace brickccl
{

bool
HoldsSegments(const std::string & path, const Extent & extent)
{
  return files::HasExtension(path, ".seg.nrrd .dcm") && extent.dimension == 3;
}

namespace files
{

/** The description of a segment without a name. */
static Segment
SegmentOf(std::uint64_t label, const Extent & extent)
{
  Segment segment = MakeSegment(label, std::to_string(label), {});
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    segment.box[2 * axis] = 0;
    segment.box[2 * axis + 1] = extent.size[axis] - 1;
  }
  return segment;
}

static void
AppendSegment(std::string & header, std::size_t number, const Segment & segment)
{
  const std::string key = "Segment" + std::to_string(number) + "_";
  header += key + "LabelValue:=" + std::to_string(segment.label) + "\n" + key + "Layer:=0\n" + key + "Extent:=";
  for (std::size_t i = 0; i < 6; ++i)
  {
    header += (i == 0 ? "" : " ") + std::to_string(segment.box[i]);
  }
  header += '\n';
  for (const auto & [field, value] : segment.fields)
  {
    header.append(key).append(field).append(":=").append(value).append("\n");
  }
}

/** Appends what makes 3D Slicer open each label as a segment of its own. */
static void
AppendSegments(std::string & header, const ImageToWrite & image)
{
  Segment::Fields fields = image.segmentation.fields;
  if (fields.empty())
  {
    fields = { { "Segmentation_ContainedRepresentationNames", "Binary labelmap|" },
               { "Segmentation_MasterRepresentation", "Binary labelmap" },
               { "Segmentation_ReferenceImageExtentOffset", "0 0 0" } };
  }
  for (const auto & [key, value] : fields)
  {
    header.append(key).append(":=").append(value).append("\n");
  }
  std::size_t             number = 0;
  std::set<std::uint64_t> listed;
  for (const Segment & segment : image.segmentation.segments)
  {
    AppendSegment(header, number++, segment);
    listed.insert(segment.label);
  }
  for (std::uint64_t label = 1; label <= image.largestLabel; ++label)
  {
    if (listed.count(label) == 0)
    {
      AppendSegment(header, number++, SegmentOf(label, image.extent));
    }
  }
}

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
  const auto join = [&](auto word) { return WordsOfAxes(dimension, word); };
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
  header += "type: " + NrrdNameOf(image.type) + "\ndimension: " + std::to_string(dimension) + "\n";
  header +=
    dimension == 3 ? "space: left-posterior-superior\n" : "space dimension: " + std::to_string(dimension) + "\n";
  header += "sizes: " + join([&](int axis) { return std::to_string(image.extent.size[axis]); }) + "\n";
  header +=
    "space directions: " + join([&](int axis) {
      return vector([&](int row) { return image.geometry.direction[row][axis] * image.geometry.spacing[axis] + 0.0; });
    }) +
    "\n";
  header += "kinds: " + join([](int) { return std::string("domain"); }) + "\n";
  header += SizeOf(image.type) > 1 ? (HostIsBigEndian ? "endian: big\n" : "endian: little\n") : "";
  header += options.compress ? "encoding: gzip\n" : "encoding: raw\n";
  header += "space origin: " + vector([&](int row) { return image.geometry.origin[row]; }) + "\n";
  if (HoldsSegments(path, image.extent))
  {
    AppendSegments(header, image);
  }
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

} // namespace files

} // namespace brickccl
