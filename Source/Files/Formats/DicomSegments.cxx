// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Segments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace brickccl::files::dicom
{

namespace
{

/** The number of the segment that a frame shows; 0 if the frame does not say. */
std::int64_t
SegmentOf(const DataSet & groups)
{
  const std::vector<DataSet> items = groups.Items(tags::SegmentIdentifications);
  return items.empty() ? 0 : items[0].Whole(tags::ReferencedSegment).value_or(0);
}

/** The number of steps of size `step` from the first place to each place; empty if they are not on a grid. */
std::vector<std::int64_t>
PlacesOnGrid(const std::vector<double> & places, double first, double step)
{
  std::vector<std::int64_t> numbers;
  for (const double place : places)
  {
    const double steps = (place - first) / step;
    const double whole = std::round(steps);
    if (!(std::fabs(steps) < 1e9) || std::fabs(steps - whole) > 1e-2)
    {
      return {};
    }
    numbers.push_back(static_cast<std::int64_t>(whole));
  }
  return numbers;
}

struct Grid
{
  std::vector<std::int64_t> slices;
  std::int64_t              count = 1;
  double                    step = 1;
};

/** Finds the slices of the frames. There may be slices without a frame. */
Grid
FindGrid(const std::vector<Plane> & planes, const std::vector<double> & places, std::vector<std::string> & notes)
{
  std::vector<double> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  const double range = sorted.back() - sorted[0];
  double       least = range;
  std::int64_t positions = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i)
  {
    const double distance = sorted[i] - sorted[i - 1];
    if (distance > std::max(1e-6, 1e-6 * range))
    {
      least = std::min(least, distance);
      ++positions;
    }
  }
  Grid grid;
  grid.step = planes[0].step;
  if (positions == 1)
  {
    grid.slices.assign(places.size(), 0);
    return grid;
  }
  if (planes[0].stepSource == &tags::SpacingBetweenSlices)
  {
    grid.slices = PlacesOnGrid(places, sorted[0], grid.step);
  }
  if (grid.slices.empty())
  {
    grid.step = least;
    grid.slices = PlacesOnGrid(places, sorted[0], least);
    // Slices without a frame may be between any two.
    const double      step = planes[0].step;
    const Tag * const source = planes[0].stepSource;
    AddNoteIf(
      source == nullptr || std::fabs(step - least) > 1e-3 * least,
      notes,
      "the least distance of its frames, " + Shortest(std::round(least * 1e6) / 1e6) +
        " mm, is used as the slice spacing" +
        (source == &tags::SpacingBetweenSlices ? ", not the SpacingBetweenSlices of " + Shortest(step) + " mm" : ""));
  }
  ThrowIf(grid.slices.empty(),
          "the positions of its frames are not multiples of one distance: " + Shortest(least) +
            " mm is the least, and others are not whole multiples of it");
  const auto last = *std::max_element(grid.slices.begin(), grid.slices.end());
  grid.step = range / static_cast<double>(last);
  grid.count = last + 1;
  ThrowIf(grid.count > 100 * positions + 1000,
          "the positions of its " + std::to_string(planes.size()) + " frames ask for " + std::to_string(grid.count) +
            " slices: they are damaged");
  return grid;
}

std::string
NameOfSegment(const DataSet & data, std::int64_t number)
{
  for (const DataSet & segment : data.Items(tags::Segments))
  {
    if (segment.Whole(tags::SegmentNumber) == number)
    {
      return std::to_string(number) + " (" + Quoted(segment.Text(tags::SegmentLabel)) + ")";
    }
  }
  return std::to_string(number);
}

/** Writes the voxels of a frame that are not 0 into a slice. */
template <typename T>
void
AddFrame(const Plane &         plane,
         const unsigned char * stored,
         std::int64_t          segment,
         std::vector<T> &      values,
         T *                   slice,
         const DataSet &       data)
{
  const PixelFormat & format = plane.source->format;
  values.resize(static_cast<std::size_t>(format.PixelsOfFrame()));
  WriteFrame(format, stored, plane.frame, {}, ScalarTypeOf<T>(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    if (values[i] == 0)
    {
      continue;
    }
    const T number = segment > 0 ? static_cast<T>(segment) : values[i];
    if (slice[i] != 0 && slice[i] != number)
    {
      throw Unsupported("its segments " + NameOfSegment(data, slice[i]) + " and " + NameOfSegment(data, number) +
                        " overlap, so one label map cannot hold them; export each as a label map");
    }
    slice[i] = number;
  }
}

/** Whether the segmentation's frames show one segment each; else their values are the numbers of segments.
 *  \throws Unsupported for other segmentations and pixels. */
bool
IsBinary(const DataSet & data, const PixelFormat & format)
{
  const std::string kind = data.Text(tags::SegmentationType);
  ThrowIf<Unsupported>(kind != "BINARY" && kind != "LABELMAP",
                       "it is a segmentation of type " + kind +
                         ", whose values are probabilities or fractions; BINARY and LABELMAP are supported");
  ThrowIf<Unsupported>(format.samples != 1 || format.isSigned || format.bitsAllocated > 16,
                       "it is a segmentation of " + std::to_string(format.samples) + " samples of " +
                         std::to_string(format.bitsAllocated) + " bits; one of 1, 8 or 16 unsigned bits is supported");
  return kind == "BINARY";
}

/** The places of the frames along the normal. \throws Error unless they are aligned along it. */
std::vector<double>
PlacesOf(const std::vector<Plane> & planes, const double (&normal)[3])
{
  std::vector<double> places;
  for (const Plane & plane : planes)
  {
    places.push_back(Dot(plane.position, normal));
    double aside = 0;
    for (int row = 0; row < 3; ++row)
    {
      const double moved = plane.position[row] - planes[0].position[row] - (places.back() - places[0]) * normal[row];
      aside += moved * moved;
    }
    ThrowIf(!(std::sqrt(aside) < 1e-2),
            plane.name + " lies " + Shortest(std::sqrt(aside)) + " mm off " + planes[0].name +
              " in the plane: not slices of one volume");
  }
  return places;
}

/** The segment that each frame shows. */
std::vector<std::int64_t>
SegmentsOf(const DataSet & data, const std::vector<Plane> & planes)
{
  const auto                groups = data.Items(tags::FrameGroups);
  const auto                shared = data.Items(tags::SharedGroups);
  const std::int64_t        segmentOfAll = shared.empty() ? 0 : SegmentOf(shared[0]);
  std::vector<std::int64_t> segments(planes.size(), 0);
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    segments[i] = i < groups.size() ? SegmentOf(groups[i]) : 0;
    segments[i] = segments[i] == 0 ? segmentOfAll : segments[i];
    ThrowIf(segments[i] < 1 || segments[i] > 65535,
            planes[i].name + " shows the segment " + std::to_string(segments[i]) +
              "; its number must be between 1 and 65535");
  }
  return segments;
}

/** The red, green and blue of CIELab in 16-bit numbers, with the white D65 of sRGB. */
std::vector<double>
ColorOf(const std::vector<double> & lab)
{
  if (lab.size() != 3)
  {
    return {};
  }
  const double        y = (lab[0] * 100 / 65535 + 16) / 116;
  const auto          cube = [](double t) { return t > 6.0 / 29 ? t * t * t : (t - 4.0 / 29) * 108 / 841; };
  const double        space[3] = { 0.95047 * cube(y + (lab[1] * 255 / 65535 - 128) / 500),
                                   cube(y),
                                   1.08883 * cube(y - (lab[2] * 255 / 65535 - 128) / 200) };
  constexpr double    matrix[3][3] = { { 3.2404542, -1.5371385, -0.4985314 },
                                       { -0.969266, 1.8760108, 0.041556 },
                                       { 0.0556434, -0.2040259, 1.0572252 } };
  std::vector<double> color;
  for (const auto & row : matrix)
  {
    const double linear = row[0] * space[0] + row[1] * space[1] + row[2] * space[2];
    const double channel = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    color.push_back(std::clamp(channel, 0.0, 1.0));
  }
  return color;
}

std::vector<Segment>
NamedSegments(const DataSet & data)
{
  std::vector<Segment> segments;
  for (const DataSet & segment : data.Items(tags::Segments))
  {
    const auto codeOf = [&](const Tag & tag) {
      const auto codes = segment.Items(tag);
      return codes.empty() ? "^^"
                           : codes[0].Text(tags::CodingScheme) + "^" + codes[0].Text(tags::CodeValue) + "^" +
                               codes[0].Text(tags::CodeMeaning);
    };
    segments.push_back(MakeSegment(
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, segment.Whole(tags::SegmentNumber).value_or(0))),
      segment.Text(tags::SegmentLabel),
      ColorOf(segment.Numbers(tags::SegmentColor)),
      "TerminologyEntry:Segmentation category and type - DICOM master list~" + codeOf(tags::SegmentCategory) + "~" +
        codeOf(tags::SegmentType) + "~^^~Anatomic codes - DICOM master list~^^~^^|"));
  }
  return segments;
}

using FramesOfSlices = std::map<std::int64_t, std::vector<std::size_t>>;

/** \throws Error if two frames show the same segment at the same position. */
FramesOfSlices
SortFrames(const Grid & grid, const std::vector<Plane> & planes, const std::vector<std::int64_t> & segments)
{
  FramesOfSlices                                               frames;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> shown;
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    frames[grid.slices[i]].push_back(i);
    const auto [other, isFirst] = shown.insert({ { grid.slices[i], segments[i] }, i });
    ThrowIf(!isFirst,
            planes[other->second].name + " and " + planes[i].name + " show the same segment at the same position");
  }
  return frames;
}

} // namespace

std::shared_ptr<const DicomOrigin>
OriginOf(const std::vector<Plane> & planes)
{
  const DataSet &   first = planes[0].source->file.data;
  const auto        origin = std::make_shared<DicomOrigin>();
  const bool        isSegmentation = IsSegmentation(planes[0].source->file);
  const auto        groups = isSegmentation ? first.Items(tags::FrameGroups) : std::vector<DataSet>();
  const auto        series = first.Items({ 0x00081115, "SQ", "ReferencedSeriesSequence" });
  const std::string characters = "," + first.Text(tags::CharacterSet) + ",";
  const bool        isKnown =
    std::string(",,ISO_IR 6,ISO_IR 100,ISO_IR 192,").find(characters) != std::string::npos && series.size() < 2;
  double normal[3];
  NormalOf(planes[0].orientation, normal);
  for (std::size_t i = 0; i < planes.size() && planes[0].isPlaced && isKnown; ++i)
  {
    const auto & source = *planes[i].source;
    const double place = Dot(planes[i].position, normal);
    const auto   add = [&](const DataSet & data, std::uint32_t sopClass, std::uint32_t instance, std::int64_t frame) {
      origin->images.push_back({ data.Text({ sopClass, "", "" }), data.Text({ instance, "", "" }), frame, place });
    };
    if (!isSegmentation)
    {
      add(source.file.data, 0x00080016, 0x00080018, source.format.frames > 1 ? planes[i].frame + 1 : 0);
    }
    for (const DataSet & of : i < groups.size() ? groups[i].Items({ 0x00089124, "SQ", "" }) : std::vector<DataSet>())
    {
      for (const DataSet & image : of.Items({ 0x00082112, "SQ", "SourceImageSequence" }))
      {
        add(image, 0x00081150, 0x00081155, image.Whole({ 0x00081160, "IS", "ReferencedFrameNumber" }).value_or(0));
      }
    }
  }
  // clang-format off
  for (const std::uint32_t tag :
       { 0x00080020, 0x00080021, 0x00080022, 0x00080023, 0x00080030, 0x00080033, 0x00080050, 0x00080070, 0x00080090, 0x00081030,
         0x00081090, 0x00100010, 0x00100020, 0x00100030, 0x00100040, 0x0020000D, 0x0020000E, 0x00200010, 0x00200052, 0x00201040 })
  {
    origin->values[tag] = PlainText(first.Text({ tag, "", "" }));
  }
  // clang-format on
  // Segmentations have a date and a time.
  origin->values[0x00080023] = origin->values[0x00080020].empty() ? "19000101" : origin->values[0x00080020];
  origin->values[0x00080033] = origin->values[0x00080030].empty() ? "000000" : origin->values[0x00080030];
  origin->values[0x0020000E] =
    isSegmentation && !series.empty() ? series[0].Text(tags::SeriesUid) : origin->values[0x0020000E];
  return origin;
}

bool
IsSegmentation(const File & file)
{
  return file.data.Has(tags::SegmentationType);
}

LoadedImage
ReadSegmentation(const std::shared_ptr<const Source> & source, const ReadOptions & options)
{
  ThrowIf<Unsupported>(options.inParts, "DICOM segmentations are not read in parts; read it whole, without --memory");
  const DataSet &          data = source->file.data;
  const PixelFormat &      format = source->format;
  const bool               isBinary = IsBinary(data, format);
  LoadedImage              image;
  const std::vector<Plane> planes = PlanesOf(source, image.notes);
  double                   normal[3];
  CheckAlike(planes, image.notes);
  ThrowIf(!planes[0].isPlaced, "the frames of the segmentation have no position or no orientation");
  NormalOf(planes[0].orientation, normal);
  const std::vector<double> places = PlacesOf(planes, normal);
  const auto   segments = isBinary ? SegmentsOf(data, planes) : std::vector<std::int64_t>(planes.size(), 0);
  const Grid   grid = FindGrid(planes, places, image.notes);
  const auto   first = static_cast<std::size_t>(std::min_element(places.begin(), places.end()) - places.begin());
  const double step[3] = { grid.step * normal[0], grid.step * normal[1], grid.step * normal[2] };
  if (grid.count == 1)
  {
    NoteStep(planes[0], image);
  }
  image.extent = SettleExtent({ format.columns, format.rows, grid.count });
  SettleGeometry(planes[first], step, options, image);
  image.dicom = OriginOf(planes);
  const std::int64_t greatest = *std::max_element(segments.begin(), segments.end());
  image.type = greatest > 255 || format.bitsAllocated == 16 ? ScalarType::UInt16 : ScalarType::UInt8;
  image.segmentation.segments = NamedSegments(data);
  const std::string characters = data.Text(tags::CharacterSet);
  AddNoteIf(!characters.empty() && characters != "ISO_IR 6" && characters != "ISO_IR 100" && characters != "ISO_IR 192",
            image.notes,
            "its names of segments use the characters of " + Quoted(characters) + ", which are not converted");
  TellHeader(options, image);
  const FramesOfSlices frames = SortFrames(grid, planes, segments);
  const std::size_t    bytes = VoxelBytes(image.extent, 1, image.type);
  const HostContext    context = options.Context();
  const StoredPlanes   stored(planes, context.Part(ShareOfLooking, ShareUntilDecoded));
  const auto           pixels = static_cast<std::size_t>(format.PixelsOfFrame());
  std::byte * const    voxels = image.voxels.Resize(bytes);
  ParallelFor(grid.count, context.Part(ShareUntilDecoded, 1), [&](std::int64_t slice) {
    const auto fill = [&](auto one) {
      using T = decltype(one);
      T * const values = reinterpret_cast<T *>(voxels) + static_cast<std::size_t>(slice) * pixels;
      std::memset(values, 0, pixels * sizeof(T));
      const auto     found = frames.find(slice);
      std::vector<T> buffer;
      for (const std::size_t i : found == frames.end() ? std::vector<std::size_t>() : found->second)
      {
        AddFrame(planes[i], stored[i], segments[i], buffer, values, data);
      }
    };
    image.type == ScalarType::UInt8 ? fill(std::uint8_t{}) : fill(std::uint16_t{});
  });
  return image;
}

} // namespace brickccl::files::dicom
