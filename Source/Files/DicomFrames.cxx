// The frames of DICOM files that do not give a position for each: whether they are slices, and where these lie.

#include "BrickCCL/Files/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <sstream>

namespace brickccl::files::dicom
{

namespace
{

/** What frames differ in, by the vectors of numbers that FrameIncrementPointer may name (PS3.3 C.8.4.8, C.8.6.3). */
struct FrameVector
{
  Tag          tag;
  const char * what;
};

constexpr FrameVector VectorsOfOthers[] = {
  { { 0x00182003, "DS", "FramePrimaryAngleVector" }, "angles" },
  { { 0x00182004, "DS", "FrameSecondaryAngleVector" }, "angles" },
  { { 0x00540010, "US", "EnergyWindowVector" }, "energy windows" },
  { { 0x00540020, "US", "DetectorVector" }, "detectors" },
  { { 0x00540030, "US", "PhaseVector" }, "phases in time" },
  { { 0x00540050, "US", "RotationVector" }, "rotations" },
  { { 0x00540060, "US", "RRIntervalVector" }, "intervals of the heartbeat" },
  { { 0x00540070, "US", "TimeSlotVector" }, "moments in time" },
  { { 0x00540090, "US", "AngularViewVector" }, "angles" },
  { { 0x00540100, "US", "TimeSliceVector" }, "moments in time" },
};

/** The attributes that FrameIncrementPointer names. */
std::vector<double>
PointersOf(const DataSet & data)
{
  const std::vector<double> halves = data.Numbers(tags::FrameIncrementPointer);
  std::vector<double>       pointers;
  for (std::size_t i = 0; i + 1 < halves.size(); i += 2)
  {
    // A value that is no tag may be any number, too large for an integer.
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

/** Whether FrameIncrementPointer says that frames are slices. */
bool
NamesSlices(const std::vector<double> & pointers)
{
  return IsAmong(pointers, tags::SliceVector) || IsAmong(pointers, tags::SliceLocations);
}

/** Why the frames of a file without functional groups are moments in time; empty if nothing says so. */
std::string
SignOfTime(const DataSet & data, const std::vector<double> & pointers)
{
  for (const Tag & tag : { tags::FrameTime, tags::FrameTimeVector })
  {
    if (IsAmong(pointers, tag))
    {
      return tag.keyword;
    }
  }
  if (NamesSlices(pointers) || data.Has(tags::FrameOffsets))
  {
    return "";
  }
  // These classes are for films, and FrameIncrementPointer, which may say otherwise, must be there.
  if (IsOfClass(data, { "3", "12.1", "12.2" }))
  {
    return pointers.empty() ? "an image of ultrasound or X rays without FrameIncrementPointer"
                            : "an image of ultrasound or X rays whose FrameIncrementPointer names no slices";
  }
  if (!pointers.empty())
  {
    return "";
  }
  return data.Has(tags::FrameTime)       ? tags::FrameTime.keyword
       : data.Has(tags::FrameTimeVector) ? tags::FrameTimeVector.keyword
                                         : "";
}

/** Why the frames of an image of nuclear medicine are no slices, by the third value of ImageType (PS3.3 C.8.4.9.1.1.1):
 *  those of slices are RECON TOMO and RECON GATED TOMO. Empty if they may be slices. */
std::string
SignOfProjections(const DataSet & data)
{
  constexpr const char * kinds[] = { "STATIC", "DYNAMIC", "GATED", "WHOLE BODY", "TOMO", "GATED TOMO" };
  std::istringstream     values(IsOfClass(data, { "20" }) ? data.Text(tags::ImageType) : "");
  std::string            kind;
  for (int i = 0; i < 3; ++i)
  {
    kind.clear();
    std::getline(values, kind, '\\');
  }
  kind.erase(kind.find_last_not_of(' ') + 1);
  return std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds) ? "" : kind;
}

/** \throws Error unless the frames show the slices 1, 2, 3 ... in this order. */
void
CheckSliceVector(const DataSet & data, std::size_t frames)
{
  const std::vector<double> slices = data.Numbers(tags::SliceVector);
  if (!slices.empty() && slices.size() != frames)
  {
    throw Error("SliceVector has " + Counted(slices.size(), "number") + " for " + Counted(frames, "frame"));
  }
  for (std::size_t i = 1; i < slices.size(); ++i)
  {
    if (slices[i] != slices[i - 1] + 1)
    {
      throw Unsupported("its frames " + std::to_string(i) + " and " + std::to_string(i + 1) + " show the slices " +
                        Shortest(slices[i - 1]) + " and " + Shortest(slices[i]) +
                        " (SliceVector); slices in ascending order, each once, are read");
    }
  }
}

/** \throws Error if the frames of a file without functional groups are moments, projections or pages. */
void
CheckFramesAreSlices(const DataSet & data, const std::vector<Plane> & planes)
{
  const std::size_t         frames = planes.size();
  const std::vector<double> pointers = PointersOf(data);
  if (const std::string sign = SignOfTime(data, pointers); !sign.empty())
  {
    throw Unsupported("its " + Counted(frames, "frame") + " are moments in time (" + sign +
                      "), not slices of a volume; extract one of them");
  }
  if (const auto slices = data.Whole(tags::NumberOfSlices); slices && *slices != static_cast<std::int64_t>(frames))
  {
    throw Unsupported("its " + Counted(frames, "frame") + " show " + Counted(*slices, "slice") +
                      " at several times, energies or angles, not one volume; extract one of them");
  }
  for (const FrameVector & vector : VectorsOfOthers)
  {
    // What FrameIncrementPointer does not name may be left from the images that these were made of.
    const bool isNamed = IsAmong(pointers, vector.tag);
    const auto values = isNamed || pointers.empty() ? data.Numbers(vector.tag) : std::vector<double>();
    if ((isNamed && values.empty() && !NamesSlices(pointers)) ||
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
    {
      throw Unsupported("its " + Counted(frames, "frame") + " show several " + vector.what + " (" + vector.tag.keyword +
                        "), not the slices of one volume; extract one of them");
    }
  }
  constexpr Tag pages{ 0x00182001, "IS", "PageNumberVector" };
  if (IsAmong(pointers, pages) && planes[0].stepSource == StepSource::None)
  {
    throw Unsupported("its " + Counted(frames, "frame") +
                      " are pages (PageNumberVector), and nothing says that they are slices of a volume: there is no "
                      "SpacingBetweenSlices; extract one of them");
  }
  const bool hasStep = planes[0].stepSource != StepSource::None || data.Has(tags::FrameOffsets);
  // Pictures of X rays and of treatment, of cameras and endoscopes, and of nuclear medicine are hardly ever slices.
  if (!hasStep && !NamesSlices(pointers) && IsOfClass(data, { "1", "20", "77.1", "481.1" }))
  {
    throw Unsupported("nothing says that its " + Counted(frames, "frame") +
                      " are slices of a volume: FrameIncrementPointer names no slices, and there is no "
                      "SpacingBetweenSlices; extract one of them");
  }
  if (const std::string kind = SignOfProjections(data); !kind.empty() && !NamesSlices(pointers))
  {
    throw Unsupported("its " + Counted(frames, "frame") + " are projections, not slices of a volume (ImageType is " +
                      kind + "; slices are RECON TOMO); extract one of them");
  }
  constexpr Tag moments{ 0x00200105, "IS", "NumberOfTemporalPositions" };
  if (const auto count = data.Whole(moments); count && *count > 1)
  {
    throw Unsupported("its " + Counted(frames, "frame") + " show " + Counted(*count, "moment") +
                      " in time (NumberOfTemporalPositions), not one volume; extract one of them");
  }
  CheckSliceVector(data, frames);
}

/** Notes that vectors of the file give another distance of frames than SpacingBetweenSlices. */
void
NoteOtherSpacing(const char *               vector,
                 double                     step,
                 const Plane &              plane,
                 const char *               taken,
                 std::vector<std::string> & notes)
{
  if (!(std::fabs(std::fabs(step) - std::fabs(plane.step)) <= 1e-3 * std::fabs(step)))
  {
    AddNote(notes,
            std::string("frames are ") + Shortest(std::fabs(step)) + " mm apart by " + vector + ", but " +
              Shortest(std::fabs(plane.step)) + " mm by SpacingBetweenSlices; " + taken + " is taken");
  }
}

/** The coarsest decimal place, as 1 or 0.1, of which all numbers are multiples; 0 if they have many digits. */
double
LastDecimalPlace(const std::vector<double> & numbers)
{
  for (const double place : { 1.0, 0.1, 0.01, 0.001 })
  {
    if (std::all_of(numbers.begin(), numbers.end(), [place](double number) {
          return std::fabs(number / place - std::round(number / place)) < 1e-6;
        }))
    {
      return place;
    }
  }
  return 0;
}

/** The first frame whose distance from the one before it is not `step`; 0 if there is none.
 *  Where the spacing is known, places may have few digits: then all distances may differ by a tenth, or all places from
 *  those by this spacing by what rounding explains. \param spacing  that of SpacingBetweenSlices, or 0 */
std::size_t
FindUneven(const std::vector<double> & locations, double step, double spacing)
{
  const double share = spacing > 0 ? 0.1 : 1e-3;
  const double place = LastDecimalPlace(locations);
  double       least = 0;
  double       most = 0;
  std::size_t  uneven = 0;
  for (std::size_t i = locations.size() - 1; i > 0; --i)
  {
    const double distance = locations[i] - locations[i - 1];
    const double away = locations[i] - (locations[0] + static_cast<double>(i) * std::copysign(spacing, step));
    least = std::min(least, away);
    most = std::max(most, away);
    if (!(std::fabs(distance - step) <= share * std::fabs(step)) || step == 0)
    {
      uneven = i;
    }
  }
  // A frame that is missing moves others by the spacing, which rounding must not hide.
  const bool mayBeRounded = place > 0 && place <= 0.45 * spacing;
  return mayBeRounded && most - least <= place * (1 + 1e-9) ? 0 : uneven;
}

/** Takes the distance of frames from SliceLocationVector, which are relative to an unknown point. SpacingBetweenSlices
 *  goes first. \throws Error unless it is the same for all. */
void
TakeLocations(const DataSet & data, std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  const std::vector<double> locations = data.Numbers(tags::SliceLocations);
  if (locations.empty())
  {
    return;
  }
  const bool hasSpacing = planes[0].stepSource == StepSource::Spacing;
  if (locations.size() != planes.size() && hasSpacing)
  {
    AddNote(notes,
            "SliceLocationVector has " + Counted(locations.size(), "number") + " for " +
              Counted(planes.size(), "frame") + " and is passed over; SpacingBetweenSlices is taken");
    return;
  }
  if (locations.size() != planes.size())
  {
    throw Error("SliceLocationVector has " + Counted(locations.size(), "number") + " for " +
                Counted(planes.size(), "frame"));
  }
  const double step = (locations.back() - locations[0]) / static_cast<double>(locations.size() - 1);
  if (hasSpacing)
  {
    NoteOtherSpacing("SliceLocationVector", step, planes[0], "the latter", notes);
    const auto [least, most] = std::minmax_element(locations.begin(), locations.end());
    // Places that are all the same tell nothing.
    if (*most - *least <= 0.1 * std::fabs(planes[0].step))
    {
      return;
    }
  }
  if (const std::size_t i = FindUneven(locations, step, hasSpacing ? std::fabs(planes[0].step) : 0); i > 0)
  {
    throw Error("frame " + std::to_string(i) + " and frame " + std::to_string(i + 1) + " are " +
                Shortest(locations[i] - locations[i - 1]) + " mm apart by SliceLocationVector, where " +
                Shortest(step) +
                " mm is the mean: the distances of slices are uneven, or they are no slices of one volume");
  }
  if (hasSpacing && data.Text(tags::Modality) == "NM")
  {
    // In nuclear medicine the sign of the spacing is that of the way.
    if (planes[0].isPlaced && (step < 0) != planes[0].isStepNegative)
    {
      AddNote(notes,
              "SliceLocationVector goes from " + Shortest(locations[0]) + " to " + Shortest(locations.back()) +
                ", the other way than the sign of SpacingBetweenSlices; the latter is taken");
    }
    return;
  }
  if (step < 0 && planes[0].isPlaced)
  {
    AddNote(notes,
            "SliceLocationVector falls from " + Shortest(locations[0]) + " to " + Shortest(locations.back()) +
              "; frames are taken to follow each other against the normal of rows and columns");
  }
  for (Plane & plane : planes)
  {
    plane.step = hasSpacing ? std::copysign(plane.step, step) : step;
    plane.stepSource = hasSpacing ? StepSource::Spacing : StepSource::Locations;
    plane.isStepNegative = false;
  }
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
  if (hasGroups && !planes[0].isPlaced)
  {
    if (data.Has(tags::SegmentationType))
    {
      throw Unsupported("its " + Counted(planes.size(), "frame") +
                        " have no positions (PlanePositionSequence): they are segments of a picture, not slices of a "
                        "label map; extract one of them");
    }
    if (IsOfClass(data, { "6.2" }))
    {
      throw Unsupported("its " + Counted(planes.size(), "frame") +
                        " are placed by PlanePositionVolumeSequence, as those of volumes of ultrasound, which is not "
                        "read; convert it to slices with PlanePositionSequence");
    }
    throw Unsupported("its " + Counted(planes.size(), "frame") +
                      " have no positions (PlanePositionSequence): they are moments, projections or the like, not "
                      "slices of a volume; extract one of them");
  }
  CheckFramesAreSlices(data, planes);
  const std::vector<double> offsets = data.Numbers(tags::FrameOffsets);
  if (!offsets.empty() && offsets.size() != planes.size())
  {
    throw Error("GridFrameOffsetVector has " + std::to_string(offsets.size()) + " offsets for " +
                Counted(planes.size(), "frame"));
  }
  if (offsets.empty())
  {
    TakeLocations(data, planes, notes);
  }
  if (offsets.empty() && planes[0].stepSource == StepSource::Thickness)
  {
    AddNote(notes, "SpacingBetweenSlices is missing; SliceThickness is taken for the distance of frames");
  }
  if (!planes[0].isPlaced && !offsets.empty())
  {
    throw Error("it has a GridFrameOffsetVector, but no ImagePositionPatient and ImageOrientationPatient");
  }
  if (!planes[0].isPlaced)
  {
    return;
  }
  double normal[3];
  NormalOf(planes[0].orientation, normal);
  const auto distances = offsets.empty() ? offsets : DistancesOfOffsets(offsets, planes[0]);
  if (distances.size() > 1 && planes[0].stepSource == StepSource::Spacing)
  {
    const double step = (distances.back() - distances[0]) / static_cast<double>(distances.size() - 1);
    NoteOtherSpacing("GridFrameOffsetVector", step, planes[0], "the former", notes);
  }
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    const double distance = offsets.empty() ? static_cast<double>(i) * planes[0].step : distances[i];
    planes[i].isPlacedByStep = offsets.empty();
    for (int row = 0; row < 3; ++row)
    {
      planes[i].position[row] += distance * normal[row];
    }
  }
}

} // namespace brickccl::files::dicom
