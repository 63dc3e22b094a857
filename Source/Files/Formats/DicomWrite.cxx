// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Files/Disk/OutputFile.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/DicomScanner.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace brickccl::files
{

using namespace dicom;

namespace
{

#include "DicomCodes.inc"

constexpr std::size_t  MostBinarySegments = 1000;
constexpr const char * ClassRoot = "1.2.840.10008.5.1.4.1.1.66.";

template <typename T, typename... TNumbers>
std::string
BytesOf(TNumbers... numbers)
{
  const T stored[] = { static_cast<T>(numbers)... };
  return { reinterpret_cast<const char *>(stored), sizeof(stored) };
}

/** An element in explicit little endian; a number of 16 bits (US) is given in digits. */
std::string
Encoded(std::uint32_t tag, const std::string & kind, std::string value)
{
  value = kind == "US" ? BytesOf<std::uint16_t>(std::stoul(value)) : value;
  value += std::string(value.size() % 2, kind == "UI" || kind == "OB" ? '\0' : ' ');
  const std::string size = BytesOf<std::uint32_t>(value.size());
  return BytesOf<std::uint16_t>(tag >> 16, tag) + kind +
         (HasShortLength(kind.c_str()) ? size.substr(0, 2) : std::string(2, '\0') + size) + value;
}

/** A sequence; nothing without items. */
std::string
Sequence(std::uint32_t tag, const std::vector<std::string> & items)
{
  std::string bytes;
  for (const std::string & item : items)
  {
    bytes += BytesOf<std::uint16_t>(ItemTag >> 16, ItemTag) + BytesOf<std::uint32_t>(item.size()) + item;
  }
  return bytes.empty() ? "" : Encoded(tag, "SQ", bytes);
}

/** A UID below the root 2.25, from contents (FNV-1a of 128 bits). */
std::string
UidOf(const std::string & contents)
{
  UInt128 hash = (UInt128{ 0x6c62272e07bb0142 } << 64) | 0x62b821756295c58d;
  for (const char byte : contents)
  {
    hash = (hash ^ static_cast<unsigned char>(byte)) * ((UInt128{ 1 } << 88) + 0x13B);
  }
  std::string digits;
  for (; hash > 0; hash /= 10)
  {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(hash % 10)));
  }
  return "2.25." + digits;
}

/** An element of decimal strings, of at most 16 characters up to 100 m. */
std::string
Decimals(std::uint32_t tag, std::initializer_list<double> numbers)
{
  const auto text = [](double number) { return Shortest(std::round(number * 1e8) / 1e8 + 0.0); };
  return Encoded(tag, "DS", Joined(numbers, "\\", text));
}

/** The sequence of a code "SCT^10200004^Liver" with a modifier; nothing if a part is missing. */
std::string
CodeOf(std::uint32_t tag, const std::string & text, const std::string & modifier = "")
{
  std::string        scheme;
  std::string        value;
  std::string        meaning;
  std::istringstream parts(text);
  std::getline(std::getline(std::getline(parts, scheme, '^'), value, '^'), meaning);
  const std::string names = Encoded(0x00080102, "SH", scheme) + Encoded(0x00080104, "LO", meaning) + modifier;
  return value.empty() || meaning.empty() ? "" : Sequence(tag, { Encoded(0x00080100, "SH", value) + names });
}

/** The element of the color: CIELab of red, green and blue, 0 to 1, the reverse of what reading does. */
std::string
LabOf(const std::string & color)
{
  std::vector<double> channels = RealNumbers(color, "Color");
  constexpr double    matrix[] = { 0.4339499, 0.3762098, 0.1898403, 0.2126729, 0.7151522,
                                   0.072175,  0.0177566, 0.109468,  0.8727755 };
  double              root[3] = {};
  channels.resize(3, 0.5);
  for (std::size_t i = 0; i < 9; ++i)
  {
    const double channel = channels[i % 3];
    root[i / 3] += matrix[i] * (channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4));
  }
  for (double & share : root)
  {
    share = share > 216.0 / 24389 ? std::cbrt(share) : share * 841 / 108 + 4.0 / 29;
  }
  const double lab[] = { 116 * root[1] - 16, 500 * (root[0] - root[1]) + 128, 200 * (root[1] - root[2]) + 128 };
  const auto   stored = [](double share) { return std::lround(std::clamp(share, 0.0, 1.0) * 65535); };
  const auto   numbers = BytesOf<std::uint16_t>(stored(lab[0] / 100), stored(lab[1] / 255), stored(lab[2] / 255));
  return BytesOf<std::uint16_t>(0x0062, 0x000D) + "US" + BytesOf<std::uint16_t>(numbers.size()) + numbers;
}

/** The item of a segment. Its label has at most 64 characters. */
std::string
DescribeSegment(std::size_t number, const Segment & segment)
{
  const auto field = [&](const std::string & name) {
    const auto isIt = [&](const auto & one) { return one.first == name; };
    const auto found = std::find_if(segment.fields.begin(), segment.fields.end(), isIt);
    return found == segment.fields.end() ? "" : found->second;
  };
  std::string name = NameOf(segment);
  name = name.empty() || name == std::to_string(segment.label) ? "Segment " + std::to_string(segment.label) : name;
  std::replace(name.begin(), name.end(), '\\', '/');
  for (; name.size() > 64 || !IsUtf8(name); name.pop_back())
  {}
  std::string key = "\n" + LowerCase(name) + "~";
  std::replace(key.begin(), key.end(), '_', ' ');
  const std::string table = DicomCodes_txt;
  const std::size_t found = table.find(key);
  const std::string ofName = table.substr(std::min(found, table.size()), table.find('\n', found + 1) - found);
  std::string       described;
  for (const std::string & terms : { field("Tags"), ofName, std::string("~SCT^85756007^Tissue~SCT^85756007^Tissue") })
  {
    std::istringstream       parts(terms);
    std::vector<std::string> codes(7);
    for (std::string & code : codes)
    {
      std::getline(parts, code, '~');
    }
    codes[6] = codes[6].substr(0, codes[6].find('|'));
    const std::string region = CodeOf(0x00082218, codes[5], CodeOf(0x00082220, codes[6]));
    const std::string category = CodeOf(0x00620003, codes[1]);
    const std::string type = CodeOf(0x0062000F, codes[2], CodeOf(0x00620011, codes[3]));
    described = described.empty() && !category.empty() && !type.empty()
                ? region + category + Encoded(0x00620004, "US", std::to_string(number)) +
                    Encoded(0x00620005, "LO", name) + Encoded(0x00620008, "CS", "SEMIAUTOMATIC") +
                    Encoded(0x00620009, "LO", "BrickCCL") + LabOf(field("Color")) + type
                : described;
  }
  return described;
}

struct Contents
{
  std::vector<std::uint16_t>           voxels;
  std::map<std::uint16_t, Segment>     segments;
  std::map<std::uint16_t, std::size_t> numbers;
  std::vector<std::string>             frames;
  std::string                          pixels;
};

/** Reads the voxels and numbers the segments: from 1 on, or by their labels. */
Contents
FindSegments(const ImageToWrite & image, bool isBinary)
{
  Contents   contents;
  auto &     voxels = contents.voxels;
  const auto size = static_cast<std::size_t>(image.extent.VoxelCount());
  const bool isByte = image.type == ScalarType::UInt8;
  voxels.resize(size);
  // Bytes are read into the second half and then widened from the first on.
  auto * const bytes = reinterpret_cast<unsigned char *>(voxels.data()) + (isByte ? size : 0);
  image.rows(0, image.extent.RowCount(), bytes);
  for (std::size_t i = 0; i < size && isByte; ++i)
  {
    voxels[i] = bytes[i];
  }
  for (const Segment & segment : image.segmentation.segments)
  {
    segment.label < 65536 ? void(contents.segments.emplace(segment.label, segment)) : void();
  }
  std::vector<std::uint16_t> runs;
  std::unique_copy(voxels.begin(), voxels.end(), std::back_inserter(runs));
  for (const std::uint16_t label : std::set(runs.begin(), runs.end()))
  {
    contents.segments.emplace(label, MakeSegment(label, std::to_string(label), {}));
  }
  contents.segments.erase(0);
  for (const auto & one : contents.segments)
  {
    contents.numbers.emplace(one.first, isBinary ? contents.numbers.size() + 1 : one.first);
  }
  return contents;
}

std::string
ReferenceTo(const DicomOrigin::Image & image)
{
  return Encoded(0x00081150, "UI", image.sopClass) + Encoded(0x00081155, "UI", image.instance);
}

/** The group that names the images at a place along the slices' normal. */
std::string
DerivationOf(const ImageToWrite & image, double place)
{
  std::set<std::string> sources;
  for (const DicomOrigin::Image & one : image.dicom->images)
  {
    if (std::fabs(one.place - place) < 0.5 * image.geometry.spacing[2])
    {
      sources.insert(ReferenceTo(one) + (one.frame > 0 ? Encoded(0x00081160, "IS", std::to_string(one.frame)) : "") +
                     Encoded(0x0028135A, "CS", "YES") +
                     CodeOf(0x0040A170, "DCM^121322^Source image for image processing operation"));
    }
  }
  const std::string all = Sequence(0x00082112, { sources.begin(), sources.end() });
  return all.empty() ? "" : Sequence(0x00089124, { all + CodeOf(0x00089215, "DCM^113076^Segmentation") });
}

/** Makes the frames: one of each segment in a slice, or of all. The end slices have one, so that the grid stays. */
void
AddFrames(const ImageToWrite & image, bool isBinary, Contents & contents)
{
  const auto &       axes = image.geometry.direction;
  const std::int64_t slices = image.extent.size[2];
  const std::size_t  count = contents.voxels.size() / static_cast<std::size_t>(slices);
  std::size_t        bit = 0;
  for (std::int64_t z = 0; z < slices; ++z)
  {
    const auto * const         slice = contents.voxels.data() + static_cast<std::size_t>(z) * count;
    const double               index[] = { 0, 0, static_cast<double>(z) };
    double                     point[3];
    std::vector<std::uint16_t> runs;
    std::unique_copy(slice, slice + count, std::back_inserter(runs));
    std::set<std::uint16_t> present(runs.begin(), runs.end());
    present.erase(0);
    if (!isBinary || (present.empty() && (z == 0 || z + 1 == slices)))
    {
      present = { contents.segments.begin()->first };
    }
    image.geometry.IndexToPhysical(3, index, point);
    const double      along = axes[0][2] * point[0] + axes[1][2] * point[1] + axes[2][2] * point[2];
    const std::string derivation = present.empty() ? "" : DerivationOf(image, along);
    const std::string position = Sequence(0x00209113, { Decimals(0x00200032, { point[0], point[1], point[2] }) });
    const std::string place = BytesOf<std::uint32_t>(z + 1);
    for (const std::uint16_t label : present)
    {
      const std::size_t number = contents.numbers.at(label);
      const std::string named = Encoded(0x0062000B, "US", std::to_string(number));
      const std::string indices = isBinary ? BytesOf<std::uint32_t>(number) + place : place;
      contents.frames.push_back(derivation + Sequence(0x00209111, { Encoded(0x00209157, "UL", indices) }) + position +
                                (isBinary ? Sequence(0x0062000A, { named }) : ""));
      isBinary ? void() : void(contents.pixels.append(reinterpret_cast<const char *>(slice), 2 * count));
      for (std::size_t i = 0; i < count && isBinary; ++i, ++bit)
      {
        contents.pixels += std::string(bit % 8 == 0 ? 1 : 0, '\0');
        contents.pixels.back() |= static_cast<char>((slice[i] == label ? 1 : 0) << bit % 8);
      }
    }
  }
}

/** All elements besides the pixels. \param uid  of the instance */
std::string
Describe(const ImageToWrite & image, const Contents & contents, bool isBinary, const std::string & uid)
{
  const auto &          axes = image.geometry.direction;
  const double * const  spacing = image.geometry.spacing;
  const std::string     bits = isBinary ? "1" : "16";
  const std::string     dimensions = Encoded(0x00209164, "UI", UidOf(uid + "dimensions"));
  std::set<std::string> references;
  for (const DicomOrigin::Image & one : image.dicom->images)
  {
    references.insert(ReferenceTo(one));
  }
  const auto segments = Mapped(contents.segments, [&](const auto & one) {
    return DescribeSegment(contents.numbers.at(one.first), one.second);
  });
  const auto index = [&](std::uint16_t group, std::uint16_t tag, std::uint16_t ofGroup, std::uint16_t ofTag) {
    return dimensions + Encoded(0x00209165, "AT", BytesOf<std::uint16_t>(group, tag)) +
           Encoded(0x00209167, "AT", BytesOf<std::uint16_t>(ofGroup, ofTag));
  };
  std::vector<std::string> indices = { index(0x0062, 0x000B, 0x0062, 0x000A), index(0x0020, 0x0032, 0x0020, 0x9113) };
  indices.erase(indices.begin(), indices.begin() + (isBinary ? 0 : 1));
  const std::string measures = Decimals(0x00180050, { spacing[2] }) + Decimals(0x00180088, { spacing[2] }) +
                               Decimals(0x00280030, { spacing[1], spacing[0] });
  const std::string columns =
    Decimals(0x00200037, { axes[0][0], axes[1][0], axes[2][0], axes[0][1], axes[1][1], axes[2][1] });
  const auto source = [&](std::uint32_t tag, const char * kind) {
    const std::string & value = image.dicom->values.at(tag);
    // Files without a study or a frame of reference get one.
    const bool isMissing = value.empty() && kind == std::string("UI");
    return Encoded(tag, kind, isMissing ? UidOf(image.dicom->images[0].instance + std::to_string(tag)) : value);
  };
  const std::string series = Sequence(0x0008114A, { references.begin(), references.end() }) + source(0x0020000E, "UI");
  return Encoded(0x00080005, "CS", "ISO_IR 192") + Encoded(0x00080008, "CS", "DERIVED\\PRIMARY") +
         Encoded(0x00080016, "UI", ClassRoot + std::string(isBinary ? "4" : "7")) + Encoded(0x00080018, "UI", uid) +
         source(0x00080020, "DA") + source(0x00080023, "DA") + source(0x00080030, "TM") + source(0x00080033, "TM") +
         source(0x00080050, "SH") + Encoded(0x00080060, "CS", "SEG") + Encoded(0x00080070, "LO", "BrickCCL") +
         source(0x00080090, "PN") + source(0x00081030, "LO") + Encoded(0x0008103E, "LO", "Segmentation") +
         Encoded(0x00081090, "LO", "brickccl") + Sequence(0x00081115, { series }) + source(0x00100010, "PN") +
         source(0x00100020, "LO") + source(0x00100030, "DA") + source(0x00100040, "CS") +
         Encoded(0x00181000, "LO", "1") + Encoded(0x00181020, "LO", Version) + source(0x0020000D, "UI") +
         Encoded(0x0020000E, "UI", UidOf(uid + "series")) + source(0x00200010, "SH") +
         Encoded(0x00200011, "IS", "1000") + Encoded(0x00200013, "IS", "1") + source(0x00200052, "UI") +
         source(0x00201040, "LO") + Sequence(0x00209221, { dimensions }) + Sequence(0x00209222, indices) +
         Encoded(0x00280002, "US", "1") + Encoded(0x00280004, "CS", "MONOCHROME2") +
         Encoded(0x00280008, "IS", std::to_string(contents.frames.size())) +
         Encoded(0x00280010, "US", std::to_string(image.extent.size[1])) +
         Encoded(0x00280011, "US", std::to_string(image.extent.size[0])) + Encoded(0x00280100, "US", bits) +
         Encoded(0x00280101, "US", bits) + Encoded(0x00280102, "US", isBinary ? "0" : "15") +
         Encoded(0x00280103, "US", "0") + (isBinary ? "" : Encoded(0x00280120, "US", "0")) +
         Encoded(0x00282110, "CS", "00") + Encoded(0x00620001, "CS", isBinary ? "BINARY" : "LABELMAP") +
         Sequence(0x00620002, segments) + Encoded(0x00620013, "CS", "NO") + Encoded(0x00700080, "CS", "SEGMENTATION") +
         Encoded(0x00700081, "LO", "") + Encoded(0x00700084, "PN", "") +
         Sequence(0x52009229, { Sequence(0x00209116, { columns }) + Sequence(0x00289110, { measures }) }) +
         Sequence(0x52009230, contents.frames);
}

} // namespace

std::vector<std::string>
WriteDicom(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  ThrowIf<InvalidArgument>(
    !image.dicom || image.dicom->images.empty(),
    "a DICOM segmentation refers to the slices of a DICOM series, and no input has such with "
    "positions and with the characters ISO_IR 6, 100 or 192; write .seg.nrrd, or name the series: "
    "brickccl select LABELS OUT.dcm --where \"label > 0\" --keep --intensity SERIES");
  const bool        isBinary = !options.asLabelMap;
  const bool        isWide = SizeOf(image.type) > 2;
  Contents          contents = isWide ? Contents() : FindSegments(image, isBinary);
  const std::size_t count = isWide ? image.largestLabel : contents.segments.size();
  ThrowIf<Unsupported>(isWide || count == 0 || (isBinary && count > MostBinarySegments),
                       count == 0 ? "it has no component, and a DICOM segmentation needs a segment"
                                  : std::to_string(count) +
                                      " segments are too many for a DICOM segmentation: BINARY is limited to " +
                                      std::to_string(MostBinarySegments) +
                                      ", --dicom-seg labelmap to 65535; keep fewer, for example by --largest");
  AddFrames(image, isBinary, contents);
  ThrowIf<Unsupported>(contents.pixels.size() > 0xFFFFFFF0 ||
                         std::max(image.extent.size[0], image.extent.size[1]) > 65535,
                       "frames of " + image.extent.ToString() + " voxels are too large for a DICOM file; write .nrrd");
  const std::string uid = UidOf(contents.pixels + Describe(image, contents, isBinary, ""));
  const std::string meta = Encoded(0x00020001, "OB", std::string("\0\1", 2)) +
                           Encoded(0x00020002, "UI", ClassRoot + std::string(isBinary ? "4" : "7")) +
                           Encoded(0x00020003, "UI", uid) + Encoded(0x00020010, "UI", "1.2.840.10008.1.2.1") +
                           Encoded(0x00020012, "UI", UidOf("BrickCCL"));
  OutputFile file(path);
  file.Write(std::string(128, '\0') + "DICM" + Encoded(0x00020000, "UL", BytesOf<std::uint32_t>(meta.size())) + meta +
             Describe(image, contents, isBinary, uid) +
             Encoded(0x7FE00010, isBinary ? "OB" : "OW", std::move(contents.pixels)));
  file.Close();
  const auto isKept = [](const auto & one) { return one.first == one.second; };
  return std::all_of(contents.numbers.begin(), contents.numbers.end(), isKept)
         ? std::vector<std::string>()
         : std::vector<std::string>{ "its segments are numbered from 1 on; --dicom-seg labelmap keeps the labels" };
}

} // namespace brickccl::files
