// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/PartialVoxels.h"

#include <algorithm>
#include <cmath>

namespace brickccl::files::dicom
{

constexpr double Even = 1e-3;

static std::string
Millimeters(double value)
{
  return Shortest(std::round(value * 1e6) / 1e6) + " mm";
}

/** Notes slices whose positions may belong to another coordinate system. */
static void
CheckFrameOfReference(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  for (const Plane & plane : planes)
  {
    if (plane.isPlaced && plane.frameOfReference != planes[0].frameOfReference)
    {
      AddNote(notes,
              plane.name + " has another FrameOfReferenceUID than " + planes[0].name +
                "; their positions are assumed to share one coordinate system");
      return;
    }
  }
}

/** \throws Error if planes share a position. `places` ascend. */
static void
CheckSingle(const std::vector<Plane> & planes, const std::vector<double> & places)
{
  const double range = places.back() - places[0];
  const double same = std::max(1e-9, Even * range / static_cast<double>(places.size()));
  const auto   doubled =
    std::adjacent_find(places.begin(), places.end(), [&](double a, double b) { return b - a <= same; });
  if (doubled != places.end())
  {
    const auto i = static_cast<std::size_t>(doubled - places.begin());
    throw Error(planes[i].name + " and " + planes[i + 1].name + " are at the same position (" + Millimeters(*doubled) +
                " along the normal): points in time, echoes or duplicate slices; put each volume into its own folder");
  }
}

/** \throws Error that names slices whose distance differs from the others, unless that is accepted. */
static void
CheckDistances(const std::vector<Plane> &  planes,
               const std::vector<double> & places,
               const ReadOptions &         options,
               std::vector<std::string> &  notes)
{
  std::vector<double> distances(places.size() - 1);
  for (std::size_t i = 0; i < distances.size(); ++i)
  {
    distances[i] = places[i + 1] - places[i];
  }
  std::vector<double> sorted = distances;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[(sorted.size() - 1) / 2];
  std::size_t  uneven = 0;
  std::size_t  worst = 0;
  for (std::size_t i = 0; i < distances.size(); ++i)
  {
    uneven += std::fabs(distances[i] - usual) > Even * usual * (1 + 1e-6) ? 1 : 0;
    worst = std::fabs(distances[i] - usual) > std::fabs(distances[worst] - usual) ? i : worst;
  }
  if (uneven == 0)
  {
    return;
  }
  const double      missing = std::round(distances[worst] / usual) - 1;
  const bool        isMultiple = missing >= 1 && std::fabs(distances[worst] - (missing + 1) * usual) < 0.01 * usual;
  const std::string what =
    planes[worst].name + " and " + planes[worst + 1].name + " are " + Millimeters(distances[worst]) + " apart, where " +
    Millimeters(usual) + " is usual" +
    (isMultiple ? ": " + Shortest(missing) + (missing > 1 ? " slices are" : " slice is") + " missing between them"
                : ": the slices are unevenly spaced") +
    (uneven > 1 ? " (" + std::to_string(uneven) + " distances differ)" : "");
  ThrowIf(!options.acceptIrregularSlices,
          what + "; complete the series, or use the mean distance with --accept-irregular-slices");
  notes.push_back(what + "; the mean distance of " +
                  Millimeters((places.back() - places[0]) / static_cast<double>(distances.size())) + " is used");
}

/** \throws Error if a slice is shifted within its plane from the line on which the others lie. */
static void
CheckLine(const std::vector<Plane> & planes, const std::vector<double> & places)
{
  const Plane & first = planes.front();
  const Plane & last = planes.back();
  const double  range = places.back() - places[0];
  const double  limit = std::max(2 * Even * range / static_cast<double>(places.size() - 1),
                                first.spacing.empty() ? 0.0 : 0.02 * std::min(first.spacing[0], first.spacing[1]));
  for (std::size_t i = 1; i + 1 < planes.size(); ++i)
  {
    const double part = (places[i] - places[0]) / range;
    double       squares = 0;
    for (int row = 0; row < 3; ++row)
    {
      const double expected = first.position[row] + part * (last.position[row] - first.position[row]);
      squares += (planes[i].position[row] - expected) * (planes[i].position[row] - expected);
    }
    ThrowIf(!(std::sqrt(squares) <= limit),
            planes[i].name + " lies " + Millimeters(std::sqrt(squares)) +
              " off the line through the other slice positions: not slices of one volume");
  }
}

/** Sorts planes with positions along their normal, and sets the vector from one to the next. */
static void
SortByPosition(std::vector<Plane> & planes,
               bool                 areFiles,
               const ReadOptions &  options,
               double (&step)[3],
               std::vector<std::string> & notes)
{
  double normal[3];
  NormalOf(planes[0].orientation, normal);
  const auto place = [&](const Plane & plane) { return Dot(plane.position, normal); };
  const auto before = [&](const Plane & a, const Plane & b) { return place(a) < place(b); };
  AddNoteIf(areFiles && !std::is_sorted(planes.begin(), planes.end(), before) &&
              !std::is_sorted(planes.rbegin(), planes.rend(), before),
            notes,
            "slices are ordered by position, not by file name");
  std::stable_sort(planes.begin(), planes.end(), before);
  std::vector<double> places;
  for (const Plane & plane : planes)
  {
    places.push_back(place(plane));
    ThrowIf(!std::isfinite(places.back()),
            plane.name + " is at " + Shortest(places.back()) + " along the normal; it must be a number");
  }
  CheckSingle(planes, places);
  CheckDistances(planes, places, options, notes);
  CheckLine(planes, places);
  const auto   steps = static_cast<double>(planes.size() - 1);
  const double distance = (places.back() - places[0]) / steps;
  double       aside = 0;
  for (int row = 0; row < 3; ++row)
  {
    step[row] = (planes.back().position[row] - planes[0].position[row]) / steps;
    aside += (step[row] - distance * normal[row]) * (step[row] - distance * normal[row]);
  }
  // Positions are rounded. A shift of less than a fiftieth of a pixel over the whole stack is not a tilt.
  if (!planes[0].spacing.empty() && std::sqrt(aside) * steps < 0.02 * planes[0].spacing[0])
  {
    for (int row = 0; row < 3; ++row)
    {
      step[row] = distance * normal[row];
    }
  }
}

/** Sorts planes without positions by their instance numbers. They come from several files. */
static void
SortByNumber(std::vector<Plane> & planes, const ReadOptions & options, std::vector<std::string> & notes)
{
  for (const Plane & plane : planes)
  {
    if (!plane.number)
    {
      AddNote(notes,
              "slices have no positions, and " + plane.name +
                " has no InstanceNumber: they are ordered by their file names");
      return;
    }
  }
  AddNote(notes, "slices have no positions: they are ordered by their InstanceNumber");
  std::stable_sort(planes.begin(), planes.end(), [](const Plane & a, const Plane & b) {
    return *a.number < *b.number;
  });
  for (std::size_t i = 1; i < planes.size(); ++i)
  {
    const std::int64_t difference = *planes[i].number - *planes[i - 1].number;
    if (difference == 0)
    {
      throw Error(planes[i - 1].name + " and " + planes[i].name + " have no positions and the same InstanceNumber " +
                  std::to_string(*planes[i].number) + ": duplicate slices or several volumes; keep one of them");
    }
    if (difference != *planes[1].number - *planes[0].number)
    {
      const std::string what = "the InstanceNumber goes from " + std::to_string(*planes[i - 1].number) + " (" +
                               planes[i - 1].name + ") to " + std::to_string(*planes[i].number) + " (" +
                               planes[i].name + "): slices may be missing";
      ThrowIf(!options.acceptIrregularSlices,
              what + "; complete the series, or accept it with --accept-irregular-slices");
      AddNote(notes, what);
    }
  }
}

void
NoteStep(const Plane & plane, LoadedImage & image)
{
  AddNote(image.notes,
          plane.stepSource == nullptr ? "the slice spacing is unknown: 1 mm is assumed"
                                      : std::string("the spacing along z is ") + plane.stepSource->keyword);
  image.spacingSource = plane.stepSource == nullptr ? "none" : image.spacingSource;
}

void
SettleGeometry(const Plane & first, const double (&step)[3], const ReadOptions & options, LoadedImage & image)
{
  double vectors[MaximumDimension][MaximumDimension] = {};
  for (int row = 0; row < 3; ++row)
  {
    vectors[0][row] = first.orientation[row] * (first.spacing.empty() ? 1 : first.spacing[0]);
    vectors[1][row] = first.orientation[3 + row] * (first.spacing.empty() ? 1 : first.spacing[1]);
    vectors[2][row] = step[row];
    image.geometry.origin[row] = first.position[row];
  }
  if (first.spacing.empty())
  {
    image.spacingSource = "none";
    AddNote(image.notes, "PixelSpacing is missing: 1 mm is assumed");
  }
  SettleAxes(vectors, "the positions of the slices", options, image);
  image.hasPatientAxes = true;
}

/** Writes the values of a plane. */
static void
WritePlane(const Plane & plane, const unsigned char * stored, ScalarType type, std::byte * voxels)
{
  WriteFrame(plane.source->format, stored, plane.frame, plane.scaling, type, voxels);
}

static void
ReadValues(const std::vector<Plane> & planes, const ReadOptions & options, LoadedImage & image)
{
  const PixelFormat &  format = planes[0].source->format;
  std::vector<Scaling> scalings;
  double               lowest = 0;
  double               highest = 0;
  bool                 identity = true;
  for (const Plane & plane : planes)
  {
    lowest = std::min(lowest, plane.source->format.Lowest());
    highest = std::max(highest, plane.source->format.Highest());
    identity = identity && plane.scaling.IsIdentity();
    if (scalings.empty() || !(scalings.back() == plane.scaling))
    {
      scalings.push_back(plane.scaling);
    }
  }
  const bool isFloat = format.type == ScalarType::Float32 || format.type == ScalarType::Float64;
  image.type = TypeOfScaled(format.type, lowest, highest, scalings);
  image.channels = format.samples;
  AddNoteIf(!isFloat && (image.type == ScalarType::Float32 || image.type == ScalarType::Float64),
            image.notes,
            "RescaleSlope or RescaleIntercept has fractions: values are " + std::string(NameOf(image.type)));
  TellHeader(options, image);
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  const std::size_t planeBytes = bytes / planes.size();
  if (options.inParts)
  {
    image.inParts = true;
    const auto read =
      [planes, planeBytes, type = image.type, context = HostContext{ options.threads }](std::size_t first,
                                                                                        std::size_t count,
                                                                                        std::byte * output) {
        const auto               begin = planes.begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<Plane> part(begin, begin + static_cast<std::ptrdiff_t>(count));
        const StoredPlanes       stored(part, context.Silent());
        ParallelFor(static_cast<std::int64_t>(count), context, [&](std::int64_t i) {
          const auto index = static_cast<std::size_t>(i);
          WritePlane(part[index], stored[index], type, output + index * planeBytes);
          Forget(part[index].source->file.bytes);
        });
      };
    image.stream = SliceVoxels(planeBytes, read);
    return;
  }
  const HostContext  context = options.Context();
  const StoredPlanes stored(planes, context.Part(ShareOfLooking, ShareUntilDecoded));
  // Values that need no conversion are not copied if they come from whole files in order.
  const bool plain = identity && !format.encapsulated && !format.planar && format.bitsAllocated >= 8 &&
                     format.bitsStored == format.bitsAllocated &&
                     reinterpret_cast<std::uintptr_t>(stored[0]) % SizeOf(image.type) == 0;
  bool inOrder = plain && planes.size() > 1;
  for (std::size_t i = 0; inOrder && i < planes.size(); ++i)
  {
    inOrder = planes[i].source == planes[0].source && planes[i].frame == static_cast<std::int64_t>(i);
  }
  if (inOrder)
  {
    image.voxels.Share(planes[0].source->file.bytes.Owner(), stored[0], bytes);
    return;
  }
  std::byte * const voxels = image.voxels.Resize(bytes);
  const HostContext writing = context.Part(format.encapsulated ? ShareUntilDecoded : ShareOfLooking, 1);
  ParallelFor(static_cast<std::int64_t>(planes.size()), writing, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    WritePlane(planes[index], stored[index], image.type, voxels + index * planeBytes);
  });
}

StoredPlanes::StoredPlanes(const std::vector<Plane> & planes, const HostContext & context)
  : m_Planes(planes.size())
  , m_Decoded(
      [&] {
        std::vector<FrameToDecode> frames;
        for (const Plane & plane : planes)
        {
          const Source & source = *plane.source;
          if (source.format.encapsulated)
          {
            const bool alone = planes.size() == 1;
            frames.push_back({ &source.coded[static_cast<std::size_t>(plane.frame)],
                               &source.format,
                               &source.file.transferSyntax,
                               alone ? "" : plane.name + ": " });
          }
        }
        return frames;
      }(),
      context)
{
  std::size_t decoded = 0;
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    const Source & source = *planes[i].source;
    m_Planes[i] = source.format.encapsulated ? m_Decoded.Frame(decoded++)
                : source.format.bitsAllocated == 1
                  ? source.file.pixels->data
                  : source.file.pixels->data + static_cast<std::size_t>(planes[i].frame) * source.format.BytesOfFrame();
  }
}

LoadedImage
StackPlanes(std::vector<Plane> planes, bool areFiles, std::vector<std::string> notes, const ReadOptions & options)
{
  CheckAlike(planes, notes);
  LoadedImage image;
  double      step[3] = {};
  const bool  byPosition = planes[0].isPlaced && planes.size() > 1;
  if (byPosition)
  {
    CheckFrameOfReference(planes, notes);
    SortByPosition(planes, areFiles, options, step, notes);
  }
  else if (areFiles && planes.size() > 1)
  {
    SortByNumber(planes, options, notes);
  }
  image.notes = std::move(notes);
  if (!byPosition)
  {
    double normal[3];
    NormalOf(planes[0].orientation, normal);
    for (int row = 0; row < 3; ++row)
    {
      step[row] = normal[row] * planes[0].step;
    }
    NoteStep(planes[0], image);
  }
  const PixelFormat & format = planes[0].source->format;
  image.extent = SettleExtent({ format.columns, format.rows, static_cast<std::int64_t>(planes.size()) });
  SettleGeometry(planes[0], step, options, image);
  image.dicom = OriginOf(planes);
  ReadValues(planes, options, image);
  return image;
}

} // namespace brickccl::files::dicom
