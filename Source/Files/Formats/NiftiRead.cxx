// SPDX-License-Identifier: Apache-2.0
// NIfTI-1 and NIfTI-2 (https://nifti.nimh.nih.gov), single files and pairs, and Analyze 7.5.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/NiftiHeader.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace brickccl::files
{

namespace fs = std::filesystem;
using namespace nifti;

namespace
{

/** The path of a pair's other file, whose name ends with `extension`: ".hdr" for ".img". It is compressed as the given
 *  one is, or else the other way. Empty if neither exists. */
std::string
Partner(const std::string & path, const std::string & extension)
{
  std::string stem = path;
  const bool  isCompressed = HasExtension(stem, ".gz");
  if (isCompressed)
  {
    stem.resize(stem.size() - 3);
  }
  stem.resize(stem.size() - 4);
  // A name in capitals has a partner in capitals.
  const bool isUpper =
    path.find(".HDR", stem.size()) != std::string::npos || path.find(".IMG", stem.size()) != std::string::npos;
  std::string with = extension;
  for (char & letter : with)
  {
    letter = static_cast<char>(isUpper ? std::toupper(static_cast<unsigned char>(letter)) : letter);
  }
  for (const bool is : { isCompressed, !isCompressed })
  {
    const char * const end = is ? ".gz" : "";
    if (IsThere(stem + with + end))
    {
      return stem + with + end;
    }
  }
  return {};
}

/** The spacing and the directions that a quaternion gives (method 2 of the standard), in the standard's own system:
 *  right, anterior, superior. Less than 1e-7 of w * w is rounding (nifti_quatern_to_mat44). */
void
VectorsOfQuaternion(const HeaderBytes & header, double (&vectors)[3][4])
{
  const double b = header.Real(256, 352);
  const double c = header.Real(260, 360);
  const double d = header.Real(264, 368);
  const double rest = 1 - (b * b + c * c + d * d);
  const double scale = rest < 1e-7 ? 1 / std::sqrt(1 - rest) : 1;
  const double x = b * scale;
  const double y = c * scale;
  const double z = d * scale;
  const double w = rest < 1e-7 ? 0 : std::sqrt(rest);
  const double rotation[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                                  { 2 * (x * y + w * z), w * w + y * y - x * x - z * z, 2 * (y * z - w * x) },
                                  { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w + z * z - x * x - y * y } };
  const double factor = header.PixelSize(0) < 0 ? -1 : 1;
  for (int axis = 0; axis < 3; ++axis)
  {
    for (int row = 0; row < 3; ++row)
    {
      vectors[axis][row] = rotation[row][axis] * std::fabs(header.PixelSize(axis + 1)) * (axis == 2 ? factor : 1);
    }
    vectors[axis][3] = header.Real(268 + 4 * static_cast<std::size_t>(axis), 376 + 8 * static_cast<std::size_t>(axis));
  }
}

/** The rows of the affine matrix (method 3), as the vectors of the axes and the origin. */
void
VectorsOfMatrix(const HeaderBytes & header, double (&vectors)[3][4])
{
  for (std::size_t row = 0; row < 3; ++row)
  {
    for (std::size_t column = 0; column < 4; ++column)
    {
      const double value = header.Real(280 + 16 * row + 4 * column, 400 + 32 * row + 8 * column);
      (column == 3 ? vectors[row][3] : vectors[column][row]) = value;
    }
  }
}

double
LengthOf(const double (&vector)[4])
{
  return std::sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/** The millimeters of the header's unit of length. \throws Unsupported for a code that the standard does not have */
double
UnitOf(const HeaderBytes & header)
{
  constexpr double millimeters[] = { 1, 1000, 1, 1e-3 };
  const int        code = header.Units() & 7;
  ThrowIf<Unsupported>(code > 3, "its unit of length has the code " + std::to_string(code) + "; 0 to 3 are read");
  return millimeters[code];
}

/** \throws Error if the voxels of the sform have other sizes than pixdim says, unless that is accepted. */
void
CheckSizesOfMatrix(const HeaderBytes & header,
                   const double (&matrix)[3][4],
                   const ReadOptions & options,
                   LoadedImage &       image)
{
  for (int axis = 0; axis < std::min(image.extent.dimension, 3); ++axis)
  {
    const double length = LengthOf(matrix[axis]);
    const double size = std::fabs(header.PixelSize(axis + 1));
    if (!(std::fabs(length - size) <= 1e-3 * size))
    {
      const std::string unlike = "its sform has voxels of " + Shortest(length) + " along axis " +
                                 std::to_string(axis + 1) + " but its pixdim says " + Shortest(size) + " (unscaled)";
      ThrowIf(!options.acceptSheared || !(LengthOf(matrix[0]) > 0),
              unlike + "; correct the header, or use the sform with --accept-sheared");
      image.notes.push_back(unlike + "; the sform is used");
      return;
    }
  }
}

/** The axes that a header places an image by: for each axis a step and a coordinate of the first voxel. */
struct Placement
{
  double       vectors[3][4] = {};
  const char * what = "pixdim";
};

Placement
PlacementOf(const HeaderBytes & header, const ReadOptions & options, LoadedImage & image)
{
  double     quaternion[3][4] = {};
  double     matrix[3][4] = {};
  const bool hasQuaternion = !header.Magic().empty() && header.Code(252, 344) > 0;
  bool       hasMatrix = !header.Magic().empty() && header.Code(254, 348) > 0;
  VectorsOfQuaternion(header, quaternion);
  VectorsOfMatrix(header, matrix);
  if (hasMatrix && hasQuaternion &&
      std::all_of(matrix, matrix + 3, [](const double(&vector)[4]) { return LengthOf(vector) == 0; }))
  {
    image.notes.push_back("its sform is all zeros; the qform is used");
    hasMatrix = false;
  }
  Placement placement;
  for (int axis = 0; axis < std::min(image.extent.dimension, 3); ++axis)
  {
    NoteIf(header.PixelSize(axis + 1) < 0,
           NoteOnNegativeSpacing("its pixdim of axis " + std::to_string(axis + 1)),
           image.notes);
  }
  if (header.Magic().empty())
  {
    image.notes.push_back("Analyze files have no position in space; axes x, y, z and origin 0 are assumed");
  }
  else if (hasMatrix)
  {
    CheckSizesOfMatrix(header, matrix, options, image);
    std::copy(&matrix[0][0], &matrix[0][0] + 12, &placement.vectors[0][0]);
    placement.what = "sform";
    return placement;
  }
  else if (hasQuaternion)
  {
    std::copy(&quaternion[0][0], &quaternion[0][0] + 12, &placement.vectors[0][0]);
    placement.what = "qform";
    return placement;
  }
  for (int axis = 0; axis < 3; ++axis)
  {
    // Method 1: no place in space is known. The standard takes x and y of the file as right and anterior.
    const double size = axis < image.extent.dimension ? header.PixelSize(axis + 1) : 1;
    placement.vectors[axis][axis] = header.Magic().empty() ? (axis < 2 ? -1 : 1) * std::fabs(size) : std::fabs(size);
  }
  return placement;
}

void
SetGeometry(const HeaderBytes & header, const ReadOptions & options, LoadedImage & image)
{
  const int       dimension = image.extent.dimension;
  const double    unit = UnitOf(header);
  const Placement placement = PlacementOf(header, options, image);
  image.hasPatientAxes = std::string(placement.what) != "pixdim";
  const auto & vectors = placement.vectors;
  double       settled[MaximumDimension][MaximumDimension] = {};
  // Left and posterior are positive here.
  constexpr double signs[3] = { -1, -1, 1 };
  const int        spatial = std::min(dimension, 3);
  for (int axis = 0; axis < spatial; ++axis)
  {
    for (int row = 0; row < 3; ++row)
    {
      ThrowIf<Unsupported>(row >= spatial && std::fabs(vectors[axis][row]) > 1e-4 * LengthOf(vectors[axis]),
                           "its slice is not parallel to x and y; only volumes may be oblique");
      settled[axis][row] = row < spatial ? vectors[axis][row] * signs[row] * unit + 0.0 : 0;
    }
    image.geometry.origin[axis] = vectors[axis][3] * signs[axis] * unit + 0.0;
  }
  if (dimension > 3)
  {
    const double step = std::fabs(header.PixelSize(4));
    settled[3][3] = step > 0 && std::isfinite(step) ? step : 1;
    const double offset = header.Real(136, 216);
    image.geometry.origin[3] = std::isfinite(offset) && !header.Magic().empty() ? offset : 0;
  }
  SettleAxes(settled, placement.what, options, image);
}

/** The place of the first voxel in its file. */
std::uint64_t
OffsetOf(const HeaderBytes & header, bool isSingle)
{
  const double offset =
    header.isSecond ? static_cast<double>(header.At<std::int64_t>(168)) : double{ header.At<float>(108) };
  ThrowIf(!(offset >= 0) || offset > 4e15 || offset != std::floor(offset),
          "its voxels begin at byte " + Shortest(offset) + " (vox_offset), which is not a position in a file");
  const double least = isSingle ? (header.isSecond ? 544.0 : 352.0) : 0.0;
  ThrowIf(offset < least && offset != 0,
          "its voxels begin at byte " + Shortest(offset) + " (vox_offset), within the header; " + Shortest(least) +
            " is the least");
  return static_cast<std::uint64_t>(std::max(offset, least));
}

/** A text of XML with the characters that it writes as &lt;, &#233; or &#xe9;; CDATA, which has none, without its
 * marks. */
std::string
PlainXml(std::string text)
{
  if (const std::size_t begin = text.find("<![CDATA["); begin != std::string::npos)
  {
    const std::size_t end = std::min(text.size(), text.find("]]>", begin));
    const std::size_t rest = std::min(text.size(), end + 3);
    return PlainXml(text.substr(0, begin)) + text.substr(begin + 9, end - begin - 9) + PlainXml(text.substr(rest));
  }
  const std::map<std::string, std::uint32_t> names = { { "lt", '<' },
                                                       { "gt", '>' },
                                                       { "quot", '"' },
                                                       { "apos", '\'' },
                                                       { "amp", '&' } };
  for (std::size_t at = 0; (at = text.find('&', at)) != std::string::npos; ++at)
  {
    // A name has no digits, and keeps its character.
    const std::string  code = text.substr(at + 1, std::min(text.size(), text.find(';', at)) - at - 1);
    const std::size_t  digits = code.rfind("#x", 0) == 0 ? 2 : code.rfind('#', 0) == 0 ? 1 : code.size();
    const auto         name = names.find(code);
    std::uint32_t      character = name == names.end() ? 0 : name->second;
    const char * const end = code.data() + code.size();
    const bool         isRead = std::from_chars(code.data() + digits, end, character, digits > 1 ? 16 : 10).ptr == end;
    const bool         isText = character > 0 && character < 0x110000 && (character < 0xd800 || character > 0xdfff);
    if (isRead && isText)
    {
      text.replace(at, code.size() + 2, Utf8Of(character));
    }
  }
  return text;
}

/** The label table that Connectome Workbench and TotalSegmentator write behind the header (CaretExtension, XML).
 *  \param text  the bytes in front of the voxels */
std::vector<Segment>
LabelTableIn(const std::string & text, std::vector<std::string> & notes)
{
  std::vector<Segment> segments;
  std::size_t          wrong = 0;
  std::size_t          place = text.find("<LabelTable", std::min(text.size(), text.find("<CaretExtension")));
  while ((place = text.find("<Label ", place)) != std::string::npos)
  {
    const std::size_t close = text.find('>', place);
    const std::size_t end = text.find("</Label>", close);
    if (end == std::string::npos)
    {
      break;
    }
    // Cut to what names and attributes need, so that damaged tables take no time.
    constexpr std::size_t longest = 10000;
    const std::string     attributes = text.substr(place, std::min(close - place, longest));
    const std::string     name = PlainXml(text.substr(close + 1, std::min(end - close - 1, longest)));
    place = end;
    const auto number = [&](const std::string & key) {
      const std::string value = Attribute(attributes, key);
      char *            last = nullptr;
      const double      own = std::strtod(value.c_str(), &last);
      return value.empty() || *last != '\0' ? -1 : own;
    };
    const std::vector<double> color = { number("Red"), number("Green"), number("Blue") };
    const bool isColor = std::all_of(color.begin(), color.end(), [](double c) { return c >= 0 && c <= 1; });
    wrong += isColor || Attribute(attributes, "Red").empty() ? 0 : 1;
    if (number("Key") >= 1 && number("Key") < 9e15)
    {
      segments.push_back(
        MakeSegment(static_cast<std::uint64_t>(number("Key")), name, isColor ? color : std::vector<double>()));
    }
  }
  NoteIf(wrong > 0,
         "its label table has " + Counted(wrong, "color") +
           " with a channel that is not from 0 to 1; such labels get "
           "other colors",
         notes);
  return segments;
}

} // namespace

bool
IsNifti(const FileBytes & file)
{
  if (HasExtension(file.Path(), ".img .img.gz") && !Partner(file.Path(), ".hdr").empty())
  {
    return true;
  }
  // Other compressed files are not examined; they may be the data of a NRRD.
  if (IsGzipped(file) && !HasExtension(file.Path(), ".nii.gz .hdr.gz .nii .hdr .gz"))
  {
    return false;
  }
  try
  {
    const auto        bytes = FirstBytes(file, SizeOfSecond);
    const HeaderBytes header(bytes.data(), bytes.size());
    return header.isKnown && (!header.Magic().empty() || HasExtension(file.Path(), ".hdr .hdr.gz"));
  }
  catch (const Error &)
  {
    // The reader reports what is wrong with the compressed data.
    return HasExtension(file.Path(), ".nii.gz .hdr.gz");
  }
}

LoadedImage
ReadNifti(const FileBytes & file, const ReadOptions & options)
{
  const HostContext context = options.Context();
  const FileBytes   headerFile =
    HasExtension(file.Path(), ".img .img.gz") ? FileBytes::Map(Partner(file.Path(), ".hdr")) : file;
  const auto        bytes = FirstBytes(headerFile, SizeOfSecond);
  const HeaderBytes header(bytes.data(), bytes.size());
  const std::string magic = header.Magic();
  LoadedImage       image;
  CheckSignature(header, bytes.size());
  const bool isSingle = !magic.empty() && magic[1] == '+';
  FileBytes  data = file;
  if (!isSingle)
  {
    const std::string path = HasExtension(file.Path(), ".img .img.gz") ? file.Path()
                           : HasExtension(file.Path(), ".hdr .hdr.gz") ? Partner(file.Path(), ".img")
                                                                       : std::string();
    ThrowIf(path.empty(),
            "the file with its voxels is missing next to the header: '" + fs::path(file.Path()).stem().string() +
              ".img' or '.img.gz'");
    data = FileBytes::Map(path);
  }
  image.inParts = options.inParts;
  image.files = { headerFile.Path() };
  const auto   dimension = header.Size(0);
  const Stored stored = StoredOf(header.At<std::int16_t>(header.isSecond ? 12 : 70));
  ThrowIf(dimension < 1 || dimension > 7,
          "it has " + std::to_string(dimension) + " dimensions (dim[0]); 1 to 7 are possible");
  std::vector<std::int64_t> sizes;
  for (int axis = 1; axis <= dimension; ++axis)
  {
    sizes.push_back(header.Size(axis));
  }
  image.type = stored.type;
  image.channels = stored.channels;
  image.extent = SettleExtent(sizes);
  const std::uint64_t offset = OffsetOf(header, isSingle);
  CheckBits(header, static_cast<int>(SizeOf(stored.type)) * stored.channels * 8);
  SetGeometry(header, options, image);
  constexpr std::uint64_t longest = std::uint64_t{ 1 } << 24;
  if (isSingle && offset > SizeOfSecond && offset < longest)
  {
    const auto before = FirstBytes(data, static_cast<std::size_t>(offset));
    image.segmentation.segments = LabelTableIn(std::string(before.begin(), before.end()), image.notes);
  }
  TellHeader(options, image);
  const bool isCompressed = IsGzipped(data);
  DataLayout layout{ isCompressed ? Encoding::Compressed : Encoding::Raw, header.isSwapped };
  layout.parts = { { data, isCompressed ? 0 : offset, isCompressed ? offset : 0, Wrapper::Gzip, data.QuotedName() } };
  ReadDataFiles(layout, context, image);
  // SPM keeps its factor in the same place of Analyze files.
  Scaling scaling{ header.Real(112, 176), magic.empty() ? 0 : header.Real(116, 184) };
  if (!std::isfinite(scaling.slope) || (scaling.slope != 0 && !std::isfinite(scaling.intercept)))
  {
    image.notes.push_back("its scl_slope is " + Shortest(scaling.slope) + " and its scl_inter " +
                          Shortest(scaling.intercept) + ", not both numbers; its stored values are used");
  }
  else if (stored.channels == 1 && scaling.slope != 0)
  {
    RescaleImage(scaling, magic.empty() ? "SPM's factor" : "scl_slope and scl_inter", context, image);
  }
  return image;
}

} // namespace brickccl::files
