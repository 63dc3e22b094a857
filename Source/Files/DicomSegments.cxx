#include "BrickCCL/Files/DicomPlanes.h"

#include "BrickCCL/Core/Error.h"

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

/** The number of steps of size `step` from the first place to each place; empty if the places do not lie on such a
 *  grid. */
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
FindGrid(const std::vector<Plane> & planes, const std::vector<double> & places)
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
  grid.step = std::fabs(planes[0].step);
  if (positions == 1)
  {
    grid.slices.assign(places.size(), 0);
    return grid;
  }
  if (planes[0].stepSource == StepSource::Spacing)
  {
    grid.slices = PlacesOnGrid(places, sorted[0], grid.step);
  }
  if (grid.slices.empty())
  {
    grid.step = least;
    grid.slices = PlacesOnGrid(places, sorted[0], least);
  }
  if (grid.slices.empty())
  {
    throw Error("the positions of its frames are no multiples of a distance: " + Shortest(least) +
                " mm is the least, and others are not whole multiples of it");
  }
  const auto last = *std::max_element(grid.slices.begin(), grid.slices.end());
  grid.step = range / static_cast<double>(last);
  grid.count = last + 1;
  if (grid.count > 100 * positions + 1000)
  {
    throw Error("the positions of its " + std::to_string(planes.size()) + " frames ask for " +
                std::to_string(grid.count) + " slices: they are damaged");
  }
  return grid;
}

std::string
NameOfSegment(const DataSet & data, std::int64_t number)
{
  for (const DataSet & segment : data.Items(tags::Segments))
  {
    if (segment.Whole(tags::SegmentNumber) == number)
    {
      return std::to_string(number) + " ('" + segment.Text(tags::SegmentLabel) + "')";
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
                        " overlap, so that no label map can hold them; export them as label maps of their own");
    }
    slice[i] = number;
  }
}

} // namespace

bool
IsSegmentation(const File & file)
{
  return file.data.Has(tags::SegmentationType);
}

LoadedImage
ReadSegmentation(const std::shared_ptr<const Source> & source, const ReadOptions & options)
{
  const DataSet &   data = source->file.data;
  const std::string kind = data.Text(tags::SegmentationType);
  const bool        isBinary = kind == "BINARY";
  if (!isBinary && kind != "LABELMAP")
  {
    throw Unsupported("it is a segmentation of type " + kind +
                      ", whose values are probabilities or fractions; BINARY and LABELMAP are supported");
  }
  const PixelFormat & format = source->format;
  if (format.samples != 1 || format.isSigned || format.bitsAllocated > 16)
  {
    throw Unsupported("it is a segmentation of " + std::to_string(format.samples) + " samples of " +
                      std::to_string(format.bitsAllocated) + " bits; one of 1, 8 or 16 unsigned bits is supported");
  }
  LoadedImage         image;
  std::vector<Plane>  planes = PlanesOf(source, image.notes);
  const auto          groups = data.Items(tags::FrameGroups);
  const auto          shared = data.Items(tags::SharedGroups);
  const std::int64_t  segmentOfAll = shared.empty() ? 0 : SegmentOf(shared[0]);
  std::vector<double> places;
  double              normal[3];
  NormalOf(planes[0].orientation, normal);
  std::vector<std::int64_t> segments(planes.size(), 0);
  std::int64_t              greatest = 0;
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    const Plane & plane = planes[i];
    if (!plane.isPlaced)
    {
      throw Error(plane.name + " of the segmentation has no position or no orientation");
    }
    for (int k = 0; k < 6; ++k)
    {
      if (std::fabs(plane.orientation[k] - planes[0].orientation[k]) > 1e-4)
      {
        throw Error(plane.name + " has another orientation than " + planes[0].name +
                    ": they are no slices of one volume");
      }
    }
    if (plane.spacing != planes[0].spacing)
    {
      throw Error(plane.name + " has another pixel spacing than " + planes[0].name +
                  ": they are no slices of one volume");
    }
    places.push_back(plane.position[0] * normal[0] + plane.position[1] * normal[1] + plane.position[2] * normal[2]);
    double aside = 0;
    for (int row = 0; row < 3; ++row)
    {
      const double moved = plane.position[row] - planes[0].position[row] - (places[i] - places[0]) * normal[row];
      aside += moved * moved;
    }
    if (!(std::sqrt(aside) < 1e-2))
    {
      throw Error(plane.name + " lies " + Shortest(std::sqrt(aside)) + " mm beside " + planes[0].name +
                  " in the plane; they are no slices of one volume");
    }
    if (isBinary)
    {
      segments[i] = i < groups.size() ? SegmentOf(groups[i]) : 0;
      segments[i] = segments[i] == 0 ? segmentOfAll : segments[i];
      if (segments[i] < 1 || segments[i] > 65535)
      {
        throw Error(plane.name + " shows the segment " + std::to_string(segments[i]) +
                    "; its number must lie between 1 and 65535");
      }
      greatest = std::max(greatest, segments[i]);
    }
  }
  const Grid grid = FindGrid(planes, places);
  if (grid.count == 1)
  {
    if (planes[0].stepSource == StepSource::None)
    {
      image.spacingSource = "none";
    }
    AddNote(image.notes,
            planes[0].stepSource == StepSource::None
              ? "the distance of slices is unknown: 1 mm is taken"
              : std::string("the spacing along z is ") +
                  (planes[0].stepSource == StepSource::Spacing ? "SpacingBetweenSlices" : "SliceThickness"));
  }
  const auto first = static_cast<std::size_t>(std::min_element(places.begin(), places.end()) - places.begin());
  double     vectors[MaximumDimension][MaximumDimension] = {};
  for (int row = 0; row < 3; ++row)
  {
    vectors[0][row] = planes[0].orientation[row] * (planes[0].spacing.empty() ? 1 : planes[0].spacing[0]);
    vectors[1][row] = planes[0].orientation[3 + row] * (planes[0].spacing.empty() ? 1 : planes[0].spacing[1]);
    vectors[2][row] = normal[row] * grid.step;
    image.geometry.origin[row] = planes[first].position[row];
  }
  if (planes[0].spacing.empty())
  {
    image.spacingSource = "none";
    AddNote(image.notes, "PixelSpacing is missing: 1 mm is taken");
  }
  image.extent = SettleExtent({ format.columns, format.rows, grid.count });
  SettleAxes(vectors, "the positions of the frames", options, image);
  image.type = greatest > 255 || format.bitsAllocated == 16 ? ScalarType::UInt16 : ScalarType::UInt8;
  std::map<std::int64_t, std::vector<std::size_t>>             framesOfSlice;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> shown;
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    framesOfSlice[grid.slices[i]].push_back(i);
    if (const auto [other, isFirst] = shown.insert({ { grid.slices[i], segments[i] }, i }); !isFirst)
    {
      throw Error(planes[other->second].name + " and " + planes[i].name +
                  " show the same segment at the same position");
    }
  }
  const std::size_t  bytes = VoxelBytes(image.extent, 1, image.type);
  const StoredPlanes stored(planes, options.threads);
  const auto         pixels = static_cast<std::size_t>(format.PixelsOfFrame());
  std::byte * const  voxels = image.voxels.Resize(bytes);
  HostContext        context;
  context.threads = options.threads;
  ParallelFor(grid.count, context, [&](std::int64_t slice) {
    const auto fill = [&](auto one) {
      using T = decltype(one);
      T * const values = reinterpret_cast<T *>(voxels) + static_cast<std::size_t>(slice) * pixels;
      std::memset(values, 0, pixels * sizeof(T));
      const auto     found = framesOfSlice.find(slice);
      std::vector<T> buffer;
      for (const std::size_t i : found == framesOfSlice.end() ? std::vector<std::size_t>() : found->second)
      {
        AddFrame(planes[i], stored[i], segments[i], buffer, values, data);
      }
    };
    image.type == ScalarType::UInt8 ? fill(std::uint8_t{}) : fill(std::uint16_t{});
  });
  return image;
}

} // namespace brickccl::files::dicom
