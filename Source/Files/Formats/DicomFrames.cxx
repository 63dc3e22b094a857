// The frames of DICOM files that do not give a position for each: whether they are slices, and where these lie.

#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace brickccl::files::dicom
{

namespace
{

/** The attributes that FrameIncrementPointer names. */
std::vector<double>
PointersOf(const DataSet & data)
{
  const std::vector<double> halves = data.Numbers(tags::FrameIncrementPointer);
  std::vector<double>       pointers;
  for (std::size_t i = 0; i + 1 < halves.size(); i += 2)
  {
    // A value other than a tag may be too large for an integer.
    pointers.push_back(halves[i] * 65536 + halves[i + 1]);
  }
  return pointers;
}

bool
IsAmong(const std::vector<double> & pointers, const Tag & tag)
{
  return std::find(pointers.begin(), pointers.end(), static_cast<double>(tag.number)) != pointers.end();
}

/** Whether the SOP class of an image is one of these kinds of storage, or below one of them. */
bool
IsOfClass(const DataSet & data, std::initializer_list<const char *> kinds)
{
  const std::string sopClass = data.Text(tags::SopClass) + '.';
  return std::any_of(kinds.begin(), kinds.end(), [&](const char * kind) {
    const std::string all = "1.2.840.10008.5.1.4.1.1." + std::string(kind) + '.';
    return sopClass.compare(0, all.size(), all) == 0;
  });
}

/** Whether the frames show the slices 1, 2, 3 ... in this order. A file need not say which slices they show. */
bool
AreSlicesInOrder(const std::vector<double> & slices, std::size_t frames)
{
  const auto follows = [](double a, double b) { return b != a + 1; };
  return slices.empty() ||
         (slices.size() == frames && std::adjacent_find(slices.begin(), slices.end(), follows) == slices.end());
}

/** Why the frames of a file without functional groups need not be slices of one volume; empty if the file says that
 *  they are. Films of ultrasound and X rays and projections of nuclear medicine have frames, too. */
std::string
WhyNoSlices(const DataSet & data, const std::vector<Plane> & planes)
{
  constexpr Tag             moments{ 0x00200105, "IS", "NumberOfTemporalPositions" };
  const auto                frames = static_cast<std::int64_t>(planes.size());
  const std::vector<double> pointers = PointersOf(data);
  const bool                hasOffsets = data.Has(tags::FrameOffsets);
  const bool namesSlices = IsAmong(pointers, tags::SliceVector) || IsAmong(pointers, tags::FrameOffsets) ||
                           IsAmong(pointers, tags::SliceLocations) || (pointers.empty() && hasOffsets);
  if (!pointers.empty() && !namesSlices)
  {
    return "FrameIncrementPointer names no slices";
  }
  if (!namesSlices && IsOfClass(data, { "3", "12.1", "12.2" }))
  {
    return "an image of ultrasound or X rays without FrameIncrementPointer";
  }
  if (!namesSlices && IsOfClass(data, { "20" }) && data.Text(tags::ImageType).find("RECON") == std::string::npos)
  {
    return "ImageType is not RECON TOMO";
  }
  if (!namesSlices && (data.Has(tags::FrameTime) || data.Has(tags::FrameTimeVector)))
  {
    return "FrameTime says that they are moments in time";
  }
  if (const auto count = data.Whole(moments).value_or(1); count > 1)
  {
    return "NumberOfTemporalPositions is " + std::to_string(count);
  }
  if (const auto slices = data.Whole(tags::NumberOfSlices).value_or(frames); slices != frames)
  {
    return "NumberOfSlices is " + std::to_string(slices);
  }
  if (!AreSlicesInOrder(data.Numbers(tags::SliceVector), planes.size()))
  {
    return "SliceVector is not 1, 2, 3 ...";
  }
  const bool hasStep = hasOffsets || data.Has(tags::SliceLocations) || planes[0].stepSource == StepSource::Spacing;
  return hasStep ? "" : "there is no SpacingBetweenSlices";
}

/** The distance of each frame from the first one along the normal, by GridFrameOffsetVector (PS3.3 C.8.8.3.2). If the
 *  first offset is 0, the offsets are these distances. If it is the z of the position of an axial image, they are
 *  places along z. */
std::vector<double>
DistancesOfOffsets(std::vector<double> offsets, const Plane & first)
{
  double normal[3];
  NormalOf(first.orientation, normal);
  for (const double offset : offsets)
  {
    if (!std::isfinite(offset))
    {
      throw Error("GridFrameOffsetVector holds " + Shortest(offset) + "; offsets must be finite numbers");
    }
  }
  const double begin = offsets[0];
  if (begin == 0)
  {
    return offsets;
  }
  if (std::fabs(normal[2]) < 0.999)
  {
    throw Unsupported("GridFrameOffsetVector begins with " + Shortest(begin) +
                      ", places along z, but its slices are not axial");
  }
  // Positions and offsets are rounded on their own.
  if (std::fabs(begin - first.position[2]) > 0.01)
  {
    throw Error("GridFrameOffsetVector begins with " + Shortest(begin) +
                "; it must begin with 0, or with the z of ImagePositionPatient, " + Shortest(first.position[2]));
  }
  for (double & offset : offsets)
  {
    offset = (offset - begin) / normal[2];
  }
  return offsets;
}

/** The distance of each frame from the first one along the normal, by GridFrameOffsetVector or SliceLocationVector;
 *  empty if there is neither. Without positions they must be even, and their step is used. In nuclear medicine
 * SpacingBetweenSlices, whose sign gives the direction, precedes locations. */
std::vector<double>
DistancesOf(const DataSet & data, std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  const bool          hasOffsets = data.Has(tags::FrameOffsets);
  const Tag &         tag = hasOffsets ? tags::FrameOffsets : tags::SliceLocations;
  std::vector<double> distances = data.Numbers(tag);
  if (distances.empty() || (!hasOffsets && planes[0].modality == "NM" && planes[0].stepSource == StepSource::Spacing))
  {
    return {};
  }
  if (distances.size() != planes.size())
  {
    throw Error(std::string(tag.keyword) + " has " + Counted(distances.size(), "number") + " for " +
                Counted(planes.size(), "frame"));
  }
  if (hasOffsets && !planes[0].isPlaced)
  {
    throw Error("it has a GridFrameOffsetVector, but no ImagePositionPatient and ImageOrientationPatient");
  }
  if (hasOffsets)
  {
    distances = DistancesOfOffsets(distances, planes[0]);
  }
  const double first = distances[0];
  const double step = (distances.back() - first) / static_cast<double>(distances.size() - 1);
  for (std::size_t i = 0; i < distances.size(); ++i)
  {
    distances[i] -= first;
    if (!planes[0].isPlaced && !(std::fabs(distances[i] - static_cast<double>(i) * step) < 1e-3 * std::fabs(step)))
    {
      throw Error("SliceLocationVector is uneven at frame " + std::to_string(i + 1) + ": " + Shortest(distances[i]) +
                  " mm from the first, where " + Shortest(static_cast<double>(i) * step) + " mm are even");
    }
  }
  if (planes[0].stepSource == StepSource::Spacing &&
      std::fabs(std::fabs(step) - std::fabs(planes[0].step)) > 1e-3 * std::fabs(step))
  {
    AddNote(notes,
            "frames are " + Shortest(std::fabs(step)) + " mm apart by " + tag.keyword + ", but " +
              Shortest(std::fabs(planes[0].step)) + " mm by SpacingBetweenSlices; the former is taken");
  }
  if (!hasOffsets && step < 0 && planes[0].isPlaced)
  {
    AddNote(notes, "SliceLocationVector falls; frames are assumed to run against the normal of rows and columns");
  }
  for (Plane & plane : planes)
  {
    plane.step = std::fabs(step);
    plane.stepSource = StepSource::Locations;
    plane.isStepNegative = false;
  }
  return distances;
}

} // namespace

const char *
NameOf(StepSource source)
{
  switch (source)
  {
  case StepSource::Spacing:
    return tags::SpacingBetweenSlices.keyword;
  case StepSource::Locations:
    return tags::SliceLocations.keyword;
  case StepSource::Thickness:
    return tags::SliceThickness.keyword;
  default:
    return "";
  }
}

void
PlaceFrames(const DataSet & data, bool hasGroups, std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  const bool        lacksPositions = hasGroups && !planes[0].isPlaced;
  const std::string reason =
    lacksPositions ? "their groups lack the position or the orientation" : WhyNoSlices(data, planes);
  if (!reason.empty())
  {
    throw Unsupported("its " + Counted(planes.size(), "frame") + " may be moments in time or projections (" + reason +
                      "); slices with positions, GridFrameOffsetVector, SliceLocationVector or SpacingBetweenSlices " +
                      "are read: extract one frame");
  }
  const auto distances = DistancesOf(data, planes, notes);
  double     normal[3];
  NormalOf(planes[0].orientation, normal);
  for (std::size_t i = 0; planes[0].isPlaced && i < planes.size(); ++i)
  {
    const double distance = distances.empty() ? static_cast<double>(i) * planes[0].step : distances[i];
    planes[i].isPlacedByStep = distances.empty();
    for (int row = 0; row < 3; ++row)
    {
      planes[i].position[row] += distance * normal[row];
    }
  }
}

} // namespace brickccl::files::dicom
